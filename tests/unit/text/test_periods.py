"""Quarters and fiscal years have one form, however they are written."""

import pytest

from weiwo.text.periods import list_other_names, normalize_periods
from weiwo.text.terms import terms


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Revenue of Q3", ["revenu", "q3"]),
        ("revenue in the third quarter", ["revenu", "q3"]),
        ("Revenue, 3rd quarter", ["revenu", "q3"]),
        ("第三季度营收", ["q3", "营收"]),
        ("三季度营收", ["q3", "营收"]),
        ("the FY25 budget", ["fy2025", "budget"]),
        ("the budget of fiscal year 2025", ["budget", "fy2025"]),
        ("2025财年预算", ["fy2025", "预算"]),
        ("a quarter of the budget", ["quarter", "budget"]),
        ("一年四季", ["一年", "年四", "四季"]),
    ],
)
def test_a_period_is_one_term_however_it_is_written(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


def test_a_search_by_words_gets_the_other_names() -> None:
    assert list_other_names("revenue in q3") == ["third quarter", "第三季度"]
    assert list_other_names("fy25 budget") == ["fy2025", "2025财年"]
    assert list_other_names("the budget") == []


def test_text_without_a_period_stays_as_it_is() -> None:
    assert normalize_periods("finance and headquarters") == "finance and headquarters"
