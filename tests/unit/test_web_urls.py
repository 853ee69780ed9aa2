"""One page, one address."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.web.urls import canonical_url

PAGE = "https://example.com/a/b?id=3&q=x"


@pytest.mark.parametrize(
    "url",
    [
        "https://example.com/a/b?id=3&q=x",
        "http://example.com/a/b?id=3&q=x",
        "https://www.example.com/a/b/?q=x&id=3",
        "https://m.example.com/a/b?id=3&q=x#part",
        "https://example.com:443/a/b?id=3&q=x&utm_source=n&utm_medium=m&fbclid=1",
        "https://amp.example.com/a/b/amp?id=3&q=x",
        "HTTPS://EXAMPLE.com/a/b?id=3&q=x&gclid=2",
        "https://example.com/amp/a/b?id=3&q=x",
        "https://example.com./a/b/index.html?id=3&q=x",
    ],
)
def test_links_to_one_page_are_one(url: str) -> None:
    assert canonical_url(url) == PAGE


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://example.com/a", "https://example.com/b"),
        ("https://example.com/a?id=1", "https://example.com/a?id=2"),
        ("https://en.wikipedia.org/wiki/X", "https://zh.wikipedia.org/wiki/X"),
        ("https://example.com:8443/a", "https://example.com/a"),
        ("https://example.com/A", "https://example.com/a"),
        ("https://mexample.com/", "https://example.com/"),
        ("https://example.com/camp", "https://example.com/c"),
    ],
)
def test_other_pages_stay_others(one: str, other: str) -> None:
    assert canonical_url(one) != canonical_url(other)


def test_mobile_editions_are_the_edition() -> None:
    assert canonical_url("https://en.m.wikipedia.org/wiki/X") == canonical_url("https://en.wikipedia.org/wiki/X")
    assert canonical_url("https://m.cn/") == "https://m.cn"


@given(st.text(max_size=80) | st.text(max_size=40).map(lambda text: f"https://example.com/{text}"))
def test_it_changes_nothing_twice(url: str) -> None:
    once = canonical_url(url)
    assert canonical_url(once) == once
