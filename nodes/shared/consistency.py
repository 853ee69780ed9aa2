"""Values of different tasks that contradict each other.

There are two kinds: different values for one question, and an end before its beginning. Tasks are compared if their
questions name one and the same subject. A date or figure known less exactly than another agrees with it. A `for_each`
task, which has many subjects, is left to the claim check.
"""

from collections.abc import Iterator, Mapping
from itertools import combinations, permutations
from math import nan
from typing import Final

from weiwo.state import REFERENCE, Language, Outcome, Plan, Task
from weiwo.state.evidence import Inconsistency
from weiwo.state.query import QueryFrame
from weiwo.text.dates import PartialDate
from weiwo.text.language import fold
from weiwo.text.localization import localized_section
from weiwo.text.numbers import find_numbers
from weiwo.text.relations import relations
from weiwo.text.terms import terms
from weiwo.text.units import to_si
from weiwo.text.values import render

MOST_FINDINGS: Final = 10
_BEFORE: Final = frozenset({("birth", "death"), ("beginning", "ending")})
"""Pairs of relations: the date of the first is never after the date of the second."""
_SAME_SHARE: Final = 0.01
"""Largest share by which two figures may differ and still count as equal, since one may be rounded."""
_LONGEST: Final = 100
_IDLE_HAN: Final = frozenset("的是在了吗呢于哪多少几什么时候年月日个位座有一，？?公里米")
_WORDS: Final = localized_section("shared.consistency")

_Reading = tuple[Task, QueryFrame, Outcome]


def find_inconsistencies(plan: Plan, outcomes: Mapping[str, Outcome]) -> tuple[Inconsistency, ...]:
    """Return the contradictions between the values of a plan's tasks, in plan order, at most ten.

    Empty if there are none.

    Tasks without a usable value are ignored.
    """
    alike: dict[frozenset[str], list[_Reading]] = {}
    for task in plan.tasks:
        outcome, frame = outcomes.get(task.id), task.frame
        if outcome is None or not outcome.usable or frame is None or not frame.relation or task.for_each is not None:
            continue
        if about := _subject(frame, outcomes):
            alike.setdefault(about, []).append((task, frame, outcome))
    pairs = [pair for group in alike.values() for pair in (*_out_of_order(group), *_rivals(group))]
    found = (
        Inconsistency(kind=kind, severity="error", task_ids=(item.id, other.id))
        for kind, item, other in pairs[:MOST_FINDINGS]
    )
    return tuple(found)


def describe_inconsistency(
    inconsistency: Inconsistency, plan: Plan, outcomes: Mapping[str, Outcome], language: Language
) -> str:
    """Return a line for people that describes a contradiction: the two questions and their values.

    Empty if one of its tasks is gone, or if its kind is one of version 0.1.
    """
    words = _WORDS[language].get(inconsistency.kind, "")
    tasks = [plan.task(task_id) for task_id in inconsistency.task_ids if task_id in plan.ids and task_id in outcomes]
    if not words or len(tasks) < len(inconsistency.task_ids):
        return ""
    shown: list[str] = []
    for task in tasks:
        outcome = outcomes[task.id]
        value = render(outcome.value, outcome.type, language)[:_LONGEST]
        shown += [_fill(task.description, outcomes)[:_LONGEST].rstrip("?？"), f"{value} {_unit(outcome)}".strip()]
    return words.format(*shown)


def _out_of_order(group: list[_Reading]) -> Iterator[tuple[str, Task, Task]]:
    for (first, asked, start), (last, other, end) in permutations(group, 2):
        if (asked.relation, other.relation) in _BEFORE and _is_before(_as_date(end), _as_date(start)):
            yield "order", first, last


def _rivals(group: list[_Reading]) -> Iterator[tuple[str, Task, Task]]:
    """Yield pairs of tasks that ask for the same in different words and have contradicting values.

    Tasks with the same words are left to the monitor.
    """
    for (item, asked, value), (other, again, rival) in combinations(group, 2):
        worded_alike = item.description.casefold() == other.description.casefold()
        if not worded_alike and _asked_for(asked) == _asked_for(again) and _differ(value, rival):
            yield "rivals", item, other


def _asked_for(frame: QueryFrame) -> tuple[object, ...]:
    """Return what a question asks for of its subject: relation, type of answer, dimension and time range."""
    return frame.relation, frame.answer_type, frame.dimension, frame.since, frame.until


def _subject(frame: QueryFrame, outcomes: Mapping[str, Outcome]) -> frozenset[str]:
    """Return the key of the only subject of a question: its name and the words that its relation does not explain.

    "When was Acme Tower founded?" gives {"acme tower", "acm", "tower"}.

    Returns:
        Empty if there is not exactly one subject, or if a reference in it has no value.
    """
    filled = _fill(frame.subject, outcomes)
    if len(frame.subjects) != 1 or REFERENCE.search(filled):
        return frozenset()
    row = relations()[frame.relation]
    words = sorted((*row.asks[frame.language], row.noun[frame.language]), key=len, reverse=True)
    if frame.language == "zh":
        rest = frame.question.replace(frame.subject, "")
        for word in words:
            rest = rest.replace(word, "")
        return frozenset({fold(filled), *rest} - _IDLE_HAN)
    return frozenset({fold(filled), *frame.terms} - {term for word in words for term in terms(word)})


def _fill(text: str, outcomes: Mapping[str, Outcome]) -> str:
    return REFERENCE.sub(lambda found: str(outcomes[found[1]].value) if found[1] in outcomes else found[0], text)


def _differ(outcome: Outcome, other: Outcome) -> bool:
    """Report whether two values of the same type contradict each other: dates apart, or figures more than 1% apart."""
    first, second = _as_date(outcome), _as_date(other)
    if first is not None and second is not None:
        return _is_before(first, second) or _is_before(second, first)
    (a, unit), (b, other_unit) = _measure(outcome), _measure(other)
    return unit == other_unit and abs(a - b) > _SAME_SHARE * max(abs(a), abs(b))


def _measure(outcome: Outcome) -> tuple[float, str]:
    """Return a figure and its unit, in the base unit if that is known. The figure is NaN if the value is no number."""
    figure = float(outcome.value) if isinstance(outcome.value, int | float) else nan
    return to_si(figure, _unit(outcome)) or (figure, _unit(outcome))


def _unit(outcome: Outcome) -> str:
    """Return the unit of a figure, or "" if it is not known.

    This is the unit that a rule read, else the unit behind the very same figure in the quotes.
    """
    spans = (number for quote in outcome.quotes for number in find_numbers(quote.text) if number.value == outcome.value)
    units = {span.unit or "" for span in spans}
    return outcome.detail.unit or (units.pop() if len(units) == 1 else "")


def _is_before(date: PartialDate | None, other: PartialDate | None) -> bool:
    """Report whether a date is earlier than another. False if either is None, or if one contains the other."""
    if date is None or other is None or date.contains(other) or other.contains(date):
        return False
    return date < other


def _as_date(outcome: Outcome) -> PartialDate | None:
    if outcome.type != "date" or outcome.detail.approximate or not isinstance(outcome.value, str):
        return None
    try:
        return PartialDate.from_iso(outcome.value)
    except ValueError:
        return None
