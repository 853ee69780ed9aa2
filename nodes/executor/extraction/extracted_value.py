"""Extracted values: values read out of passages, and whether two of them can both be right."""

import math
import re
from dataclasses import dataclass
from typing import Final

from weiwo.nodes.executor.extraction.entity_matching import name_key
from weiwo.nodes.executor.extraction.predicates import StatedValue
from weiwo.state import JsonValue, Quote, Rival, ValueType
from weiwo.text.dates import PartialDate, find_dates
from weiwo.text.language import HAN, fold
from weiwo.text.numbers import find_numbers
from weiwo.text.units import to_si

BY_RULE: Final = 0.95
"""Confidence in a value that rules show: the share of right assertions without which a mechanism is not kept."""

MEASURED: Final = 0.005
ROUGH: Final = 0.05
"""Shares by which two measurements of one thing may differ, and two rough ones."""


@dataclass(frozen=True)
class ExtractedValue:
    """A value that passages give.

    Attributes:
        value: The value in the data form of its type: ISO date (negative before our era), number, text or list.
        evidence_ids: The passages that give it, best first.
        quotes: The sentences that carry it, verbatim.
        unit: Its unit by its one name, or empty.
        approximate: Whether the passage hedges it.
        shown: The value as the passage writes it.
        mechanism: What found it, such as "look_up:date".
        confidence: 0 to 1.
        rivals: What other documents give instead.
    """

    value: JsonValue
    evidence_ids: tuple[str, ...]
    quotes: tuple[Quote, ...]
    unit: str = ""
    approximate: bool = False
    shown: str = ""
    mechanism: str = ""
    confidence: float = BY_RULE
    rivals: tuple[Rival, ...] = ()


def is_same_date(one: StatedValue, other: StatedValue) -> bool:
    """Whether two dates are one, the coarser of the finer."""
    a, b = PartialDate.from_iso(str(one.value)), PartialDate.from_iso(str(other.value))
    return a.contains(b) or b.contains(a)


def _figure(value: JsonValue, unit: str | None) -> float:
    """A number in the base unit of what it measures, where that is known."""
    number = float(value) if isinstance(value, int | float) else math.nan
    base = to_si(number, unit) if unit else None
    return base[0] if base else number


def is_same_figure(one: StatedValue | ExtractedValue, other: StatedValue | ExtractedValue) -> bool:
    """Whether two figures are one, measured twice or rounded."""
    a, b = _figure(one.value, one.unit), _figure(other.value, other.unit)
    measured = bool(to_si(1, one.unit) and to_si(1, other.unit))
    near = ROUGH if one.approximate or other.approximate else MEASURED if measured else 1e-9
    return abs(a - b) <= near * max(abs(a), abs(b)) or _rounds(a, b) or _rounds(b, a)


def _rounds(exact: float, coarse: float) -> bool:
    """Whether a figure of at least two digits is another, rounded."""
    digits = len(f"{coarse:.12g}".replace(".", "").replace("-", "").strip("0"))
    return digits >= 2 and math.isclose(float(f"{exact:.{digits}g}"), coarse, rel_tol=1e-9)


def is_same_name(one: StatedValue | ExtractedValue, other: StatedValue | ExtractedValue) -> bool:
    """Whether two names are one: alike when folded, or one within the other."""
    a, b = name_key(str(one.value)), name_key(str(other.value))
    if re.search(f"[{HAN}]", a + b):
        return a in b or b in a
    few, many = sorted((a.split(), b.split()), key=len)
    return set(few) <= set(many)


def values_conflict(one: ExtractedValue, other: ExtractedValue) -> bool:
    """Whether two values of one look-up cannot both be right.

    A year and a day in it, a figure and its rounding, a name and its longer form do not conflict; nor do lists.
    """
    a, b = one.value, other.value
    if isinstance(a, bool | list) or isinstance(b, bool | list):
        return isinstance(a, bool) and isinstance(b, bool) and a is not b
    if isinstance(a, int | float) and isinstance(b, int | float):
        return not is_same_figure(one, other)
    first, second = _as_date(str(a)), _as_date(str(b))
    if first and second:
        return not (first.contains(second) or second.contains(first))
    one_script = bool(re.search(f"[{HAN}]", str(a))) == bool(re.search(f"[{HAN}]", str(b)))
    return one_script and not is_same_name(one, other)


def _as_date(text: str) -> PartialDate | None:
    try:
        return PartialDate.from_iso(text)
    except ValueError:
        spans = find_dates(text)
        return spans[0].date if len(spans) == 1 and spans[0].until is None else None


def carries(sentence: str, value: JsonValue, type_: ValueType) -> bool:
    """Whether a sentence contains a value in some form: a date as coarse or finer, a figure in any unit, a name.

    Args:
        sentence: The sentence.
        value: The value in the data form of its type.
        type_: Its type.
    """
    if isinstance(value, list):
        return bool(value) and all(carries(sentence, one, "text") for one in value)
    if isinstance(value, bool) or value is None:
        return False
    dates = [end for span in find_dates(sentence) for end in (span.date, span.until) if end]
    if isinstance(value, int | float):
        figures = [
            figure for one in find_numbers(sentence) for figure in (float(one.value), _figure(one.value, one.unit))
        ]
        return any(math.isclose(float(value), one) for one in (*figures, *(float(date.year) for date in dates)))
    wanted = _as_date(str(value)) if type_ == "date" else None
    if wanted:
        return any(wanted.contains(one) for one in dates)
    return fold(str(value)) in fold(sentence)
