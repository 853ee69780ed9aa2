"""Construction of task outcomes. All are made here, so that each has the data for the trace."""

from collections.abc import Sequence
from typing import Any, Final, Literal

from weiwo.nodes.executor.reading.reading import Judgement
from weiwo.nodes.executor.task_state import TaskState, call_query, opened_address, source_address
from weiwo.nodes.shared.planning.task_identity import content_words
from weiwo.state import Evidence, Failure, FailureKind, Outcome, OutcomeDetail, Task, TaskTrace
from weiwo.text.printable import one_line
from weiwo.text.values import coerce
from weiwo.tools.calling.invoke import ToolResult


def outcome_of_reading(task: Task, judgement: Judgement, state: TaskState) -> Outcome:
    """Return the outcome of a value read from passages."""
    reading = judgement.reading
    return Outcome(
        task_id=task.id,
        status="succeeded",
        value=reading.value,
        type="text" if reading.premise else task.ret,
        evidence_ids=reading.evidence_ids,
        quotes=reading.quotes,
        tool=state["call"]["tool"],
        attempts=state.get("attempts", 0),
        seconds=state["seconds"],
        decided_by=judgement.decided_by,
        confidence=reading.confidence,
        detail=reading.detail,
        trace=TaskTrace(cached=state.get("cached", False), **_pages(state)),
        note=reading.missing,
        support=reading.support,
        rivals=reading.rivals,
        basis=reading.basis,
        premise=reading.premise,
    )


def outcome_without_value(
    task: Task, judgement: Judgement, missing: str, state: TaskState, *, gave_up: bool = False
) -> Outcome:
    """Return the outcome of a task for which the passages have no answer.

    Its message includes values that a chain of look-ups found on its way, so that a new plan can use them.

    Args:
        task: The task.
        judgement: The last judgement.
        missing: What is missing.
        state: The task's state.
        gave_up: Whether a model saw nothing more worth trying although it might have gone on, or used up the turns of a
            chain.
    """
    if known := "; ".join(f"{hop.question} → {hop.value}" for hop in judgement.hops):
        missing = f"{missing} ({known})"  # so that a new plan can use these values
    empty = unfinished_outcome(task, "empty", "empty", missing, state, state["call"]["tool"])
    reading = judgement.reading
    detail = OutcomeDetail(hops=judgement.hops, sentence=reading.detail.sentence)
    trace = empty.trace.model_copy(update={"gave_up": gave_up})
    carried = {"evidence_ids": reading.evidence_ids, "quotes": reading.quotes}
    return empty.model_copy(update={"decided_by": judgement.decided_by, "detail": detail, "trace": trace, **carried})


def choose_better(earlier: Outcome | None, now: Outcome) -> Outcome:
    """Return the better of two outcomes of a task: one with a value, then the more confident, then the later one.

    The attempts and time of the later outcome are taken over, since they include the earlier one's.
    """
    if earlier is None or (now.answers and now.confidence >= earlier.confidence):
        return now
    trace = earlier.trace.model_copy(update={"opened": now.trace.opened, "unread": now.trace.unread})
    return earlier.model_copy(update={"attempts": now.attempts, "seconds": now.seconds, "trace": trace})


def _pages(state: TaskState) -> dict[str, tuple[str, ...]]:
    """Return the addresses that a task opened, as `opened`, and those of them that could not be read, as `unread`."""
    calls = [(call["tool"], address) for call in state.get("tried", ()) if (address := opened_address(call))]
    opened, tools = dict.fromkeys(address for _, address in calls), {tool for tool, _ in calls}
    read = {
        source_address(passage.source) for passage in state.get("passages", ()) if passage.tool in tools
    }  # a substitute tool may have read a page that failed
    unread = (address for address in opened if address in state.get("failed", {}) and address not in read)
    return {"opened": tuple(opened), "unread": tuple(unread)}


def _list_shown(state: TaskState) -> dict[str, Any]:
    """Return the question and the passages shown to a reader in vain, as fields of the trace.

    Empty if none were shown, and for a chain with intermediate values, because it may need the passages again.
    """
    if not (seen := state.get("seen")) or state.get("hops"):
        return {}
    asked = content_words(state["frame"].question)
    return {"asked": asked, "seen": tuple(seen[-_MOST_SEEN:]), "kept": tuple(state.get("kept", ()))}


_MOST_SEEN: Final = 60
_CALCULABLE: Final = frozenset({"number", "date"})


def outcome_of_computation(
    task: Task, result: ToolResult, state: TaskState, passages: Sequence[Evidence] = ()
) -> Outcome:
    """Return the outcome of a computed value, or a failure if the value cannot be read as the promised type.

    The value rests on the passages of its inputs, and on those that the tool names. A wrong type, handed on, would
    surface two tasks later as a wrong number. A number and a date may stand for each other, since every calculation
    takes either.
    """
    tool = state["call"]["tool"]
    # A time of day, a duration or a version is shown as it stands in the table: 2.10 is no 2.1.
    type_ = "text" if tool == "query_table" and result.type == "text" else task.ret
    try:
        value = coerce(result.value, type_)
    except ValueError as error:
        if result.type is None or not {result.type, type_} <= _CALCULABLE:
            return unfinished_outcome(task, "failed", "incomplete", f"{tool}: {error}", state, tool)
        value, type_ = result.value, result.type or type_
    inputs = (key for source in state["inputs"].values() for key in source.evidence_ids)
    return Outcome(
        task_id=task.id,
        status="succeeded",
        value=value,
        type=type_,
        evidence_ids=tuple(dict.fromkeys([*(passage.id for passage in passages), *inputs])),
        tool=tool,
        attempts=state.get("attempts", 0),
        seconds=state["seconds"],
        detail=OutcomeDetail(computation=result.detail),
        trace=TaskTrace(cached=state.get("cached", False)),
    )


def unfinished_outcome(
    task: Task,
    status: Literal["failed", "empty"],
    kind: FailureKind,
    message: str,
    state: TaskState,
    tool: str = "",
) -> Outcome:
    """Return the outcome of a task without a result, with the reason and earlier failures.

    Args:
        task: The task.
        status: "failed", or "empty" if nothing was found.
        kind: The kind of failure.
        message: The reason.
        state: The task's state.
        tool: The tool that failed. By default the task's tool.
    """
    ended = {} if status == "empty" else {tool or task.tool: message}
    # Searches without an answer, or without an answer from all providers, are told with their reasons.
    calls = (call for call in state.get("tried", ()) if not opened_address(call))
    searches = tuple(dict.fromkeys((call["tool"], query) for call in calls if (query := call_query(call))))
    failed = {**state.get("failed", {}), **ended}
    searched = {tool for tool, _ in searches}
    unanswered = (*(why for name, why in failed.items() if name in searched), *state.get("notes", ()))
    if earlier := state.get("failed"):
        message = one_line(f"{message} (before that: {'; '.join(earlier.values())})", 600)
    return Outcome(
        task_id=task.id,
        status=status,
        type=task.ret,
        tool=tool or task.tool,
        attempts=state.get("attempts", 0),
        seconds=state.get("seconds", 0.0),
        trace=TaskTrace(searches=searches, unanswered=unanswered, **_pages(state), **_list_shown(state)),
        failure=Failure(task_id=task.id, kind=kind, message=message),
    )


def crashed_outcome(task: Task, error: Exception) -> Outcome:
    """Return the outcome of a task in which an internal error was raised."""
    message = f"{task.id} broke off: {type(error).__name__}: {' '.join(str(error).split())[:200]}"
    return Outcome(
        task_id=task.id,
        status="failed",
        type=task.value_type,
        tool=task.tool,
        failure=Failure(task_id=task.id, kind="crash", message=message),
    )
