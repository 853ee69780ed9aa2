"""Find document titles mentioned in a text: titles as keys, and the keys in a text.

A title is compared word by word, without case, accents, punctuation and a closing qualifier such as "(film)". A Han
character is a word. In a question any run of words may be a title. In longer text only names may be: runs of
capitalised words in English, names found by the rules for Chinese, and text in title marks.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from weiwo.text.analyzer import SIMPLIFIED, STOP_WORDS, plain
from weiwo.text.language import HAN, word_set
from weiwo.text.names_zh import chinese_names
from weiwo.text.patterns import lazy

LONGEST: Final = 10
"""Maximum words of a title."""

_QUALIFIER: Final = lazy(r"(?<!\s)\s*[(（][^()（）]*[)）]\s*$")
_WORD: Final = lazy(rf"[{HAN}]|[^\W_{HAN}]+(?:[.&-][^\W_{HAN}]+)*")
_HAN_RUN: Final = lazy(f"[{HAN}]")
_MARKED: Final = lazy(r"《([^《》\n]{1,40})》|“([^“”\n]{1,60})”|「([^「」\n]{1,40})」|\"([^\"\n]{1,60})\"")
_POSSESSIVE: Final = lazy(r"['’]s\b|['’]")
_WITHIN: Final = frozenset(" ,:'\"()&!–-.")
_SMALL: Final = word_set(
    "of the and de in on at for to a von van la le du et y da di der den del das dos el al bin ibn upon with from"
)
_LONGEST_TEXT: Final = 4_000
_LONGEST_QUESTION: Final = 400


def title_key(title: str) -> str:
    """Return a title as it is compared: "The Matrix (film)" → "the matrix".

    Empty for a title of stop words alone, or of more than `LONGEST` words.
    """
    words = _words(_QUALIFIER.sub("", title))
    return " ".join(words) if len(words) <= LONGEST and not STOP_WORDS.issuperset(words) else ""


class Naming:
    """Words of a question. `title_key(title) in Naming(question)` reports whether the question names a title."""

    def __init__(self, question: str) -> None:
        self._order = _words(question[:_LONGEST_TEXT])
        self._words = frozenset(self._order) | STOP_WORDS

    def __contains__(self, key: str) -> bool:
        """Report whether the question names the title of a key from `title_key`.

        In English all words of the title must occur, in any order and at any distance, and stop words always count as
        present. Han characters must stand together. False for an empty key.
        """
        if not key:
            return False
        if not key.isascii() and _HAN_RUN.search(key):
            return f" {key} " in f" {' '.join(self._order)} "
        return self._words.issuperset(key.split())


def possible_titles(question: str) -> set[str]:
    """Return the keys of all titles that a question may name: every run of up to `LONGEST` words.

    "Who made Rome?" → "who made", "made", "made rome", "rome", "who made rome". Stop words alone are left out.
    """
    words = _words(question[:_LONGEST_QUESTION])
    ends = range(1, LONGEST + 1)
    keys = {" ".join(words[at : at + length]) for at in range(len(words)) for length in ends}
    return {key for key in keys if key not in STOP_WORDS}


@lru_cache(maxsize=256)  # searches and the choice of extracts ask of the same passages
def mentions(text: str) -> frozenset[str]:
    """Return the keys of titles that a passage may mention: "He saw Rome in 1999." → "rome", "1999", "rome in 1999"."""
    text = text[:_LONGEST_TEXT]
    found = {title_key(next(filter(None, marked.groups()))) for marked in _MARKED.finditer(text)}
    if _HAN_RUN.search(text):
        found |= {title_key(text[start:end]) for start, end in chinese_names(text)}
    found.update(_find_capitalised(text))
    return frozenset(found - {""})


def _find_capitalised(text: str) -> Iterator[str]:
    """Yield the keys of all runs of capitalised words and numbers, with small words inside them.

    "the Bank of England" → "bank", "bank of england", "england".
    """
    written = _plain(text)
    words = [(found.group(), *found.span()) for found in _WORD.finditer(written)]
    for at, (first, _, end) in enumerate(words):
        if not _opens(first):
            continue
        key, before = first.casefold(), end
        if key not in STOP_WORDS:
            yield key
        for word, start, stop in words[at + 1 : at + LONGEST]:
            if not _WITHIN.issuperset(written[before:start]):
                break
            lower, before = word.casefold(), stop
            key = f"{key} {lower}"
            if _opens(word):
                yield key
            elif lower not in _SMALL:
                break


def _opens(word: str) -> bool:
    return word[0].isupper() or word[0].isdigit()


def _words(text: str) -> list[str]:
    return _WORD.findall(_plain(text).casefold())


def _plain(text: str) -> str:
    """Return text without accents, possessive endings and apostrophes, and in simplified characters."""
    text = plain(text)
    return _POSSESSIVE.sub("", text if text.isascii() else text.translate(SIMPLIFIED))
