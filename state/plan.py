"""The plan: a directed acyclic graph of typed tasks bound to tools.

The interchange form is the one of the AI Search Paradigm (arXiv 2506.17188,
section 4): `vertices` of `{id, description, tool_binding, args, ret}` and `edges`
of `[from, to]`. An argument refers to another task's value as `{{task_1.ret}}`,
also inside a longer string. Here `ret` names a type, and a task may run once per
item of an upstream list (`for_each`), in whose arguments `{{item}}` stands for the item.

This module knows the form only; whether a plan fits the tools at hand is for the
validator (`weiwo.nodes.planner.validator`).
"""

import json
from collections.abc import Iterable, Mapping
from graphlib import CycleError, TopologicalSorter
from operator import not_
from typing import Any, NamedTuple, Self

from pydantic import Field, model_validator

from weiwo.state.cached_property import cached_property
from weiwo.state.errors import WeiwoError
from weiwo.state.kinds import PlannedBy, ValueType
from weiwo.state.plan_form import Complaint, parse_type, read_links, read_tasks, read_thought
from weiwo.state.task import ITEM, REFERENCE, Task, references
from weiwo.state.values import JsonValue, Output, Value

__all__ = [
    "ITEM",
    "REFERENCE",
    "Expectation",
    "PartialPlan",
    "Plan",
    "PlanFormatError",
    "Task",
    "parse_type",
    "references",
]


class PlanFormatError(WeiwoError, ValueError):
    """Error for a plan not in the interchange form.

    The message names task and field.

    Attributes:
        complaints: The errors found.
    """

    def __init__(self, *complaints: Complaint) -> None:
        super().__init__("; ".join(complaints))
        self.complaints = complaints


class CallForm(Output):
    """A call of a tool.

    Attributes:
        tool_binding: The tool.
        args: Its arguments.
    """

    tool_binding: str = Field(json_schema_extra={"minLength": 1})
    args: dict[str, JsonValue]


class TaskForm(CallForm):
    """A vertex of the interchange form.

    Attributes:
        id: Name of the task within the plan.
        description: The information to find, as one question or instruction.
        ret: The type of the value.
        for_each: A reference to a list. The task runs once per item.
        thought: The planner's reason for the task.
        parent: The task whose result gave rise to this task. Empty if the question itself did.
        is_answer: Whether the value of the task answers the question as it is.
        alternative: The call made if the task gives no value.
    """

    id: str = Field(json_schema_extra={"minLength": 1})
    description: str
    ret: ValueType
    for_each: str = Field("", exclude_if=not_)
    thought: str = Field("", exclude_if=not_)
    parent: str = Field("", exclude_if=not_)
    is_answer: bool = Field(default=False, exclude_if=not_)
    alternative: CallForm | None = Field(None, exclude_if=not_)

    @classmethod
    def of(cls, task: Task, *, parent: str) -> Self:
        """Create the interchange form of a task.

        Args:
            task: The task.
            parent: Id of the task whose result gave rise to this task. Empty if that task is not in the plan.
        """
        other = task.alternative
        return cls(
            id=task.id,
            description=task.description,
            tool_binding=task.tool,
            args=task.args,
            ret=task.ret,
            for_each=task.for_each or "",
            thought=task.thought,
            parent=parent,
            is_answer=task.is_answer,
            alternative=CallForm(tool_binding=other.tool, args=other.args) if other is not None else None,
        )


class Expectation(Value):
    """Expected usage of a whole run of a plan, estimated from earlier tasks of the same kind.

    Attributes:
        tool_calls: Tool calls.
        model_calls: Model calls.
        tokens: Tokens of the model calls, prompts and replies.
        cost: US dollars. 0 if prices are not known.
        seconds: Seconds.
        unknown: Number of tasks left out because too little is known of them.
    """

    tool_calls: int = Field(ge=0)
    model_calls: int = Field(ge=0)
    tokens: int = Field(ge=0)
    cost: float = 0.0
    seconds: float
    unknown: int = 0


class PlanForm(Output):
    """The interchange form of a plan.

    Attributes:
        revision: 0 for the first plan, one more with each replanning.
        decided_by: The author of the plan: a model, a rule, or memory.
        vertices: The tasks.
        edges: Pairs of task ids. The second task depends on the first.
        thought: The planner's reason for the plan.
        perspectives: Points of view that a deep search covers: who would ask what, one line each.
        procedure: Title of the user's procedure that the plan follows.
        departure: Deviation of the plan from that procedure.
        expected: Expected usage of the whole question when it was first planned. `usage` has the actual usage.
    """

    revision: int = Field(ge=0)
    decided_by: PlannedBy
    vertices: tuple[TaskForm, ...] = Field(json_schema_extra={"minItems": 1})
    edges: tuple[tuple[str, str], ...]
    thought: str = Field("", exclude_if=not_)
    perspectives: tuple[str, ...] = Field((), exclude_if=not_)
    procedure: str = Field("", exclude_if=not_)
    departure: str = Field("", exclude_if=not_)
    expected: Expectation | None = Field(None, exclude_if=not_)


class Plan(Value):
    """A revision of a plan."""

    tasks: tuple[Task, ...]  # the vertices
    links: tuple[tuple[str, str], ...] = ()  # edges declared beyond those that follow from references
    revision: int = 0  # 0 for the first plan, one more with each replanning
    decided_by: PlannedBy = "rule"  # the author
    wish: str = ""  # comment by which a person rejected the revision before; empty if nobody did
    perspectives: tuple[str, ...] = ()  # points of view that a deep search covers: who would ask what, one line each
    curtailed: bool = False  # whether the question calls for more tasks than the run may have
    thought: str = ""  # the planner's reason for the plan
    procedure: str = ""  # title of the user's procedure that the plan follows; empty if none
    departure: str = ""  # deviation of the plan from that procedure; empty if none
    # Expected usage of the whole question when it was first planned. None if nothing was known.
    expected: Expectation | None = None

    @model_validator(mode="before")
    @classmethod
    def _read_interchange(cls, data: Any) -> Any:
        """Accept the interchange form too, because people and clients write it into the state."""
        return dict(iter(cls.from_json(data))) if isinstance(data, Mapping) and "vertices" in data else data

    @cached_property
    def wiring(self) -> "Wiring":
        """Return the dependencies between the tasks: tasks by id, edges, and the neighbours of each task.

        They are computed once, because plans are frozen.
        """
        implied = ((source, task.id) for task in self.tasks for source in task.references)
        edges = tuple(dict.fromkeys((*implied, *self.links)))
        upstream: dict[str, list[str]] = {}
        downstream: dict[str, list[str]] = {}
        for source, target in edges:
            upstream.setdefault(target, []).append(source)
            downstream.setdefault(source, []).append(target)
        return Wiring({task.id: task for task in reversed(self.tasks)}, edges, upstream, downstream)

    @cached_property
    def _keys(self) -> Mapping[str, str]:
        keys: dict[str, str] = {}
        for task_id in self.order():
            if task_id in self.wiring.tasks:
                keys[task_id] = self.task(task_id).key(keys)
        return keys

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """Return a changed copy without the cached properties of the original."""
        copied = super().model_copy(update=update, deep=deep)
        for name in ("wiring", "parents", "_keys"):
            copied.__dict__.pop(name, None)
        return copied

    @property
    def ids(self) -> tuple[str, ...]:
        """The task ids in plan order."""
        return tuple(task.id for task in self.tasks)

    def task(self, task_id: str) -> Task:
        """Return the task with the given id.

        Raises:
            KeyError: There is no such task.
        """
        return self.wiring.tasks[task_id]

    @cached_property
    def parents(self) -> Mapping[str, str]:
        """Return for each task id the id of the task that gave rise to it, or an empty string.

        The parent is the task named as `parent`, else the only task on which the task depends. It is empty for a task
        that depends on no or several tasks, and for one that would close a cycle of parents. In the plan a → b, a → c,
        b → d, c → d without named parents, "b" and "c" have the parent "a", while "a" and "d" have none.
        """
        found: dict[str, str] = {}
        for task in self.tasks:
            named = task.parent if task.parent in self.wiring.tasks else ""
            sources = [source for source in self.upstream(task.id) if source in self.wiring.tasks]
            parent = above = named or (sources[0] if len(sources) == 1 else "")
            while above and above != task.id:
                above = found.get(above, "")
            found[task.id] = "" if above else parent
        return found

    @property
    def edges(self) -> tuple[tuple[str, str], ...]:
        """Return all edges `(from, to)`: first the edges implied by references, then the declared edges."""
        return self.wiring.edges

    def upstream(self, task_id: str) -> tuple[str, ...]:
        """Return the ids of the tasks on which a task depends directly. They must have an outcome before it starts."""
        return tuple(self.wiring.upstream.get(task_id, ()))

    def descendants(self, task_ids: Iterable[str]) -> frozenset[str]:
        """Return the ids of all tasks that depend on the given tasks, directly or through other tasks.

        The given tasks are excluded unless they depend on each other. In the plan a → b → c, "a" gives "b" and "c".
        """
        found: set[str] = set()
        frontier = set(task_ids)
        while frontier:
            frontier = {target for source in frontier for target in self.wiring.downstream.get(source, ())} - found
            found |= frontier
        return frozenset(found)

    def keys(self) -> Mapping[str, str]:
        """Return the identity key of each task by id, a hash that does not depend on the names of the tasks.

        The key covers what the task asks and what all its upstream tasks ask. Two tasks with the same key have the same
        result, in one plan or in several. Declared edges are ignored because they only affect the order.

        Raises:
            PlanFormatError: The plan has a cycle.
        """
        return self._keys

    @property
    def final_ids(self) -> tuple[str, ...]:
        """Return the ids of the final tasks, on which no other task depends. The answer is based on their values."""
        return tuple(task_id for task_id in self.ids if task_id not in self.wiring.downstream)

    def order(self) -> tuple[str, ...]:
        """Return the task ids in topological order: each task behind the tasks it depends on.

        Independent tasks may come in another order than in the plan.

        Raises:
            PlanFormatError: The plan has a cycle. The message names its tasks.
        """
        known = self.wiring.tasks
        sorter: TopologicalSorter[str] = TopologicalSorter(dict.fromkeys(self.ids, ()))
        for source, target in self.edges:
            if source in known and target in known:
                sorter.add(target, source)
        try:
            return tuple(sorter.static_order())
        except CycleError as error:
            circle = " → ".join(error.args[1])
            said = Complaint(f"edges: the tasks {circle} wait for each other", f"edges：任务 {circle} 互相等待")
            raise PlanFormatError(said) from None

    @property
    def form(self) -> PlanForm:
        """The interchange form, with `revision` and `decided_by`."""
        parents = self.wiring.tasks
        return PlanForm(
            revision=self.revision,
            decided_by=self.decided_by,
            vertices=tuple(
                TaskForm.of(task, parent=task.parent if task.parent in parents else "") for task in self.tasks
            ),
            edges=self.edges,
            thought=self.thought,
            perspectives=self.perspectives,
            procedure=self.procedure,
            departure=self.departure,
            expected=self.expected,
        )

    def to_json(self) -> dict[str, Any]:
        """The interchange form as JSON values."""
        return self.form.model_dump(mode="json")

    @classmethod
    def from_json(cls, data: str | Mapping[str, Any]) -> "Plan":
        """Read the interchange form, from text or from parsed JSON.

        Edges may be left out: they follow from references.

        Raises:
            PlanFormatError: The plan is not in the interchange form. The message names task and field.
        """
        sketch = cls.read(data)
        if sketch.complaints:
            raise PlanFormatError(*sketch.complaints)
        return sketch.plan

    @classmethod
    def read(cls, data: str | Mapping[str, Any]) -> "PartialPlan":
        """Parse the interchange form as far as it is readable, without raising an error.

        Returns:
            The readable tasks and edges as a plan, a complaint for each unreadable part, and the ids of the tasks left
            out. The plan has no tasks if the text is not JSON or has no `vertices`.
        """
        complaints: list[Complaint] = []
        if isinstance(data, str):
            try:
                data = json.loads(data)
            except json.JSONDecodeError as error:
                return PartialPlan(
                    cls(tasks=()), (Complaint(f"plan: not JSON ({error})", f"plan：不是 JSON（{error}）"),)
                )
        if not isinstance(data, Mapping):
            said = "plan：应为含 'vertices' 和 'edges' 的对象"
            return PartialPlan(
                cls(tasks=()), (Complaint("plan: expected an object with 'vertices' and 'edges'", said),)
            )
        tasks, broken = read_tasks(data.get("vertices"), complaints)
        revision = data.get("revision", 0)
        if not isinstance(revision, int) or isinstance(revision, bool) or revision < 0:
            said = f"revision：{revision!r} 不是从 0 起的整数"
            complaints.append(Complaint(f"revision: {revision!r} is not a whole number from 0", said))
            revision = 0
        by = data.get("decided_by")
        made_by: PlannedBy = "model" if by == "model" else "memory" if by == "memory" else "rule"
        followed = {name: read_thought(data, name) for name in ("procedure", "departure")}
        plan = cls(tasks=tasks, revision=revision, decided_by=made_by, thought=read_thought(data), **followed)
        implied = set(plan.edges)
        declared = dict.fromkeys(read_links(data.get("edges"), complaints))
        plan = plan.model_copy(update={"links": tuple(edge for edge in declared if edge not in implied)})
        return PartialPlan(plan, tuple(complaints), broken)

    def to_mermaid(self) -> str:
        """Return a Mermaid flowchart for people.

        Tasks are numbered so that no text can break the drawing.
        """
        number = {task_id: f"t{position}" for position, task_id in enumerate(self.ids, 1)}
        lines = ["flowchart TD"]
        for task in self.tasks:
            each = " (for each)" if task.for_each else ""
            words = " ".join(f"{task.id}: {task.description} · {task.tool}{each} → {task.ret}".split())
            label = words.replace("#", "#35;").replace('"', "#quot;").replace("<", "#lt;").replace(">", "#gt;")
            lines.append(f'    {number[task.id]}["{label}"]')
        lines += [f"    {number[a]} --> {number[b]}" for a, b in self.edges if a in number and b in number]
        return "\n".join(lines)


class Wiring(NamedTuple):
    """Dependencies between the tasks of a plan."""

    tasks: Mapping[str, Task]  # the tasks by id
    edges: tuple[tuple[str, str], ...]  # all edges `(from, to)`
    upstream: Mapping[str, list[str]]  # by id, the tasks that a task waits for
    downstream: Mapping[str, list[str]]  # by id, the tasks that wait for it


class PartialPlan(NamedTuple):
    """A partially parsed plan, with the complaints about unreadable parts."""

    plan: Plan  # the tasks and edges that could be read
    complaints: tuple[Complaint, ...] = ()  # what could not, each naming task and field; empty if all could
    broken: frozenset[str] = frozenset()  # ids of tasks left out because something about them could not be read
