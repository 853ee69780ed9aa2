"""Stated values: what a line gives as a value, whether it vouches for it, and whether two of them are one.

Two are one if one tells the other more precisely, measures it again, rounds it, or gives a name in a longer form.
"""

import math
import re
from dataclasses import dataclass
from typing import Final

from weiwo.nodes.executor.extraction.entity_matching import name_key
from weiwo.state import JsonValue
from weiwo.text.data_files import data_pattern
from weiwo.text.dates import PartialDate
from weiwo.text.language import HAN
from weiwo.text.units import to_si


@dataclass(frozen=True)
class StatedValue:
    """A value that a line gives, in its data form and as written, with where clause and value stand in the line.

    `approximate` says that the line hedges it, `years` the years to which the line dates a figure.
    """

    value: JsonValue
    shown: str
    start: int
    end: int
    unit: str = ""
    approximate: bool = False
    years: tuple[int, ...] = ()


_UNSURE: Final = data_pattern("extraction", "stated_value", "unsure")


def vouched(line: str, value: StatedValue) -> bool:
    """Whether the clause that gives a value vouches for it, without "probably" or "planned"."""
    return _UNSURE.search(line[max(0, value.start - 40) : value.end]) is None


_MEASURED: Final = 0.005
_ROUGH: Final = 0.05
"""Shares by which two measurements of one thing may differ, and two rough ones."""


def is_same_date(one: StatedValue, other: StatedValue) -> bool:
    """Whether two dates are one, the coarser of the finer."""
    a, b = PartialDate.from_iso(str(one.value)), PartialDate.from_iso(str(other.value))
    return a.contains(b) or b.contains(a)


def _figure(value: JsonValue, unit: str | None) -> float:
    """A number in the base unit of what it measures, where that is known."""
    number = float(value) if isinstance(value, int | float) else math.nan
    return base[0] if unit and (base := to_si(number, unit)) else number


def is_same_figure(one: StatedValue, other: StatedValue) -> bool:
    """Whether two figures are one, measured twice or rounded."""
    a, b = _figure(one.value, one.unit), _figure(other.value, other.unit)
    measured = bool(to_si(1, one.unit) and to_si(1, other.unit))
    near = _ROUGH if one.approximate or other.approximate else _MEASURED if measured else 1e-9
    return abs(a - b) <= near * max(abs(a), abs(b)) or _rounds(a, b) or _rounds(b, a)


def _rounds(exact: float, coarse: float) -> bool:
    """Whether a figure of at least two digits is another, rounded."""
    digits = len(f"{coarse:.12g}".replace(".", "").replace("-", "").strip("0"))
    return digits >= 2 and math.isclose(float(f"{exact:.{digits}g}"), coarse, rel_tol=1e-9)


def is_same_name(one: StatedValue, other: StatedValue) -> bool:
    """Whether two names are one: alike when folded, or one within the other."""
    a, b = name_key(str(one.value)), name_key(str(other.value))
    if re.search(f"[{HAN}]", a + b):
        return a in b or b in a
    few, many = sorted((a.split(), b.split()), key=len)
    return set(few) <= set(many)
