"""One page, one address."""

from urllib.parse import urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weiwo.tools.web.fetching.urls import canonical_url, site_of

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
        "https://example.com./a/b/index.html?id=3&q=x",
        "https://www.m.example.com/a/b?id=3&q=x",
        "https://3g.example.com/a/b/?id=3&q=x#:~:text=some%20words",
        "http://example.com:80/a/b?id=3&q=x&from=timeline&isappinstalled=0",
        "https://reader:secret@example.com/a/b?id=3&q=x",
        "https://example.com/%61/b?id=3&q=x&spm=1.2.3",
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
        ("https://example.com/wiki/amp", "https://example.com/wiki"),
        ("https://example.com/?p=1", "https://example.com/?p=2"),
        ("https://example.com/watch?v=a", "https://example.com/watch?v=b"),
        ("https://example.com/a?page=1", "https://example.com/a?page=2"),
        ("https://example.com/s?q=x", "https://example.com/s?q=y"),
        ("https://example.com/s?q=%B1%B1", "https://example.com/s?q=%C9%CF"),  # GBK
        ("https://example.com/f?ref=main", "https://example.com/f?ref=next"),
        ("https://example.com/a?from=1", "https://example.com/a?from=2"),
        ("https://example.com/a?k=1&k=2", "https://example.com/a?k=2&k=1"),
        ("https://example.com/a%2Fb", "https://example.com/a/b"),
        ("https://example.com/a%3Fid=1", "https://example.com/a?id=1"),
        ("https://example.com/#/guide", "https://example.com/#/faq"),
        ("https://example.com/#!/guide", "https://example.com/"),
        ("https://m.co.uk/", "https://n.co.uk/"),
        ("http://[::1]/a", "http://[::2]/a"),
    ],
)
def test_other_pages_stay_others(one: str, other: str) -> None:
    assert canonical_url(one) != canonical_url(other)


def test_mobile_editions_are_the_edition() -> None:
    assert canonical_url("https://en.m.wikipedia.org/wiki/X") == canonical_url("https://en.wikipedia.org/wiki/X")
    assert canonical_url("https://m.cn/") == "https://m.cn"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://zh.wikipedia.org/wiki/北京", "https://zh.wikipedia.org/wiki/%e5%8c%97%E4%BA%AC"),
        ("https://example.com/s?q=北京", "https://example.com/s?q=%E5%8C%97%E4%BA%AC"),
        ("https://en.wikipedia.org/wiki/It_(film)", "https://en.wikipedia.org/wiki/It_%28film%29"),
        ("https://例子.测试/a", "https://xn--fsqu00a.xn--0zwm56d/a"),
        ("https://bücher.example/", "https://xn--bcher-kva.example"),
        ("https://example.com/a?q=x%20y", "https://example.com/a?q=x+y"),
    ],
)
def test_a_page_is_one_in_every_spelling(one: str, other: str) -> None:
    assert canonical_url(one) == canonical_url(other)


@pytest.mark.parametrize("meaningful", ["id", "p", "v", "page", "q", "ref", "from", "t", "lang", "oldid", "s", "sid"])
@given(st.text(max_size=12), st.text(max_size=12))
def test_a_parameter_that_means_something_parts_pages(meaningful: str, one: str, other: str) -> None:
    if meaningful == "from" and {one, other} & {"timeline", "singlemessage", "groupmessage"}:
        return
    urls = {canonical_url("https://example.com/a?" + urlencode({meaningful: value})) for value in (one, other)}
    assert len(urls) == len({one, other})


@pytest.mark.parametrize(
    ("address", "site"),
    [
        ("https://en.m.wikipedia.org/wiki/X", "wikipedia.org"),
        ("https://news.bbc.co.uk/1", "bbc.co.uk"),
        ("https://www.gov.cn/zhengce", "www.gov.cn"),
        ("https://a.someone.github.io/x", "someone.github.io"),
        ("https://other.github.io/", "other.github.io"),
        ("http://10.0.0.1:8080/a", "10.0.0.1:8080"),
        ("http://[2001:db8::1]/a", "[2001:db8::1]"),
        ("http://wiki/a", "wiki"),
        ("notes/a.md", "notes/a.md"),
        ("mcp://tool/x", "mcp://tool/x"),
    ],
)
def test_whose_pages_an_address_belongs_to(address: str, site: str) -> None:
    assert site_of(address) == site


_HOSTS = st.sampled_from(["example.com", "m.example.co.uk", "[::1]:8080", "北京.cn", "www.m.m.x", "amp.example.com."])
_WILD = st.text("abAB/.%?&=#!:+~ -_0123456789amp北é\\", max_size=40)


@given(_HOSTS, _WILD)
def test_it_changes_nothing_twice_however_it_is_written(host: str, rest: str) -> None:
    once = canonical_url(f"http://{host}/{rest}")
    assert canonical_url(once) == once
    assert site_of(once) == site_of(f"http://{host}/{rest}")


@given(st.text(max_size=80) | st.text(max_size=40).map(lambda text: f"https://example.com/{text}"))
def test_it_changes_nothing_twice(url: str) -> None:
    once = canonical_url(url)
    assert canonical_url(once) == once
