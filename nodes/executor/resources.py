"""Resources shared by the tasks of an execution, including the work slots.

A plain semaphore around each step would serve in order of arrival: with 500 tasks, 500 searches would be made before
the first of them is read, and a run that ends early would have many searches and no answer. A task therefore keeps its
slot from one step to the next, and gives it up only if it has to wait.
"""

import asyncio
import heapq
from dataclasses import dataclass, field
from itertools import count

from weiwo.nodes.executor.reading.batch_reader import ReadBatches
from weiwo.nodes.executor.reading.reading import SentenceCheck, carries_nothing
from weiwo.nodes.shared.run_context import RunContext
from weiwo.state import Evidence, Outcome, Plan
from weiwo.state.events import TaskFinishedEvent
from weiwo.state.query import QueryFrame
from weiwo.text.values import render


class PriorityLimiter:
    """Semaphore that limits the tasks working at the same time. Tasks that have begun are served first.

    Args:
        free: The maximum number of tasks.
    """

    def __init__(self, free: int) -> None:
        self._free = free
        self._waiting: list[tuple[bool, int, asyncio.Future[None]]] = []
        self._arrival = count()

    def is_locked(self) -> bool:
        """Report whether a new caller has to wait."""
        return self._free == 0

    async def acquire(self, *, begun: bool = False) -> None:
        """Wait for a slot. Among those waiting, tasks that have begun (`begun`) go first."""
        if self._free:
            self._free -= 1
            return
        granted: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._waiting, (not begun, next(self._arrival), granted))
        try:
            await granted
        except asyncio.CancelledError:
            # The task may be cancelled just as its permit is granted. The permit must be passed on.
            if granted.done() and not granted.cancelled():
                self.release()
            raise

    def release(self) -> None:
        """Give a slot back."""
        while self._waiting:
            _, _, granted = heapq.heappop(self._waiting)
            if not granted.done():
                granted.set_result(None)
                return
        self._free += 1


class Lease:
    """A task's hold on a slot.

    Take it with `async with` for each step. After a step without an error the slot is kept for the next step. Call
    `end` when the task is over.
    """

    def __init__(self, limiter: PriorityLimiter) -> None:
        self._limiter = limiter
        self._begun = False
        self._kept = False
        self._over = False

    async def __aenter__(self) -> None:
        if self._kept:
            self._kept = False
            return
        await self._limiter.acquire(begun=self._begun)
        self._begun = True

    async def __aexit__(self, error: type[BaseException] | None, *_: object) -> None:
        if error is None and not self._over:
            self._kept = True
        else:
            self._limiter.release()

    def give_up(self) -> None:
        """Return a kept slot, because the next step has to wait for other tasks. Does nothing during a step."""
        if self._kept:
            self._kept = False
            self._limiter.release()

    def end(self) -> None:
        """Return the slot for good. If a step is still running, the slot is returned at the end of the step."""
        self._over = True
        self.give_up()


@dataclass(frozen=True)
class TaskResources:
    """Resources shared by the tasks of an execution.

    Attributes:
        services: The run's resources.
        limiter: Limits the tasks that work at the same time. Waiting takes no slot.
        frame: The user's question.
        tools: The tools that tasks may use.
        passages: Passages found by finished tasks, by id, for tasks that analyse them.
        batches: Reads tasks together that come to be read at the same time.
        plan: The executed plan.
        carries: Checks by code that passages support a sentence.
        finished: Outcomes of tasks, in this execution and earlier executions.
    """

    services: RunContext
    limiter: PriorityLimiter
    frame: QueryFrame
    tools: tuple[str, ...]
    passages: dict[str, Evidence] = field(default_factory=dict)
    batches: ReadBatches = field(default_factory=ReadBatches)
    plan: Plan | None = None
    carries: SentenceCheck = carries_nothing
    finished: list[Outcome] = field(default_factory=list)

    def report_finished(self, outcome: Outcome) -> None:
        """Record the outcome of a task and emit its event."""
        self.finished.append(outcome)
        shown = "" if outcome.value is None else render(outcome.value, outcome.type, self.services.language)
        self.services.emit(
            TaskFinishedEvent(
                task_id=outcome.task_id,
                status=outcome.status,
                value=shown[: TaskFinishedEvent.LONGEST_VALUE],
                tool=outcome.tool,
                attempts=outcome.attempts,
                seconds=round(outcome.seconds, 3),
                decided_by=outcome.decided_by,
                failure=outcome.failure.message if outcome.failure else "",
                failure_kind=outcome.failure.kind if outcome.failure else "",
                note=outcome.note,
                cached=outcome.trace.cached,
            )
        )
