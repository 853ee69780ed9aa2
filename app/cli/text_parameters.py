"""Commands whose text parameters are taken as they were typed.

Typer has pydantic validate every parameter, a string included, which costs a light command more than its work. Numbers
that are typed are still read by Typer.
"""

from typing import Any

from typer.core import TyperCommand, TyperGroup

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

    def get_help_option(self, ctx: Any) -> Any:
        """The `--help` flag."""
        option = super().get_help_option(ctx)
        _take_as_typed(option)
        return option


class TextGroup(TyperGroup):
    """The group that such commands belong to."""

    def get_help_option(self, ctx: Any) -> Any:
        """The `--help` flag."""
        option = super().get_help_option(ctx)
        _take_as_typed(option)
        return option
