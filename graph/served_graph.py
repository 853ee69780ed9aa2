"""The graph for servers, as named in `langgraph.json`: every run is a client's run."""

from typing import Any

from langgraph.stream import StreamChannel, StreamTransformer

from weiwo.graph.builder import build_graph
from weiwo.state.events import EventBase

graph = build_graph(serves_clients=True)


class EventChannels(StreamTransformer):
    """Stream transformer: puts each stream event on the custom channel of the event's type.

    `useExtension`, for example, asks for `planned`. A LangGraph server forwards data on a named channel by that name,
    and a bare custom event without any. Events describe the run, so those of subgraphs are on the run's own channels.
    """

    required_stream_modes = ("custom",)
    supports_sync = True

    def __init__(self, scope: tuple[str, ...] = ()) -> None:
        super().__init__(scope)
        types = () if scope else (str(kind.model_fields["type"].default) for kind in EventBase.__subclasses__())
        self._channels: dict[str, StreamChannel[Any]] = {name: StreamChannel(name) for name in types}

    def init(self) -> dict[str, Any]:
        """The channels, by name."""
        return dict(self._channels)

    def process(self, event: Any) -> bool:
        """Put a custom event on the named channel, in place of the bare event."""
        data = event["params"]["data"] if event["method"] == "custom" else None
        channel = self._channels.get(str(data.get("type"))) if isinstance(data, dict) else None
        if channel is not None:
            channel.push(data)
        return channel is None


def stream_transformers() -> list[Any]:
    """Return the transformers added to each run by a LangGraph server.

    The server looks this function up by its name.
    """
    return [EventChannels]
