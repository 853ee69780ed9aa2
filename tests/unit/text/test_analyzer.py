"""The analyzer: the same terms for what is indexed and what is asked."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.cases import read_cases
from tests.support.work import assert_linear
from weiwo.text.analyzer import LONGEST_TERM, STOP_WORDS, TERM_MARKS, query_terms, terms


@pytest.mark.parametrize(("text", "expected"), read_cases("terms"))
def test_terms(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


def test_an_identifier_is_found_by_its_parts_and_whole() -> None:
    document = set(terms("Ticket INC-49217 was closed in release v1.2.3 by getUserName"))
    for question in ("inc-49217", "INC 49217", "1.2.3", "user name", "V1.2.3"):
        assert document & set(query_terms(question))


def test_a_query_drops_stop_words_and_repetitions() -> None:
    assert query_terms("What is the height of the tower, the tower?") == ("height", "tower")


def test_a_query_of_stop_words_alone_keeps_them() -> None:
    assert query_terms("who is it") == ("who", "is", "it")


def test_stop_words_are_indexed() -> None:
    assert terms("To be or not") == ["to", "be", "or", "not"]


@pytest.mark.parametrize(("text", "kept"), [("What does the US do?", "us"), ("US", "us"), ("WHO是什么", "who")])
def test_a_stop_word_in_capitals_is_a_name(text: str, kept: str) -> None:
    assert kept in query_terms(text)


def test_a_shouted_query_is_read_as_any_other() -> None:
    assert query_terms("WHO IS THE TALLEST MAN") == ("tallest", "man")


@given(st.text(max_size=300))
def test_terms_are_whole_tokens_of_the_index(text: str) -> None:
    for term in terms(text):
        assert 0 < len(term) <= 2 * LONGEST_TERM  # folding may lengthen a letter or two
        assert re.fullmatch(rf"[\w{re.escape(TERM_MARKS)}\W]+", term)
        assert not re.search(r"[\s\"'\x00-\x1f\ud800-\udfff]", term)


@given(st.text(max_size=200))
def test_a_query_asks_only_for_terms_a_document_of_its_words_has(text: str) -> None:
    asked = query_terms(text)
    assert set(asked) <= set(terms(text))
    assert len(asked) == len(set(asked))
    assert bool(asked) == bool(terms(text))


@given(st.from_regex(r"[A-Za-z]{2,12}[-_.][0-9]{2,6}", fullmatch=True))
def test_case_and_width_do_not_matter(text: str) -> None:
    assert terms(text.upper())[0] == terms(text.lower())[0]


@pytest.mark.trial
@pytest.mark.parametrize("unit", ["汉", "a1", "A'", "1,111", "\u0308", "\ud800"])
def test_long_input_takes_linear_time(unit: str) -> None:
    assert_linear(terms, unit)
    assert all(len(term) <= 2 * LONGEST_TERM for term in terms(unit * 10_000))


def test_stop_words_are_terms() -> None:
    assert all(terms(word) == [word] for word in STOP_WORDS)
