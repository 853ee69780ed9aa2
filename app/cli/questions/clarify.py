"""A question back: asked with numbered choices on a terminal, told on a pipe, printed as JSON."""

from typing import Any, Final

from rich.text import Text

from weiwo.app.cli.errors import WAITING, CommandError
from weiwo.app.cli.output import page, say, terminal, write_json
from weiwo.app.cli.questions.approval import answering, read_line
from weiwo.app.cli.questions.run_end import RunEnd
from weiwo.app.render.labels import label
from weiwo.app.render.text_wrapping import Flow
from weiwo.tools.printable import one_line

TYPE: Final = "clarify"
"""The `type` of such a request (`weiwo.nodes.master.clarify.REQUEST`, which is heavy to import)."""
_QUIT: Final = frozenset({"q", "quit", "exit", "退出"})


def as_json(ended: RunEnd) -> dict[str, Any]:
    """What is asked, as one object; `$defs/waiting_for_reply` of the result's schema."""
    request = ended.request or {}
    return {
        "thread_id": ended.thread_id,
        "status": "waiting",
        "asks": TYPE,
        "question": request.get("question", ""),
        "clarify": request.get("asks", ""),
        "choices": list(request.get("choices") or ()),
        "how": how(ended.thread_id),
    }


def how(thread_id: str) -> str:
    """The command that goes on with it."""
    return f'weiwo resume {thread_id} --reply "NUMBER or words"'


def tell(ended: RunEnd, *, as_object: bool) -> int:
    """Say, where nobody can be asked, what is asked and how to go on; returns the exit code."""
    if as_object:
        write_json(as_json(ended))
    else:
        page().print(_drawn(ended))
    say(f"the question can mean several things; go on with: {how(ended.thread_id)}")
    return WAITING


def ask_person(ended: RunEnd, language: str) -> Any:
    """Ask with numbered choices.

    Returns:
        The answer to resume with; None if the person would rather decide later.

    Raises:
        CommandError: They stopped the command.
    """
    terminal().print(_drawn(ended))
    for complaint in _complaints(ended):
        terminal().print(Flow(Text(f"! {complaint}", "red"), indent=2))
    count = len((ended.request or {}).get("choices") or ())
    with answering(f"stopped; nothing was searched; go on with: {how(ended.thread_id)}"):
        while True:
            words = read_line(label(language, "clarify_prompt", count)).strip()
            if words.casefold() in _QUIT:
                return None
            if words:
                return {"reply": words}
    return None


def leave(ended: RunEnd) -> int:
    """The person answers later: say how; returns the exit code."""
    say(f"the question waits for a reply; go on with: {how(ended.thread_id)}")
    return WAITING


def rejection_error(ended: RunEnd) -> CommandError:
    """The error for a reply given as an option that could not be taken."""
    return CommandError(f"--reply; {'; '.join(_complaints(ended))}; the thread still waits; {how(ended.thread_id)}", 2)


def _complaints(ended: RunEnd) -> list[str]:
    return [one_line(str(one), 500) for one in (ended.request or {}).get("complaints") or ()]


def _drawn(ended: RunEnd) -> Text:
    request = ended.request or {}
    text = Text(f"{one_line(str(request.get('asks', '')), 300)}\n", "bold")
    for n, choice in enumerate(request.get("choices") or (), 1):
        text.append(f"  {n}. {one_line(str(choice), 200)}\n", "not bold")
    text.rstrip()
    return text
