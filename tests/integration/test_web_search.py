"""Web search over real connections: through the registry and the one door, and under limits shared by all tasks."""

import asyncio
import json
import threading
from contextlib import nullcontext
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

import pytest

from tests.support.waiting import until
from weiwo.state.settings import Settings
from weiwo.tools.calling.guarded_call import Caller
from weiwo.tools.calling.invoke import Backoff, ToolCallError, run_tool
from weiwo.tools.calling.tool_calls import ToolCalls
from weiwo.tools.registry import build_registry
from weiwo.tools.web.providers import failover
from weiwo.tools.web.providers.catalog import PROVIDERS
from weiwo.tools.web.providers.health import ConfiguredProvider, ProviderHealth
from weiwo.tools.web.web_search import WebSearch

pytestmark = pytest.mark.integration

KEY = "tvly-dev-abcdef123456"
HIT = {"title": "Tower", "url": "https://a.org/tower", "content": "It is 300 m tall.", "score": 0.9}


class FakeTavily(ThreadingHTTPServer):
    """Answers what it is asked, once without an end where its script says so, and counts requests."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.script: list[str] = []
        self.requests: list[dict[str, object]] = []
        self.arrived: list[str] = []
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Handler(BaseHTTPRequestHandler):
    server: FakeTavily

    def do_GET(self) -> None:
        """SearXNG's protocol; each request is noted before it is answered."""
        asked = parse_qs(urlsplit(self.path).query)["q"][0]
        with self.server.lock:
            self.server.arrived.append(asked)
        data = json.dumps({"results": [{"url": "https://a.org", "title": "T", "content": f"About {asked}."}]}).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.requests.append({"path": self.path, "key": self.headers["authorization"], **body})
        if self.server.script:
            self._send_endlessly()
            return
        data = json.dumps({"query": body["query"], "results": [HIT]}).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _send_endlessly(self) -> None:
        self.send_response(200)
        self.end_headers()
        try:
            for _ in range(1_000):
                self.wfile.write(b"x" * 65_536)
        except OSError:
            self.server.script[:] = ["gave up"]

    def log_message(self, *_args: object) -> None:
        pass


@pytest.fixture
def tavily():
    with FakeTavily() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def tool_for(url: str) -> WebSearch:
    return WebSearch(sources=(ConfiguredProvider(PROVIDERS["tavily"], url, KEY),), health=ProviderHealth())


async def search(tool, seconds=60.0):
    return await run_tool(
        tool, {"query": "tower", "k": 2}, seconds=seconds, max_bytes=50_000, backoff=Backoff(first=0.02)
    )


async def test_results_arrive_through_the_registry(tavily, monkeypatch, tmp_path):
    monkeypatch.setenv("TAVILY_API_KEY", KEY)
    monkeypatch.setenv("TAVILY_BASE_URL", tavily.url)
    registry = await build_registry(Settings(home=str(tmp_path)))
    result = await search(registry.get("web_search"))
    (found,) = result.passages
    assert (found.text, found.source, found.title, found.score) == (HIT["content"], HIT["url"], HIT["title"], 0.9)
    assert (found.tool, found.provider) == ("web_search", "tavily")
    assert result.attempts == 1
    (asked,) = tavily.requests
    assert asked == {"path": "/search", "key": f"Bearer {KEY}", "query": "tower", "max_results": 2, "topic": "general"}


async def test_a_huge_body_is_not_read_to_its_end(tavily, monkeypatch):
    monkeypatch.setattr(failover, "_MAX_BYTES", 200_000)
    tavily.script = ["huge"]
    with pytest.raises(ToolCallError) as caught:
        await search(tool_for(tavily.url))
    assert caught.value.kind == "oversized"
    await until(lambda: tavily.script == ["gave up"])


async def through_the_door(settings: Settings, run: str, query: str):
    """A call as a node makes it: registry and door of its own, one run."""
    caller = Caller(nullcontext(), lambda: 60.0, lambda: True, lambda _: None)
    calls = ToolCalls(run, await build_registry(settings), seconds=30, backoff=Backoff(first=0.02))
    return await calls.call("web_search", {"query": query}, caller)


@pytest.fixture
def settings(tavily, monkeypatch, tmp_path):
    (tmp_path / "a.md").write_text("# A\n\nText.", encoding="utf-8")
    monkeypatch.setenv("TAVILY_API_KEY", KEY)
    monkeypatch.setenv("TAVILY_BASE_URL", tavily.url)
    monkeypatch.setenv("SEARXNG_BASE_URL", tavily.url)
    return Settings(home=str(tmp_path), corpus=(str(tmp_path / "a.md"),), search=("tavily", "searxng@20"))


async def test_the_same_question_twice_is_searched_once(tavily, settings):
    query = f"tower {uuid4().hex}"
    first = await through_the_door(settings, "one", query)
    again = await through_the_door(settings, "two", query)
    assert (first.cached, first.attempts, again.cached, again.attempts) == (False, 1, True, 0)
    assert again.passages == first.passages
    assert len(tavily.requests) == 1
    others = replace(settings, search=("searxng",))
    assert not (await through_the_door(others, "three", query)).cached
    assert (len(tavily.requests), len(tavily.arrived)) == (1, 1)
    fewer = replace(settings, search=("tavily@1/1", "searxng@9"))  # limits change nothing in results
    assert (await through_the_door(fewer, "four", query)).cached


async def test_ten_tasks_share_a_limit_and_none_starves(tavily, settings):
    limited = replace(settings, search=("searxng@5",))
    mark = uuid4().hex

    async def task(number: int) -> None:
        for turn in range(2):
            result = await through_the_door(limited, f"run {number % 3}", f"{number} {turn} {mark}")
            assert [one.provider for one in result.passages] == ["searxng"]

    async with asyncio.TaskGroup() as group:
        for number in range(10):
            group.create_task(task(number))
    assert len(tavily.arrived) == 20
    first = {asked.split()[0] for asked in tavily.arrived[:10]}
    assert len(first) == 10  # nobody has a second turn before everybody had a first
