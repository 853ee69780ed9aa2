"""Fuzzy matching of a question's words and subject against passages.

A word of the question that no passage has may be misspelt: a word of theirs that differs by one or two letters then
stands for it. A subject is spoken of where its rare words stand in one passage, its title counted in: "mount" alone is
no Mount Fuji.
"""

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from typing import Final

from weiwo.state.kinds import Language
from weiwo.state.query import QueryFrame
from weiwo.text.analyzer import SIMPLIFIED
from weiwo.text.dates import find_dates
from weiwo.text.localization import ByLocale
from weiwo.text.names import NAME_KINDS, names
from weiwo.text.numbers import find_numbers
from weiwo.text.patterns import lazy
from weiwo.text.relations import relations
from weiwo.text.terms import terms

_SPOKEN_OF: Final = 0.6
"""Share of a subject's words, weighted by rarity, that a passage about it has."""

_SPOKEN_OF_TERMS: Final = ByLocale({"en": 0.35, "zh": 0.4})
"""Share of all words of a question that a passage about it has, if no subject was recognised."""

_MOST_TERMS: Final = 0.5
"""Share of all words of a question that a passage about it has, if its subjects occur nowhere."""

_COMPARED: Final = frozenset({"comparison", "difference", "same"})
_SHORTEST_WORD: Final = 5
_LEAST_PAIRS: Final = 4
_MISWRITTEN: Final = 2
_LONG_WORD: Final = 8
_ALIKE: Final = 0.8
_ALIKE_LONG: Final = 0.75
"""Share of letters, in order, that a word and what it may be misspelt from have in common: all but one, or two."""
_ASKING: Final = lazy(
    r"有?多少|多[长長高大重深远遠久宽寬快]|[几幾][个個位年岁歲次名]|什么|甚麼|什麼|哪[些个個里裡里儿位家国年天]?|谁|誰|怎么办?|怎麼辦?|怎样|如何|何[时時地]"
    r"|[为為因]何|[吗嗎呢]|是否|有没有|请问|請問|介绍|解释|一下|[的了是]"
    r"|最新|最近|现在|現在|目前|当前|當前|今[天日]|如今|截至|至今|迄今"
)
"""Chinese words that only ask, link or want the newest. No pair of characters spans them."""


_MEASURE: Final = lazy(r"(?i)\bhow (long|much|many|far|old|often|big|tall|high|deep|wide|fast|soon|late|early)\b")


def matching_terms(text: str, language: Language = "en") -> list[str]:
    """Return the folded content words of a text.

    The words are folded as in `text.terms.terms`. Traditional Chinese characters are replaced by simplified ones first.
    """
    return terms(text if text.isascii() else text.translate(SIMPLIFIED), language)


def question_terms(frame: QueryFrame) -> list[str]:
    """Return the distinct content words of a question.

    A Chinese question is first stripped of words that only ask or link.
    """
    if frame.language == "zh":
        found = matching_terms(_ASKING.sub(" ", frame.question))
    else:
        found = matching_terms(" ".join(frame.terms)) or matching_terms(frame.question)
    return list(dict.fromkeys(found or matching_terms(frame.question)))


def measures_asked(question: str) -> frozenset[str]:
    """Return the words of the measure requested by a question, as in "how long".

    A figure can answer the question without repeating these words.
    """
    return frozenset(matching_terms(" ".join(_MEASURE.findall(question))))


def inverse_document_frequency(wanted: Iterable[str], passages: Sequence[Collection[str]]) -> dict[str, float]:
    """Return the inverse document frequency of each term among passages.

    A term that no passage contains has the highest value.
    """
    distinct = dict.fromkeys(wanted)
    found = Counter(term for term in distinct for passage in passages if term in passage)
    return {term: math.log(1 + (len(passages) + 1) / (found[term] + 0.5)) for term in distinct}


def correct_spelling(frame: QueryFrame, vocabulary: Collection[str]) -> dict[str, str]:
    """Map each word of a question and of the subjects to the probable spelling in the passages.

    Args:
        frame: The question.
        vocabulary: Every term of the passages.

    Returns:
        The term to look for, by the term as asked. A term without a counterpart stays as it is.
    """
    asked = dict.fromkeys([*question_terms(frame), *(word for subject in _subjects(frame) for word in subject)])
    words = (word for word in asked if word.isalpha() and word.isascii() and len(word) >= _SHORTEST_WORD)
    missing = [word for word in words if word not in vocabulary]
    alike: dict[str, list[str]] = {}
    if missing:
        for word in sorted(vocabulary):
            if word.isalpha():
                alike.setdefault(word[0], []).append(word)
    near = {word: _nearest(word, [*alike.get(word[0], ()), *alike.get(word[1], ())]) for word in missing}
    return {word: near.get(word) or word for word in asked}


def find_missing_subjects(
    frame: QueryFrame,
    passages: Sequence[Collection[str]],
    statements: Sequence[Collection[str]],
    spelling: Mapping[str, str],
) -> list[str]:
    """Return the subjects of a question without a mention in any sentence or title.

    Args:
        frame: The question.
        passages: The terms of each passage, including those of its title.
        statements: The terms of each sentence and title of the passages. Most words of a subject, weighted by rarity,
            must stand together in a sentence or title.
        spelling: The result of `correct_spelling` for the terms of the question.
    """

    def spoken_of(words: Sequence[str]) -> bool:
        alike = any(_is_written_alike(words, said) for said in statements)
        return alike or _measure_coverage(words, statements, passages, spelling) >= _SPOKEN_OF

    return [subject for subject in frame.subjects if (words := matching_terms(subject)) and not spoken_of(words)]


@cache
def _list_kind_terms() -> frozenset[str]:
    """Return the terms of words for kinds of things, e.g. "tower"."""
    return frozenset(term for kind in NAME_KINDS for term in terms(kind))


def find_absent_names(frame: QueryFrame, passages: Sequence[Collection[str]], spelling: Mapping[str, str]) -> list[str]:
    """Return the proper names of a question not found in any passage.

    If the question compares things, each absent name is returned. Otherwise names are returned only if all are absent.
    A name is absent if no passage has any of its words, apart from numbers and words for a kind of thing ("tower"). A
    Chinese name, which may be cut too long, is absent if more of its character pairs are missing than one wrong
    character takes away. Short forms ("UK", "CEO") are skipped because the passages may write them out. Names in a
    script that the passages do not use are skipped because nothing is known about them.
    """
    vocabulary = frozenset().union(*passages)
    scripts = {term.isascii() for term in vocabulary}
    absent, present = [], False
    for name in dict.fromkeys(item.text for item in names(frame.question)):
        words = [word for word in matching_terms(name) if word.isalpha()]
        words = [word for word in words if word not in _list_kind_terms()] or words
        found = sum(spelling.get(word, word) in vocabulary for word in words)
        short = name.isupper() and len(name) < _SHORTEST_WORD
        if short or not words or not scripts.issuperset(word.isascii() for word in words):
            continue
        if found and (words[0].isascii() or len(words) - found <= _MISWRITTEN):
            present = True
        else:
            absent.append(name)
    return absent if frame.shape in _COMPARED or not present else []


def is_about_subject(
    frame: QueryFrame, missing: Sequence[str], passages: Sequence[Collection[str]], spelling: Mapping[str, str]
) -> bool:
    """Report whether any passage is about the subject of a question.

    Args:
        frame: The question.
        missing: The result of `find_missing_subjects`.
        passages: The terms of each passage, including those of its title.
        spelling: The result of `correct_spelling` for the terms of the question.

    Returns:
        True if a subject stands in a sentence or a title, or if a single passage has enough of the question's terms. If
        the question has subjects, most terms are required, because the subjects may have been recognised wrongly.
    """
    subjects = _subjects(frame)
    enough = _MOST_TERMS if subjects else _SPOKEN_OF_TERMS[frame.language]
    return (
        len(missing) < len(subjects) or _measure_coverage(question_terms(frame), passages, passages, spelling) >= enough
    )


def _is_written_alike(words: Sequence[str], said: Collection[str]) -> bool:
    """Report whether a Chinese name occurs with a single inner character replaced.

    Only names of five characters or more are compared.
    """
    if len(words) < _LEAST_PAIRS or words[0].isascii() or words[0] not in said:
        return False
    missing = [at for at, word in enumerate(words) if word not in said]
    if len(missing) != 2 or missing[1] != missing[0] + 1:
        return False
    before, behind = words[missing[0]][0], words[missing[1]][-1]
    return any(word[0] == before and word[1:] + behind in said for word in said if len(word) == 2)


def _measure_coverage(
    words: Sequence[str],
    places: Sequence[Collection[str]],
    passages: Sequence[Collection[str]],
    spelling: Mapping[str, str],
) -> float:
    """Return the highest share of the words found in a single place, weighted by rarity among passages."""
    weights = inverse_document_frequency((spelling[word] for word in words), passages)
    for word in weights:
        if not word.isascii() and not any(word in passage for passage in passages):
            weights[word] /= 2  # most pairs of characters that nobody writes reach across two words
    total = sum(weights.values()) or 1.0
    return max((sum(weights[word] for word in weights if word in here) / total for here in places), default=0.0)


def _subjects(frame: QueryFrame) -> list[list[str]]:
    """Return the content words of each subject, without subjects that have none."""
    return [words for subject in frame.subjects if (words := matching_terms(subject))]


def _nearest(word: str, words: Sequence[str]) -> str:
    """Return the most similar word within a difference of a letter or two, or an empty string."""
    alike = get_close_matches(word, words, n=1, cutoff=_ALIKE_LONG if len(word) >= _LONG_WORD else _ALIKE)
    return alike[0] if alike else ""


_TYPED: Final = 0.4
"""Worth of a value of the type asked for."""
_VALUES: Final = frozenset({"date", "year", "number", "quantity", "person", "place", "name", "list"})
_SAID: Final = 0.2
"""Worth of words that say the relation asked for, beside such a value."""


class ValueWorth:
    """Scoring of sentences by new values of the type requested by a question.

    Values that the question itself contains do not count.
    """

    def __init__(self, frame: QueryFrame) -> None:
        self._type = frame.answer_type
        own = frame.question if self._type in {"date", "year", "number", "quantity"} else ""
        self._dates = {span.date for span in find_dates(own)} if own else set()  # or their patterns are compiled
        self._numbers = {span.value for span in find_numbers(own)} if own else set()
        self._terms = set(matching_terms(frame.question))
        row = relations().get(frame.relation)
        self._says = row.says[frame.language] if row else ()

    @property
    def is_wanted(self) -> bool:
        """Report whether the question asks for a value of a certain type, so not any text answers."""
        return self._type in _VALUES

    def of(self, text: str) -> float:
        """Return the score of a sentence for a value of the requested type, 0 to 0.6.

        The score is higher if the sentence also states the requested relation. It is 0 without a value.
        """
        held = self._rate_value(text)
        return held and _TYPED * held + _SAID * any(phrase in text.lower() for phrase in self._says)

    def _rate_value(self, text: str) -> float:
        """Return the presence of a value of the requested type in a sentence, from 0 to 1.

        Returns 0 if any text would answer the question.
        """
        if self._type in {"date", "year"}:
            return float(any(span.date not in self._dates for span in find_dates(text)))
        if self._type in {"number", "quantity"}:
            dated = [(span.start, span.end) for span in find_dates(text)]
            found = [span for span in find_numbers(text) if span.value not in self._numbers]
            return float(any(not any(start <= span.start < end for start, end in dated) for span in found))
        if self._type in {"person", "place", "name", "list"}:
            new = sum(not self._terms.issuperset(matching_terms(name.text)) for name in names(text))
            return min(1.0, new / (2 if self._type == "list" else 1))
        return 0.0
