"""Board of running tasks, on which each task waits for inputs and posts an outcome.

A task posts its outcome as soon as it has one, and a task that waits only for this outcome starts at once, rather than
when a wave of tasks has ended (LLMCompiler, arXiv 2312.04511). The board lives in memory for one execution and is
seeded with the finished tasks of an earlier, interrupted execution. Its total work is linear in the edges of the plan.

Every wait ends: when the inputs are there, when an input has no value, or when the run's time for work is over. If an
upstream task was interrupted to ask a person, the waiting task is interrupted too.
"""

import asyncio
from collections.abc import Iterable, Mapping
from contextlib import suppress
from graphlib import CycleError, TopologicalSorter

from langgraph.errors import GraphInterrupt

from weiwo.state import Failure, Outcome, Plan, Task, TaskTrace


class Board:
    """Outcomes of an execution of a plan, with the tasks that wait for them.

    Args:
        plan: The plan.
        finished: Outcomes of tasks that finished earlier, by task id.
    """

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
        """Return the posted outcomes by the id of the task that gave them.

        The outcome of a replacement is under the replacement's id, not under that of the task it replaced.
        """
        return {outcome.task_id: outcome for outcome in self._outcomes.values()}

    def post(self, outcome: Outcome, instead_of: str = "") -> None:
        """Store the outcome of a task, and wake the waiting tasks that can now be decided.

        A waiting task wakes if it waits for no other input, or at once if this outcome has no usable value.

        Args:
            outcome: The outcome. A second outcome of the same task is ignored.
            instead_of: Id of the task that was replaced by the task of the outcome, if any.
        """
        task_id = instead_of or outcome.task_id
        if self._outcomes.setdefault(task_id, outcome) is not outcome:
            return
        for target in self._downstream.get(task_id, ()):
            self._missing[target].discard(task_id)
            if not (self._missing[target] and outcome.usable):
                self._settle(target)

    def abandon(self, task_id: str) -> None:
        """Wake the tasks that wait for an interrupted task, so that they are interrupted too.

        Does nothing if the task has an outcome.
        """
        if task_id not in self._outcomes:
            for target in self._downstream.get(task_id, ()):
                self._settle(target)

    async def wait_for_inputs(self, task: Task, seconds: float) -> tuple[Task, dict[str, Outcome], Outcome | None]:
        """Wait for the outcomes of a task's upstream tasks, at most for some seconds.

        Returns:
            `(task, inputs, None)` if all inputs arrived: the outcomes of the upstream tasks by task id, and the task
            with its references renamed to the tasks that replaced others. `(task, {}, outcome)` if they cannot all
            arrive: the outcome is "blocked" if an upstream task has no value or is in a cycle, and "failed" if the time
            is over.

        Raises:
            GraphInterrupt: An upstream task was interrupted, so this task must be interrupted too.
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
    """Return the ids of the tasks that can get all their inputs.

    A task in a cycle, downstream of a cycle, or downstream of an unknown task without an outcome cannot. With the edges
    a → b, b → c and c → b, only "a" is returned.

    Args:
        upstream: Ids of the upstream tasks of each task.
        finished: Outcomes of finished tasks, by task id.
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
    """Return the outcome of a task that is blocked because the task `cause` has no value."""
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
    """Return the outcome of a task that was waiting or running when the run's time ended."""
    message = f"{task.id} was not finished: the run's limit max_seconds was reached"
    return Outcome(
        task_id=task.id,
        status="failed",
        type=task.value_type,
        tool=task.tool,
        failure=Failure(task_id=task.id, kind="limit", message=message),
    )


def unfinished_tasks(plan: Plan, outcomes: Mapping[str, Outcome]) -> tuple[Task, ...]:
    """Return the tasks of a plan that are still to run: all without a "succeeded" outcome.

    A task with a failed, empty or blocked outcome runs again.
    """
    return tuple(task for task in plan.tasks if not (task.id in outcomes and outcomes[task.id].answers))


def finished_outcomes(outcomes: Iterable[Outcome]) -> dict[str, Outcome]:
    """Return the "succeeded" outcomes by task id. Their tasks are not run again."""
    return {outcome.task_id: outcome for outcome in outcomes if outcome.answers}
