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
from weiwo.app.server.runs.graph_stream import last_values, make_event_filter
from weiwo.app.server.runs.run_request import RunRequest
from weiwo.app.server.storage.run_log import BEGINNING, HEARTBEAT_SECONDS, parse_event_id
from weiwo.app.server.wire import (
    ASSISTANT_ID,
    HEARTBEAT,
    EventStream,
    cancel_on_leave,
    dump,
    read_count,
    read_json,
    reply,
    sse,
)

MOST_RUNS: Final = 1_000
"""Number of a thread's newest runs that are considered."""
_AFTER_ALL: Final = 10**9
"""Sequence number of an end that was never logged. It is higher than that of any event."""


async def follow_thread(
    engine: Engine, thread_id: str, run_id: str = "", after: tuple[int, int] = BEGINNING, since: float = 0.0
) -> AsyncIterator[tuple[RunRecord, Event] | None]:
    """Yield the events of a thread's runs in turn, as long as the client is connected.

    Args:
        engine: The server's.
        thread_id: The thread.
        run_id: The run of the event seen last. Empty if no event was seen.
        after: The place of that event within its run.
        since: The time, in seconds of the epoch, up to which events were seen, if nothing else is known.

    Yields:
        A run and its next event, up to its `end`. None now and then while nothing happens.
    """
    begun = await _list_begun_runs(engine, thread_id)
    todo, seen = begun[_first(begun, run_id, since) :], 0.0
    while not engine.runs.closing:
        for run in todo:
            seen = run.created
            async for event in _to_end(engine, run, after if run.run_id == run_id else BEGINNING):
                yield None if event is None else (run, event)
        coming = engine.log.begun
        todo = [run for run in await _list_begun_runs(engine, thread_id) if run.created > seen]
        if not todo and not engine.runs.closing:
            with suppress(TimeoutError):
                async with asyncio.timeout(HEARTBEAT_SECONDS):
                    await coming.wait()
            yield None


async def _list_begun_runs(engine: Engine, thread_id: str) -> list[RunRecord]:
    """Return the runs of a thread, oldest first, except runs recorded but not yet logged."""
    newest = await engine.records.runs(thread_id, MOST_RUNS)
    return [run for run in reversed(newest) if run.status not in UNDER_WAY or run.run_id in engine.log.live]


def _first(runs: list[RunRecord], run_id: str, since: float) -> int:
    """Return the index of the run with which a stream begins.

    This is the run of the event seen last. If that is unknown, the oldest run that is still active or has events after
    `since`, and otherwise the newest run.

    Args:
        runs: Runs of the thread, oldest first.
        run_id: The run of the event seen last. Empty if no event was seen.
        since: Time in seconds since 1970 up to which events were seen. 0 if unknown.
    """
    for n, run in enumerate(runs):
        if run.run_id == run_id or (not run_id and (run.status in UNDER_WAY or 0 < since < run.updated)):
            return n
    return max(0, len(runs) - 1)


async def _to_end(engine: Engine, run: RunRecord, after: tuple[int, int]) -> AsyncIterator[Event | None]:
    """Yield a run's events including an `end`, even if no end was logged.

    The end is missing if the servers of the run were killed, or if its events have been dropped.
    """
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
    return reply(describe_run(run), headers=_location(run))


async def stream(request: Request) -> Response:
    """Begin a run and stream the events."""
    body = await read_json(request)
    run = await begin_run(request, body)
    engine = engine_of(request)
    events = _stream_events(engine, run, BEGINNING, RunRequest.model_validate(run.request).modes)
    if body.get("on_disconnect") == "cancel":
        events = cancel_on_leave(events, lambda: engine.leave(run))
    return EventStream(events, {**_location(run), "Location": f"{_path(run)}/stream"})


async def wait(request: Request) -> Response:
    """Begin a run and wait for the result."""
    body = await read_json(request)
    run = await begin_run(request, body)
    engine = engine_of(request)
    parts = _await_result(engine, run)
    if body.get("on_disconnect") == "cancel":
        parts = cancel_on_leave(parts, lambda: engine.leave(run))
    return _Waiting(parts, {**_location(run), "Location": f"{_path(run)}/join"})


async def index(request: Request) -> Response:
    """The runs of a thread, newest first."""
    engine, thread_id = await own_thread(request)
    params = request.query_params
    limit, offset = read_count(params, "limit", 10, 999_999), read_count(params, "offset", 0, 999_999)
    found = await engine.records.runs(thread_id, min(limit, _MOST_LISTED), offset, params.get("status", ""))
    return reply([describe_run(item) for item in found])


async def get(request: Request) -> Response:
    """A run."""
    return reply(describe_run(await _find_run(request)))


async def join(request: Request) -> Response:
    """Wait for the result of a run."""
    return _Waiting(_await_result(engine_of(request), await _find_run(request)))


async def join_stream(request: Request) -> Response:
    """Stream a run from the event seen last, or from the beginning."""
    run, engine = await _find_run(request), engine_of(request)
    after = parse_event_id(request.headers.get("last-event-id") or request.query_params.get("after") or "")
    modes = _modes(request) or RunRequest.model_validate(run.request).modes
    events = _stream_events(engine, run, after, modes)
    if request.query_params.get("cancel_on_disconnect", "").lower() in {"true", "1"}:
        events = cancel_on_leave(events, lambda: engine.leave(run))
    return EventStream(events, {"Location": f"{_path(run)}/stream", **_location(run)})


async def cancel(request: Request) -> Response:
    """Interrupt a run. The run can be resumed."""
    run, engine = await _find_run(request), engine_of(request)
    if request.query_params.get("action", "interrupt") != "interrupt":
        raise RequestError(
            422, "action: this server cannot undo a run; leave it out, and fork from an earlier checkpoint"
        )
    if run.run_id not in engine.runs.under_way(run.thread_id):
        raise RequestError(409, f"run {run.run_id} has already ended")
    if request.query_params.get("wait", "").lower() not in {"true", "1", "yes"}:
        await engine.runs.cancel(run.run_id, wait=False)
        return Response(status_code=202)
    await engine.runs.cancel(run.run_id)
    return _Waiting(_await_result(engine, run), _location(run))


async def delete(request: Request) -> Response:
    """Delete a finished run and its events."""
    run, engine = await _find_run(request), engine_of(request)
    if run.run_id in engine.runs.under_way(run.thread_id):
        raise RequestError(409, f"run {run.run_id} is still running; cancel it first")
    await engine.records.delete_run(run.run_id)
    return Response(status_code=204)


async def stream_thread(request: Request) -> Response:
    """Stream a thread: the current or else the newest run, and each following run."""
    engine, thread_id = await own_thread(request)
    return EventStream(_watched_thread(engine, thread_id, request.headers.get("last-event-id", "")))


def describe_run(run: RunRecord) -> dict[str, Any]:
    """Describe a run in the form of LangGraph's server."""
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
    """Begin the run of a request, on the thread of the path or on a temporary thread.

    A temporary thread is deleted when the run has ended, unless `on_completion` is `keep`.
    """
    thread_id = request.path_params.get("thread_id", "")
    engine, choose = engine_of(request), None
    if engine.logins:
        choose = partial(choose_corpora, Path(engine.settings.home), user_of(request))
    wanted_run = await asyncio.to_thread(RunRequest.of, body, stateless=not thread_id, choose=choose)
    create = body.get("if_not_exists") == "create"
    return await engine.begin(request, wanted_run, thread_id, create=create)


async def _find_run(request: Request) -> RunRecord:
    engine, thread_id = await own_thread(request)
    run_id = request.path_params["run_id"]
    run = await engine.records.run(run_id)
    if run is None or run.thread_id != thread_id:
        raise not_found("run", run_id)
    return run


async def _stream_events(
    engine: Engine, run: RunRecord, after: tuple[int, int], modes: Collection[str]
) -> AsyncIterator[bytes]:
    """Yield the requested events of a run as server-sent events."""
    check = make_event_filter(modes)
    async for group in engine.log.follow_groups(run.run_id, after):
        parts = b"".join(sse(item.name, item.data, item.id) for item in group if check(item.name))
        if parts or not group:
            yield parts or HEARTBEAT


async def _watched_thread(engine: Engine, thread_id: str, last: str) -> AsyncIterator[bytes]:
    """Yield the events of a thread's runs, with ids naming the run.

    Each run is shown in the modes chosen by the client that began it.
    """
    seen, _, place = last.partition(":")
    current, check = "", make_event_filter(())
    async for item in follow_thread(engine, thread_id, seen, parse_event_id(place)):
        if item is None:
            yield HEARTBEAT
            continue
        run, event = item
        if run.run_id != current:
            current, check = run.run_id, make_event_filter(RunRequest.model_validate(run.request).modes)
        if check(event.name):
            yield sse(event.name, event.data, f"{run.run_id}:{event.id}")


async def _await_result(engine: Engine, run: RunRecord) -> AsyncIterator[bytes]:
    """Yield the result of a run, preceded by occasional line breaks.

    JSON allows these line breaks. They keep the connection open.
    """
    waiting = asyncio.create_task(last_values(engine.log, engine.records, run))
    try:
        while not (await asyncio.wait([waiting], timeout=HEARTBEAT_SECONDS))[0]:
            yield b"\n"
        values = waiting.result()
    finally:
        waiting.cancel()
    if values is None:  # its events are not kept any more
        snapshot = await engine.graph.aget_state({"configurable": {"thread_id": run.thread_id}})
        values = {key: value for key, value in snapshot.values.items() if key in engine.graph.output_channels}
    yield dump(values)


class _Waiting(EventStream):
    """A JSON response sent when the result is ready."""

    media_type = "application/json"


def _modes(request: Request) -> list[str]:
    """Return the stream modes requested in a query string.

    The SDKs write them repeated, as a single mode, or as a JSON list.
    """
    found: list[str] = []
    for text in request.query_params.getlist("stream_mode"):
        if text.startswith("["):
            try:
                found += [str(load) for load in orjson.loads(text)]
            except orjson.JSONDecodeError:
                raise RequestError(422, "stream_mode must be a mode or a JSON list of modes") from None
        else:
            found += filter(None, text.split(","))
    return found


def _path(run: RunRecord) -> str:
    return f"/threads/{run.thread_id}/runs/{run.run_id}"


def _location(run: RunRecord) -> dict[str, str]:
    return {"Content-Location": _path(run)}
