"""Messages of a server on a pipe: bounded in bytes and in parts before they are parsed."""

import asyncio
from types import SimpleNamespace

import mcp_types as types

from weiwo.tools.mcp.servers import McpServer
from weiwo.tools.mcp.stdio import MOST_OBJECTS, TOO_LARGE, BoundedStdioTransport


async def test_a_result_of_too_many_parts_fails_its_call_alone():
    """A part costs two thousand bytes once it is read: half a million of them, 15 MB, took more than a gigabyte."""
    stdout = asyncio.StreamReader()
    parts = b",".join([b'{"type":"text","text":""}'] * (MOST_OBJECTS + 1))
    stdout.feed_data(b'{"jsonrpc":"2.0","id":7,"result":{"content":[' + parts + b"]}}\n")
    stdout.feed_data(b'{"jsonrpc":"2.0","id":8,"result":{"content":[]}}\n')
    stdout.feed_eof()
    heard = []

    async def send(message):
        heard.append(message.message)

    session = SimpleNamespace(send=send, close=lambda: None)
    transport = BoundedStdioTransport(McpServer(name="desk", transport="stdio", command="x"))
    await transport._read(SimpleNamespace(stdout=stdout), session)
    refused, taken = heard
    assert (refused.id, refused.error.code) == (7, TOO_LARGE)
    assert isinstance(taken, types.JSONRPCResponse)
