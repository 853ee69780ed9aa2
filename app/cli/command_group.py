"""The group of all commands, each in a module of its own that is imported when the command is named.

Importing all takes longer than a light one runs, so that help lists them from the table here.
"""

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from importlib import import_module
from typing import Any, ClassVar, Final, NamedTuple

from typer.core import TyperCommand
from typer.main import get_group

from weiwo.app.cli.errors import UsageError
from weiwo.app.cli.output import say
from weiwo.app.cli.text_parameters import TextGroup


class Place(NamedTuple):
    """The module that declares a command on its `app`, the command's line in the list, and the panel that holds it."""

    module: str
    help: str
    panel: str | None = None

    def load(self) -> Any:
        """The group of that one command."""
        return get_group(import_module(f"weiwo.app.cli.{self.module}").app)


_DEVELOPERS: Final = "For developers"
_COMMANDS: Final = {
    "ask": Place("questions.ask", "Ask a question; each claim of the answer leads to its source."),
    "search": Place("documents.search", "Search the documents: retrieval only, no plan, no answer."),
    "index": Place("documents.index", "Index documents; a second run reads only what has changed."),
    "serve": Place("serve", "Serve the page, LangGraph's API, and OpenAI's, on this machine."),
    "setup": Place("setup.setup", "Find a model (Ollama, vLLM, keys, …), try it and set it up."),
    "doctor": Place("setup.doctor", "Tell what is set up, what is missing, and what it would add."),
    "show": Place("threads.show", "Show a thread: question, plan, outcomes, answer, cost."),
    "resume": Place("questions.resume", "Finish what was interrupted or waits for a person."),
    "check": Place("questions.check", "Check an answer with its proof again (ask -o answer.weiwo)."),
    "refresh": Place("threads.refresh", "Look answers up again where their sources changed (for cron)."),
    "threads": Place("threads.thread_list", "List threads, the one that changed last first; remove some."),
    "memory": Place("memory.wishes", "What is remembered: wishes, answers, plans, procedures."),
    "corpus": Place("documents.corpus", "List the corpora with their sizes and ages; remove one."),
    "tools": Place("tools", "List tools and MCP servers, their health, use and failures."),
    "mcp": Place("mcp", "Serve Weiwo as an MCP server: ask, search and read_document."),
    "eval": Place("evaluation.commands", "Measure over labelled sets.", _DEVELOPERS),
    "stats": Place("documents.stats", "Summarize retrievals and spending, kept on this machine.", _DEVELOPERS),
    "feedback": Place("questions.feedback", "Say whether an answer was good; kept on this machine.", _DEVELOPERS),
    "trust": Place("setup.trust", "Show what this folder's .env would do, and use it from now on.", _DEVELOPERS),
}
"""The commands in the order in which help lists them."""
_RENAMED: Final = {
    "corpora": ("corpus",),
    "telemetry": ("stats",),
    "plans": ("memory", "plans"),
    "procedures": ("memory", "procedures"),
}
"""Commands by their former names."""
_RENAMED_OPTIONS: Final[dict[str, dict[str, str]]] = {
    "search": {"-k": "-n"},
    "index": {"--name": "--corpus"},
    "threads": {"--limit": "-n"},
    "feedback": {"--words": "--note"},
}
"""By command, options by their former names."""
_REMOVED: Final = {
    "watch": "standing questions are asked no more; have cron run weiwo ask --fresh --json; weiwo memory lists yours",
}
"""Commands of earlier versions, with what to do instead."""
_ALIKE: Final = 0.8
"""How much like a command's name the first of several words is when it was meant to be one."""


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
        renamed_options: By command, options by their former names.
    """

    places: ClassVar[Mapping[str, Place]]
    removed: ClassVar[Mapping[str, str]] = {}
    renamed_options: ClassVar[Mapping[str, Mapping[str, str]]] = {}

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**{**attributes, "commands": _LazyCommands(self.places)})

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002 - as inherited
        """The names, in the order of the table."""
        return list(self.places)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002 - as inherited
        """A command as the list of commands shows it."""
        place = self.places.get(cmd_name)
        return place and TyperCommand(cmd_name, help=place.help, rich_help_panel=place.panel)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that is named, and what is left for it.

        Raises:
            UsageError: It was a command of an earlier version.
        """
        if args and args[0] in self.removed:
            raise UsageError(f"{ctx.command_path} {args[0]}; {self.removed[args[0]]}")
        name, _, rest = super().resolve_command(ctx, args)
        former = self.renamed_options.get(str(name), {})
        return name, self.commands[str(name)], [_rename_option(word, former) for word in rest]


def _rename_option(word: str, former: Mapping[str, str]) -> str:
    """An option by its name of today, which is told where an earlier one was typed."""
    option = word.partition("=")[0] if word.startswith("--") else word[:2]
    if option not in former:
        return word
    say(f"{option} is now {former[option]}")
    return former[option] + word.removeprefix(option)


class CommandGroup(LazyGroup):
    """The `weiwo` command itself: words that name no command are a question."""

    places = _COMMANDS
    removed = _REMOVED
    renamed_options = _RENAMED_OPTIONS

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments; `ask` is added where a question or its options stand alone."""
        own = {name for param in self.get_params(ctx) for name in param.opts}
        if args and args[0] not in own and self.is_question(args):
            args = ["ask", *args]
        elif args and args[0] in _RENAMED:
            now = _RENAMED[args[0]]
            say(f"weiwo {args[0]} is now weiwo {' '.join(now)}")
            args = [*now, *args[1:]]
        return super().parse_args(ctx, args)

    def is_question(self, args: list[str]) -> bool:
        """Whether the first word is an option of `ask`, or no command, no earlier one and no misspelt one."""
        first = args[0]
        if first.startswith("-"):
            return True
        if first in self.places or first in _RENAMED or first in self.removed:
            return False
        if len(first.split()) > 1 or not first.isascii():
            return True
        alike = get_close_matches(first, [name for name in self.places if name[0] == first[:1]], 1, _ALIKE)
        return len(args) > 1 and not args[1].startswith("-") and not alike
