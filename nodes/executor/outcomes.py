"""The outcomes a task can come to, built in one place so that each carries what the trace needs."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

from weiwo.nodes.executor.reading.reading import Judgement
from weiwo.nodes.executor.task_state import TaskState, call_query, opened_address, source_address
from weiwo.nodes.shared.planning.task_identity import content_words
from weiwo.state import Evidence, Failure, FailureKind, Outcome, OutcomeDetail, Task, TaskTrace
from weiwo.text.printable import one_line
from weiwo.text.values import coerce
from weiwo.tools.calling.invoke import ToolResult


def outcome_of_reading(task: Task, judgement: Judgement, state: TaskState) -> Outcome:
    """A value read out of passages."""
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
    """What a task comes to whose passages do not answer it; what a chain found on its way is told with it.

    `gave_up`: a model saw nothing more worth trying although it might have gone on, or used up the turns of a chain.
    """
    if known := "; ".join(f"{hop.question} → {hop.value}" for hop in judgement.hops):
        missing = f"{missing} ({known})"  # which a plan for the rest can build on
    empty = unfinished_outcome(task, "empty", "empty", missing, state, state["call"]["tool"])
    reading = judgement.reading
    detail = OutcomeDetail(hops=judgement.hops, sentence=reading.detail.sentence)
    trace = empty.trace.model_copy(update={"gave_up": gave_up})
    carried = {"evidence_ids": reading.evidence_ids, "quotes": reading.quotes}
    return empty.model_copy(update={"decided_by": judgement.decided_by, "detail": detail, "trace": trace, **carried})


def choose_better(earlier: Outcome | None, now: Outcome) -> Outcome:
    """What a task comes to of two outcomes: the one with a value, then the surer one, then the later one.

    What the later one took counts for both.
    """
    if earlier is None or (now.answers and now.confidence >= earlier.confidence):
        return now
    trace = earlier.trace.model_copy(update={"opened": now.trace.opened, "unread": now.trace.unread})
    return earlier.model_copy(update={"attempts": now.attempts, "seconds": now.seconds, "trace": trace})


def _pages(state: TaskState) -> dict[str, tuple[str, ...]]:
    """The pages and documents that a task opened, and those that could not be read."""
    calls = [(call["tool"], address) for call in state.get("tried", ()) if (address := opened_address(call))]
    opened, tools = dict.fromkeys(address for _, address in calls), {tool for tool, _ in calls}
    read = {source_address(one.source) for one in state.get("passages", ()) if one.tool in tools}  # by a stand-in, say
    unread = (address for address in opened if address in state.get("failed", {}) and address not in read)
    return {"opened": tuple(opened), "unread": tuple(unread)}


def _shown(state: TaskState) -> dict[str, Any]:
    """What a reader was shown in vain; of a chain that found something on its way, nothing: it may need that again."""
    if not (seen := state.get("seen")) or state.get("hops"):
        return {}
    asked = content_words(state["frame"].question)
    return {"asked": asked, "seen": tuple(seen[-_MOST_SEEN:]), "kept": tuple(state.get("kept", ()))}


def _searches(state: TaskState) -> tuple[tuple[str, str], ...]:
    """The tools and queries that a task searched with, each once."""
    calls = (call for call in state.get("tried", ()) if not opened_address(call))
    return tuple(dict.fromkeys((call["tool"], query) for call in calls if (query := call_query(call))))


def _unanswered(state: TaskState, ended: Mapping[str, str]) -> tuple[str, ...]:
    """Why searches were not answered, or not by all that were asked; `ended`, what ended the task, by its tool."""
    searched = {tool for tool, _ in _searches(state)}
    failed = {**state.get("failed", {}), **ended}
    return (*(why for name, why in failed.items() if name in searched), *state.get("notes", ()))


_MOST_SEEN: Final = 60
_CALCULABLE: Final = frozenset({"number", "date"})


def outcome_of_computation(
    task: Task, result: ToolResult, state: TaskState, passages: Sequence[Evidence] = ()
) -> Outcome:
    """A value a tool worked out; it rests on what its inputs rest on, and on the passages that the tool names.

    What cannot be read as the type that others were promised is a failure that names it: a wrong type, handed on,
    would surface two tasks later as a wrong number. A number and a date may stand for each other, since whatever
    calculates takes either.
    """
    tool = state["call"]["tool"]
    type_ = task.ret
    try:
        value = coerce(result.value, type_)
    except ValueError as error:
        if result.type is None or not {result.type, type_} <= _CALCULABLE:
            return unfinished_outcome(task, "failed", "incomplete", f"{tool}: {error}", state, tool)
        value, type_ = result.value, result.type
    inputs = (key for source in state["inputs"].values() for key in source.evidence_ids)
    return Outcome(
        task_id=task.id,
        status="succeeded",
        value=value,
        type=type_,
        evidence_ids=tuple(dict.fromkeys([*(one.id for one in passages), *inputs])),
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
    """A task that came to nothing, with why, and what had come to nothing before."""
    ended = {} if status == "empty" else {tool or task.tool: message}
    if earlier := state.get("failed"):
        message = one_line(f"{message} (before that: {'; '.join(earlier.values())})", 600)
    return Outcome(
        task_id=task.id,
        status=status,
        type=task.ret,
        tool=tool or task.tool,
        attempts=state.get("attempts", 0),
        seconds=state.get("seconds", 0.0),
        trace=TaskTrace(
            searches=_searches(state), unanswered=_unanswered(state, ended), **_pages(state), **_shown(state)
        ),
        failure=Failure(task_id=task.id, kind=kind, message=message),
    )


def crashed_outcome(task: Task, error: Exception) -> Outcome:
    """The outcome of a task whose own machinery failed."""
    message = f"{task.id} broke off: {type(error).__name__}: {' '.join(str(error).split())[:200]}"
    return Outcome(
        task_id=task.id,
        status="failed",
        type=task.value_type,
        tool=task.tool,
        failure=Failure(task_id=task.id, kind="crash", message=message),
    )
