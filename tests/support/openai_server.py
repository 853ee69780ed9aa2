"""A scripted server that speaks the OpenAI chat completions protocol, or a provider's `Dialect`, for tests.

A script is a handler: a function from the body of a request to a `Reply`. The
server sends that reply in whichever way the request asks for, streamed or whole,
and can also misbehave in every way real endpoints do.

    def model(request: dict[str, Any]) -> Reply:
        if asked_schema(request) == "Assessment":
            return structured(request, {"level": "simple"})
        return text("Good day.")

    with OpenAIServer(refusing_json_schema(fenced(model))) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", server.key)
        ...
        assert len(server.requests) == 2

Handlers run in threads of their own, several at once.
"""

import json
import re
import socket
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from types import TracebackType
from typing import Any, Self

from tests.support.providers.dialect import Dialect, Json
from tests.support.providers.openai import OPENAI


@dataclass(frozen=True)
class Reply:
    """What the server does with a request."""

    content: str | None = ""  # the message's text; None is sent as null
    tool: tuple[str, str] | None = None  # a function call: its name and its arguments as a string of JSON, valid or not
    more_tools: tuple[tuple[str, str], ...] = ()  # further function calls of the same turn, in OpenAI's form
    refusal: str | None = None  # openAI's field for a declined request
    finish: str | None = "stop"  # the finish reason; None leaves it out of a stream, and makes it null in a whole reply
    usage: tuple[int, int] | None = (11, 7)  # prompt and completion tokens; None reports none
    status: int = 200  # HTTP status. Above 299 the body is an error object with `message`.
    headers: Mapping[str, str] = field(default_factory=dict)  # more headers, such as Retry-After
    message: str = "scripted error"  # the error's message
    body: str | None = None  # this as the whole body, whatever it is, instead of a completion
    cut: int | None = None  # drop the connection after so many characters of the text
    silent: bool = False  # Never answer. Ends when the server stops.
    delay: float = 0.0  # seconds before the first byte
    pause: float = 0.0  # seconds between two pieces of a stream
    piece: int = 5  # characters in one piece of a stream
    thoughts: str = ""  # what the model thought, in the provider's field for that
    cached: int = 0  # tokens of the prompt that were kept from an earlier one
    failure: Json | None = None  # an error's body, told inside the stream after `cut` characters, in place of its end


Handler = Callable[[Json], Reply]


# Replies


def text(content: str, **more: Any) -> Reply:
    """A plain reply."""
    return Reply(content=content, **more)


def call(name: str, arguments: Any, **more: Any) -> Reply:
    """A function call; arguments that are no string are written as JSON."""
    written = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return Reply(content=None, tool=(name, written), finish="tool_calls", **more)


def structured(request: Json, value: Any, **more: Any) -> Reply:
    """A JSON value in the form in which the request asks for it: a function call, or JSON as text."""
    if name := _tool_name(request):
        return call(name, value, **more)
    return text(json.dumps(value, ensure_ascii=False), **more)


def error(status: int, message: str = "scripted error", **headers: str) -> Reply:
    """An HTTP error; a header is named with underscores, as in `retry_after="1"`."""
    return Reply(
        status=status, message=message, headers={name.replace("_", "-"): value for name, value in headers.items()}
    )


def raw(body: str, status: int = 200) -> Reply:
    """Any body at all; `raw("")` is an empty one."""
    return Reply(body=body, status=status)


def cut(content: str, after: int = 10) -> Reply:
    """A reply whose connection breaks after some characters."""
    return Reply(content=content, cut=after)


def unfinished(content: str) -> Reply:
    """A stream that ends in good order, but without a finish reason, as servers do that were cut off themselves."""
    return Reply(content=content, finish=None)


def silent() -> Reply:
    """No answer, ever."""
    return Reply(silent=True)


# What a request asks for


def asked_schema(request: Json) -> str | None:
    """The name of the schema a request asks for, by whichever means; None if it asks for plain text.

    It is that of the response format, of the function to call, or the one the prompt names.
    """
    response_format = request.get("response_format") or {}
    if name := (response_format.get("json_schema") or {}).get("name"):
        return str(name)
    if name := _tool_name(request):
        return name
    found = re.findall(r'JSON schema "([\w-]+)"', prompt(request))
    return found[-1] if found else None


def asked_mode(request: Json) -> str:
    """How the request asks: `json_schema`, `function_call`, `json_text` or `text`."""
    if "response_format" in request:
        return "json_schema"
    if request.get("tools"):
        return "function_call"
    return "json_text" if asked_schema(request) else "text"


def prompt(request: Json) -> str:
    """All text of the conversation, messages parted by blank lines."""
    return "\n\n".join(_content(message) for message in request.get("messages", ()))


def last_message(request: Json) -> str:
    """The text of the newest message."""
    return _content(request["messages"][-1])


def _content(message: Json) -> str:
    content = message.get("content") or ""
    if isinstance(content, str):
        return content
    return "".join(block.get("text", "") for block in content)


def _tool_name(request: Json) -> str | None:
    tools = request.get("tools") or ()
    return str(tools[0]["function"]["name"]) if tools else None


# Personalities: handlers made of handlers


def scripted(schemas: Mapping[str, Any], otherwise: Reply | str = "All is well.") -> Handler:
    """A model that knows a value for each schema, by name, and one text for everything else.

    A value may be a function of the request. A schema it does not know gets an HTTP 500, so that a test notices.
    """

    def handler(request: Json) -> Reply:
        name = asked_schema(request)
        if name is None:
            return text(otherwise) if isinstance(otherwise, str) else otherwise
        if name not in schemas:
            return error(500, f"no script for {name}")
        value = schemas[name]
        value = value(request) if callable(value) else value
        return value if isinstance(value, Reply) else structured(request, value)

    return handler


def in_turn(*replies: Reply | Handler) -> Handler:
    """These, one a request, the last one for ever."""
    turns = count()

    def handler(request: Json) -> Reply:
        reply = replies[min(next(turns), len(replies) - 1)]
        return reply if isinstance(reply, Reply) else reply(request)

    return handler


def always(reply: Reply) -> Handler:
    """The same to everything."""
    return lambda _: reply


def failing(status: int, times: int | None = None, then: Handler | None = None, **headers: str) -> Handler:
    """An HTTP error, always, or so many times before another handler takes over."""
    broken = error(status, **headers)
    if times is None or then is None:
        return always(broken)
    return in_turn(*[broken] * times, then)


def fenced(
    handler: Handler, before: str = "Sure! Here is the JSON you asked for:", after: str = "Hope it helps!"
) -> Handler:
    """A model that puts its JSON in a code fence with prose around it, and ignores how it was asked for it."""

    def wrapped(request: Json) -> Reply:
        reply = handler(request)
        if asked_schema(request) is None or reply.status != 200:
            return reply
        content = reply.tool[1] if reply.tool else reply.content
        return replace(reply, content=f"{before}\n\n```json\n{content}\n```\n{after}", tool=None, finish="stop")

    return wrapped


def refusing_json_schema(handler: Handler, status: int = 400) -> Handler:
    """An endpoint without response formats."""
    refusal = error(status, "response_format of type json_schema is not available")
    return lambda request: refusal if "response_format" in request else handler(request)


def refusing_tools(handler: Handler, status: int = 400) -> Handler:
    """An endpoint without function calls."""
    refusal = error(status, "this model does not support tools")
    return lambda request: refusal if "tools" in request else handler(request)


def ignoring_format(handler: Handler) -> Handler:
    """An endpoint that drops response_format and tools unread, so that its model never sees them."""

    def wrapped(request: Json) -> Reply:
        return handler({key: value for key, value in request.items() if key not in {"response_format", "tools"}})

    return wrapped


# The server


@dataclass(frozen=True)
class Recorded:
    """A request that came in."""

    path: str  # its path, such as /v1/chat/completions
    headers: Mapping[str, str]  # its headers, names in lower case
    body: Json  # its body

    @property
    def schema(self) -> str | None:
        """The name of the schema it asks for."""
        return asked_schema(self.body)

    @property
    def mode(self) -> str:
        """How it asks."""
        return asked_mode(self.body)


class OpenAIServer:
    """A context manager that serves a handler on a free port of the loopback, in OpenAI's form or another provider's.

    Attributes:
        requests: All requests so far, in order of arrival, retries included.
        handler: The script; may be exchanged while the server runs.
        key: A key to use; the server takes any.
    """

    def __init__(self, handler: Handler, dialect: Dialect = OPENAI) -> None:
        self.handler = handler
        self.dialect = dialect
        self.requests: list[Recorded] = []
        self.key = "test-key-that-must-not-leak"
        self._stopped = threading.Event()
        self._http = _Server(("127.0.0.1", 0), _Exchange)
        self._http.owner = self
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01})

    @property
    def url(self) -> str:
        """The base URL, for OPENAI_BASE_URL."""
        return f"http://127.0.0.1:{self._http.server_port}/v1"

    @property
    def environment(self) -> dict[str, str]:
        """The variables that point a program here."""
        return dict(self.dialect.environment(self.url.removesuffix("/v1"), self.key))

    @property
    def modes(self) -> list[str]:
        """How each request asked, in order."""
        return [request.mode for request in self.requests]

    def wait(self, seconds: float | None = None) -> bool:
        """Sleep, but not beyond the server's end; True if it ended."""
        return self._stopped.wait(seconds)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._stopped.set()
        self._http.shutdown()
        self._thread.join()
        self._http.hang_up()
        self._http.server_close()


class _Server(ThreadingHTTPServer):
    """Remembers its connections, so that those kept alive can be hung up on and their threads joined."""

    daemon_threads = False
    request_queue_size = 64
    owner: OpenAIServer

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._open: set[socket.socket] = set()
        super().__init__(*args, **kwargs)

    def get_request(self) -> tuple[socket.socket, Any]:
        connection, address = super().get_request()
        self._open.add(connection)
        return connection, address

    def shutdown_request(self, request: Any) -> None:
        self._open.discard(request)
        super().shutdown_request(request)

    def hang_up(self) -> None:
        for connection in list(self._open):
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue  # its other end was faster

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that left early is no event."""


class _Exchange(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name is given
        """No noise on stderr."""

    def do_GET(self) -> None:
        self._send(200, json.dumps({"object": "list", "data": [{"id": "scripted", "object": "model"}]}))

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        sent = self.rfile.read(length)
        if not sent or len(sent) < length:
            return  # whoever asked was killed while asking
        body = json.loads(sent)
        owner = self.server.owner
        headers = {name.lower(): value for name, value in self.headers.items()}
        owner.requests.append(Recorded(self.path, headers, body))
        if not self.path.endswith(owner.dialect.paths):
            self._send(404, json.dumps({"error": {"message": f"no {self.path} here", "type": "not_found"}}))
            return
        reply = owner.handler(owner.dialect.read(body))
        if reply.silent or reply.delay:
            owner.wait(None if reply.silent else reply.delay)
        if reply.silent:
            self.close_connection = True
        elif reply.body is not None:
            self._send(reply.status, reply.body, reply.headers)
        elif reply.status != 200:
            self._send(reply.status, json.dumps(owner.dialect.error(reply.status, reply.message)), reply.headers)
        elif owner.dialect.streams(self.path, body):
            self._stream(body, reply)
        else:
            self._whole(body, reply)

    def _send(self, status: int, content: str, headers: Mapping[str, str] | None = None) -> None:
        encoded = content.encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(encoded)))
        self.end_headers()
        self.wfile.write(encoded)

    def _whole(self, request: Json, reply: Reply) -> None:
        content = json.dumps(self.server.owner.dialect.whole(request, reply))
        if reply.cut is None:
            self._send(200, content)
            return
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content) * 2))
        self.end_headers()
        self.wfile.write(content[: len(content) // 2].encode())
        self.close_connection = True

    def _stream(self, request: Json, reply: Reply) -> None:
        dialect = self.server.owner.dialect
        self.send_response(200)
        self.send_header("Content-Type", dialect.stream_type)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        sent = 0
        for event in dialect.events(request, reply):
            if (reply.cut is not None or reply.failure) and sent >= (reply.cut or 0):
                if reply.failure:
                    self._chunk(dialect.failure(reply.failure).encode())
                    break
                self.close_connection = True  # without the chunk of length 0 that would end it in good order
                return
            self._chunk(event.data.encode())
            sent += event.characters
            if reply.pause and self.server.owner.wait(reply.pause):
                self.close_connection = True
                return
        self._chunk(b"")

    def _chunk(self, content: bytes) -> None:
        self.wfile.write(f"{len(content):x}\r\n".encode() + content + b"\r\n")
        self.wfile.flush()
