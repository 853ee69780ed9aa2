"""The contract of a provider's wire form: requests read, replies, streams and errors written."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from tests.support.openai_server import Reply

Json = dict[str, Any]


class Event(NamedTuple):
    """A piece of a stream."""

    data: str  # as it is sent
    characters: int = 0  # of the reply's text in it


def sse(value: Any, name: str = "") -> str:
    """A server-sent event."""
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {value if isinstance(value, str) else json.dumps(value)}\n\n"


def pieces(text: str, size: int) -> Iterator[str]:
    """A text in pieces of a size."""
    for start in range(0, len(text), size):
        yield text[start : start + size]


@dataclass(frozen=True)
class Dialect:
    """A provider's wire form."""

    name: str  # the provider, as LangChain calls it
    package: str  # the package of its chat model
    model: str  # a model of that provider
    paths: tuple[str, ...]  # how the paths of its requests end
    environment: Callable[[str, str], Mapping[str, str]]  # the variables that point a program to an address with a key
    read: Callable[[Json], Json]  # a request in OpenAI's form
    whole: Callable[[Json, "Reply"], Json]  # a reply's body
    events: Callable[[Json, "Reply"], Iterator[Event]]  # the same as a stream
    error: Callable[[int, str], Json]  # an error's body
    stops: Mapping[str, str] = field(default_factory=dict)  # its words for OpenAI's reasons to stop
    stream_type: str = "text/event-stream"
    failure: Callable[[Json], str] = sse  # an error told inside a stream

    def streams(self, path: str, request: Json) -> bool:
        """Whether a request wants a stream."""
        return ":stream" in path or bool(request.get("stream", self.name == "ollama"))

    def stop(self, word: str | None) -> str | None:
        """The provider's word for a reason to stop."""
        return self.stops.get(word, word) if word else word


def wants_schema(name: str, schema: Any) -> Json:
    """OpenAI's form of a wish for JSON of a schema."""
    return {"type": "json_schema", "json_schema": {"name": name, "schema": schema}}
