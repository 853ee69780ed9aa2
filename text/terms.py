"""Content words of a text, normalized to match across inflections, in any language.

English words are reduced to stems, and scripts without blanks to overlapping pairs of characters. Other languages keep
their words unchanged, without their function words.
"""

from collections.abc import Collection
from functools import cache, lru_cache
from typing import Final

from weiwo.state.kinds import Language, has_rules
from weiwo.text.data_files import data_rows, data_words
from weiwo.text.language import fold
from weiwo.text.language_detection import function_words
from weiwo.text.patterns import JOINED_RANGES, UNSPACED_RANGES, lazy
from weiwo.text.periods import normalize_periods
from weiwo.text.short_text_cache import cache_short_texts

_LETTER: Final = rf"(?:[^\W_{UNSPACED_RANGES}]|(?![{UNSPACED_RANGES}])[{JOINED_RANGES}])"
_TOKEN: Final = lazy(rf"[{UNSPACED_RANGES}]+|{_LETTER}+(?:[.'’-]{_LETTER}+)*")
_UNSPACED: Final = lazy(f"[{UNSPACED_RANGES}]")


FUNCTION_WORDS: Final = data_words("terms", "function_words")
"""English function words such as "the", which do not say what a question is about."""

_IRREGULAR: Final = {form: base for base, forms in data_rows("terms", "irregular") for form in (base, *forms.split())}


@lru_cache(maxsize=16_384)
def stem(word: str) -> str:
    """Return the stem of a folded English word: "founded" → "found", "cities" → "city".

    Inflections of one word share a stem, unrelated words rarely do.
    """
    if word in _IRREGULAR:
        return _undouble(_IRREGULAR[word])
    for ending in ("'s", "’s"):
        word = word.removesuffix(ending)
    if len(word) > 4:
        for ending, minimum in (("ization", 5), ("ations", 4), ("ation", 4), ("ingly", 4), ("ing", 4), ("edly", 4)):
            if word.endswith(ending) and len(word) - len(ending) >= minimum - 1:
                return _undouble(word.removesuffix(ending))
        for ending in ("ied", "ies"):
            if word.endswith(ending):
                return word.removesuffix(ending) + "y"
        if word.endswith("ed") and len(word) > 4:
            return _undouble(word.removesuffix("ed"))
        if word.endswith("es") and word[-3] in "sxzh":
            return _undouble(word.removesuffix("es"))
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word.removesuffix("s")
    return _undouble(word)


def _undouble(word: str) -> str:
    if len(word) > 3 and word.endswith("e"):
        word = word[:-1]
    if len(word) > 3 and word[-1] == word[-2] and word[-1].isalpha() and word[-1] not in "aeiouls":
        word = word[:-1]
    return word


@cache_short_texts
def terms(text: str, language: Language = "en", /) -> list[str]:
    """Return the content words of a text in order: stems, numbers, and pairs of characters where words have no blanks.

    "The founders of Rome, third quarter, 北京市" → "founder", "rom", "q3", "北京", "京市". Quarters and fiscal years
    have one form (`text.periods`).

    Args:
        text: Any text.
        language: The language whose function words are left out. For Chinese, English function words are left out,
            because Chinese text often holds English words.
    """
    idle = FUNCTION_WORDS if has_rules(language) else _folded_function_words(language)
    found: list[str] = []
    for token in _TOKEN.findall(normalize_periods(fold(text))):
        if not token.isascii() and _UNSPACED.match(token):  # then all of it is
            found += [token] if len(token) == 1 else [token[i : i + 2] for i in range(len(token) - 1)]
        elif token not in idle:
            found += [stem(token)] if "-" not in token else [stem(part) for part in token.split("-") if part]
    return found


@cache
def _folded_function_words(language: Language) -> frozenset[str]:
    return frozenset(fold(word) for word in function_words(language))


def coverage(wanted: Collection[str], present: Collection[str]) -> float:
    """Return the share of the wanted terms that are present, 0 to 1: wanted "rome" and "北京", present "rome" → 0.67.

    ASCII terms and terms with digits count twice. The result is 1 if no terms are wanted.
    """
    if not wanted:
        return 1.0
    here = set(present)
    weights = [(term, 2.0 if any(c.isdigit() for c in term) or term.isascii() else 1.0) for term in wanted]
    return sum(w for term, w in weights if term in here) / sum(w for _, w in weights)
