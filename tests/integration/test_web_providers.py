"""Every provider over a real connection, against a server that plays its documented replies and failures."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from tools.failures import ToolFailure
from tools.web.ask import ask
from tools.web.providers import PROVIDERS, Query

pytestmark = pytest.mark.integration
KEY = "secret-key-123456"
ATOM = """<?xml version="1.0" encoding="UTF-8"?><feed xmlns="http://www.w3.org/2005/Atom">{}</feed>"""
ENTRY = """<entry><id>http://arxiv.org/abs/1</id><published>2024-05-03T00:00:00Z</published>
<title>Tower</title><summary>It is 300 m
 tall.</summary></entry>"""
FOUND: dict[str, Any] = {
    "searxng": {
        "results": [
            {
                "url": "https://a.org/1",
                "title": "Tower",
                "content": "It is 300 m tall.",
                "publishedDate": "2024-05-03T10:00:00",
                "score": 2.5,
            },
            {"url": "ftp://a.org/2", "title": "No", "content": "x"},
            {"url": "https://a.org/3", "title": "No text"},
            "nonsense",
        ]
    },
    "brave": {
        "web": {
            "results": [
                {
                    "url": "https://a.org/1",
                    "title": "Tower",
                    "description": "It is <strong>300&nbsp;m</strong> tall.",
                    "page_age": "2024-05-03T10:00:00",
                }
            ]
        }
    },
    "serper": {"organic": [{"link": "https://a.org/1", "title": "Tower", "snippet": "It is 300 m tall."}]},
    "bing": {"webPages": {"value": [{"url": "https://a.org/1", "name": "Tower", "snippet": "It is 300 m tall."}]}},
    "jina": {"code": 200, "data": [{"url": "https://a.org/1", "title": "Tower", "description": "It is 300 m tall."}]},
    "wikipedia": {
        "query": {
            "pages": [
                {"index": 2, "fullurl": "https://a.org/2", "title": "Other", "extract": "Another."},
                {"index": 1, "fullurl": "https://a.org/1", "title": "Tower", "extract": "It is 300 m tall."},
            ]
        }
    },
    "arxiv": ATOM.format(ENTRY),
}
EMPTY: dict[str, Any] = {
    "searxng": {"results": []},
    "brave": {"type": "search"},
    "serper": {"organic": []},
    "bing": {"_type": "SearchResponse"},
    "jina": {"code": 200, "data": []},
    "wikipedia": {"batchcomplete": True},
    "arxiv": ATOM.format(""),
}


class Handler(BaseHTTPRequestHandler):
    """Sends what the test put into `reply`: a status, headers and a body, or a way to misbehave."""

    reply: tuple[int, dict[str, str], bytes] | str
    seen: list[dict[str, Any]]
    released: threading.Event

    def do_GET(self) -> None:
        self._answer({})

    def do_POST(self) -> None:
        self._answer(json.loads(self.rfile.read(int(self.headers["content-length"]))))

    def _answer(self, body: dict[str, Any]) -> None:
        parts = urlsplit(self.path)
        asked = {name: values[0] for name, values in parse_qs(parts.query).items()} | body
        self.seen.append({"path": parts.path, "asked": asked, "headers": dict(self.headers)})
        if self.reply == "hang":
            self.released.wait(20)
            return
        status, headers, data = (200, {}, b"{}") if isinstance(self.reply, str) else self.reply
        self.send_response(status)
        length = len(data) + (1000 if self.reply == "cut" else 0)
        for name, value in ({"content-length": str(length)} | headers).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[tuple[str, Any]]:
    handler = type("Play", (Handler,), {"seen": [], "reply": "", "released": threading.Event()})
    http = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    http.daemon_threads = True
    threading.Thread(target=http.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{http.server_address[1]}", handler
    handler.released.set()
    http.shutdown()
    http.server_close()


def body(reply: Any) -> bytes:
    return reply.encode() if isinstance(reply, str) else json.dumps(reply).encode()


@pytest.mark.parametrize("name", PROVIDERS)
async def test_hits_of_one_shape(server, name):
    url, play = server
    play.reply = (200, {}, body(FOUND[name]))
    provider = PROVIDERS[name]
    query = Query("how tall is the tower", k=1, time_range="week", language="zh")
    (one,) = await ask(provider, query, key=KEY, base=f"{url}/", seconds=10)
    assert (one.title, " ".join(one.text.split())) == ("Tower", "It is 300 m tall.")
    assert one.url.endswith(("a.org/1", "arxiv.org/abs/1"))
    assert one.date == ("2024-05-03" if name in {"searxng", "brave", "arxiv"} else None)
    (seen,) = play.seen
    assert "tower" in json.dumps(seen["asked"])
    headers = {name.lower(): value for name, value in seen["headers"].items()}
    assert (KEY in json.dumps(headers)) == bool(provider.key)
    assert KEY not in seen["path"] + json.dumps(seen["asked"])


@pytest.mark.parametrize("name", PROVIDERS)
async def test_nothing_found_is_no_failure(server, name):
    url, play = server
    play.reply = (200, {}, body(EMPTY[name]))
    assert await ask(PROVIDERS[name], Query("x"), key=KEY, base=url, seconds=10) == []


@pytest.mark.parametrize("name", PROVIDERS)
@pytest.mark.parametrize(
    ("reply", "kind", "transient"),
    [
        ((401, {}, b"bad key " + KEY.encode()), "auth", False),
        ((402, {}, b"pay"), "blocked", False),
        ((432, {}, b"plan"), "blocked", False),
        ((403, {}, b"no"), "blocked", False),
        ((429, {"retry-after": "3"}, b"slow"), "rate_limit", True),
        ((500, {}, b"oops"), "crash", True),
        ((302, {"location": "/else"}, b""), "crash", False),
        ((200, {}, b"<html>not json"), "crash", False),
        ((200, {}, b'{"results": 3, "web": {"results": 3}, "organic": 3, "data": 3,'), "crash", False),
        ((200, {}, b"x" * 3_000_000), "oversized", False),
        ("cut", "crash", True),
        ("hang", "timeout", True),
    ],
)
async def test_what_goes_wrong_is_typed(server, name, reply, kind, transient):
    url, play = server
    play.reply = reply
    seconds = 0.3 if reply == "hang" else 10
    with pytest.raises(ToolFailure, match=f"^{name}: ") as failure:
        await ask(PROVIDERS[name], Query("x"), key=KEY, base=url, seconds=seconds)
    assert (failure.value.kind, failure.value.transient) == (kind, transient)
    assert failure.value.retry_after == (3 if kind == "rate_limit" else None)
    assert KEY not in str(failure.value)
    assert len(play.seen) == 1


async def test_nobody_listening_is_a_failure():
    with pytest.raises(ToolFailure, match="cannot be reached") as failure:
        await ask(PROVIDERS["searxng"], Query("x"), key="", base="http://127.0.0.1:9", seconds=5)
    assert failure.value.transient
