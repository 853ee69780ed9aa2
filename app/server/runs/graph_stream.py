"""Turns the stream of the graph into the events of LangGraph's wire format.

A run is logged in the modes that any watcher may want, whoever started it, and each watcher is sent the modes that he
asked for (`wanted`).
"""

from collections.abc import AsyncIterator, Callable, Collection, Mapping
from typing import Any, Final

from langchain_core.messages import BaseMessage, BaseMessageChunk, message_chunk_to_message
from langchain_core.runnables import RunnableConfig
from langgraph.graph.state import CompiledStateGraph

from weiwo.app.server.runs.run_request import RunRequest
from weiwo.app.server.wire import dump

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
    """Run the graph.

    Args:
        graph: The graph.
        given: Its input, a command, or None.
        config: Thread, checkpoint, metadata.
        context: The run's context.
        request: What whoever started it wants to be sent, and where to stop.

    Yields:
        Name and JSON of each event; the name is `mode|namespace` for one of a subgraph.
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
        yield "|".join((mode, *namespace)), dump(_interrupts_as_list(chunk))
        if mode == "messages" and whole is not None:
            for name, value in whole.events(*chunk):
                yield name, dump(value)


def wanted(modes: Collection[str]) -> Callable[[str], bool]:
    """Whether whoever asked for these modes is sent an event of that name."""
    names = {*_ALWAYS, *modes} - {"messages", "messages-tuple"}
    names |= {"messages"} if "messages-tuple" in modes else set()
    whole = "messages" in modes

    def check(name: str) -> bool:
        mode = name.partition("|")[0]
        return mode in names or (whole and mode.startswith("messages/"))

    return check


def _interrupts_as_list(chunk: Any) -> Any:
    """Interrupts as the SDKs know them: id and value."""
    if isinstance(chunk, Mapping) and chunk.get(_INTERRUPT):
        return {**chunk, _INTERRUPT: [{"id": one.id, "value": one.value} for one in chunk[_INTERRUPT]]}
    return chunk


class _WholeMessages:
    """The stream mode `messages`: each message as far as it has come, not its latest piece."""

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
