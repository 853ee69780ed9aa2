"""Requests to a person: shown and asked about on a terminal, told on a pipe, printed as JSON.

What differs between a plan, a tool that acts and a question back is in the modules of that name.
"""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from rich.text import Text

from weiwo.app.cli.errors import INTERRUPTED, USAGE, WAITING, CommandError
from weiwo.app.cli.output import hint, say, terminal, write_json
from weiwo.app.render.progress import Progress
from weiwo.app.render.text_wrapping import Flow
from weiwo.app.session.run_end import RunEnd
from weiwo.tools.printable import printable

QUIT: Final = frozenset({"q", "quit", "exit", "退出"})
"""What a person types who would rather decide later."""


@dataclass(frozen=True)
class RequestKind:
    """A kind of request.

    Attributes:
        answers: The options of `weiwo resume` that answer it.
        subject: What an answer given as an option is about, as complaints name it.
        waits: What waits, in words.
        fields: What programs are told of it beside the thread: a part of the result's schema.
        draw: Shows it.
        converse: Asks about what is shown, in a language, until there is an answer to resume with; None if the person
            would rather decide later.
    """

    answers: str
    subject: str
    waits: Callable[[RunEnd], str]
    fields: Callable[[RunEnd], dict[str, Any]]
    draw: Callable[[RunEnd, Progress], None]
    converse: Callable[[RunEnd, str], Any]

    def how(self, ended: RunEnd) -> str:
        """The command that answers it."""
        return f"weiwo resume {ended.thread_id} {self.answers}"

    def as_json(self, ended: RunEnd) -> dict[str, Any]:
        """What waits, as one object; `$defs/waiting…` of the result's schema."""
        told = {"thread_id": ended.thread_id, "status": "waiting", "question": ended.request.get("question", "")}
        return {**told, **self.fields(ended), "how": self.how(ended)}

    def tell(self, ended: RunEnd, progress: Progress, *, as_object: bool, drawn: bool = False) -> int:
        """Say, where nobody can be asked, what waits and how to go on; returns the exit code."""
        if as_object:
            write_json(self.as_json(ended))
        elif not drawn:
            self.draw(ended, progress)
        say(f"{self.waits(ended)}; go on with: {self.how(ended)}")
        return WAITING

    def ask_person(self, ended: RunEnd, progress: Progress) -> Any:
        """Ask about what has been drawn.

        Returns:
            The answer to resume with; None if the person would rather decide later.

        Raises:
            CommandError: They stopped the command.
        """
        for complaint in ended.complaints:
            terminal().print(Flow(Text(f"! {complaint}", "red"), indent=2))
        with answering(f"stopped; {self.waits(ended)}; go on with: weiwo resume {ended.thread_id}"):
            return self.converse(ended, language_of(progress))
        return None

    def leave(self, ended: RunEnd) -> int:
        """The person decides later: say how; returns the exit code."""
        hint(f"{self.waits(ended)}; go on with: weiwo resume {ended.thread_id}")
        return WAITING

    def rejection_error(self, ended: RunEnd) -> CommandError:
        """The error for an answer given as an option that could not be taken."""
        complaints = "; ".join(ended.complaints)
        return CommandError(f"{self.subject}; {complaints}; the thread still waits; {self.how(ended)}", USAGE)


def language_of(progress: Progress) -> str:
    """The language of the question, as far as it is known."""
    return str(progress.assessed.get("language") or "en")


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


def read_line(prompt: str) -> str:
    """A line the person types, in which they can move about."""
    with contextlib.suppress(ImportError):
        import readline  # noqa: F401, PLC0415 - upon need
    try:
        return printable(input(prompt)).strip()
    except UnicodeDecodeError:
        return ""
