"""What the reader of an answer is told of pages that could not be read and of sources that were left out."""

from typing import Any

import pytest

from tests.support.states import passage
from weiwo.nodes.executor.outcomes import unfinished_outcome
from weiwo.nodes.executor.task_state import source_address
from weiwo.nodes.shared.gaps import describe_coverage
from weiwo.state import Outcome, Task, TaskTrace
from weiwo.state.source_filter import SourceFilter

WITHIN = SourceFilter(
    sites=("a.org", "b.org"), since="2025-01", outer=SourceFilter(not_sites=("c.org",), folders=("docs",))
)


def opened(pages: str, unread: str = "") -> Outcome:
    trace = TaskTrace(opened=tuple(pages), unread=tuple(unread))
    return Outcome(task_id="t", status="empty", type="text", trace=trace)


@pytest.mark.parametrize(
    ("language", "says"),
    [
        (
            "en",
            [
                "3 of 5 pages could be read.",
                "Only these sources were used: sites a.org, b.org; since 2025-01; not c.org; folders docs.",
            ],
        ),
        (
            "zh",
            [
                "5 个页面中有 3 个可以读取。",
                "只使用了以下范围内的来源：网站 a.org、b.org；2025-01 以来；不含 c.org；文件夹 docs。",
            ],
        ),
    ],
)
def test_what_was_not_read_and_what_was_left_out(language, says) -> None:
    outcomes = [opened("abc", "bc"), opened("bde", "e")]
    gaps = list(describe_coverage(outcomes, WITHIN, language))
    assert [gap.kind for gap in gaps] == ["unread", "restricted"]
    assert [gap.text for gap in gaps] == says


@pytest.mark.parametrize(("language", "says"), [("en", "No response: "), ("zh", "没有响应：")])
def test_a_search_that_was_not_answered_is_named_once(language, says) -> None:
    state: Any = {"tried": [{"tool": "web_search", "args": {"query": "x"}}], "failed": {"web_search": "searxng: no"}}
    task = Task(id="t1", description="x", tool="corpus_search", args={"query": "x"})
    outcome = unfinished_outcome(task, "empty", "empty", "nothing", state)
    gaps = list(describe_coverage([outcome, outcome], SourceFilter(), language))
    assert [(gap.kind, gap.text) for gap in gaps] == [("unread", f"{says}searxng: no")]


def test_a_page_that_a_stand_in_read_was_read() -> None:
    urls = [f"https://a.org/{name}" for name in "xyz"]
    tried = [
        {"tool": "web_search", "args": {"query": "x"}},
        *({"tool": "read_page", "args": {"url": url}} for url in urls),
    ]
    tried.append({"tool": "extract_page", "args": {"url": urls[0]}})
    found = [
        passage("read", urls[0]).model_copy(update={"tool": "extract_page"}),
        passage("snippet", urls[1]).model_copy(update={"tool": "web_search"}),
    ]
    failed = dict.fromkeys(map(source_address, urls[:2]), "HTTP 403")
    state = {"tried": tried, "failed": failed, "passages": found}
    outcome = unfinished_outcome(Task(id="t", description="?", tool="web_search"), "empty", "empty", "?", state)
    assert outcome.trace.opened == tuple(map(source_address, urls))
    assert outcome.trace.unread == (source_address(urls[1]),)


def test_where_all_was_read_and_nothing_left_out_there_is_nothing_to_say() -> None:
    assert list(describe_coverage([opened("abc"), opened("")], SourceFilter(), "en")) == []
