"""Stated values: reading, confidence and equality of values given in a line.

Two values are equal if one is a more precise version of the other, a second measurement of it, a rounding of it, or a
longer form of a name.
"""

import math
import re
from dataclasses import dataclass
from typing import Final

from weiwo.nodes.executor.extraction.entity_matching import name_key
from weiwo.state import JsonValue
from weiwo.text.dates import PartialDate
from weiwo.text.language import HAN
from weiwo.text.units import to_si


@dataclass(frozen=True)
class StatedValue:
    """Value in a line, in data form (`value`) and as written (`shown`).

    `start` and `end` are the span of the value in the line, or of the whole line for a record. `approximate` says that
    the line hedges the value. `years` holds the years to which the line dates a figure.
    """

    value: JsonValue
    shown: str
    start: int
    end: int
    unit: str = ""
    approximate: bool = False
    years: tuple[int, ...] = ()


_MEASURED: Final = 0.005
_ROUGH: Final = 0.05
"""Relative difference allowed between two measurements of a thing, exact ones and approximate ones."""


def is_same_date(value: StatedValue, other: StatedValue) -> bool:
    """Report whether two dates agree, the coarser containing the finer."""
    a, b = PartialDate.from_iso(str(value.value)), PartialDate.from_iso(str(other.value))
    return a.contains(b) or b.contains(a)


def _figure(value: JsonValue, unit: str | None) -> float:
    """Convert a number to the base unit of the measured quantity, if known. NaN if the value is not a number."""
    number = float(value) if isinstance(value, int | float) else math.nan
    return base[0] if unit and (base := to_si(number, unit)) else number


def is_same_figure(value: StatedValue, other: StatedValue) -> bool:
    """Report whether two figures agree, as repeated measurements or roundings."""
    a, b = _figure(value.value, value.unit), _figure(other.value, other.unit)
    measured = bool(to_si(1, value.unit) and to_si(1, other.unit))
    near = _ROUGH if value.approximate or other.approximate else _MEASURED if measured else 1e-9
    return abs(a - b) <= near * max(abs(a), abs(b)) or _rounds(a, b) or _rounds(b, a)


def _rounds(exact: float, coarse: float) -> bool:
    """Report whether a figure of at least two digits is a rounding of another figure."""
    digits = len(f"{coarse:.12g}".replace(".", "").replace("-", "").strip("0"))
    return digits >= 2 and math.isclose(float(f"{exact:.{digits}g}"), coarse, rel_tol=1e-9)


def is_same_name(value: StatedValue, other: StatedValue) -> bool:
    """Report whether two names agree: equal when folded, or contained in each other."""
    a, b = name_key(str(value.value)), name_key(str(other.value))
    if re.search(f"[{HAN}]", a + b):
        return a in b or b in a
    few, many = sorted((a.split(), b.split()), key=len)
    return set(few) <= set(many)
