"""Readings that are text: names and phrases, figures as the passage writes them, lists, whole sentences."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from nodes.rules.reading import weighing
from nodes.rules.reading.asked import Asked
from nodes.rules.reading.candidates import LOWEST, Candidate, Group, choose, same_text
from nodes.rules.reading.enumerations import LEAST_COVERAGE, enumerations
from nodes.rules.reading.locations import locations
from nodes.rules.reading.nearby import nearby
from nodes.rules.reading.quantities import dates, numbers
from nodes.rules.reading.relations import Kind
from nodes.rules.reading.results import Reading, same_date, typed, with_value
from nodes.rules.reading.slots import slots
from nodes.rules.reading.standing import View
from nodes.rules.reading.statements import explanation
from nodes.rules.reading.subject import Subject
from nodes.rules.reading.wants import is_definition
from state import JsonValue, ValueType
from text.language import HAN
from text.patterns import lazy

_PLACES: Final = frozenset({"place", "city", "country", "state"})
_SINGLE: Final = frozenset({"father", "mother", "spouse", "capital", "successor", "predecessor", "chief"})
_PLURAL: Final = lazy(
    r"(?i)\b(?:which|what) (?:[a-z]+ )?[a-z]+(?<![su])(?<!serie)s (?:do|does|did|are|were|have)\b|哪些|哪几[个座条位部]"
)
_DAY_ZH: Final = lazy(r"\d{1,2}月\d{1,2}日(?:\d{1,2}[时点])?|\d{1,2}月(?:底|初|中旬|上旬|下旬)?")


def read_text(asked: Asked, subject: Subject, seen: Sequence[View], ret: ValueType) -> Reading | None:
    """Read a text or a list of texts.

    Args:
        asked: The question.
        subject: Its subject.
        seen: The sentences about it.
        ret: `text` or `list[text]`.

    Returns:
        The reading, or None where nothing answers.
    """
    bare = asked.kind in {None, "person"} and asked.relation is None and not asked.attribute
    if asked.open or (bare and is_definition(asked.text)):
        return _sentences(asked, seen, ret)
    if asked.kind in {"date", "number"}:
        quantity = _quantity(asked, seen)
        if quantity or asked.kind == "number":
            return typed(asked, quantity, ret, shown=True)
    kind = asked.kind or (asked.relation.kind if asked.relation else None)
    if asked.agent:
        kind = "work" if asked.kind == "work" else "thing"
    if ret == "text" and _PLURAL.search(asked.text) and (several := _several(asked, seen)) is not None:
        return _as_written(several)
    groups = [found for found in choose(_candidates(asked, subject, seen, kind), same_text) if found[0] >= LOWEST]
    if ret == "list[text]" and len(groups) < 2:
        several = _several(asked, seen)
        if several is not None:
            return several
    if groups:
        return typed(asked, groups, ret, joined=_may_join(asked, kind))
    return _sentences(asked, seen, ret) if asked.kind is None and asked.relation is None else None


def _candidates(asked: Asked, subject: Subject, seen: Sequence[View], kind: Kind | None) -> list[Candidate]:
    relation = asked.relation
    if kind in _PLACES:
        found = list(locations(asked if asked.kind else replace(asked, kind=kind), subject, seen))
        if relation is None or relation.kind in {*_PLACES, "thing", "group"}:
            found += slots(asked, subject, seen, kind)
        by_words = relation is None or relation.kind == "group"
    else:
        found = list(slots(asked, subject, seen, kind if kind in {"person", "work", "group"} else "thing"))
        by_words = True
    if by_words and all(candidate.score < LOWEST for candidate in found):
        found += nearby(asked, subject, seen)
    return found


def _may_join(asked: Asked, kind: Kind | None) -> bool:
    """Whether "A and B" is the answer, rather than A: authors and actors can be several, a capital cannot."""
    several = kind in {"person", "group", "work"}
    return several and asked.relation is not None and asked.relation.name not in _SINGLE


def _several(asked: Asked, seen: Sequence[View]) -> Reading | None:
    """The best list written out in a sentence that holds most of the question's words."""
    found = sorted(enumerations(asked, seen), key=lambda run: (-run[0], -len(run[1]), run[2].place))
    if not found or found[0][0] < LEAST_COVERAGE:
        return None
    score, items, view = found[0]
    return with_value(list(items), [Candidate(list(items), score, view, 0, len(view.sentence))], 0.9 * score)


def _as_written(several: Reading) -> Reading:
    """A list as the sentence has it: "Harnmoor, Morvane and Selbrook"."""
    items = [str(item) for item in several.value] if isinstance(several.value, list) else []
    sentence = several.quotes[0].text
    start = sentence.find(items[0])
    end = sentence.find(items[-1], start) + len(items[-1])
    return replace(several, value=sentence[start:end])


def _quantity(asked: Asked, seen: Sequence[View]) -> list[Group]:
    if asked.kind == "number":
        return choose(numbers(asked, seen), lambda one, other: one == other)
    found = choose(dates(asked, seen), same_date)
    if found and found[0][0] >= LOWEST:
        return found
    return [found for found in choose(_days(asked, seen), same_text) if found[0] >= LOWEST]


def _days(asked: Asked, seen: Sequence[View]) -> Iterable[Candidate]:
    """Days without a year, as news writes them: text, since no date is known from it."""
    for view in seen:
        cues = weighing.cues(asked, view)
        for day in _DAY_ZH.finditer(view.sentence):
            score = weighing.weigh(asked, view, cues, *day.span())
            if score:
                yield Candidate(day.group(), score * (0.9 if "日" in day.group() else 0.7), view, *day.span())


def _sentences(asked: Asked, seen: Sequence[View], ret: ValueType) -> Reading | None:
    found = explanation(asked, seen)
    if not found:
        return None
    texts = [candidate.shown for candidate in found]
    chinese = bool(re.search(f"[{HAN}]", texts[0]))
    value: JsonValue = list(texts) if ret == "list[text]" else ("" if chinese else " ").join(texts)
    return with_value(value, found, max(candidate.score for candidate in found))
