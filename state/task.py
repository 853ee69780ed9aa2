"""One vertex of a plan: a typed task bound to a tool, and the references by which it names the values of others.

An argument refers to another task's value as `{{task_1.ret}}`, also inside a longer string. A task may
run once per item of an upstream list (`for_each`), in whose arguments `{{item}}` stands for the item.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping

from pydantic import Field

from weiwo.state.kinds import VALUE_TYPES, ValueType
from weiwo.state.query import QueryFrame
from weiwo.state.values import JsonValue, Value

REFERENCE = re.compile(r"\{\{\s*([^{}\s.]+)(?:\.ret)?\s*\}\}")
ITEM = "item"
"""The reference name that stands for the current item inside a `for_each` task."""


ANALYSE = "analyse"
"""What a task is bound to that calls no tool: a model works over what the tasks upstream found."""


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


def renamed(value: JsonValue, names: Mapping[str, str], *, item: str = ITEM) -> JsonValue:
    """A JSON value whose references go by other names; a reference without another name keeps its own.

    Args:
        value: The value.
        names: The other names.
        item: What the current item goes by.
    """
    if isinstance(value, str):
        return REFERENCE.sub(lambda m: _reference(item if m[1] == ITEM else names.get(m[1], m[1])), value)
    if isinstance(value, Mapping):
        return {key: renamed(inner, names, item=item) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [renamed(inner, names, item=item) for inner in value]
    return value


def _reference(name: str) -> str:
    return f"{{{{{name}}}}}" if name == ITEM else f"{{{{{name}.ret}}}}"


class Alternative(Value):
    """A second way to what a task is for: another tool, or another call of its own.

    Attributes:
        tool: The tool.
        args: Its arguments; they refer to no task that the first way does not refer to.
    """

    tool: str
    args: dict[str, JsonValue] = Field(default_factory=dict)


class Task(Value):
    """One vertex of a plan.

    Attributes:
        id: Its name within the plan.
        description: What is to be found out, as one question or instruction.
        tool: The tool it is bound to.
        args: The tool's arguments; strings may hold references.
        ret: The type of its value.
        for_each: A reference to a list; the task runs once per item.
        thought: Why the planner wants it, in one line; no part of the task's identity.
        parent: The task whose finding raised it; empty where the question itself did, or what it builds on tells. No
            part of the task's identity.
        is_answer: Whether the question is answered by telling what it finds, as it is; no part of the task's identity.
        alternative: What local repair does first where the task comes to nothing; no part of the task's identity.
        frame: The parsed description; no part of the task's identity. None in plans that were read from a file.
    """

    id: str
    description: str
    tool: str
    args: dict[str, JsonValue] = Field(default_factory=dict)
    ret: ValueType = "text"
    for_each: str | None = None
    thought: str = ""
    parent: str = ""
    is_answer: bool = False
    alternative: Alternative | None = Field(None, exclude_if=lambda value: value is None)
    frame: QueryFrame | None = None

    @property
    def references(self) -> tuple[str, ...]:
        """Ids of the tasks whose values it uses, in order, `item` excluded."""
        named = [*references(self.for_each), *references(self.args), *references(self.description)]
        return tuple(dict.fromkeys(name for name in named if name != ITEM))

    @property
    def second_way(self) -> "Task | None":
        """The task as its alternative does it; None where it has none."""
        if (other := self.alternative) is None:
            return None
        return self.model_copy(update={"tool": other.tool, "args": other.args, "alternative": None})

    @property
    def value_type(self) -> ValueType:
        """The type others receive: for a `for_each` task the list of what its instances return."""
        if self.for_each is None or self.ret.startswith("list["):
            return self.ret
        listed = f"list[{self.ret}]"
        return next((type_ for type_ in VALUE_TYPES if type_ == listed), "list[text]")

    def referring(self, names: Mapping[str, str]) -> "Task":
        """This task with its references and its parent under other names; those without one stay as they are."""
        parent = names.get(self.parent, self.parent)
        if not any(name in names for name in self.references):
            return self if parent == self.parent else self.model_copy(update={"parent": parent})
        args = {name: renamed(value, names) for name, value in self.args.items()}
        texts = {"description": renamed(self.description, names), "for_each": renamed(self.for_each, names)}
        if other := self.alternative:
            second = {name: renamed(value, names) for name, value in other.args.items()}
            texts["alternative"] = other.model_copy(update={"args": second})  # type: ignore[assignment]
        return self.model_copy(update={"args": args, "parent": parent, **texts})

    def key(self, upstream: Mapping[str, str]) -> str:
        """The identity of a task: what it asks, whatever it is called.

        Args:
            upstream: The keys of the tasks it refers to, by id; so a key covers all that the task builds on.
        """
        names = {name: upstream.get(name, name) for name in self.references}  # each in the one spelling
        asked = self.referring(names)
        content = [asked.tool, asked.args, asked.ret, asked.for_each, asked.description]
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]
