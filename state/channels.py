"""Validating channels. A write to the state has the declared type or is rejected with the field named.

Nodes write values. A server's clients and `update_state` write JSON, as Studio shows it. A validating channel accepts
both, so that no node ever meets a bare dict.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from langgraph.channels import BinaryOperatorAggregate, LastValue
from langgraph.errors import InvalidUpdateError
from langgraph.types import Overwrite
from pydantic import TypeAdapter, ValidationError

from weiwo.state.errors import WeiwoError

_OVERWRITE = "__overwrite__"
"""How LangGraph writes an `Overwrite` in JSON: `{"__overwrite__": value}`, or `{"type": "__overwrite__", …}`."""


class StateUpdateError(WeiwoError, InvalidUpdateError):
    """Error for writing a value of the wrong type to the state.

    The message names the field, in one line.
    """


class ValidatedValue(LastValue[Any]):
    """A channel keeping the last value, validated."""

    __slots__ = ()

    def update(self, values: Sequence[Any]) -> bool:
        """Accept at most one value per step, and report whether there was one.

        Raises:
            StateUpdateError: The value is not of the channel's type.
        """
        return super().update([validate_update(self.key, self.typ, value) for value in values])


class ValidatedReducer(BinaryOperatorAggregate[Any]):
    """A channel merging the values of a step with a reducer. Each value, or overwrite, is validated."""

    __slots__ = ()

    def update(self, values: Sequence[Any]) -> bool:
        """Merge the values of a step, and report whether there were any.

        Raises:
            StateUpdateError: A value is not of the channel's type.
        """
        return super().update([self._validate(value) for value in values])

    def _validate(self, value: Any) -> Any:
        if isinstance(value, Overwrite):
            return Overwrite(validate_update(self.key, self.typ, value.value))
        if isinstance(value, Mapping) and (value.keys() == {_OVERWRITE} or value.get("type") == _OVERWRITE):
            return Overwrite(validate_update(self.key, self.typ, value.get(_OVERWRITE, value.get("value"))))
        return validate_update(self.key, self.typ, value)


def reduce_by(typ: Any, reducer: Callable[[Any, Any], Any]) -> ValidatedReducer:
    """Return the annotation of a state field with values validated and merged by a reducer."""
    return ValidatedReducer(typ, reducer)


def validate_update(key: str, typ: Any, value: Any) -> Any:
    """Return a value of the declared type, from an instance or from JSON.

    For the type `Usage`, both `Usage(tool_calls=1)` and `{"tool_calls": 1}` give `Usage(tool_calls=1)`.

    Args:
        key: The field of the state, for the message.
        typ: The type of the field.
        value: The value to write.

    Raises:
        StateUpdateError: The value is neither an instance nor the JSON form of the type.
    """
    try:
        return _adapter(typ).validate_python(value)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        field = ".".join([key, *(str(part) for part in first["loc"])])
        given = str(first.get("input"))[:60]
        raise StateUpdateError(f"{field}: {first['msg']}, got {given!r}; correct it and send it again") from None


@cache
def _adapter(typ: Any) -> TypeAdapter[Any]:
    return TypeAdapter(typ)
