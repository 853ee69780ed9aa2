"""Board of running tasks, on which each task waits for inputs and posts an outcome.

A task posts its outcome as soon as it has one, and a task that waits only for this outcome starts at once, rather than
when a wave of tasks has ended (LLMCompiler, arXiv 2312.04511). The board lives in memory for one execution and is
seeded with the finished tasks of an earlier, interrupted execution. Its work grows with the edges of the plan.

No waiter is left behind. A wait ends with the inputs, with the first input that has no value, or when the run's time
for work is over. If an upstream task stopped for a person, the waiter stops too.
"""

import asyncio
from collections.abc import Iterable, Mapping
from contextlib import suppress
from graphlib import CycleError, TopologicalSorter

from langgraph.errors import GraphInterrupt

from weiwo.state import Failure, Outcome, Plan, Task, TaskTrace


class Board:
    """Outcomes of an execution of a plan, collected during the execution."""

    def __init__(self, plan: Plan, finished: Mapping[str, Outcome]) -> None:
        loop = asyncio.get_running_loop()
        self._upstream: dict[str, list[str]] = {task_id: [] for task_id in plan.ids}
        self._downstream: dict[str, list[str]] = {task_id: [] for task_id in plan.ids}
        for source, target in plan.edges:
            if target in self._upstream:
                self._upstream[target].append(source)
                self._downstream.setdefault(source, []).append(target)
        self._missing = {task_id: set(sources) for task_id, sources in self._upstream.items()}
        self._settled = {task_id: loop.create_future() for task_id in plan.ids}
        self._outcomes: dict[str, Outcome] = {}
        self._never = frozenset(plan.ids) - _reachable(self._upstream, finished)
        for task_id in plan.ids:
            if not self._missing[task_id] or task_id in self._never:
                self._settle(task_id)
        for outcome in finished.values():
            self.post(outcome)

    @property
    def outcomes(self) -> dict[str, Outcome]:
        """Return the posted outcomes by the ids of the tasks with the values."""
        return {outcome.task_id: outcome for outcome in self._outcomes.values()}

    def post(self, outcome: Outcome, instead_of: str = "") -> None:
        """Post the outcome of a task, or of a replacement task. The first post stands."""
        task_id = instead_of or outcome.task_id
        if self._outcomes.setdefault(task_id, outcome) is not outcome:
            return
        for target in self._downstream.get(task_id, ()):
            self._missing[target].discard(task_id)
            if not (self._missing[target] and outcome.usable):
                self._settle(target)

    def abandon(self, task_id: str) -> None:
        """Notify waiters of a task stopped without an outcome, to continue when the run is resumed."""
        if task_id not in self._outcomes:
            for target in self._downstream.get(task_id, ()):
                self._settle(target)

    async def wait_for_inputs(self, task: Task, seconds: float) -> tuple[Task, dict[str, Outcome], Outcome | None]:
        """Wait for a task's upstream outcomes, at most for the run's remaining work seconds.

        Returns:
            The task, with references to replaced tasks renamed, and the usable outcomes by task id. As soon as the
                inputs
            cannot all arrive, the third value is the outcome of the task instead, and the other inputs are not awaited.

        Raises:
            GraphInterrupt: A task upstream stopped without an outcome, so this one must, too.
        """
        settled = self._settled[task.id]
        if not settled.done():
            await asyncio.wait({settled}, timeout=seconds)
        found = {source: self._outcomes[source] for source in self._upstream[task.id] if source in self._outcomes}
        if (cause := next((outcome for outcome in found.values() if not outcome.usable), None)) is not None:
            return task, {}, _blocked_outcome(task, cause.task_id)
        if task.id in self._never:
            return task, {}, _blocked_outcome(task, next(iter(self._upstream[task.id])))
        if not settled.done():
            return task, {}, timed_out_outcome(task)
        if len(found) < len(self._upstream[task.id]):
            raise GraphInterrupt
        names = {source: outcome.task_id for source, outcome in found.items() if outcome.task_id != source}
        return task.referring(names), {outcome.task_id: outcome for outcome in found.values()}, None

    def _settle(self, task_id: str) -> None:
        if not self._settled[task_id].done():
            self._settled[task_id].set_result(None)


def _reachable(upstream: Mapping[str, Iterable[str]], finished: Mapping[str, Outcome]) -> frozenset[str]:
    """Return the tasks able to start.

    A task cannot start in a cycle, downstream of a cycle, or downstream of a task that is not in the plan.
    """
    sorter = TopologicalSorter(upstream)
    with suppress(CycleError):
        sorter.prepare()
    found: set[str] = set()
    while sorter.is_active() and (ready := sorter.get_ready()):
        known = [task_id for task_id in ready if task_id in upstream or task_id in finished]
        found.update(known)
        sorter.done(*known)
    return frozenset(found)


def _blocked_outcome(task: Task, cause: str) -> Outcome:
    """Return the outcome of a task blocked by a missing upstream value."""
    return Outcome(
        task_id=task.id,
        status="blocked",
        type=task.value_type,
        tool=task.tool,
        failure=Failure(
            task_id=task.id, kind="incomplete", message=f"{task.id} depends on {cause}, which has no value"
        ),
        trace=TaskTrace(blocked_by=cause),
    )


def timed_out_outcome(task: Task) -> Outcome:
    """Return the outcome of a task waiting or running when the run's seconds ended."""
    message = f"{task.id} was not finished: the run's limit max_seconds was reached"
    return Outcome(
        task_id=task.id,
        status="failed",
        type=task.value_type,
        tool=task.tool,
        failure=Failure(task_id=task.id, kind="limit", message=message),
    )


def unfinished_tasks(plan: Plan, outcomes: Mapping[str, Outcome]) -> tuple[Task, ...]:
    """Return the tasks still to run: all without a result so far."""
    return tuple(task for task in plan.tasks if not (task.id in outcomes and outcomes[task.id].answers))


def finished_outcomes(outcomes: Iterable[Outcome]) -> dict[str, Outcome]:
    """Return the outcomes of finished tasks by task id.

    These tasks need not run again.
    """
    return {outcome.task_id: outcome for outcome in outcomes if outcome.answers}
