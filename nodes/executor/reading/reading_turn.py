"""A turn of reading: whether there is anything to read, what it comes to, and what it found on the way of a chain."""

from collections.abc import Sequence
from dataclasses import replace

from weiwo.nodes.executor.next_action import is_opening_call
from weiwo.nodes.executor.reading.entity_check import may_speak_of
from weiwo.nodes.executor.reading.judgement import Judgement, restore_judgement, reweigh_judgement
from weiwo.nodes.executor.reading.progress_note import TaskProgressNote
from weiwo.nodes.executor.reading.reader import read_passages
from weiwo.nodes.executor.reading.reading import Reading
from weiwo.nodes.executor.task_state import TaskState
from weiwo.nodes.shared.run_context import RunContext
from weiwo.nodes.shared.strategy import MANY_PASSAGES
from weiwo.state import Evidence, Hop
from weiwo.state.events import TaskFinishedEvent, TaskStartedEvent
from weiwo.state.query import QueryFrame


async def judge_turn(
    state: TaskState, frame: QueryFrame, progress: TaskProgressNote, services: RunContext
) -> Judgement:
    """What a task's passages come to; a model is asked only where there is something that it was not shown."""
    ret, passages = state["task"].ret, state.get("passages", [])
    if "best" in state:
        again = await reweigh_judgement(restore_judgement(state["best"]), frame, ret, passages)
        if again is not None:
            return again
    if (known := _nothing_to_read(state, services)) is not None:
        return known
    judgement = await read_passages(frame, ret, passages, services.models, progress)
    if not _gives_up_early(judgement, frame.question, passages, progress):
        return judgement
    seen = [*progress.seen, *judgement.shown]
    rest = replace(
        progress, seen=seen, hops=judgement.hops, latest=0, most=MANY_PASSAGES
    )  # all that is left, not a few
    more = await read_passages(frame, ret, passages, services.models, rest)
    return replace(more, shown=(*judgement.shown, *more.shown))


def _gives_up_early(
    judgement: Judgement, question: str, passages: Sequence[Evidence], progress: TaskProgressNote
) -> bool:
    """Whether a model gives up before it was shown all that may speak of what it looks for: that is shown at once."""
    shown = {*progress.seen, *judgement.shown}
    asked = " ".join((question, *(hop.value for hop in judgement.hops)))
    left = any(passage.id not in shown and may_speak_of(asked, passage) for passage in passages)
    return judgement.decided_by == "model" and judgement.move == "give_up" and left and bool(judgement.shown)


def _nothing_to_read(state: TaskState, services: RunContext) -> Judgement | None:
    """The judgement where a turn brought nothing to show: what the model said before. It is not asked again.

    What it had opened was to tell more of what it knows; of what a search brings again there may be some left to show,
    and on the way of a chain the same passage may answer the next question.
    """
    seen = set(state.get("seen", ()))
    if state.get("fresh", 1) or not seen or "best" in state:
        return None
    shown = not state.get("hops") and all(passage.id in seen for passage in state.get("passages", ()))
    if not shown and not is_opening_call(state["call"], services):
        return None
    return Judgement(reading=Reading(value=None, missing=state.get("missing", "")), decided_by="model", move="search")


def report_hops(hops: Sequence[Hop], before: int, state: TaskState, services: RunContext) -> None:
    """Tell the watchers what a task found on its way, each value as a task of its own: `task_1.2` is the second."""
    turn, tool = state["turn"], state["call"]["tool"]
    for n, hop in enumerate(hops, before + 1):
        name, shown = f"{state['task'].id}.{n}", hop.value[: TaskFinishedEvent.LONGEST_VALUE]
        services.emit(TaskStartedEvent(task_id=name, description=hop.question, turn=turn, tool=tool, args={}))
        services.emit(
            TaskFinishedEvent(
                task_id=name,
                status="succeeded",
                value=shown,
                tool=tool,
                attempts=0,
                seconds=0.0,
                decided_by="model",
                failure="",
                note="",
                cached=False,
            )
        )
