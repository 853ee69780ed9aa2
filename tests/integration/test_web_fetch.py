"""Fetching over real connections: a loopback server plays pages, good and bad; names resolve as the test says."""

import gzip
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tools.failures import ToolFailure
from tools.web.fetch import MOST_REDIRECTS, fetch
from tools.web.guard import Guard

pytestmark = pytest.mark.integration
PAGE = "<html><title>乌龟</title><p>Turtles are old.</p></html>".encode("gb18030")


class Handler(BaseHTTPRequestHandler):
    """Pages by path; notes the hosts that were asked for."""

    asked: list[str]
    released: threading.Event

    def do_GET(self) -> None:
        self.asked.append(f"{self.headers['host'].partition(':')[0]}{self.path}")
        port = self.server.server_address[1]
        match self.path.strip("/").split("/"):
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
            case ["slow"]:
                self.released.wait(20)
            case ["cut"]:
                self._send(200, b"abc", {"content-length": "3000"})
            case _:
                self._send(200, b"secret", {})

    def _send(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in ({"content-type": "text/html", "content-length": str(len(body))} | headers).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def _send_endlessly(self) -> None:
        self.send_response(200)
        self.end_headers()
        try:
            while not self.released.is_set():
                self.wfile.write(b"x" * 65536)
        except OSError:
            pass

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def web() -> Iterator[tuple[str, Guard, list[str]]]:
    """The URL of the site under its public name, a guard that resolves it, and what was asked for."""
    handler = type("Site", (Handler,), {"asked": [], "released": threading.Event()})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()

    async def resolver(host: str, port: int) -> list[str]:  # noqa: ARG001 - the interface has it
        return ["10.9.8.7"] if host == "private.example.com" else ["127.0.0.1"]

    guard = Guard(allowed=("www.example.com", "other.example.com"), resolver=resolver)
    yield f"http://www.example.com:{server.server_address[1]}", guard, handler.asked
    handler.released.set()
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize(("path", "host"), [("/page", "www"), ("/to/page", "www"), ("/to/other", "other")])
async def test_a_page_comes_with_its_type_and_charset(web, path, host):
    url, guard, _ = web
    got = await fetch(url + path, guard, seconds=10, max_bytes=10_000)
    assert (got.body, got.type, got.charset, got.status) == (PAGE, "text/html", "gb2312", 200)
    assert got.url.startswith(f"http://{host}.example.com:")


@pytest.mark.parametrize("target", ["private", "literal", "file"])
async def test_no_redirect_leads_inside(web, target):
    url, guard, asked = web
    with pytest.raises(ToolFailure, match="is not fetched") as failure:
        await fetch(f"{url}/to/{target}", guard, seconds=10, max_bytes=10_000)
    assert failure.value.kind == "blocked"
    assert asked == [f"www.example.com/to/{target}"]


async def test_an_address_that_changes_after_the_check_is_not_connected_to(web):
    url, _, asked = web
    answers = iter([["10.0.0.1"], ["127.0.0.1"]])

    async def rebinding(host: str, port: int) -> list[str]:  # noqa: ARG001 - the interface has it
        return next(answers)

    with pytest.raises(ToolFailure, match=r"10\.0\.0\.1, a private address"):
        await fetch(f"{url}/page", Guard(resolver=rebinding), seconds=10, max_bytes=10_000)
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
        ("/to/loop", "blocked", False),
    ],
)
async def test_what_goes_wrong_is_typed(web, path, kind, transient):
    url, guard, asked = web
    with pytest.raises(ToolFailure, match=r"example\.com") as failure:
        await fetch(url + path, guard, seconds=10, max_bytes=200_000)
    assert (failure.value.kind, failure.value.transient) == (kind, transient)
    assert failure.value.retry_after == (7 if kind == "rate_limit" else None)
    assert len(asked) == (MOST_REDIRECTS + 1 if path == "/to/loop" else 1)


async def test_a_page_that_does_not_come_is_a_timeout(web):
    url, guard, _ = web
    with pytest.raises(ToolFailure, match=r"within 0\.3 s") as failure:
        await fetch(f"{url}/slow", guard, seconds=0.3, max_bytes=10_000)
    assert failure.value.kind == "timeout"
