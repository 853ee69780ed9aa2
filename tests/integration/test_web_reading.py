"""`read_page` as a run calls it: robots, what is kept, what is fetched once, what leads on."""

import asyncio
import threading
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from uuid import uuid4

import pytest
from langgraph.store.memory import InMemoryStore

from weiwo.tools.calling.errors import ToolCallError
from weiwo.tools.calling.guarded_call import Caller
from weiwo.tools.calling.invoke import Backoff
from weiwo.tools.calling.result_cache import ResultCache
from weiwo.tools.calling.tool_calls import ToolCalls
from weiwo.tools.calling.ttl_cache import LruMemory
from weiwo.tools.registry import Registry
from weiwo.tools.web.fetching.url_guard import UrlGuard
from weiwo.tools.web.read_page import ReadPage

pytestmark = pytest.mark.integration
TURTLE = "<h2>History</h2><p>The great turtle was described in 1875 by a naturalist on the island.</p>" + "".join(
    f"<p>Note {number} on the weather of that year, which was long and wet, and of no use to anybody.</p>" * 8
    for number in range(12)
)
TURTLE += "<h2>Weight</h2><p>The heaviest turtle weighed 417 kg and was called Esmeralda.</p>"
PAGES = {
    "/turtle": TURTLE,
    "/private/diary": "<p>Dear diary, today I met a turtle.</p>",
    "/hop": '<meta http-equiv="refresh" content="0; url=/turtle">',
    "/hop-inside": '<meta http-equiv="refresh" content="0;url=http://127.0.0.1/admin">',
    "/hop-round": '<meta http-equiv="refresh" content="0;url=/hop-round">',
    "/login": "<title>Log in</title><p>Please log in to continue reading this page.</p>",
}


class Site(BaseHTTPRequestHandler):
    """Pages, and rules for robots."""

    robots: tuple[int, str]
    asked: Counter[str]

    def do_GET(self) -> None:
        self.asked[self.path] += 1
        if self.path == "/robots.txt":
            status, text = self.robots
        elif self.path.startswith("/moved"):
            self.send_response(302)
            self.send_header("location", "/private/diary")
            self.send_header("content-length", "0")
            self.end_headers()
            return
        else:
            status, text = (200, PAGES[self.path]) if self.path in PAGES else (503, "")
        body = f"<html><body>{text}</body></html>".encode() if self.path != "/robots.txt" else text.encode()
        self.send_response(status)
        self.send_header("content-type", "text/html; charset=utf-8")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def site() -> Iterator[type[Site]]:
    made = type("OneSite", (Site,), {"robots": (200, "User-agent: *\nDisallow: /private/"), "asked": Counter()})
    server = ThreadingHTTPServer(("127.0.0.1", 0), made)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    made.url = f"http://www.example.com:{server.server_address[1]}"
    yield made
    server.shutdown()
    server.server_close()


def tool(**more) -> ReadPage:
    async def resolver(host: str, port: int) -> list[str]:  # noqa: ARG001 - the interface has it
        return ["127.0.0.1"]

    return ReadPage(guard=UrlGuard(["www.example.com"], resolver), **more)


class Run:
    """A run, as a node opens it: everything anew but the store."""

    def __init__(self, store, *, fresh: bool = False, **more) -> None:
        registry = Registry([tool(**more)])
        self.calls = ToolCalls(
            uuid4().hex,
            registry,
            store,
            fresh=fresh,
            backoff=Backoff(first=0.01),
            cache=ResultCache(store, memory=LruMemory()),
        )
        self.told: list[str] = []
        self.caller = Caller(asyncio.Semaphore(8), lambda: 60, lambda: True, self.told.append)

    async def read(self, url: str, query: str = ""):
        return await self.calls.call("read_page", {"url": url, "query": query}, self.caller)


@pytest.mark.parametrize("with_store", [True, False])
async def test_another_question_about_a_page_fetches_nothing_and_says_so(site, with_store):
    store = InMemoryStore() if with_store else None
    first = await Run(store).read(f"{site.url}/turtle", "when was the turtle described")
    second = await Run(store).read(f"{site.url}/turtle#part", "how heavy was the heaviest turtle")
    assert (first.cached, second.cached) == (False, True)
    assert "1875" in first.passages[0].text
    assert "417 kg" in second.passages[0].text
    assert second.passages[0].locator == "Weight"
    assert site.asked == {"/robots.txt": 1, "/turtle": 1}


async def test_the_same_question_is_answered_from_what_was_kept(site):
    store = InMemoryStore()
    first, second = [await Run(store).read(f"{site.url}/turtle", "weight") for _ in range(2)]
    assert (first.passages, second.cached, second.attempts) == (second.passages, True, 0)


async def test_a_fresh_run_fetches_anew_and_renews_what_is_kept(site):
    store = InMemoryStore()
    await Run(store).read(f"{site.url}/turtle", "a")
    assert not (await Run(store, fresh=True).read(f"{site.url}/turtle", "b")).cached
    assert site.asked["/turtle"] == 2


async def test_who_is_allowed_more_shares_nothing_with_who_is_not(site):
    store = InMemoryStore()
    await Run(store, robots=False).read(f"{site.url}/private/diary")
    with pytest.raises(ToolCallError, match=r"robots\.txt"):
        await Run(store).read(f"{site.url}/private/diary")


async def test_a_page_that_cannot_be_read_is_not_asked_for_again(site):
    store = InMemoryStore()
    for _ in range(2):
        with pytest.raises(ToolCallError, match="a login was shown"):
            await Run(store).read(f"{site.url}/login")
        with pytest.raises(ToolCallError, match="HTTP 503"):
            await Run(store).read(f"{site.url}/broken")
    assert (site.asked["/login"], site.asked["/broken"]) == (1, 6), "what may pass is tried again"


async def test_parallel_questions_about_one_page_fetch_it_once(site):
    run = Run(InMemoryStore())
    await asyncio.gather(*(run.read(f"{site.url}/turtle", f"question {number}") for number in range(6)))
    assert site.asked == {"/robots.txt": 1, "/turtle": 1}


@pytest.mark.parametrize("path", ["/private/diary", "/moved"])
async def test_what_the_site_keeps_robots_from_is_not_read(site, path):
    with pytest.raises(ToolCallError, match=r"robots\.txt asks") as failure:
        await Run(None).read(f"{site.url}{path}")
    assert failure.value.kind == "blocked"
    assert site.asked["/private/diary"] == 0


@pytest.mark.parametrize(("status", "kind"), [(404, ""), (403, ""), (503, "crash"), (429, "rate_limit")])
async def test_whether_rules_that_cannot_be_had_forbid(site, status, kind):
    site.robots = (status, "")
    if kind:
        with pytest.raises(ToolCallError, match=r"robots\.txt: HTTP") as failure:
            await Run(None).read(f"{site.url}/turtle")
        assert (failure.value.kind, site.asked["/turtle"]) == (kind, 0)
    else:
        assert (await Run(None).read(f"{site.url}/turtle")).passages


async def test_a_page_that_leads_on_by_itself_is_followed_under_the_guard(site):
    run = Run(None)
    assert (await run.read(f"{site.url}/hop")).passages[0].source == f"{site.url}/turtle"
    with pytest.raises(ToolCallError, match=r"127\.0\.0\.1, a loopback address"):
        await run.read(f"{site.url}/hop-inside")
    with pytest.raises(ToolCallError) as failure:
        await run.read(f"{site.url}/hop-round")
    assert (failure.value.kind, site.asked["/hop-round"]) == ("empty", 3)


async def test_what_one_site_does_is_not_held_against_the_others(site):
    run = Run(None)
    for number in range(4):
        with pytest.raises(ToolCallError, match="HTTP 503"):
            await run.read(f"{site.url}/broken{number}")
    with pytest.raises(ToolCallError, match="a login was shown"):
        await run.read(f"{site.url}/login")
    assert run.calls.breaker("read_page").state == "closed"
    assert (await run.read(f"{site.url}/turtle")).passages
