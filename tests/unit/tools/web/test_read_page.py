"""Of a page, the passages that matter; whole pages kept for a while; which calls are the same."""

import json

import pytest
from langgraph.store.memory import InMemoryStore

from weiwo.tools.calling.arguments import schema_of
from weiwo.tools.calling.errors import ToolCallError, ToolNotCalledError
from weiwo.tools.calling.result_cache import cache_key
from weiwo.tools.calling.ttl_cache import LruMemory
from weiwo.tools.web.fetching import page_cache as kept
from weiwo.tools.web.fetching.fetch import FetchedPage
from weiwo.tools.web.fetching.page_cache import (
    _FAILED_SECONDS,
    _LASTING,
    _LONGEST_TEXT,
    _MOST_PAGES,
    _PAGES,
    PAGE_END,
    SECONDS,
    PageCache,
    WebPage,
)
from weiwo.tools.web.fetching.page_parser import parse_page
from weiwo.tools.web.fetching.url_guard import UrlGuard
from weiwo.tools.web.read_page import _MOST_PASSAGES, ReadPage, _select_passages

URL = "https://example.org/wiki/x"


def talk(count: int, topic: str) -> str:
    return "".join(
        f"<p>The {topic} committee met in {1900 + n} to discuss matter {n}, and many members spoke at length about"
        f" the {topic} without any decision being made on that long afternoon in the old hall.</p>"
        for n in range(count)
    )


def talk_zh(count: int, topic: str) -> str:
    return "".join(
        f"<p>{1900 + n}年，{topic}委员会召开了第{n}次会议，讨论了许多与{topic}有关的问题，与会者各抒己见，"
        "但直到下午结束也没有作出任何决定，会议记录现存于旧礼堂的档案室之中。</p>"
        for n in range(count)
    )


HUTS = "".join(f"<tr><td>Hut {n}</td><td>{2000 + 37 * n}</td><td>{10 + n}</td></tr>" for n in range(60))
ENGLISH = f"""<html lang="en"><head><title>Mount Kelvar</title></head><body><nav><a href="/">Main page</a></nav>
<article><h1>Mount Kelvar</h1><table><tr><th>Elevation</th><td>4,812 m</td></tr><tr><th>First ascent</th><td>14 July
1887 by Anna Brandt</td></tr></table><p>Mount Kelvar is a mountain in the Eastern range.</p>
<h2>History</h2>{talk(30, "history")}<h3>Naming</h3><p>The name was given by the surveyor Josef Hahn in 1822.</p>
<h2>Climbing</h2><ul><li>North face: first climbed in 1931 by Karl Meier</li><li>West ridge: first climbed in 1902 by
Lucy Walker</li></ul>{talk(20, "climbing")}<h2>Huts</h2><table><tr><th>Hut</th><th>Altitude</th><th>Beds</th></tr>{HUTS}
<tr><td>Marenda Hut</td><td>3,102</td><td>84</td></tr></table><h2>Climate</h2>{talk(10, "climate")}
<blockquote>The coldest day, 3 February 1956, reached −41.6 °C.</blockquote></article></body></html>"""
HUTS_ZH = "".join(f"<tr><td>第{n}山屋</td><td>{2000 + n}米</td><td>{n}张</td></tr>" for n in range(60))
CHINESE = f"""<html lang="zh"><head><title>青岚山</title></head><body><div class="content"><h1>青岚山</h1>
<table><tr><th>海拔</th><td>3,767米</td></tr><tr><th>首次登顶</th><td>1923年，李文远</td></tr></table>
<p>青岚山是位于四川省西部的一座山峰。</p><h2>历史</h2>{talk_zh(30, "历史")}<h3>命名</h3><p>“青岚”之名由学者王士礼于1712年所取。</p>
<h2>路线</h2><ul><li>北坡：1931年由陈志明首次登上</li><li>西脊：1956年由苏联登山队首次登上</li></ul>{talk_zh(20, "登山")}
<h2>山屋</h2><table><tr><th>名称</th><th>海拔</th><th>床位</th></tr>{HUTS_ZH}<tr><td>云栖山屋</td><td>3,102米</td><td>84张</td>
</tr></table><h2>气候</h2>{talk_zh(10, "气候")}<p>有记录以来最低气温为零下41.6摄氏度。</p></div></body></html>"""


@pytest.fixture(scope="module")
def long_pages() -> dict[str, WebPage]:
    return {
        html[12:16]: parse_page(FetchedPage(URL, html.encode(), "text/html", "utf-8")) for html in (ENGLISH, CHINESE)
    }


@pytest.mark.parametrize(
    ("which", "query", "words", "place", "rank"),
    [
        ("en", "elevation of Mount Kelvar", "4,812 m", "", 1),
        ("en", "Who first climbed Mount Kelvar?", "Anna Brandt", "", 4),
        ("en", "who climbed the west ridge first", "Lucy Walker", "Climbing", 1),
        ("en", "How many beds does the Marenda Hut have", "84", "Huts", 1),
        ("en", "coldest temperature recorded", "41.6", "Climate", 1),
        ("en", "who named the mountain", "Josef Hahn", "History › Naming", 1),
        ("zh", "青岚山的海拔是多少", "3,767", "", 1),
        ("zh", "谁首次登顶青岚山？", "李文远", "", 1),
        ("zh", "西脊路线由谁首次登上", "苏联登山队", "路线", 1),
        ("zh", "云栖山屋有多少床位", "84张", "山屋", 1),
        ("zh", "最低气温是多少", "41.6", "气候", 1),
        ("zh", "青岚之名是谁取的", "王士礼", "历史 › 命名", 1),
    ],
)
def test_of_a_long_page_the_passage_that_answers_comes_first(long_pages, which, query, words, place, rank):
    (page,) = [page for lang, page in long_pages.items() if which in lang]
    passages = _select_passages(page, query, "read_page")
    found = next(passage for passage in passages if words in passage.text)
    assert found.rank <= rank
    assert found.locator == place
    assert [passage.rank for passage in passages] == list(range(1, _MOST_PASSAGES + 1))
    assert len({passage.id for passage in passages}) == _MOST_PASSAGES


def test_a_row_far_down_a_table_comes_below_its_header(long_pages):
    (page,) = [page for lang, page in long_pages.items() if "en" in lang]
    best = _select_passages(page, "How many beds does the Marenda Hut have", "read_page")[0]
    assert best.text.startswith("| Hut | Altitude | Beds |")


def test_neighbours_come_along_and_without_a_match_the_page_from_its_start():
    # Each a passage of its own: heavier than what is joined.
    text = "\n\n".join(f"{name}. " + "Plain words follow here. " * 20 for name in ("alpha", "beta", "gamma", "delta"))
    page = WebPage(URL, "Letters", None, text)
    assert [p.text.split(".")[0] for p in _select_passages(page, "gamma", "t")] == ["gamma", "delta", "beta", "alpha"]
    for query in ("", "zebra", "？"):
        assert [p.text.split(".")[0] for p in _select_passages(page, query, "t")] == ["alpha", "beta", "gamma", "delta"]


def test_a_passage_of_a_pdf_says_its_page():
    page = WebPage(
        URL, "Report", "2020-01-02", PAGE_END.join(["# Cover", "", "The bridge opened in 1849."]), paged=True
    )
    (best, *_) = _select_passages(page, "when did the bridge open", "read_page")
    assert (best.text, best.locator, best.title, best.date) == (
        "The bridge opened in 1849.",
        "page 3",
        "Report",
        "2020-01-02",
    )


# What is kept


class Clock:
    now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture(params=["memory", "store"])
def keep(request, monkeypatch):
    """Makes keepers over one store, or one memory."""
    monkeypatch.setattr(kept, "_memory", LruMemory())
    store = InMemoryStore() if request.param == "store" else None
    return lambda **more: PageCache(store, **more)


PAGE = WebPage(URL, "汉武帝", "2021-05-03", "汉武帝生于公元前156年。\f第二页", paged=True, note="n")


async def test_a_page_comes_back_as_it_was_until_its_time_is_over(keep):
    clock = Clock()
    await keep(clock=clock).store_page("a", PAGE)
    later = keep(clock=clock)
    assert await later.get("b") is None
    assert await later.get("a") == PAGE
    clock.now += SECONDS
    assert await later.get("a") is None


@pytest.mark.parametrize("kind", sorted(_LASTING))
async def test_why_a_page_cannot_be_read_is_kept_for_a_shorter_while(keep, kind):
    clock = Clock()
    await keep(clock=clock).put_failure("a", ToolCallError(kind, "no such page"))
    with pytest.raises(ToolCallError, match=r"no such page \(so it was a while ago\)") as failure:
        await keep(clock=clock).get("a")
    assert (failure.value.kind, failure.value.transient) == (kind, False)
    assert await keep(clock=clock, fresh=True).get("a") is None
    await keep(clock=clock).store_page("a", PAGE)
    assert await keep(clock=clock).get("a") == PAGE
    await keep(clock=clock).put_failure("a", ToolCallError(kind, "no such page"))
    clock.now += _FAILED_SECONDS
    assert await keep(clock=clock).get("a") is None


@pytest.mark.parametrize(
    "failure",
    [
        ToolCallError("timeout", "x"),
        ToolCallError("rate_limit", "x"),
        ToolCallError("crash", "x"),
        ToolCallError("blocked", "x", transient=True),
        ToolNotCalledError("blocked", "x"),
    ],
)
async def test_what_may_pass_is_not_kept(keep, failure):
    await keep().put_failure("a", failure)
    assert await keep().get("a") is None


async def test_a_fresh_run_reads_nothing_that_was_kept(keep):
    await keep().store_page("a", PAGE)
    assert await keep(fresh=True).get("a") is None


async def test_no_more_pages_are_kept_than_there_are_places(monkeypatch):
    monkeypatch.setattr(kept, "_MOST_PAGES", 5)
    store = InMemoryStore()
    for number in range(60):
        await PageCache(store).store_page(f"key {number}", WebPage(URL, "", None, f"text {number}"))
    assert len(store.search(_PAGES, limit=100)) == 5
    assert await PageCache(store).get("key 59") is not None
    assert _MOST_PAGES * _LONGEST_TEXT < 2_000_000_000


async def test_a_page_of_uncommon_length_is_not_kept(keep):
    await keep().store_page("a", WebPage(URL, "", None, "x" * (_LONGEST_TEXT + 1)))
    assert await keep().get("a") is None


@pytest.mark.parametrize(
    "text",
    [
        *("", "7", "[]", "{broken", '[1e99, "x"]', '{"url": 1}', '[1e99, "NAME", "y", 7, {}]', '[1e99, "NAME", "", 7]'),
        *('[1e99, "NAME", "", {"url": 1}]', '[1e99, "NAME", "odd", "x"]', '["x", "NAME", "", {}]'),
    ],
)
async def test_what_somebody_else_wrote_there_is_nothing(text):
    store = InMemoryStore()
    await PageCache(store).store_page("a", PAGE)
    (item,) = store.search(_PAGES)
    old = item.value["text"]
    store.put(_PAGES, item.key, {"text": text.replace("NAME", json.loads(old)[1])})
    assert await PageCache(store).get("a") is None
    store.put(_PAGES, item.key, {"text": old})
    assert await PageCache(store).get("a") == PAGE


# The tool


def key(tool: ReadPage) -> str:
    return cache_key(tool, {"url": URL}, schema_of(tool), 100)


def test_two_of_the_tool_are_the_same_unless_they_may_read_other_things():
    made = [
        ReadPage(), ReadPage(robots=False), ReadPage(max_bytes=1_000), ReadPage(guard=UrlGuard(["wiki.corp"])),
        ReadPage(guard=UrlGuard(["wiki.corp:8080"])), ReadPage(guard=UrlGuard(["wiki.corp", "10.0.0.0/8"])),
    ]  # fmt: skip
    assert len({key(tool) for tool in made}) == len(made)
    assert key(ReadPage()) == key(ReadPage(guard=UrlGuard([])))
    assert key(made[-1]) == key(ReadPage(guard=UrlGuard([" 10.0.0.0/8 ", "WIKI.corp"])))


@pytest.mark.parametrize("url", ["file:///etc/passwd", "example.com/x", "http://127.0.0.1/", "http://localhost:8000/"])
async def test_what_the_guard_refuses_is_refused_before_anything_is_looked_up(url):
    with pytest.raises(ToolCallError, match="is not fetched") as failure:
        await ReadPage().ainvoke({"url": url})
    assert (failure.value.kind, failure.value.transient) == ("blocked", False)
