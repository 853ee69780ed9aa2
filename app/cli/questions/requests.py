"""Requests to a person: asked about on a terminal, printed as a line on a pipe, or as JSON.

This module has the common base, the question back with numbered choices, and the consent to a tool call that may make
changes. The approval of a plan is in `approval`.
"""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from rich.text import Text

from weiwo.app.cli.errors import INTERRUPTED, USAGE, WAITING, CommandError
from weiwo.app.cli.output import NO, YES, hint, say, screen, terminal
from weiwo.app.render.labels import label
from weiwo.app.render.progress import Progress
from weiwo.app.render.text_wrapping import Flow
from weiwo.app.session.session import APPROVE, RunEnd
from weiwo.text.printable import one_line, printable
from weiwo.tools.shown_arguments import list_arguments

QUIT: Final = frozenset({"q", "quit", "exit", "退出"})
"""Answers that leave the decision for later."""
CLARIFY: Final = "clarify"
ALLOW_TOOL: Final = "allow_tool"
"""The `type` of a request for consent to a tool call, defined in `task_calls.consent`.

It is repeated here, like the type of `nodes.master.clarify`, because those modules are slow to import.
"""
SHOWN_HASH: Final = 12
"""Characters of a request's hash that are shown. They tie a reply to the request that was read."""
_YES: Final = frozenset({"a", "allow", "approve", "y", "yes", "批准", "允许", "同意", "好", "是"})
_NO: Final = frozenset({"r", "reject", "refuse", "n", "no", "拒绝", "不", "否"})


@dataclass(frozen=True)
class RequestKind:
    """A kind of request.

    Attributes:
        answers: The options of `weiwo resume` that answer it.
        subject: The name of the request in a complaint about an answer given as an option.
        waits: Describes the pending request, such as "the plan waits for approval".
        fields: Returns the fields of the request for JSON output, as in the result's schema.
        draw: Draws the request on a terminal or a page.
        converse: Asks the person, in a language, until there is an answer to resume with. Returns None if the person
            would rather decide later.
    """

    answers: str
    subject: str
    waits: Callable[[RunEnd], str]
    fields: Callable[[RunEnd], dict[str, Any]]
    draw: Callable[[RunEnd, Progress], None]
    converse: Callable[[RunEnd, str], Any]

    def how(self, ended: RunEnd) -> str:
        """Return the command that answers the request, as `weiwo resume THREAD --hash … --approve`."""
        bound = f"--hash {ended.hash[:SHOWN_HASH]} " if ended.hash else ""
        return f"weiwo resume {ended.thread_id} {bound}{self.answers}"

    def as_json(self, ended: RunEnd) -> dict[str, Any]:
        """Return the waiting request as an object, following `$defs/waiting…` of the result's schema."""
        told = {"thread_id": ended.thread_id, "status": "waiting", "question": ended.request.get("question", "")}
        return {**told, **self.fields(ended), "how": self.how(ended)}

    def tell(self, ended: RunEnd, progress: Progress, *, drawn: bool) -> int:
        """Print the waiting request and the command that answers it, and return the exit code.

        This is used if no person can be asked.
        """
        if not drawn:
            self.draw(ended, progress)
        say(f"{self.waits(ended)}; to continue, run {self.how(ended)}")
        return WAITING

    def ask_person(self, ended: RunEnd, progress: Progress) -> Any:
        """Ask the person about the request already drawn.

        Returns:
            The answer to resume with, or None if the person would rather decide later.

        Raises:
            CommandError: The person stopped the command.
        """
        for complaint in ended.complaints:
            terminal().print(Flow(Text(f"! {complaint}", "red"), indent=2))
        with conversation(f"stopped; {self.waits(ended)}; to continue, run weiwo resume {ended.thread_id}"):
            return self.converse(ended, language_of(progress))
        return None

    def leave(self, ended: RunEnd) -> int:
        """Tell the person how to decide later, and return the exit code."""
        hint(f"{self.waits(ended)}; to continue, run weiwo resume {ended.thread_id}")
        return WAITING

    def rejection_error(self, ended: RunEnd) -> CommandError:
        """Return the error for a rejected answer given as an option."""
        complaints = "; ".join(ended.complaints)
        return CommandError(f"{self.subject}: {complaints}; the thread still waits; {self.how(ended)}", USAGE)


def language_of(progress: Progress) -> str:
    """Return the language of the question, or English if unknown."""
    return str(progress.assessed.get("language") or "en")


@contextlib.contextmanager
def conversation(stopped: str) -> Iterator[None]:
    """Context manager around questions at the terminal.

    The end of the input (Ctrl-D) ends the conversation quietly, and Ctrl-C stops the command.

    Args:
        stopped: The message when the command is stopped.

    Raises:
        CommandError: The person stopped the command.
    """
    try:
        yield
    except EOFError:
        terminal().print()
    except KeyboardInterrupt:
        terminal().print()
        raise CommandError(stopped, INTERRUPTED) from None


def confirm(prompt: str, *, default: bool) -> bool:
    """Ask the person for yes or no, again after any other word. An empty line is the default."""
    while True:
        word = read_line(prompt).casefold()
        if not word:
            return default
        if word in YES | NO:
            return word in YES


def read_line(prompt: str) -> str:
    """Read a line from the person, with line editing."""
    with contextlib.suppress(ImportError):
        import readline  # noqa: F401, PLC0415 - its import is what it does, and Windows has none
    try:
        return printable(input(prompt)).strip()
    except UnicodeDecodeError:
        return ""


def _clarify_fields(ended: RunEnd) -> dict[str, Any]:
    """Return the fields of `$defs/waiting_for_reply` in the result's schema."""
    choices = list(ended.request.get("choices") or ())
    return {"asks": CLARIFY, "clarify": ended.request.get("asks", ""), "choices": choices}


def _draw_clarify(ended: RunEnd, _: Progress) -> None:
    text = Text(f"{one_line(str(ended.request.get('asks', '')), 300)}\n", "bold")
    for n, choice in enumerate(ended.request.get("choices") or (), 1):
        text.append(f"  {n}. {one_line(str(choice), 200)}\n", "not bold")
    text.rstrip()
    screen().print(text)


def _clarify(ended: RunEnd, language: str) -> Any:
    prompt = label(language, "clarify_prompt", len(ended.request.get("choices") or ()))
    while not (words := read_line(prompt)):
        pass
    return None if words.casefold() in QUIT else {"reply": words}


CLARIFICATION: Final = RequestKind(
    answers='--reply "NUMBER or text"',
    subject="--reply",
    waits=lambda _: "the question is ambiguous",
    fields=_clarify_fields,
    draw=_draw_clarify,
    converse=_clarify,
)


def _consent_fields(ended: RunEnd) -> dict[str, Any]:
    """Return the fields of `$defs/waiting_for_consent` in the result's schema."""
    told = {name: ended.request.get(name, "") for name in ("task", "tool", "server")}
    return {"asks": ALLOW_TOOL, **told, "arguments": ended.request.get("arguments", {}), "hash": ended.hash}


def _tool_name(ended: RunEnd) -> str:
    return one_line(str(ended.request.get("tool", "")), 80)


def _draw_consent(ended: RunEnd, _: Progress) -> None:
    request = ended.request
    server = f" ({one_line(str(request['server']), 60)})" if request.get("server") else ""
    text = Text(f"{_tool_name(ended)}{server}\n", "bold")
    if about := request.get("about"):
        text.append(f"{one_line(str(about), 300)}\n", "dim")
    for line in list_arguments(request.get("arguments", {})):
        text.append(f"  {line}\n", "not bold")
    text.rstrip()
    screen().print(text)


def _ask_consent(_ended: RunEnd, language: str) -> Any:
    while True:
        command, _, rest = read_line(label(language, "consent_prompt")).partition(" ")
        word = command.casefold()
        if word in _YES:
            return APPROVE
        if word in QUIT:
            return None
        if word in _NO:
            return {"reject": rest.strip() or "no"}


CONSENT: Final = RequestKind(
    answers="--approve or --reject WORDS",
    subject="the tool call",
    waits=lambda ended: f"the tool {_tool_name(ended)} waits for approval",
    fields=_consent_fields,
    draw=_draw_consent,
    converse=_ask_consent,
)
