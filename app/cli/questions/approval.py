"""A plan that waits for a person: shown and asked about on a terminal, told on a pipe, printed as JSON."""

import contextlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from rich.text import Text

from weiwo.app.cli.errors import INTERRUPTED, WAITING, CommandError
from weiwo.app.cli.output import hint, is_terminal, page, say, terminal, write_json
from weiwo.app.cli.questions.plan_files import DraftError, edit
from weiwo.app.cli.questions.run_end import APPROVE, RunEnd
from weiwo.app.render.labels import label
from weiwo.app.render.plan_tree import plan_tree
from weiwo.app.render.progress import Progress
from weiwo.app.render.text_wrapping import Flow
from weiwo.state.home import home
from weiwo.tools.printable import one_line, printable

_APPROVE: Final = frozenset({"a", "approve", "y", "yes", "批准", "同意", "好", "是"})
_EDIT: Final = frozenset({"e", "edit", "编辑", "修改"})
_REJECT: Final = frozenset({"r", "reject", "n", "no", "驳回", "退回", "不"})
_QUIT: Final = frozenset({"q", "quit", "exit", "退出"})


def as_json(ended: RunEnd) -> dict[str, Any]:
    """What waits, as one object; `$defs/waiting` of the result's schema."""
    request = ended.request or {}
    return {
        "thread_id": ended.thread_id,
        "status": "waiting",
        "question": request.get("question", ""),
        "plan": request.get("plan"),
        "finished": request.get("finished", {}),
        "note": request.get("note", ""),
        "how": how(ended.thread_id),
    }


def how(thread_id: str) -> str:
    """The commands that go on with it."""
    return f"weiwo resume {thread_id} --approve, --plan FILE or --reject WORDS"


def draw(progress: Progress) -> None:
    """Draw the plan with what its tasks will call."""
    console, language = terminal() if is_terminal() else page(), language_of(progress)
    title = Text(label(language, "plan"), "bold")
    console.print(plan_tree(progress, title, language, ascii_only=console.options.ascii_only))


def tell(ended: RunEnd, progress: Progress, *, as_object: bool, drawn: bool) -> int:
    """Say, where nobody can be asked, what waits and how to go on; returns the exit code."""
    if as_object:
        write_json(as_json(ended))
    elif not drawn:
        draw(progress)
        if note := str((ended.request or {}).get("note") or ""):
            page().print(Flow(Text(printable(note))))
    say(f"the plan waits for approval; go on with: {how(ended.thread_id)}")
    return WAITING


def rejection_error(ended: RunEnd) -> CommandError:
    """The error for an answer given as an option that could not be taken."""
    complaints = (ended.request or {}).get("complaints") or ()
    return CommandError(
        f"the plan; {'; '.join(map(str, complaints))}; the thread still waits; correct that and try again", 2
    )


def language_of(progress: Progress) -> str:
    """The language of the question, as far as it is known."""
    return str(progress.assessed.get("language") or "en")


def draft_of(ended: RunEnd) -> Path:
    """Where the edited plan is kept until it is taken."""
    revision = ((ended.request or {}).get("plan") or {}).get("revision", 0)
    name = ended.thread_id.replace(":", "_")  # which Windows allows in no file name
    return home() / "drafts" / f"{name}-{revision}.json"


def ask_person(ended: RunEnd, progress: Progress) -> Any:
    """Ask about the plan that has just been drawn.

    Returns:
        The answer to resume with; None if the person would rather decide later.

    Raises:
        CommandError: They stopped the command.
    """
    if note := str((ended.request or {}).get("note") or ""):
        terminal().print(Flow(Text(printable(note), "yellow")))
    with answering(f"stopped; the plan waits for approval; go on with: weiwo resume {ended.thread_id}"):
        return _converse(ended, language_of(progress))
    return None


@contextlib.contextmanager
def answering(stopped: str) -> Iterator[None]:
    """A conversation on the terminal: the end of its input leaves it, and Ctrl-C stops the command.

    Args:
        stopped: What to say then.

    Raises:
        CommandError: They stopped the command.
    """
    try:
        yield
    except EOFError:
        terminal().print()
    except KeyboardInterrupt:
        terminal().print()
        raise CommandError(stopped, INTERRUPTED) from None


def _converse(ended: RunEnd, language: str) -> Any:
    request: Mapping[str, Any] = ended.request or {}
    complaints = [str(one) for one in request.get("complaints") or ()]
    while True:
        for complaint in complaints:
            terminal().print(Flow(Text(f"! {one_line(complaint, 500)}", "red"), indent=2))
        command, _, rest = read_line(label(language, "approve_prompt")).partition(" ")
        word = command.casefold()
        if word in _APPROVE:
            return APPROVE
        if word in _QUIT:
            return None
        if word in _EDIT:
            try:
                plan = edit(draft_of(ended), request.get("plan") or {}, complaints, label(language, "draft_remark"))
            except (DraftError, CommandError) as error:
                complaints = [str(error)]
                continue
            if plan is not None:
                return {"plan": plan}
            complaints = []
            terminal().print(Text(label(language, "unchanged"), "dim"))
        elif word in _REJECT:
            if words := rest.strip() or read_line(label(language, "reject_prompt")):
                return {"reject": words}
        elif word and read_line(label(language, "words_prompt")).casefold() in _APPROVE:
            return {"reject": f"{command} {rest}".strip()}


def leave(ended: RunEnd) -> int:
    """The person decides later: say how, and where their edit is; returns the exit code."""
    draft = draft_of(ended)
    if draft.exists():
        hint(
            f"your edit is kept in {draft}; weiwo resume {ended.thread_id} --plan {draft}, or edit it again when asked"
        )
    hint(f"the plan waits for approval; go on with: weiwo resume {ended.thread_id}")
    return WAITING


def read_line(prompt: str) -> str:
    """A line the person types, in which they can move about."""
    with contextlib.suppress(ImportError):
        import readline  # noqa: F401, PLC0415 - upon need
    try:
        return printable(input(prompt)).strip()
    except UnicodeDecodeError:
        return ""
