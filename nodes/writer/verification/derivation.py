"""Arithmetic over a source's figures: whether a number follows from them though none of them states it.

Differences, sums, products with a count, quotients, shares, and the time between two dates or two clock times.
"""

from collections.abc import Iterator
from itertools import combinations, permutations
from typing import Final

from weiwo.nodes.writer.verification.grounds import Grounds
from weiwo.nodes.writer.verification.quantities import LARGEST_COUNT, NEAR_SHARE, SHARE, Quantity, close
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
_HALF_DAY: Final = lazy(r"(?i)\d{1,2}\s?(?:[ap]\.?m\b|o'clock|[点时])")
_HALF_DAY_BEFORE: Final = lazy(r"(?:上午|下午|晚上|早上|中午)$")
_ONE_IN: Final = lazy(r"(?i)\b(?:one|1) in(?: every)?\s$")
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
    if _idiomatic(number, statement, grounds) or _in_ratio(number, statement, figures):
        return True
    if not (number.unit or number.value > LARGEST_COUNT or _DIFFERENCE.search(statement)):
        return False
    dates = [date for source in grounds.sources for date in source.dates][:MOST_DATES]
    alike = [f.base for f in figures if f.kind == number.kind or (not number.unit and f.kind != "%")]
    bare = [f.value for f in figures if number.unit and not f.unit and f.value > LARGEST_COUNT]
    alike += [value * number.base / number.value for value in bare if number.kind != "%" and number.value]
    near = 0.03 if number.about else 0.0
    counted = bool(_COUNTED.search(statement))
    ways = (
        *_results(number, figures, alike, counted=counted),
        *(_stretches(dates, grounds) if number.kind == "s" else ()),
    )
    if any(close(abs(number.base), way) or abs(abs(number.base) - way) <= near * way for way in ways):
        return True
    decimals = len(f"{number.value:.12g}".partition(".")[2])
    if number.unit == SHARE and any(
        abs(number.value - share) <= NEAR_SHARE * number.value for share in _shares(figures)
    ):
        return True
    if number.kind == "%" and any(abs(number.value - share) < 0.51 / 10**decimals for share in _shares(figures)):
        return True
    years = number.unit in {"year", ""}
    return years and any(
        0 <= abs(a.year - b.year) - abs(number.value) <= 1 for a, b in combinations(dates, 2) if a.year != b.year
    )


def _figures(grounds: Grounds) -> Iterator[Quantity]:
    """The figures of the sources; times of day are none."""
    for source in grounds.sources:
        for clause in source.sentences:
            clocks = [found.span() for found in _CLOCK.finditer(clause.text)]
            found = [*clause.quantities, *find_shares(clause.text)]
            yield from (one for one in found if not any(a < one.end and one.start < b for a, b in clocks))


def _idiomatic(number: Quantity, statement: str, grounds: Grounds) -> bool:
    """Whether a number is no figure of its own: 一天 for a rate, or an hour of the half day."""
    if number.value == 1 and number.kind == "s" and statement[number.start] == "一":
        return True
    if not (_HALF_DAY.match(statement, number.start) or _HALF_DAY_BEFORE.search(statement[: number.start])):
        return False
    hours = {float(m[1]) for source in grounds.sources for m in _CLOCK.finditer(source.text)}
    return bool({number.value, number.value + 12} & hours)


def _in_ratio(number: Quantity, statement: str, figures: list[Quantity]) -> bool:
    """Whether a number is how many times one figure is another, how often a day, or one in so many."""
    if number.unit or not number.value:
        return False
    if _TIMES.match(statement, number.end):
        times = (a.base / b.base for a, b in permutations(figures, 2) if a.kind == b.kind and b.base)
        often = (period / f.base for f in figures if f.kind == "s" and f.base for period in (_DAY, 7 * _DAY))
        return any(close(number.value, way) for way in (*times, *often))
    if not _ONE_IN.search(statement[max(0, number.start - 24) : number.start]):
        return False
    shares = [*(f.value for f in figures if f.kind == "%"), *_shares(figures)]
    return any(abs(100 / number.value - share) <= 25 / number.value for share in shares)


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


def _shares(figures: list[Quantity]) -> Iterator[float]:
    for one in figures:
        for other in figures:
            if one.kind == other.kind and one != other and other.base:
                share = 100 * one.base / other.base
                yield from (share, abs(share - 100))


def _stretches(dates: list[PartialDate], grounds: Grounds) -> Iterator[float]:
    """Seconds between two days and between two times of day."""
    days = [day for date in dates if (day := date.ordinal()) is not None]
    yield from (abs(one - other) * _DAY for one, other in combinations(days, 2))
    clock = [60.0 * (60 * int(m[1]) + int(m[2])) for source in grounds.sources for m in _CLOCK.finditer(source.text)]
    yield from (abs(one - other) for one, other in combinations(clock[:MOST_DATES], 2))
