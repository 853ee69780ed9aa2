"""Citations as models write them are read; what only looks like one is left alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.cases import read_cases
from tests.support.work import assert_linear
from weiwo.text.citation_marks import clean_marks, find_marks, has_foreign_mark, list_cited_numbers, renumber_marks


@pytest.mark.parametrize("form", dict(read_cases("citation_forms"))["forms"])
@pytest.mark.parametrize("n", [2, 14])
def test_every_form_is_read_as_its_number(form, n):
    for text in (f"He was born in 156 BC {form.format(n)}.", f"汉武帝生于公元前156年{form.format(n)}。"):
        assert list_cited_numbers(text) == [n]
        assert f"[{n}]" in clean_marks(text, {n})
        assert find_marks(clean_marks(text, ())) == []
        assert "[1]" in renumber_marks(text, {n: 1})
        assert not has_foreign_mark(text)


@pytest.mark.parametrize(("text", "numbers"), read_cases("several_citations"))
def test_several_in_one(text, numbers):
    assert list_cited_numbers(text) == numbers
    assert find_marks(clean_marks(text, ())) == []


@pytest.mark.parametrize(
    "text",
    [
        "It covers 12 km<sup>2</sup>.",
        "About 10<sup>6</sup> cells.",
        "Energy is mc<sup>2</sup>.",
        "面积为 5 米<sup>2</sup>。",
        "see `[ref_1]` in the code",
        "x[0] = 1",
        "the [sic] and [born 1912]",
        "the appendix (document 3)",
        "version [v]",
    ],
)
def test_what_is_no_mark(text):
    assert list_cited_numbers(text) == []


@pytest.mark.parametrize(
    "mark",
    [
        *("[S1]", "[k7f2]", "【turn0search3】", "[turn0search3]", "{{cite:3}}", "[@3]", "\\cite{wu3}", "[page:x2]"),
        *("⟦p1⟧", ":contentReference[oaicite:3]{index=3}"),
    ],
)
def test_what_cannot_be_read_is_known_to_be_a_mark(mark):
    for text in (f"He was born in 156 BC {mark}.", f"他生于公元前156年{mark}。"):
        assert has_foreign_mark(text)
        assert list_cited_numbers(text) == []


@pytest.mark.parametrize(
    "text",
    ["It is so [1].", "He said [sic] so.", "`[S1]` is code.", "[the year 1912]", "[text](https://a.b/c1)", "a[i1] = 2"],
)
def test_what_is_no_foreign_mark(text):
    assert not has_foreign_mark(text)


@given(st.text(alphabet="[]【】()<sup>/ref_cite: 1,2^来源S\\{}", max_size=60), st.sets(st.integers(0, 22)))
def test_no_number_outside_the_valid_ones_is_left(text, valid):
    assert {n for mark in find_marks(clean_marks(text, valid)) for n in mark.numbers} <= valid


@pytest.mark.trial
@pytest.mark.parametrize("piece", ["[ref_1]", "[ref_", "(Source: [1], ", "<sup>1,", "[cite: 1, ", "[a1", "{{"])
def test_the_work_is_linear(piece):
    assert_linear(lambda text: (clean_marks(text, {1}), has_foreign_mark(text)), piece)
