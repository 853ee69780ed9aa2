"""robots.txt by RFC 9309: which rules hold, which pages they let be read, and how its replies are taken."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weiwo.tools.calling.errors import ToolCallError
from weiwo.tools.calling.ttl_cache import LruMemory
from weiwo.tools.web.fetching import robots
from weiwo.tools.web.fetching.fetch import FetchedPage
from weiwo.tools.web.fetching.robots import _KEPT_SECONDS, _is_allowed, _normalize_rules, check_robots
from weiwo.tools.web.fetching.url_guard import UrlGuard

RFC_EXAMPLE = """User-Agent: *
Disallow: *.gif$
Disallow: /example/
Allow: /publications/

User-Agent: foobot
Disallow:/
Allow:/example/page.html
Allow:/example/allowed.gif

User-Agent: barbot
User-Agent: bazbot
Disallow: /example/page.html

User-Agent: quxbot
"""
"""Section 5.1 of the RFC."""


def may_read(text: str, path: str, agent: str = robots._AGENT) -> bool:
    return _is_allowed(_normalize_rules(text, agent), f"https://example.com{path}", agent)


@pytest.mark.parametrize(
    ("agent", "path", "may"),
    [
        ("weiwo", "/publications/x", True),
        ("weiwo", "/example/page.html", False),
        ("weiwo", "/a/b.gif", False),
        ("weiwo", "/a/b.gif?size=1", True),
        ("foobot", "/example/page.html", True),
        ("foobot", "/example/allowed.gif", True),
        ("foobot", "/", False),
        ("foobot", "/publications/", False),
        ("BarBot", "/example/page.html", False),
        ("barbot", "/example/other.html", True),
        ("bazbot", "/example/page.html", False),
        ("quxbot", "/example/page.html", True),
    ],
)
def test_the_example_of_the_rfc(agent, path, may):
    assert may_read(RFC_EXAMPLE, path, agent) is may


@pytest.mark.parametrize(
    ("rules", "path", "may"),
    [
        ("Disallow: /", "/", False),
        ("Disallow:", "/", True),
        ("Disallow: /\nAllow: /a", "/a/b", True),
        ("Allow: /a\nDisallow: /a/b", "/a/b/c", False),
        ("Disallow: /a\nAllow: /a", "/a", True),
        ("Disallow: /page", "/page.html", False),
        ("Disallow: /page$", "/page.html", True),
        ("Disallow: /page$", "/page", False),
        ("Disallow: /*/private", "/a/b/private/c", False),
        ("Disallow: /*/private", "/private", True),
        ("Disallow: /*?", "/a?b=c", False),
        ("Disallow: /*?", "/a", True),
        ("Disallow: /a*b*c$", "/a-b-b-c", False),
        ("Disallow: /a*b*c$", "/a-b-c-d", True),
        ("Disallow: /ab*ba$", "/aba", True),
        ("Disallow: /foo/bar/ツ", "/foo/bar/%E3%83%84", False),
        ("Disallow: /foo/bar/%E3%83%84", "/foo/bar/ツ", False),
        ("Disallow: /foo/bar/%62%61%7A", "/foo/bar/baz", False),
        ("Disallow: /a%2fb", "/a%2Fb", False),
        ("Disallow: /a%2Fb", "/a/b", True),
        ("disallow : /a # no robots", "/a", False),
        ("DISALLOW:/a", "/a", False),
        ("Disallow: /汉", "/汉武帝", False),
        ("Disallow /a", "/a", True),
        ("Crawl-delay: 10\nDisallow: /a", "/a", False),
    ],
)
def test_the_longest_match_decides(rules, path, may):
    assert may_read(f"User-agent: *\n{rules}", path) is may


@pytest.mark.parametrize(
    ("text", "may"),
    [
        ("", True),
        ("<html><body>Not found</body></html>", True),
        ("Disallow: /\n", True),
        ("\ufeffUser-agent: *\nDisallow: /", False),
        ("User-agent: *\r\nDisallow: /\r\n", False),
        ("User-agent: *\rDisallow: /\r", False),
        ("User-agent: Weiwo/0.1\nDisallow: /", False),
        ("User-agent: WEIWO\nDisallow: /\n\nUser-agent: *\nAllow: /", False),
        ("User-agent: weiwo\nAllow: /\n\nUser-agent: *\nDisallow: /", True),
        ("User-agent: weiwox\nDisallow: /", True),
        ("User-agent: a\nSitemap: x\nUser-agent: weiwo\nDisallow: /", False),
        ("User-agent: weiwo\nAllow: /b\n\nUser-agent: *\nAllow: /\n\nUser-agent: weiwo\nDisallow: /a", False),
        ("User-agent: *\nDisallow: /a\n\nUser-agent: x\nDisallow: /\n\nUser-agent: *\nAllow: /a/b", True),
    ],
)
def test_the_groups_that_name_us_hold_and_else_those_for_all(text, may):
    assert may_read(text, "/a/b") is may


def test_a_hostile_pattern_takes_no_longer_than_it_is():
    pattern, path = "/" + "*a" * 20_000 + "b", "/" + "a" * 2_000
    assert may_read(f"User-agent: *\nDisallow: {pattern}\n" * 20, path)


@given(st.text(max_size=200), st.text(max_size=50))
def test_any_text_is_read_and_any_path_is_judged(text, path):
    assert isinstance(may_read(f"User-agent: *\nDisallow: {text}", f"/{path}"), bool)
    assert isinstance(may_read(text, f"/{path}"), bool)


class Site:
    """Plays robots.txt, counting."""

    def __init__(self, monkeypatch, reply) -> None:
        self.reply = reply
        self.asked: list[str] = []
        self.now = 0.0
        monkeypatch.setattr(robots, "fetch", self.fetch)
        monkeypatch.setattr(robots, "_memory", LruMemory(robots._KEPT_BYTES))

    async def fetch(self, url, guard, **more) -> FetchedPage:  # noqa: ARG002 - the interface has it
        self.asked.append(url)
        await asyncio.sleep(0)
        if isinstance(self.reply, Exception):
            raise self.reply
        return FetchedPage(url, self.reply.encode(), "text/plain", "")

    async def check(self, url="https://example.com/a") -> None:
        await check_robots(url, UrlGuard(), lambda: self.now)


async def test_what_the_site_asks_for_is_kept_for_a_while(monkeypatch):
    site = Site(monkeypatch, "User-agent: *\nDisallow: /private")
    await site.check()
    with pytest.raises(ToolCallError, match=r"robots\.txt asks programs not to read it") as failure:
        await site.check("https://example.com/private/x")
    assert (failure.value.kind, failure.value.transient) == ("blocked", False)
    assert site.asked == ["https://example.com/robots.txt"]
    await site.check("http://example.com:8080/a")
    assert site.asked[1:] == ["http://example.com:8080/robots.txt"], "another site"
    site.now += _KEPT_SECONDS + 1
    await site.check()
    assert len(site.asked) == 3


async def test_parallel_tasks_ask_once(monkeypatch):
    site = Site(monkeypatch, "")
    await asyncio.gather(*(site.check(f"https://example.com/{number}") for number in range(20)))
    assert len(site.asked) == 1


@pytest.mark.parametrize("kind", ["auth", "blocked", "not_found", "bad_arguments"])
async def test_a_site_without_rules_lets_everything_be_read(monkeypatch, kind):
    site = Site(monkeypatch, ToolCallError(kind, "HTTP 4xx", transient=False))
    await site.check()
    await site.check()
    assert len(site.asked) == 1


@pytest.mark.parametrize("kind", ["crash", "timeout", "rate_limit"])
async def test_where_the_rules_cannot_be_had_nothing_is_read_and_that_is_not_kept(monkeypatch, kind):
    site = Site(monkeypatch, ToolCallError(kind, "https://example.com/robots.txt: HTTP 503", transient=True))
    failures = await asyncio.gather(site.check(), site.check(), return_exceptions=True)
    assert [(failure.kind, failure.transient) for failure in failures] == [(kind, True)] * 2
    assert len(site.asked) == 1
    site.reply = ""
    await site.check()
    assert len(site.asked) == 2


async def test_what_is_kept_of_all_sites_is_bounded(monkeypatch):
    site = Site(monkeypatch, "User-agent: *\n" + "Disallow: /a-path-that-is-not-short\n" * 2_000)
    monkeypatch.setattr(robots, "_memory", kept := LruMemory(200_000))
    for number in range(6):
        await site.check(f"https://s{number}.example.com/")
    assert 0 < sum(kept.get(f"https://s{number}.example.com") is not None for number in range(6)) < 3


def test_a_file_of_agents_and_rules_is_no_product_of_both():
    agents = "".join(f"user-agent: a{number}\n" for number in range(5_000))
    text = f"{agents}user-agent: *\n" + "disallow: /a\n" * 5_000
    sets = robots._parse_rules(_normalize_rules(text))._user_agents
    assert sum(len(rules._rules) for rules in sets.values()) <= 2 * 5_000
    assert not may_read(text, "/a")
