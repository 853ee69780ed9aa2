"""The types a task may return, and the base of every value in the state.

A task's return type is what makes an answer usable by the next task: a number
can be computed with, a list can be iterated. In data a date is an ISO-like
string whose year is negative before our era ("-156", "-100-07-12", "1969-07").
"""

from typing import Literal, get_args

from pydantic import BaseModel, ConfigDict, JsonValue

ValueType = Literal[
    "text",
    "number",
    "date",
    "boolean",
    "list[text]",
    "list[number]",
    "list[date]",
    "list[boolean]",
    "passages",
]
VALUE_TYPES: tuple[ValueType, ...] = get_args(ValueType)

Language = Literal["en", "zh"]
"""The languages Weiwo reads and answers in."""

DecidedBy = Literal["model", "rule"]
"""Who made a judgement: a chat model, or a rule. Always visible in the trace."""

PlannedBy = Literal["model", "rule", "memory"]
"""Who made a plan: a model, a rule, or memory, which filled the plan of an earlier question of the same wording."""

LIST_PREFIX = "list["


def item_type(type_: ValueType) -> ValueType:
    """The type of one item of a list type; a type that is no list is its own item.

    A list of passages is iterated passage by passage, each handed on as text.
    """
    if type_ == "passages":
        return "text"
    if type_.startswith(LIST_PREFIX):
        return type_[len(LIST_PREFIX) : -1]  # type: ignore[return-value]
    return type_


class Value(BaseModel):
    """Base of everything that flows through the state: frozen, and strict about unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


__all__ = ["VALUE_TYPES", "DecidedBy", "JsonValue", "Language", "PlannedBy", "Value", "ValueType", "item_type"]
