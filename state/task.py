"""One vertex of a plan: a typed task bound to a tool, and the references by which it names the values of others.

An argument refers to another task's value as `{{task_1.ret}}`, also inside a longer string. A task may
run once per item of an upstream list (`for_each`), in whose arguments `{{item}}` stands for the item.
"""

import re
from collections.abc import Iterator, Mapping

from pydantic import Field

from state.values import VALUE_TYPES, JsonValue, Value, ValueType

REFERENCE = re.compile(r"\{\{\s*([^{}\s.]+)(?:\.ret)?\s*\}\}")
ITEM = "item"
"""The reference name that stands for the current item inside a `for_each` task."""


def references(value: JsonValue) -> Iterator[str]:
    """Every task id that a JSON value refers to, in order of appearance, `item` included."""
    if isinstance(value, str):
        for match in REFERENCE.finditer(value):
            yield match[1]
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from references(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from references(inner)


class Task(Value):
    """One vertex of a plan.

    Attributes:
        id: Its name within the plan.
        description: What is to be found out, as one question or instruction.
        tool: The tool it is bound to.
        args: The tool's arguments; strings may hold references.
        ret: The type of its value.
        for_each: A reference to a list; the task runs once per item.
    """

    id: str
    description: str
    tool: str
    args: dict[str, JsonValue] = Field(default_factory=dict)
    ret: ValueType = "text"
    for_each: str | None = None

    @property
    def references(self) -> tuple[str, ...]:
        """Ids of the tasks whose values it uses, in order, `item` excluded."""
        named = [*references(self.for_each), *references(self.args), *references(self.description)]
        return tuple(dict.fromkeys(name for name in named if name != ITEM))

    @property
    def value_type(self) -> ValueType:
        """The type others receive: for a `for_each` task the list of what its instances return."""
        if self.for_each is None or self.ret.startswith("list["):
            return self.ret
        listed = f"list[{self.ret}]"
        return next((type_ for type_ in VALUE_TYPES if type_ == listed), "list[text]")
