"""Arithmetic over the figures of sources, for numbers derivable without being stated.

Differences, sums, products with a count, quotients, shares, the time between two dates, and dates a time apart.
"""

from collections.abc import Iterable, Iterator
from itertools import combinations, permutations
from typing import Final

from weiwo.nodes.writer.verification.grounds import Grounds
from weiwo.nodes.writer.verification.quantities import (
    LARGEST_COUNT,
    POINTS,
    ROUGHLY,
    Quantity,
    close,
)
from weiwo.text.data_files import data_pattern
from weiwo.text.dates import PartialDate
from weiwo.text.patterns import lazy

_MOST_FIGURES: Final = 40
_MOST_DATES: Final = 30
_DIFFERENCE: Final = data_pattern("claims", "derivation", "difference")
_COUNTED: Final = data_pattern("claims", "derivation", "counted")
_PERIODS: Final = (4.0, 12.0, 52.0, 7.0)
"""Quarters, months and weeks of a year, days of a week."""
_RATE: Final = lazy(r"(?i)\b(?:per|each|every|quarter|month|week|annual|year)|[每季周]|个月|年度|全年|一年")
"""Words for a period, which show that a figure may be converted, as from a month to a year."""
_TIMES: Final = lazy(r"\s?(?:times\b|倍)")
_DAY: Final = 86_400.0
_LATER: Final = data_pattern("claims", "derivation", "later")
_APART: Final = data_pattern("claims", "derivation", "apart")


def follows(number: Quantity, statement: str, grounds: Grounds) -> bool:
    """Report whether a number follows from two or three figures, dates or times in the sources.

    With the source "the mill is 50 m tall and the church is 30 m tall", "the difference is 20 m" follows.

    Args:
        number: A number that no source states. A number up to 12 without a unit needs a word such as "difference" or
            "total" in the statement.
        statement: The statement that contains the number.
        grounds: The sources.
    """
    clauses = (clause for source in grounds.sources for clause in source.sentences)
    figures = list(dict.fromkeys(quantity for clause in clauses for quantity in clause.quantities))[:_MOST_FIGURES]
    if _proportional(number, statement, grounds):
        return True
    if not (number.unit or number.value > LARGEST_COUNT or _DIFFERENCE.search(statement)):
        return False
    dates = [date for source in grounds.sources for date in source.dates][:_MOST_DATES]
    kind = "%" if number.kind == POINTS else number.kind
    alike = [f.base for f in figures if f.kind == kind or (not number.unit and f.kind != "%")]
    bare = [f.value for f in figures if number.unit and not f.unit and f.value > LARGEST_COUNT]
    alike += [value * number.base / number.value for value in bare if number.kind != "%" and number.value]
    near = 0.03 if number.about else 0.0
    counted = bool(_COUNTED.search(statement))
    days = [day for date in dates if (day := date.ordinal()) is not None]
    periods = _PERIODS if counted and _RATE.search(statement) else ()
    counts = [*(f.value for f in figures if f.value and not f.unit), *periods] if counted else []
    ways = (
        *_results(number, figures, alike, counts),
        *(abs(item - other) * _DAY for item, other in combinations(days, 2) if number.kind == "s"),
    )
    size = abs(number.base)
    if any(close(size, way) or (abs(size - way) <= near * way and number.bound * (size - way) <= 0) for way in ways):
        return True
    if number.unit == "month":
        ends = [12 * date.year + date.month for date in dates if date.month]
        return any(abs(abs(item - other) - number.value) <= 1 for item, other in combinations(ends, 2))
    years = number.unit in {"year", ""}
    apart = [abs(a.year - b.year) for a, b in combinations(dates, 2) if a.year != b.year] if years else []
    rounded = ROUGHLY * abs(number.value) if number.about else 0.0
    return any(-rounded <= way - abs(number.value) <= max(1.0, rounded) for way in apart)


def date_follows(date: PartialDate, grounds: Grounds) -> bool:
    """Report whether a date follows from a source sentence with another date and the months or years between.

    "The mill was built on 3 March 1900 and was rebuilt fourteen months later" gives May 1901.
    """
    for clause in (clause for source in grounds.sources for clause in source.sentences):
        for quantity in clause.quantities[:_MOST_FIGURES]:
            apart = round(quantity.value * (12 if quantity.unit == "year" else 1))
            if quantity.unit not in {"month", "year"} or not _APART.match(clause.text, quantity.end):
                continue
            later = _LATER.match(clause.text, quantity.end) is not None
            if any(_is_apart(date, span.date, apart if later else -apart) for span in clause.dates):
                return True
    return False


def _is_apart(date: PartialDate, other: PartialDate, months: int) -> bool:
    """Report whether a date lies a number of months after another date. Month and day are compared only if known.

    Args:
        date: The date to test.
        other: The known date. If it is only a year, `date` must be only a year, too.
        months: Months from `other` to `date`. Negative if `date` is earlier.
    """
    if other.month is None:
        return date.month is None and 12 * (date.astronomical - other.astronomical) == months
    year, month = divmod(12 * other.astronomical + other.month - 1 + months, 12)
    return date.astronomical == year and date.month in {None, month + 1} and date.day in {None, other.day}


def _proportional(number: Quantity, statement: str, grounds: Grounds) -> bool:
    """Report whether a percentage or multiple follows from two figures of one source sentence.

    "25%" and "four times" follow from "50 of the 200 mills closed". A percentage may be a share or a change. False for
    any other number.
    """
    times = _TIMES.match(statement, number.end)
    if number.kind != "%" and not times:
        return False
    near = 0.51 / 10 ** len(f"{number.value:.12g}".partition(".")[2])
    for clause in (clause for source in grounds.sources for clause in source.sentences):
        for item, other in permutations(clause.quantities[:_MOST_FIGURES], 2):
            if item.kind == other.kind and other.base:
                ratio = item.base / other.base
                ways = (ratio,) if times else (100 * ratio, abs(100 * ratio - 100))
                if any(abs(number.value - way) <= near for way in ways):
                    return True
    return False


def _results(number: Quantity, figures: list[Quantity], alike: list[float], counts: Iterable[float]) -> Iterator[float]:
    whole = [*alike, 100.0] if number.kind == "%" else alike
    for item, other in combinations(whole, 2):
        if item != other:
            yield from (abs(item - other), item + other)
    for three in combinations(whole[:10], 3) if number.unit else ():
        yield sum(three)
        yield abs(2 * max(three) - sum(three))
    for value in alike:
        yield from (way for count in counts for way in (value * count, value / count))
        yield from (
            way for f in figures if f.kind == "%" and f.value for way in (value * f.value / 100, value * 100 / f.value)
        )
