"""Pages through Tavily: what comes, what is never asked for, and that it stands in for `read_page`."""

import json
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import httpx
import pytest

from weiwo.state.settings import Settings
from weiwo.tools.calling.errors import ToolCallError
from weiwo.tools.registry import build_registry
from weiwo.tools.web.fetching.url_guard import UrlGuard
from weiwo.tools.web.providers.catalog import PROVIDERS
from weiwo.tools.web.providers.health import ConfiguredProvider, ProviderHealth
from weiwo.tools.web.read_page import ExtractPage

KEY = "tvly-secret-0123"
TEXT = "# Tower\n\nThe tower of Brenna is 300 metres tall and was finished in 1911 by Ada Falk."
Handler = Callable[[httpx.Request], httpx.Response]


def tool(
    handler: Handler, address: str = "93.184.216.34", health: ProviderHealth | None = None, **more: Any
) -> ExtractPage:
    async def resolve(_host: str, _port: int) -> list[str]:
        return [address]

    source = ConfiguredProvider(PROVIDERS["tavily"], "https://api.tavily.test", KEY, per_second=1_000)
    more = {"robots": False, "health": health or ProviderHealth(), **more}
    return ExtractPage(
        guard=UrlGuard(resolver=resolve), source=source, transport=httpx.MockTransport(handler), seconds=5, **more
    )


def replying(body: object, status: int = 200, **headers: str) -> tuple[Handler, list[httpx.Request]]:
    asked: list[httpx.Request] = []

    def handler(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        return httpx.Response(status, json=body, headers=headers)

    return handler, asked


async def read(extract: ExtractPage, url: str = "", query: str = "how tall") -> Any:
    """Pages are kept by the process, so each test reads one of its own."""
    return (await extract._arun(url or f"https://brenna.example/{uuid4().hex}", query))[1]


async def test_a_page_comes_as_passages() -> None:
    handler, asked = replying({"results": [{"url": "https://brenna.example/tower", "raw_content": TEXT}]})
    (passage,) = await read(tool(handler), "https://brenna.example/tower")
    assert (passage["source"], passage["tool"]) == ("https://brenna.example/tower", "extract_page")
    assert "300 metres" in passage["text"]
    body = json.loads(asked[0].content)
    assert (asked[0].url.path, body["urls"]) == ("/extract", ["https://brenna.example/tower"])


@pytest.mark.parametrize(
    ("body", "status", "kind"),
    [
        ({"results": [], "failed_results": [{"url": "u", "error": "could not fetch"}]}, 200, "empty"),
        ({"results": [{"url": "u", "raw_content": "  "}]}, 200, "empty"),
        ({"results": [{"url": "u", "raw_content": "Just a moment... verify you are human"}]}, 200, "blocked"),
        ({"nothing": 1}, 200, "empty"),
        ([1, 2], 200, "crash"),
        ({"detail": {"error": "no"}}, 401, "auth"),
        ({"detail": {"error": "slow down"}}, 429, "rate_limit"),
        ({"detail": {"error": "plan"}}, 432, "blocked"),
        ({"detail": {"error": "oops"}}, 500, "crash"),
    ],
)
async def test_failures_are_typed_and_hold_no_key(body: object, status: int, kind: str) -> None:
    with pytest.raises(ToolCallError) as failed:
        await read(tool(replying(body, status)[0]))
    assert failed.value.kind == kind
    assert KEY not in str(failed.value)


@pytest.mark.parametrize("url", ["http://127.0.0.1/x", "http://intranet.corp/x", "ftp://a.example/x", "http://[::1]/"])
async def test_what_the_guard_refuses_is_told_to_nobody(url: str) -> None:
    handler, asked = replying({"results": []})
    with pytest.raises(ToolCallError) as failed:
        await read(tool(handler, address="10.0.0.7"), url)
    assert (failed.value.kind, asked) == ("blocked", [])


async def test_a_service_that_refused_is_left_alone() -> None:
    handler, asked = replying({"detail": {"error": "no"}}, 401)
    health = ProviderHealth()
    for _ in range(2):
        with pytest.raises(ToolCallError):
            await read(tool(handler, health=health))
    assert len(asked) == 1


@pytest.mark.usefixtures("indexed_home")
async def test_it_stands_in_for_reading_directly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAVILY_API_KEY", KEY)
    registry = await build_registry(Settings.resolve())
    args = {"url": "https://brenna.example/tower", "query": "height"}
    assert registry.substitutes("read_page", args) == {"extract_page": args}
    assert registry.substitutes("open_document", {"source": "notes.md", "query": "height"}) == {}
    monkeypatch.setenv("WEIWO_SEARCH", "wikipedia")
    assert "extract_page" not in (await build_registry(Settings.resolve())).names()
