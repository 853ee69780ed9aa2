"""Turns the stream of the graph into the events of LangGraph's wire format.

A run is logged in the modes that any watcher may want, whoever started it, and each watcher is sent the modes that he
asked for (`make_event_filter`).
"""

import traceback
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import orjson
from langchain_core.messages import BaseMessage, BaseMessageChunk, message_chunk_to_message
from langchain_core.runnables import RunnableConfig
from langgraph.graph.state import CompiledStateGraph

from weiwo.app.records import UNDER_WAY, Event, Records, RunRecord
from weiwo.app.server.runs.run_request import RunRequest
from weiwo.app.server.storage.run_log import RunLog
from weiwo.app.server.wire import dump
from weiwo.state.errors import WeiwoError

_LOGGED: Final = frozenset({"values", "updates", "custom", "messages"})
_EXTRA: Final = frozenset({"tasks", "checkpoints", "debug"})
_ALWAYS: Final = frozenset({"metadata", "error", "end"})
_INTERRUPT: Final = "__interrupt__"


async def stream_events(
    graph: CompiledStateGraph[Any, Any, Any, Any],
    given: Any,
    config: RunnableConfig,
    *,
    context: Mapping[str, Any],
    request: RunRequest,
) -> AsyncIterator[tuple[str, bytes]]:
    """Run the graph on an input, a command or None, with modes and breakpoints from the request.

    Yields:
        Name and JSON of each event. The name is `mode|namespace` for an event of a subgraph.
    """
    whole = _WholeMessages() if "messages" in request.modes else None
    asked: Any = sorted(_LOGGED | (_EXTRA & set(request.modes)))
    stream: AsyncIterator[Any] = graph.astream(
        given,
        config,
        context=dict(context),
        stream_mode=asked,
        output_keys=graph.output_channels,
        subgraphs=request.subgraphs,
        durability="sync",
        interrupt_before=request.interrupt_before,
        interrupt_after=request.interrupt_after,
    )
    async for part in stream:
        namespace, mode, chunk = part if request.subgraphs else ((), *part)
        if isinstance(chunk, Mapping) and chunk.get(_INTERRUPT):
            # The SDKs expect interrupts as objects of id and value.
            chunk = {**chunk, _INTERRUPT: [{"id": item.id, "value": item.value} for item in chunk[_INTERRUPT]]}
        yield "|".join((mode, *namespace)), dump(chunk)
        if mode == "messages" and whole is not None:
            for name, value in whole.events(*chunk):
                yield name, dump(value)


def make_event_filter(modes: Collection[str]) -> Callable[[str], bool]:
    """Return a function that reports whether an event of a name belongs to the given stream modes.

    `metadata`, `error` and `end` always do. The mode `messages-tuple` has the event `messages`, the mode `messages` has
    `messages/partial` and the like.
    """
    names = {*_ALWAYS, *modes} - {"messages", "messages-tuple"}
    names |= {"messages"} if "messages-tuple" in modes else set()
    whole = "messages" in modes

    def check(name: str) -> bool:
        mode = name.partition("|")[0]
        return mode in names or (whole and mode.startswith("messages/"))

    return check


class _WholeMessages:
    """Stream mode `messages`: each message in the accumulated state, not the latest piece."""

    def __init__(self) -> None:
        self._known: dict[str, BaseMessage] = {}

    def events(self, message: BaseMessage, metadata: Mapping[str, Any]) -> list[tuple[str, Any]]:
        key = str(message.id)
        told: list[tuple[str, Any]] = []
        before = self._known.get(key)
        if before is None:
            told.append(("messages/metadata", {key: {"metadata": metadata}}))
        now: Any = message
        if isinstance(before, BaseMessageChunk) and isinstance(message, BaseMessageChunk):
            now = before + message
        self._known[key] = now
        if isinstance(now, BaseMessageChunk):
            return [*told, ("messages/partial", [message_chunk_to_message(now)])]
        return [*told, ("messages/complete", [now])]


@dataclass
class RunTail:
    """Last `values` and `error` event of a run, as JSON."""

    values: bytes = b""  # the last state; empty before the first
    error: bytes = b""  # the error of the latest attempt; empty without an error

    def add(self, event: Event) -> None:
        """Take an event into account."""
        if event.name == "values":
            self.values = event.data
        elif event.name == "error":
            self.error = event.data
        elif event.name == "metadata":  # of a further attempt, which says all of it again
            self.error = b""


async def delete_thread(graph: CompiledStateGraph[Any, Any, Any, Any], records: Records, thread_id: str) -> None:
    """Delete the checkpoints of a thread, and the server's records of the thread, its runs and their events."""
    saver: Any = graph.checkpointer
    await saver.adelete_thread(thread_id)
    await records.delete_thread(thread_id)


async def last_values(log: RunLog, records: Records, run: RunRecord) -> dict[str, Any] | None:
    """Return the result of a finished run: the last `values`, or the error under `__error__`.

    Returns:
        None if its events are not kept any more.
    """
    tail = RunTail()
    async for event in log.follow(run.run_id):
        if event is not None:
            tail.add(event)
    if tail.error:
        return {"__error__": orjson.loads(tail.error)}
    if tail.values:
        return dict(orjson.loads(tail.values))
    now = await records.run(run.run_id)
    if now is not None and now.status not in UNDER_WAY and now.error:
        return {"__error__": {"error": "Error", "message": now.error}}
    return None


def failure_place(error: Exception) -> str:
    """Return the file and line of a failure, with a space in front, or an empty string for our own errors.

    Our own errors already say what is wrong. Only a file and a line are given, because a traceback's values may contain
    a user's question.
    """
    frames = [] if isinstance(error, WeiwoError) else traceback.extract_tb(error.__traceback__)[-1:]
    return "".join(f" ({Path(frame.filename).name}:{frame.lineno})" for frame in frames)
