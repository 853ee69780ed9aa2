"""Intervention: reflection while the plan still runs, over one task and what it came to.

A task that came to nothing, or to a value that is no firm ground for what builds on it, wakes reflection. What depends
on it waits on; a few tasks of its own take its place. Rules know another search tool and fewer words; where they know
nothing, the model is asked once for another way. What finds none is left to the look back after the plan.

An intervention counts as a round of replanning. It is none where nothing runs beside the task, since the look back
comes as soon then; where a person approves plans; and for tasks that act, which nothing takes the place of.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from pydantic import AliasChoices, Field

from weiwo.models.gateway import ModelCallError
from weiwo.nodes.reflection.monitor import monitor_plan
from weiwo.nodes.reflection.node import list_rounds
from weiwo.nodes.reflection.prompt import REPAIR
from weiwo.nodes.shared.planning.plan_reply import Vertex
from weiwo.nodes.shared.planning.plan_rules import MOST_TASKS, PLAN_RULES
from weiwo.nodes.shared.planning.references import fill_text
from weiwo.nodes.shared.planning.replanning import HOPELESS, PASSING, PlanHistory
from weiwo.nodes.shared.planning.rule_plan import add_frames, list_other_searches
from weiwo.nodes.shared.planning.task_identity import wording_key
from weiwo.nodes.shared.prompting.input_guard import safe_note
from weiwo.nodes.shared.prompting.passage_prompt import quote_as_data
from weiwo.nodes.shared.prompting.reply_types import Line, Reply
from weiwo.nodes.shared.run_context import RunContext
from weiwo.state import JsonValue, Outcome, Plan, Reflection, Repair, Task
from weiwo.state.events import PlannedEvent, ReflectedEvent
from weiwo.state.repair import revise
from weiwo.state.search import SearchState
from weiwo.state.task import ANALYSE
from weiwo.text.values import render

MOST_ADDED: Final = 3
"""Tasks that take the place of one."""
ASKED: Final = 2
"""Times that the model is asked for one repair: once, and once more with what is wrong with its reply."""

PlanCheck = Callable[[Plan], list[str]]
"""Says everything that is wrong with a plan."""


class RepairReply(Reply):
    """Another way to what a task was for, as a model gives it."""

    reason: Line = Field("", description="Why, in one line.")
    vertices: list[Vertex] = Field(default_factory=list, validation_alias=AliasChoices("vertices", "tasks"))


@dataclass(frozen=True)
class Intervention:
    """What may be done about the tasks of one execution while it goes on.

    Attributes:
        plan: The plan in execution, with the repairs that led to where this one stands.
        earlier: The revisions before it, oldest first.
        outcomes: What earlier executions came to.
        question: The question.
        tools: Names of the tools at hand.
        services: The run's resources.
        check: The validator of plans.
        rounds: Rounds that are left.
        level: How many of them this line of repairs has taken.
        made: The repairs of the execution by the task they replace, for all its lines; in memory.
        root: The plan as the execution began; None where it is `plan`.
    """

    plan: Plan
    earlier: tuple[Plan, ...]
    outcomes: Mapping[str, Outcome]
    question: str
    tools: tuple[str, ...]
    services: RunContext
    check: PlanCheck
    rounds: int
    level: int = 0
    made: dict[str, Repair] = field(default_factory=dict)
    root: Plan | None = None

    @classmethod
    def open(cls, state: SearchState, services: RunContext, check: PlanCheck) -> "Intervention | None":
        """What may be done in the execution of the plan in force; None where nothing may."""
        plan = state.get("plan")
        rounds = services.settings.limits.max_replans - len(list_rounds(state))
        if plan is None or rounds <= 0 or state.get("approved") is not None:
            return None
        return cls(
            plan=plan,
            earlier=tuple(state.get("revisions", [])),
            outcomes=dict(state.get("outcomes", {})),
            question=state["assessment"].question,
            tools=state["team"].tools,
            services=services,
            check=check,
            rounds=rounds,
        )

    def wakes(self, task: Task, outcome: Outcome, others: Mapping[str, Outcome], *, found: bool) -> bool:
        """Whether what a task came to is not to be left as it is.

        Args:
            task: The task.
            outcome: What it came to.
            others: What the tasks that have finished came to.
            found: Whether it found passages.
        """
        if self.level >= self.rounds or task.tool == ANALYSE or not self._runs_beside(task) or self._acts(task.tool):
            return False
        if self.services.budget.exhausted() or self.services.work_seconds() <= 0 or outcome.premise:
            return False
        if outcome.failure is not None:
            shown = found and outcome.status == "empty" and not self.services.models.configured("executor")
            return outcome.failure.kind not in HOPELESS and outcome.status != "blocked" and not shown
        report = monitor_plan(self.plan, {**others, task.id: outcome}, self.services.settings.limits)
        return any(one.task_id == task.id and one.carries and one.weakness != "implied" for one in report.weak) or any(
            task.id in one.task_ids and one.severity == "error" for one in report.inconsistencies
        )

    async def find(
        self,
        task: Task,
        outcome: Outcome,
        inputs: Mapping[str, Outcome],
        tried: Sequence[tuple[str, JsonValue]],
        services: RunContext,
    ) -> Repair | None:
        """Another way to what a task was for; None where none is known.

        Args:
            task: The task.
            outcome: What it came to.
            inputs: What it builds on.
            tried: The calls that it made: tool and query.
            services: Who pays.
        """
        for other in self._other_searches(task, outcome, tried):
            named = other.model_copy(update={"id": self._free_ids(task, 1)[0]})
            reason = outcome.failure.message if outcome.failure else f"{task.id} is no firm ground"
            repair = Repair(task_id=task.id, tasks=(named,), reason=reason, level=self.level)
            if not self._complaints(task, outcome, repair, inputs):
                return repair
        return await self._ask(task, outcome, inputs, services)

    def above(self, inputs: Iterable[str]) -> "Intervention":
        """What may be done about a task that builds on these: what took the place of others is in its plan."""
        chain: list[Repair] = []
        by_value = {repair.value_id: repair for repair in self.made.values()}
        for name in inputs:
            while name not in self.plan.wiring.tasks and name in by_value:
                chain.append(by_value[name])
                name = by_value[name].task_id  # noqa: PLW2901 - the way back, to the plan as it was
        if not chain:
            return self
        *between, plan = revise(self.plan, chain)
        earlier, level = (*self.earlier, self.plan, *between), max(repair.level for repair in chain)
        return replace(self, plan=plan, earlier=earlier, level=max(self.level, level), root=self.root or self.plan)

    def within(self, repair: Repair) -> "Intervention":
        """What may be done about the tasks of a repair."""
        plan = revise(self.plan, [repair])[-1]
        return replace(
            self,
            plan=plan,
            earlier=(*self.earlier, self.plan),
            level=self.level + 1,
            root=self.root or self.plan,
        )

    def announce(self, repair: Repair) -> None:
        """Tell the watchers of a repair: why, and the plan as it is from now on."""
        self.made[repair.task_id] = repair
        told = ReflectedEvent(
            decision="replan", reason=repair.reason, decided_by=repair.decided_by, task_ids=[repair.task_id]
        )
        self.services.emit(told)
        self._tell_plan()

    def withdraw(self, repair: Repair) -> None:
        """Tell the watchers that a value stays, since nothing better was found."""
        self.made.pop(repair.task_id, None)
        self._tell_plan()

    def improves(self, task: Task, old: Outcome, new: Outcome, others: Mapping[str, Outcome]) -> bool:
        """Whether a repair came to more than its task had."""
        if not old.answers or not new.usable:
            return not old.answers
        renamed = new.model_copy(update={"task_id": task.id})
        return not self.wakes(task, renamed, others, found=True) or new.confidence > old.confidence

    def _tell_plan(self) -> None:
        root = self.root or self.plan
        self.services.emit(PlannedEvent.of((root, *revise(root, self.made.values()))[-1]))

    def _runs_beside(self, task: Task) -> bool:
        """Whether a task that had not finished neither builds on this one nor the other way round."""
        ancestors: set[str] = set()
        frontier = {task.id}
        while frontier:
            frontier = {source for one in frontier for source in self.plan.upstream(one)} - ancestors
            ancestors |= frontier
        near = {task.id, *ancestors, *self.plan.descendants([task.id])}
        finished = {task_id for task_id, outcome in self.outcomes.items() if outcome.answers}
        return any(one not in near and one not in finished for one in self.plan.ids)

    def _acts(self, tool: str) -> bool:
        info = self.services.list_interfaces((tool,)).get(tool)
        return info is not None and info.acts

    def _other_searches(self, task: Task, outcome: Outcome, tried: Sequence[tuple[str, JsonValue]]) -> Iterator[Task]:
        """The ways that rules know: another tool; where no model knows better, fewer words for one that works."""
        if not isinstance(task.args.get("query"), str):
            return
        asks = self.services.models.configured("reflection")
        words = not asks and outcome.failure is not None and outcome.failure.kind not in PASSING
        past = (*self.earlier, self.plan)
        for other in list_other_searches(task, past, self.services.language, self.tools):
            known = (other.tool, other.args["query"]) in tried
            if not known and (words or other.tool != task.tool) and not self._acts(other.tool):
                yield other

    async def _ask(
        self, task: Task, outcome: Outcome, inputs: Mapping[str, Outcome], services: RunContext
    ) -> Repair | None:
        """The way that the model knows; its reply is checked as a plan is."""
        if not services.models.configured("reflection"):
            return None
        most = self._most_added()
        asked = [
            SystemMessage(REPAIR.replace("{rules}", PLAN_RULES.replace(MOST_TASKS, str(most)))),
            HumanMessage(self._prompt(task, outcome, inputs)),
        ]
        messages: list[Any] = asked
        for _ in range(ASKED):
            try:
                reply = await services.models.structured("reflection", "repair", messages, RepairReply)
            except ModelCallError:
                return None  # in the trace; the look back after the plan decides
            if not reply.vertices:
                return None
            repair, complaints = self._read(task, reply)
            if repair is not None:
                complaints += self._complaints(task, outcome, repair, inputs)
                if not complaints:
                    return repair
            told = "The tasks are not valid:\n" + "\n".join(f"- {one}" for one in complaints) + "\nGive them again."
            messages = [*asked, AIMessage(reply.model_dump_json(exclude_none=True)), HumanMessage(told)]
        return None

    def _read(self, task: Task, reply: RepairReply) -> tuple[Repair | None, list[str]]:
        """The repair that a reply describes, its tasks under ids of their own, and what could not be read."""
        vertices = [vertex.model_dump(exclude_none=True) for vertex in reply.vertices]
        sketch, complaints, _ = Plan.read({"vertices": vertices})
        if complaints or not sketch.tasks:
            return None, list(complaints)
        names = dict(zip(sketch.ids, self._free_ids(task, len(sketch.tasks)), strict=True))
        renamed = [one.referring(names).model_copy(update={"id": names[one.id]}) for one in sketch.tasks]
        tasks = add_frames(Plan(tasks=tuple(renamed)), self.services.language).tasks
        reason = safe_note(reply.reason) or f"another way to {task.id}"
        return Repair(task_id=task.id, tasks=tasks, reason=reason, decided_by="model", level=self.level), []

    def _complaints(self, task: Task, outcome: Outcome, repair: Repair, inputs: Mapping[str, Outcome]) -> list[str]:
        """Everything that is wrong with a repair."""
        own = {one.id for one in repair.tasks}
        faults = []
        if len(repair.tasks) > self._most_added():
            faults.append(f"vertices: {len(repair.tasks)} tasks, at most {self._most_added()} are allowed")
        for one in repair.tasks:
            unknown = [name for name in one.references if name not in own and name not in inputs]
            if unknown:
                known = ", ".join(inputs) or "none"
                faults.append(f"{one.id}: refers to {', '.join(unknown)}; finished tasks are: {known}")
            if one.tool not in self.tools or self._acts(one.tool):
                faults.append(f"{one.id}.tool_binding: {one.tool!r} is not to be used; use one of those listed")
        if (last := repair.tasks[-1]).value_type != task.value_type:
            faults.append(f"{last.id}: the last task is to give {task.value_type}, not {last.value_type}")
        if faults:
            return faults
        revised = revise(self.plan, [repair])[-1]
        if faults := self.check(revised):
            return faults
        past = PlanHistory(self.plan, self.earlier, {**self.outcomes, task.id: outcome})
        keys = revised.keys()
        again = (one.id for one in repair.tasks if wording_key(one, keys) in past.futile_keys)
        return [f"{task_id}: was tried before and came to nothing; ask it another way" for task_id in again]

    def _most_added(self) -> int:
        """Tasks that a repair may have: all tasks might fail, and the plan may not grow beyond its bound."""
        if self.level:
            return 1
        most, count = self.services.settings.limits.max_tasks, len(self.plan.tasks)
        return min(MOST_ADDED, 1 + max(0, most - count) // count)

    def _free_ids(self, task: Task, count: int) -> list[str]:
        """Ids that stand for nothing yet, nor for what another repair adds: the id of the task is their root."""
        taken = {task_id for plan in (*self.earlier, self.plan) for task_id in plan.ids}
        free = (f"{task.id}_{n}" for n in range(2, len(taken) + count + 3))
        return [name for name in free if name not in taken][:count]

    def _prompt(self, task: Task, outcome: Outcome, inputs: Mapping[str, Outcome]) -> str:
        """What the model is told; nothing that depends on how far other tasks have come."""
        language = self.services.language
        given = [
            f"- {name} ({one.type}): {quote_as_data(render(one.value, one.type, language), 300)}"
            for name, one in inputs.items()
        ]
        came = (
            outcome.failure.message if outcome.failure else f"{render(outcome.value, outcome.type, language)}, doubtful"
        )
        rest = [f"- {one.id}: {quote_as_data(one.description, 200)}" for one in self.plan.tasks if one.id != task.id]
        asked = quote_as_data(fill_text(task.description, inputs, language), 300)
        usable = [name for name in self.tools if not self._acts(name)][: self.services.settings.max_tools]
        return "\n".join(
            [
                f"Question: {self.question}",
                f"The task: {task.id} ({task.tool}, ret {task.value_type}): {asked}",
                f"It came to: {outcome.status}: {quote_as_data(came, 400)}",
                "Finished tasks it may build on:",
                *(given or ["- none"]),
                "Other tasks of the plan, which go on:",
                *(rest or ["- none"]),
                f"Tools:\n{self.services.registry.describe(usable)}",
            ]
        )


def record_repairs(plan: Plan, earlier: Sequence[Plan], repairs: Mapping[str, Repair]) -> dict[str, Any]:
    """What an execution's repairs leave in the state: the plan, its revisions, and a look back for each of them."""
    if not repairs:
        return {}
    revisions = [plan, *revise(plan, repairs.values())]
    levels = sorted({repair.level for repair in repairs.values()})
    looks = []
    for before, level in zip(revisions, levels, strict=False):
        made = [repair for repair in repairs.values() if repair.level == level]
        looks.append(
            Reflection(
                decision="replan",
                reason="; ".join(dict.fromkeys(repair.reason for repair in made))[:500],
                decided_by="model" if any(repair.decided_by == "model" for repair in made) else "rule",
                task_ids=tuple(repair.task_id for repair in made),
                revision=before.revision,
            )
        )
    return {"plan": revisions[-1], "revisions": [*earlier, *revisions[:-1]], "reflections": looks}
