"""Commands whose text parameters are taken as they were typed, and whose help is a page of panels.

Typer has pydantic validate every parameter, a string included, which costs a light command more than its work. Numbers
that are typed are still read by Typer.
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
        """The value as it is, where that is what the parameter takes; else as Typer reads it."""
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
    """A command that imports no pydantic for text, defaults and flags."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for param in self.params:
            _take_as_typed(param)
        self._help_all: Any = None

    def get_params(self, ctx: Any) -> list[Any]:
        """The parameters; those of a command with a panel of more options have `--help-all`, too."""
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
    """The group that such commands belong to."""

    def get_help_option(self, ctx: Any) -> Any:
        """The `--help` flag."""
        option = super().get_help_option(ctx)
        _take_as_typed(option)
        return option

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help."""
        formatter.write(_render_help(ctx))


def _render_help(ctx: Any, *, whole: bool = False) -> str:
    """The help of a context's command; what draws it is imported when it is asked for."""
    return str(import_module("weiwo.app.cli.help_page").render_help(ctx.command, ctx, more=MORE, whole=whole))


def _print_all(ctx: Any, _: Any, given: Any) -> None:
    """Print the help with every option, and exit: what `--help-all` does."""
    if given and not ctx.resilient_parsing:
        write(_render_help(ctx, whole=True))
        ctx.exit()
