"""The executor: what happens inside one task.

A task fills its arguments from upstream values, calls its tool (or a substitute of the same functional
cluster when that fails), reads what came back, and, while that is not enough, searches again or
opens a document, up to its turns. Whatever happens ends in a typed outcome. `graph.dag` decides when tasks run;
this module only knows one.
"""

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from nodes import outcomes
from nodes.handoff import fill_args, fill_text
from nodes.reader import Judgement, Progress, judge
from nodes.services import Services
from nodes.slots import Slots, Turn
from nodes.task_state import Call, TaskState, fingerprint
from state import ITEM, Evidence, Outcome, Task
from text.values import render
from tools.calls import Caller
from tools.policies import POLICIES
from tools.run import ToolFailure, ToolResult

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
    """Make the next tool call of a task."""
    task, services = state["task"], work.services.scoped()
    number = state.get("turn", 0) + 1
    try:
        call = state.get("call") or _first_call(task, state["inputs"], services)
    except ValueError as error:
        return {"outcome": outcomes.unfinished(task, "failed", "bad_arguments", str(error), state)}
    except KeyError:  # the run goes on where another set of tools is set up
        gone = f"{task.tool}: no such tool is set up here"
        return {"outcome": outcomes.unfinished(task, "failed", "not_found", gone, state)}
    services.emit(_progress(state, number, call))
    tried = [*state.get("tried", []), fingerprint(call)]
    substitute = _substitute(call, {**state, "tried": tried}, work)
    caller = _caller(task, call, services, turn)
    try:
        result = await services.calls.call(call["tool"], call["args"], caller, has_substitute=substitute is not None)
    except ToolFailure as failure:
        update = _spent(state, failure, services)
        known: TaskState = {**state, **update}  # type: ignore[typeddict-item]
        if substitute is not None and POLICIES[failure.kind].substitute:
            failed = {**state.get("failed", {}), call["tool"]: failure.message}
            return {**update, "tried": tried, "failed": failed, "call": substitute}
        outcome = outcomes.unfinished(task, "failed", failure.kind, failure.message, known, call["tool"])
        return {**update, "tried": tried, "outcome": outcome}
    update = {
        **_spent(state, result, services),
        "call": call,
        "tried": tried,
        "turn": number,
        "cached": result.cached,
    }
    if result.cached:
        note = f"{call['tool']}: kept from an earlier call"
        services.emit({"type": "task_progress", "task_id": task.id, "tool": call["tool"], "cached": True, "note": note})
    if result.value is not None and result.type is not None:
        known = {**state, **update}  # type: ignore[typeddict-item]
        return {**update, "outcome": outcomes.computed(task, result, known)}
    old = state.get("passages", [])
    known_ids = {passage.id for passage in old}
    update["fresh"] = sum(passage.id not in known_ids for passage in result.passages)
    return {**update, "passages": _merged(old, result.passages, task.id)}


async def read(state: TaskState, work: Work, turn: Turn) -> dict[str, Any]:
    """Read what a task has found; decide its outcome or its next call."""
    task, services = state["task"], work.services.scoped()
    limits = services.settings.limits
    question = fill_text(task.description, state["inputs"], services.language)
    passages = state.get("passages", [])
    started = time.monotonic()
    last = state["turn"] >= limits.max_turns
    async with turn:
        judgement = await judge(
            question or work.question,
            task.ret,
            passages,
            services.language,
            services.models,
            Progress(
                whole=work.question,
                tried=[str(json.loads(entry)[1].get("query", "")) for entry in state["tried"]],
                turns_left=limits.max_turns - state["turn"],
                nothing_new=not state.get("fresh", 1),
            ),
        )
    spent = state.get("seconds", 0.0) + time.monotonic() - started
    update: dict[str, Any] = {"seconds": spent, "usage": services.budget.delta()}
    known: TaskState = {**state, **update}  # type: ignore[typeddict-item]
    if judgement.reading.value is not None:
        return {**update, "outcome": outcomes.found(task, judgement, known), "evidence": _kept(passages, judgement)}
    if not last and (call := _next_call(question, judgement, state, work)) is not None:
        return {**update, "call": call}
    missing = judgement.reading.missing or f"nothing found answers: {question}"
    outcome = outcomes.unfinished(task, "empty", "empty", missing, known, state["call"]["tool"])
    outcome = outcome.model_copy(update={"decided_by": judgement.decided_by})
    return {**update, "outcome": outcome, "evidence": _kept(passages, judgement)}


def after_act(state: TaskState) -> Literal["act", "read", "done"]:
    """After a call: done with an outcome, on to a substitute, or read."""
    if "outcome" in state:
        return "done"
    return "read" if state["call"] and fingerprint(state["call"]) in state["tried"] else "act"


def after_read(state: TaskState) -> Literal["act", "done"]:
    """After reading: done, or another call."""
    return "done" if "outcome" in state else "act"


def _first_call(task: Task, inputs: Mapping[str, Outcome], services: Services) -> Call:
    schema = services.registry.info(task.tool).args_schema
    return {"tool": task.tool, "args": fill_args(task, inputs, services.language, schema)}


def _caller(task: Task, call: Call, services: Services, turn: Turn) -> Caller:
    """A task as the tools see it: what pays for a call, and who hears of it."""

    def tell(note: str) -> None:
        services.emit({"type": "task_progress", "task_id": task.id, "tool": call["tool"], "note": note})

    return Caller(turn, services.work_seconds, services.budget.record_tool_call, tell)


def _spent(state: TaskState, done: ToolResult | ToolFailure, services: Services) -> dict[str, Any]:
    """What a call, made or not, has cost."""
    return {
        "attempts": state.get("attempts", 0) + done.attempts,
        "seconds": state.get("seconds", 0.0) + done.seconds,
        "usage": services.budget.delta(),
    }


def _substitute(call: Call, state: TaskState, work: Work) -> Call | None:
    """The same call for another tool of the cluster: one not yet tried with it, that has not failed this task yet."""
    for name, args in work.services.calls.substitutes(call["tool"], call["args"]).items():
        other: Call = {"tool": name, "args": args}
        if name in work.tools and name not in state.get("failed", {}) and fingerprint(other) not in state["tried"]:
            return other
    return None


def _next_call(question: str, judgement: Judgement, state: TaskState, work: Work) -> Call | None:
    """Where to look next when reading found nothing: as the model said, else other words, else another tool."""
    current = state["call"]
    options: list[Call] = []
    if judgement.move == "open" and judgement.source and "open_document" in work.tools:
        options.append({"tool": "open_document", "args": {"source": judgement.source, "query": question}})
    if judgement.move == "search" and judgement.query and "query" in current["args"]:
        options.append({"tool": current["tool"], "args": {**current["args"], "query": judgement.query}})
    if judgement.decided_by == "rule":
        if "query" in current["args"] and question:
            options.append({"tool": current["tool"], "args": {**current["args"], "query": question}})
        if POLICIES["empty"].substitute and (substitute := _substitute(current, state, work)) is not None:
            options.append(substitute)
    return next((call for call in options if fingerprint(call) not in state["tried"]), None)


def _progress(state: TaskState, turn: int, call: Call) -> dict[str, Any]:
    task, item = state["task"], state["inputs"].get(ITEM)
    event: dict[str, Any] = {
        "type": "task_progress" if "call" in state else "task_started",
        "task_id": task.id,
        "description": task.description,
        "turn": turn,
        "tool": call["tool"],
        "args": call["args"],
    }
    return event if item is None else {**event, "item": item.value}


def _merged(old: list[Evidence], new: tuple[Evidence, ...], task_id: str) -> list[Evidence]:
    """New passages first (they answer the latest query), known ones kept once."""
    own = task_id.partition("[")[0]
    fresh = [passage.model_copy(update={"task_ids": (own,)}) for passage in new]
    return list({passage.id: passage for passage in (*fresh, *old)}.values())


def _kept(passages: list[Evidence], judgement: Judgement) -> dict[str, Evidence]:
    cited = set(judgement.reading.evidence_ids)
    ordered = sorted(passages, key=lambda passage: passage.id not in cited)
    return {passage.id: passage for passage in ordered[: max(KEPT_PASSAGES, len(cited))]}
