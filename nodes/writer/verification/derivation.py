"""Arithmetic over a source's figures: whether a number follows from them though none of them states it.

Differences, sums, products with a count, quotients, shares, and the time between two dates or two clock times.
"""

from collections.abc import Iterator
from itertools import combinations
from typing import Final

from weiwo.nodes.writer.verification.grounds import Grounds
from weiwo.nodes.writer.verification.quantities import LARGEST_COUNT, Quantity, close
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
    r"(?i)\b(?:each|apiece|per|every|total|together|altogether|comes? to|came to|average)\b|[每共]|合计|平均"
)
_DAY: Final = 86_400.0


def follows(number: Quantity, statement: str, grounds: Grounds) -> bool:
    """Whether a number follows from two or three figures, dates or times that the sources give.

    Args:
        number: A number that no source states. A small bare one needs a word that speaks of a difference or a sum.
        statement: What it stands in.
        grounds: The sources.
    """
    if not (number.unit or number.value > LARGEST_COUNT or _DIFFERENCE.search(statement)):
        return False
    figures = [known for source in grounds.sources for known in source.numbers][:MOST_FIGURES]
    dates = [date for source in grounds.sources for date in source.dates][:MOST_DATES]
    alike = [f.base for f in figures if f.kind == number.kind or (not number.unit and f.kind != "%")]
    near = 0.03 if number.about else 0.0
    counted = bool(_COUNTED.search(statement))
    ways = (
        *_results(number, figures, alike, counted=counted),
        *(_stretches(dates, grounds) if number.kind == "s" else ()),
    )
    if any(close(abs(number.base), way) or abs(abs(number.base) - way) <= near * way for way in ways):
        return True
    decimals = len(f"{number.value:.12g}".partition(".")[2])
    if number.kind == "%" and any(abs(number.value - share) < 0.51 / 10**decimals for share in _shares(figures)):
        return True
    years = number.unit in {"year", ""}
    return years and any(
        0 <= abs(a.year - b.year) - abs(number.value) <= 1 for a, b in combinations(dates, 2) if a.year != b.year
    )


def _results(number: Quantity, figures: list[Quantity], alike: list[float], *, counted: bool) -> Iterator[float]:
    whole = [*alike, 100.0] if number.kind == "%" else alike
    for one, other in combinations(whole, 2):
        if one != other:
            yield from (abs(one - other), one + other)
    for three in combinations(whole[:10], 3) if number.unit else ():
        yield sum(three)
        yield abs(2 * max(three) - sum(three))
    counts = [f.value for f in figures if f.value and not f.unit] if counted else []
    for value in alike:
        yield from (way for count in counts for way in (value * count, value / count))


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
