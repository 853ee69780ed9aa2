"""Transliteration of Greek and Cyrillic letters into Latin ones, near enough to know a name by.

Data: one letter stands for the sound that most romanisations write; `is_transliterated` allows for the rest.
"""

import re
import unicodedata
from difflib import SequenceMatcher
from typing import Final

from weiwo.text.patterns import lazy

ALIKE: Final = 0.75
"""Share of two words' letters that stand in both in the same order, from which one transliterates the other."""
LONGEST: Final = 20_000

_LETTERS: Final = str.maketrans(
    dict(zip("абвгґдеєзиіїйклмнопрстуфхыэ", "abvggdeeziiijklmnoprstufhye", strict=True))
    | dict(zip("αβγδεζηικλμνξοπρσςτυφω", "avgdeziiklmnxoprsstyfo", strict=True))
    | {"ж": "zh", "ц": "ts", "ч": "ch", "ш": "sh", "щ": "shch", "ю": "yu", "я": "ya", "ё": "yo", "ь": "", "ъ": ""}
    | {"θ": "th", "χ": "ch", "ψ": "ps"}
)  # fmt: skip
_FOREIGN: Final = lazy(r"[\u0370-\u03ff\u0400-\u04ff]{2,40}")


def transliterated_words(text: str) -> frozenset[str]:
    """The words of a text that are written in Greek or Cyrillic, in Latin letters, folded."""
    plain = "".join(c for c in unicodedata.normalize("NFD", text[:LONGEST].lower()) if not unicodedata.combining(c))
    return frozenset(word.translate(_LETTERS) for word in _FOREIGN.findall(plain))


def is_transliterated(name: str, words: frozenset[str]) -> bool:
    """Whether each word of a Latin name is close to one of these words."""
    parts = re.findall(r"[a-z]{2,}", name.lower())
    return bool(parts) and all(any(_close(part, word) for word in words) for part in parts)


def _close(one: str, other: str) -> bool:
    return SequenceMatcher(None, one, other, autojunk=False).ratio() >= ALIKE
