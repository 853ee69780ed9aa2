"""Fetching over real connections: a loopback server plays pages, good and bad; names resolve as the test says."""

import asyncio
import gzip
import socket
import threading
import time
import zlib
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from weiwo.tools.calling.errors import ToolCallError, ToolNotCalledError
from weiwo.tools.web.fetching.fetch import _MOST_REDIRECTS, fetch
from weiwo.tools.web.fetching.url_guard import UrlGuard
from weiwo.tools.web.rate_limiter import _AT_ONCE

pytestmark = pytest.mark.integration
PAGE = "<html><title>乌龟</title><p>Turtles are old.</p></html>".encode("gb18030")


def packed(body: bytes, layers: list[str]) -> bytes:
    for layer in layers:
        raw = zlib.compressobj(wbits=-15)
        ways = {
            "gzip": gzip.compress,
            "deflate": zlib.compress,
            "raw": lambda data, raw=raw: raw.compress(data) + raw.flush(),
        }
        body = ways.get(layer, bytes)(body)
    return body


class Handler(BaseHTTPRequestHandler):
    """Pages by path; notes the hosts that were asked for."""

    asked: list[str]
    released: threading.Event
    cookies: list[str]
    sent: int
    busy: int
    most: int
    lock: threading.Lock

    def do_GET(self) -> None:
        self.asked.append(f"{self.headers['host'].partition(':')[0]}{self.path}")
        self.cookies.append(self.headers.get("cookie", ""))
        port = self.server.server_address[1]
        match self.path.partition("?")[0].strip("/").split("/"):
            case ["page"]:
                self._send(200, PAGE, {"content-type": "text/html; charset=GB2312"})
            case ["status", code]:
                self._send(int(code), b"no", {"retry-after": "7"} if code == "429" else {})
            case ["to", target]:
                places = {
                    "page": "/page",
                    "other": f"http://other.example.com:{port}/page",
                    "private": f"http://private.example.com:{port}/secret",
                    "literal": f"http://127.0.0.1:{port}/secret",
                    "file": "file:///etc/passwd",
                    "loop": "/to/loop",
                    "user": f"http://u:p@www.example.com:{port}/page",
                    "short": f"http://2130706433:{port}/secret",
                    "mapped": f"http://[::ffff:127.0.0.1]:{port}/secret",
                    "named": f"http://localhost:{port}/secret",
                    "blank": "/page with blanks/%E4%B9%8C",
                    "chinese": "/乌龟".encode().decode("latin-1"),
                }
                self._send(302, b"", {"location": places[target]})
            case ["binary"]:
                self._send(200, b"\x89PNG", {"content-type": "image/png"})
            case ["huge"]:
                self._send(200, b"x" * 1000, {"content-length": "50000000"})
            case ["endless"]:
                self._send_endlessly()
            case ["bomb"]:
                self._send(200, gzip.compress(b"0" * 20_000_000), {"content-encoding": "gzip"})
            case ["trickle"]:
                self._trickle()
            case ["slow"]:
                self.released.wait(20)
            case ["cut"]:
                self._send(200, b"abc", {"content-length": "3000"})
            case parts:
                self._answer_oddly(parts)

    def _answer_oddly(self, parts: list[str]) -> None:
        match parts:
            case ["packed", *layers]:
                named = ", ".join("deflate" if layer == "raw" else layer for layer in layers)
                self._send(200, packed(PAGE, layers), {"content-encoding": named})
            case ["damaged"]:
                self._send(200, b"no gzip at all", {"content-encoding": "gzip"})
            case ["headers"]:
                self._send(200, PAGE, {f"x-{number}": "y" * 1_000 for number in range(300)})
            case ["challenge"]:
                self._send(503, b"wait", {"cf-mitigated": "challenge"})
            case ["octets", what]:
                body = b"%PDF-1.4 and so on" if what == "pdf" else b"\x7fELF"
                self._send(200, body, {"content-type": "application/octet-stream"})
            case ["cookie"]:
                self._send(200, PAGE, {"set-cookie": "id=7; Path=/"})
            case ["wait"]:
                with self.lock:
                    type(self).busy += 1
                    type(self).most = max(self.most, self.busy)
                while self.most < _AT_ONCE:
                    time.sleep(0.005)
                time.sleep(0.05)  # one more than may come has time to
                with self.lock:
                    type(self).busy -= 1
                self._send(200, PAGE, {})
            case _:
                self._send(200, b"secret", {})

    def _send(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in ({"content-type": "text/html", "content-length": str(len(body))} | headers).items():
            self.send_header(name, value)
        with suppress(OSError):  # who asked may have heard enough
            self.end_headers()
            self.wfile.write(body)

    def _send_endlessly(self) -> None:
        self.send_response(200)
        self.end_headers()
        try:
            while not self.released.is_set():
                type(self).sent += self.wfile.write(b"x" * 65536)
        except OSError:
            pass

    def _trickle(self) -> None:
        self.send_response(200)
        self.end_headers()
        try:
            while not self.released.wait(0.02):
                self.wfile.write(b"x")
                self.wfile.flush()
        except OSError:
            pass

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def site() -> type[Handler]:
    known = {"asked": [], "cookies": [], "sent": 0, "busy": 0, "most": 0, "lock": threading.Lock()}
    return type("Site", (Handler,), {**known, "released": threading.Event()})


@pytest.fixture
def web(site) -> Iterator[tuple[str, UrlGuard, list[str]]]:
    """The URL of the site under its public name, a guard that resolves it, and what was asked for."""
    handler = site
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()

    async def resolver(host: str, port: int) -> list[str]:  # noqa: ARG001 - the interface has it
        return ["10.9.8.7"] if host == "private.example.com" else ["127.0.0.1"]

    guard = UrlGuard(allow=("www.example.com", "other.example.com"), resolver=resolver)
    yield f"http://www.example.com:{server.server_address[1]}", guard, handler.asked
    handler.released.set()
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize(("path", "host"), [("/page", "www"), ("/to/page", "www"), ("/to/other", "other")])
async def test_a_page_comes_with_its_type_and_charset(web, path, host):
    url, guard, _ = web
    got = await fetch(url + path, guard, seconds=120, max_bytes=10_000)
    assert (got.body, got.type, got.charset) == (PAGE, "text/html", "gb2312")
    assert got.url.startswith(f"http://{host}.example.com:")


@pytest.mark.parametrize("target", ["private", "literal", "file", "user", "short", "mapped", "named"])
async def test_no_redirect_leads_inside(web, target):
    url, guard, asked = web
    with pytest.raises(ToolCallError, match="is not fetched") as failure:
        await fetch(f"{url}/to/{target}", guard, seconds=120, max_bytes=10_000)
    assert failure.value.kind == "blocked"
    assert asked == [f"www.example.com/to/{target}"]


async def test_an_address_that_changes_after_the_check_is_not_connected_to(web):
    url, _, asked = web
    answers = iter([["10.0.0.1"], ["127.0.0.1"]])

    async def rebinding(host: str, port: int) -> list[str]:  # noqa: ARG001 - the interface has it
        return next(answers)

    with pytest.raises(ToolCallError, match=r"10\.0\.0\.1, a private address"):
        await fetch(f"{url}/page", UrlGuard(resolver=rebinding), seconds=120, max_bytes=10_000)
    assert asked == []


@pytest.mark.parametrize(
    ("path", "kind", "transient"),
    [
        ("/status/401", "auth", False),
        ("/status/402", "blocked", False),
        ("/status/403", "blocked", False),
        ("/status/404", "not_found", False),
        ("/status/410", "not_found", False),
        ("/status/429", "rate_limit", True),
        ("/status/500", "crash", True),
        ("/status/503", "crash", True),
        ("/binary", "bad_arguments", False),
        ("/huge", "oversized", False),
        ("/endless", "oversized", False),
        ("/bomb", "oversized", False),
        ("/cut", "crash", True),
        ("/status/300", "blocked", False),
        ("/status/304", "blocked", False),
        ("/status/999", "blocked", False),
        ("/packed/br", "bad_arguments", False),
        ("/packed/gzip/gzip", "bad_arguments", False),
        ("/damaged", "crash", True),
        ("/headers", "crash", True),
        ("/challenge", "blocked", False),
        ("/octets/elf", "bad_arguments", False),
        ("/to/loop", "blocked", False),
    ],
)
async def test_what_goes_wrong_is_typed(web, path, kind, transient):
    url, guard, asked = web
    with pytest.raises(ToolCallError, match=r"example\.com") as failure:
        await fetch(url + path, guard, seconds=120, max_bytes=200_000)
    assert (failure.value.kind, failure.value.transient) == (kind, transient)
    assert failure.value.retry_after == (7 if kind == "rate_limit" else None)
    assert len(asked) == (_MOST_REDIRECTS + 1 if path == "/to/loop" else 1)


async def test_a_page_that_does_not_come_is_a_timeout(web):
    url, guard, _ = web
    with pytest.raises(ToolCallError, match=r"within 0\.3 s") as failure:
        await fetch(f"{url}/slow", guard, seconds=0.3, max_bytes=10_000)
    assert failure.value.kind == "timeout"


@pytest.mark.parametrize("layer", ["gzip", "deflate", "raw"])
async def test_a_compressed_page_is_read(web, layer):
    url, guard, _ = web
    assert (await fetch(f"{url}/packed/{layer}", guard, seconds=120, max_bytes=10_000)).body == PAGE


async def test_a_pdf_is_known_by_its_first_bytes(web):
    url, guard, _ = web
    assert (await fetch(f"{url}/octets/pdf", guard, seconds=120, max_bytes=10_000)).type == "application/pdf"


@pytest.mark.parametrize(
    ("target", "path"), [("blank", "/page%20with%20blanks/%E4%B9%8C"), ("chinese", "/%E4%B9%8C%E9%BE%9F")]
)
async def test_a_redirect_written_carelessly_is_followed(web, target, path):
    url, guard, asked = web
    await fetch(f"{url}/to/{target}", guard, seconds=120, max_bytes=10_000)
    assert asked[1] == f"www.example.com{path}"


async def test_of_a_page_without_end_not_much_more_than_the_bound_is_read(web, site):
    url, guard, _ = web
    with pytest.raises(ToolCallError, match="larger than"):
        await fetch(f"{url}/endless", guard, seconds=120, max_bytes=200_000)
    assert site.sent < 20_000_000, "what lies in the sockets' buffers comes on top"


async def test_what_is_too_large_may_be_cut(web):
    url, guard, _ = web
    for path in ("endless", "bomb"):
        got = await fetch(f"{url}/{path}", guard, seconds=120, max_bytes=70_000, page=False)
        assert len(got.body) == 70_000


async def test_a_page_that_trickles_in_is_a_timeout(web):
    url, guard, _ = web
    with pytest.raises(ToolCallError, match=r"within 0\.4 s") as failure:
        await fetch(f"{url}/trickle", guard, seconds=0.4, max_bytes=10_000)
    assert failure.value.kind == "timeout"


async def test_a_host_that_nobody_has_is_not_tried_again():
    async def nobody(host: str, port: int) -> list[str]:  # noqa: ARG001 - the interface has it
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    with pytest.raises(ToolCallError, match=r"the host was not found: gone\.example\.com") as failure:
        await fetch("http://gone.example.com/", UrlGuard(resolver=nobody), seconds=120, max_bytes=10_000)
    assert (failure.value.kind, failure.value.transient) == ("not_found", False)


async def test_a_host_name_that_the_client_cannot_read_is_typed(web):
    url, _, asked = web
    guard = UrlGuard(["xn--n28h.example.com"], web[1]._resolver)
    with pytest.raises(ToolCallError, match="xn--n28h") as failure:
        await fetch(url.replace("www", "xn--n28h"), guard, seconds=120, max_bytes=10_000)
    assert (failure.value.kind, asked) == ("bad_arguments", [])


async def test_no_cookie_outlives_its_page(web, site):
    url, guard, _ = web
    for path in ("cookie", "page"):
        await fetch(f"{url}/{path}", guard, seconds=120, max_bytes=10_000)
    assert site.cookies == ["", ""]


async def test_a_site_is_asked_for_few_pages_at_once(web, site):
    url, guard, _ = web
    await asyncio.gather(*(fetch(f"{url}/wait?{n}", guard, seconds=120, max_bytes=10_000) for n in range(8)))
    assert site.most == _AT_ONCE
    assert len(site.asked) == 8


async def test_a_site_that_wants_no_requests_gets_none(web):
    url, guard, asked = web
    with pytest.raises(ToolCallError, match="HTTP 429"):
        await fetch(f"{url}/status/429", guard, seconds=120, max_bytes=10_000)
    with pytest.raises(ToolNotCalledError, match="accepts no requests for") as failure:
        await fetch(f"{url}/page", guard, seconds=120, max_bytes=10_000)
    assert failure.value.kind == "rate_limit"
    assert 6 < failure.value.retry_after <= 7
    assert len(asked) == 1


class Listener:
    """Counts who connects."""

    def __init__(self, host: str, port: int = 0) -> None:
        self.connections = 0
        self.server = ThreadingHTTPServer((host, port), type("One", (Handler,), {"asked": [], "cookies": []}))
        accept = self.server.get_request

        def counted():
            self.connections += 1
            return accept()

        self.server.get_request = counted
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


async def test_the_connection_goes_to_the_address_that_was_checked():
    public = Listener("127.0.0.2")  # as public as an address of this machine can be: the guard lets it pass
    port = public.server.server_address[1]
    inside = Listener("127.0.0.1", port)
    lookups: list[str] = []

    async def rebinding(host: str, port: int) -> list[str]:  # noqa: ARG001 - the interface has it
        lookups.append(host)
        return ["127.0.0.2"] if len(lookups) == 1 else ["127.0.0.1"]

    guard = UrlGuard(["127.0.0.2"], rebinding)
    try:
        got = await fetch(f"http://rebind.example.com:{port}/page", guard, seconds=120, max_bytes=10_000)
        assert got.body == PAGE
        assert (lookups, public.connections, inside.connections) == (["rebind.example.com"], 1, 0)
        with pytest.raises(ToolCallError, match=r"127\.0\.0\.1, a loopback address"):
            await fetch(f"http://rebind.example.com:{port}/page", guard, seconds=120, max_bytes=10_000)
        with pytest.raises(ToolCallError, match=r"127\.0\.0\.1, a loopback address"):
            await fetch(f"http://127.0.0.1:{port}/page", guard, seconds=120, max_bytes=10_000)
        assert (public.connections, inside.connections) == (1, 0)
    finally:
        public.close()
        inside.close()
