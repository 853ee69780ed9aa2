"""The executor: what happens inside one task.

A task fills its arguments from upstream values and makes its calls (`nodes.calling`), asking a substitute of the same
functional cluster where a tool fails. It reads what came back (`nodes.reader`), and, while that is not enough
(`nodes.sufficiency`), searches again in other words, opens a page or asks another tool (`nodes.moves`), up to its
turns. Whatever happens ends in a typed outcome. `graph.dag` decides when tasks run; this module only knows one.
"""

import asyncio
import time
from dataclasses import dataclass
from typing import Any, Literal

from nodes import outcomes
from nodes.calling import Made, make
from nodes.handoff import fill_args, fill_text
from nodes.merging import merged
from nodes.moves import Moves, opens
from nodes.passages import flagged
from nodes.queries import at_first
from nodes.reader import Judgement, Progress, earlier, judge, reweighed
from nodes.services import Services
from nodes.slots import Slots, Turn
from nodes.sufficiency import doubted, enough, unsettled
from nodes.task_state import OF_CORPUS, Call, TaskState, address_of, opened_by, query_of
from state import ITEM, Evidence, Outcome
from text.values import render
from tools.policies import POLICIES

KEPT_PASSAGES = 8
"""Passages a task hands to the state beside those it cites; whole results would swell every checkpoint."""


@dataclass(frozen=True)
class Work:
    """What the tasks of one execution share.

    Attributes:
        services: The run's resources.
        slots: Bounds the tasks that work at the same time; waiting takes none.
        question: The user's question.
        tools: The tools tasks may use.
    """

    services: Services
    slots: Slots
    question: str
    tools: tuple[str, ...]

    def finished(self, outcome: Outcome) -> None:
        """Tell the watchers what a task came to."""
        shown = "" if outcome.value is None else render(outcome.value, outcome.type, self.services.language)
        self.services.emit(
            {
                "type": "task_finished",
                "task_id": outcome.task_id,
                "status": outcome.status,
                "value": shown[:300],
                "tool": outcome.tool,
                "attempts": outcome.attempts,
                "seconds": round(outcome.seconds, 3),
                "decided_by": outcome.decided_by,
                "failure": outcome.failure.message if outcome.failure else "",
                "note": outcome.note,
                "cached": outcome.detail.get("cached") is True,
            }
        )


async def act(state: TaskState, work: Work, turn: Turn) -> dict[str, Any]:
    """Make the calls of a task's next turn."""
    task, services = state["task"], work.services.scoped()
    try:
        calls = state.get("calls") or _first_calls(state, services)
    except ValueError as error:
        return {"outcome": outcomes.unfinished(task, "failed", "bad_arguments", str(error), state)}
    except KeyError:  # the run goes on where another set of tools is set up
        gone = f"{task.tool}: no such tool is set up here"
        return {"outcome": outcomes.unfinished(task, "failed", "not_found", gone, state)}
    for call in calls:
        services.emit(_progress(state, call))
    tried = [*state.get("tried", []), *calls]
    opened = [*state.get("opened", []), *(opened_by(call) for call in calls if opens(call, services))]
    moves = Moves({**state, "tried": tried, "opened": opened}, _question(state, work), services, work.tools)
    made = await make(calls, task.id, services, turn, {c["tool"] for c in calls if moves.substitute(c)})
    update: dict[str, Any] = {
        "call": calls[0],
        "calls": [],
        "tried": tried,
        "opened": list(dict.fromkeys([*opened, *_found_at(made, services)])),
        "attempts": state.get("attempts", 0) + made.attempts,
        "seconds": state.get("seconds", 0.0) + made.seconds,
        "usage": services.budget.delta(),
    }
    known: TaskState = {**state, **update}  # type: ignore[typeddict-item]
    if not made.results:
        return {**update, **_without_results(known, made, moves, services)}
    copies = [other for call, _ in made.failures if (other := moves.elsewhere(call)) is not None]
    update |= {"calls": copies, "turn": state.get("turn", 0) + (not copies), "cached": made.cached}
    if made.failures:
        update["failed"] = _gone_on_without(known, made, services)
    for call, _ in made.kept:
        note = f"{call['tool']}: kept from an earlier call"
        services.emit({"type": "task_progress", "task_id": task.id, "tool": call["tool"], "cached": True, "note": note})
    if (computed := made.computed) is not None:
        return {**update, "outcome": outcomes.computed(task, computed, {**known, "cached": made.cached})}
    old = state.get("passages", [])
    passages = await asyncio.to_thread(lambda: merged(old, flagged(made.passages(task.id))))
    return {**update, "fresh": max(0, len(passages) - len(old)), "passages": passages}


async def read(state: TaskState, work: Work, turn: Turn) -> dict[str, Any]:
    """Read what a task has found; decide its outcome or its next calls."""
    task, services = state["task"], work.services.scoped()
    question = _question(state, work)
    passages = state.get("passages", [])
    turns_left = services.settings.limits.max_turns - state["turn"]
    started = time.monotonic()
    async with turn:
        progress = Progress(
            whole=work.question,
            tried=[query_of(call) for call in state["tried"] if not opens(call, services)],
            turns_left=turns_left,
            nothing_new=not state.get("fresh", 1),
            failed=list(state.get("failed", {}).values()),
        )
        before = earlier(state["best"]) if "best" in state else None
        settled = before is not None and enough(before, question, passages)
        again = before if before and settled else None
        if again is not None:
            again = await reweighed(again, question, task.ret, passages, services.language)
        judgement = again or await judge(question, task.ret, passages, services.language, services.models, progress)
    if judgement.left_out:
        note = f"{judgement.left_out} passages left out: the prompt has no room for them"
        services.emit({"type": "task_progress", "task_id": task.id, "note": note})
    spent = state.get("seconds", 0.0) + time.monotonic() - started
    update: dict[str, Any] = {"seconds": spent, "usage": services.budget.delta()}
    known: TaskState = {**state, **update}  # type: ignore[typeddict-item]
    sure = enough(judgement, question, passages)
    moves = Moves(known, question, services, work.tools)
    calls: list[Call] = []
    if turns_left > 0:
        calls = moves.after(judgement) if not sure else moves.second(judgement) if unsettled(judgement) else []
    if judgement.reading.value is not None:
        judged = judgement if sure else doubted(judgement, services.language)
        now = outcomes.found(task, judged, known)
        best = now if settled else outcomes.better(state.get("best"), now)
        update |= {"evidence": _kept(passages, judgement), "best" if calls else "outcome": best}
    elif not calls:
        missing = judgement.reading.missing or f"nothing found answers: {question}"
        empty = outcomes.unfinished(task, "empty", "empty", missing, known, state["call"]["tool"])
        empty = empty.model_copy(update={"decided_by": judgement.decided_by})
        outcome = outcomes.better(state.get("best"), empty)
        update |= {"evidence": _kept(passages, judgement), "outcome": outcome}
    return {**update, "calls": calls}


def after_act(state: TaskState) -> Literal["act", "read", "done"]:
    """After the calls of a turn: done with an outcome, on to substitutes, or read."""
    if "outcome" in state:
        return "done"
    return "act" if state.get("calls") else "read"


def after_read(state: TaskState) -> Literal["act", "done"]:
    """After reading: done, or further calls."""
    return "done" if "outcome" in state else "act"


def _first_calls(state: TaskState, services: Services) -> list[Call]:
    """The call that was planned; of a search of the web with the words of the task beside it, where they say more."""
    task, info = state["task"], services.registry.info(state["task"].tool)
    call: Call = {"tool": task.tool, "args": fill_args(task, state["inputs"], services.language, info.args_schema)}
    if info.cluster != "search" or task.tool in OF_CORPUS or not task.description:
        return [call]
    question = fill_text(task.description, state["inputs"], services.language)
    return at_first(call, question, services.language, services.settings.limits.max_queries)


def _without_results(state: TaskState, made: Made, moves: Moves, services: Services) -> dict[str, Any]:
    """How a task goes on when no call of a turn worked: with stand-ins, with what it has, or not at all."""
    worth = [call for call, failure in made.failures if POLICIES[failure.kind].substitute]
    if stand_ins := [o for call in worth if (o := moves.substitute(call) or moves.elsewhere(call)) is not None]:
        return {"failed": _failed(state, made, services), "calls": stand_ins}
    call, failure = made.failures[0]
    over = any(POLICIES[failure.kind].last == "give_up" for _, failure in made.failures)
    if state.get("passages") and not over:
        failed = _gone_on_without(state, made, services)
        return {"failed": failed, "turn": state.get("turn", 0) + 1, "fresh": 0}
    ended = outcomes.unfinished(state["task"], "failed", failure.kind, failure.message, state, call["tool"])
    return {"outcome": outcomes.better(state.get("best"), ended)}


def _gone_on_without(state: TaskState, made: Made, services: Services) -> dict[str, str]:
    """What failed, told to the watchers, where the task goes on with what else it has."""
    for call, failure in made.failures:
        note = failure.message
        services.emit({"type": "task_progress", "task_id": state["task"].id, "tool": call["tool"], "note": note})
    return _failed(state, made, services)


def _failed(state: TaskState, made: Made, services: Services) -> dict[str, str]:
    new = {opened_by(c) if opens(c, services) else c["tool"]: failure.message for c, failure in made.failures}
    return {**state.get("failed", {}), **new}


def _found_at(made: Made, services: Services) -> list[str]:
    """Where the pages and documents were found that a turn opened: redirects may have led elsewhere."""
    return [address_of(p.source) for call, done in made.results if opens(call, services) for p in done.passages]


def _question(state: TaskState, work: Work) -> str:
    """What a task asks, its references filled."""
    return fill_text(state["task"].description, state["inputs"], work.services.language) or work.question


def _progress(state: TaskState, call: Call) -> dict[str, Any]:
    task, item = state["task"], state["inputs"].get(ITEM)
    event: dict[str, Any] = {
        "type": "task_progress" if "call" in state else "task_started",
        "task_id": task.id,
        "description": task.description,
        "turn": state.get("turn", 0) + 1,
        "tool": call["tool"],
        "args": call["args"],
    }
    return event if item is None else {**event, "item": item.value}


def _kept(passages: list[Evidence], judgement: Judgement) -> dict[str, Evidence]:
    reading = judgement.reading
    cited = {*reading.evidence_ids, *(key for rival in reading.rivals for key in rival.evidence_ids)}
    ordered = sorted(passages, key=lambda passage: passage.id not in cited)
    return {passage.id: passage for passage in ordered[: max(KEPT_PASSAGES, len(cited))]}
