"""Repair: a local replanning made while the plan runs, and the revisions of the plan that it amounts to."""

from collections.abc import Iterable, Mapping

from weiwo.state.kinds import DecidedBy
from weiwo.state.plan import Plan
from weiwo.state.task import Task
from weiwo.state.values import Value


class Repair(Value):
    """Tasks that take the place of one, decided on while others of its plan run.

    Attributes:
        task_id: The task, or the instance of one, that came to nothing, or to a value that is no firm ground.
        tasks: What is done instead, each with an id of its own; the value of the last stands for that of the task.
        reason: Why, in one line.
        decided_by: A rule or a model.
        level: How many revisions of the plan it builds on that were made in the same execution.
    """

    task_id: str
    tasks: tuple[Task, ...]
    reason: str
    decided_by: DecidedBy = "rule"
    level: int = 0

    @property
    def value_id(self) -> str:
        """The task whose value stands for that of the one replaced."""
        return self.tasks[-1].id


def revise(plan: Plan, repairs: Iterable[Repair]) -> tuple[Plan, ...]:
    """The revisions that repairs make of a plan, oldest first: one for each level, as if it had been planned anew.

    What built on a replaced task builds on what stands for it; everything else stays as it is. What takes the place of
    one instance of a task changes no plan.
    """
    by_level: dict[int, dict[str, Repair]] = {}
    for repair in repairs:
        by_level.setdefault(repair.level, {})[repair.task_id] = repair
    revisions: list[Plan] = []
    for level in sorted(by_level):
        if not by_level[level].keys().isdisjoint(plan.ids):
            plan = _replace(plan, by_level[level])
            revisions.append(plan)
    return tuple(revisions)


def _replace(plan: Plan, repairs: Mapping[str, Repair]) -> Plan:
    names = {task_id: repair.value_id for task_id, repair in repairs.items()}
    tasks: list[Task] = []
    for task in plan.tasks:
        tasks += repairs[task.id].tasks if task.id in repairs else (task.referring(names),)
    links = dict.fromkeys((names.get(source, source), names.get(target, target)) for source, target in plan.links)
    changed = plan.model_copy(update={"tasks": tuple(tasks), "links": (), "revision": plan.revision + 1})
    return changed.model_copy(update={"links": tuple(link for link in links if link not in changed.wiring.edges)})
