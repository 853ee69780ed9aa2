"""Routes on a thread: result, cited passages in context, downloads, feedback, forks."""

import asyncio
import re
import time
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import Response

from weiwo.app.errors import AppError
from weiwo.app.export import FORMATS, ExportError, render
from weiwo.app.server.access.profiles import run_defaults, user_of
from weiwo.app.server.engine import backend_of, own_thread
from weiwo.app.server.errors import RequestError, not_found
from weiwo.app.server.runs.run_request import allowed_fields, read_context
from weiwo.app.server.wire import dump, read_json, read_object, reply, wants_chinese
from weiwo.app.session.langsmith_feedback import send_to_langsmith
from weiwo.app.session.runs import OPTIONS_KEY, options_of, read_options
from weiwo.app.session.thread import Thread, thread_as_json
from weiwo.graph.persistence.forks import ForkError, fork
from weiwo.graph.persistence.thread_lock import OPERATOR
from weiwo.nodes.memory.reuse import forget_answers, mark_bad
from weiwo.nodes.planner.validator import check_plan
from weiwo.state import Evidence, Language, Plan
from weiwo.state.settings import Context, Settings, operator_defaults
from weiwo.text.language import clean
from weiwo.tools.corpus.base import CorpusError, DocumentNotFoundError
from weiwo.tools.corpus.loading import load_corpus
from weiwo.tools.corpus.retrieval.feedback import LONGEST_WORDS, Feedback, record_feedback
from weiwo.tools.registry import build_registry

_AROUND: Final = 3_000
"""Characters shown before a passage, and after it."""
_MOST_PASSAGES: Final = 2_000
_LINES: Final = re.compile(r"lines? (\d{1,9})(?:[-–](\d{1,9}))?")
_PAGE: Final = re.compile(r"pages? (\d{1,9})")


def format_names() -> list[str]:
    """Return the names of the available export formats."""
    return [name for name, item in FORMATS.items() if not item.library or find_spec(item.library) is not None]


def _download_response(
    result: Mapping[str, Any], name: str, file_name: str, earlier: Sequence[Mapping[str, Any]] = ()
) -> Response:
    """Return a result as a file download.

    A format that shows a whole thread includes the `earlier` answers.

    Raises:
        RequestError: There is no such format here.
    """
    if name not in format_names():
        raise RequestError(422, f"format {name[:20]!a} is unknown; use {' '.join(format_names())}")
    try:
        content = render(result, name, earlier)
    except ExportError as error:
        raise RequestError(422, str(error)) from None
    ending = "csl.json" if name == "csl" else name
    headers = {"content-disposition": f'attachment; filename="{file_name}.{ending}"'}
    return Response(content, headers=headers, media_type=FORMATS[name].media_type)


async def _passage_in_context(
    values: Mapping[str, Any], citation: Mapping[str, Any], settings: Settings
) -> dict[str, Any]:
    """Return a cited passage with context.

    Returns:
        Its number, source and text, the text before and after it if the document can still be opened, or else whether
        the document is `gone` or `changed`, and the positions of the quoted words.
    """
    key = str(citation.get("evidence_id") or "")
    evidence: Evidence | None = (values.get("evidence") or {}).get(key)
    text = evidence.text if evidence is not None else str(citation.get("quote") or "")
    quotes = {str(citation.get("quote") or "")}
    for outcome in (values.get("outcomes") or {}).values():
        quotes |= {quote.text for quote in outcome.quotes if quote.evidence_id == key}
    source = str(citation["source"])
    before, after, document = await _around(evidence, settings) if evidence is not None else ("", "", "")
    locator = str(citation.get("locator") or "")
    lines, page = _LINES.search(locator), _PAGE.search(locator)
    return {
        "n": citation["n"],
        "title": citation.get("title") or "",
        "source": source,
        "url": source if source.startswith(("http://", "https://")) else None,
        "text": text,
        "before": before,
        "after": after,
        "document": document,
        "quotes": sorted([at, at + len(quote)] for quote in quotes if quote and (at := text.find(quote)) >= 0),
        "locator": locator,
        "page": int(page[1]) if page else None,
        "lines": [int(lines[1]), int(lines[2] or lines[1])] if lines else None,
        "date": evidence.date if evidence is not None else "",
    }


async def _around(evidence: Evidence, settings: Settings) -> tuple[str, str, str]:
    """Return the text before and after a passage in its document, and `gone` or `changed` if it is no longer there.

    All three are empty for web pages and calculations.
    """
    if evidence.source.startswith(("http://", "https://", "task:")):
        return "", "", ""
    try:
        corpus = await load_corpus(settings.corpus, settings=settings, tell=lambda _: None)
        whole = await corpus.open(evidence.source, "", _MOST_PASSAGES)
    except (CorpusError, DocumentNotFoundError):
        return "", "", "gone"
    at = next((n for n, item in enumerate(whole) if item.id == evidence.id), None)
    if at is None:
        return "", "", "changed"
    before = "\n\n".join(item.text for item in whole[max(0, at - 8) : at])
    after = "\n\n".join(item.text for item in whole[at + 1 : at + 9])
    return before[-_AROUND:], after[:_AROUND], ""


_MOST_TIMELINE: Final = 2_000
_MOST_CHECKPOINTS: Final = 100
_NOT_IN_A_NAME: Final = re.compile(r"[^A-Za-z0-9._-]")


async def get(request: Request) -> Response:
    """Return the result of a thread as in `weiwo show --json`, with the time of each event."""
    thread = await _load_thread(request)
    timeline = await backend_of(request).timeline(thread.thread_id, _MOST_TIMELINE)
    evidence = [value.model_dump(mode="json") for value in (thread.values.get("evidence") or {}).values()]
    return reply({"evidence": evidence, **thread_as_json(thread), "timeline": timeline})


async def passage(request: Request) -> Response:
    """Return a cited passage with the text before and after."""
    thread = await _load_thread(request)
    number = str(request.path_params["n"])
    citations = (thread.values.get("result") or {}).get("citations") or ()
    citation = next((item for item in citations if str(item["n"]) == number), None)
    if citation is None:
        raise not_found("passage", number)
    options = read_options(thread.metadata).model_dump(exclude_none=True)
    if user_of(request) != OPERATOR:  # a host lets its clients write what is said of a run
        options = allowed_fields(options)
    defaults = await asyncio.to_thread(run_defaults, Path(backend_of(request).settings.home), user_of(request))
    with operator_defaults(defaults):
        settings = Settings.resolve(Context(corpus=options.get("corpus")))
    return reply(await _passage_in_context(thread.values, citation, settings))


async def download(request: Request) -> Response:
    """Return a thread's answer as a file. The HTML format includes the earlier questions and answers."""
    thread = await _load_thread(request)
    result = thread.values.get("result")
    if not result:
        raise _build_unanswered_error(thread)
    name, chosen = _NOT_IN_A_NAME.sub("_", thread.thread_id), request.query_params.get("format", "md")
    earlier = await backend_of(request).earlier_results(request, thread.thread_id) if chosen == "html" else []
    shown = [{**item, "thread_id": thread.thread_id} for item in (*earlier, result)]
    return await asyncio.to_thread(_download_response, shown[-1], chosen, f"weiwo-{name}", shown[:-1])


async def feedback(request: Request) -> Response:
    """Record a person's feedback on a thread's answer, as in `weiwo feedback`."""
    body = await read_json(request)
    thread = await _load_thread(request)
    if not isinstance(body.get("good"), bool):
        raise RequestError(422, "good must be true or false")
    values = thread.values
    if not values.get("result"):
        raise _build_unanswered_error(thread)
    words = clean(str(body.get("words") or ""))[:LONGEST_WORDS]
    run, question = str(values.get("run") or ""), str(values.get("question") or "")
    given = Feedback(time.time(), thread.thread_id, run, question, good=body["good"], words=words)
    try:
        await asyncio.to_thread(record_feedback, Path(backend_of(request).settings.home), given)
        sent = await asyncio.to_thread(send_to_langsmith, given)
    except OSError as error:
        why = error.strerror or error
        raise RequestError(500, f"feedback cannot be saved: {why}", f"反馈无法保存：{why}") from None
    except AppError as error:
        raise RequestError(502, str(error)) from None
    memory = backend_of(request).memory(user_of(request))
    if memory is not None and not given.good:
        await mark_bad(memory, run)
        await forget_answers(memory, run=run)
    return reply({"kept": True, "sent": sent})


async def list_checkpoints(request: Request) -> Response:
    """Return the checkpoints of a thread from which a run can continue, newest first, with plan and task values."""
    engine, thread_id = await own_thread(request)
    place: Any = {"configurable": {"thread_id": thread_id}}
    found = []
    async for snapshot in engine.graph.aget_state_history(place, limit=_MOST_CHECKPOINTS):
        plan, outcomes = snapshot.values.get("plan"), snapshot.values.get("outcomes") or {}
        found.append(
            {
                "checkpoint_id": snapshot.config["configurable"]["checkpoint_id"],
                "created_at": snapshot.created_at,
                "next": snapshot.next,
                "plan": plan.to_json() if plan else None,
                "outcomes": {
                    key: outcome.model_dump(mode="json", exclude={"task_id", "evidence_ids", "quotes", "rivals"})
                    for key, outcome in outcomes.items()
                    if plan and key in plan.ids
                },
                "answered": bool(snapshot.values.get("result")),
            }
        )
    return reply(found)


async def fork_thread(request: Request) -> Response:
    """Fork a thread at a checkpoint, with another plan or other values of tasks. Unaffected results are kept.

    Nothing runs yet: the reply names the new `checkpoint`, from which a client starts a run, and the `next` nodes.
    """
    body = await read_json(request)
    engine, thread_id = await own_thread(request)
    engine.runs.require_idle(thread_id)
    place: Any = {"configurable": {"thread_id": thread_id, "checkpoint_id": str(body.get("checkpoint_id") or "")}}
    there = await engine.graph.aget_state(place)
    options = read_options(there.metadata).model_dump(mode="json", exclude_none=True)
    given = read_object(body, "context")
    if engine.logins and given.get("corpus"):
        raise RequestError(422, "context.corpus cannot be set here, but in the run that follows; leave it out")
    context = Context(**{**allowed_fields(options), **read_context(given)})
    await engine.runs.quota.take(user_of(request), len(dump(body)))
    metadata = {OPTIONS_KEY: options_of(context)}
    try:
        async with engine.claim(thread_id):
            config = await fork(
                engine.graph,
                thread_id,
                place["configurable"]["checkpoint_id"],
                plan=body.get("plan"),
                outcomes=read_object(body, "outcomes"),
                context=context,
                metadata=metadata,
            )
    except ForkError as error:
        raise RequestError(422, str(error), error.chinese) from None
    await engine.records.touch_thread(thread_id, user_of(request))
    now = await engine.graph.aget_state(config)
    return reply({"checkpoint": now.config["configurable"], "next": now.next})


async def check(request: Request) -> Response:
    """Check an edited plan. Returns the complaints, and the plan as parsed."""
    body = await read_json(request)
    thread = await _load_thread(request)
    if not isinstance(body.get("plan"), Mapping | str) or "team" not in thread.values:
        raise RequestError(422, "plan must be {plan: {vertices: […]}}, and its thread must have a plan")
    settings = Settings.resolve()
    try:
        sketch = Plan.read(body["plan"])
    except (ValidationError, ValueError) as error:
        return reply({"complaints": [" ".join(str(error).split())[:300]], "plan": None})
    registry = await build_registry(settings)
    known = {name: registry.info(name) for name in thread.values["team"].tools if name in registry.names()}
    complaints = list(sketch.complaints)
    if sketch.plan.tasks:
        complaints += check_plan(sketch.plan, known, settings.limits, given=sketch.broken)
    language: Language = "zh" if wants_chinese(request.headers) else "en"
    return reply(
        {"complaints": [complaint.render_text(language) for complaint in complaints], "plan": sketch.plan.to_json()}
    )


def _build_unanswered_error(thread: Thread) -> RequestError:
    told = f"thread {thread.thread_id} has no answer yet; continue it first"
    return RequestError(409, told, "这个会话还没有答案；请先让它继续")


async def _load_thread(request: Request) -> Thread:
    """Load the thread of a request from the newest checkpoint."""
    return await backend_of(request).load(request, request.path_params["thread_id"])
