"""Intervention: reflection on a task's outcome while the plan still runs.

A task without a result, or with a value too weak for the tasks that build on it, triggers reflection. Dependent tasks
keep waiting, and a few new tasks take its place. Rules know another search tool and fewer words. If they know nothing,
the model is asked once for another way. If no way is found, the task is left to the review after the plan.

An intervention counts as a round of replanning. An intervention over an item of a `for_each` task counts as a round of
retrying. There is none if nothing runs beside the task, since the review then comes as soon, none if a person approves
plans, and none for acting tasks, which nothing may replace.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

from weiwo.nodes.reflection.monitor import monitor_plan
from weiwo.nodes.reflection.node import list_rounds
from weiwo.nodes.shared.planning.replanning import HOPELESS
from weiwo.nodes.shared.run_context import RunContext
from weiwo.state import Outcome, Plan, Reflection, Repair, Task
from weiwo.state.events import PlannedEvent, ReflectedEvent
from weiwo.state.repair import revise
from weiwo.state.search import SearchState
from weiwo.state.task import ANALYSE

_MOST_ITEMS: Final = 5
"""Most items of a `for_each` task that are repaired in an execution. If more fail, the items are not the cause."""

_PlanCheck = Callable[[Plan], Iterable[str]]
"""Validator that returns all faults of a plan."""


@dataclass(frozen=True)
class Intervention:
    """The state that decides whether tasks of a running plan may be repaired, and that records the repairs.

    Attributes:
        plan: The plan in execution, with the repairs that led to this state.
        earlier: The plan's earlier revisions, oldest first.
        outcomes: Outcomes of earlier executions, by task.
        question: The question.
        tools: Names of the available tools.
        services: The run's resources.
        check: Returns all faults of a plan.
        rounds: Number of rounds of replanning that are left.
        level: Number of rounds that the repairs before this state have taken, each repairing the one before.
        made: All repairs of the execution by replaced task. Shared by all states of the execution, and not stored.
        root: The plan at the start of the execution. None if it is `plan`.
        items: Number of items that were repaired for each `for_each` task. Shared like `made`.
    """

    plan: Plan
    earlier: tuple[Plan, ...]
    outcomes: Mapping[str, Outcome]
    question: str
    tools: tuple[str, ...]
    services: RunContext
    check: _PlanCheck
    rounds: int
    level: int = 0
    made: dict[str, Repair] = field(default_factory=dict)
    root: Plan | None = None
    items: Counter[str] = field(default_factory=Counter)

    @classmethod
    def open(cls, state: SearchState, services: RunContext, check: _PlanCheck) -> "Intervention | None":
        """Return the intervention for the execution of the current plan, or None if none is allowed.

        None is allowed without a plan, without rounds left, or if a person approves plans.
        """
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

    def wakes_for_item(
        self, task: Task, item: str, outcome: Outcome, others: Mapping[str, Outcome], *, found: bool
    ) -> bool:
        """Report whether an item's outcome calls for a repair, and count it. Call once per item.

        Args:
            task: The `for_each` task.
            item: The item.
            outcome: The item's outcome.
            others: Outcomes of the other tasks, by id.
            found: Whether passages were found for the item.
        """
        if self.items[task.id] >= _MOST_ITEMS or not self.wakes(task, outcome, others, found=found, item=item):
            return False
        self.items[task.id] += 1
        return True

    def wakes(
        self,
        task: Task,
        outcome: Outcome,
        others: Mapping[str, Outcome],
        *,
        found: bool,
        item: str | None = None,
    ) -> bool:
        """Report whether the outcome of a task or item calls for a repair.

        This holds for a failure that a repair may mend, and for a value that is too weak to build on, or that other
        values contradict. False if no rounds, budget or time are left, and for analyses, tools that act, corrected
        premises, and failures that nothing can mend. Only an item, a task with an alternative, or a task that other
        tasks run beside can call for one. Any other task is reviewed after the plan, which comes as soon.

        Args:
            task: The task.
            outcome: The outcome of the task or item.
            others: Outcomes of the other tasks, by id.
            found: Whether passages were found. Without a model, these are shown, so that no repair is needed.
            item: The item of a `for_each` task. None for a whole task.
        """
        beside = item is not None or task.alternative is not None or self._runs_beside(task)
        if self.level >= self.rounds or task.tool == ANALYSE or not beside or self.acts(task.tool):
            return False
        if self.services.budget.find_exhausted_limit() or self.services.work_seconds() <= 0 or outcome.premise:
            return False
        if outcome.failure is not None:
            shown = found and outcome.status == "empty" and self.services.strategy.reader == "rule"
            return outcome.failure.kind not in HOPELESS and outcome.status != "blocked" and not shown
        if item is not None:
            # An item's outcome is checked as the list outcome of a task with only this item.
            detail = outcome.detail.model_copy(update={"items": (item,)})
            listed = {"value": [outcome.value], "type": task.value_type, "detail": detail}
            outcome = outcome.model_copy(update=listed)
            others = {name: _narrow_to_item(other, item) for name, other in others.items()}
        report = monitor_plan(self.plan, {**others, task.id: outcome}, self.services.settings.limits)
        return any(
            value.task_id == task.id and value.carries and value.weakness != "implied" for value in report.weak
        ) or any(
            task.id in inconsistency.task_ids and inconsistency.severity == "error"
            for inconsistency in report.inconsistencies
        )

    def above(self, inputs: Iterable[str]) -> "Intervention":
        """Return the intervention for a task with the given inputs, in a plan with the repairs that these come from.

        Unchanged if no input comes from a repair.
        """
        chain: list[Repair] = []
        by_value = {repair.value_id: repair for repair in self.made.values()}
        for name in inputs:
            origin = name
            while origin not in self.plan.wiring.tasks and origin in by_value:
                chain.append(by_value[origin])
                origin = by_value[origin].task_id
        if not chain:
            return self
        *between, plan = revise(self.plan, chain)
        earlier, level = (*self.earlier, self.plan, *between), max(repair.level for repair in chain)
        return replace(self, plan=plan, earlier=earlier, level=max(self.level, level), root=self.root or self.plan)

    def within(self, repair: Repair) -> "Intervention":
        """Return the intervention for the tasks of a repair, one level further.

        A repair of a single item allows no further one.
        """
        if not (revisions := revise(self.plan, [repair])):
            return replace(self, level=self.rounds)
        earlier, root = (*self.earlier, self.plan), self.root or self.plan
        return replace(self, plan=revisions[-1], earlier=earlier, level=self.level + 1, root=root)

    def announce(self, repair: Repair) -> None:
        """Record a repair and emit its events, with the reason and the current plan."""
        self.made[repair.task_id] = repair
        of_task = repair.task_id in self.plan.ids
        told = ReflectedEvent(
            decision="replan" if of_task else "retry",
            reason=repair.reason,
            decided_by=repair.decided_by,
            task_ids=[repair.task_id],
        )
        self.services.emit(told)
        if of_task:
            self._tell_plan()

    def withdraw(self, repairs: Iterable[str]) -> None:
        """Remove repairs that gave no better result, and emit the plan if it changes.

        The replaced tasks keep their values.

        Args:
            repairs: The ids of the replaced tasks.
        """
        withdrawn = [self.made.pop(task_id, None) for task_id in repairs]
        if any(item is not None and item.task_id in self.plan.ids for item in withdrawn):
            self._tell_plan()

    def improves(
        self, task: Task, old: Outcome, new: Outcome, others: Mapping[str, Outcome], item: str | None = None
    ) -> bool:
        """Report whether a repair gave a better result than the original task or item.

        This holds for any result if the original gave no answer. Otherwise the new value must need no repair, or have a
        higher confidence.

        Args:
            task: The original task.
            old: Its outcome.
            new: The outcome of the repair.
            others: Outcomes of the other tasks, by id.
            item: The item of a `for_each` task. None for a whole task.
        """
        if not old.answers or not new.usable:
            return not old.answers
        renamed = new.model_copy(update={"task_id": task.id})
        settled = not self.wakes(task, renamed, others, found=True, item=item)
        return settled or new.confidence > old.confidence

    def _tell_plan(self) -> None:
        root = self.root or self.plan
        self.services.emit(PlannedEvent.of((root, *revise(root, self.made.values()))[-1]))

    def _runs_beside(self, task: Task) -> bool:
        """Report whether the plan has an unfinished task that neither builds on the given task nor leads to it."""
        below = {task.id, *self.plan.descendants([task.id])}
        finished = {task_id for task_id, outcome in self.outcomes.items() if outcome.answers}
        others = (name for name in self.plan.ids if name not in below and name not in finished)
        return any(task.id not in self.plan.descendants([other]) for other in others)

    def acts(self, tool: str) -> bool:
        """Report whether a tool may change something outside the run. False for an unknown tool."""
        info = self.services.list_interfaces((tool,)).get(tool)
        return info is not None and info.acts


def record_repairs(plan: Plan, earlier: Sequence[Plan], repairs: Mapping[str, Repair]) -> dict[str, Any]:
    """Return the state update for an execution's repairs: the plan, its revisions, and a reflection for each step.

    Empty if there are no repairs. Repairs of single items leave the plan unchanged.

    Args:
        plan: The plan at the start of the execution.
        earlier: Its earlier revisions, oldest first.
        repairs: The repairs by replaced task.
    """
    if not repairs:
        return {}
    revisions, looks = [plan], []
    for level in sorted({repair.level for repair in repairs.values()}):
        now, made = revisions[-1], [repair for repair in repairs.values() if repair.level == level]
        of_tasks = [repair for repair in made if repair.task_id in now.ids]
        of_items = [repair for repair in made if repair.task_id not in now.ids]
        looks += [_look_back("retry", of_items, now)] if of_items else []
        looks += [_look_back("replan", of_tasks, now)] if of_tasks else []
        revisions += revise(now, of_tasks)
    changed = {"plan": revisions[-1], "revisions": [*earlier, *revisions[:-1]]} if len(revisions) > 1 else {}
    return {**changed, "reflections": looks}


def _look_back(decision: Literal["replan", "retry"], made: Sequence[Repair], plan: Plan) -> Reflection:
    return Reflection(
        decision=decision,
        reason="; ".join(dict.fromkeys(repair.reason for repair in made))[:500],
        decided_by="model" if any(repair.decided_by == "model" for repair in made) else "rule",
        task_ids=tuple(repair.task_id for repair in made),
        revision=plan.revision,
    )


def _narrow_to_item(outcome: Outcome, item: str) -> Outcome:
    """Return the outcome of a `for_each` task with the values of one item. Any other outcome is returned unchanged."""
    items, values = outcome.detail.items, outcome.value
    if items is None or not isinstance(values, list):
        return outcome
    kept = [value for name, value in zip(items, values, strict=False) if str(name) == item]
    detail = outcome.detail.model_copy(update={"items": (item,) * len(kept)})
    return outcome.model_copy(update={"value": kept, "detail": detail})
