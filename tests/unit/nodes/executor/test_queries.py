"""Queries of a task: what makes two the same and what says more."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weiwo.nodes.executor.next_action import further_queries, requested_queries
from weiwo.nodes.executor.task_state import Call, call_identity, call_query, opened_address, source_address, with_query
from weiwo.nodes.shared.question.parser import parse_question

BORN = "When was Tu Youyou born?"
ASKED = parse_question(BORN, "en")


def search(query: str, tool: str = "web_search", **more: object) -> Call:
    return {"tool": tool, "args": {"query": query, **more}}  # type: ignore[dict-item]


def queries(calls: list[Call]) -> list[str]:
    return [call_query(call) for call in calls]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Ada Smith born", "born  ada SMITH", True),
        ("“Ada Smith” born?", "Ada Smith, born", True),
        ("汉武帝 出生", "出生 汉武帝", True),
        ("汉武帝 出生", "汉武帝 去世", False),
        ("wars before 1900", "wars after 1900", False),
        ("C++ history", "C history", False),
        ("a b", "ab", False),
    ],
)
def test_the_same_query(one, other, same):
    assert (call_identity(search(one)) == call_identity(search(other))) is same


def test_other_arguments_and_other_tools_make_another_call():
    assert call_identity(search("a")) != call_identity(search("a", "corpus_search"))
    assert call_identity(search("a")) != call_identity(search("a", k=3))
    assert call_identity(search("a", topic="News")) != call_identity(search("a", topic="news"))


def test_the_same_page():
    url = "https://m.example.org/page/?utm_source=x#top"
    call: Call = {"tool": "read_page", "args": {"url": url, "query": "q"}}
    assert opened_address(call) == source_address("http://www.example.org/page") == source_address(url)
    assert opened_address(search("a")) == ""
    assert opened_address({"tool": "open_document", "args": {"source": "a/b.md"}}) == "a/b.md"


@given(st.text(max_size=60), st.randoms())
def test_case_spacing_and_order_never_tell_queries_apart(text, random):
    words = text.split()
    random.shuffle(words)
    assert call_identity(search(text)) == call_identity(search("  ".join(words)))


def test_a_call_without_a_query_stays_as_it_is():
    call: Call = {"tool": "t", "args": {"url": "u"}}
    assert with_query(call, "x") == call
    assert with_query(search("a", k=2), "x") == search("x", k=2)


@pytest.mark.parametrize(
    ("planned", "question", "sent"),
    [
        ("Tu Youyou born", BORN, ["Tu Youyou born"]),
        ("Tu Youyou birth date", BORN, ["Tu Youyou birth date"]),
        ("Tu Youyou", BORN, ["Tu Youyou", BORN]),
        ("屠呦呦 出生", "屠呦呦是哪一年出生的？", ["屠呦呦 出生"]),
        ("临岚市 人口", "临岚市有多少人口？", ["临岚市 人口"]),
        ("临岚市", "临岚市有多少人口？", ["临岚市", "临岚市有多少人口？"]),
        ("Tu Youyou", f"{'We plan a small show of letters. ' * 20}{BORN}", ["Tu Youyou", BORN]),
        ("临岚市", f"{'我们在筹备一个小型展览。' * 60}临岚市有多少人口？", ["临岚市", "临岚市有多少人口？"]),
    ],
)
def test_a_second_formulation_is_sent_where_it_says_more(planned, question, sent):
    language = "en" if question.isascii() else "zh"
    call, frame = search(planned), parse_question(question, language)
    assert queries([call, *further_queries(call, frame, [call], 1)]) == sent
    assert further_queries(call, frame, [call], 0) == []


def test_other_words_leave_out_what_was_tried():
    tried = [search("Tu Youyou")]
    assert queries(further_queries(tried[0], ASKED, tried, 3)) == [BORN]
    assert further_queries(tried[0], ASKED, [*tried, search(BORN)], 3) == []


def test_what_is_asked_for_is_sent_once():
    tried = [search("one")]
    asked = ["ONE", " two ", "", "Two", "three", "four"]
    assert queries(requested_queries(tried[0], asked, tried, 2)) == ["two", "three"]
