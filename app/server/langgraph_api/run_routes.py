"""Routes of LangGraph's API on runs: begin, watch, wait, list, cancel."""

import asyncio
from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Final

import orjson
from starlette.requests import Request
from starlette.responses import Response

from weiwo.app.records import UNDER_WAY, Event, RunRecord
from weiwo.app.server.access.profiles import choose_corpora, user_of
from weiwo.app.server.engine import Engine, engine_of, own_thread
from weiwo.app.server.errors import RequestError, not_found
from weiwo.app.server.runs.graph_stream import last_values, wanted
from weiwo.app.server.runs.run_request import RunRequest
from weiwo.app.server.storage.run_log import BEGINNING, HEARTBEAT_SECONDS, parse_event_id
from weiwo.app.server.wire import (
    ASSISTANT_ID,
    HEARTBEAT,
    EventStream,
    cancelling,
    dump,
    read_count,
    read_json,
    reply,
    sse,
)

MOST_RUNS: Final = 1_000
"""Runs of a thread that are looked through, the newest."""
_AFTER_ALL: Final = 10**9
"""The number of an end that was never logged, after those of all events."""


async def follow_thread(
    engine: Engine, thread_id: str, run_id: str = "", after: tuple[int, int] = BEGINNING, since: float = 0.0
) -> AsyncIterator[tuple[RunRecord, Event] | None]:
    """The events of a thread's runs, one run after the other, for as long as somebody watches.

    Args:
        engine: The server's.
        thread_id: The thread.
        run_id: The run whose events were seen last; empty: none was.
        after: The place of that event within its run.
        since: The time, in seconds of the epoch, up to which events were seen, where that is all that is known.

    Yields:
        A run and its next event, to its `end`; None now and then while nothing happens.
    """
    begun = await _begun(engine, thread_id)
    todo, seen = begun[_first(begun, run_id, since) :], 0.0
    while not engine.runs.closing:
        for run in todo:
            seen = run.created
            async for event in _to_end(engine, run, after if run.run_id == run_id else BEGINNING):
                yield None if event is None else (run, event)
        coming = engine.log.begun
        todo = [run for run in await _begun(engine, thread_id) if run.created > seen]
        if not todo and not engine.runs.closing:
            with suppress(TimeoutError):
                async with asyncio.timeout(HEARTBEAT_SECONDS):
                    await coming.wait()
            yield None


async def _begun(engine: Engine, thread_id: str) -> list[RunRecord]:
    """The runs of a thread, oldest first, without one that is recorded but does not have its log yet."""
    newest = await engine.records.runs(thread_id, MOST_RUNS)
    return [run for run in reversed(newest) if run.status not in UNDER_WAY or run.run_id in engine.log.live]


def _first(runs: list[RunRecord], run_id: str, since: float) -> int:
    """Where to begin: at the run seen last, else at the oldest of which something is still to be seen."""
    for n, run in enumerate(runs):
        if run.run_id == run_id or (not run_id and (run.status in UNDER_WAY or 0 < since < run.updated)):
            return n
    return max(0, len(runs) - 1)


async def _to_end(engine: Engine, run: RunRecord, after: tuple[int, int]) -> AsyncIterator[Event | None]:
    """A run's events with its `end`, also where none was logged: its servers were killed, or its events are dropped."""
    ended = False
    async for event in engine.log.follow(run.run_id, (after[0], max(0, after[1] - 1))):  # what was seen may be the end
        ended = ended or (event is not None and event.name == "end")
        if event is None or (event.attempt, event.seq) > after:
            yield event
    now = None if ended else await engine.records.run(run.run_id)
    if now is not None and now.status not in UNDER_WAY and after < (now.attempt, _AFTER_ALL):
        if now.error:
            yield Event(
                now.attempt, _AFTER_ALL - 1, "error", dump({"error": "Error", "message": now.error}), now.updated
            )
        yield Event(now.attempt, _AFTER_ALL, "end", dump({"run_id": run.run_id, "status": now.status}), now.updated)


_MOST_LISTED: Final = 1_000


async def create(request: Request) -> Response:
    """Begin a run in the background."""
    run = await begin_run(request, await read_json(request))
    return reply(shown(run), headers=_location(run))


async def stream(request: Request) -> Response:
    """Begin a run and watch it."""
    body = await read_json(request)
    run = await begin_run(request, body)
    engine = engine_of(request)
    events = _watched(engine, run, BEGINNING, RunRequest.model_validate(run.request).modes)
    if body.get("on_disconnect") == "cancel":
        events = cancelling(events, lambda: engine.leave(run))
    return EventStream(events, {**_location(run), "Location": f"{_path(run)}/stream"})


async def wait(request: Request) -> Response:
    """Begin a run and wait for what it comes to."""
    body = await read_json(request)
    run = await begin_run(request, body)
    engine = engine_of(request)
    parts = _waited(engine, run)
    if body.get("on_disconnect") == "cancel":
        parts = cancelling(parts, lambda: engine.leave(run))
    return _Waiting(parts, {**_location(run), "Location": f"{_path(run)}/join"})


async def index(request: Request) -> Response:
    """The runs of a thread, newest first."""
    engine, thread_id = await own_thread(request)
    params = request.query_params
    limit, offset = read_count(params, "limit", 10, 999_999), read_count(params, "offset", 0, 999_999)
    found = await engine.records.runs(thread_id, min(limit, _MOST_LISTED), offset, params.get("status", ""))
    return reply([shown(one) for one in found])


async def get(request: Request) -> Response:
    """A run."""
    return reply(shown(await _found(request)))


async def join(request: Request) -> Response:
    """Wait for what a run comes to."""
    return _Waiting(_waited(engine_of(request), await _found(request)))


async def join_stream(request: Request) -> Response:
    """Watch a run: what comes, and before it all that came after the event last seen; without one, all."""
    run, engine = await _found(request), engine_of(request)
    after = parse_event_id(request.headers.get("last-event-id") or request.query_params.get("after") or "")
    modes = _modes(request) or RunRequest.model_validate(run.request).modes
    events = _watched(engine, run, after, modes)
    if request.query_params.get("cancel_on_disconnect", "").lower() in {"true", "1"}:
        events = cancelling(events, lambda: engine.leave(run))
    return EventStream(events, {"Location": f"{_path(run)}/stream", **_location(run)})


async def cancel(request: Request) -> Response:
    """Interrupt a run; it can be resumed."""
    run, engine = await _found(request), engine_of(request)
    if request.query_params.get("action", "interrupt") != "interrupt":
        raise RequestError(422, "action: this server undoes no run; leave it out, and fork from an earlier checkpoint")
    if run.run_id not in engine.runs.under_way(run.thread_id):
        raise RequestError(409, f"run {run.run_id}; it has ended already")
    if request.query_params.get("wait", "").lower() not in {"true", "1", "yes"}:
        await engine.runs.cancel(run.run_id, wait=False)
        return Response(status_code=202)
    await engine.runs.cancel(run.run_id)
    return _Waiting(_waited(engine, run), _location(run))


async def delete(request: Request) -> Response:
    """Forget a run that has ended, and its events."""
    run, engine = await _found(request), engine_of(request)
    if run.run_id in engine.runs.under_way(run.thread_id):
        raise RequestError(409, f"run {run.run_id}; it is under way; cancel it first")
    await engine.records.delete_run(run.run_id)
    return Response(status_code=204)


async def stream_thread(request: Request) -> Response:
    """Watch a thread: the run that is under way, or else the newest, and each that follows."""
    engine, thread_id = await own_thread(request)
    return EventStream(_watched_thread(engine, thread_id, request.headers.get("last-event-id", "")))


def shown(run: RunRecord) -> dict[str, Any]:
    """A run as LangGraph's server shows it."""
    request = RunRequest.model_validate(run.request)
    return {
        "run_id": run.run_id,
        "thread_id": run.thread_id,
        "assistant_id": ASSISTANT_ID,
        "created_at": datetime.fromtimestamp(run.created, UTC).isoformat(),
        "updated_at": datetime.fromtimestamp(run.updated, UTC).isoformat(),
        "status": run.status,
        "metadata": request.metadata,
        "kwargs": {
            "input": request.input,
            "command": request.command,
            "context": request.context,
            "stream_mode": request.modes,
            "subgraphs": request.subgraphs,
        },
        "multitask_strategy": request.multitask,
        "attempt": run.attempt,
        "error": run.error or None,
    }


async def begin_run(request: Request, body: Mapping[str, Any]) -> RunRecord:
    """Begin the run of a request: on the thread of its path, or else on one that is deleted when the run has ended."""
    thread_id = request.path_params.get("thread_id", "")
    engine, choose = engine_of(request), None
    if engine.logins:
        choose = partial(choose_corpora, Path(engine.settings.home), user_of(request))
    wanted_run = await asyncio.to_thread(RunRequest.of, body, stateless=not thread_id, choose=choose)
    create = body.get("if_not_exists") == "create"
    return await engine.begin(request, wanted_run, thread_id, create=create)


async def _found(request: Request) -> RunRecord:
    engine, thread_id = await own_thread(request)
    run_id = request.path_params["run_id"]
    run = await engine.records.run(run_id)
    if run is None or run.thread_id != thread_id:
        raise not_found("run", run_id)
    return run


async def _watched(
    engine: Engine, run: RunRecord, after: tuple[int, int], modes: Collection[str]
) -> AsyncIterator[bytes]:
    """The events of a run that somebody asked for, as server-sent events."""
    check = wanted(modes)
    async for group in engine.log.follow_groups(run.run_id, after):
        parts = b"".join(sse(one.name, one.data, one.id) for one in group if check(one.name))
        if parts or not group:
            yield parts or HEARTBEAT


async def _watched_thread(engine: Engine, thread_id: str, last: str) -> AsyncIterator[bytes]:
    """The events of a thread's runs, each run in the modes of whoever began it; ids name the run."""
    seen, _, place = last.partition(":")
    current, check = "", wanted(())
    async for one in follow_thread(engine, thread_id, seen, parse_event_id(place)):
        if one is None:
            yield HEARTBEAT
            continue
        run, event = one
        if run.run_id != current:
            current, check = run.run_id, wanted(RunRequest.model_validate(run.request).modes)
        if check(event.name):
            yield sse(event.name, event.data, f"{run.run_id}:{event.id}")


async def _waited(engine: Engine, run: RunRecord) -> AsyncIterator[bytes]:
    """What a run comes to; until then a line break now and then, which JSON allows, so that the line stays open."""
    waiting = asyncio.create_task(last_values(engine.log, engine.records, run))
    try:
        while not (await asyncio.wait([waiting], timeout=HEARTBEAT_SECONDS))[0]:
            yield b"\n"
        values = waiting.result()
    finally:
        waiting.cancel()
    if values is None:  # its events are not kept any more
        snapshot = await engine.graph.aget_state({"configurable": {"thread_id": run.thread_id}})
        values = {key: one for key, one in snapshot.values.items() if key in engine.graph.output_channels}
    yield dump(values)


class _Waiting(EventStream):
    """A JSON response that comes when it comes."""

    media_type = "application/json"


def _modes(request: Request) -> list[str]:
    """The stream modes that a watcher asks for, as the SDKs write them: repeated, one, or a JSON list."""
    found: list[str] = []
    for text in request.query_params.getlist("stream_mode"):
        if text.startswith("["):
            try:
                found += [str(one) for one in orjson.loads(text)]
            except orjson.JSONDecodeError:
                raise RequestError(422, "stream_mode; it is no JSON list; give one, or one mode") from None
        else:
            found += filter(None, text.split(","))
    return found


def _path(run: RunRecord) -> str:
    return f"/threads/{run.thread_id}/runs/{run.run_id}"


def _location(run: RunRecord) -> dict[str, str]:
    return {"Content-Location": _path(run)}
