"""The group of all commands, each in a module of its own that is imported when the command is named.

Importing all takes longer than a light one runs, so that help lists them from the table here.
"""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any, ClassVar, Final, NamedTuple

from typer.core import TyperCommand
from typer.main import get_group

from weiwo.app.cli.errors import UsageError
from weiwo.app.cli.text_parameters import TextGroup


class Place(NamedTuple):
    """The module that declares a command on its `app`, and the command's line in the list."""

    module: str
    help: str

    def load(self) -> Any:
        """The group of that one command."""
        return get_group(import_module(f"weiwo.app.cli.{self.module}").app)


_COMMANDS: Final = {
    "ask": Place("questions.ask", "Ask a question; get an answer whose every claim leads to its source."),
    "resume": Place(
        "questions.resume",
        "Finish what was interrupted or waits for a person; nothing that had finished runs again.",
    ),
    "feedback": Place(
        "questions.feedback",
        "Say whether an answer was good; kept on this machine, and sent to LangSmith where that is set up.",
    ),
    "threads": Place("threads.thread_list", "List threads, the one that changed last first."),
    "show": Place("threads.show", "Show a thread: question, plan and outcomes, answer, what it cost."),
    "trust": Place("setup.trust", "Show what settings of this folder's .env would do, and use them from now on."),
    "setup": Place(
        "setup.setup",
        "Find a model (Ollama, LM Studio, llama.cpp, vLLM, keys), try it with one question, and set it up.",
    ),
    "doctor": Place("setup.doctor", "Tell what is set up, what is missing, and what it would add."),
    "tools": Place(
        "tools",
        "List the tools there are, MCP servers and their health, which may act, and how often each was used and"
        " failed.",
    ),
    "mcp": Place("mcp", "Serve Weiwo as an MCP server: the tools ask, search and read_document."),
    "serve": Place("serve", "Serve the page, LangGraph's API, and OpenAI's, on this machine."),
    "index": Place("documents.index", "Index documents; a second run reads only what has changed."),
    "corpora": Place("documents.corpora", "List the corpora with their sizes and ages."),
    "search": Place("documents.search", "Search the documents: retrieval only, no plan, no answer."),
    "telemetry": Place(
        "documents.telemetry",
        "Summarize retrievals and spending; kept on this machine only, and not at all with WEIWO_TELEMETRY=off.",
    ),
    "procedures": Place(
        "memory.procedures", "List the procedures that plans are made by, or those that a question calls for."
    ),
    "plans": Place("memory.plans", "List, show, pin and forget the plans that are remembered."),
    "memory": Place("memory.wishes", "List, add and forget what you said holds for all your questions."),
    "eval": Place("evaluation.commands", "Measure over labelled sets."),
}
"""The commands in the order in which help lists them."""
_REMOVED: Final = {
    "watch": "standing questions are asked no more; have cron run weiwo ask --fresh --json; weiwo memory lists yours",
}
"""Commands of earlier versions, with what to do instead."""


class _LazyCommands(Mapping[str, Any]):
    """Commands by name, each imported when it is asked for."""

    def __init__(self, places: Mapping[str, Place]) -> None:
        self._places = places

    def __getitem__(self, name: str) -> Any:
        return self._places[name].load().commands[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


class LazyGroup(TextGroup):
    """A group whose commands are imported when they are named.

    Attributes:
        places: Where they are declared, by name, in the order in which help lists them.
        removed: Commands of earlier versions, with what to do instead.
    """

    places: ClassVar[Mapping[str, Place]]
    removed: ClassVar[Mapping[str, str]] = {}

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**{**attributes, "commands": _LazyCommands(self.places)})

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002 - as inherited
        """The names, in the order of the table."""
        return list(self.places)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002 - as inherited
        """A command as the list of commands shows it."""
        place = self.places.get(cmd_name)
        return place and TyperCommand(cmd_name, help=place.help)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that is named, and what is left for it.

        Raises:
            UsageError: It was a command of an earlier version.
        """
        if args and args[0] in self.removed:
            raise UsageError(f"{ctx.command_path} {args[0]}; {self.removed[args[0]]}")
        name, _, rest = super().resolve_command(ctx, args)
        return name, self.commands[str(name)], rest


class CommandGroup(LazyGroup):
    """The `weiwo` command itself."""

    places = _COMMANDS
    removed = _REMOVED
