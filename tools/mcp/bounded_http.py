"""HTTP for MCP servers: each response bounded in bytes, redirects not followed to other hosts."""

from collections.abc import AsyncIterator
from typing import Any

import httpx2

from weiwo.tools.mcp.stdio import MOST_MESSAGE_BYTES


class _BoundedStream(httpx2.AsyncByteStream):
    """A response's bytes, up to as many as one message may have."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for chunk in self._stream:
            size += len(chunk)
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


def bounded_client(**options: Any) -> httpx2.AsyncClient:
    """An HTTP client for an MCP transport.

    Args:
        options: Headers, time bounds and authentication, as the transport wants them.
    """
    options.setdefault("timeout", httpx2.Timeout(30.0, read=300.0))
    options["follow_redirects"] = False  # an address that moved is the file's to say: headers hold keys
    return httpx2.AsyncClient(transport=_BoundedTransport(), trust_env=False, **options)
