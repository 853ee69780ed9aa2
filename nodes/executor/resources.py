"""What the tasks of one execution share."""

from dataclasses import dataclass, field

from weiwo.nodes.executor.concurrency import PriorityLimiter
from weiwo.nodes.executor.reading.batch_reader import ReadBatches
from weiwo.nodes.shared.run_context import RunContext
from weiwo.state import Evidence, Outcome, Plan
from weiwo.state.events import TaskFinishedEvent
from weiwo.state.query import QueryFrame
from weiwo.text.values import render


@dataclass(frozen=True)
class TaskResources:
    """Resources that the tasks of one execution share.

    Attributes:
        services: The run's resources.
        limiter: Bounds the tasks that work at the same time; waiting takes none.
        frame: The user's question.
        tools: The tools tasks may use.
        passages: What the tasks that have finished found, by id, for those that analyse it.
        batches: Reads tasks together that come to read at the same time.
        plan: The plan that is executed.
    """

    services: RunContext
    limiter: PriorityLimiter
    frame: QueryFrame
    tools: tuple[str, ...]
    passages: dict[str, Evidence] = field(default_factory=dict)
    batches: ReadBatches = field(default_factory=ReadBatches)
    plan: Plan | None = None

    def report_finished(self, outcome: Outcome) -> None:
        """Tell the watchers what a task came to."""
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
                cached=outcome.detail.cached,
            )
        )
