"""Consistency across tasks: values that cannot all be right, found by code from what the tasks asked and came to.

Only what can be shown is a inconsistency: an end before its beginning, two values for one thing, a date outside the span its
task asked for, a calculation over amounts in units that do not fit. A date or figure that is known less exactly than
another agrees with it.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Final

from weiwo.state import REFERENCE, Language, Outcome, Plan, Task
from weiwo.state.evidence import Inconsistency
from weiwo.text.patterns import lazy
from weiwo.text.units import to_si
from weiwo.text.values import render

MOST_FINDINGS: Final = 10
_BEFORE: Final = frozenset({("birth", "death"), ("beginning", "ending")})
"""Relations of which the first never comes after the second."""
_SAME_SHARE: Final = 0.01
"""Figures that differ by less are one figure, rounded."""
_DATE: Final = lazy(r"(-?\d{1,6})(?:-(\d{1,2}))?(?:-(\d{1,2}))?")
_ADDS: Final = lazy(r"[+<>=]|(?<!\()-|\b(?:sum|min|max|avg)\b", re.IGNORECASE)
_SCALES: Final = lazy(r"[*/^%]")

_WORDS: Final[dict[str, dict[Language, str]]] = {
    "order": {
        "en": "“{}” ({}) and “{}” ({}): the first cannot come after the second",
        "zh": "“{}”（{}）与“{}”（{}）：前者不可能晚于后者",
    },
    "rivals": {
        "en": "“{}” ({}) and “{}” ({}): two values for one thing",
        "zh": "“{}”（{}）与“{}”（{}）：同一事物有两个不同的值",
    },
    "span": {
        "en": "“{}” ({}): outside the time that was asked about",
        "zh": "“{}”（{}）：不在所问的时间范围内",
    },
    "units": {
        "en": "“{}” ({}) and “{}” ({}) were calculated with each other, and their units do not fit",
        "zh": "“{}”（{}）与“{}”（{}）一起参与了计算，但单位不一致",
    },
}
_LONGEST: Final = 100


def find_inconsistencies(plan: Plan, outcomes: Mapping[str, Outcome]) -> tuple[Inconsistency, ...]:
    """The findings over a plan's values, in plan order.

    Args:
        plan: The plan that ran.
        outcomes: What its tasks came to; those without a usable value count for nothing.
    """
    usable = {task_id: outcomes[task_id] for task_id in plan.ids if task_id in outcomes and outcomes[task_id].usable}
    tasks = [task for task in plan.tasks if task.id in usable and task.for_each is None]
    found = [*_out_of_order(tasks, usable), *_rivals(tasks, usable), *_out_of_span(tasks, usable)]
    found += _unlike_units(plan, usable)
    return tuple(found[:MOST_FINDINGS])


def describe_inconsistency(
    inconsistency: Inconsistency, plan: Plan, outcomes: Mapping[str, Outcome], language: Language
) -> str:
    """A inconsistency in one line for people; empty where one of its tasks is gone."""
    parts: list[str] = []
    for task_id in inconsistency.task_ids:
        if task_id not in outcomes or task_id not in plan.ids:
            return ""
        outcome = outcomes[task_id]
        asked = _fill(plan.task(task_id).description, outcomes)[:_LONGEST]
        unit = f" {outcome.detail.unit}" if inconsistency.kind == "units" and outcome.detail.unit else ""
        parts += [asked.rstrip("?？"), render(outcome.value, outcome.type, language)[:_LONGEST] + unit]
    return _WORDS[inconsistency.kind][language].format(*parts)


def _out_of_order(tasks: list[Task], usable: Mapping[str, Outcome]) -> Iterator[Inconsistency]:
    for first in tasks:
        for last in tasks:
            if first.frame is None or last.frame is None:
                continue
            about = _subject(first, usable)
            if (first.frame.relation, last.frame.relation) not in _BEFORE or about != _subject(last, usable):
                continue
            if about and _is_later(usable[first.id], usable[last.id]):
                yield Inconsistency(kind="order", severity="error", task_ids=(first.id, last.id))


def _rivals(tasks: list[Task], usable: Mapping[str, Outcome]) -> Iterator[Inconsistency]:
    for one, other in combinations(tasks, 2):
        if one.frame is None or other.frame is None or one.description.casefold() == other.description.casefold():
            continue  # the very same question is the monitor's own matter
        about = _subject(one, usable)
        asked = (one.frame.relation, one.frame.answer_type, one.frame.dimension)
        if not (about and asked[0]) or about != _subject(other, usable):
            continue
        if asked != (other.frame.relation, other.frame.answer_type, other.frame.dimension):
            continue
        if (one.frame.since, one.frame.until) == (other.frame.since, other.frame.until) and _differ(
            usable[one.id], usable[other.id]
        ):
            yield Inconsistency(kind="rivals", severity="error", task_ids=(one.id, other.id))


def _out_of_span(tasks: list[Task], usable: Mapping[str, Outcome]) -> Iterator[Inconsistency]:
    for task in tasks:
        value = _as_date(usable[task.id])
        if task.frame is None or value is None or task.frame.answer_type not in {"date", "year"}:
            continue
        since, until = _parse(task.frame.since), _parse(task.frame.until)
        if (since is not None and _compare(value, since) < 0) or (until is not None and _compare(value, until) > 0):
            yield Inconsistency(kind="span", severity="warning", task_ids=(task.id,))


def _unlike_units(plan: Plan, usable: Mapping[str, Outcome]) -> Iterator[Inconsistency]:
    """Sums, differences and comparisons over amounts whose units are not the same."""
    for task in plan.tasks:
        formula = task.args.get("expression")
        if not isinstance(formula, str):
            continue
        bare = REFERENCE.sub("x", formula)
        if not _ADDS.search(bare) or _SCALES.search(bare):
            continue  # what scales may convert
        named = [name for name in dict.fromkeys(task.references) if name in usable and usable[name].detail.unit]
        for one, other in combinations(named, 2):
            units = usable[one].detail.unit, usable[other].detail.unit
            if units[0] != units[1] and to_si(1.0, units[0]) and to_si(1.0, units[1]):
                yield Inconsistency(kind="units", severity="error", task_ids=(one, other))


def _subject(task: Task, usable: Mapping[str, Outcome]) -> str:
    """The one thing a task asks about, references filled; empty where it is not one, or not known."""
    subjects = task.frame.subjects if task.frame is not None else ()
    filled = _fill(subjects[0], usable) if len(subjects) == 1 else ""
    return "" if REFERENCE.search(filled) else " ".join(filled.casefold().split())


def _fill(text: str, outcomes: Mapping[str, Outcome]) -> str:
    return REFERENCE.sub(lambda found: str(outcomes[found[1]].value) if found[1] in outcomes else found[0], text)


def _differ(one: Outcome, other: Outcome) -> bool:
    """Whether two values of one type cannot both be right."""
    if one.type == other.type == "date":
        first, second = _as_date(one), _as_date(other)
        return first is not None and second is not None and _compare(first, second) != 0
    if one.type != "number" or other.type != "number" or one.detail.unit != other.detail.unit:
        return False
    first_figure, second_figure = one.value, other.value
    if not isinstance(first_figure, int | float) or not isinstance(second_figure, int | float):
        return False
    return abs(first_figure - second_figure) > _SAME_SHARE * max(abs(first_figure), abs(second_figure))


def _is_later(one: Outcome, other: Outcome) -> bool:
    first, second = _as_date(one), _as_date(other)
    return first is not None and second is not None and _compare(first, second) > 0


def _as_date(outcome: Outcome) -> tuple[int, ...] | None:
    if outcome.type != "date" or outcome.detail.approximate or not isinstance(outcome.value, str):
        return None
    return _parse(outcome.value)


def _parse(text: str) -> tuple[int, ...] | None:
    """Year, month and day, as far as they are known."""
    found = _DATE.fullmatch(text)
    return tuple(int(part) for part in found.groups() if part is not None) if found else None


def _compare(one: tuple[int, ...], other: tuple[int, ...]) -> int:
    """Which date is later, as far as both are known; 0 where they agree that far."""
    known = min(len(one), len(other))
    return (one[:known] > other[:known]) - (one[:known] < other[:known])
