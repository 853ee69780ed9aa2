"""Matching of a question's words and subjects against passages, with misspellings.

If no passage has a word of the question, it may be misspelt: a word of the passages that differs by one or two letters
is used instead. Passages mention a subject if one of them has its rare words in a sentence or title: "mount" alone does
not mention Mount Fuji.
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
"""Least share of a subject's words, weighted by rarity, in a sentence or title that mentions the subject."""

_SPOKEN_OF_TERMS: Final = ByLocale({"en": 0.35, "zh": 0.4})
"""Least share of a question's words in a passage about its subject, if no subject was recognised."""

_MOST_TERMS: Final = 0.5
"""Least share of a question's words in a passage about its subject, if its recognised subjects occur nowhere."""

_COMPARED: Final = frozenset({"comparison", "difference", "same"})
_SHORTEST_WORD: Final = 5
_LEAST_PAIRS: Final = 4
_MISWRITTEN: Final = 2
_LONG_WORD: Final = 8
_ALIKE: Final = 0.8
_ALIKE_LONG: Final = 0.75
"""Least similarity of a long word and its misspelling: two letters may differ. For `_ALIKE`, one letter may."""
_ASKING: Final = lazy(
    r"有?多少|多[长長高大重深远遠久宽寬快]|[几幾][个個位年岁歲次名]|什么|甚麼|什麼|哪[些个個里裡里儿位家国年天]?|谁|誰|怎么办?|怎麼辦?|怎样|如何|何[时時地]"
    r"|[为為因]何|[吗嗎呢]|是否|有没有|请问|請問|介绍|解释|一下|[的了是]"
    r"|最新|最近|现在|現在|目前|当前|當前|今[天日]|如今|截至|至今|迄今"
)
"""Chinese words that only ask, link or want the newest. They are removed before pairs of characters are formed."""


_MEASURE: Final = lazy(r"(?i)\bhow (long|much|many|far|old|often|big|tall|high|deep|wide|fast|soon|late|early)\b")


def matching_terms(text: str, language: Language = "en") -> list[str]:
    """Return the content words of a text, folded as by `text.terms.terms`: "the towers" gives ["tower"].

    Traditional Chinese characters are replaced by simplified ones first.
    """
    return terms(text if text.isascii() else text.translate(SIMPLIFIED), language)


def question_terms(frame: QueryFrame) -> list[str]:
    """Return the distinct content words of a question, in order.

    A Chinese question is stripped of asking words first.
    """
    if frame.language == "zh":
        found = matching_terms(_ASKING.sub(" ", frame.question))
    else:
        found = matching_terms(" ".join(frame.terms)) or matching_terms(frame.question)
    return list(dict.fromkeys(found or matching_terms(frame.question)))


def measures_asked(question: str) -> frozenset[str]:
    """Return the word of the measure that a question asks for: {"long"} for "How long is the Danube?", else empty.

    A figure can answer the question without repeating the word.
    """
    return frozenset(matching_terms(" ".join(_MEASURE.findall(question))))


def inverse_document_frequency(wanted: Iterable[str], passages: Sequence[Collection[str]]) -> dict[str, float]:
    """Return the rarity of each wanted term among passages: the fewer passages have it, the higher.

    Args:
        wanted: The terms.
        passages: The terms of each passage.
    """
    distinct = dict.fromkeys(wanted)
    found = Counter(term for term in distinct for passage in passages if term in passage)
    return {term: math.log(1 + (len(passages) + 1) / (found[term] + 0.5)) for term in distinct}


def correct_spelling(frame: QueryFrame, vocabulary: Collection[str]) -> dict[str, str]:
    """Return, for each word of a question and its subjects, the word to look for in the passages.

    "danbue" becomes "danube" if the passages have only the latter. A word that they have, or to which none is similar,
    stays.

    Args:
        frame: The question.
        vocabulary: Every term of the passages.
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
    """Return the subjects of a question that no sentence and no title of the passages mentions.

    A sentence or title mentions a subject if it has most of the subject's words, weighted by rarity.

    Args:
        frame: The question.
        passages: The terms of each passage, including those of its title.
        statements: The terms of each sentence and title of the passages.
        spelling: The result of `correct_spelling` for the terms of the question.
    """

    def spoken_of(words: Sequence[str]) -> bool:
        alike = any(_is_written_alike(words, said) for said in statements)
        return alike or _measure_coverage(words, statements, passages, spelling) >= _SPOKEN_OF

    return [subject for subject in frame.subjects if (words := matching_terms(subject)) and not spoken_of(words)]


@cache
def _list_kind_terms() -> frozenset[str]:
    """Return the terms of words for kinds of things, like "tower"."""
    return frozenset(term for kind in NAME_KINDS for term in terms(kind))


def find_absent_names(frame: QueryFrame, passages: Sequence[Collection[str]], spelling: Mapping[str, str]) -> list[str]:
    """Return the proper names of a question that no passage has. Empty if there are none.

    If the question compares things, each absent name is returned. Otherwise names are returned only if all are absent.
    A name is absent if no passage has any of its words, apart from numbers and words for a kind of thing ("tower"). A
    Chinese name, which may be cut too long, is absent if more of its character pairs are missing than one wrong
    character takes away. Short forms ("UK", "CEO") are skipped because the passages may write them out. Names in a
    script that the passages do not use are skipped because nothing is known about them.

    Args:
        frame: The question.
        passages: The terms of each passage.
        spelling: The result of `correct_spelling` for the terms of the question.
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
        True if a sentence or a title mentions a subject, or if a single passage has enough of the question's terms. If
            the question has subjects, half of the terms are required, because the subjects may have been recognised
            wrongly.
    """
    subjects = _subjects(frame)
    enough = _MOST_TERMS if subjects else _SPOKEN_OF_TERMS[frame.language]
    return (
        len(missing) < len(subjects) or _measure_coverage(question_terms(frame), passages, passages, spelling) >= enough
    )


def _is_written_alike(words: Sequence[str], said: Collection[str]) -> bool:
    """Report whether a sentence has a Chinese name with one of its inner characters replaced by another.

    Only names of five characters or more are compared.

    Args:
        words: The character pairs of the name, in order.
        said: The terms of the sentence.
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
    """Return the share of words that a single place has, for the place with most of them, weighted by rarity. 0 to 1.

    Args:
        words: The words.
        places: The terms of each place, such as a sentence.
        passages: The terms of each passage, by which rarity is measured.
        spelling: The result of `correct_spelling`.
    """
    weights = inverse_document_frequency((spelling[word] for word in words), passages)
    for word in weights:
        if not word.isascii() and not any(word in passage for passage in passages):
            weights[word] /= 2  # most pairs of characters that nobody writes reach across two words
    total = sum(weights.values()) or 1.0
    return max((sum(weights[word] for word in weights if word in here) / total for here in places), default=0.0)


def _subjects(frame: QueryFrame) -> list[list[str]]:
    """Return the content words of each subject of a question, without subjects that have none."""
    return [words for subject in frame.subjects if (words := matching_terms(subject))]


def _nearest(word: str, words: Sequence[str]) -> str:
    """Return the word that differs least, by a letter or, for words of eight letters and more, by two.

    Empty if none.
    """
    alike = get_close_matches(word, words, n=1, cutoff=_ALIKE_LONG if len(word) >= _LONG_WORD else _ALIKE)
    return alike[0] if alike else ""


_TYPED: Final = 0.4
"""Score for a value of the requested type."""
_VALUES: Final = frozenset({"date", "year", "number", "quantity", "person", "place", "name", "list"})
_SAID: Final = 0.2
"""Score added if the sentence also has a phrase for the requested relation, such as "was founded"."""


class ValueWorth:
    """Scores of sentences for values of the type that a question asks for, like a date.

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
        """Report whether the question asks for a value of a certain type, like a date.

        False if any text may answer it.
        """
        return self._type in _VALUES

    def of(self, text: str) -> float:
        """Return the score of a sentence for a value of the requested type, 0 to 0.6. 0 without a value of that type.

        The score is higher if the sentence also has a phrase for the requested relation, such as "was founded".
        """
        held = self._rate_value(text)
        return held and _TYPED * held + _SAID * any(phrase in text.lower() for phrase in self._says)

    def _rate_value(self, text: str) -> float:
        """Return 1 if a sentence has a new value of the requested type, else 0.

        A single name counts 0.5 if a list is wanted.

        Always 0 if any text may answer the question.
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
