"""A vertex of a plan: a typed task bound to a tool, with references to values of tasks.

An argument refers to another task's value as `{{task_1.ret}}`, also inside a longer string. A task may run once per
item of an upstream list (`for_each`). In its arguments `{{item}}` stands for the item.
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
"""Name in place of a tool for a task without a tool call: a model analyses the results of the upstream tasks."""


def references(value: JsonValue) -> Iterator[str]:
    """Yield every task id referenced in a JSON value, in order of appearance, `item` included.

    `{"a": "{{task_1.ret}} and {{item}}"}` gives "task_1" and "item".
    """
    if isinstance(value, str):
        for match in REFERENCE.finditer(value):
            yield match[1]
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from references(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from references(inner)


def rename_references(value: JsonValue, names: Mapping[str, str], *, item: str = ITEM) -> JsonValue:
    """Return a JSON value with renamed references. A reference without a new name is kept.

    With the names `{"task_1": "task_9"}`, `"{{task_1.ret}}"` becomes `"{{task_9.ret}}"`.

    Args:
        value: The value.
        names: The new names by old name.
        item: The new name of the current item.
    """
    if isinstance(value, str):
        return REFERENCE.sub(lambda m: _reference(item if m[1] == ITEM else names.get(m[1], m[1])), value)
    if isinstance(value, Mapping):
        return {key: rename_references(inner, names, item=item) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [rename_references(inner, names, item=item) for inner in value]
    return value


def _reference(name: str) -> str:
    return f"{{{{{name}}}}}" if name == ITEM else f"{{{{{name}.ret}}}}"


class Alternative(Value):
    """An alternative call for a task, with another tool or other arguments.

    Attributes:
        tool: The tool.
        args: The arguments. They refer only to tasks that the original call refers to.
    """

    tool: str
    args: dict[str, JsonValue] = Field(default_factory=dict)


class Task(Value):
    """A vertex of a plan.

    Attributes:
        id: Name of the task within the plan.
        description: The information to find, as one question or instruction.
        tool: The tool bound to the task.
        args: The tool's arguments. Strings may hold references.
        ret: The type of the value.
        for_each: A reference to a list. The task runs once per item.
        thought: The planner's reason for the task, in one line. Not part of the task's identity.
        parent: The task with the finding that raised this task. Empty if the question itself raised it, or if the
            parent follows from the dependencies. Not part of the task's identity.
        is_answer: Whether the value of the task answers the question as it is. Not part of the task's identity.
        alternative: The first attempt of local repair if the task gives no value. Not part of the task's identity.
        frame: The parsed description. Not part of the task's identity. None in plans that were read from a file.
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
        """Return the ids of the referenced tasks, in order, `item` excluded."""
        named = [*references(self.for_each), *references(self.args), *references(self.description)]
        return tuple(dict.fromkeys(name for name in named if name != ITEM))

    @property
    def second_way(self) -> "Task | None":
        """Return this task with the alternative call in place of its own call, or None without an alternative."""
        if (other := self.alternative) is None:
            return None
        return self.model_copy(update={"tool": other.tool, "args": other.args, "alternative": None})

    @property
    def value_type(self) -> ValueType:
        """Return the value type seen by dependents: `ret`, or for a `for_each` task a list of `ret`.

        A `for_each` task with the type "number" gives "list[number]". A type that is a list already stays as it is.
        """
        if self.for_each is None or self.ret.startswith("list["):
            return self.ret
        listed = f"list[{self.ret}]"
        return next((type_ for type_ in VALUE_TYPES if type_ == listed), "list[text]")

    def referring(self, names: Mapping[str, str]) -> "Task":
        """Return this task with the references and the parent renamed, including those of the alternative call.

        Args:
            names: The new ids by old id. An id that is missing is kept.
        """
        parent = names.get(self.parent, self.parent)
        if not any(name in names for name in self.references):
            return self if parent == self.parent else self.model_copy(update={"parent": parent})
        args = {name: rename_references(value, names) for name, value in self.args.items()}
        texts = {
            "description": rename_references(self.description, names),
            "for_each": rename_references(self.for_each, names),
        }
        if other := self.alternative:
            second = {name: rename_references(value, names) for name, value in other.args.items()}
            texts["alternative"] = other.model_copy(update={"args": second})  # type: ignore[assignment]
        return self.model_copy(update={"args": args, "parent": parent, **texts})

    def key(self, upstream: Mapping[str, str]) -> str:
        """Return the identity key of the task: a hash of tool, arguments, type and description, without task ids.

        Args:
            upstream: The keys of the tasks it refers to, by id, so that a key covers everything the task depends on.
        """
        names = {name: upstream.get(name, name) for name in self.references}  # also unifies the spelling of references
        asked = self.referring(names)
        content = [asked.tool, asked.args, asked.ret, asked.for_each, asked.description]
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]
