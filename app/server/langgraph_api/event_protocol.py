"""Event protocol of `@langchain/react`: the logged events of a thread's runs, encoded as envelopes.

The same log feeds the runs streams of the SDKs (`graph_stream.py`). This is its second encoding. Data missing from the
log is derived: the begin and end of a run and its subgraphs, waiting requests, the blocks of a message. A run is always
encoded from its first event on, so every connection gives an event the same id and number, regardless of its filter.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import orjson

from weiwo.app.records import Event, RunRecord
from weiwo.app.server.errors import RequestError
from weiwo.app.server.wire import GRAPH_ID, dump, sse, text_of

_CHANNELS: Final = frozenset(
    {"values", "updates", "messages", "custom", "lifecycle", "input", "tasks", "checkpoints", "tools"}
)
_NAMED: Final = "custom:"
_INTERRUPT: Final = "__interrupt__"
_LIFECYCLE: Final = {"success": "completed", "error": "failed", "interrupted": "interrupted"}
_ROLES: Final = frozenset({"ai", "human", "system"})
_MOST_NAMESPACES: Final = 200
_Namespace = tuple[str, ...]


def number_at(seconds: float) -> int:
    """Return the event number (`seq`) for a time: microseconds since 1970, so that numbers grow over all runs."""
    return int(seconds * 1_000_000)


@dataclass(frozen=True)
class Subscription:
    """Subscription of a connection to events."""

    channels: frozenset[str]  # `custom:NAME` is one kind of custom events
    namespaces: tuple[_Namespace, ...] = ()  # subgraphs whose events are sent, nested ones included. Empty: all
    depth: int | None = None  # levels of nesting below these subgraphs. None: all levels
    since: int = 0  # the number of the last event that the client has

    @classmethod
    def of(cls, body: Mapping[str, Any], last: str = "") -> "Subscription":
        """Parse a subscription from a request body.

        `last`, the `Last-Event-ID`, counts if `since` is not given.

        Raises:
            RequestError: The body names no channel, or a channel that does not exist.
        """
        channels, namespaces = body.get("channels"), body.get("namespaces") or []
        if not isinstance(channels, list) or not channels:
            raise RequestError(400, "channels must be a list such as [values, messages, lifecycle]")
        for channel in channels:
            if not isinstance(channel, str) or not (
                channel in _CHANNELS or (channel.startswith(_NAMED) and channel != _NAMED)
            ):
                known = ", ".join(sorted(_CHANNELS))
                raise RequestError(400, f"channels: {str(channel)[:40]!a} is unknown; use {known} or custom:NAME")
        if not isinstance(namespaces, list) or not all(
            isinstance(namespace, list) and all(isinstance(part, str) for part in namespace) for namespace in namespaces
        ):
            raise RequestError(400, "namespaces must be a list of lists of names, such as [[], [executor]]")
        since, depth = body.get("since"), body.get("depth")
        if since is None and last.isascii() and last.isdecimal() and len(last) <= 19:
            since = int(last)
        return cls(
            frozenset(channels),
            tuple(tuple(namespace) for namespace in namespaces[:_MOST_NAMESPACES]),
            depth if type(depth) is int and depth >= 0 else None,
            since if type(since) is int else 0,
        )

    def covers(self, channel: str, namespace: _Namespace, name: str) -> bool:
        """Report whether the client has subscribed to an event.

        Args:
            channel: The channel of the event, such as "values".
            namespace: The subgraph that sent it. Empty for the graph itself.
            name: The kind of a custom event, such as "planned". Empty for other events.
        """
        if channel not in self.channels and f"{_NAMED}{name}" not in self.channels:
            return False
        within = [len(namespace) - len(item) for item in self.namespaces if _begins(namespace, item)]
        return not self.namespaces or any(self.depth is None or deep <= self.depth for deep in within)


@dataclass
class _Message:
    """A message being streamed."""

    message_id: str
    namespace: _Namespace
    node: str
    text: str = ""


@dataclass
class EventEncoder:
    """Encoder for the events of consecutive runs."""

    subscription: Subscription  # what is sent
    _run: str = ""
    _event: Event = field(default=Event(0, 0, "", b"", 0.0))
    _number: int = 0
    _made: int = 0
    _out: list[bytes] = field(default_factory=list)
    _messages: dict[str, _Message] = field(default_factory=dict)
    _subgraphs: dict[_Namespace, None] = field(default_factory=dict)
    _asked: dict[str, tuple[_Namespace, Any]] = field(default_factory=dict)
    _error: str = ""

    def encode(self, run: RunRecord, event: Event) -> list[bytes]:
        """Encode an event of a run as server-sent events of the protocol. Empty if the client did not subscribe."""
        self._run, self._event, self._made, self._out = run.run_id, event, 0, []
        mode, *rest = event.name.split("|")
        namespace = tuple(rest)
        if mode == "custom":  # it is told of the run, from wherever in the graph
            value = orjson.loads(event.data)
            name = str(value.get("type", "")) if isinstance(value, dict) else ""
            self._emit("custom", (), {"name": name, "payload": value}, name=name)
            return self._out
        for length in range(1, len(namespace) + 1):
            if (part := namespace[:length]) not in self._subgraphs:
                self._subgraphs[part] = None
                self._lifecycle(part, "started")
        if mode == "metadata":
            # An attempt repeats all events.
            self._messages, self._subgraphs, self._asked, self._error = {}, {}, {}, ""
            self._lifecycle((), "running")
        elif mode == "values":
            self._values(namespace, event.data)
        elif mode == "updates":
            self._updates(namespace, orjson.loads(event.data))
        elif mode == "messages":
            self._message(namespace, *orjson.loads(event.data))
        elif mode == "tasks":
            self._emit("tasks", namespace, orjson.Fragment(event.data))
        elif mode == "checkpoints":
            self._checkpoint(namespace, orjson.loads(event.data))
        elif mode == "error":
            self._error = str(orjson.loads(event.data).get("message", ""))
        elif mode == "end":
            self._end(_LIFECYCLE.get(orjson.loads(event.data).get("status"), "failed"))
        return self._out

    def _emit(self, method: str, namespace: _Namespace, data: Any, *, node: str = "", name: str = "") -> None:
        self._number = max(self._number + 1, number_at(self._event.at))
        self._made += 1
        channel = "input" if method == "input.requested" else method
        if self._number <= self.subscription.since or not self.subscription.covers(channel, namespace, name):
            return
        params = {"namespace": namespace, "timestamp": int(self._event.at * 1_000), "data": data}
        envelope = {
            "type": "event",
            "event_id": f"{self._run}:{self._event.id}.{self._made}",
            "seq": self._number,
            "method": method,
            "params": {**params, "node": node} if node else params,
        }
        self._out.append(sse(method, dump(envelope), str(self._number)))

    def _end(self, state: str) -> None:
        """End a run, with all open messages, requests and subgraphs.

        Waiting requests are only sent now, because they cannot be answered earlier.
        """
        for message in list(self._messages.values()):
            self._finish(message, {})
        if self._asked and state == "completed":
            state = "interrupted"
        for interrupt_id, (namespace, value) in self._asked.items():
            self._emit("input.requested", namespace, {"interrupt_id": interrupt_id, "payload": value})
        for namespace in sorted(self._subgraphs, key=len, reverse=True):
            self._lifecycle(namespace, state)
        self._subgraphs, self._asked = {}, {}
        self._lifecycle((), state)

    def _lifecycle(self, namespace: _Namespace, state: str) -> None:
        name = namespace[-1].partition(":")[0] if namespace else GRAPH_ID
        said = {"error": self._error or "the run failed"} if state == "failed" else {}
        self._emit("lifecycle", namespace, {"event": state, "graph_name": name, **said})

    def _values(self, namespace: _Namespace, data: bytes) -> None:
        if f'"{_INTERRUPT}"'.encode() not in data:
            self._emit("values", namespace, orjson.Fragment(data))
            return
        values = orjson.loads(data)
        self._ask(namespace, values.pop(_INTERRUPT, ()))
        if values:
            self._emit("values", namespace, values)

    def _updates(self, namespace: _Namespace, updates: Mapping[str, Any]) -> None:
        for node, update in updates.items():
            if node == _INTERRUPT:
                self._ask(namespace, update)
                continue
            values = update if isinstance(update, dict) else {"value": update}
            found = values.get("messages") or []
            for message in found if isinstance(found, list) else [found]:
                streamed = self._messages.get(str(message.get("id"))) if isinstance(message, dict) else None
                if streamed is not None:
                    self._finish(streamed, message)
            self._emit("updates", namespace, values, node=node)
            done = [item for item in self._subgraphs if item[:-1] == namespace and item[-1].partition(":")[0] == node]
            for subgraph in [item for item in reversed(self._subgraphs) if done and _begins(item, done[0])]:
                del self._subgraphs[subgraph]
                self._lifecycle(subgraph, "completed")

    def _ask(self, namespace: _Namespace, interrupts: Iterable[Mapping[str, Any]]) -> None:
        for interrupt in interrupts:
            self._asked.setdefault(str(interrupt["id"]), (namespace, interrupt.get("value")))

    def _message(self, namespace: _Namespace, message: Mapping[str, Any], metadata: Mapping[str, Any]) -> None:
        """Encode a message of the mode `messages`: a further piece, or a whole message not streamed before."""
        key, node = str(message.get("id")), str(metadata.get("langgraph_node") or "")
        piece = message.get("type") == "AIMessageChunk"
        role = "ai" if piece else str(message.get("type"))
        text = text_of(message.get("content"))
        if role not in _ROLES or (piece and not text):
            return
        known = self._messages.get(key)
        if known is None:
            known = self._messages[key] = _Message(key, namespace, node)
            self._emit("messages", namespace, {"event": "message-start", "role": role, "id": key}, node=node)
            self._block(known, "content-block-start", content={"type": "text", "text": ""})
        if not piece:
            self._finish(known, message)
            return
        known.text += text
        self._block(known, "content-block-delta", delta={"type": "text-delta", "text": text})

    def _finish(self, streamed: _Message, message: Mapping[str, Any]) -> None:
        """Close a message with the final content. Checks may have changed the streamed text."""
        content = message.get("content") or streamed.text
        blocks = [item for item in content if isinstance(item, dict)] if isinstance(content, list) else []
        for n, block in enumerate(blocks or [{"type": "text", "text": text_of(content)}]):
            self._block(streamed, "content-block-finish", index=n, content=block)
        usage = {"usage": message["usage_metadata"]} if message.get("usage_metadata") else {}
        self._emit("messages", streamed.namespace, {"event": "message-finish", **usage}, node=streamed.node)
        del self._messages[streamed.message_id]

    def _block(self, message: _Message, event: str, *, index: int = 0, **data: Any) -> None:
        self._emit("messages", message.namespace, {"event": event, "index": index, **data}, node=message.node)

    def _checkpoint(self, namespace: _Namespace, payload: Mapping[str, Any]) -> None:
        def id_of(config: str) -> Any:
            return ((payload.get(config) or {}).get("configurable") or {}).get("checkpoint_id")

        known = payload.get("metadata") or {}
        place = {"id": id_of("config"), "parent_id": id_of("parent_config")}
        self._emit("checkpoints", namespace, {**place, "step": known.get("step"), "source": known.get("source")})


def _begins(namespace: _Namespace, prefix: _Namespace) -> bool:
    """Report whether a namespace begins with a prefix, in which task ids may be left out.

    `("executor:1a2b", "task:3c4d")` begins with `("executor",)` and with `("executor:1a2b",)`.
    """
    return len(prefix) <= len(namespace) and all(
        item in {part, part.partition(":")[0]} for part, item in zip(namespace, prefix, strict=False)
    )
