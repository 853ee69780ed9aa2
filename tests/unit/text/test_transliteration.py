"""Names in Greek and Cyrillic are known by their Latin forms."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.examples import examples
from weiwo.text.names import is_transliterated, transliterated_words


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


LATIN = dict(zip("абвдиклмнορταλ", "abvdiklmnortal", strict=True))
letters = st.sampled_from(sorted(LATIN))


@examples(60)
@given(words=st.lists(st.lists(letters, min_size=2, max_size=12), min_size=1, max_size=4), around=st.text(max_size=20))
def test_every_name_is_known_by_its_letters_in_any_case(words, around):
    latin = " ".join("".join(LATIN[letter] for letter in word) for word in words)
    text = f"{around} {' '.join(''.join(word).title() for word in words)} {around}"
    assert is_transliterated(latin.title(), transliterated_words(text))
    assert not is_transliterated(latin, transliterated_words(latin))
