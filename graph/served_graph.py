"""The graph for LangGraph servers, as named in `langgraph.json`. Every run counts as a client's."""

from typing import Any

from langgraph.stream import StreamChannel, StreamTransformer

from weiwo.graph.builder import build_graph
from weiwo.state.events import EventBase

graph = build_graph(serves_clients=True)


class EventChannels(StreamTransformer):
    """Stream transformer that puts each event of a run on a channel named after the event's type, e.g. `planned`.

    A LangGraph server forwards a channel under its name, to which clients can subscribe (`useExtension`), and a custom
    event without a name. Events of subgraphs are on the run's channels too.
    """

    required_stream_modes = ("custom",)
    supports_sync = True

    def __init__(self, scope: tuple[str, ...] = ()) -> None:
        super().__init__(scope)
        types = () if scope else (str(kind.model_fields["type"].default) for kind in EventBase.__subclasses__())
        self._channels: dict[str, StreamChannel[Any]] = {name: StreamChannel(name) for name in types}

    def init(self) -> dict[str, Any]:
        """Return the channels by name."""
        return dict(self._channels)

    def process(self, event: Any) -> bool:
        """Put a custom event on the channel of its type, and report whether LangGraph must forward the event itself.

        False for an event put on a channel, so that clients do not get it twice. True for all others.
        """
        data = event["params"]["data"] if event["method"] == "custom" else None
        channel = self._channels.get(str(data.get("type"))) if isinstance(data, dict) else None
        if channel is not None:
            channel.push(data)
        return channel is None


def stream_transformers() -> list[Any]:
    """Return the transformers that a LangGraph server adds to each run. The server finds this function by its name."""
    return [EventChannels]
