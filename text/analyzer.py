"""Split text into search terms, with the same rules for indexing and queries, in any language.

Chinese, Japanese and Thai have no blanks between their words, and Korean words have endings, so a tokenizer made for
English finds nothing in them. Runs of their characters become single characters and pairs of neighbours, which needs no
dictionary and misses no word. Identifiers (`INC-49217`, `getUserName`, `v1.2.3`) are kept whole, to be found exactly,
and in parts, to be found at all. Traditional Chinese characters are folded to simplified ones.

An index must take these terms as they are, without a further tokenizer that splits them again. Endings are left to the
index's own Snowball stemmers, because a light stemmer here measured no better, and terms stay readable.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import pairwise
from typing import Final

from weiwo.state.kinds import Language, has_rules
from weiwo.text.data_files import data_characters, data_words
from weiwo.text.language import ACCENTS
from weiwo.text.language_detection import detect_language, function_words
from weiwo.text.patterns import JOINED_RANGES, UNSPACED_RANGES, lazy

SIMPLIFIED: Final = str.maketrans(
    data_characters("han_folding", "traditional"), data_characters("han_folding", "simplified")
)
"""Table for `str.translate` from traditional Chinese characters to simplified ones, such as 漢 to 汉.

From TSCharacters of OpenCC (https://github.com/BYVoid/OpenCC, Apache License 2.0). The table maps single characters
without regard to their word, so it is a folding for search, where index and query are folded alike. It is no conversion
for readers.
"""

TERM_MARKS: Final = "-.:/@+&#"
"""The characters besides letters, digits and the underscore that a term may hold."""

LONGEST_TERM: Final = 64
"""Maximum characters of a term. A longer term is cut."""

STOP_WORDS: Final = data_words("terms", "stop_words")
"""English stop words. They are left out of queries, but are in the index."""

_SHOUTED_FROM: Final = 4
"""Minimum tokens of a question in capitals to be taken as shouted. In a shorter one, capitals mean acronyms ("WHO")."""

_LETTER: Final = rf"(?:[^\W{UNSPACED_RANGES}]|(?![{UNSPACED_RANGES}])[{JOINED_RANGES}])"
_TOKEN: Final = lazy(
    rf"[{UNSPACED_RANGES}]+"
    rf"|{_LETTER}+(?:(?:['._:/@+&-]|(?<=\d),(?=\d\d\d(?!\d))){_LETTER}+)*(?:\+\+|\#(?!{_LETTER}))?"
)
_ASCII_TOKEN: Final = lazy(r"\w+(?:(?:['._:/@+&-]|(?<=\d),(?=\d\d\d(?!\d)))\w+)*(?:\+\+|\#(?!\w))?", re.ASCII)
"""`_TOKEN` for ASCII text, with the same matches in half the time."""
_UNSPACED: Final = lazy(f"[{UNSPACED_RANGES}]")
_ACCENT: Final = lazy(f"[{ACCENTS}]")
_NOT_DECOMPOSED: Final = str.maketrans(
    {"ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ð": "d", "Ð": "D", "ħ": "h", "Ħ": "H", "ı": "i"}
    | {"æ": "ae", "Æ": "Ae", "œ": "oe", "Œ": "Oe", "þ": "th", "Þ": "Th", "’": "'"}
)
_NUMBER: Final = lazy(r"\d+(?:,\d\d\d)*(?:\.\d+)?")
_INITIALS: Final = lazy(r"[^\W\d_](?:\.[^\W\d_])+")
_PART: Final = lazy(rf"\d+(?:\.\d+)*|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|(?:[^\W\d_A-Za-z]|[{JOINED_RANGES}])+")


def terms(text: str) -> list[str]:
    """Split a text into the terms of an index: "INC-49217 北京" → `["inc-49217", "inc", "49217", "北", "京", "北京"]`.

    Args:
        text: Any text.

    Returns:
        The terms in order, repeated as often as they occur: folded (NFKC, case, accents), each at most `LONGEST_TERM`
        characters, without blanks, made of letters, digits, `_` and `TERM_MARKS` only.
    """
    return [term for _, group in _groups(text) for term in group]


@lru_cache(maxsize=256)
def query_terms(text: str) -> tuple[str, ...]:
    """Split a question into search terms: "Who leads the WHO in the US?" → `("leads", "who", "us")`.

    Args:
        text: Any text.

    Returns:
        The distinct terms in order, without the stop words of the text's language unless nothing else is left. A stop
        word in capitals is a name ("US", "IT", "WHO") and stays, unless a question of four words or more is all in
        capitals. The results are cached, because many steps of a run analyze the same question.
    """
    groups = [(token, group) for token, group in _groups(text) if group]
    idle = _stop_words(detect_language(text))
    shouted = text.isupper() and len(groups) >= _SHOUTED_FROM
    kept = [
        group for token, group in groups if group[0] not in idle or (len(token) > 1 and token.isupper() and not shouted)
    ]
    return tuple(dict.fromkeys(term for group in kept or [group for _, group in groups] for term in group))


@cache
def _stop_words(language: Language) -> frozenset[str]:
    """Return the stop words of a language, folded like terms.

    For a language without rules, they are its function words.
    """
    if has_rules(language):
        return STOP_WORDS
    return frozenset(term for word in function_words(language) for term in terms(word)[:1])


def plain(text: str) -> str:
    """Return a text in NFKC and without accents: "Café" → "Cafe". Case is kept."""
    if text.isascii():
        return text
    decomposed = unicodedata.normalize("NFKD", text)
    return unicodedata.normalize("NFKC", _ACCENT.sub("", decomposed)).translate(_NOT_DECOMPOSED)


def _groups(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield each token of a text with its index terms, the whole first: ("getUserName", ("getusername", "get", …))."""
    for token in (_ASCII_TOKEN if text.isascii() else _TOKEN).findall(plain(text)):
        if not token.isascii() and _UNSPACED.match(token):
            folded = token.translate(SIMPLIFIED)
            yield folded, (*folded, *(first + second for first, second in pairwise(folded)))
        else:
            yield token, _cache_western_terms(token) if len(token) <= LONGEST_TERM else _western(token)


@lru_cache(maxsize=1 << 16)
def _cache_western_terms(token: str) -> tuple[str, ...]:
    """Return the terms of `_western`, cached, because a text repeats few words many times."""
    return _western(token)


def _western(token: str) -> tuple[str, ...]:
    token = token.strip("_")
    if token.isascii() and token.isalpha() and token[1:].islower():
        return (token.casefold()[:LONGEST_TERM],)
    if _NUMBER.fullmatch(token):
        return (token.replace(",", "")[:LONGEST_TERM],)
    if token.casefold().endswith("'s"):
        token = token[:-2]
    if _INITIALS.fullmatch(token):
        token = token.replace(".", "")
    pieces = (token.replace("'", "").replace(",", ""), *(part for part in _PART.findall(token) if len(part) > 1))
    return tuple(dict.fromkeys(piece.casefold()[:LONGEST_TERM] for piece in pieces if piece))


_CANDIDATE: Final = lazy(r"(?<![\w])[A-Za-z0-9_][\w.:/@+#-]*\w", re.ASCII)
_LETTERS_AND_DIGITS: Final = lazy(r"(?=.*[A-Za-z])(?=.*\d)")
_SNAKE: Final = lazy(r"[A-Za-z0-9]_+[A-Za-z0-9]")
_CAMEL: Final = lazy(r"^[a-z]+[A-Z][a-zA-Z]*[a-z]|[a-z][A-Z][a-z]+[A-Z]")
_COUNTED: Final = lazy(
    r"\d[\d.,]*(?:st|nd|rd|th|s|d|k|m|km|cm|mm|kg|g|mg|gb|mb|kb|tb|hz|ghz|mhz|am|pm|bc|ad|ce|bce|x|v|w|kw|mw|ml|ft|in"
    r"|mph|h|min)",
    re.IGNORECASE,
)
_COMPOUND: Final = lazy(r"\d[\d.,]*(?:-[A-Za-z]{2,})+|[A-Za-z]+-\d{2,4}|[A-Za-z]{4,}-\d+")
"""Words with figures that are no identifiers, such as 19-year-old, mid-1990 or Covid-19."""


def identifiers(question: str) -> tuple[str, ...]:
    """Return the identifiers in a question, folded like index terms, in order and without duplicates.

    Identifiers are a ticket (`INC-49217`), a version (`v1.2.3`), a name in code (`user_id`, `getUserName`) and an error
    code (`E404`). Ordinals, decades, measures and words such as "19-year-old" are not identifiers.
    """
    found: list[str] = []
    for word in _CANDIDATE.findall(question):
        counted = not _LETTERS_AND_DIGITS.match(word) or _COUNTED.fullmatch(word)
        hyphenated = _COMPOUND.fullmatch(word) and not word.partition("-")[0].isupper()
        if _SNAKE.search(word) or _CAMEL.search(word) or not (counted or hyphenated):
            found += terms(word)[:1]
    return tuple(dict.fromkeys(found))
