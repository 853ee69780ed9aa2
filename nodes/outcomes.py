"""The outcomes a task can come to, built in one place so that each carries what the trace needs."""

from typing import Literal

from nodes.reader import Judgement
from nodes.task_state import TaskState
from state import Failure, FailureKind, Outcome, Task
from text.values import coerce
from tools.run import ToolResult


def found(task: Task, judgement: Judgement, state: TaskState) -> Outcome:
    """A value read out of passages."""
    reading = judgement.reading
    return Outcome(
        task_id=task.id,
        status="succeeded",
        value=reading.value,
        type=task.ret,
        evidence_ids=reading.evidence_ids,
        quotes=reading.quotes,
        tool=state["call"]["tool"],
        attempts=state["turn"],
        seconds=state["seconds"],
        decided_by=judgement.decided_by,
        confidence=reading.confidence,
        detail=dict(reading.detail),
        note=reading.missing if judgement.decided_by == "model" else "",
    )


def computed(task: Task, result: ToolResult, state: TaskState) -> Outcome:
    """A value a tool worked out; it rests on what its inputs rest on."""
    try:
        value = coerce(result.value, task.ret)
        type_ = task.ret
    except ValueError:
        value, type_ = result.value, result.type or "text"  # the tool knows its own type better than the plan
    return Outcome(
        task_id=task.id,
        status="succeeded",
        value=value,
        type=type_,
        evidence_ids=tuple(dict.fromkeys(key for source in state["inputs"].values() for key in source.evidence_ids)),
        tool=state["call"]["tool"],
        attempts=state["turn"],
        seconds=state["seconds"],
        detail={**result.detail, "computed": True},
    )


def unfinished(
    task: Task,
    status: Literal["failed", "empty"],
    kind: FailureKind,
    message: str,
    state: TaskState,
    tool: str = "",
) -> Outcome:
    """A task that came to nothing, with why."""
    return Outcome(
        task_id=task.id,
        status=status,
        type=task.ret,
        tool=tool or task.tool,
        attempts=state.get("turn", 0),
        seconds=state.get("seconds", 0.0),
        failure=Failure(task_id=task.id, kind=kind, message=message),
    )


def crashed(task: Task, error: Exception) -> Outcome:
    """The outcome of a task whose own machinery failed."""
    message = f"{task.id} broke off: {type(error).__name__}: {' '.join(str(error).split())[:200]}"
    return Outcome(
        task_id=task.id,
        status="failed",
        type=task.value_type,
        tool=task.tool,
        failure=Failure(task_id=task.id, kind="crash", message=message),
    )
