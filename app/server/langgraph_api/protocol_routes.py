"""Event protocol routes of `@langchain/react`: a thread's events, and commands on a thread."""

from collections.abc import AsyncIterator, Mapping
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from weiwo.app.records import RunRecord
from weiwo.app.server.engine import Engine, own_thread
from weiwo.app.server.errors import RequestError
from weiwo.app.server.langgraph_api.event_protocol import EventEncoder, Subscription, number_at
from weiwo.app.server.langgraph_api.run_routes import begin_run, follow_thread
from weiwo.app.server.wire import GRAPH_ID, HEARTBEAT, EventStream, read_json, read_object, reply
from weiwo.app.session.waiting import read_waiting

_MODES: Final = ["values", "updates", "messages-tuple", "custom"]
_CODES: Final = {
    ("run.start", 404): "no_such_run",
    ("input.respond", 404): "no_such_run",
    ("input.respond", 409): "no_such_interrupt",
}
_SOCKET_ALONE: Final = frozenset(
    {"subscription.subscribe", "subscription.unsubscribe", "subscription.reconnect", "agent.getTree"}
)


async def events(request: Request) -> Response:
    """Stream a thread's events. A connection is a subscription, and missed events are sent again."""
    subscription = Subscription.of(await read_json(request), request.headers.get("last-event-id", ""))
    engine, thread_id = await own_thread(request)
    return EventStream(_encode_events(engine, thread_id, subscription))


async def command(request: Request) -> Response:
    """Execute a command: `run.start` or `input.respond`."""
    body = await read_json(request)
    number, method = body.get("id"), body.get("method")
    if type(number) is not int or not isinstance(method, str):
        return reply(_error(None, "invalid_argument", "the command must have an integer id and a method"), 400)
    act = {"run.start": _start, "input.respond": _respond}.get(method)
    if method in _SOCKET_ALONE:
        said = (
            f"{method} is for WebSockets only; over HTTP, each connection to /threads/…/stream/events is a subscription"
        )
        return reply(_error(number, "not_supported", said))
    if act is None:
        said = f"command {method[:40]!a} is unknown; use run.start or input.respond"
        return reply(_error(number, "unknown_command", said))
    try:
        run = await act(request, read_object(body, "params"))
    except RequestError as error:
        return reply(_error(number, _CODES.get((method, error.status), "invalid_argument"), error.detail))
    result = {"run_id": run.run_id} if method == "run.start" else {}
    meta = {"applied_through_seq": number_at(run.created)}
    return reply({"type": "success", "id": number, "result": result, "meta": meta})


async def _encode_events(engine: Engine, thread_id: str, subscription: Subscription) -> AsyncIterator[bytes]:
    encoder = EventEncoder(subscription)
    async for item in follow_thread(engine, thread_id, since=subscription.since / 1_000_000):
        for part in [HEARTBEAT] if item is None else encoder.encode(*item):
            yield part


async def _start(request: Request, params: Mapping[str, Any]) -> RunRecord:
    """Begin a run on the thread with an input, or from a checkpoint. A missing thread is created."""
    checkpoint = _configurable(params).get("checkpoint_id")
    body = {
        **_common(params),
        "assistant_id": params.get("assistant_id") or GRAPH_ID,
        "input": params.get("input"),
        "checkpoint_id": checkpoint if isinstance(checkpoint, str) else None,
        "multitask_strategy": params.get("multitaskStrategy"),
        "if_not_exists": "create",
    }
    return await begin_run(request, body)


async def _respond(request: Request, params: Mapping[str, Any]) -> RunRecord:
    """Answer interrupts and continue the run."""
    engine, thread_id = await own_thread(request)
    given = params.get("responses", [params])
    if not isinstance(given, list) or not given or not all(isinstance(item, Mapping) for item in given):
        raise RequestError(422, "responses must be a list of {interrupt_id, response}")
    answers = {str(item.get("interrupt_id")): item.get("response") for item in given}
    snapshot = await engine.graph.aget_state({"configurable": {"thread_id": thread_id}})
    for unknown in answers.keys() - set(read_waiting(snapshot).ids):
        raise RequestError(409, f"interrupt {unknown[:60]!a} is not waiting for an answer")
    command = {"resume": answers} | {key: params[key] for key in ("update", "goto") if params.get(key) is not None}
    return await begin_run(request, {**_common(params), "command": command})


def _common(params: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "config": {"configurable": _configurable(params)},
        "metadata": params.get("metadata"),
        "stream_mode": _MODES,
        "stream_subgraphs": True,
    }


def _configurable(params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the client's settings for the run: `config.configurable` without the ids of thread and checkpoint."""
    config = read_object(params, "config")
    placed = {"thread_id", "checkpoint_id", "checkpoint_ns"}
    return {key: value for key, value in read_object(config, "configurable").items() if key not in placed}


def _error(number: int | None, code: str, said: str) -> dict[str, Any]:
    return {"type": "error", "id": number, "error": code, "message": said}
