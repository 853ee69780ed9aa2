"""Character n-grams of text, to match misspelt, inflected or compounded words.

Four characters, the word's ends included (`_tower_` gives `_tow towe ower wer_`), were the best of three, four and five
on MuSiQue and HotpotQA questions with transposed letters. English stop words have none. The characters and pairs of a
script without blanks are n-grams already.
"""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from weiwo.text.analyzer import LONGEST_TERM, STOP_WORDS, query_terms, terms
from weiwo.text.patterns import UNSPACED_RANGES, lazy

LENGTH: Final = 4
"""Characters of an n-gram."""

_UNSPACED: Final = lazy(f"[{UNSPACED_RANGES}]")
_DIGIT: Final = lazy(r"\d")
_AROUND: Final = ".,;:!?()\"'"
_LONGEST_KEPT: Final = 32
_MOST_KEPT: Final = 1 << 16


class _IndexedText(NamedTuple):
    """A text prepared for an index with blank-separated tokens.

    Attributes:
        terms: The terms (`weiwo.text.analyzer.terms`) in order.
        grams: The n-grams of the terms in order.
    """

    terms: str
    grams: str


NOTHING_INDEXED: Final = _IndexedText("", "")


def query_grams(text: str) -> list[str]:
    """Return the distinct n-grams of a question's search terms, in order.

    "the tower" → `["_tow", "towe", "ower", "wer_"]`.
    """
    return list(dict.fromkeys(gram for term in query_terms(text) for gram in _grams(term)))


class Indexer:
    """Analyzer that returns the terms and n-grams of texts, with a cache by word, because texts repeat words."""

    def __init__(self, stem: Callable[[str], Sequence[str]] = str.split) -> None:
        """Create an analyzer with an empty cache.

        Args:
            stem: Function that returns the stems to index for a term. By default the term is indexed unchanged.
        """
        self._words = _Words(stem)

    def __call__(self, text: str) -> _IndexedText:
        """Return the terms and n-grams of a text, each as tokens joined by blanks."""
        words = text.split()
        if not words:
            return NOTHING_INDEXED
        found, grams = zip(*map(self._words.__getitem__, words), strict=True)  # no loop in Python: all time goes here
        return _IndexedText(" ".join(found), " ".join(grams))


class _Words(dict[str, tuple[str, str]]):
    """Cache from a word (a piece of text without blanks) to its terms and n-grams.

    A missing word is analyzed on access.
    """

    def __init__(self, stem: Callable[[str], Sequence[str]]) -> None:
        super().__init__()
        self._terms = _Terms(stem)

    def __missing__(self, word: str) -> tuple[str, str]:
        plain = word.strip(_AROUND)
        if plain.isascii() and (_is_word(plain) or (plain.isdigit() and len(plain) <= LONGEST_TERM)):
            analyzed = self._terms[plain.lower()]
        elif found := terms(word):
            # A row of a CSV file is a word, too: it seldom comes again, but its cells do.
            stems, grams = zip(*map(self._terms.__getitem__, found), strict=True)
            analyzed = (" ".join(stems), " ".join(grams))
        else:
            analyzed = ("", "")
        if len(word) <= _LONGEST_KEPT and not _DIGIT.search(word):  # numbers seldom come again
            if len(self) >= _MOST_KEPT:
                self.clear()
            self[word] = analyzed
        return analyzed


class _Terms(dict[str, tuple[str, str]]):
    """Cache of the stem and n-grams of a term, computed on access. A number is its own stem."""

    def __init__(self, stem: Callable[[str], Sequence[str]]) -> None:
        super().__init__()
        self._stem = stem

    def __missing__(self, term: str) -> tuple[str, str]:
        if len(self) >= _MOST_KEPT:
            self.clear()
        figure = term.isascii() and not term.islower()  # terms are folded: no letters
        stem = term if figure else " ".join(self._stem(term))
        analyzed = self[term] = (stem, "" if term in STOP_WORDS else " ".join(_grams(term)))
        return analyzed


def _is_word(plain: str) -> bool:
    return plain.isalpha() and (len(plain) == 1 or plain[1:].islower())


def _grams(term: str) -> list[str]:
    if not term.isascii() and _UNSPACED.match(term):
        return [term]
    bounded = f"_{term}_"
    return [bounded[start : start + LENGTH] for start in range(len(bounded) - LENGTH + 1)] or [bounded]
