"""The plan: a directed acyclic graph of typed tasks bound to tools.

The interchange form is the one of the AI Search Paradigm (arXiv 2506.17188,
section 4): `vertices` of `{id, description, tool_binding, args, ret}` and `edges`
of `[from, to]`. An argument refers to another task's value as `{{task_1.ret}}`,
also inside a longer string. Here `ret` names a type, and a task may run once per
item of an upstream list (`for_each`), in whose arguments `{{item}}` stands for the item.

This module knows the form only; whether a plan fits the tools at hand is for the
validator (`nodes.plan_check`).
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from typing import Any

from pydantic import Field

from state.values import VALUE_TYPES, DecidedBy, JsonValue, Value, ValueType

REFERENCE = re.compile(r"\{\{\s*([^{}\s.]+)(?:\.ret)?\s*\}\}")
ITEM = "item"
"""The reference name that stands for the current item inside a `for_each` task."""

_TYPE_ALIASES: dict[str, ValueType] = {
    "string": "text",
    "str": "text",
    "entity": "text",
    "name": "text",
    "int": "number",
    "integer": "number",
    "float": "number",
    "year": "date",
    "datetime": "date",
    "bool": "boolean",
    "documents": "passages",
    "list": "list[text]",
    "array": "list[text]",
}
_LIST_FORM = re.compile(r"^(?:list|array)\s*(?:of\s+|[\[<(]\s*)(\w+?)s?\s*[\])>]?$|^(\w+)\[\]$")


class PlanFormatError(ValueError):
    """A plan that is not of the interchange form. The message names task and field."""


def parse_type(text: str) -> ValueType | None:
    """Read a return type as models write it ("string", "list of numbers"); None if it is not one."""
    name = text.strip().lower()
    if name in VALUE_TYPES:
        return name
    if name in _TYPE_ALIASES:
        return _TYPE_ALIASES[name]
    if match := _LIST_FORM.match(name):
        item = match[1] or match[2]
        inner = _TYPE_ALIASES.get(item, item)
        listed = f"list[{inner}]"
        if listed in VALUE_TYPES:
            return listed
    return None


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
        return parse_type(f"list[{self.ret}]") or "list[text]"


class Plan(Value):
    """A plan in one of its revisions.

    Attributes:
        tasks: The vertices.
        links: Edges declared beyond those that follow from references.
        revision: 0 for the first plan, one more with each replanning.
        decided_by: Who made it.
    """

    tasks: tuple[Task, ...]
    links: tuple[tuple[str, str], ...] = ()
    revision: int = 0
    decided_by: DecidedBy = "rule"

    @property
    def ids(self) -> tuple[str, ...]:
        """The task ids in plan order."""
        return tuple(task.id for task in self.tasks)

    def task(self, task_id: str) -> Task:
        """The task of that id.

        Raises:
            KeyError: There is none.
        """
        for task in self.tasks:
            if task.id == task_id:
                return task
        raise KeyError(task_id)

    @property
    def edges(self) -> tuple[tuple[str, str], ...]:
        """All edges `(from, to)`: those that follow from references, then the declared ones."""
        implied = ((source, task.id) for task in self.tasks for source in task.references)
        return tuple(dict.fromkeys((*implied, *self.links)))

    def upstream(self, task_id: str) -> tuple[str, ...]:
        """Tasks that must have an outcome before this one starts."""
        return tuple(source for source, target in self.edges if target == task_id)

    def descendants(self, task_ids: Iterable[str]) -> frozenset[str]:
        """Every task that hangs on one of these, the given ones excluded unless they hang on each other."""
        found: set[str] = set()
        frontier = set(task_ids)
        while frontier:
            frontier = {target for source, target in self.edges if source in frontier} - found
            found |= frontier
        return frozenset(found)

    @property
    def final_ids(self) -> tuple[str, ...]:
        """Tasks nobody builds on: what the answer rests on."""
        sources = {source for source, _ in self.edges}
        return tuple(task_id for task_id in self.ids if task_id not in sources)

    def order(self) -> tuple[str, ...]:
        """The task ids, each after all it builds on; otherwise in plan order.

        Raises:
            PlanFormatError: The plan has a cycle; the message names its tasks.
        """
        known = set(self.ids)
        sorter: TopologicalSorter[str] = TopologicalSorter(dict.fromkeys(self.ids, ()))
        for source, target in self.edges:
            if source in known and target in known:
                sorter.add(target, source)
        try:
            return tuple(sorter.static_order())
        except CycleError as error:
            raise PlanFormatError(f"edges: the tasks {' → '.join(error.args[1])} wait for each other") from None

    def to_json(self) -> dict[str, Any]:
        """The interchange form, with `revision` and `decided_by`."""
        vertices: list[dict[str, Any]] = []
        for task in self.tasks:
            vertex: dict[str, Any] = {
                "id": task.id,
                "description": task.description,
                "tool_binding": task.tool,
                "args": task.args,
                "ret": task.ret,
            }
            if task.for_each is not None:
                vertex["for_each"] = task.for_each
            vertices.append(vertex)
        return {
            "revision": self.revision,
            "decided_by": self.decided_by,
            "vertices": vertices,
            "edges": [list(edge) for edge in self.edges],
        }

    @classmethod
    def from_json(cls, data: str | Mapping[str, Any]) -> "Plan":
        """Read the interchange form, from text or from parsed JSON.

        Edges may be left out: they follow from references.

        Raises:
            PlanFormatError: What is wrong, with task and field.
        """
        if isinstance(data, str):
            try:
                data = json.loads(data)
            except json.JSONDecodeError as error:
                raise PlanFormatError(f"plan: not JSON ({error})") from None
        if not isinstance(data, Mapping):
            raise PlanFormatError("plan: expected an object with 'vertices' and 'edges'")
        vertices = data.get("vertices")
        if not isinstance(vertices, list) or not vertices:
            raise PlanFormatError("vertices: expected a list with at least one task")
        tasks = tuple(_task(vertex, position) for position, vertex in enumerate(vertices, 1))
        revision = data.get("revision", 0)
        if not isinstance(revision, int) or isinstance(revision, bool) or revision < 0:
            raise PlanFormatError(f"revision: {revision!r} is not a whole number from 0")
        plan = cls(tasks=tasks, revision=revision, decided_by="model" if data.get("decided_by") == "model" else "rule")
        implied = set(plan.edges)
        links = tuple(dict.fromkeys(edge for edge in _links(data.get("edges")) if edge not in implied))
        return plan.model_copy(update={"links": links})

    def to_mermaid(self) -> str:
        """A Mermaid flowchart for people; tasks are numbered so that no text can break the drawing."""
        number = {task_id: f"t{position}" for position, task_id in enumerate(self.ids, 1)}
        lines = ["flowchart TD"]
        for task in self.tasks:
            each = " (for each)" if task.for_each else ""
            label = _mermaid_text(f"{task.id}: {task.description} · {task.tool}{each} → {task.ret}")
            lines.append(f'    {number[task.id]}["{label}"]')
        lines += [f"    {number[a]} --> {number[b]}" for a, b in self.edges if a in number and b in number]
        return "\n".join(lines)


def _mermaid_text(text: str) -> str:
    return " ".join(text.split()).replace("#", "#35;").replace('"', "#quot;").replace("<", "#lt;").replace(">", "#gt;")


def _task(vertex: object, position: int) -> Task:
    if not isinstance(vertex, Mapping):
        raise PlanFormatError(f"vertices[{position}]: expected an object")
    task_id = str(vertex.get("id") or "").strip()
    where = task_id or f"vertices[{position}]"
    if not task_id:
        raise PlanFormatError(f"{where}.id: missing")
    binding = vertex.get("tool_binding", vertex.get("tool"))
    if isinstance(binding, Mapping):
        binding = binding.get("name")
    if not isinstance(binding, str) or not binding.strip():
        raise PlanFormatError(f"{where}.tool_binding: missing; name one tool")
    args = vertex.get("args") or {}
    if not isinstance(args, Mapping):
        raise PlanFormatError(f"{where}.args: expected an object of argument names and values")
    ret = vertex.get("ret") or "text"
    if isinstance(ret, Mapping):
        ret = ret.get("type", "")
    type_ = parse_type(str(ret))
    if type_ is None:
        raise PlanFormatError(f"{where}.ret: {str(ret)[:60]!r} is not a type; use one of {', '.join(VALUE_TYPES)}")
    for_each = vertex.get("for_each") or None
    if for_each is not None and not (isinstance(for_each, str) and REFERENCE.fullmatch(for_each.strip())):
        raise PlanFormatError(f"{where}.for_each: expected one reference such as {{{{task_1.ret}}}}")
    return Task(
        id=task_id,
        description=str(vertex.get("description") or "").strip(),
        tool=binding.strip(),
        args=dict(args),
        ret=type_,
        for_each=for_each.strip() if for_each else None,
    )


def _links(edges: object) -> Iterator[tuple[str, str]]:
    if edges is None:
        return
    if not isinstance(edges, list):
        raise PlanFormatError("edges: expected a list of [from, to]")
    for position, edge in enumerate(edges, 1):
        if isinstance(edge, Mapping):
            edge = [edge.get("from", edge.get("source")), edge.get("to", edge.get("target"))]  # noqa: PLW2901
        if (
            not isinstance(edge, list | tuple)
            or len(edge) != 2
            or not all(isinstance(end, str) and end for end in edge)
        ):
            raise PlanFormatError(f"edges[{position}]: expected [from, to]")
        yield edge[0], edge[1]
