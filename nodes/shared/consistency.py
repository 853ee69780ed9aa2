"""Consistency across tasks: values that cannot all be right, found by code from what the tasks asked and came to.

Only what can be shown is one: an end before its beginning, two values for one thing, a date outside the span its
task asked for, a calculation over amounts in units that do not fit, a whole unlike its parts (`part_sums.py`). A date
or figure that is known less exactly than another agrees with it.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from itertools import combinations
from typing import Final, Literal

from weiwo.nodes.shared.amounts import Amount, read_amounts, with_one_unit
from weiwo.nodes.shared.part_sums import PartSum, find_part_sums
from weiwo.nodes.shared.topics import find_topic
from weiwo.state import REFERENCE, Language, Outcome, Plan, Task
from weiwo.state.evidence import Inconsistency
from weiwo.text.lists import join_items
from weiwo.text.numbers import format_number
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
    "over": {
        "en": "“{}” ({}) and its parts ({}): together they come to {}, more than the whole",
        "zh": "“{}”（{}）与其各部分（{}）：各部分合计{}，超过了整体",
    },
    "under": {
        "en": "“{}” ({}) and its parts ({}): all together they come to {}, less than the whole",
        "zh": "“{}”（{}）与其各部分（{}）：各部分合计仅{}，少于整体",
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
    sums = list(find_part_sums(plan, usable))
    found = [*_out_of_order(tasks, usable), *_rivals(tasks, usable, {one.whole for one in sums})]
    found += [*_out_of_span(tasks, usable), *_unlike_units(plan, usable), *map(_unlike_parts, sums)]
    return tuple(found[:MOST_FINDINGS])


def describe_inconsistency(
    inconsistency: Inconsistency, plan: Plan, outcomes: Mapping[str, Outcome], language: Language
) -> str:
    """An inconsistency in one line for people; empty where one of its tasks is gone."""
    tasks = [plan.task(task_id) for task_id in inconsistency.task_ids if task_id in plan.ids and task_id in outcomes]
    if len(tasks) < len(inconsistency.task_ids):
        return ""
    if inconsistency.kind == "sum":
        words = _WORDS["over" if inconsistency.severity == "error" else "under"][language]
        return words.format(*_describe_sum(tasks, outcomes, language))
    shown: list[str] = []
    for task in tasks:
        outcome = outcomes[task.id]
        amounts = read_amounts(task, outcome)
        value = render(outcome.value, outcome.type, language)[:_LONGEST]
        shown += [_asked(task, outcomes), _written(amounts[0], language) if len(amounts) == 1 else value]
    return _WORDS[inconsistency.kind][language].format(*shown)


def _describe_sum(tasks: list[Task], outcomes: Mapping[str, Outcome], language: Language) -> list[str]:
    """A whole, its value, its parts, and what these come to."""
    amounts = [read_amounts(task, outcomes[task.id]) for task in tasks]
    if not all(amounts):
        return ["?"] * 4
    parts: list[str] = []
    for task, read in zip(tasks[1:], amounts[1:], strict=True):
        items = outcomes[task.id].detail.items
        named = map(str, items) if items and len(items) == len(read) else [f"“{_asked(task, outcomes)}”"] * len(read)
        parts += [f"{name[:_LONGEST]} {_written(one, language)}" for name, one in zip(named, read, strict=True)]
    added = with_one_unit([one for read in amounts[1:] for one in read])
    total = Amount(sum(one.value for one in added), added[0].unit)
    more = ["…"] if len(parts) > MOST_FINDINGS else []
    listed = next(join_items([*parts[:MOST_FINDINGS], *more], language))
    return [_asked(tasks[0], outcomes), _written(amounts[0][0], language), listed, _written(total, language)]


def _written(amount: Amount, language: Language) -> str:
    unit = "" if amount.unit == "person" else amount.unit
    return " ".join(filter(None, (format_number(amount.value, language), unit)))


def _asked(task: Task, outcomes: Mapping[str, Outcome]) -> str:
    return _fill(task.description, outcomes)[:_LONGEST].rstrip("?？")


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


def _rivals(tasks: list[Task], usable: Mapping[str, Outcome], summed: Collection[str]) -> Iterator[Inconsistency]:
    """Two values for one thing; that a whole is unlike the sum of its parts is told as that."""
    for one, other in combinations(tasks, 2):
        if any(a.id in summed and "expression" in b.args for a, b in ((one, other), (other, one))):
            continue
        if one.frame is None or other.frame is None or one.description.casefold() == other.description.casefold():
            continue  # the very same question is the monitor's own matter
        about = _subject(one, usable)
        asked = (one.frame.relation, one.frame.answer_type, one.frame.dimension)
        if not (about and asked[0]) or about != _subject(other, usable):
            continue
        if asked != (other.frame.relation, other.frame.answer_type, other.frame.dimension):
            continue
        if (one.frame.since, one.frame.until) == (other.frame.since, other.frame.until) and _differ(
            (one, usable[one.id]), (other, usable[other.id])
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
        named = {name: read_amounts(plan.task(name), usable[name]) for name in task.references if name in usable}
        units = {name: {one.unit for one in amounts} for name, amounts in named.items()}
        for one, other in combinations(units, 2):
            both = units[one] | units[other]
            if units[one] != units[other] and all(to_si(1.0, unit) for unit in both):
                yield Inconsistency(kind="units", severity="error", task_ids=(one, other))


def _unlike_parts(found: PartSum) -> Inconsistency:
    severity: Literal["error", "warning"] = "error" if found.is_over else "warning"
    return Inconsistency(kind="sum", severity=severity, task_ids=(found.whole, *found.parts))


def _subject(task: Task, usable: Mapping[str, Outcome]) -> frozenset[str]:
    """The one thing a task asks about, references filled; empty where it is not one, or not known."""
    frame = task.frame
    filled = _fill(task.description, usable)
    if frame is None or len(frame.subjects) != 1 or REFERENCE.search(filled):
        return frozenset()
    return find_topic(filled, frame.relation, frame.language)


def _fill(text: str, outcomes: Mapping[str, Outcome]) -> str:
    return REFERENCE.sub(lambda found: str(outcomes[found[1]].value) if found[1] in outcomes else found[0], text)


def _differ(one: tuple[Task, Outcome], other: tuple[Task, Outcome]) -> bool:
    """Whether two values of one type cannot both be right."""
    if one[1].type == other[1].type == "date":
        first, second = _as_date(one[1]), _as_date(other[1])
        return first is not None and second is not None and _compare(first, second) != 0
    figures = with_one_unit([*read_amounts(*one), *read_amounts(*other)])
    if not one[1].type == other[1].type == "number" or len(figures) != len((one, other)):
        return False
    (a, unit), (b, other_unit) = figures
    return unit == other_unit and abs(a - b) > _SAME_SHARE * max(abs(a), abs(b))


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
