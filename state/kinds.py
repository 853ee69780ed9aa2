"""The kinds of things in the state, each a closed set of words: types of values, languages, kinds of failure.

A task's return type is what makes an answer usable by the next task: a number
can be computed with, a list can be iterated. In data a date is an ISO-like
string whose year is negative before our era ("-156", "-100-07-12", "1969-07").

Apart from the values, since commands that only look need these words and no pydantic.
"""

from typing import Final, Literal, get_args

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
AGENTS: Final = ("master", "planner", "executor", "reflection", "writer")
ROLES: Final = (*AGENTS, "verifier")
"""Roles that a chat model can be chosen for."""

VALUE_TYPES: tuple[ValueType, ...] = get_args(ValueType)

Language = Literal["en", "zh"]
"""The languages Weiwo reads and answers in."""

DecidedBy = Literal["model", "rule"]
"""Who made a judgement: a chat model, or a rule. Always visible in the trace."""

PlannedBy = Literal["model", "rule", "memory"]
"""Who made a plan: a model, a rule, or memory, which filled the plan of an earlier question of the same wording."""

FailureKind = Literal[
    "timeout",
    "rate_limit",
    "auth",
    "not_found",
    "bad_arguments",
    "empty",
    "blocked",
    "refused",
    "oversized",
    "crash",
    "limit",
    "incomplete",
    "inconsistent",
    "slow",
]
"""What went wrong with a task, a tool or a provider."""

_LIST_PREFIX = "list["


def item_type(type_: ValueType) -> ValueType:
    """The type of one item of a list type; a type that is no list is its own item.

    A list of passages is iterated passage by passage, each handed on as text.
    """
    if type_ == "passages":
        return "text"
    if type_.startswith(_LIST_PREFIX):
        return type_[len(_LIST_PREFIX) : -1]  # type: ignore[return-value]
    return type_
