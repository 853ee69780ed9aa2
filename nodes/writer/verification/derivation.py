"""Arithmetic over a source's figures: whether a number follows from them though none of them states it.

Differences, sums, products with a count, quotients, shares, and the time between two dates or two clock times.
"""

from collections.abc import Iterator
from itertools import combinations, permutations
from typing import Final

from weiwo.nodes.writer.verification.grounds import Grounds
from weiwo.nodes.writer.verification.quantities import (
    LARGEST_COUNT,
    NEAR_SHARE,
    POINTS,
    ROUGHLY,
    SHARE,
    Quantity,
    close,
)
from weiwo.nodes.writer.verification.shares import find_shares
from weiwo.text.dates import PartialDate
from weiwo.text.patterns import lazy

MOST_FIGURES: Final = 40
MOST_DATES: Final = 30
_CLOCK: Final = lazy(r"(?<![\d:.])([01]?\d|2[0-4])[:：]([0-5]\d)(?!\d)")
_DIFFERENCE: Final = lazy(
    r"(?i)\b(?:difference|more|less|fewer|longer|shorter|higher|lower|older|younger|later|earlier|after|before|taller|heavier|lighter|larger|smaller|deeper"
    r"|increase[ds]?|decrease[ds]?|rose|fell|grew|dropped|aged?|apart|gap|total|together|altogether|delay|lasted|not|remaining|rest|cheaper|expensive)\b|相差|差|比|多出|少|早|晚|岁|共|合计|增加|减少"
)
_COUNTED: Final = lazy(
    r"(?i)\b(?:each|apiece|per|every|a (?:quarter|month|week|year)|(?:quarter|month|week|year)ly|total|together|altogether|comes? to|came to|average)\b|[每共]|合计|平均"
)
_PERIODS: Final = (4.0, 12.0, 52.0, 7.0)
"""Quarters, months and weeks of a year, days of a week."""
_TIMES: Final = lazy(r"\s?(?:times\b|倍)")
_DAY: Final = 86_400.0


def follows(number: Quantity, statement: str, grounds: Grounds) -> bool:
    """Whether a number follows from two or three figures, dates or times that the sources give.

    Args:
        number: A number that no source states. A small bare one needs a word that speaks of a difference or a sum.
        statement: What it stands in.
        grounds: The sources.
    """
    figures = list(dict.fromkeys(_figures(grounds)))[:MOST_FIGURES]
    if _proportional(number, statement, grounds):
        return True
    if not (number.unit or number.value > LARGEST_COUNT or _DIFFERENCE.search(statement)):
        return False
    dates = [date for source in grounds.sources for date in source.dates][:MOST_DATES]
    kind = "%" if number.kind == POINTS else number.kind
    alike = [f.base for f in figures if f.kind == kind or (not number.unit and f.kind != "%")]
    bare = [f.value for f in figures if number.unit and not f.unit and f.value > LARGEST_COUNT]
    alike += [value * number.base / number.value for value in bare if number.kind != "%" and number.value]
    near = 0.03 if number.about else 0.0
    counted = bool(_COUNTED.search(statement))
    ways = (
        *_results(number, figures, alike, counted=counted),
        *(_stretches(dates, grounds) if number.kind == "s" else ()),
        *(_days_through(grounds) if number.unit == "day" else ()),
    )
    size = abs(number.base)
    if any(close(size, way) or (abs(size - way) <= near * way and number.bound * (size - way) <= 0) for way in ways):
        return True
    if number.unit == "month":
        ends = [12 * date.year + date.month for date in dates if date.month]
        return any(abs(abs(one - other) - number.value) <= 1 for one, other in combinations(ends, 2))
    years = number.unit in {"year", ""}
    apart = [abs(a.year - b.year) for a, b in combinations(dates, 2) if a.year != b.year] if years else []
    rounded = ROUGHLY * abs(number.value) if number.about else 0.0
    return any(-rounded <= way - abs(number.value) <= max(1.0, rounded) for way in apart)


def _figures(grounds: Grounds) -> Iterator[Quantity]:
    """The figures of the sources; times of day are none."""
    for source in grounds.sources:
        for clause in source.sentences:
            clocks = [found.span() for found in _CLOCK.finditer(clause.text)]
            found = [*clause.quantities, *find_shares(clause.text)]
            yield from (one for one in found if not any(a < one.end and one.start < b for a, b in clocks))


def _proportional(number: Quantity, statement: str, grounds: Grounds) -> bool:
    """Whether a number is the share, the change in percent or the multiple of two figures of one sentence."""
    times = _TIMES.match(statement, number.end)
    if number.kind != "%" and not times:
        return False
    near = (
        NEAR_SHARE * number.value
        if number.unit == SHARE
        else 0.51 / 10 ** len(f"{number.value:.12g}".partition(".")[2])
    )
    for clause in (clause for source in grounds.sources for clause in source.sentences):
        for one, other in permutations(clause.quantities[:MOST_FIGURES], 2):
            if one.kind == other.kind and other.base:
                ratio = one.base / other.base
                ways = (ratio,) if times else (100 * ratio, abs(100 * ratio - 100))
                if any(abs(number.value - way) <= near for way in ways):
                    return True
    return False


def _results(number: Quantity, figures: list[Quantity], alike: list[float], *, counted: bool) -> Iterator[float]:
    whole = [*alike, 100.0] if number.kind == "%" else alike
    for one, other in combinations(whole, 2):
        if one != other:
            yield from (abs(one - other), one + other)
    for three in combinations(whole[:10], 3) if number.unit else ():
        yield sum(three)
        yield abs(2 * max(three) - sum(three))
    counts = [*(f.value for f in figures if f.value and not f.unit), *_PERIODS] if counted else []
    for value in alike:
        yield from (way for count in counts for way in (value * count, value / count))
        yield from (
            way for f in figures if f.kind == "%" and f.value for way in (value * f.value / 100, value * 100 / f.value)
        )


def _days_through(grounds: Grounds) -> Iterator[float]:
    """Seconds from a day to another one of the same month, both included, as one counts the days of an event."""
    for source in grounds.sources:
        for one, other in combinations(sorted(source.days)[:MOST_DATES], 2):
            if one[0] == other[0]:
                yield (other[1] - one[1] + 1) * _DAY


def _stretches(dates: list[PartialDate], grounds: Grounds) -> Iterator[float]:
    """Seconds between two days and between two times of day."""
    days = [day for date in dates if (day := date.ordinal()) is not None]
    yield from (abs(one - other) * _DAY for one, other in combinations(days, 2))
    clock = [60.0 * (60 * int(m[1]) + int(m[2])) for source in grounds.sources for m in _CLOCK.finditer(source.text)]
    yield from (abs(one - other) for one, other in combinations(clock[:MOST_DATES], 2))
