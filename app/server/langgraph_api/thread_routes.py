"""LangGraph API routes on threads and thread states."""

from collections.abc import Mapping
from typing import Any, Final
from uuid import uuid4

import orjson
from langchain_core.runnables import RunnableConfig
from langgraph.errors import InvalidUpdateError
from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import Response

from weiwo.app.server.access.profiles import user_of
from weiwo.app.server.engine import engine_of, own_thread
from weiwo.app.server.errors import RequestError, not_found
from weiwo.app.server.langgraph_api.threads import copy_thread, shown_state
from weiwo.app.server.runs.graph_stream import delete_thread
from weiwo.app.server.runs.run_request import check_edit, check_editor
from weiwo.app.server.wire import dump, plain, read_count, read_json, read_metadata, read_object, read_place, reply
from weiwo.nodes.memory.reuse import forget_answers
from weiwo.state.settings import describe_validation_error
from weiwo.text.printable import one_line

_MOST_HISTORY: Final = 1_000
_MOST_HISTORY_BYTES: Final = 4_000_000
"""Bytes of a page of history, after its first state: each state is whole, and clients ask for ten or more."""
_MOST_OFFSET: Final = 1_000_000


async def create(request: Request) -> Response:
    """Make a thread."""
    body, engine, user = await read_json(request), engine_of(request), user_of(request)
    if body.get("supersteps"):
        raise RequestError(422, "supersteps: importing threads is not supported; leave it out")
    thread_id = str(body.get("thread_id") or uuid4())
    known_ok = body.get("if_exists") == "do_nothing"
    thread_id = await engine.threads.create(user, thread_id, read_metadata(body), known_ok=known_ok)
    return reply(await engine.threads.describe_thread(await engine.threads.find(user, thread_id)))


async def search(request: Request) -> Response:
    """Search the threads matching conditions."""
    body, engine = await read_json(request), engine_of(request)
    found = await engine.threads.search(user_of(request), body)
    select = body.get("select")
    shown = [await engine.threads.describe_thread(item, select if isinstance(select, list) else None) for item in found]
    offset = read_count(body, "offset", 0, _MOST_OFFSET)
    headers = {"X-Pagination-Total": str(offset + len(found))}
    if len(found) == read_count(body, "limit", 10, _MOST_HISTORY):
        headers = {"X-Pagination-Total": str(offset + len(found) + 1), "X-Pagination-Next": str(offset + len(found))}
    return reply(shown, headers=headers)


async def count(request: Request) -> Response:
    """Return the number of threads matching conditions, among the 1,000 newest."""
    body = await read_json(request)
    found = await engine_of(request).threads.search(user_of(request), {**body, "limit": _MOST_HISTORY, "offset": 0})
    return reply(len(found))


async def get(request: Request) -> Response:
    """A thread."""
    engine, thread_id = engine_of(request), request.path_params["thread_id"]
    return reply(await engine.threads.describe_thread(await engine.threads.find(user_of(request), thread_id)))


async def update(request: Request) -> Response:
    """Update the metadata of a thread."""
    body, user = await read_json(request), user_of(request)
    engine = engine_of(request)
    thread_id, record = await engine.threads.require(user, request.path_params["thread_id"])
    metadata = read_metadata(body, record.metadata if record else None)
    await engine.runs.quota.take(user, len(dump(metadata)))
    await engine.records.put_thread(thread_id, user, metadata)
    return reply(await engine.threads.describe_thread(await engine.threads.find(user, thread_id)))


async def delete(request: Request) -> Response:
    """Cancel the runs of a thread, delete the thread, and remove its answers from the memory."""
    engine, thread_id = await own_thread(request)
    await engine.runs.cancel_thread(thread_id)
    async with engine.claim(thread_id):
        await delete_thread(engine.graph, engine.records, thread_id)
    if (memory := engine.memory(user_of(request))) is not None:
        await forget_answers(memory, thread_id=thread_id)
    return Response(status_code=204)


async def copy(request: Request) -> Response:
    """Copy a thread with the history."""
    engine, user = engine_of(request), user_of(request)
    thread_id, record = await engine.threads.require(user, request.path_params["thread_id"])
    engine.runs.require_idle(thread_id)
    await engine.runs.quota.take(user, await engine.runs.quota.thread_bytes(thread_id))
    new = str(uuid4())
    await copy_thread(engine.graph.checkpointer, thread_id, new)
    await engine.records.put_thread(new, user, record.metadata if record else {})
    return reply(await engine.threads.describe_thread(await engine.threads.find(user, new)))


async def get_state(request: Request) -> Response:
    """The state of a thread, now or at a checkpoint."""
    params = request.query_params
    place = {"checkpoint_id": request.path_params.get("checkpoint_id", "")}
    return await _state(request, place, params.get("subgraphs", ""), params.getlist("select"))


async def get_state_at(request: Request) -> Response:
    """Return the state of a thread at a checkpoint, possibly of a subgraph."""
    body = await read_json(request)
    return await _state(request, read_place(body), str(body.get("subgraphs", "")), body.get("select"))


async def update_state(request: Request) -> Response:
    """Change the state of a thread as a node would. With a checkpoint, the change creates a fork."""
    body = await read_json(request)
    engine, thread_id = await own_thread(request)
    engine.runs.require_idle(thread_id)
    config = _config(thread_id, read_place(body))
    check_edit(body.get("values"), "values")
    if body.get("as_node") is not None:
        check_editor(body["as_node"], "as_node")
    await engine.runs.quota.take(user_of(request), len(dump(body)))
    try:
        async with engine.claim(thread_id):
            new = await engine.graph.aupdate_state(config, body.get("values"), as_node=body.get("as_node"))
    except ValidationError as error:
        raise RequestError(422, f"values: {describe_validation_error(error)}") from None
    except (InvalidUpdateError, ValueError, TypeError, KeyError) as error:
        raise RequestError(422, f"values: {str(error)[:300]}") from None
    await engine.records.touch_thread(thread_id, user_of(request))
    return reply({"checkpoint": new["configurable"], **new})


async def history(request: Request) -> Response:
    """Return the states of a thread at its checkpoints, newest first. A long page is cut to a limit of bytes."""
    params: Mapping[str, Any] = request.query_params
    body = await read_json(request) if request.method == "POST" else {**params}
    engine, thread_id = await own_thread(request)
    before = body.get("before")
    if isinstance(before, str):
        before = {"checkpoint_id": before}
    if isinstance(before, Mapping) and isinstance(before.get("configurable"), Mapping):
        before = before["configurable"]
    found = engine.graph.aget_state_history(
        _config(thread_id, read_place({"checkpoint": body.get("checkpoint")})),
        limit=read_count(body, "limit", 10, _MOST_HISTORY, 1),
        before=_config(thread_id, read_place(before)) if isinstance(before, Mapping) else None,
        filter=read_object(body, "metadata") or None,
    )
    select = body.get("select")
    states: list[Any] = []
    size = 0
    try:
        async for item in found:
            state = dump(_select_parts(shown_state(item), select))
            size += len(state)
            if states and size > _MOST_HISTORY_BYTES:
                break
            states.append(orjson.Fragment(state))
        return reply(states)
    except ValueError as error:  # a key that the database has no filter for
        raise RequestError(422, f"metadata: {one_line(str(error), 200)}") from None


async def _state(request: Request, place: Mapping[str, Any], subgraphs: str, select: Any) -> Response:
    engine, thread_id = await own_thread(request)
    config = _config(thread_id, place)
    try:
        snapshot = await engine.graph.aget_state(config, subgraphs=subgraphs.lower() == "true")
    except ValueError as error:  # a namespace that no subgraph has
        raise RequestError(404, f"checkpoint: {str(error)[:200]}") from None
    if place.get("checkpoint_id") and snapshot.created_at is None:
        raise not_found("checkpoint", str(place["checkpoint_id"]))
    return reply(_select_parts(shown_state(snapshot), select))


def _config(thread_id: str, place: Mapping[str, Any]) -> RunnableConfig:
    """Return the config of a thread at a checkpoint. A client cannot name another thread."""
    return {"configurable": {"thread_id": thread_id, "checkpoint_ns": "", **place}}


def _select_parts(state: dict[str, Any], select: Any) -> dict[str, Any]:
    """Return the requested parts of a state, or the whole state if none are requested.

    `["next", "values.messages"]` gives `{"next": …, "values": {"messages": …}}`. Unknown names are left out.
    """
    if not isinstance(select, list) or not select:
        return state
    whole = plain(state)
    kept: dict[str, Any] = {}
    for path in map(str, select):
        name, _, inner = path.partition(".")
        if inner and isinstance(whole.get(name), dict):
            kept.setdefault(name, {}).update({inner: whole[name][inner]} if inner in whole[name] else {})
        elif name in whole:
            kept[name] = whole[name]
    return kept
