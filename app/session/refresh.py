"""Refresh of answers: repeats each search of a thread without a model, and reruns affected tasks.

A task runs again, with all tasks that build on it, only if a call of it finds other passages than before, compared by
content. All other results are kept (`graph.persistence.forks`). A refresh that was killed is finished by the next one.
"""

from collections.abc import Mapping
from contextlib import nullcontext
from datetime import UTC, datetime
from typing import Any, Final

from weiwo.app.errors import unknown_thread
from weiwo.app.render.watchers import Watcher
from weiwo.app.session.runs import OPTIONS_KEY, options_of, read_options, resume
from weiwo.app.session.session import Session, claim, require_own_thread
from weiwo.graph.persistence.forks import AGAIN, fork
from weiwo.nodes.executor.task_calls.tool_calls import digest_result
from weiwo.state import Outcome, Plan
from weiwo.state.kinds import recorded_language
from weiwo.state.settings import Context, Settings
from weiwo.text.citation_marks import clean_marks
from weiwo.text.terms import terms
from weiwo.text.values import render
from weiwo.tools.calling.errors import ToolCallError
from weiwo.tools.calling.guarded_call import Caller
from weiwo.tools.calling.tool_calls import ToolCalls
from weiwo.tools.registry import build_registry

_REFRESH_KEY: Final = "weiwo_refresh"
"""Metadata key in the first checkpoint of a fork made by a refresh."""


async def refresh_thread(session: Session, thread_id: str) -> dict[str, Any]:
    """Refresh the latest answer of a thread.

    Returns:
        `thread_id`, `question`, `status` (of the answer, `unanswered` without an answer, or `waiting` if the new run
        asks a person), `again` (the ids of tasks with a new outcome) and `changes`: `task`, `question`, `old`, `new`
        and `source` for each task with a changed value, or with an empty `task` if only the answer changed.

    Raises:
        MisuseError: There is no such thread, or a user of the server owns it.
        AppError: Another process is at work on the thread.
    """
    config: Any = {"configurable": {"thread_id": thread_id}}
    now = await session.graph.aget_state(config)
    if now.created_at is None:
        raise unknown_thread(thread_id)
    await require_own_thread(session, thread_id)
    told = {"thread_id": thread_id, "question": str(now.values.get("question") or ""), "again": [], "changes": []}
    before = await _find_unfinished(session, config)
    options = read_options(now.metadata)
    asking = {"fresh": True, "answer_memory": False, "clarify": False, "approve_plan": False}
    context = options.model_copy(update=asking)
    if before is None:
        before, outcomes = now.values.get("result") or {}, now.values.get("outcomes") or {}
        if now.tasks or not before:
            return {**told, "status": "unanswered"}
        again = await _find_stale_tasks(now.values.get("plan"), outcomes, context)
        if not again:
            return {**told, "status": before["status"]}
        async with claim(session, thread_id):
            metadata = {OPTIONS_KEY: options_of(options), _REFRESH_KEY: ",".join(again)}
            at = now.config["configurable"]["checkpoint_id"]
            values = dict.fromkeys(again, AGAIN)
            await fork(session.graph, thread_id, at, outcomes=values, context=context, metadata=metadata)
    ended = await resume(session, thread_id, Watcher(), context=context)
    if ended.request:
        return {**told, "status": "waiting"}
    changes = _list_changes(before, ended.result)
    ran = [key for key, outcome in ended.result["outcomes"].items() if before["outcomes"].get(key) != outcome]
    refreshed = {"at": datetime.now(UTC).isoformat(timespec="seconds"), "changes": changes}
    async with claim(session, thread_id):
        update = {"result": {**ended.result, "refreshed": refreshed}}
        place: Any = {**config, "metadata": {OPTIONS_KEY: options_of(options)}}
        await session.graph.aupdate_state(place, update, as_node="writer")
    return {**told, "status": ended.result["status"], "again": ran, "changes": changes}


async def _find_unfinished(session: Session, config: Any) -> dict[str, Any] | None:
    """Return the earlier answer if a refresh was killed before its report, or None if no refresh was killed."""
    begun = False
    async for past in session.graph.aget_state_history(config):
        result, metadata = past.values.get("result"), past.metadata or {}
        if begun and result and not past.tasks:
            return dict(result)
        if not begun and ((result and "refreshed" in result) or metadata.get("source") == "input"):
            return None
        begun = begun or _REFRESH_KEY in metadata
    return None


async def _find_stale_tasks(plan: Plan | None, outcomes: Mapping[str, Outcome], context: Context) -> list[str]:
    """Return the ids of the tasks with a call that finds different passages now than before, in plan order.

    Calls that fail now, change something, or belong to a missing tool are ignored.
    """
    settings = Settings.resolve(context)
    registry = await build_registry(settings)
    calls = ToolCalls("refresh", registry, seconds=settings.limits.tool_seconds, fresh=True)
    caller = Caller(nullcontext(), lambda: settings.limits.max_seconds, lambda: True, lambda _: None)
    stale = []
    for task_id in plan.ids if plan is not None else ():
        for item in outcomes[task_id].trace.found if task_id in outcomes else ():
            if item.tool not in registry.names() or registry.info(item.tool).acts or registry.info(item.tool).injected:
                continue
            try:
                found = digest_result(await calls.call(item.tool, item.arguments, caller))
            except ToolCallError:
                continue
            if found != item.digest:
                stale.append(task_id)
                break
    return stale


def _list_changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[dict[str, str]]:
    """List the changed values, each with the ids and texts described in `refresh_thread`.

    If no value changed but the answer did, in more than its wording, the answer is listed. Empty if nothing changed.
    """
    questions = {vertex["id"]: vertex["description"] for vertex in (after.get("plan") or {}).get("vertices", ())}
    sources = {item["id"]: item["source"] for item in after["evidence"]}
    changes = []
    for key, outcome in after["outcomes"].items():
        old, new = _in_words(before["outcomes"].get(key), after), _in_words(outcome, after)
        if old != new:
            source = next((sources[item] for item in outcome["evidence_ids"] if item in sources), "")
            changes.append({"task": key, "question": questions.get(key, key), "old": old, "new": new, "source": source})
    if not changes and (_list_terms(before) != _list_terms(after) or _list_parts(before) != _list_parts(after)):
        source = next((item["source"] for item in after["citations"]), "")
        told = {"task": "", "question": str(after["question"]), "old": before["answer"], "new": after["answer"]}
        changes.append({**told, "source": source})
    return changes


def _list_terms(result: Mapping[str, Any]) -> frozenset[str]:
    """Return the content words and figures of an answer, to tell a new wording from a new answer."""
    return frozenset(terms(clean_marks(str(result["answer"]), ())))


def _list_parts(result: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Return the parts of the question with outcomes, sorted."""
    parts = result.get("parts") or ()
    return sorted((str(part.get("subject")), str(part.get("attribute")), str(part.get("outcome"))) for part in parts)


def _in_words(outcome: Mapping[str, Any] | None, result: Mapping[str, Any]) -> str:
    """Return the value of an outcome as text, or an empty string without an outcome or a value."""
    if not outcome or outcome["status"] != "succeeded":
        return ""
    language = recorded_language(result["language"])
    return str(outcome["detail"].get("shown") or render(outcome["value"], outcome["type"], language))
