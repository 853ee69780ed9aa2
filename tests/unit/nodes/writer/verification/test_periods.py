"""Centuries and decades as a source has them: a year of them, a shorter period within, the same in other words."""

import pytest
from hypothesis import given, strategies

from tests.unit.nodes.writer.verification.test_doubts import verdict
from weiwo.nodes.writer.verification.particulars import find_periods


@pytest.mark.parametrize(
    ("text", "years"),
    [
        ("the 17th and 18th centuries", [(1600, 1700), (1700, 1800)]),
        ("late 19th to early 20th-century glass", [(1800, 1900), (1900, 2000)]),
        (
            "Nineteenth-century mills of the eighteenth and nineteenth centuries",
            [(1800, 1900), (1700, 1800), (1800, 1900)],
        ),
        ("the 1980s", [(1980, 1989)]),
        ("in the 1900s", [(1900, 2000)]),
        ("17至18世纪", [(1600, 1700), (1700, 1800)]),
        ("二十世纪八十年代", [(1980, 1989)]),
        ("20世纪80年代", [(1980, 1989)]),
        ("上世纪八十年代", [(1980, 1989)]),
        ("80年代", [(1980, 1989)]),
        ("1980年代", [(1980, 1989)]),
        ("a bill of $1980s, the 5th of May, 30 days", []),
    ],
)
def test_periods_are_years(text: str, years: list[tuple[int, int]]) -> None:
    assert [period[:2] for period in find_periods(text)] == years


@given(strategies.text(alphabet="0123456789sthcentury 世纪年代上一二十八至-,", max_size=60))
def test_a_period_stands_where_it_says_and_spans_at_most_a_century(text: str) -> None:
    for period in find_periods(text):
        assert 0 <= period.start < period.end <= len(text)
        assert 9 <= period.last - period.first <= 100


@pytest.mark.parametrize(
    ("claim", "source", "carried"),
    [
        ("The temple dates from the 18th century.", "The temple was built in 1754.", True),
        ("The temple dates from the 17th century.", "The temple was built in 1754.", False),
        ("The temple dates from the 18th century.", "The temple was built in the 1750s.", True),
        ("The temple was built in the 1750s.", "The temple dates from the 18th century.", False),
        ("The mine closed in the 1800s.", "The mine closed in the nineteenth century.", True),
        ("The mine closed in the seventeenth century.", "The mine closed in 1754.", False),
        ("The mine closed in the 1980s.", "The mine closed in 1984.", True),
        ("The mine closed in the 1990s.", "The mine closed in 1984.", False),
        ("The mine closed in the 1980s.", "该矿于1984年关闭。", True),
        ("这座庙建于18世纪。", "这座庙建于1754年。", True),
        ("这座庙建于17世纪。", "这座庙建于1754年。", False),
        ("该矿在上世纪八十年代关闭。", "该矿于1984年关闭。", True),
        ("该矿在20世纪90年代关闭。", "该矿于1984年关闭。", False),
        ("它建于公元前5世纪。", "它建于公元450年。", False),
        ("它建于公元前5世纪。", "它建于公元前450年。", True),
        ("It was built in the 5th century BC.", "It was built in 450 AD.", False),
        ("It was built in the 5th century BC.", "It was built in 450 BC.", True),
    ],
)
def test_a_source_carries_a_period(claim: str, source: str, *, carried: bool) -> None:
    assert verdict(claim, source) == ("matched" if carried else "unsupported")
