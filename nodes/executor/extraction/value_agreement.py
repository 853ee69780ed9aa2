"""Value agreement: whether two stated values are one, told more precisely, measured twice, or in a longer form."""

import math
import re
from typing import Final

from weiwo.nodes.executor.extraction.entity_matching import name_key
from weiwo.nodes.executor.extraction.predicates import StatedValue
from weiwo.state import JsonValue
from weiwo.text.dates import PartialDate
from weiwo.text.language import HAN
from weiwo.text.units import to_si

MEASURED: Final = 0.005
ROUGH: Final = 0.05
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
    near = ROUGH if one.approximate or other.approximate else MEASURED if measured else 1e-9
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
