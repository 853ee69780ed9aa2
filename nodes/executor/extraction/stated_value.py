"""A value that a line gives, and the check that two values agree.

Values agree if one is a more precise version of the other, a second measurement, a rounding, or a longer form of a
name.
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
    """A value that a line gives.

    Attributes:
        value: The value in data form: 828, or "1900-05".
        shown: The value as written.
        start: Start of the value in the line. For a record, start of the whole line.
        end: End of the value, or of the line.
        unit: Canonical unit of a figure, or "".
        approximate: Whether the line hedges the value ("about").
        years: Years to which the line dates a figure.
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
"""Relative difference allowed between two measurements if one is approximate. For exact ones it is `_MEASURED`."""


def is_same_date(value: StatedValue, other: StatedValue) -> bool:
    """Report whether two dates agree: equal, or one within the other, as May 1900 in 1900."""
    a, b = PartialDate.from_iso(str(value.value)), PartialDate.from_iso(str(other.value))
    return a.contains(b) or b.contains(a)


def _figure(value: JsonValue, unit: str | None) -> float:
    """Return a number in the base unit of its kind, if the unit is known: 828 for 0.828 km.

    NaN if it is not a number.
    """
    number = float(value) if isinstance(value, int | float) else math.nan
    return base[0] if unit and (base := to_si(number, unit)) else number


def is_same_figure(value: StatedValue, other: StatedValue) -> bool:
    """Report whether two figures agree: equal in the base unit, measured with a small difference, or one rounded.

    830 m agrees with 828 m, and 0.828 km does. Two figures without a unit must be equal or roundings.
    """
    a, b = _figure(value.value, value.unit), _figure(other.value, other.unit)
    measured = bool(to_si(1, value.unit) and to_si(1, other.unit))
    near = _ROUGH if value.approximate or other.approximate else _MEASURED if measured else 1e-9
    return abs(a - b) <= near * max(abs(a), abs(b)) or _rounds(a, b) or _rounds(b, a)


def _rounds(exact: float, coarse: float) -> bool:
    """Report whether a figure of at least two digits is a rounding of the exact figure: 830 of 828, but not 800."""
    digits = len(f"{coarse:.12g}".replace(".", "").replace("-", "").strip("0"))
    return digits >= 2 and math.isclose(float(f"{exact:.{digits}g}"), coarse, rel_tol=1e-9)


def is_same_name(value: StatedValue, other: StatedValue) -> bool:
    """Report whether two names agree: one has all words of the other, as "Ann Lee" and "Ann Mary Lee".

    A Chinese name must contain the other.
    """
    a, b = name_key(str(value.value)), name_key(str(other.value))
    if re.search(f"[{HAN}]", a + b):
        return a in b or b in a
    few, many = sorted((a.split(), b.split()), key=len)
    return set(few) <= set(many)
