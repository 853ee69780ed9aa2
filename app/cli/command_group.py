"""The group of all commands: each is built when it is named, since building all takes longer than a light one runs."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any, ClassVar, Final

from typer.main import get_group

from weiwo.app.cli.errors import UsageError
from weiwo.app.cli.text_parameters import TextGroup

_DECLARED_IN: Final = {
    "questions.commands.questions": ("ask", "resume", "feedback"),
    "threads.commands.threads": ("threads", "show"),
    "setup.commands.setups": ("trust", "setup", "doctor", "tools", "mcp"),
    "serving.commands.serving": ("serve",),
    "documents.commands.documents": ("index", "corpora", "search"),
    "documents.telemetry.telemetries": ("telemetry",),
    "memory.commands.memories": ("procedures", "plans", "memory"),
    "evaluation.commands.evaluation": ("eval",),
}
"""Where commands are declared, with their names in the order in which help lists them."""

_REMOVED: Final = {
    "watch": "standing questions are asked no more; have cron run weiwo ask --fresh --json; weiwo memory lists yours",
}
"""Commands of earlier versions, with what to do instead."""


class _LazyCommands(Mapping[str, Any]):
    """Commands by name, each imported when it is asked for."""

    def __init__(self, declared: Mapping[str, tuple[str, ...]]) -> None:
        self._module_of = {name: module for module, names in declared.items() for name in names}

    def __getitem__(self, name: str) -> Any:
        module, _, declared = self._module_of[name].rpartition(".")
        return get_group(getattr(import_module(f"weiwo.app.cli.{module}"), declared)).commands[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._module_of)

    def __len__(self) -> int:
        return len(self._module_of)


class LazyGroup(TextGroup):
    """A group whose commands are imported when they are named.

    Attributes:
        declared_in: Where commands are declared, as module and Typer below this package, with their names.
        removed: Commands of earlier versions, with what to do instead.
    """

    declared_in: ClassVar[Mapping[str, tuple[str, ...]]]
    removed: ClassVar[Mapping[str, str]] = {}

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**{**attributes, "commands": _LazyCommands(self.declared_in)})

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that is named.

        Raises:
            UsageError: It was a command of an earlier version.
        """
        if args and args[0] in self.removed:
            raise UsageError(f"{ctx.command_path} {args[0]}; {self.removed[args[0]]}")
        return super().resolve_command(ctx, args)


class CommandGroup(LazyGroup):
    """The `weiwo` command itself."""

    declared_in = _DECLARED_IN
    removed = _REMOVED
