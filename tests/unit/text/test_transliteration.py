"""Names in Greek and Cyrillic are known by their Latin forms."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.examples import examples
from weiwo.text.transliteration import is_transliterated, transliterated_words


@pytest.mark.parametrize(
    ("name", "text", "same"),
    [
        ("Anton Chekhov", "Антон Чехов", True),
        ("Yuri Shevchenko", "Юрій Шевченко", True),
        ("Eleni Mavridi", "Ελένη Μαυρίδη", True),
        ("Nikos Kazantzakis", "Νίκος Παπαδάκης", False),
        ("Pavel Zhukov", "Ирина Соколова", False),
        ("Pavel", "no letters of another script", False),
    ],
)
def test_a_name_is_known_by_its_latin_form(name, text, same):
    assert is_transliterated(name, transliterated_words(text)) is same


@examples(60)
@given(name=st.text(max_size=30), text=st.text(max_size=60))
def test_no_text_makes_it_stumble(name, text):
    is_transliterated(name, transliterated_words(text))
