"""Web search over a real connection, against a server that plays Tavily's documented replies."""

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from pydantic import SecretStr

from state.settings import Settings
from tools.registry import build_registry
from tools.run import Backoff, ToolFailure, run_tool
from tools.web_search import WebSearch

pytestmark = pytest.mark.integration

KEY = "tvly-dev-abcdef123456"
HIT = {"title": "Tower", "url": "https://a.org/tower", "content": "It is 300 m tall.", "score": 0.9}
DETAIL = {
    401: "Unauthorized: missing or invalid API key.",
    429: "Your request has been blocked due to excessive requests.",
    432: "This request exceeds your plan's set usage limit.",
    500: "Internal Server Error",
}


class FakeTavily(ThreadingHTTPServer):
    """Answers with the status its script holds next, 200 when that is used up, and counts requests."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.script: list[int | str] = []
        self.requests: list[dict[str, object]] = []
        self.released = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Handler(BaseHTTPRequestHandler):
    server: FakeTavily

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.requests.append({"path": self.path, "key": self.headers["authorization"], **body})
        step = self.server.script.pop(0) if self.server.script else 200
        if step == "hang":
            self.server.released.wait(10)
        elif step == "huge":
            self._send_endlessly()
        else:
            status = int(step)
            said = (
                {"query": body["query"], "results": [HIT]} if status == 200 else {"detail": {"error": DETAIL[status]}}
            )
            data = json.dumps(said).encode()
            self.send_response(status)
            self.send_header("content-length", str(len(data)))
            if status == 429:
                self.send_header("retry-after", "0.2")
            self.end_headers()
            self.wfile.write(data)

    def _send_endlessly(self) -> None:
        self.send_response(200)
        self.end_headers()
        try:
            for _ in range(1_000):
                self.wfile.write(b"x" * 65_536)
        except OSError:
            self.server.script.append("gave up")

    def log_message(self, *_args: object) -> None:
        pass


@pytest.fixture
def tavily():
    with FakeTavily() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield server
        server.released.set()
        server.shutdown()
        thread.join()


def tool_for(server: FakeTavily, **kwargs: float) -> WebSearch:
    return WebSearch(api_key=SecretStr(KEY), base_url=server.url, **kwargs)


async def search(tool, seconds=5.0):
    return await run_tool(
        tool, {"query": "tower", "k": 2}, seconds=seconds, max_bytes=50_000, backoff=Backoff(first=0.02)
    )


async def test_results_arrive_through_the_registry(tavily, monkeypatch, tmp_path):
    monkeypatch.setenv("TAVILY_API_KEY", KEY)
    monkeypatch.setenv("TAVILY_BASE_URL", tavily.url)
    registry = await build_registry(Settings(home=str(tmp_path)))
    result = await search(registry.get("web_search"))
    assert [(p.text, p.source, p.tool) for p in result.passages] == [(HIT["content"], HIT["url"], "web_search")]
    assert result.attempts == 1
    (asked,) = tavily.requests
    assert asked == {"path": "/search", "key": f"Bearer {KEY}", "query": "tower", "max_results": 2, "topic": "general"}


@pytest.mark.parametrize(
    ("status", "kind", "calls"), [(401, "auth", 1), (432, "blocked", 1), (429, "rate_limit", 3), (500, "crash", 3)]
)
async def test_refusals(tavily, status, kind, calls):
    tavily.script = [status] * 9
    with pytest.raises(ToolFailure) as caught:
        await search(tool_for(tavily))
    assert (caught.value.kind, caught.value.attempts, len(tavily.requests)) == (kind, calls, calls)
    assert KEY not in caught.value.message


async def test_what_passes_is_waited_for(tavily):
    tavily.script = [429, 500]
    started = time.monotonic()
    result = await search(tool_for(tavily))
    assert (result.attempts, len(result.passages)) == (3, 1)
    assert time.monotonic() - started >= 0.2


async def test_silence_is_a_timeout(tavily):
    tavily.script = ["hang"] * 3
    started = time.monotonic()
    with pytest.raises(ToolFailure) as caught:
        await search(tool_for(tavily), seconds=0.5)
    assert caught.value.kind == "timeout"
    assert time.monotonic() - started < 3


async def test_a_huge_body_is_not_read_to_its_end(tavily):
    tavily.script = ["huge"]
    with pytest.raises(ToolFailure) as caught:
        await search(tool_for(tavily, max_bytes=200_000))
    assert caught.value.kind == "oversized"
    deadline = time.monotonic() + 5
    while tavily.script != ["gave up"] and time.monotonic() < deadline:
        time.sleep(0.02)  # noqa: ASYNC251  # the server's thread is what is waited for
    assert tavily.script == ["gave up"]


async def test_nobody_there():
    with FakeTavily() as server:
        url = server.url
    tool = WebSearch(api_key=SecretStr(KEY), base_url=url)
    with pytest.raises(ToolFailure) as caught:
        await search(tool)
    assert (caught.value.kind, caught.value.attempts) == ("crash", 3)
    assert "reached" in caught.value.message
