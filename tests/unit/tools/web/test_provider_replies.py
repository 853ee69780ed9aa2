"""Whatever a provider replies becomes sound hits or a typed failure."""

import asyncio
import json
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.examples import examples
from weiwo.tools.calling.errors import ToolCallError
from weiwo.tools.web.providers.catalog import PROVIDERS
from weiwo.tools.web.providers.failover import _ask_provider
from weiwo.tools.web.providers.health import ConfiguredProvider
from weiwo.tools.web.providers.provider import SearchHit, SearchQuery

BY_HTTP = sorted(set(PROVIDERS) - {"ddgs"})
_scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
_values = st.recursive(
    _scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3)
)
_addresses = st.sampled_from(["https://a.org", "ftp://a.org", "javascript:x", "https://a.org/" + "x" * 3000]) | _values
_items = st.lists(
    st.fixed_dictionaries(
        {},
        optional=dict.fromkeys(("url", "link", "fullurl"), _addresses)
        | dict.fromkeys(("content", "description", "snippet", "extract", "title", "name", "score", "index"), _values)
        | dict.fromkeys(("published_date", "publishedDate", "page_age", "date", "raw_content"), _values),
    )
    | _values,
    max_size=4,
)
_replies = st.one_of(
    _values,
    *(
        st.fixed_dictionaries({name: _items | _values})
        for name in ("results", "organic", "news", "data", "error", "errors")
    ),
    *(
        st.fixed_dictionaries({outer: st.fixed_dictionaries({inner: _items | _values})})
        for outer, inner in (("web", "results"), ("webPages", "value"), ("query", "pages"))
    ),
)


def asked(name: str, body: bytes) -> list[SearchHit]:
    transport = httpx.MockTransport(lambda _: httpx.Response(200, content=body))
    source = ConfiguredProvider(PROVIDERS[name], PROVIDERS[name].base or "https://search.test", "k", whole=True)
    return asyncio.run(_ask_provider(source, SearchQuery("x"), seconds=30, transport=transport))


@examples(80)
@given(st.sampled_from(BY_HTTP), _replies)
def test_any_json(name: str, reply: Any) -> None:
    body = json.dumps(reply).encode("utf-8", "surrogatepass")
    found, failed = [], None
    try:
        found = asked(name, body)
    except ToolCallError as failure:
        failed = failure
    if failed is not None:
        assert failed.kind in {"crash", "rate_limit"}
        assert failed.message.startswith(f"{name}: ")
        assert "\n" not in failed.message
    for hit in found:
        assert hit.url.startswith(("http://", "https://"))
        assert len(hit.url) <= 2000
        assert hit.text.strip()
        assert abs(hit.score) < float("inf")
        json.dumps([hit.url, hit.text, hit.title, hit.date, hit.page]).encode()


@examples(40)
@given(st.sampled_from(BY_HTTP), st.binary(max_size=40))
def test_any_bytes(name: str, body: bytes) -> None:
    with pytest.raises(ToolCallError, match=rf"^{name}: "):
        asked(name, b"\xff" + body)


def test_an_address_too_long_to_keep_is_not_cut_to_another_page() -> None:
    results = [{"url": "https://a.org/" + "x" * 2000, "content": "x"}, {"url": "https://b.org", "content": "y"}]
    found = asked("searxng", json.dumps({"results": results}).encode())
    assert [hit.url for hit in found] == ["https://b.org"]
