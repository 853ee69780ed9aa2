"""Commands with text parameters taken as typed, and with a help page of panels.

Typer has pydantic validate every parameter, a string included, which costs a light command more than its work. Numbers
are still parsed by Typer.
"""

from copy import copy
from importlib import import_module
from typing import Any, Final

from typer.core import TyperCommand, TyperGroup

from weiwo.app.cli.output import write

MORE: Final = "More"
"""The panel of options that `--help` names and `--help-all` explains."""
_KINDS: dict[Any, type] = {str: str, str | None: str, list[str]: list, list[str] | None: list}


class _AsTyped:
    """Typer's interface for reading a parameter's value."""

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the value unchanged if the parameter accepts the type, else parse the value with Typer."""
        kind = _KINDS.get(param.type_descriptor.annotation)
        if value is None or kind is str or not isinstance(value, str | tuple | list):
            return value
        if kind is list:
            return list(value)
        param._runtime_param = None  # noqa: SLF001 - Typer makes it when it is asked for
        return param.get_runtime_param().coerce(value, param=param, ctx=ctx)


def _take_as_typed(param: Any) -> None:
    if hasattr(param, "get_runtime_param"):  # else another version of Typer, to which this means nothing
        param._runtime_param = _AsTyped()  # noqa: SLF001 - the same


class TextCommand(TyperCommand):
    """A command without pydantic imports for text, defaults and flags."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for param in self.params:
            _take_as_typed(param)
        self._help_all: Any = None

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, with `--help-all` for a command with a panel of more options."""
        params: list[Any] = super().get_params(ctx)
        if not any(getattr(param, "rich_help_panel", None) == MORE for param in params):
            return params
        if self._help_all is None:  # one object, since parsing compares them
            option = self._help_all = copy(self.get_help_option(ctx))
            option.opts, option.name, option.callback = ["--help-all"], "help_all", _print_all
        return [*params, self._help_all]

    def get_help_option(self, ctx: Any) -> Any:
        """The `--help` flag."""
        option = super().get_help_option(ctx)
        _take_as_typed(option)
        return option

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help."""
        formatter.write(_render_help(ctx))


class TextGroup(TyperGroup):
    """A group of text commands."""

    def get_help_option(self, ctx: Any) -> Any:
        """The `--help` flag."""
        option = super().get_help_option(ctx)
        _take_as_typed(option)
        return option

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help."""
        formatter.write(_render_help(ctx))


def _render_help(ctx: Any, *, whole: bool = False) -> str:
    """Render the help of a context's command. The renderer is imported on demand."""
    return str(import_module("weiwo.app.cli.help_page").render_help(ctx.command, ctx, more=MORE, whole=whole))


def _print_all(ctx: Any, _: Any, given: Any) -> None:
    """Print the help with every option, and exit. Implements `--help-all`."""
    if given and not ctx.resilient_parsing:
        write(_render_help(ctx, whole=True))
        ctx.exit()
