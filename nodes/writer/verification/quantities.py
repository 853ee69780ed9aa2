"""Quantities with units, converted to the base unit of each kind for comparison.

Lengths, masses, areas, durations, shares and money come from `weiwo.text.numbers`. This module adds temperatures,
volumes, data sizes, power, speeds and the short forms of time, fractions in words, and the bounds that stand before a
figure.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import Final, NamedTuple

from weiwo.text.data_files import data_pattern, data_rows
from weiwo.text.language import word_set
from weiwo.text.numbers import find_numbers
from weiwo.text.patterns import lazy
from weiwo.text.units import to_si, unit_after

LARGEST_COUNT: Final = 12
"""Bare numbers up to this count things more often than they state a figure."""
ROUGHLY: Final = 0.05
"""Share by which a figure marked as rounded ("about 5,000") may differ from the exact figure."""
MONEY: Final = frozenset(["USD", "EUR", "GBP", "JPY", "HKD", "元", "NOK", "SEK", "CHF", "INR", "RUB", "KRW"])
PHYSICAL: Final = MONEY | word_set("m kg m² m³ s °C L B W Wh m/s Hz penny cent pound tsp tbsp")
POINTS: Final = "pp"
"""The unit of a difference of two percentages."""

_LEAST_SHORTENED: Final = 100_000
"""Whole figures from which prose leaves out the last digits."""
_CONVERTED: Final = 0.01
"""Share by which a figure marked as rounded may differ if it is converted from another unit."""
_SECONDS: Final = {"second": 1.0, "minute": 60.0, "hour": 3_600.0, "day": 86_400.0, "week": 604_800.0, "month": 2_629_800.0, "year": 31_557_600.0}  # fmt: skip
_POINTS: Final = lazy(r"(?i)\s?(?:个百分点|percentage points?\b)")
_BETWEEN_UNITS: Final = lazy(r"\s?(?:and\s)?|[零又]")
_RATED: Final = lazy(r"[\s-]?[A-Za-zµ]{1,12}(?=/[A-Za-z])")
_ABOUT: Final = data_pattern("quantities", "about")
_AT_LEAST: Final = data_pattern("quantities", "at_least")
_AT_MOST: Final = data_pattern("quantities", "at_most")
_OR_MORE: Final = data_pattern("quantities", "or_more")
_OR_LESS: Final = data_pattern("quantities", "or_less")
_ROUNDED_AFTER: Final = data_pattern("quantities", "rounded_after")


class Quantity(NamedTuple):
    """A quantity and the position in a text.

    Attributes:
        start: Offset of the first character.
        end: Offset after the last character, unit included.
        value: The figure as written, with multipliers applied.
        unit: The unit as written, under its canonical name, or "" if no unit is known.
        kind: The base unit of its kind ("m", "kg", "s", "%", "USD"), or "" for a bare number.
        base: The value in that base unit.
        bound: 1 for a lower bound ("at least"), -1 for an upper bound, else 0.
        about: Whether the text marks it as a rounded figure.
    """

    start: int
    end: int
    value: float
    unit: str
    kind: str
    base: float
    bound: int = 0
    about: bool = False


@cache
def _more_units() -> dict[str, tuple[str, float]]:
    rows = (row.split() for (row,) in data_rows("quantities", "units"))
    return {alias: (kind, float(factor)) for kind, factor, *aliases in rows for alias in aliases}


@cache
def _unit_patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return two patterns: a unit that may follow a figure (" nm", " degrees C"), and a figure with a unit (5nm)."""
    unit = "|".join(re.escape(alias) for alias in sorted(_more_units(), key=len, reverse=True))
    figure = r"((?:(?<![\w.,)-])[-−])?(?<![A-Za-z0-9_.,])(?<![A-Za-z]-)\d{1,9}(?:,\d{3})*(?:\.\d{1,6})?)"
    degrees = r"(?:[\s-]?°\s?|\sdegrees? |(?<=\d))([CF])(?![A-Za-z0-9_])"
    return (
        re.compile(rf"[\s-]?(?:degrees? )?({unit})(?![A-Za-z0-9_²³]|-[a-z])|{degrees}"),
        re.compile(rf"{figure}(?=(?:{unit}|[CF])(?![A-Za-z0-9_²³]))"),
    )


@lru_cache(maxsize=2_048)
def find_quantities(text: str) -> tuple[Quantity, ...]:
    """Find the quantities of a text, in order. Time grows linearly with the length of the text.

    "At least 5 km" gives a value of 5, the unit "km", the kind "m", the base value 5,000 and the bound 1.

    Args:
        text: Any text. Ordinals, days of dates and month numbers (12月) are left out. Years are not distinguished from
            other numbers.
    """
    found = [
        _quantity(text, span.start, span.end, float(span.value), "%" if span.percent else span.unit or "")
        for span in find_numbers(text)
        if text[span.end : span.end + 1] != "月" or span.unit
    ]
    taken = [(item.start, item.end) for item in found]
    found += [
        _quantity(text, m.start(), m.end(1), float(m[1].replace(",", "").replace("−", "-")), "")
        for m in _unit_patterns()[1].finditer(text)
        if not any(a < m.end() and m.start() < b for a, b in taken)
    ]
    return tuple(_join_durations(text, sorted(found, key=lambda item: item.start)))


def _join_durations(text: str, found: Sequence[Quantity]) -> Iterator[Quantity]:
    """Yield the quantities, with durations written in two units joined: "2 h 15 min" becomes 135 minutes."""
    last: Quantity | None = None
    for quantity in found:
        joins = (
            last is not None
            and last.kind == quantity.kind == "s"
            and last.value == int(last.value) > 0
            and 0 < quantity.base < last.base / last.value
            and _BETWEEN_UNITS.fullmatch(text, last.end, quantity.start)
        )
        if joins and last is not None:
            base = last.base + quantity.base
            last = quantity._replace(
                start=last.start, value=base / quantity.base * quantity.value, base=base, bound=last.bound
            )
            continue
        if last is not None:
            yield last
        last = quantity
    if last is not None:
        yield last


def _quantity(text: str, start: int, end: int, value: float, unit: str) -> Quantity:
    kind, base = unit, value
    if unit in _SECONDS:
        kind, base = "s", value * _SECONDS[unit]
    elif unit and (known := to_si(value, unit)) is not None:
        base, kind = known
    elif not unit and (points := _POINTS.match(text, end)):
        kind, end, unit = POINTS, points.end(), POINTS
    elif not unit and (found := _unit_patterns()[0].match(text, end)):
        unit = found[1] or f"°{found[2]}"
        kind, factor = _more_units()[unit]
        base, end = value * factor, found.end()
        if kind == "°F":
            kind, base = "°C", (value - 32) / 1.8
    elif not unit and (rated := _RATED.match(text, end)) and (named := unit_after(rated[0], 0)):  # 20 mg/L
        return _quantity(text, start, end + named[1], value, named[0])
    before = text[max(0, start - 24) : start]
    bound = 1 if _AT_LEAST.search(before) or _OR_MORE.match(text, end) else 0
    bound = bound or (-1 if _AT_MOST.search(before) or _OR_LESS.match(text, end) else 0)
    about = bool(_ABOUT.search(before) or _ROUNDED_AFTER.match(text, end))
    return Quantity(start, end, value, unit, kind, base, bound, about)


def same_quantity(claimed: Quantity, known: Quantity) -> bool:
    """Report whether two quantities are equal, in any units of the same kind: 72 hours and 3 days.

    Converted and rounded figures have to agree only to the digits that are written: 6.8 billion and 6,809 million. A
    figure marked as rounded ("about 5,000") may differ by a twentieth.

    Args:
        claimed: The quantity of a claim. A bare number agrees with any unit but the percent sign.
        known: The quantity of a source.
    """
    if (claimed.kind == "%") != (known.kind == "%"):
        return False
    if "pound" in {claimed.kind, known.kind}:
        units = {claimed.unit or "lb", known.unit or "lb"}
        return close(claimed.value, known.value) and units <= {"pound", "pounds", "GBP", "lb", "lbs"}
    if not (claimed.kind and known.kind) or claimed.unit == known.unit:
        exact = claimed.value, known.value
        return close(*exact) or _roughly(claimed, *exact) or _is_shortened(*exact)
    if claimed.kind != known.kind or not claimed.value:
        return False
    calendar = [item.unit in {"month", "year"} for item in (claimed, known)]
    if claimed.kind == "s" and calendar[0] != calendar[1]:
        return abs(claimed.base - known.base) <= 0.026 * known.base
    if _roughly(claimed, claimed.base, known.base):
        return True
    return close(claimed.base, known.base) or _rounds(claimed.value, claimed.base / claimed.value, known.base)


def _roughly(claimed: Quantity, value: float, other: float) -> bool:
    """Report whether a figure marked as rounded is close enough to the exact figure. False for a figure without a mark.

    It must agree to its digits, or within a twentieth if it has no more than two significant digits, as in "about
    5,000". A converted figure may differ by 1%.

    Args:
        claimed: The rounded figure.
        value: The rounded figure in the unit of comparison.
        other: The exact figure in that unit.
    """
    if not claimed.about or not claimed.value or claimed.bound * (value - other) > 0:
        return False
    digits = f"{int(claimed.value)}"
    coarse = claimed.value == int(claimed.value) and len(digits.rstrip("0")) <= 2
    step = 10 ** (len(digits) - len(digits.rstrip("0"))) * value / claimed.value if claimed.bound else 0.0
    near = max(ROUGHLY * abs(other), step)  # twenty-odd are below thirty
    if value != claimed.value and abs(value - other) <= _CONVERTED * abs(other):
        return True
    return (coarse and abs(value - other) <= near) or _rounds(claimed.value, value / claimed.value, other)


def _is_shortened(claimed: float, known: float) -> bool:
    """Report whether a figure is another figure with the last digits rounded away: 6.8 billion for 6,809 million.

    At least two digits must remain, and the claimed figure must be 100,000 or more or the other have decimals.
    """
    written = f"{abs(claimed):.12g}".replace(".", "").rstrip("0")
    return len(written) >= 2 and (claimed >= _LEAST_SHORTENED or known != int(known)) and _rounds(claimed, 1.0, known)


def close(number: float, other: float) -> bool:
    """Report whether two numbers differ by rounding errors only: at most 5e-7, or a billionth of large numbers."""
    return abs(number - other) <= max(5e-7, 1e-9 * max(abs(number), abs(other)))


def _rounds(written: float, scale: float, other: float) -> bool:
    """Report whether a written figure is the other figure, rounded: 3.1 miles for 5 km.

    They must agree to the digits that are written, and within a twentieth.

    Args:
        written: The figure as written, here 3.1.
        scale: The size of its unit, in the unit of the other figure, here 1,609.344.
        other: The exact figure, here 5,000.
    """
    if not written or not other:
        return False
    digits = f"{abs(written):.12g}"
    decimals = len(digits.partition(".")[2]) if "e" not in digits else 0
    zeros = len(digits) - len(digits.rstrip("0")) if not decimals and "e" not in digits else 0
    step = 10.0 ** (zeros - decimals) * scale
    return abs(written * scale - other) <= min(0.51 * step, 0.05 * abs(other))
