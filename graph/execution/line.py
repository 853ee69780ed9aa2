"""The task line: handling of a single task during execution, with replacements, up to the final outcome.

The `Send` of the task stays active. If the task has no result, reflection decides, the decision is saved, and the
replacement tasks run as a plan of their own within that Send. The tasks that depend on the task wait on the board
meanwhile, which gets a single outcome at the end. So no other task is affected, and after a crash each line continues
alone.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from langchain_core.runnables import RunnableConfig

from weiwo.graph.execution.board import Board
from weiwo.nodes.executor.for_each import ForEach, make_other_instance
from weiwo.nodes.executor.resources import TaskResources
from weiwo.nodes.executor.task_state import TaskOutput, TaskProgress
from weiwo.nodes.reflection.intervention import Intervention
from weiwo.nodes.reflection.repair_search import RepairSearch
from weiwo.nodes.shared.run_context import RunContext
from weiwo.state import ITEM, Outcome, Plan, Repair, Task

_RunAdded = Callable[
    [Plan, Mapping[str, Outcome], TaskResources, RunnableConfig, Intervention], Awaitable[Mapping[str, Any]]
]
"""Runs the replacement tasks of a repair, and returns a `PlanOutput`."""


def settled_outcome(task_id: str, outcomes: Mapping[str, Outcome], repairs: Mapping[str, Repair]) -> Outcome:
    """Return the final outcome of a task: its own, or that of the last task that replaced it.

    If task_1 was replaced by task_1b, and task_1b by task_1c, the result is the outcome of task_1c.

    Args:
        task_id: The original task.
        outcomes: Outcomes of the task and its replacements, by task id.
        repairs: Replacements by the id of the replaced task.
    """
    while task_id in repairs:
        task_id = repairs[task_id].value_id
    return outcomes[task_id]


@dataclass(frozen=True)
class TaskLine:
    """A task of a running plan as seen by reflection, in memory for a single execution."""

    task: Task
    inputs: Mapping[str, Outcome]  # outcomes of the upstream tasks
    board: Board  # outcomes of all tasks so far
    work: TaskResources  # resources shared by the tasks
    intervention: Intervention  # decides on replacements
    run_added: _RunAdded  # runs replacement tasks
    fan: ForEach | None = None  # expansion of a `for_each` task, if the line is that of an item
    position: int = 0  # position of the item in `fan.starts`

    def wakes(self, outcome: Outcome, *, found: bool) -> bool:
        """Report whether reflection must look for a replacement of the task because of an outcome.

        `found` says whether the task found any passages.
        """
        if self.item is not None and self.fan is not None and len(self.fan.starts) > 1:
            return self.intervention.wakes_for_item(self.task, self.item, outcome, self.board.outcomes, found=found)
        return self.intervention.wakes(self.task, outcome, self.board.outcomes, found=found)

    @property
    def item(self) -> str | None:
        """Return the item of a `for_each` task that the line is for, or None for a task without items."""
        return None if self.fan is None else str(self.fan.starts[self.position]["inputs"][ITEM].value)

    async def find_repair(self, state: TaskProgress, services: RunContext) -> Repair | None:
        """Return tasks to run in place of this task, or None to keep its outcome."""
        tried = [(call["tool"], call["args"].get("query")) for call in state.get("tried", [])]
        found = state.get("evidence", {}).values()
        search = RepairSearch(self.intervention, self.task, state["outcome"], self.inputs, tried, tuple(found))
        repair = await search.run(services)
        if repair is None or self.fan is None:
            return repair
        other = make_other_instance(repair.tasks[0], self.fan, self.position)
        return repair.model_copy(update={"task_id": self.fan.starts[self.position]["task"].id, "tasks": (other,)})

    async def run(self, repair: Repair, own: Outcome, config: RunnableConfig) -> TaskOutput:
        """Run the replacement tasks of `repair`.

        If the task has a value (`own`) and the replacement brings nothing better, the task keeps it.

        Returns:
            The output of the node: `added`, the outcomes of the replacement tasks, with `evidence`, `usage`, and
                `repairs`,
            the replacements by replaced task. `repairs` is empty if the task keeps its own value.
        """
        self.work.report_finished(own)
        self.intervention.announce(repair)
        ran = await self.run_added(
            Plan(tasks=repair.tasks), self.inputs, self.work, config, self.intervention.within(repair)
        )
        repairs = {repair.task_id: repair, **ran.get("repairs", {})}
        new = settled_outcome(repair.task_id, ran["outcomes"], repairs)
        if tried := own.trace.searches:
            trace = new.trace.model_copy(update={"searches": tuple(dict.fromkeys((*tried, *new.trace.searches)))})
            new = new.model_copy(update={"trace": trace})
            ran["outcomes"][new.task_id] = new
        if own.answers and not self.intervention.improves(self.task, own, new, self.board.outcomes, self.item):
            self.intervention.withdraw(repairs)
            repairs = {}
        return {
            "added": ran["outcomes"],
            "repairs": repairs,
            "evidence": ran.get("evidence", {}),
            "usage": ran["usage"],
        }
