"""The executor: the work inside a single task.

A turn has four steps, in nodes of the task graph, so that each is checkpointed. `act` chooses the calls, asks a person
to allow calls that act (`ask`) and makes them (`task_calls`). `read` reads the results (`reading`) and decides
(`next_action`): an outcome, or further calls while the results are not enough. What differs by level, depth or tool is
in `nodes.shared.strategy`. This module knows only one task: `fan_out` decides when tasks run.
"""

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from weiwo.nodes.executor import outcomes
from weiwo.nodes.executor.analysis import analyse
from weiwo.nodes.executor.evidence_merging import merge_passages
from weiwo.nodes.executor.next_action import NextActions, further_queries, requested_queries
from weiwo.nodes.executor.prompt import TaskProgressNote
from weiwo.nodes.executor.reading.batch_reader import ReadRequest
from weiwo.nodes.executor.reading.read_ahead import list_waiting, read_ahead, take_ahead
from weiwo.nodes.executor.reading.reader import finds_hops, judge_turn
from weiwo.nodes.executor.reading.reading import Judgement, Reading
from weiwo.nodes.executor.resources import Lease, TaskResources
from weiwo.nodes.executor.task_calls.consent import allowed_calls, ask_person, open_questions
from weiwo.nodes.executor.task_calls.tool_calls import CallBatch, make_calls
from weiwo.nodes.executor.task_state import (
    OF_CORPUS,
    Call,
    TaskState,
    call_query,
    is_opening_call,
    opened_address,
    source_address,
)
from weiwo.nodes.shared.planning.references import fill_args, fill_text
from weiwo.nodes.shared.planning.rule_plan import frame_task
from weiwo.nodes.shared.planning.task_identity import content_words
from weiwo.nodes.shared.prompting.passage_prompt import flag_injections
from weiwo.nodes.shared.question.parser import parse_question
from weiwo.nodes.shared.run_context import RunContext
from weiwo.nodes.shared.strategy import SEARCH_STEPS, ToolKind
from weiwo.state import ITEM, Evidence, Hop, Outcome, Task
from weiwo.state.events import TaskProgressEvent, TaskStartedEvent
from weiwo.state.query import QueryFrame
from weiwo.state.task import ANALYSE
from weiwo.text.localization import localize_message
from weiwo.text.offloading import offload_reading
from weiwo.tools.calling.policies import POLICIES

_NOTHING_ANSWERS: Final = localize_message("executor.node", "nothing_answers")

_KEPT_PASSAGES = 8
_MOST_KEPT = 24
"""Most passages that a task stores in the state, if its argument `k` asks for more than `_KEPT_PASSAGES`.

Cited passages are always stored. Whole results would swell every checkpoint.
"""


@dataclass(frozen=True)
class _Turn:
    """A turn of a task: its state, parsed question and services."""

    state: TaskState
    work: TaskResources
    services: RunContext
    frame: QueryFrame

    @classmethod
    def of(cls, state: TaskState, work: TaskResources) -> "_Turn":
        return cls(state, work, work.services.create_child_context(), _frame(state, work))

    @property
    def task(self) -> Task:
        return self.state["task"]

    def known_with(self, update: Mapping[str, Any]) -> TaskState:
        """Return the state of the task as it will be after a channel update."""
        return {**self.state, **update}  # type: ignore[typeddict-item]

    def next_actions(self, update: Mapping[str, Any]) -> NextActions:
        return NextActions(self.known_with(update), self.frame, self.services, self.work.tools)


async def act(state: TaskState, work: TaskResources, lease: Lease) -> dict[str, Any]:
    """Choose and make the calls of a task's next turn, and return the channel update.

    If a call needs a person's permission, no call is made and `asks` is set. An analysis makes no calls and is finished
    here.
    """
    if state["task"].tool == ANALYSE:
        return await analyse(state, work, lease)
    turn = _Turn.of(state, work)
    chosen = await _choose(turn)
    if isinstance(chosen, Outcome):
        return _noting_found(state, {"outcome": chosen})
    if await open_questions(chosen, state, turn.services):
        return {"calls": chosen, "asks": True}
    update = await _call(turn, allowed_calls(chosen, state, turn.services), lease)
    return _noting_found(state, {**update, "consents": {}} if state.get("consents") else update)


async def ask(state: TaskState, work: TaskResources, shown: str) -> dict[str, Any]:
    """Ask a person about the first call that needs permission, and return the channel update with the answer.

    Args:
        state: The task.
        work: The resources shared by tasks.
        shown: As in `ask_person`.
    """
    turn = _Turn.of(state, work)
    try:
        questions = await open_questions(state.get("calls", []), state, turn.services)
    except KeyError:
        return {"outcome": _gone_outcome(state), "asks": False}
    if not questions:
        return {"asks": False, "complaint": ""}
    verdict = ask_person(questions[0], shown, state, turn.services)
    if verdict.refused:
        outcome = outcomes.unfinished_outcome(turn.task, "failed", "blocked", verdict.refused, state)
        return _noting_found(state, {"outcome": outcome, "calls": [], "asks": False})
    if verdict.allowed is None:
        return {"asks": True, "complaint": verdict.complaint}
    consents = {**state.get("consents", {}), questions[0].key: verdict.allowed}
    return {"asks": len(questions) > 1, "complaint": "", "consents": consents}


async def read(state: TaskState, work: TaskResources, lease: Lease) -> dict[str, Any]:
    """Read the results of a task, and return the channel update with the outcome or the next calls."""
    started = time.monotonic()
    turn = _Turn.of(state, work)
    waiting = list_waiting(turn.task, work.plan, turn.services)
    progress = _describe_progress(turn, waiting)
    judgement = await _read(turn, progress, lease)
    spent = {"seconds": state.get("seconds", 0.0) + time.monotonic() - started}
    return _noting_found(state, await _decide(turn, judgement, progress, waiting, spent))


def _noting_found(state: TaskState, update: dict[str, Any]) -> dict[str, Any]:
    """Return an update with the task's passage lists added to the trace of its outcome.

    Unchanged without an outcome.
    """
    outcome, found = update.get("outcome"), update.get("found", state.get("found", []))
    if outcome is None or not found:
        return update
    trace = outcome.trace.model_copy(update={"found": tuple(found)})
    return {**update, "outcome": outcome.model_copy(update={"trace": trace})}


async def _choose(turn: _Turn) -> list[Call] | Outcome:
    """Step 1: return the calls to make, or an outcome if no call is needed or possible."""
    task, state, services = turn.task, turn.state, turn.services
    if (given := take_ahead(task, state["inputs"], services)) is not None and "call" not in state:
        services.emit(_progress(state, {"tool": task.tool, "args": {}}))
        return given
    try:
        if calls := state.get("calls"):
            return calls
        if _takes_whole_folder(task, services):
            return await asyncio.to_thread(_first_calls, state, turn.frame, services)  # lists the documents
        return _first_calls(state, turn.frame, services)
    except ValueError as error:
        return outcomes.unfinished_outcome(task, "failed", "bad_arguments", str(error), state)
    except KeyError:
        # A resumed run may have another set of tools.
        return _gone_outcome(state)


def _gone_outcome(state: TaskState) -> Outcome:
    gone = f"{state['task'].tool}: no such tool is set up here"
    return outcomes.unfinished_outcome(state["task"], "failed", "not_found", gone, state)


async def _call(turn: _Turn, calls: list[Call], lease: Lease) -> dict[str, Any]:
    """Step 2: make the calls, and return the channel update with passages, a computed value or replacement calls."""
    task, state, services = turn.task, turn.state, turn.services
    for call in calls:
        services.emit(_progress(state, call))
    tried = [*state.get("tried", []), *calls]
    opened = [*state.get("opened", []), *(opened_address(call) for call in calls if is_opening_call(call, services))]
    actions, made = turn.next_actions({"tried": tried, "opened": opened}), state.get("attempts", 0)
    replaceable = [actions.substitute_call(call) is not None for call in calls]
    known = state.get("passages", [])
    batch = await make_calls(calls, task.id, services, lease, replaceable, made=made, known=known)
    update: dict[str, Any] = {
        "frame": turn.frame,
        "call": batch.calls[0],
        "calls": [],
        "found": [*state.get("found", []), *batch.passage_lists],
        "tried": [*tried, *(call for call in batch.calls if call not in tried)],
        "opened": list(dict.fromkeys([*opened, *_found_at(batch, services)])),
        "attempts": made + batch.attempts,
        "seconds": state.get("seconds", 0.0) + batch.seconds,
        "usage": services.budget.delta(),
    }
    asked = (content_words(turn.frame.question), task.ret)
    for item in turn.work.finished if "frame" not in state else ():
        if item.failure and item.trace.seen and (item.trace.asked, item.type) == asked:
            update |= {"seen": list(item.trace.seen), "kept": list(item.trace.kept), "missing": item.failure.message}
    if batch.notes:
        update["notes"] = [*state.get("notes", []), *batch.notes]
    if not batch.results:
        return {**update, **_without_results(turn.known_with(update), batch, actions, services)}
    return {**update, **await _take_results(turn, update, batch, actions)}


async def _take_results(
    turn: _Turn, update: Mapping[str, Any], batch: CallBatch, actions: NextActions
) -> dict[str, Any]:
    """Return the channel update for a turn with results: the outcome of a computed value, or the merged passages."""
    task, state, services = turn.task, turn.state, turn.services
    copies = [other for call, _ in batch.failures if (other := actions.open_mirror(call)) is not None]
    more: dict[str, Any] = {"calls": copies, "turn": state.get("turn", 0) + (not copies), "cached": batch.all_cached}
    known = turn.known_with({**update, **more})
    if batch.failures:
        more["failed"] = _gone_on_without(known, batch, services)
    for call, _ in batch.cached_results:
        note = f"{call['tool']}: kept from an earlier call"
        services.emit(TaskProgressEvent(task_id=task.id, tool=call["tool"], cached=True, note=note))
    if (computed := batch.computed_result) is not None:
        rests_on = batch.passages(task.id, services.registry)
        outcome = outcomes.outcome_of_computation(task, computed, known, rests_on)
        return {**more, "evidence": {item.id: item for item in rests_on}, "outcome": outcome}
    old, new = state.get("passages", []), batch.passages(task.id, services.registry)
    passages = await offload_reading((*old, *new), lambda: merge_passages(old, flag_injections(new)))
    return {**more, "fresh": max(0, len(passages) - len(old)), "latest": len(new), "passages": passages}


async def _read(turn: _Turn, progress: TaskProgressNote, lease: Lease) -> Judgement:
    """Step 3: return the judgement of the passages, read alone or in a batch."""
    task, work, services = turn.task, turn.work, turn.services
    if _takes_whole_folder(task, services):  # the draft reads the documents
        found = turn.state.get("passages", [])
        whole = Reading([item.heading for item in found], tuple(item.id for item in found), confidence=1.0)
        return Judgement(reading=whole, decided_by="rule", move="answer")
    judgement = None
    if task.id in work.batches.expected and not (_is_whole_answer(turn) or turn.state.get("seen")):
        lease.give_up()
        request = ReadRequest(turn.frame, task.ret, turn.state.get("passages", []), progress.wants_sentence)
        judgement = await work.batches.read(task.id, request, services.models)
    work.batches.leave(task.id)
    async with lease:
        if judgement is None:
            judgement = await judge_turn(turn.state, turn.frame, progress, services, work.carries)
    if judgement.left_out:
        note = f"{judgement.left_out} passages left out: the prompt has no room for them"
        services.emit(TaskProgressEvent(task_id=task.id, note=note))
    return judgement


async def _decide(
    turn: _Turn,
    judgement: Judgement,
    progress: TaskProgressNote,
    waiting: Sequence[Task],
    spent: Mapping[str, Any],
) -> dict[str, Any]:
    """Step 4: return the channel update with the outcome or the next calls.

    The next calls look for a missing value, or for another source of a value.
    """
    task, state, services = turn.task, turn.state, turn.services
    passages, hops, turns_left = state.get("passages", []), state.get("hops", []), progress.turns_left
    update: dict[str, Any] = {**spent, "usage": services.budget.delta()}
    if judgement.shown:
        seen = dict.fromkeys([*state.get("seen", []), *judgement.shown])
        update |= {"seen": list(seen), "kept": list(judgement.kept), "missing": judgement.reading.missing}
    if new := judgement.hops[len(hops) :]:
        update["hops"] = list(judgement.hops)
        turns_left += len(new)
        _report_hops(turn, new, len(hops))
    known = turn.known_with(update)
    calls = turn.next_actions(update).after(judgement) if turns_left > 0 else []
    if judgement.reading.value is not None:
        value = outcomes.outcome_of_reading(task, judgement, known)
        now = await read_ahead(judgement, waiting, value, passages, services)
        update |= {
            "evidence": _select_evidence(turn.task, passages, judgement, now),
            "best" if calls else "outcome": now,
        }
    elif not calls:
        missing = judgement.reading.missing or _NOTHING_ANSWERS[services.language].format(turn.frame.question)
        # A model sees nothing more worth trying: what it would search was tried, or a chain has no turns left. A task
        # with a single query does not count.
        ended = judgement.move in {"give_up", "search"} if turns_left > 0 else finds_hops(turn.frame, task.ret)
        gave_up = judgement.decided_by == "model" and ended and len([*filter(None, progress.tried)]) > 1
        empty = outcomes.outcome_without_value(task, judgement, missing, known, gave_up=gave_up)
        outcome = outcomes.choose_better(state.get("best"), empty)
        update |= {"evidence": _select_evidence(turn.task, passages, judgement), "outcome": outcome}
    return {**update, "calls": calls}


def _describe_progress(turn: _Turn, waiting: Sequence[Task]) -> TaskProgressNote:
    """Return the progress of a task for the reader's prompt."""
    state, services, hops = turn.state, turn.services, turn.state.get("hops", [])
    asked = turn.work.frame
    # The answer repeats a task's results unchanged, a sentence per value.
    repeated = turn.task.is_answer and asked.form in {"", "sentence", "list"} and not asked.words
    return TaskProgressNote(
        whole=turn.work.frame.question,
        tried=[call_query(call) for call in state["tried"] if not is_opening_call(call, services)],
        # Each value found on the way earns one more turn.
        turns_left=services.settings.limits.max_turns + len(hops) - state["turn"],
        nothing_new=not state.get("fresh", 1),
        failed=list(state.get("failed", {}).values()),
        # Passages already seen are read again, completely.
        seen=() if "best" in state else state.get("seen", []),
        kept=state.get("kept", []),
        most=services.strategy.passages,
        most_queries=services.settings.limits.max_queries,
        wants_sentence=_is_whole_answer(turn) or (repeated and _gives_sentence(turn)),
        hops=hops,
        latest=state.get("latest", 0),
        waiting=waiting,
    )


def _is_whole_answer(turn: _Turn) -> bool:
    """Report whether the task asks the user's whole question and its value, in a sentence, is the answer."""
    asked = turn.work.frame
    whole = turn.frame.question == asked.question and asked.form in {"", "sentence"} and not asked.words
    return whole and not turn.task.for_each and _gives_sentence(turn)


def _gives_sentence(turn: _Turn) -> bool:
    """Report whether the reader may write the value as a sentence for the answer."""
    return turn.task.ret != "passages" and turn.services.strategy.answerer == "reader"


def route_after_act(state: TaskState) -> Literal["ask", "act", "read", "done"]:
    """Return the next node: `ask` a person, `act` with further or permitted calls, `read`, or `done`."""
    if "outcome" in state:
        return "done"
    if state.get("asks"):
        return "ask"
    return "act" if state.get("calls") else "read"


def route_after_read(state: TaskState) -> Literal["act", "done"]:
    """Return the next node: `act` for further calls, or `done` if there is an outcome."""
    return "done" if "outcome" in state else "act"


def _takes_whole_folder(task: Task, services: RunContext) -> bool:
    """Report whether a task only hands all documents of a folder to the writer. False for a task that wants a value."""
    return services.strategy.searcher == "folder" and task.ret == "passages"


def _first_calls(state: TaskState, frame: QueryFrame, services: RunContext) -> list[Call]:
    """Return the first calls of a task: searches with the master's queries if given, else the planned call.

    On the web, a search with the task's own words is added. A task over a whole folder opens each document.
    """
    task, info = state["task"], services.registry.info(state["task"].tool)
    call: Call = {"tool": task.tool, "args": fill_args(task, state["inputs"], services.language, info.args_schema)}
    corpus, most = services.registry.corpus, services.settings.limits.max_queries
    if _takes_whole_folder(task, services) and corpus is not None and corpus.documents:
        return [{"tool": "open_document", "args": {"source": source}} for source in corpus.documents]
    kind: ToolKind = "other" if info.cluster != "search" else "corpus" if task.tool in OF_CORPUS else "web"
    steps = SEARCH_STEPS[kind]
    if steps.masters_queries and frame.queries:
        return requested_queries(call, frame.queries, (), max(most, len(frame.queries)))
    if not steps.own_words or not task.description:
        return [call]
    return [call, *further_queries(call, frame, [call], most - 1)]


def _without_results(state: TaskState, batch: CallBatch, actions: NextActions, services: RunContext) -> dict[str, Any]:
    """Return the channel update for a turn in which every call failed.

    The task goes on with substitute calls, or else with the passages it has. Without either, it ends in an outcome.
    """
    worth = [call for call, failure in batch.failures if POLICIES[failure.kind].substitute]
    if stand_ins := [
        o for call in worth if (o := actions.substitute_call(call) or actions.open_mirror(call)) is not None
    ]:
        return {"failed": _merge_failures(state, batch, services), "calls": stand_ins}
    call, failure = batch.failures[0]
    over = any(POLICIES[failure.kind].last == "give_up" for _, failure in batch.failures)
    if state.get("passages") and not over:
        failed = _gone_on_without(state, batch, services)
        return {"failed": failed, "turn": state.get("turn", 0) + 1, "fresh": 0}
    ended = outcomes.unfinished_outcome(state["task"], "failed", failure.kind, failure.message, state, call["tool"])
    return {"outcome": outcomes.choose_better(state.get("best"), ended)}


def _gone_on_without(state: TaskState, batch: CallBatch, services: RunContext) -> dict[str, str]:
    """Emit an event for each failed call, and return all failure messages of the task, by address or tool."""
    for call, failure in batch.failures:
        note = failure.message
        services.emit(TaskProgressEvent(task_id=state["task"].id, tool=call["tool"], note=note))
    return _merge_failures(state, batch, services)


def _merge_failures(state: TaskState, batch: CallBatch, services: RunContext) -> dict[str, str]:
    new = {
        opened_address(c) if is_opening_call(c, services) else c["tool"]: failure.message
        for c, failure in batch.failures
    }
    return {**state.get("failed", {}), **new}


def _found_at(batch: CallBatch, services: RunContext) -> list[str]:
    """Return the final addresses of the pages and documents opened in a turn, one for each passage.

    After a redirect this is not the address in the call.
    """
    return [
        source_address(p.source)
        for call, done in batch.results
        if is_opening_call(call, services)
        for p in done.passages
    ]


def _frame(state: TaskState, work: TaskResources) -> QueryFrame:
    """Return the parsed question of a task, with references to other tasks replaced by their values.

    Without a description, this is the user's question.
    """
    task, language = state["task"], work.services.language
    if "frame" in state or not task.description:
        return state.get("frame", work.frame)
    question = fill_text(task.description, state["inputs"], language)
    return frame_task(task, language) if question == task.description else parse_question(question, language)


def _report_hops(turn: _Turn, hops: Sequence[Hop], before: int) -> None:
    """Emit events for intermediate values of a task, each as a task of its own: `task_1.2` is the second.

    Args:
        turn: The turn.
        hops: The new intermediate values.
        before: Number of earlier ones.
    """
    number, tool = turn.state["turn"], turn.state["call"]["tool"]
    for n, hop in enumerate(hops, before + 1):
        name = f"{turn.task.id}.{n}"
        turn.services.emit(TaskStartedEvent(task_id=name, description=hop.question, turn=number, tool=tool, args={}))
        found = Outcome(task_id=name, status="succeeded", value=hop.value, type="text", tool=tool, decided_by="model")
        turn.work.report_finished(found)


def _progress(state: TaskState, call: Call) -> TaskStartedEvent | TaskProgressEvent:
    task, item = state["task"], state["inputs"].get(ITEM)
    event = TaskProgressEvent if "call" in state else TaskStartedEvent
    return event(
        task_id=task.id,
        description=task.description,
        turn=state.get("turn", 0) + 1,
        tool=call["tool"],
        args=call["args"],
        **({} if item is None else {"item": item.value}),
    )


def _select_evidence(
    task: Task, passages: list[Evidence], judgement: Judgement, outcome: Outcome | None = None
) -> dict[str, Evidence]:
    reading = judgement.reading
    cited = {*reading.evidence_ids, *(key for rival in reading.rivals for key in rival.evidence_ids)}
    cited.update(key for item in (outcome.trace.ahead if outcome else ()) for key in item.evidence_ids)
    ordered = sorted(passages, key=lambda passage: passage.id not in cited)
    wanted = task.args.get("k")
    most = max(_KEPT_PASSAGES, len(cited), min(wanted, _MOST_KEPT) if isinstance(wanted, int) else 0)
    return {passage.id: passage for passage in ordered[:most]}
