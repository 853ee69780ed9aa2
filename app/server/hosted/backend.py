"""Runs and threads of the host server, accessed by the host's API with the sender's credentials.

The host keeps the threads, decides on permissions, and runs the graph. Nothing is kept here. The host sends a thread's
state as JSON. Writing this JSON to a temporary thread of an in-memory graph converts it to the types of the state.
"""

import asyncio
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any, Final, cast
from uuid import uuid4

import httpx
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Interrupt
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import APIStatusError, LangGraphError
from starlette.requests import Request
from typing_extensions import override

from weiwo.app.records import Event, RunRecord
from weiwo.app.server.engine import Backend, ask_writer
from weiwo.app.server.errors import RequestError, not_asked, not_found
from weiwo.app.server.runs.run_request import RunRequest
from weiwo.app.server.storage.run_log import HEARTBEAT_SECONDS
from weiwo.app.server.wire import GRAPH_ID, dump
from weiwo.app.session.thread import MOST_CHECKPOINTS, Thread, pick_earlier_results
from weiwo.app.session.waiting import judge_waiting
from weiwo.graph import build_graph
from weiwo.graph.persistence.checkpointer import serializer
from weiwo.state.settings import Settings
from weiwo.text.printable import one_line

_CREDENTIALS: Final = ("authorization", "x-api-key", "cookie")
_TIMEOUT: Final = httpx.Timeout(60, connect=5, read=600)
_FAILURES: Final = (LangGraphError, httpx.HTTPError)


@dataclass(frozen=True, slots=True)
class _HostRun(RunRecord):
    """A run on the host."""

    client: LangGraphClient  # the client that began it
    parts: AsyncIterator[Any]  # the rest of its stream
    temporary: bool  # whether its thread is deleted when it has ended


class HostBackend(Backend):
    """The host's runs and threads.

    Attributes:
        settings: The operator's settings.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._saver = InMemorySaver(serde=serializer())
        self._graph = build_graph(self._saver, serves_clients=True)

    async def admit(self, request: Request) -> None:
        """Require access of the sender to the host's own API.

        Raises:
            RequestError: The sender has no access.
        """
        async with _client(request) as client:
            try:
                await client.assistants.search(graph_id=GRAPH_ID, limit=1)
            except _FAILURES as error:
                raise _refusal(error) from None

    @override
    async def begin(self, request: Request, wanted: RunRequest, thread_id: str = "") -> _HostRun:
        client = _client(request)
        try:
            thread = thread_id or (await client.threads.create(graph_id=GRAPH_ID))["thread_id"]
            parts = client.runs.stream(
                thread,
                GRAPH_ID,
                input=wanted.input,
                context=wanted.context,
                stream_mode=wanted.modes,
                on_disconnect="cancel",
            )
            first = await anext(parts)
        except _FAILURES as error:
            await client.aclose()
            raise _refusal(error) from None
        now = time.time()
        run_id = str((first.data or {}).get("run_id") or uuid4())
        return _HostRun(
            run_id, thread, "", now, now, "running", 1, {}, "", client, aiter(parts), wanted.temporary and not thread_id
        )

    @override
    async def events(self, run: RunRecord) -> AsyncIterator[Event | None]:
        begun = cast("_HostRun", run)  # there are no others here
        number = 0
        try:
            while True:
                coming = asyncio.ensure_future(anext(begun.parts, None))
                while not (await asyncio.wait([coming], timeout=HEARTBEAT_SECONDS))[0]:
                    yield None
                part = coming.result()
                if part is None:
                    break
                number += 1
                data = part.data
                if part.event == "error":
                    said = data if isinstance(data, dict) else {"message": data}
                    data = {"message": one_line(str(said.get("message") or said.get("error") or "the run failed"), 500)}
                yield Event(1, number, part.event, dump(data), 0.0)
        except _FAILURES as error:
            yield Event(1, number + 1, "error", dump({"message": _refusal(error).detail}), 0.0)
        finally:
            await self._close(begun)

    @override
    async def leave(self, run: RunRecord) -> None:
        await self._close(cast("_HostRun", run))

    @override
    async def stored_run(self, request: Request, run_id: str) -> RunRecord:
        raise RequestError(404, f"response {run_id[:60]!a} is not stored on this server; continue its thread instead")

    @override
    async def load(self, request: Request, thread_id: str) -> Thread:
        async with _client(request) as client:
            try:
                state = await client.threads.get_state(thread_id)
            except _FAILURES as error:
                if isinstance(error, APIStatusError) and error.status_code in {404, 422}:
                    raise not_found("thread", thread_id) from None
                raise _refusal(error) from None
        given = state["values"] if isinstance(state["values"], dict) else {}
        if not given.get("question"):
            raise not_asked(thread_id)
        place: Any = {"configurable": {"thread_id": str(uuid4())}}
        values = {name: value for name, value in given.items() if name in self._graph.channels}
        try:
            await self._graph.aupdate_state(place, values, as_node="writer")
            read = (await self._graph.aget_state(place)).values
        except (ValueError, TypeError, KeyError) as error:
            raise RequestError(409, f"thread {thread_id} cannot be read: {one_line(str(error), 200)}") from None
        finally:
            await self._saver.adelete_thread(place["configurable"]["thread_id"])
        put = [
            Interrupt(interrupt["value"], id=interrupt["id"])
            for task in state["tasks"]
            for interrupt in task.get("interrupts") or ()
        ]
        waiting = judge_waiting([task["name"] for task in state["tasks"]], put)
        return Thread(thread_id, read, waiting, {}, dict(state["metadata"] or {}))

    @override
    async def earlier_results(self, request: Request, thread_id: str) -> list[dict[str, Any]]:
        async with _client(request) as client:
            try:
                history = await client.threads.get_history(thread_id, limit=MOST_CHECKPOINTS)
            except _FAILURES as error:
                raise _refusal(error) from None
        checkpoints = []
        for item in history:
            given = item["values"] if isinstance(item["values"], dict) and not item["next"] else {}
            before = item["parent_checkpoint"]
            names = [str(place["checkpoint_id"]) if place else "" for place in (item["checkpoint"], before)]
            checkpoints.append((names[0], names[1], given.get("result")))
        return pick_earlier_results(checkpoints)

    @override
    async def timeline(self, thread_id: str, most: int) -> list[dict[str, Any]]:
        return []

    @override
    def memory(self, user: str) -> None:
        return None  # the host's store is out of reach

    @override
    async def ask_model(self, request: Request, purpose: str, prompt: str) -> str:
        return await ask_writer(self.settings, purpose, prompt)

    @override
    async def day(self, user: str) -> dict[str, Any]:
        return {}

    async def _close(self, run: _HostRun) -> None:
        await run.parts.aclose()  # type: ignore[attr-defined]  # an asynchronous generator
        try:
            if run.temporary:
                await run.client.threads.delete(run.thread_id)
        except _FAILURES:
            return  # the host deletes what it does not want to keep by its own rules
        finally:
            await run.client.aclose()


def _client(request: Request) -> LangGraphClient:
    """Return a client of the host's API, at the address of the request itself.

    A header cannot change this address.
    """
    host, port = request.scope.get("server") or ("", None)
    if not port:
        raise RequestError(501, "the server listens on no port, so its own API cannot be called")
    address = f"[{host}]" if ":" in host else host
    headers = {name: request.headers[name] for name in _CREDENTIALS if name in request.headers}
    base = f"http://{address}:{port}{request.scope.get('root_path', '')}"
    return LangGraphClient(httpx.AsyncClient(base_url=base, headers=headers, timeout=_TIMEOUT, trust_env=False))


def _refusal(error: Exception) -> RequestError:
    """Convert an error of the host to an error for the client."""
    if isinstance(error, APIStatusError):
        return RequestError(error.status_code, one_line(str(error), 300))
    return RequestError(502, f"the server's own API failed: {type(error).__name__}: {one_line(str(error), 200)}")
