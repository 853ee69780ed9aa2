"""Constructors for task outcomes.

All outcomes are built here so that each carries the data for the trace.
"""

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
    """Build the outcome of a value read from passages."""
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
    """Build the outcome of a task without an answer in the passages.

    Values that a chain found on its way are included in the message. `gave_up` says that a model saw nothing more worth
    trying although it might have continued, or used up the turns of a chain.
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
    """Choose the better of two outcomes of a task.

    An outcome with a value wins, then the more confident outcome, then the later one. The cost of the later outcome
    counts for both.
    """
    if earlier is None or (now.answers and now.confidence >= earlier.confidence):
        return now
    trace = earlier.trace.model_copy(update={"opened": now.trace.opened, "unread": now.trace.unread})
    return earlier.model_copy(update={"attempts": now.attempts, "seconds": now.seconds, "trace": trace})


def _pages(state: TaskState) -> dict[str, tuple[str, ...]]:
    """List the pages and documents opened by a task, and the unreadable addresses."""
    calls = [(call["tool"], address) for call in state.get("tried", ()) if (address := opened_address(call))]
    opened, tools = dict.fromkeys(address for _, address in calls), {tool for tool, _ in calls}
    read = {
        source_address(passage.source) for passage in state.get("passages", ()) if passage.tool in tools
    }  # a substitute tool may have read a page that failed
    unread = (address for address in opened if address in state.get("failed", {}) and address not in read)
    return {"opened": tuple(opened), "unread": tuple(unread)}


def _list_shown(state: TaskState) -> dict[str, Any]:
    """Return the passages shown to a reader without success.

    Returns nothing for a chain with intermediate values, because it may need the passages again.
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
    """Build the outcome of a computed value.

    The value rests on the evidence of its inputs, and on the passages that the tool names. A value that cannot be read
    as the promised type is a failure that names it: a wrong type, handed on, would surface two tasks later as a wrong
    number. A number and a date may stand for each other, since every calculation takes either.
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
    """Build the outcome of a task without a result, with the reason and earlier failures."""
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
    """Build the outcome of a task crashed by an internal error."""
    message = f"{task.id} broke off: {type(error).__name__}: {' '.join(str(error).split())[:200]}"
    return Outcome(
        task_id=task.id,
        status="failed",
        type=task.value_type,
        tool=task.tool,
        failure=Failure(task_id=task.id, kind="crash", message=message),
    )
