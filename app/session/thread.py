"""Threads, read from the newest checkpoints."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from weiwo.app.errors import unknown_thread
from weiwo.app.session.checkpoint_events import finished_tasks
from weiwo.app.session.revisions import revisions_of
from weiwo.app.session.session import Session
from weiwo.app.session.waiting import Waiting, read_waiting
from weiwo.nodes.shared.planning.question_graph import nest_questions
from weiwo.state import Outcome, Usage


@dataclass(frozen=True)
class Thread:
    """A thread, read from a checkpoint.

    Attributes:
        thread_id: Its id.
        values: Its state.
        waiting: The requests it waits for.
        pending: Outcomes of an interrupted execution, which have not reached the state.
        metadata: The metadata of its newest checkpoint about the run that made it.
    """

    thread_id: str
    values: Mapping[str, Any]
    waiting: Waiting
    pending: Mapping[str, Outcome]
    metadata: Mapping[str, Any] = field(default_factory=dict)

    @property
    def next(self) -> tuple[str, ...]:
        """Nodes still to run. Empty when the latest question is answered."""
        return self.waiting.under_way

    @property
    def waits(self) -> bool:
        """Report whether a person is asked, or will be asked by the next node."""
        return self.waiting.status == "waiting"

    @property
    def question(self) -> str:
        """Latest question, as asked."""
        return str(self.values.get("question") or "")


async def read_thread(session: Session, thread_id: str) -> Thread:
    """Read a thread.

    Raises:
        MisuseError: There is no such thread.
    """
    snapshot = await session.graph.aget_state({"configurable": {"thread_id": thread_id}})
    if snapshot.created_at is None:
        raise unknown_thread(thread_id)
    pending = await finished_tasks(session.saver, snapshot)
    return Thread(thread_id, snapshot.values, read_waiting(snapshot), pending, snapshot.metadata or {})


MOST_CHECKPOINTS: Final = 1_000
"""Number of a thread's newest checkpoints that are searched for earlier answers."""


def pick_earlier_results(checkpoints: Iterable[tuple[str, str, Mapping[str, Any] | None]]) -> list[dict[str, Any]]:
    """Pick the results of a thread's earlier questions, oldest first, without the result of the latest question.

    Only checkpoints on the path from the newest one back to the first count, so that answers on a branch that a fork
    left are not picked.

    Args:
        checkpoints: `(checkpoint id, parent's checkpoint id, result)` for each checkpoint, newest first. The result is
            None, unless a question ends at the checkpoint.
    """
    found: list[dict[str, Any]] = []
    wanted = None
    for checkpoint, parent, result in checkpoints:
        if wanted is None or checkpoint == wanted:  # else it is of a branch that was left
            wanted = parent
            found += [dict(result)] if result else []
    return found[:0:-1]


def thread_as_json(thread: Thread) -> dict[str, Any]:
    """Return a thread as JSON values: the result of its latest question, with its question graph and earlier plans.

    For an unanswered question, the plan, outcomes and waiting requests so far, with the status `waiting` or
    `interrupted`.
    """
    values = thread.values
    assessment, team, plan = values.get("assessment"), values.get("team"), values.get("plan")
    outcomes = {**(values.get("outcomes") or {}), **thread.pending}
    more = {
        "thread_id": thread.thread_id,
        "question_graph": nest_questions(plan, outcomes, assessment.language) if plan and assessment else None,
        "revisions": [revision.to_json() for revision in revisions_of(values)],
    }
    if not thread.next and values.get("result"):
        return {**values["result"], **more}
    outcomes = {task_id: outcomes[task_id] for task_id in (plan.ids if plan else ()) if task_id in outcomes}
    return {
        "question": thread.question,
        "status": "waiting" if thread.waits else "interrupted",
        "next": list(thread.next),
        "interrupts": [{"id": interrupt.id, "value": interrupt.value} for interrupt in thread.waiting.interrupts],
        "level": assessment.level if assessment else None,
        "team": team.name if team else None,
        "plan": plan.to_json() if plan else None,
        "outcomes": {key: outcome.model_dump(mode="json", exclude={"task_id"}) for key, outcome in outcomes.items()},
        "reflections": [past.model_dump(mode="json") for past in values.get("reflections") or ()],
        "usage": (values.get("usage") or Usage()).model_dump(mode="json"),
        **more,
    }
