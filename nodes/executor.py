"""The executor: what happens inside one task.

A task fills its arguments from upstream values, calls its tool (or a substitute of the same functional
cluster when that fails), reads what came back, and, while that is not enough, searches again or
opens a document, up to its turns. Whatever happens ends in a typed outcome. `graph.dag` decides when tasks run;
this module only knows one.
"""

import asyncio
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from nodes import each, outcomes
from nodes.handoff import fill_args, fill_text
from nodes.reader import Judgement, Progress, judge
from nodes.services import Services
from nodes.task_state import Call, TaskInput, TaskState, fingerprint
from state import ITEM, Evidence, JsonValue, Outcome, Task
from text.values import render
from tools.run import ToolFailure, ToolResult, run_tool

KEPT_PASSAGES = 8
"""Passages a task hands to the state beside those it cites; whole results would swell every checkpoint."""


@dataclass(frozen=True)
class Work:
    """What the tasks of one execution share.

    Attributes:
        services: The run's resources.
        slots: Bounds the work that goes on at the same time; held while working, never while waiting.
        question: The user's question.
        tools: The tools tasks may use.
    """

    services: Services
    slots: asyncio.Semaphore
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
            }
        )


async def act(state: TaskState, work: Work) -> dict[str, Any]:
    """Make the next tool call of a task."""
    task, services = state["task"], work.services.scoped()
    turn = state.get("turn", 0) + 1
    try:
        call = state.get("call") or _first_call(task, state["inputs"], services)
    except ValueError as error:
        return {"outcome": outcomes.unfinished(task, "failed", "bad_arguments", str(error), state)}
    services.emit(_progress(state, turn, call))
    tried = [*state.get("tried", []), fingerprint(call)]
    started = time.monotonic()
    async with work.slots:
        try:
            result = await _call(call, services)
        except ToolFailure as failure:
            spent = state.get("seconds", 0.0) + time.monotonic() - started
            update: dict[str, Any] = {"tried": tried, "turn": turn, "seconds": spent, "usage": services.budget.delta()}
            if (substitute := _substitute(call, tried, work)) is not None and failure.kind != "limit":
                return {**update, "call": substitute}
            known: TaskState = {**state, **update}  # type: ignore[typeddict-item]
            return {
                **update,
                "outcome": outcomes.unfinished(task, "failed", failure.kind, failure.message, known, call["tool"]),
            }
    update = {
        "call": call,
        "tried": tried,
        "turn": turn,
        "seconds": state.get("seconds", 0.0) + time.monotonic() - started,
        "usage": services.budget.delta(),
    }
    if result.value is not None and result.type is not None:
        known = {**state, **update}  # type: ignore[typeddict-item]
        return {**update, "outcome": outcomes.computed(task, result, known)}
    old = state.get("passages", [])
    known_ids = {passage.id for passage in old}
    update["fresh"] = sum(passage.id not in known_ids for passage in result.passages)
    return {**update, "passages": _merged(old, result.passages, task.id)}


async def read(state: TaskState, work: Work) -> dict[str, Any]:
    """Read what a task has found; decide its outcome or its next call."""
    task, services = state["task"], work.services.scoped()
    limits = services.settings.limits
    question = fill_text(task.description, state["inputs"], services.language)
    passages = state.get("passages", [])
    started = time.monotonic()
    last = state["turn"] >= limits.max_turns
    async with work.slots:
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


def instances(task: Task, inputs: dict[str, Outcome], work: Work) -> tuple[list[TaskInput], list[JsonValue], int]:
    """The instances of a `for_each` task.

    Returns:
        What each starts from, the items, and how many more the limit cut.
    """
    items, source = each.items_of(task, inputs)
    kept = items[: work.services.settings.limits.max_items]
    starts: list[TaskInput] = []
    for position, item in enumerate(kept):
        if source is not None:
            instance, bound = each.instance_of(task, item, position, source, inputs)
            starts.append({"task": instance, "inputs": bound})
    return starts, kept, len(items) - len(kept)


def _first_call(task: Task, inputs: Mapping[str, Outcome], services: Services) -> Call:
    schema = services.registry.info(task.tool).args_schema
    return {"tool": task.tool, "args": fill_args(task, inputs, services.language, schema)}


async def _call(call: Call, services: Services) -> ToolResult:
    limits, left = services.settings.limits, services.work_seconds()
    if left <= 0:
        raise ToolFailure("limit", "not called: the run's max_seconds is reached")
    services.budget.record_tool_call()
    tool, seconds = services.registry.get(call["tool"]), min(limits.tool_seconds, left)
    try:
        return await run_tool(tool, call["args"], seconds=seconds, max_bytes=limits.max_page_bytes)
    except ToolFailure as failure:
        if failure.kind == "timeout" and services.work_seconds() <= 0:
            raise ToolFailure("limit", f"{tool.name}: broken off, the run's max_seconds is reached") from failure
        raise


def _substitute(call: Call, tried: list[str], work: Work) -> Call | None:
    """The same arguments for another tool of the cluster, one not yet tried with them."""
    for name in work.services.registry.substitutes(call["tool"]):
        properties = work.services.registry.info(name).args_schema.get("properties", {})
        other: Call = {"tool": name, "args": {key: value for key, value in call["args"].items() if key in properties}}
        if name in work.tools and fingerprint(other) not in tried:
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
        if (substitute := _substitute(current, state["tried"], work)) is not None:
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
