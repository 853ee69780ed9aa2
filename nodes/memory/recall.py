"""Recall: the remembered items fitting a question, by words and character n-grams.

No model is used. An item is known by phrases: the cases a procedure applies to, the wordings of questions. The score
counts how much of the item's nearest phrase the question contains, and how much of the question that is. Words shared
by many items count less. Names hardly count, since they tell a question's subject but not its kind.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from math import log, sqrt
from typing import Final, NamedTuple

from weiwo.text.ngrams import query_grams
from weiwo.text.terms import terms

LONGEST_QUERY: Final = 2_000
"""Most characters of a question that are compared."""
_GRAMS: Final = 0.3
"""Weight of n-grams in the score, against words. They match misspelt, inflected and compound words."""
_UNKNOWN: Final = 0.35
"""Weight of a word that no phrase has, as a share of the weight of a word that one item has."""
_ASKING: Final = frozenset("什么是多少了的吗呢谁几哪怎样如何为有在和与")
"""Han characters that only ask or join: a pair of two of them says nothing."""


class _Recalled(NamedTuple):
    """Recalled item.

    Attributes:
        number: Index of the item, from 0.
        score: Fit to the question, 0 to 1.
    """

    number: int
    score: float


class PhraseIndex:
    """Index of items by phrases. Immutable after creation and safe to use from any thread."""

    def __init__(self, things: Sequence[Iterable[str]]) -> None:
        """Create the index of the given items, each a list of phrases."""
        self._words = _Side([[_parts(terms(phrase)) for phrase in phrases] for phrases in things])
        self._grams = _Side([[_parts(query_grams(phrase)) for phrase in phrases] for phrases in things])

    def rank(self, question: str) -> list[_Recalled]:
        """Return the items that share a word with a question, best first. Ties keep their order."""
        text = question[:LONGEST_QUERY]
        words, grams = _parts(terms(text)), _parts(query_grams(text))
        found = []
        for number, phrases in enumerate(self._words.things):
            places = [place for place, phrase in enumerate(phrases) if words & phrase]
            score = max((self._score(words, grams, number, place) for place in places), default=0.0)
            if score > 0:
                found.append(_Recalled(number, score))
        return sorted(found, key=lambda item: -item.score)

    def _score(self, words: set[str], grams: set[str], number: int, place: int) -> float:
        by_word = self._words.likeness(words, self._words.things[number][place])
        return (1 - _GRAMS) * by_word + _GRAMS * self._grams.likeness(grams, self._grams.things[number][place])

    def recall(self, question: str, most: int, least: float, close: float = 0.0) -> list[int]:
        """Return the indexes of the items that fit a question, best first.

        Args:
            question: The question.
            most: Most items to return.
            least: Least score of an item, from 0 to 1.
            close: Least share of the best score that an item must reach.
        """
        ranked = self.rank(question)[:most]
        return [item.number for item in ranked if item.score >= max(least, close * ranked[0].score)]


def _parts(found: Iterable[str]) -> set[str]:
    return {part for part in found if not _ASKING.issuperset(part)}


class _Side:
    """The parts of each item's phrases, either words or n-grams, with a weight that is greater for rarer parts."""

    def __init__(self, things: list[list[set[str]]]) -> None:
        self.things = things
        counts = Counter(part for phrases in things for part in set().union(*phrases))
        self._rarity = {part: log(1 + len(things) / count) for part, count in counts.items()}
        self._unknown = _UNKNOWN * log(1 + max(1, len(things)))

    def likeness(self, question: set[str], phrase: set[str]) -> float:
        """Return how similar a question and a phrase are, from 0 to 1: the cosine of their weighted parts."""
        both = self._weight(question & phrase)
        return both / sqrt(self._weight(question) * self._weight(phrase)) if both else 0.0

    def _weight(self, parts: set[str]) -> float:
        return sum(self._rarity.get(part, self._unknown) for part in parts)
