"""Commands with a help page of panels, and `--help-all` for the options that `--help` only names."""

from copy import copy
from importlib import import_module
from typing import Any, Final

from typer.core import TyperCommand, TyperGroup

from weiwo.app.cli.output import write

MORE: Final = "More"
"""The panel of options that `--help` only names. `--help-all` explains them."""


class PanelCommand(TyperCommand):
    """A command with a help page of panels."""

    _help_all: Any = None

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters. A command with a panel of more options also gets `--help-all`."""
        params: list[Any] = super().get_params(ctx)
        if not any(getattr(param, "rich_help_panel", None) == MORE for param in params):
            return params
        if self._help_all is None:  # one object, since parsing compares them
            option: Any = copy(self.get_help_option(ctx))
            option.opts, option.name, option.callback = ["--help-all"], "help_all", _print_all
            self._help_all = option
        return [*params, self._help_all]

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help."""
        formatter.write(_render_help(ctx))


class PanelGroup(TyperGroup):
    """A group of commands with a help page of panels."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help."""
        formatter.write(_render_help(ctx))


def _render_help(ctx: Any, *, whole: bool = False) -> str:
    """Return the help of a command. The renderer is only imported when help is asked for."""
    return str(import_module("weiwo.app.cli.help_page").render_help(ctx.command, ctx, more=MORE, whole=whole))


def _print_all(ctx: Any, _: Any, given: Any) -> None:
    """Print the help with every option, and exit. Implements `--help-all`."""
    if given and not ctx.resilient_parsing:
        write(_render_help(ctx, whole=True))
        ctx.exit()
