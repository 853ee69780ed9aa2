"""The transport to an MCP server: how it is reached, and who answers what it asks the user."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import mcp_types as types
from fastmcp.client.transports.base import ClientTransport
from fastmcp.client.transports.http import StreamableHttpTransport
from fastmcp.client.transports.sse import SSETransport
from mcp.client.session import ClientSession

from weiwo.tools.mcp.bounded_http import bounded_client
from weiwo.tools.mcp.oauth import ServerLogin
from weiwo.tools.mcp.servers import McpServer
from weiwo.tools.mcp.stdio import BoundedStdioTransport

Elicit = Callable[[Any, Any], Awaitable[types.ElicitResult | types.ErrorData]]
"""Answers what a server asks the user: the request's context and its parameters to the answer."""


async def _accept_result(name: str, result: types.CallToolResult) -> None:
    """Leave a result unchecked against the schema that its server gives.

    Python's `re` holds the interpreter's lock, so that a pattern (or references that branch) in it would stop the
    whole process, past every limit. Results are text from outside, whatever their schema says.
    """


class _ElicitingTransport(ClientTransport):
    """A transport whose sessions answer what a server asks the user, and run no schema of a server's.

    FastMCP's own way makes a class of each form first, however large it is.
    """

    elicit: Elicit | None = None

    @asynccontextmanager
    async def connect_session(self, **session_kwargs: Any) -> AsyncIterator[ClientSession]:
        """Open a session."""
        if self.elicit is not None:
            session_kwargs["elicitation_callback"] = self.elicit
        async with super().connect_session(**session_kwargs) as session:  # type: ignore[safe-super]
            session.validate_tool_result = _accept_result  # type: ignore[method-assign]
            yield session


class _StdioTransport(_ElicitingTransport, BoundedStdioTransport):
    pass


class _HttpTransport(_ElicitingTransport, StreamableHttpTransport):
    pass


class _SseTransport(_ElicitingTransport, SSETransport):
    pass


def make_transport(
    server: McpServer, show: Callable[[str], None] | None = None, *, elicit: Elicit | None = None
) -> ClientTransport:
    """How a server is reached.

    Args:
        server: The server.
        show: Shows a person the address to log in at; None where nobody is to be asked.
        elicit: Answers what the server asks the user; None: it is told that nobody does.
    """
    transport: _ElicitingTransport
    if server.transport == "stdio":
        transport = _StdioTransport(server)
    else:
        kind = _HttpTransport if server.transport == "http" else _SseTransport
        login = ServerLogin(server, show) if server.oauth is not None else None
        transport = kind(
            server.url, headers=dict(server.headers), auth=login, httpx_client_factory=partial(bounded_client)
        )
    transport.elicit = elicit
    return transport
