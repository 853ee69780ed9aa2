"""Lexicon of English and Chinese words from `text/data`: common words, opposites, countries.

Opposites are words that exclude each other. English words are stored by stem. Countries are known by demonym and by
name in both languages, so that "American", "United States" and 美国 are one.
"""

import re
from functools import cache
from typing import Final

from weiwo.text.data_files import data_text, data_words
from weiwo.text.patterns import lazy
from weiwo.text.terms import FUNCTION_WORDS, stem


@cache
def _stems() -> frozenset[str]:
    return data_words("common_words", "stems") | data_words("common_words", "software") | FUNCTION_WORDS


def is_common(word: str) -> bool:
    """Report whether an English word is common, in any letter case and inflection: "Running", but not "London".

    Args:
        word: One word.
    """
    plain = word.casefold().replace("’", "'").removesuffix("'s")
    endings = (plain.removesuffix(ending) for ending in ("", "er", "r", "est", "ly"))
    forms = (*endings, plain.removeprefix("re"), plain.removeprefix("un"))
    return any(form in FUNCTION_WORDS or stem(form) in _stems() for form in forms)


def _entries(name: str) -> list[str]:
    rows = data_text("contrasts", name)
    return [entry for line in rows.strip().splitlines() for entry in line.split(";")]


@cache
def opposites() -> dict[str, tuple[tuple[int, int], ...]]:
    """Return, for each word with an opposite, its places on axes of opposites: pairs of axis number and side (1 or -1).

    On axis 0, of rising and falling, "rise" has side 1 and "fall" side -1: `{"ris": ((0, 1),), "fall": ((0, -1),), …}`.
    English words are keyed by stem. A word on both sides of an axis is left out.
    """
    table: dict[str, list[tuple[int, int]]] = {}
    for axis, row in enumerate(_entries("opposites")):
        for side, words in zip((1, -1), row.split("|"), strict=True):
            for word in words.split():
                key = stem(word) if word.isascii() else word
                if (axis, side) not in table.setdefault(key, []):
                    table[key].append((axis, side))
    return {key: tuple(sides) for key, sides in table.items() if len({axis for axis, _ in sides}) == len(sides)}


@cache
def direction_axes() -> tuple[int, int]:
    """Return the numbers of two axes of `opposites`: rising and falling, and improving and worsening.

    "improve" and "worsen" are on both axes: a profit improves by rising, but a wait improves by falling.
    """
    up, better = (opposites()[stem(word)] for word in ("rise", "improve"))
    return up[0][0], next(axis for axis, _ in better if axis != up[0][0])


@cache
def classes() -> dict[str, tuple[tuple[int, int], ...]]:
    """Return, for each word of a class, its pairs of class number and member number.

    A class holds words that exclude each other, such as weekdays: "monday" has (2, 0) and "tuesday" (2, 1). Synonyms
    share a member number. English words are keyed by stem.
    """
    table: dict[str, list[tuple[int, int]]] = {}
    for group, row in enumerate(_entries("classes")):
        for member, words in enumerate(row.split("|")):
            for word in words.strip().split("="):
                table.setdefault(stem(word) if word.isascii() else word, []).append((group, member))
    return {key: tuple(found) for key, found in table.items()}


_KEYS: Final = {
    alias.strip().casefold(): key.strip()
    for key, english, chinese in (row.split("|") for row in re.split(r"[;\n]", data_text("demonyms", "rows").strip()))
    for alias in (*english.split(","), *chinese.split(","))
}
_LONGEST_FIRST: Final = sorted(_KEYS, key=len, reverse=True)
_LATIN: Final = lazy(
    r"(?<![\w.])(?:"
    + "|".join(
        ("(?-i:" + a.upper() + ")" if len(a) < 5 and a.replace(".", "") in {"us", "uk", "usa"} else a)
        .replace(".", r"\.")
        .replace(" ", r"\s")
        for a in _LONGEST_FIRST
        if a.isascii() or a == "türkiye"
    )
    + r")(?![\w])",
    2,
)
_HAN: Final = lazy("|".join(alias for alias in _LONGEST_FIRST if alias > "\u3000"))


def find_countries(text: str) -> list[tuple[int, int, str]]:
    """Find the countries and continents in a text, by name or demonym ("American", 美国).

    Args:
        text: Any text, not folded, because the capital letter tells a demonym from other words.

    Returns:
        Start, end and key of each mention, in order and without overlaps. The key is the same in both languages: "us".
    """
    found = [
        (m.start(), m.end(), _KEYS[" ".join(m[0].casefold().split())])
        for m in _LATIN.finditer(text)
        if m[0][0].isupper()
    ]
    return sorted([*found, *((m.start(), m.end(), _KEYS[m[0]]) for m in _HAN.finditer(text))])
