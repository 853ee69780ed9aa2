"""Repair: local replanning during execution, and the resulting revisions of the plan."""

from collections.abc import Iterable

from weiwo.state.kinds import DecidedBy
from weiwo.state.plan import Plan
from weiwo.state.task import Task
from weiwo.state.values import Value


class Repair(Value):
    """Tasks replacing a task while the rest of the plan runs.

    Attributes:
        task_id: The replaced task or task instance, which has no value or an unreliable value.
        tasks: The replacement tasks, each with an id of its own. The value of the last replaces the value of the task.
        reason: The reason, in one line.
        decided_by: A rule or a model.
        level: Number of plan revisions made in the same execution that this repair builds on.
    """

    task_id: str
    tasks: tuple[Task, ...]
    reason: str
    decided_by: DecidedBy = "rule"
    level: int = 0

    @property
    def value_id(self) -> str:
        """Return the id of the last replacement task: its value counts instead of the replaced task's."""
        return self.tasks[-1].id


def revise(plan: Plan, repairs: Iterable[Repair]) -> tuple[Plan, ...]:
    """Apply repairs to a plan and return the new revisions of the plan, oldest first, one per level.

    A repair made on top of another has a higher `level`. Each revision reads as if the plan had been made anew. If
    task_1b replaces task_1, references to task_1 become references to task_1b, and everything else stays as it is.
    Empty if no repair concerns a task of the plan, as for a repair of a single instance of a `for_each` task.
    """
    by_level: dict[int, dict[str, Repair]] = {}
    for repair in repairs:
        by_level.setdefault(repair.level, {})[repair.task_id] = repair
    revisions: list[Plan] = []
    for level in sorted(by_level):
        replaced = by_level[level]
        if replaced.keys().isdisjoint(plan.ids):
            continue
        names = {task_id: repair.value_id for task_id, repair in replaced.items()}
        tasks: list[Task] = []
        for task in plan.tasks:
            tasks += replaced[task.id].tasks if task.id in replaced else (task.referring(names),)
        links = dict.fromkeys((names.get(source, source), names.get(target, target)) for source, target in plan.links)
        changed = plan.model_copy(update={"tasks": tuple(tasks), "links": (), "revision": plan.revision + 1})
        declared = tuple(link for link in links if link not in changed.wiring.edges)
        plan = changed.model_copy(update={"links": declared})
        revisions.append(plan)
    return tuple(revisions)
