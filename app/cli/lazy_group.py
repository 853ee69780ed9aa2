"""Command groups with lazy imports, because importing all commands takes longer than a light command."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any, ClassVar, NamedTuple

from typer.core import TyperCommand
from typer.main import get_group

from weiwo.app.cli.errors import UsageError
from weiwo.app.cli.help_command import PanelGroup
from weiwo.app.cli.output import say


class CommandEntry(NamedTuple):
    """A command that is not imported yet: its module, its line in the help, and its panel there.

    The module declares the command on a `typer.Typer` named `app`.
    """

    module: str
    help: str
    panel: str | None = None

    def load(self) -> Any:
        """Import the module, and return the command group that it declares."""
        return get_group(import_module(self.module).app)


class _LazyCommands(Mapping[str, Any]):
    """Commands by name, each imported on access."""

    def __init__(self, places: Mapping[str, CommandEntry]) -> None:
        self._places = places

    def __getitem__(self, name: str) -> Any:
        return self._places[name].load().commands[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


class LazyGroup(PanelGroup):
    """A command group with lazy imports of the commands.

    Attributes:
        places: The modules that declare the commands, by name, in the order of the help page.
        removed: Commands of earlier versions, with what to do instead.
        renamed_options: By command, options by their former names.
    """

    places: ClassVar[Mapping[str, CommandEntry]]
    removed: ClassVar[Mapping[str, str]] = {}
    renamed_options: ClassVar[Mapping[str, Mapping[str, str]]] = {}

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**{**attributes, "commands": _LazyCommands(self.places)})

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002 - as inherited
        """List the names, in the order of the table."""
        return list(self.places)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002 - as inherited
        """Return a placeholder command for the list of commands, without importing the module."""
        place = self.places.get(cmd_name)
        return place and TyperCommand(cmd_name, help=place.help, rich_help_panel=place.panel)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Resolve the named command and the remaining arguments.

        Raises:
            UsageError: It was a command of an earlier version.
        """
        if args and args[0] in self.removed:
            raise UsageError(f"{ctx.command_path} {args[0]} was removed; {self.removed[args[0]]}")
        name, _, rest = super().resolve_command(ctx, args)
        former = self.renamed_options.get(str(name), {})
        return name, self.commands[str(name)], [_rename_option(word, former) for word in rest]


def _rename_option(word: str, former: Mapping[str, str]) -> str:
    """Replace an option's former name by its present name, and print a note.

    With `{"-k": "-n"}`, "-k5" becomes "-n5". Other words stay as they are.
    """
    option = word.partition("=")[0] if word.startswith("--") else word[:2]
    if option not in former:
        return word
    say(f"{option} is now {former[option]}")
    return former[option] + word.removeprefix(option)
