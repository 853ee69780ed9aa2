"""`/mcp` of the server: a client of FastMCP, or the line that says what to install."""

import importlib.util

import httpx
import pytest

INSTALLED = importlib.util.find_spec("fastmcp") is not None


@pytest.mark.skipif(INSTALLED, reason="the extra mcp is installed")
async def test_without_the_extra_it_says_what_to_install(http: httpx.AsyncClient):
    answer = await http.post("/mcp", json={})
    assert answer.status_code == 501
    assert "weiwo[mcp]" in answer.json()["detail"]


@pytest.mark.skipif(not INSTALLED, reason="needs the extra: pip install 'weiwo[mcp]'")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
async def test_a_client_lists_and_calls_tools(http: httpx.AsyncClient):
    from fastmcp import Client  # noqa: PLC0415 - the extra
    from fastmcp.client.transports import StreamableHttpTransport  # noqa: PLC0415 - the same

    app = http._transport.app  # type: ignore[attr-defined]

    def through_the_app(**options: object) -> httpx.AsyncClient:
        options.pop("transport", None)
        return httpx.AsyncClient(transport=httpx.ASGITransport(app), **options)  # type: ignore[arg-type]

    transport = StreamableHttpTransport("http://127.0.0.1:8300/mcp", httpx_client_factory=through_the_app)
    async with Client(transport) as client:
        assert {tool.name for tool in await client.list_tools()} == {"ask", "search", "read_document"}
        found = await client.call_tool("search", {"query": "length of the Yangtze", "k": 1})
        assert "6,300" in str(found.structured_content)
