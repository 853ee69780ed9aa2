"""The group of all commands: each is built when it is named, since building all takes longer than a light one runs."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any, Final

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

_MODULE_OF: Final = {name: module for module, names in _DECLARED_IN.items() for name in names}

_REMOVED: Final = {
    "watch": "standing questions are asked no more; have cron run weiwo ask --fresh --json; weiwo memory lists yours",
}
"""Commands of earlier versions, with what to do instead."""


class _Commands(Mapping[str, Any]):
    """The commands by name."""

    def __getitem__(self, name: str) -> Any:
        module, _, declared = _MODULE_OF[name].rpartition(".")
        return get_group(getattr(import_module(f"weiwo.app.cli.{module}"), declared)).commands[name]

    def __iter__(self) -> Iterator[str]:
        return iter(_MODULE_OF)

    def __len__(self) -> int:
        return len(_MODULE_OF)


class CommandGroup(TextGroup):
    """The `weiwo` command itself."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**{**attributes, "commands": _Commands()})

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that is named.

        Raises:
            UsageError: It was a command of an earlier version.
        """
        if args and args[0] in _REMOVED:
            raise UsageError(f"weiwo {args[0]}; {_REMOVED[args[0]]}")
        return super().resolve_command(ctx, args)
