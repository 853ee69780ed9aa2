"""Pages opened from a search result: walls in languages that no list of words covers, and short articles."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.unit.nodes.executor.test_task_loop import DISTINCT, FACT, SNIPPET, outcome, reader, web
from weiwo.nodes.executor.task_calls.walls import find_wall
from weiwo.state import Evidence, passage_id
from weiwo.tools.calling.errors import ToolCallError
from weiwo.tools.web.fetching.fetch import FetchedPage
from weiwo.tools.web.fetching.page_parser import parse_page
from weiwo.tools.web.read_page import _select_passages

PAGES: dict[str, Any] = tomllib.loads(
    (Path(__file__).parents[3] / "data" / "walls" / "pages.toml").read_text(encoding="utf-8")
)
URL = "https://paper.example/news/17"


def judge(row: dict[str, str], query: str = "", url: str = URL) -> ToolCallError | None:
    """The failure that opening a page amounts to, as the page's own words or its snippet tell."""
    try:
        page = parse_page(FetchedPage(url=url, body=row["html"].encode(), type="text/html", charset="utf-8"))
    except ToolCallError as failure:
        return failure
    found = Evidence(id=passage_id(row["snippet"]), text=row["snippet"], source=URL, tool="web_search")
    call = {"tool": "read_page", "args": {"url": URL, "query": query}}
    return find_wall(call, _select_passages(page, query, "read_page"), [found])


@pytest.mark.parametrize("row", PAGES["walls"], ids=lambda row: f"{row['language']} {row['kind']}")
def test_a_page_without_the_words_of_its_search_result_is_a_wall(row):
    refused = judge(row)
    assert refused is not None
    assert refused.kind in {"blocked", "not_found"}


@pytest.mark.parametrize("row", PAGES["articles"], ids=lambda row: row["language"])
def test_a_short_article_beside_buttons_is_none(row):
    assert judge(row, "When does the tide mill of Carew grind?") is None


def test_a_page_that_no_search_found_is_taken_as_it_is():
    (row,) = (row for row in PAGES["walls"] if row["language"] == "hu")
    page = parse_page(FetchedPage(url=URL, body=row["html"].encode(), type="text/html", charset="utf-8"))
    call = {"tool": "read_page", "args": {"url": URL, "query": "opening hours"}}
    assert find_wall(call, _select_passages(page, "", "read_page"), []) is None


def test_a_long_page_is_none_whatever_its_search_result_said():
    rows = "".join(f"<p>Pier {n} was dredged in {1900 + n} by hand.</p>" for n in range(60))
    row = {"snippet": PAGES["walls"][0]["snippet"], "html": f"<html><body><button>x</button>{rows}</body></html>"}
    assert judge(row) is None


async def test_behind_a_wall_the_next_page_is_opened():
    wall = "Nous préparons tout pour vous, un instant encore. Touchez la lanterne."
    search = web(lambda _: [("https://a.org/ada", SNIPPET), ("https://b.org/ada", f"{SNIPPET} {DISTINCT[0]}")])
    page = reader({"https://a.org/ada": wall, "https://b.org/ada": FACT})
    came = await outcome(search, page)
    assert (came.status, came.value) == ("succeeded", "1815-05-03")
