"""JSON and server-sent events in the format of LangGraph's SDKs."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any, Final
from uuid import UUID, uuid5

import anyio
import orjson
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from weiwo.app.server.errors import RequestError

GRAPH_ID: Final = "weiwo"
ASSISTANT_ID: Final = str(uuid5(UUID("6ba7b821-9dad-11d1-80b4-00c04fd430c8"), GRAPH_ID))
"""Id of the only assistant, derived from the graph's name as LangGraph's server derives it."""
_MOST_METADATA_BYTES: Final = 16_000
_DEEPEST: Final = 100
"""Maximum nesting of objects and lists in a request body: about half of what can be serialized again."""
_MOST_BODY_BYTES: Final = 8_000_000
"""Bytes of a JSON request body."""
HEARTBEAT: Final = b": heartbeat\n\n"
_OPTIONS: Final = orjson.OPT_NON_STR_KEYS | orjson.OPT_SERIALIZE_NUMPY


def dump(value: Any) -> bytes:
    """Serialize a value as JSON.

    Models and messages become objects of their fields, errors `{"error": NAME, "message": TEXT}`, sets lists, and any
    other object its text.
    """
    try:
        return orjson.dumps(value, default=_default, option=_OPTIONS)
    except TypeError:  # lone surrogates, which no JSON text may hold
        return orjson.dumps(_printable(value), default=_default, option=_OPTIONS)


def plain(value: Any) -> Any:
    """Convert a value to plain JSON data."""
    return orjson.loads(dump(value))


def _default(value: Any) -> Any:
    if callable(getattr(value, "model_dump", None)) and not isinstance(value, type):
        return value.model_dump()
    if callable(getattr(value, "_asdict", None)) and not isinstance(value, type):
        return value._asdict()
    if isinstance(value, BaseException):
        return {"error": type(value).__name__, "message": str(value)}
    if isinstance(value, set | frozenset):
        return list(value)
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return str(value)


def _printable(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, Mapping):
        return {_printable(key): _printable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_printable(item) for item in value]
    if callable(getattr(value, "model_dump", None)) and not isinstance(value, type):
        return _printable(value.model_dump())
    return value


def reply(value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """A JSON response."""
    return Response(dump(value), status, headers, "application/json")


def wants_chinese(headers: Headers) -> bool:
    """Report whether the sender of a request prefers Chinese."""
    return headers.get("accept-language", "").strip().lower().startswith("zh")


def error_reply(error: RequestError, asked: Headers) -> Response:
    """Return an error response in LangGraph's format, in the request's language."""
    told = error.chinese if error.chinese and wants_chinese(asked) else error.detail
    return reply({"detail": told}, error.status, error.headers)


async def read_body(request: Request) -> bytes:
    """Return a request's body.

    Raises:
        RequestError: The body is too long.
    """
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > _MOST_BODY_BYTES:
            told = f"the request body is larger than {_MOST_BODY_BYTES:,} bytes; send less"
            raise RequestError(413, told, f"请求超过 {_MOST_BODY_BYTES:,} 字节；请缩短后再试")
        parts.append(part)
    return b"".join(parts)


async def read_json(request: Request) -> dict[str, Any]:
    """Read a request's body as an object. An empty body gives an empty object.

    Raises:
        RequestError: The body is no JSON object, or too long.
    """
    body = await read_body(request)
    if not body.strip():
        return {}
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise RequestError(422, f"the request body is not valid JSON ({error}); send an object") from None
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise RequestError(422, "the request body must be a JSON object")
    if body.count(b"[") + body.count(b"{") > _DEEPEST and not _is_shallow(value):
        raise RequestError(422, f"the request body is nested more than {_DEEPEST} levels deep; send less nesting")
    return value


def _is_shallow(value: Any) -> bool:
    """Report whether a value is shallow enough for serialization and recursive functions."""
    level = [value]
    for _ in range(_DEEPEST):
        inner = [item.values() if isinstance(item, dict) else item for item in level if isinstance(item, dict | list)]
        if not inner:
            return True
        level = [item for items in inner for item in items]
    return False


def read_text(body: Mapping[str, Any], name: str) -> str:
    """Read a text field of a request. Returns an empty string for a missing field.

    Raises:
        RequestError: The field is not a text.
    """
    value = body.get(name)
    if value is not None and not isinstance(value, str):
        raise RequestError(422, f"{name} must be a string")
    return value or ""


def text_of(content: Any) -> str:
    """Return the text of a message's content, a text or a list of blocks. Blocks without text count as empty."""
    if isinstance(content, list):
        return "".join(str(item.get("text") or "") if isinstance(item, dict) else str(item) for item in content)
    return str(content or "")


def read_place(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the checkpoint named by a request, as an object without empty fields.

    Its fields are `checkpoint_id`, `checkpoint_ns` and `checkpoint_map`. They are read from the object `checkpoint`, or
    else from the body itself. The thread comes from the path alone.

    Raises:
        RequestError: The checkpoint is malformed.
    """
    given = read_object(body, "checkpoint") or body
    place: dict[str, Any] = {name: read_text(given, name) for name in ("checkpoint_id", "checkpoint_ns")}
    place["checkpoint_map"] = read_object(given, "checkpoint_map")
    for name in place["checkpoint_map"]:
        read_text(place["checkpoint_map"], name)
    return {name: value for name, value in place.items() if value}


def read_metadata(body: Mapping[str, Any], before: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Merge a client's metadata of a thread or a run into the earlier metadata.

    Raises:
        RequestError: The metadata is no object, or too long.
    """
    metadata = {**(before or {}), **read_object(body, "metadata")}
    if len(dump(metadata)) > _MOST_METADATA_BYTES:
        raise RequestError(413, f"metadata is larger than {_MOST_METADATA_BYTES:,} bytes; send less")
    return metadata


def read_object(body: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Read an object field of a request. Returns an empty object for a missing field.

    Raises:
        RequestError: The field is not an object.
    """
    value = body.get(name) or {}
    if not isinstance(value, Mapping):
        raise RequestError(422, f"{name} must be an object")
    return dict(value)


def read_count(values: Mapping[str, Any], name: str, default: int, most: int, least: int = 0) -> int:
    """Return the number in a field of a request or of the query, or `default` if it is missing.

    Raises:
        RequestError: The value is no number, or not between `least` and `most`.
    """
    value = values.get(name)
    text = str(default if value is None else value)
    if not (text.isascii() and text.isdecimal() and len(text) <= 9 and least <= int(text) <= most):
        raise RequestError(422, f"{name} must be a number from {least} to {most:,}, not {text[:40]!a}")
    return int(text)


def sse(event: str, data: bytes, event_id: str | None = None) -> bytes:
    """Format a server-sent event. The data is a single line, because JSON holds no line break."""
    name = event.replace("\r", "").replace("\n", "")
    last = f"id: {event_id}\n" if event_id is not None else ""
    return b"".join((b"event: ", name.encode(), b"\ndata: ", data, b"\n", last.encode(), b"\n"))


class EventStream(Response):
    """Response of server-sent events. The source generator is closed as soon as the client leaves.

    Starlette's own leaves the generator to the garbage collector if the client leaves while an event is sent.
    """

    media_type = "text/event-stream"

    def __init__(self, events: AsyncIterator[bytes], headers: Mapping[str, str] | None = None) -> None:
        self.events = events
        self.status_code = 200
        self.background = None
        self.body = b""
        self.init_headers({"cache-control": "no-store", "x-accel-buffering": "no", **(headers or {})})
        del self.headers["content-length"]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 - ASGI
        """Send the events until the end, or until the client leaves."""
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})

        async def feed(group: anyio.abc.TaskGroup) -> None:
            try:
                async for part in self.events:
                    await send({"type": "http.response.body", "body": part, "more_body": True})
                with suppress(OSError):
                    await send({"type": "http.response.body", "body": b"", "more_body": False})
            finally:
                with anyio.CancelScope(shield=True):
                    await self.events.aclose()  # type: ignore[attr-defined]  # an asynchronous generator
            group.cancel_scope.cancel()

        async with anyio.create_task_group() as group:
            group.start_soon(feed, group)
            while (await receive())["type"] != "http.disconnect":
                pass
            group.cancel_scope.cancel()


async def cancel_on_leave(parts: AsyncIterator[bytes], cancel: Callable[[], Awaitable[None]]) -> AsyncIterator[bytes]:
    """Yield the parts of a response, and await `cancel` if the client leaves before the last part."""
    ended = False
    try:
        async for part in parts:
            yield part
        ended = True
    finally:
        if not ended:
            with anyio.CancelScope(shield=True):  # this generator is itself being cancelled
                await cancel()
