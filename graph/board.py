"""Where running tasks meet: one future a task, awaited by the tasks that build on it.

A task posts its outcome the moment it has one, and every waiter goes on at once, so a
task starts when its own inputs exist rather than when a wave of tasks has ended (LLMCompiler,
arXiv 2312.04511). The board lives in memory for one execution and is seeded with what an
earlier, interrupted execution had finished.
"""

import asyncio
from collections.abc import Iterable, Mapping

from state import Failure, Outcome, Plan, Task


class Board:
    """The outcomes of one execution of a plan, as they come in."""

    def __init__(self, plan: Plan, finished: Mapping[str, Outcome]) -> None:
        """Open a board for a plan.

        Args:
            plan: The plan in execution.
            finished: Outcomes that exist already.
        """
        loop = asyncio.get_running_loop()
        self._plan = plan
        self._futures: dict[str, asyncio.Future[Outcome]] = {task_id: loop.create_future() for task_id in plan.ids}
        for outcome in finished.values():
            self.post(outcome)

    def post(self, outcome: Outcome) -> None:
        """Tell everybody what a task came to. The first word on a task stands."""
        future = self._futures.get(outcome.task_id)
        if future is not None and not future.done():
            future.set_result(outcome)

    async def inputs(self, task: Task) -> tuple[dict[str, Outcome], Outcome | None]:
        """Wait for a task's upstream outcomes.

        Returns:
            The usable outcomes by task id, and, as soon as one of them has no value, the outcome
            that blocks the task; then the others are not waited for.
        """
        sources = self._plan.upstream(task.id)
        waiting = {self._futures[source] for source in sources}
        while waiting:
            done, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            for future in done:
                outcome = future.result()
                if not outcome.usable:
                    return {}, blocked(task, outcome)
        return {source: self._futures[source].result() for source in sources}, None


def blocked(task: Task, cause: Outcome) -> Outcome:
    """The outcome of a task that waits for a value that will not come."""
    message = f"{task.id} needs {cause.task_id}, which has no value"
    return Outcome(
        task_id=task.id,
        status="blocked",
        type=task.value_type,
        tool=task.tool,
        failure=Failure(task_id=task.id, kind="incomplete", message=message),
        detail={"blocked_by": cause.task_id},
    )


def unfinished(plan: Plan, outcomes: Mapping[str, Outcome]) -> tuple[Task, ...]:
    """The tasks that are still to run: those without a usable outcome."""
    return tuple(task for task in plan.tasks if not (task.id in outcomes and outcomes[task.id].usable))


def usable(outcomes: Iterable[Outcome]) -> dict[str, Outcome]:
    """The outcomes others can build on, by task id."""
    return {outcome.task_id: outcome for outcome in outcomes if outcome.usable}
