"""Every provider over a real connection, against a server that plays its documented replies and failures."""

import json
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from weiwo.tools.calling.errors import ToolCallError
from weiwo.tools.web.providers.catalog import PROVIDERS
from weiwo.tools.web.providers.failover import _MAX_BYTES, _ask_provider, search_with_failover
from weiwo.tools.web.providers.health import ConfiguredProvider, ProviderHealth
from weiwo.tools.web.providers.provider import SearchQuery
from weiwo.tools.web.providers.selection import SCHOLARLY

pytestmark = pytest.mark.integration
KEY = "secret-key-123456"
_REPLIES = json.loads((Path(__file__).parents[1] / "data" / "search_replies.json").read_text(encoding="utf-8"))
FOUND, EMPTY = _REPLIES["found"], _REPLIES["empty"]
PUBMED_IDS = {"esearchresult": {"count": "1", "idlist": ["1"]}}
REFUSED: dict[str, tuple[Any, str]] = _REPLIES["refused"]
"""Replies with status 200 that say that there was no search, and the words that say it."""


class Handler(BaseHTTPRequestHandler):
    """Sends what the test put into `reply`: a status, headers and a body, or a way to misbehave; below /good, papers."""

    reply: tuple[int, dict[str, str], bytes] | str
    ids: bytes = b""  # what PubMed finds, whose records are another request
    seen: list[dict[str, Any]]
    released: threading.Event

    def do_GET(self) -> None:
        self._answer({})

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        form = {name: values[0] for name, values in parse_qs(body.decode()).items()}
        self._answer(form if self.path.startswith("/html") else json.loads(body))

    def _answer(self, body: dict[str, Any]) -> None:
        parts = urlsplit(self.path)
        if parts.path.startswith("/good"):
            return self._send(200, {}, FOUND["arxiv"].encode())
        asked = {name: values[0] for name, values in parse_qs(parts.query).items()} | body
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.seen.append({"path": parts.path, "asked": asked, "headers": headers})
        if self.ids and parts.path.endswith("/esearch.fcgi"):
            return self._send(200, {}, self.ids)
        if self.reply == "hang":
            self.released.wait(20)
            return None
        if self.reply == "cut":
            return self._send(200, {"content-length": "1002"}, b"{}")
        assert not isinstance(self.reply, str)
        return self._send(*self.reply)

    def _send(self, status: int, headers: dict[str, str], data: bytes) -> None:
        self.send_response(status)
        for name, value in ({"content-length": str(len(data))} | headers).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *args: object) -> None:
        pass


class Quiet(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that left early is no event."""


@pytest.fixture
def play(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    handler = type("Play", (Handler,), {"seen": [], "reply": "", "released": threading.Event()})
    http = Quiet(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    handler.url = f"http://127.0.0.1:{http.server_address[1]}"
    monkeypatch.setattr("ddgs.engines.duckduckgo.Duckduckgo.search_url", f"{handler.url}/html/")
    yield handler
    handler.released.set()
    http.shutdown()
    http.server_close()
    thread.join()


def body(reply: Any) -> bytes:
    return reply.encode() if isinstance(reply, str) else json.dumps(reply).encode()


def base(name: str, play: Any) -> str:
    """Where a provider is played; DuckDuckGo's place is the client's to know."""
    return "duckduckgo" if name == "ddgs" else f"{play.url}/"


@pytest.mark.parametrize("name", PROVIDERS)
async def test_hits_of_one_shape(play, name):
    play.reply, play.ids = (200, {}, body(FOUND[name])), body(PUBMED_IDS)
    provider = PROVIDERS[name]
    key = "" if provider.optional_key == "WEIWO_MAILTO" else KEY  # an address of mail is no secret
    query = SearchQuery("how tall is the tower", k=1, time_range="week", language="zh")
    (one,) = await _ask_provider(ConfiguredProvider(provider, base(name, play), key), query, seconds=120)
    assert (one.title, " ".join(one.text.split())) == ("Tower", "It is 300 m tall.")
    assert one.url.rstrip("/").endswith(("a.org/1", "arxiv.org/abs/1", "doi.org/10.1234/1", "nih.gov/1", "paper/1"))
    assert one.date == ("2024-05-03" if name in {"searxng", "brave", "arxiv", "tavily", *SCHOLARLY} else None)
    seen, *records = play.seen
    assert len(records) == (name == "pubmed")
    assert "tower" in json.dumps(seen["asked"])
    assert (KEY in json.dumps(seen["headers"])) == bool(key and (provider.key or provider.optional_key))
    assert KEY not in seen["path"] + json.dumps(seen["asked"])
    if name not in {"tavily", "ddgs"}:  # these speak through their own clients
        assert seen["headers"]["user-agent"].startswith("Weiwo/")


@pytest.mark.parametrize("name", PROVIDERS)
async def test_nothing_found_is_no_failure(play, name):
    play.reply = (200, {}, body(EMPTY[name]))
    assert (
        await _ask_provider(ConfiguredProvider(PROVIDERS[name], base(name, play), KEY), SearchQuery("x"), seconds=120)
        == []
    )


@pytest.mark.parametrize("name", REFUSED)
async def test_a_provider_that_says_it_did_not_search_found_not_nothing(play, name):
    reply, said = REFUSED[name]
    play.reply = (200, {}, body(reply))
    with pytest.raises(ToolCallError, match=f"^{name}: .*{re.escape(said)}"):
        await _ask_provider(ConfiguredProvider(PROVIDERS[name], base(name, play), KEY), SearchQuery("x"), seconds=120)


async def test_wikipedia_may_want_fewer_requests_with_any_status(play):
    play.reply = (200, {}, body({"error": {"code": "ratelimited", "info": "slow down"}}))
    with pytest.raises(ToolCallError, match="slow down") as failure:
        await _ask_provider(ConfiguredProvider(PROVIDERS["wikipedia"], play.url, ""), SearchQuery("x"), seconds=120)
    assert (failure.value.kind, failure.value.transient) == ("rate_limit", True)


FAILURES: dict[str, tuple[Any, str, bool]] = {
    "401": ((401, {}, b"bad key " + KEY.encode()), "auth", False),
    "402": ((402, {}, b"pay"), "blocked", False),
    "432": ((432, {}, b"plan"), "blocked", False),
    "403": ((403, {}, b"no"), "blocked", False),
    "429": ((429, {"retry-after": "3"}, b"slow"), "rate_limit", True),
    "500": ((500, {}, b"oops"), "crash", True),
    "302": ((302, {"location": "/else"}, b""), "crash", False),
    "html": ((200, {}, b"<html>not json"), "crash", False),
    "broken": ((200, {}, b'{"results": 3, "web": {"results": 3}, "organic": 3, "data": 3,'), "crash", False),
    "deep": ((200, {}, b"[" * 100_000), "crash", False),
    "huge": ((200, {}, b"x" * (_MAX_BYTES + 100_000)), "oversized", False),
    "cut": ("cut", "crash", True),
    "hang": ("hang", "timeout", True),
}
OWN_CLIENTS = ("tavily", "ddgs", "arxiv")
"""Two that have clients of their own, and one that is asked as all others are: each may have to wait."""
CANNOT_TELL = {("ddgs", step) for step in ("html", "broken", "deep", "huge")}
"""Any page without results is one where nothing was found, as far as ddgs lets its callers know."""


@pytest.mark.parametrize(
    ("name", "step"),
    [(name, step) for step in FAILURES for name in PROVIDERS if step != "hang" or name in OWN_CLIENTS],
)
async def test_what_goes_wrong_is_typed_and_the_next_is_asked(play, name, step):
    play.reply, kind, transient = FAILURES[step]
    health = ProviderHealth()
    first = ConfiguredProvider(PROVIDERS[name], base(name, play), KEY, 1000)
    second = ConfiguredProvider(PROVIDERS["arxiv"], f"{play.url}/good", "", 1000)
    found = await search_with_failover([first, second], SearchQuery("x"), health, seconds=6 if step == "hang" else 120)
    assert (found.provider, [hit.title for hit in found.hits]) == ("arxiv", ["Tower"])
    if (name, step) in CANNOT_TELL:
        assert found.failures == ()
        return
    (failure,) = found.failures
    if (name, step) == ("ddgs", "302"):  # its client follows
        transient = True
    assert (failure.kind, failure.transient) == (kind, transient)
    assert failure.retry_after == (3 if kind == "rate_limit" and name != "ddgs" else None)
    assert failure.message.startswith(f"{name}: ")
    assert KEY not in failure.message
    assert health.out(first) is not None
    assert len(play.seen) == 1 or (name, step) == ("ddgs", "302")


@pytest.mark.parametrize(
    ("error", "kind", "transient"),
    [
        ("RatelimitException", "rate_limit", True),
        ("TimeoutException", "timeout", True),
        ("DDGSException", "crash", True),
    ],
)
async def test_what_the_client_of_duckduckgo_raises_is_typed(monkeypatch, error, kind, transient):
    import ddgs.exceptions  # noqa: PLC0415 - slow

    def raises(*_args: object, **_kwargs: object) -> None:
        raise getattr(ddgs.exceptions, error)("it is the library's word")

    monkeypatch.setattr("ddgs.ddgs.DDGS.text", raises)
    with pytest.raises(ToolCallError, match=r"^ddgs: ") as failure:
        await _ask_provider(ConfiguredProvider(PROVIDERS["ddgs"], "duckduckgo", ""), SearchQuery("x"), seconds=120)
    assert (failure.value.kind, failure.value.transient) == (kind, transient)


async def test_no_results_without_any_reply_is_no_reply_of_duckduckgo(monkeypatch):
    import ddgs.exceptions  # noqa: PLC0415 - slow

    def raises(*_args: object, **_kwargs: object) -> None:
        raise ddgs.exceptions.DDGSException("No results found.")

    monkeypatch.setattr("ddgs.ddgs.DDGS.text", raises)
    with pytest.raises(ToolCallError, match="no reply in time") as failure:
        await _ask_provider(ConfiguredProvider(PROVIDERS["ddgs"], "duckduckgo", ""), SearchQuery("x"), seconds=120)
    assert failure.value.kind == "timeout"


async def test_news_of_duckduckgo_have_dates(monkeypatch):
    asked: list[dict[str, Any]] = []

    def news(_self: object, query: str, **given: Any) -> list[dict[str, str]]:
        asked.append({"query": query, **given})
        return [{"date": "2024-05-03T10:00:00+00:00", "title": "T", "body": "B", "url": "https://a.org", "source": "A"}]

    monkeypatch.setattr("ddgs.ddgs.DDGS.news", news)
    query = SearchQuery("塔", 3, "week", "news", "zh")
    (one,) = await _ask_provider(ConfiguredProvider(PROVIDERS["ddgs"], "duckduckgo", ""), query, seconds=120)
    assert (one.url, one.text, one.date) == ("https://a.org", "B", "2024-05-03")
    expected = {"query": "塔", "region": "cn-zh", "timelimit": "w", "max_results": 3, "backend": "duckduckgo"}
    assert asked == [expected]


async def test_the_riddle_of_duckduckgo_is_a_rate_limit(play):
    play.reply = (202, {}, b"<html>Select all squares containing a duck</html>")
    with pytest.raises(ToolCallError, match="HTTP 202") as failure:
        await _ask_provider(ConfiguredProvider(PROVIDERS["ddgs"], "duckduckgo", ""), SearchQuery("x"), seconds=120)
    assert failure.value.kind == "rate_limit"


async def test_whole_pages_where_they_are_asked_for(play):
    pages = {"data": [{"url": "https://a.org/1", "title": "T", "description": "D", "content": "# All\n\nof it"}]}
    play.reply = (200, {}, body(pages))
    (one,) = await _ask_provider(
        ConfiguredProvider(PROVIDERS["jina"], play.url, KEY, whole=True), SearchQuery("x"), seconds=120
    )
    assert (one.text, one.page) == ("D", "# All\n\nof it")
    await _ask_provider(ConfiguredProvider(PROVIDERS["jina"], play.url, KEY), SearchQuery("x"), seconds=120)
    assert ["x-respond-with" in seen["headers"] for seen in play.seen] == [False, True]


async def test_news_where_a_provider_has_a_place_for_them(play):
    play.reply = (
        200,
        {},
        body({"news": [{"link": "https://a.org", "title": "T", "snippet": "S", "date": "2024-05-03"}]}),
    )
    (one,) = await _ask_provider(
        ConfiguredProvider(PROVIDERS["serper"], play.url, KEY), SearchQuery("x", topic="news"), seconds=120
    )
    assert (play.seen[0]["path"], one.date) == ("/news", "2024-05-03")


async def test_nobody_listening_is_a_failure():
    with pytest.raises(ToolCallError, match="cannot be reached") as failure:
        await _ask_provider(
            ConfiguredProvider(PROVIDERS["searxng"], "http://127.0.0.1:9", ""), SearchQuery("x"), seconds=120
        )
    assert failure.value.transient
