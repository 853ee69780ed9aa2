"""Ranking the passages of one reply."""

from hypothesis import given, settings
from hypothesis import strategies as st

from tools.ranking import Entry, nearest

ENTRIES = [
    Entry("Title", "", "some body AND text"),
    Entry("汉", "武", "帝"),
    Entry("Towers", "", "The tower was built in 1931; towers are tall."),
    Entry("Towers", "", "A tower."),
]


def test_the_nearest_come_first_in_both_languages():
    assert nearest(ENTRIES, "when were towers built?", 9) == [2, 3]
    assert nearest(ENTRIES, "汉武帝", 9) == [1]
    assert nearest(ENTRIES, "tower", 1) == [3]
    assert nearest(ENTRIES, "zebra", 9) == nearest(ENTRIES, "", 9) == nearest(ENTRIES, "tower", 0) == []
    assert nearest([], "tower", 9) == []


def test_equal_passages_come_in_their_order():
    assert nearest([Entry("", "", f"zebra {name}") for name in "abc"], "zebra", 9) == [0, 1, 2]


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=80))
def test_no_query_breaks_it(query):
    assert set(nearest(ENTRIES, query, 10)) <= {0, 1, 2, 3}
