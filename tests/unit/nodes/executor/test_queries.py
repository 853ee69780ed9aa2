"""Queries of a task: what makes two the same, what says more, and the other language."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.states import passage
from weiwo.nodes.executor.queries import first_queries, further_queries, requested_queries
from weiwo.nodes.executor.query_translation import LONGEST, translate_query
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
    ],
)
def test_a_second_formulation_is_sent_where_it_says_more(planned, question, sent):
    language = "en" if question.isascii() else "zh"
    assert queries(first_queries(search(planned), parse_question(question, language), 2)) == sent
    assert queries(first_queries(search(planned), parse_question(question, language), 1)) == sent[:1]


def test_other_words_leave_out_what_was_tried():
    paired = passage("屠呦呦（Tu Youyou），1930年生于宁波。")
    tried = [search("Tu Youyou")]
    assert queries(further_queries(tried[0], ASKED, [paired], tried, 3)) == [BORN, "屠呦呦 出生"]
    tried.append(search(BORN))
    assert queries(further_queries(tried[-1], ASKED, [paired], tried, 3)) == ["屠呦呦 出生"]
    tried.append(search("屠呦呦 出生"))
    assert further_queries(tried[-1], ASKED, [paired], tried, 3) == []


def test_over_documents_only_a_name_that_is_paired_there_goes_into_the_other_language():
    tried = [search(BORN, "corpus_search")]
    assert further_queries(tried[0], ASKED, [passage("Tu Youyou won.")], tried, 3) == []
    paired = passage("屠呦呦（Tu Youyou）出生于宁波。")
    assert queries(further_queries(tried[0], ASKED, [paired], tried, 3)) == ["屠呦呦 出生"]


def test_what_is_asked_for_is_sent_once():
    tried = [search("one")]
    asked = ["ONE", " two ", "", "Two", "three", "four"]
    assert queries(requested_queries(tried[0], asked, tried, 2)) == ["two", "three"]


@pytest.mark.parametrize(
    ("question", "language", "texts", "query"),
    [
        (BORN, "en", [], "Tu Youyou 出生"),
        (BORN, "en", ["Tu Youyou (屠呦呦; born 30 December 1930) is a chemist."], "屠呦呦 出生"),
        ("屠呦呦出生于哪一年？", "zh", [], None),
        ("屠呦呦出生于哪一年？", "zh", ["屠呦呦（Tu Youyou，1930年12月30日—）"], "Tu Youyou birth"),
        ("屠呦呦出生于哪一年？", "zh", ["《屠呦呦》(英文名：Tu Youyou)，药学家。"], "Tu Youyou birth"),
        ("屠呦呦出生于哪一年？", "zh", ["Tu Youyou（屠呦呦） was born in Ningbo."], "Tu Youyou birth"),
        ("iPhone 15的价格是多少？", "zh", [], "iPhone 15 price"),
        ("What is the capital of France?", "en", ["法国（France）的首都是巴黎。"], "法国 首都"),
        ("What was the population of France in 1990?", "en", [], "France 人口 1990"),
        ("Who is it?", "en", [], None),
        ("", "en", [], None),
        ("谁?", "zh", [], None),
    ],
)
def test_the_other_language(question, language, texts, query):
    assert translate_query(parse_question(question, language), [passage(text) for text in texts]) == query


@given(st.text(max_size=80), st.sampled_from(["en", "zh"]), st.lists(st.text(max_size=80), max_size=2))
def test_any_text_has_a_query_in_the_other_language_or_none(question, language, texts):
    query = translate_query(parse_question(question, language), [passage(text) for text in texts])
    assert query is None or 0 < len(query) <= LONGEST
