"""`/mcp` of the server: a client of FastMCP, or the line that says what to install."""

import importlib.util
import os
from pathlib import Path
from typing import Any

import httpx
import pytest

INSTALLED = importlib.util.find_spec("fastmcp") is not None
needs_extra = pytest.mark.skipif(not INSTALLED, reason="needs the extra: pip install 'weiwo[mcp]'")
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@pytest.mark.skipif(INSTALLED, reason="the extra mcp is installed")
async def test_without_the_extra_it_says_what_to_install(http: httpx.AsyncClient):
    answer = await http.post("/mcp", json={})
    assert answer.status_code == 501
    assert "weiwo[mcp]" in answer.json()["detail"]


def client_of(http: httpx.AsyncClient, **headers: str) -> Any:
    """A client of FastMCP that reaches the server behind a client of HTTP."""
    from fastmcp import Client  # noqa: PLC0415 - the extra
    from fastmcp.client.transports import StreamableHttpTransport  # noqa: PLC0415 - the same

    app = http._transport.app  # type: ignore[attr-defined]

    def through_the_app(**options: Any) -> httpx.AsyncClient:
        options.pop("transport", None)
        return httpx.AsyncClient(transport=httpx.ASGITransport(app), **options)

    url = "http://127.0.0.1:8300/mcp"
    return Client(StreamableHttpTransport(url, headers=headers, httpx_client_factory=through_the_app))  # type: ignore[arg-type]


@needs_extra
async def test_a_client_lists_and_calls_tools(http: httpx.AsyncClient):
    async with client_of(http) as client:
        assert {tool.name for tool in await client.list_tools()} == {"ask", "get_answer", "search", "read_document"}
        found = await client.call_tool("search", {"query": "length of the Yangtze", "k": 1})
        assert "6,300" in str(found.structured_content)
        asked = {"question": "How long is the Yangtze?", "language": "the best one"}
        refused = await client.call_tool("ask", asked, raise_on_error=False)
        assert refused.is_error
        assert "language: is not a language tag; use one such as de" in refused.content[0].text


@needs_extra
async def test_questions_count_against_the_day_of_whoever_asks(public: httpx.AsyncClient, tokens: dict[str, str]):
    (Path(os.environ["WEIWO_HOME"]) / "users.toml").write_text("[ann]\nruns_per_day = 1\n")
    asked = {"question": "How long is the Yangtze?"}
    async with client_of(public, **{"x-api-key": tokens["ann"]}) as ann:
        assert "6,300" in str((await ann.call_tool("ask", asked)).structured_content)
        refused = await ann.call_tool("ask", asked, raise_on_error=False)
        assert refused.is_error
        assert "your questions for today are used up" in refused.content[0].text
        assert (await ann.call_tool("search", {"query": "length of the Yangtze"})).structured_content
    async with client_of(public, **{"x-api-key": tokens["operator"]}) as operator:
        assert "6,300" in str((await operator.call_tool("ask", asked)).structured_content)
    day = (await public.get("/weiwo/info", headers={"x-api-key": tokens["ann"]})).json()["day"]
    assert day["runs"] == 1


@needs_extra
async def test_a_request_leaves_no_session_behind(http: httpx.AsyncClient):
    params = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    body = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
    for _ in range(3):
        answer = await http.post("/mcp", json=body, headers={"accept": "application/json, text/event-stream"})
        assert answer.status_code == 200
        assert "mcp-session-id" not in answer.headers
