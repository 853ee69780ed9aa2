"""Consistency across tasks: values that cannot all be right, found by code from what the tasks asked and came to.

Only what can be shown is one: an end before its beginning, two values for one thing, a date outside the span its
task asked for, a calculation over amounts in units that do not fit, a whole less than its parts (`part_sums.py`).
A date or figure that is known less exactly than another agrees with it. A task that ran once for each item of a list
counts as one task for each.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from itertools import combinations, permutations
from typing import Final, Literal, NamedTuple

from weiwo.nodes.shared.amounts import Amount, read_amounts, with_one_unit
from weiwo.nodes.shared.part_sums import find_part_sums
from weiwo.nodes.shared.topics import find_topic
from weiwo.state import ITEM, REFERENCE, Language, Outcome, OutcomeDetail, Plan, Task, item_type
from weiwo.state.evidence import Inconsistency
from weiwo.state.query import QueryFrame
from weiwo.text.dates import PartialDate
from weiwo.text.lists import join_items
from weiwo.text.numbers import format_number
from weiwo.text.patterns import lazy
from weiwo.text.terms import terms
from weiwo.text.units import to_si
from weiwo.text.values import render

MOST_FINDINGS: Final = 10
_BEFORE: Final = frozenset({("birth", "death"), ("beginning", "ending")})
"""Relations of which the first never comes after the second."""
_SAME_SHARE: Final = 0.01
"""Figures that differ by less are one figure, rounded."""
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
    "sum": {
        "en": "“{}” ({}) and its parts ({}): together they come to {}, more than the whole",
        "zh": "“{}”（{}）与其各部分（{}）：各部分合计{}，超过了整体",
    },
}
_LONGEST: Final = 100


class _Reading(NamedTuple):
    """A value with what was asked for it: that of a task, or of a `for_each` task for one item.

    Attributes:
        task: The task; of an item, asked about that item.
        outcome: What it came to.
        item: The item; empty of a task that ran once.
    """

    task: Task
    outcome: Outcome
    item: str = ""


def find_inconsistencies(plan: Plan, outcomes: Mapping[str, Outcome]) -> tuple[Inconsistency, ...]:
    """The findings over a plan's values, in plan order; tasks without a usable value count for nothing."""
    usable = {task_id: outcomes[task_id] for task_id in plan.ids if task_id in outcomes and outcomes[task_id].usable}
    readings = [one for task in plan.tasks if task.id in usable for one in _readings(task, usable[task.id])]
    sums = list(find_part_sums(plan, usable))
    alike = _by_subject(readings, usable)
    found = [*_out_of_order(alike), *_rivals(alike, {one.whole for one in sums})]
    found += [*_out_of_span(readings), *_unlike_units(plan, usable)]
    found += [Inconsistency(kind="sum", severity="error", task_ids=(one.whole, *one.parts)) for one in sums]
    return tuple(found[:MOST_FINDINGS])


def describe_inconsistency(
    inconsistency: Inconsistency, plan: Plan, outcomes: Mapping[str, Outcome], language: Language
) -> str:
    """An inconsistency in one line for people; empty where one of its tasks is gone."""
    tasks = [plan.task(task_id) for task_id in inconsistency.task_ids if task_id in plan.ids and task_id in outcomes]
    if len(tasks) < len(inconsistency.task_ids):
        return ""
    if inconsistency.kind == "sum":
        told = _describe_sum(tasks, outcomes, language)
        return _WORDS["sum"][language].format(*told) if told else ""
    shown: list[str] = []
    for task, item in zip(tasks, inconsistency.items or [""] * len(tasks), strict=True):
        one = next((one for one in _readings(task, outcomes[task.id]) if one.item == item), None)
        if one is None and item:
            return ""
        asked, outcome, _ = one or _Reading(task, outcomes[task.id])
        amounts = read_amounts(asked, outcome)
        value = render(outcome.value, outcome.type, language)[:_LONGEST]
        shown += [_asked(asked, outcomes), _written(amounts[0], language) if len(amounts) == 1 else value]
    return _WORDS[inconsistency.kind][language].format(*shown)


def _describe_sum(tasks: list[Task], outcomes: Mapping[str, Outcome], language: Language) -> list[str]:
    """A whole, its value, its parts, and what these come to; empty where one is no amount any more."""
    amounts = [read_amounts(task, outcomes[task.id]) for task in tasks]
    if not all(amounts):
        return []
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


def _readings(task: Task, outcome: Outcome) -> Iterator[_Reading]:
    """The value of a task; of a `for_each` task, that of each item that has one."""
    if task.for_each is None:
        yield _Reading(task, outcome)
        return
    items, values = outcome.detail.items, outcome.value
    if items is None or not isinstance(values, list) or len(items) != len(values) or task.ret.startswith("list"):
        return
    detail = OutcomeDetail(approximate=outcome.detail.approximate)
    for item, value in dict(zip(map(str, items), values, strict=True)).items():
        one = outcome.model_copy(update={"value": value, "type": item_type(outcome.type), "detail": detail})
        bound = outcome.model_copy(update={"value": item})
        asked = _fill(task.description, dict.fromkeys([ITEM, *REFERENCE.findall(task.for_each)], bound))
        yield _Reading(task.model_copy(update={"description": asked, "for_each": None}), one, item)


def _by_subject(readings: list[_Reading], usable: Mapping[str, Outcome]) -> list[list[_Reading]]:
    """The readings that say something of one thing, for each thing."""
    alike: dict[frozenset[str], list[_Reading]] = {}
    for one in readings:
        if one.task.frame is not None and one.task.frame.relation and (about := _subject(one, usable)):
            alike.setdefault(about, []).append(one)
    return list(alike.values())


def _out_of_order(alike: list[list[_Reading]]) -> Iterator[Inconsistency]:
    for group in alike:
        for first, last in permutations(group, 2):
            asked = (_frame(first).relation, _frame(last).relation)
            if asked in _BEFORE and _is_before(_as_date(last.outcome), _as_date(first.outcome)):
                yield _finding("order", "error", first, last)


def _rivals(alike: list[list[_Reading]], summed: Collection[str]) -> Iterator[Inconsistency]:
    """Two values for one thing; that a whole is unlike the sum of its parts is told as that."""
    for group in alike:
        for one, other in combinations(group, 2):
            a, b = one.task, other.task
            if any(x.id in summed and "expression" in y.args for x, y in ((a, b), (b, a))):
                continue
            if a.id == b.id or a.description.casefold() == b.description.casefold():
                continue  # the very same question is the monitor's own matter
            if _asked_for(_frame(one)) == _asked_for(_frame(other)) and _differ(one, other):
                yield _finding("rivals", "error", one, other)


def _out_of_span(readings: list[_Reading]) -> Iterator[Inconsistency]:
    for one in readings:
        frame, value = one.task.frame, _as_date(one.outcome)
        if frame is None or frame.answer_type not in {"date", "year"}:
            continue
        if _is_before(value, _parse(frame.since)) or _is_before(_parse(frame.until), value):
            yield _finding("span", "warning", one)


def _finding(
    kind: Literal["order", "rivals", "span"], severity: Literal["error", "warning"], *readings: _Reading
) -> Inconsistency:
    items = tuple(one.item for one in readings)
    task_ids = tuple(one.task.id for one in readings)
    return Inconsistency(kind=kind, severity=severity, task_ids=task_ids, items=items if any(items) else ())


def _frame(one: _Reading) -> QueryFrame:
    frame = one.task.frame
    assert frame is not None  # noqa: S101 - `_by_subject` leaves out those without one
    return frame


def _asked_for(frame: QueryFrame) -> tuple[object, ...]:
    """What a question asks of its subject."""
    return frame.relation, frame.answer_type, frame.dimension, frame.since, frame.until


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


def _subject(one: _Reading, usable: Mapping[str, Outcome]) -> frozenset[str]:
    """The one thing a reading is about, references filled; empty where it is not one, or not known."""
    frame = one.task.frame
    filled = _fill(one.task.description, usable)
    if frame is None or len(frame.subjects) != 1 or REFERENCE.search(filled):
        return frozenset()
    return find_topic(filled, frame.relation, frame.language) | set(terms(one.item))


def _fill(text: str, outcomes: Mapping[str, Outcome]) -> str:
    return REFERENCE.sub(lambda found: str(outcomes[found[1]].value) if found[1] in outcomes else found[0], text)


def _differ(one: _Reading, other: _Reading) -> bool:
    """Whether two values of one type cannot both be right."""
    if one.outcome.type == other.outcome.type == "date":
        first, second = _as_date(one.outcome), _as_date(other.outcome)
        return _is_before(first, second) or _is_before(second, first)
    figures = with_one_unit([*read_amounts(one.task, one.outcome), *read_amounts(other.task, other.outcome)])
    if not one.outcome.type == other.outcome.type == "number" or len(figures) != len((one, other)):
        return False
    (a, unit), (b, other_unit) = figures
    return unit == other_unit and abs(a - b) > _SAME_SHARE * max(abs(a), abs(b))


def _is_before(one: PartialDate | None, other: PartialDate | None) -> bool:
    """Whether a date is earlier than another, as far as both are known."""
    if one is None or other is None or one.contains(other) or other.contains(one):
        return False
    return one < other


def _as_date(outcome: Outcome) -> PartialDate | None:
    if outcome.type != "date" or outcome.detail.approximate or not isinstance(outcome.value, str):
        return None
    return _parse(outcome.value)


def _parse(text: str) -> PartialDate | None:
    try:
        return PartialDate.from_iso(text)
    except ValueError:
        return None
