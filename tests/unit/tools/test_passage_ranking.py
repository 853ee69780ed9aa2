"""Ranking the passages of one reply."""

from hypothesis import given
from hypothesis import strategies as st

from tests.support.examples import examples
from weiwo.tools.passages import RankedText, rank_passages

ENTRIES = [
    RankedText("Title", "", "some body AND text"),
    RankedText("汉", "武", "帝"),
    RankedText("Towers", "", "The tower was built in 1931; towers are tall."),
    RankedText("Towers", "", "A tower."),
]


def test_the_nearest_come_first_in_both_languages():
    assert rank_passages(ENTRIES, "when were towers built?", 9) == [2, 3]
    assert rank_passages(ENTRIES, "汉武帝", 9) == [1]
    assert rank_passages(ENTRIES, "tower", 1) == [3]
    assert (
        rank_passages(ENTRIES, "zebra", 9) == rank_passages(ENTRIES, "", 9) == rank_passages(ENTRIES, "tower", 0) == []
    )
    assert rank_passages([], "tower", 9) == []


def test_equal_passages_come_in_their_order():
    assert rank_passages([RankedText("", "", f"zebra {name}") for name in "abc"], "zebra", 9) == [0, 1, 2]


@examples(60)
@given(st.text(max_size=80))
def test_no_query_breaks_it(query):
    assert set(rank_passages(ENTRIES, query, 10)) <= {0, 1, 2, 3}
