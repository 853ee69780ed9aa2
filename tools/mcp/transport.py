"""Transports to MCP servers: pipes, Streamable HTTP and SSE.

All limit the size of messages, and none evaluates a schema supplied by a server. Redirects are not followed: headers
hold keys, and only the configuration file may name a new address.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import httpx2
import mcp_types as types
from fastmcp.client.transports.base import ClientTransport
from fastmcp.client.transports.http import StreamableHttpTransport
from fastmcp.client.transports.sse import SSETransport
from mcp.client.session import ClientSession
from pydantic import ValidationError

from weiwo.tools.mcp.oauth import ServerLogin
from weiwo.tools.mcp.servers import McpServer
from weiwo.tools.mcp.stdio import MOST_MESSAGE_BYTES, MOST_OBJECTS, BoundedStdioTransport, count_parts

_Elicit = Callable[[Any, Any], Awaitable[types.ElicitResult]]
"""Answers an elicitation, a server's request to the user: from context and parameters to the result."""


class _BoundedStream(httpx2.AsyncByteStream):
    """Byte stream of a whole response, limited to `MOST_MESSAGE_BYTES` and `MOST_OBJECTS`."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = parts = 0
        async for chunk in self._stream:
            size += len(chunk)
            parts += count_parts(chunk)
            if parts > MOST_OBJECTS:
                raise httpx2.ReadError(f"the result has more than {MOST_OBJECTS:,} parts")
            if size > MOST_MESSAGE_BYTES:
                raise httpx2.ReadError(f"the result is larger than {MOST_MESSAGE_BYTES // 1_000_000} MB")
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()


class _BoundedTransport(httpx2.AsyncHTTPTransport):
    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        response = await super().handle_async_request(request)
        response.stream = _BoundedStream(response.stream)
        return response


def _bounded_client(**options: Any) -> httpx2.AsyncClient:
    """Create an HTTP client for an MCP transport, without redirects and with limited responses."""
    options.setdefault("timeout", httpx2.Timeout(30.0, read=300.0))
    options["follow_redirects"] = False
    return httpx2.AsyncClient(transport=_BoundedTransport(), trust_env=False, **options)


async def _accept_result(name: str, result: types.CallToolResult) -> None:
    """Replace the SDK's validation of a result against the server's schema, by doing nothing.

    Python's `re` holds the interpreter's lock, so a pattern in the schema (or references that branch) could stop the
    whole process, past every limit. Results are untrusted text, regardless of their schema.
    """


def _drop_unsound_tools(session: Any) -> None:
    """Make a session skip invalid entries in a list of tools, instead of rejecting the whole list."""
    dispatcher = session._dispatcher  # noqa: SLF001 - the SDK checks the whole list before anybody else sees it
    send = dispatcher.send_raw_request

    async def send_raw_request(method: str, *given: Any) -> dict[str, Any]:
        raw: dict[str, Any] = await send(method, *given)
        if method == "tools/list" and isinstance(raw.get("tools"), list):
            raw = {**raw, "tools": [item for item in raw["tools"] if _is_tool(item)]}
        return raw

    dispatcher.send_raw_request = send_raw_request


def _is_tool(entry: Any) -> bool:
    try:
        types.Tool.model_validate(entry, by_name=False)
    except ValidationError:
        return False
    return True


class _SafeTransport(ClientTransport):
    """Base class of transports with sessions that do not evaluate schemas supplied by a server.

    Elicitations go to `elicit` directly. FastMCP's own handler would first build a class from the server's form,
    however large the form is.
    """

    elicit: _Elicit | None = None

    @asynccontextmanager
    async def connect_session(self, **session_kwargs: Any) -> AsyncIterator[ClientSession]:
        """Open a session."""
        if self.elicit is not None:
            session_kwargs["elicitation_callback"] = self.elicit
        async with super().connect_session(**session_kwargs) as session:  # type: ignore[safe-super]
            session.validate_tool_result = _accept_result  # type: ignore[method-assign]
            _drop_unsound_tools(session)
            yield session


class _StdioTransport(_SafeTransport, BoundedStdioTransport):
    pass


class _HttpTransport(_SafeTransport, StreamableHttpTransport):
    pass


class _SseTransport(_SafeTransport, SSETransport):
    pass


def make_transport(
    server: McpServer, show: Callable[[str], None] | None = None, *, elicit: _Elicit | None = None
) -> ClientTransport:
    """Build the transport to a server.

    Args:
        server: The server.
        show: Opens the authorization URL for the user. Without it, a needed login is an error.
        elicit: Answers elicitations, the server's requests to the user.
    """
    transport: _SafeTransport
    if server.transport == "stdio":
        transport = _StdioTransport(server)
    else:
        kind = _HttpTransport if server.transport == "http" else _SseTransport
        login = ServerLogin(server, show, client=_bounded_client) if server.oauth is not None else None
        transport = kind(
            server.url, headers=dict(server.headers), auth=login, httpx_client_factory=partial(_bounded_client)
        )
    transport.elicit = elicit
    return transport
