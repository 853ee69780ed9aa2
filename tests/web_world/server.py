"""The web itself: one server for all hosts, told apart by the name they are asked under, and a private one beside it."""

import socket
import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Final, Self
from urllib.parse import parse_qs, urlsplit

from langchain_core.tools import BaseTool

from tests.web_world.engine import Engine
from tests.web_world.pages import Page, sent
from tests.web_world.site import FORBIDDEN_FOLDER, ROBOTS_HOST, Site, build
from weiwo.tools.web.fetching.url_guard import UrlGuard
from weiwo.tools.web.read_page import ReadPage

HUGE: Final = 50_000_000
"""Bytes of a page that is far too large."""
SLOW_SECONDS: Final = 15.0
"""How long a slow page takes; longer than whoever asks will wait."""
SORRY: Final = "We are sorry for the inconvenience"
INSIDE: Final = "the keys of the house"
_PIECE: Final = b"<p>" + b"and so on and so forth, " * 2_700 + b"</p>"


@dataclass
class Asked:
    """A request that came in, noted on arrival."""

    host: str  # the host it was for
    path: str  # path and query
    kind: str  # `search`, `robots`, `page`, or `nothing`, where there is no such page
    status: int = 0  # the status that was answered
    sent: int = 0  # bytes of the body that went out so far

    @property
    def address(self) -> str:
        """Host and path."""
        return self.host + self.path


class WebWorld:
    """A context manager that serves the web of a seed on loopback.

    Attributes:
        site: Its pages.
        log: Every request so far, in order of arrival.
        private: Connections to the server that nobody is to reach.
    """

    def __init__(self, seed: int = 7) -> None:
        self.site: Site = build(seed)
        self.log: list[Asked] = []
        self.private = 0
        self.ended = threading.Event()
        self._http = _Server(("127.0.0.1", 0), _Handler)
        self._inside = _Inside(("127.0.0.1", 0), _Handler)
        self._http.world = self._inside.world = self
        self.port: int = self._http.server_address[1]
        self.base = f"http://{{host}}:{self.port}"
        self.engine = Engine(self.site.pages.values(), self.base)
        servers = (self._http, self._inside)
        self._threads = [
            threading.Thread(target=one.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True) for one in servers
        ]

    @property
    def search_url(self) -> str:
        """Where SearXNG is."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def inside_url(self) -> str:
        """An address that pages must not lead to."""
        return f"http://127.0.0.1:{self._inside.server_address[1]}/admin"

    def guard(self) -> UrlGuard:
        """A guard that knows the hosts of this web, and nothing else that is not public."""

        async def resolver(host: str, port: int) -> Sequence[str]:  # noqa: ARG001 - the interface has it
            if host.endswith(".test"):
                return ["127.0.0.1"]
            raise OSError(f"{host} has no address")

        return UrlGuard((".test",), resolver=resolver)

    def read_page(self, seconds: float = 2.0) -> BaseTool:
        """The tool that reads pages, under that guard."""
        return ReadPage(guard=self.guard(), seconds=seconds)

    def url(self, page: Page) -> str:
        """Where a page is."""
        return f"{self.base.format(host=page.host)}{page.path}"

    def opened(self, log: Sequence[Asked]) -> Counter[str]:
        """How often each page was asked for, by its address."""
        return Counter(one.address for one in log if one.kind == "page")

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.ended.set()
        for server in (self._http, self._inside):
            server.shutdown()
            server.server_close()
        for thread in self._threads:
            thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128
    world: WebWorld

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that left early is no event."""


class _Inside(_Server):
    """What stands on the same machine and is not the web: it counts who came."""

    def get_request(self) -> Any:
        self.world.private += 1
        return super().get_request()


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    _asked: Asked

    def log_message(self, *args: object) -> None:
        """No noise on stderr."""

    def do_GET(self) -> None:
        world, host = self.server.world, (self.headers["host"] or "").partition(":")[0]
        parts = urlsplit(self.path)
        page = world.site.pages.get(host + self.path)
        if isinstance(self.server, _Inside):
            kind = "inside"
        elif host == "127.0.0.1" and parts.path == "/search":
            kind = "search"
        elif parts.path == "/robots.txt":
            kind = "robots"
        else:
            kind = "page" if page else "nothing"
        self._asked = Asked(host, self.path, kind)
        world.log.append(self._asked)
        if kind == "search":
            query = parse_qs(parts.query).get("q", [""])[0]
            self._answer(200, {"content-type": "application/json"}, world.engine.reply(query))
        elif kind == "robots":
            rules = f"User-agent: *\nDisallow: {FORBIDDEN_FOLDER}\n" if host == ROBOTS_HOST else ""
            self._answer(200 if rules else 404, {"content-type": "text/plain"}, rules.encode())
        elif page and kind == "page":
            self._page(page)
        else:
            inside = kind == "inside"
            self._answer(200 if inside else 404, {"content-type": "text/plain"}, (INSIDE if inside else SORRY).encode())

    def _page(self, page: Page) -> None:
        world = self.server.world
        match page.trouble:
            case "not_found" | "gone" | "forbidden":
                status = {"not_found": 404, "gone": 410, "forbidden": 403}[page.trouble]
                self._answer(status, {"content-type": "text/html"}, f"<h1>{status}</h1><p>{SORRY}</p>".encode())
            case "moved":
                self._answer(301, {"location": world.url(world.site.pages[page.to])}, b"")
            case "loop":
                self._answer(302, {"location": self.path}, b"")
            case "private":
                self._answer(302, {"location": world.inside_url}, b"")
            case "image":
                self._answer(200, {"content-type": "image/png"}, b"\x89PNG\r\n\x1a\n" + b"0" * 500)
            case "huge":
                self._much({"content-length": str(HUGE)})
            case "endless":
                self._much({})
            case trouble:
                if trouble == "slow":
                    world.ended.wait(SLOW_SECONDS)
                whole = sent(page, world.base)
                self._answer(whole.status, whole.headers, whole.body)

    def _head(self, status: int, headers: dict[str, str]) -> None:
        self._asked.status = status
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def _answer(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self._head(status, headers | {"content-length": str(len(body))})
        self.wfile.write(body)
        self._asked.sent = len(body)

    def _much(self, headers: dict[str, str]) -> None:
        """Fifty megabytes, as many as are taken."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 65_536)  # what waits in buffers counts as sent
        self._head(200, {"content-type": "text/html; charset=utf-8"} | headers)
        try:
            while self._asked.sent < HUGE and not self.server.world.ended.is_set():
                self.wfile.write(_PIECE)
                self._asked.sent += len(_PIECE)
        except OSError:
            pass  # whoever asked has had enough
