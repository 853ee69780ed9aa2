"""Silent, slow and many connections: they shut nobody out."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from weiwo.app.server.access import connections, guard
from weiwo.app.server.access.connections import ConnectionLimits, limited_protocol
from weiwo.app.server.access.guard import Guard, Rules
from weiwo.app.server.application import ERRORS

HEAD = b"GET / HTTP/1.1\r\nhost: 127.0.0.1\r\n"
_PATIENT = 120.0
"""Seconds for what comes at once, on a machine that is busy."""
_opened: list[asyncio.StreamWriter] = []
_Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class _Shared(ConnectionLimits):
    def has_share(self, address: str) -> bool:
        return bool(address)


async def _read(request: Request) -> Response:
    return PlainTextResponse(f"{len(await request.body())} bytes")


async def _watch(_: Request) -> Response:
    await asyncio.sleep(10_000)
    return Response()


@asynccontextmanager
async def served(limits: ConnectionLimits) -> AsyncIterator[int]:
    routes = [Route("/", _read, methods=["GET", "POST"]), Route("/watch", _watch)]
    app = Guard(Starlette(routes=routes, exception_handlers=ERRORS), Rules())
    config = uvicorn.Config(
        app,
        port=0,
        log_level="critical",
        lifespan="off",
        http=limited_protocol(limits),
        limit_concurrency=limits.most,
        timeout_graceful_shutdown=1,
    )
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server._serve())
    while not server.started:
        await asyncio.wait([serving], timeout=0.01)
        assert not serving.done()
    try:
        yield int(server.servers[0].sockets[0].getsockname()[1])
    finally:
        while _opened:
            _opened.pop().close()
        server.should_exit = True
        await serving


async def connect(port: int, sent: bytes = b"") -> _Streams:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    _opened.append(writer)
    writer.write(sent)
    return reader, writer


async def closed(one: _Streams, seconds: float = _PATIENT) -> bool:
    """Whether the server closes a connection within seconds, without a word."""
    try:
        async with asyncio.timeout(seconds):
            return await one[0].read() == b""
    except TimeoutError:
        return False
    except ConnectionError:
        return True


async def ok(port: int) -> bool:
    async with httpx.AsyncClient(timeout=_PATIENT) as client:
        return (await client.get(f"http://127.0.0.1:{port}/")).status_code == 200


@pytest.mark.parametrize("sent", [b"", b"GET", HEAD, HEAD + b"x: " + b"y" * 1_000])
async def test_a_head_comes_in_time_or_its_connection_is_closed(sent: bytes):
    async with served(ConnectionLimits(head_seconds=0.4)) as port:
        assert await closed(await connect(port, sent))


async def test_a_head_that_comes_letter_by_letter_is_no_longer_waited_for():
    async with served(ConnectionLimits(head_seconds=0.4)) as port:
        one = await connect(port, HEAD)
        ended = asyncio.create_task(closed(one))  # a limit that each letter begins anew never comes
        while not ended.done():
            one[1].write(b"a: b\r\n")
            await asyncio.sleep(0.05)
        assert await ended


async def test_the_second_head_of_a_connection_is_timed_too():
    async with served(ConnectionLimits(head_seconds=1)) as port:  # a busy machine needs some of it for the first
        one = await connect(port, HEAD + b"\r\n")
        assert (await one[0].readuntil(b"0 bytes")).startswith(b"HTTP/1.1 200")
        one[1].write(HEAD)
        assert await closed(one)


async def test_a_head_without_end_is_cut():
    async with served(ConnectionLimits()) as port:
        assert await closed(await connect(port, HEAD + b"a: " + b"x" * 300_000))


async def test_a_request_at_work_is_not_cut_by_the_time_for_heads():
    async with served(ConnectionLimits(head_seconds=1)) as port:  # a busy machine needs some of it for the head
        assert not await closed(await connect(port, b"GET /watch HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n"), 1.5)


async def test_silent_connections_shut_nobody_out():
    async with served(ConnectionLimits(most=30, head_seconds=60)) as port:
        _ = [await connect(port, b"GET" if n % 2 else b"") for n in range(100)]
        for _ in range(10):
            assert await ok(port)


async def test_an_address_has_its_share_and_what_works_is_kept():
    async with served(_Shared(most_an_address=5, head_seconds=60)) as port:
        at_work = [await connect(port, b"GET /watch HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n") for _ in range(4)]
        silent = [await connect(port) for _ in range(5)]
        assert all([await closed(one) for one in silent[:4]])
        assert not await closed(silent[4], 0.3)
        more = await connect(port, b"GET /watch HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n")
        assert await closed(silent[4])
        assert await closed(await connect(port))
        assert not [one for one in (*at_work, more) if await closed(one, 0.05)]


@pytest.mark.parametrize(
    ("address", "proxies", "share"),
    [
        ("203.0.113.7", "", True),
        ("2001:db8::1", "127.0.0.1", True),
        ("127.0.0.1", "", False),
        ("::1", "", False),
        ("10.1.2.3", "10.0.0.0/8, 192.168.0.1", False),
        ("192.168.0.1", "10.0.0.0/8, 192.168.0.1", False),
        ("192.168.0.2", "10.0.0.0/8, 192.168.0.1, proxy.local", True),
        ("203.0.113.7", "*", False),
        ("", "", False),
    ],
)
def test_a_proxy_has_no_share(address: str, proxies: str, share: bool):  # noqa: FBT001 - a parameter of the test
    assert ConnectionLimits(proxies=proxies).has_share(address) is share


async def test_a_body_that_stalls_is_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(guard, "_BODY_SECONDS", 0.3)
    async with served(ConnectionLimits()) as port:
        head = b"POST / HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 50\r\n\r\n"
        reader, _ = await connect(port, head + b"{")
        answer = await asyncio.wait_for(reader.readuntil(b"\r\n"), _PATIENT)
        assert answer.startswith(b"HTTP/1.1 408")
        monkeypatch.setattr(guard, "_BODY_SECONDS", _PATIENT)
        whole, _ = await connect(port, head + b"x" * 50)
        assert (await whole.readuntil(b"50 bytes")).startswith(b"HTTP/1.1 200")


def test_room_is_made_before_uvicorn_refuses():
    assert connections._SPARE < ConnectionLimits().most_an_address < ConnectionLimits().most
