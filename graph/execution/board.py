"""The board, where running tasks meet: each waits for its own inputs, and goes on the moment they exist.

A task posts its outcome as soon as it has one, and whoever waits for that alone starts at once, rather than
when a wave of tasks has ended (LLMCompiler, arXiv 2312.04511). The board lives in memory for one execution and is
seeded with what an earlier, interrupted execution had finished. Its work grows with the edges of the plan.

No waiter is ever left behind: a wait ends with the inputs, with the first of them that has no value, when the run's
time for work is over, or, where a task upstream stopped for a person, by stopping too.
"""

import asyncio
from collections.abc import Iterable, Mapping
from contextlib import suppress
from graphlib import CycleError, TopologicalSorter

from langgraph.errors import GraphInterrupt

from weiwo.state import Failure, Outcome, Plan, Task, TaskTrace


class Board:
    """The outcomes of one execution of a plan, as they come in."""

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
        """What has been posted, by the ids of the tasks whose values they are."""
        return {outcome.task_id: outcome for outcome in self._outcomes.values()}

    def post(self, outcome: Outcome, instead_of: str = "") -> None:
        """Tell what a task came to, or what took the place of one that is waited for. The first word stands."""
        task_id = instead_of or outcome.task_id
        if self._outcomes.setdefault(task_id, outcome) is not outcome:
            return
        for target in self._downstream.get(task_id, ()):
            self._missing[target].discard(task_id)
            if not (self._missing[target] and outcome.usable):
                self._settle(target)

    def abandon(self, task_id: str) -> None:
        """Tell everybody that a task stopped without an outcome, to go on when the run is resumed."""
        if task_id not in self._outcomes:
            for target in self._downstream.get(task_id, ()):
                self._settle(target)

    async def wait_for_inputs(self, task: Task, seconds: float) -> tuple[Task, dict[str, Outcome], Outcome | None]:
        """Wait for a task's upstream outcomes, at most for the seconds that the run has left for work.

        Returns:
            The task, referring to what took the place of others; the usable outcomes by task id; and, as soon as they
            cannot all come, the outcome of the task instead; then the others are not waited for.

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
    """The tasks that can ever start: not in a cycle, behind one, or behind something that is not in the plan."""
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
    """The outcome of a task that waits for the value of another that will not come."""
    return Outcome(
        task_id=task.id,
        status="blocked",
        type=task.value_type,
        tool=task.tool,
        failure=Failure(task_id=task.id, kind="incomplete", message=f"{task.id} needs {cause}, which has no value"),
        trace=TaskTrace(blocked_by=cause),
    )


def timed_out_outcome(task: Task) -> Outcome:
    """The outcome of a task that the end of the run's seconds found waiting or at work."""
    message = f"{task.id} was not finished: the run's max_seconds is reached"
    return Outcome(
        task_id=task.id,
        status="failed",
        type=task.value_type,
        tool=task.tool,
        failure=Failure(task_id=task.id, kind="limit", message=message),
    )


def unfinished_tasks(plan: Plan, outcomes: Mapping[str, Outcome]) -> tuple[Task, ...]:
    """The tasks that are still to run: those that came to nothing so far."""
    return tuple(task for task in plan.tasks if not (task.id in outcomes and outcomes[task.id].answers))


def finished_outcomes(outcomes: Iterable[Outcome]) -> dict[str, Outcome]:
    """The outcomes of tasks that need not run again, by task id."""
    return {outcome.task_id: outcome for outcome in outcomes if outcome.answers}
