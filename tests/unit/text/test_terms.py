"""Content words and their stems."""

import pytest

from weiwo.text.terms import stem, terms


@pytest.mark.parametrize("number", ["1900", "2000", "1855", "100", "19000", "q44"])
def test_a_number_keeps_its_digits(number: str) -> None:
    assert terms(f"in {number} there") == [number]


def test_the_years_of_a_decade_are_not_those_of_another() -> None:
    assert terms("the 1990s") == terms("1990")
    assert not set(terms("the 2000s")) & set(terms("the 200s"))


@pytest.mark.parametrize(
    ("form", "other"),
    [("heights", "high"), ("lengths", "longest"), ("depths", "deep"), ("widths", "wide"), ("planned", "plan")],
)
def test_forms_of_one_word_share_a_stem(form: str, other: str) -> None:
    assert stem(form) == stem(other)
