"""Forward proxy on loopback for a browser loading a page under the URL guard.

A browser that resolves names itself would be outside the guard: DNS could change its answer, and a script could reach
the intranet. The browser therefore has no way out except this proxy, which opens every connection itself, to an address
that the guard has checked. The proxy asks for a password that only that browser knows, and ends with the page.
"""

import asyncio
import base64
import re
import secrets
from contextlib import suppress
from http import HTTPStatus
from typing import Final, Self
from urllib.parse import SplitResult

import httpcore

from weiwo.state.errors import WeiwoError
from weiwo.tools.web.fetching.guarded_transport import GuardedBackend, UnknownHostError
from weiwo.tools.web.fetching.url_guard import UrlGuard, UrlRefusedError

_LARGEST_HEAD: Final = 32_768
_HEAD_SECONDS: Final = 10.0
_MOST_CONNECTIONS: Final = 100
_PIECE: Final = 65_536
_READ_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_REQUEST: Final = re.compile(r"([A-Z]{3,10}) (\S{1,4096}) HTTP/1\.[01]")
_PHRASES: Final = {status.value: status.phrase for status in HTTPStatus}
_USER: Final = "page"


class _RefusedError(WeiwoError):
    """Error raised to answer a request with an HTTP status instead of opening a connection."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class GuardedProxy:
    """Asynchronous context manager for running the proxy.

    Args:
        guard: Decides which connections are allowed.
        max_bytes: Limit on the bytes of all replies together. Above the limit every connection ends.

    Attributes:
        refused: Hosts or URLs that were requested and not allowed, at most a hundred.
    """

    def __init__(self, guard: UrlGuard, *, max_bytes: int) -> None:
        self.refused: list[str] = []
        self.username, self.password = _USER, secrets.token_urlsafe(24)
        self._guard = guard
        self._backend = GuardedBackend(guard)
        self._left = max_bytes
        self._connections = 0
        self._tasks: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None

    @property
    def address(self) -> str:
        """URL of the proxy's listening address."""
        if self._server is None:
            raise RuntimeError("the proxy is not open")
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    @property
    def is_exhausted(self) -> bool:
        """Report whether the replies exceeded the byte limit."""
        return self._left < 0

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0, limit=_LARGEST_HEAD)
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._server is not None:
            self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is not None:
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        try:
            await self._serve(reader, writer)
        except _RefusedError as refusal:
            challenge = f'Proxy-Authenticate: Basic realm="{_USER}"\r\n' if refusal.status == 407 else ""
            head = f"HTTP/1.1 {refusal.status} {_PHRASES[refusal.status]}\r\n{challenge}"
            writer.write(f"{head}Content-Length: 0\r\nConnection: close\r\n\r\n".encode("ascii"))
            with suppress(OSError):
                await writer.drain()
        except (OSError, TimeoutError, asyncio.IncompleteReadError, httpcore.NetworkError, httpcore.TimeoutException):
            return  # either side is gone
        finally:
            writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(_HEAD_SECONDS):
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        except asyncio.LimitOverrunError:
            raise _RefusedError(400) from None
        request, *lines = head.removesuffix("\r\n\r\n").split("\r\n")
        found = _REQUEST.fullmatch(request)
        if found is None:
            raise _RefusedError(400)
        headers = [tuple(map(str.strip, line.split(":", 1))) for line in lines if ":" in line]
        self._check_password(headers)
        method, target = found.groups()
        tunnel = method == "CONNECT"
        if not tunnel and method not in _READ_METHODS:
            raise _RefusedError(405)
        parts = self._check_target(f"https://{target}" if tunnel else target)
        stream = await self._connect(parts)
        try:
            if tunnel:
                writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            else:
                await stream.write(_origin_request(method, parts, headers))
            await self._relay(reader, writer, stream)
        finally:
            await stream.aclose()

    def _check_password(self, headers: list[tuple[str, ...]]) -> None:
        given = next((value for name, value in headers if name.lower() == "proxy-authorization"), "")
        wanted = "Basic " + base64.b64encode(f"{self.username}:{self.password}".encode()).decode("ascii")
        if not secrets.compare_digest(given.encode(), wanted.encode()):
            raise _RefusedError(407)

    def _check_target(self, url: str) -> SplitResult:
        self._connections += 1
        if self._connections > _MOST_CONNECTIONS or self.is_exhausted:
            raise _RefusedError(429)
        try:
            return self._guard.check_url(url)
        except UrlRefusedError:
            raise self._refusal(url) from None

    async def _connect(self, parts: SplitResult) -> httpcore.AsyncNetworkStream:
        host, port = parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)
        try:
            return await self._backend.connect_tcp(host, port)
        except UrlRefusedError:
            raise self._refusal(parts.netloc) from None
        except (UnknownHostError, httpcore.NetworkError, httpcore.TimeoutException, OSError):
            raise _RefusedError(502) from None

    def _refusal(self, what: str) -> _RefusedError:
        if len(self.refused) < _MOST_CONNECTIONS:
            self.refused.append(what)
        return _RefusedError(403)

    async def _relay(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, stream: httpcore.AsyncNetworkStream
    ) -> None:
        """Copy bytes in both directions until the server has sent all, or the byte limit is exceeded."""

        async def send() -> None:
            while piece := await reader.read(_PIECE):
                await stream.write(piece)

        sending = asyncio.create_task(send())
        try:
            while (piece := await stream.read(_PIECE)) and not self.is_exhausted:
                self._left -= len(piece)
                writer.write(piece)
                await writer.drain()
        finally:
            sending.cancel()
            await asyncio.gather(sending, return_exceptions=True)


def _origin_request(method: str, parts: SplitResult, headers: list[tuple[str, ...]]) -> bytes:
    """Build the request for the origin server.

    Proxy headers are removed, and the connection is for one reply.
    """
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    dropped = {"proxy-authorization", "proxy-connection", "connection", "host", "upgrade"}
    kept = [f"{name}: {value}" for name, value in headers if name.lower() not in dropped]
    lines = [f"{method} {path} HTTP/1.1", f"Host: {parts.netloc}", *kept, "Connection: close", "", ""]
    return "\r\n".join(lines).encode("latin-1", "replace")
