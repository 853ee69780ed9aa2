"""The exported page: what it holds, what it can never do, and that its parts lead to one another."""

import re
from html.parser import HTMLParser
from typing import get_args

import pytest

from tests.support.results import make_result
from tests.unit.nodes.shared.prompting.test_exfiltration import VECTORS
from weiwo.app.export import render
from weiwo.state.answer import Verdict

KNOWN = "https://docs.example.org/api?x=1"
TAGS = {"script", "iframe", "object", "embed", "base", "link", "form", "video", "audio", "input", "button", "img"}


class Reader(HTMLParser):
    """What a browser would see of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.open: list[str] = []
        self.text: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in {"meta", "br", "hr", "img", "path", "rect"}:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        if tag not in {"meta", "br", "hr", "img", "path", "rect"}:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] != "style":
            self.text.append(data)


def page_of(**changes: object) -> Reader:
    reader = Reader(render(make_result(**changes), "html").decode())
    assert reader.open == [], "every tag is closed"
    return reader


@pytest.mark.parametrize("vector", VECTORS)
def test_nothing_of_an_answer_is_alive(vector: str) -> None:
    hostile = {
        "answer": f"Aurora costs 20 euros [1]. {vector}\n\n{vector}",
        "question": f"What? {vector}",
        "gaps": [{"kind": "uncovered", "text": vector}],
        "thread_id": vector,
        "status": vector,
        "claims": [{"text": "Aurora costs 20 euros.", "citations": [1], "verdict": vector, "reason": vector}],
    }
    result = make_result(**hostile)
    citation, passage, vertex = result["citations"][1], result["evidence"][1], result["plan"]["vertices"][0]
    citation |= {"title": vector, "source": vector, "quote": vector, "locator": vector, "also": [vector]}
    passage |= {"text": vector, "date": vector, "superseded_by": vector}
    vertex |= {"description": vector, "tool_binding": vector}
    page = Reader(render(result, "html").decode())
    assert page.open == []
    assert page.tags == allowed(page, cited={KNOWN, vector})


def allowed(page: Reader, cited: set[str]) -> list[tuple[str, dict[str, str]]]:
    """The tags that may stand in a page: none that acts or fetches, no attribute that does."""
    kept = []
    for tag, attributes in page.tags:
        leads = attributes.get("href", "#")
        harmless = tag not in TAGS and not any(name.startswith("on") or name in {"style", "src"} for name in attributes)
        if harmless and (leads[0] == "#" or (leads in cited and re.match(r"https?://[^\s@]+\Z", leads))):
            kept.append((tag, attributes))
    return kept


def test_a_policy_forbids_what_no_page_of_ours_needs() -> None:
    policies = [told["content"] for tag, told in page_of().tags if told.get("http-equiv") == "Content-Security-Policy"]
    assert len(policies) == 1
    assert policies[0].startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policies[0]


def test_every_mark_leads_to_a_passage_and_back() -> None:
    page = page_of()
    ids = [told["id"] for _, told in page.tags if "id" in told]
    targets = [told["href"][1:] for tag, told in page.tags if tag == "a" and told["href"].startswith("#")]
    assert len(ids) == len(set(ids))
    assert {"p1", "p2", "c1", "c2"} <= set(targets)
    assert set(targets) <= set(ids)


def test_the_quoted_words_are_marked_in_their_passage() -> None:
    page = render(make_result(), "html").decode()
    assert "<mark>Aurora costs 20 euros\na month</mark>. Nova costs 30.</p></details>" in page


def test_verdicts_are_seen_and_explained() -> None:
    page = render(make_result(), "html").decode()
    assert '<span class="v quoted" title="quoted from a source">Aurora costs </span>' in page
    assert 'title="not supported by any source: run: nowhere">Then run it (unverified).' in page
    assert '<span class="v matched">its details appear in its sources</span> (3)' in page


def test_every_verdict_has_words_and_a_line_of_its_own() -> None:
    for verdict in set(get_args(Verdict)) - {"uncited"}:
        page = render(make_result(claims=[{"text": "It was founded in 2011", "verdict": verdict}]), "html").decode()
        style, _, body = page.partition("</style>")
        assert f".{verdict}{{" in style or f".{verdict}," in style
        assert f'<span class="v {verdict}">' in body


def test_limits_come_last() -> None:
    text = " ".join(page_of().text)
    assert text.index("Prices") < text.index("Sources") < text.index("Not found: what it cost in 2020")
    assert "The answer is not complete: part of the question was not found." in text
    assert "Source [2] is an older version of a document; the current one is pricing_v2.md." in text


def test_a_report_has_its_own_title_and_the_question_below() -> None:
    page = page_of(
        answer="# Prices of Aurora\n\nIt costs 20 euros [1].\n\n## Today\n\nIt costs 20 euros [1].", claims=[]
    )
    text = " ".join(" ".join(page.text).split())
    assert [tag for tag, _ in page.tags if tag in {"h1", "h2"}][:2] == ["h1", "h2"]
    assert "Prices of Aurora Question: What does Aurora cost?" in text
    assert text.count("Prices of Aurora") == 2, "in the head and above the answer, not in it"


def test_a_source_tells_date_and_version() -> None:
    text = " ".join(page_of().text)
    assert "dated 2024-03-05" in text
    assert (
        "docs/pricing_v1.2.md · no date stated; file of 2022-01-31 · version 1.2 · superseded by pricing_v2.md" in text
    )
    assert "[2] page 2" in text


def test_a_chinese_result_has_chinese_words_around() -> None:
    page = page_of(language="zh", question="多少钱？")
    text = " ".join(page.text)
    assert ("html", {"lang": "zh-Hans"}) in page.tags
    assert "局限与缺口" in text
    assert "文中未注明日期；文件日期 2022-01-31 · 版本 1.2 · 已被 pricing_v2.md 取代" in text
    assert "[2] 第 2 页" in text
    assert not re.search(r"superseded|Sources|complete", text)


def test_the_plan_is_a_picture() -> None:
    page = page_of()
    text = " ".join(page.text)
    assert [tag for tag, _ in page.tags].count("rect") == 3
    groups = [told["class"] for tag, told in page.tags if tag == "g"]
    assert [one for one in groups if "task" in one] == ["task succeeded", "task empty", "task waiting"]
    assert "20 EUR - ‹t2›" in text
    assert [told["class"] for tag, told in page.tags if tag == "svg" and told["class"] != "chart"] == ["plan"]
    assert "plan" not in [told.get("class") for _, told in page_of(plan=None).tags]


def test_a_thread_is_one_page_whose_marks_lead_to_their_own_sources() -> None:
    first, last = make_result(question="What came first?"), make_result(question="And then?")
    page = render(last, "html", [first, make_result(question="And in between?")]).decode()
    reader = Reader(page)
    assert reader.open == []
    assert [page.index(asked) for asked in ("What came first?", "And in between?", "And then?")] == sorted(
        page.index(asked) for asked in ("What came first?", "And in between?", "And then?")
    )
    anchors = [given["id"] for tag, given in reader.tags if "id" in given and tag != "marker"]
    assert len(anchors) == len(set(anchors))
    leads = [given["href"][1:] for _, given in reader.tags if given.get("href", "").startswith("#")]
    assert leads
    assert set(leads) <= set(anchors)
    assert {lead.split("-")[0] for lead in leads if "-" in lead} == {"p1", "p2", "c1", "c2"}
