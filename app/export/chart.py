"""Charts: a table of numbers over time as a line or bars, and further tables on request.

A chart shows the values of the cells of the table above it. A cell that no source supports is left empty. All numbers
of a chart have the same unit.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from weiwo.app.export.document import plain
from weiwo.state.answer import DOUBTFUL
from weiwo.text.dates import parse_date
from weiwo.text.markdown import Node, Run
from weiwo.text.numbers import NumberSpan, find_numbers
from weiwo.text.patterns import lazy

_MOST_POINTS: Final = 40
_MOST_SERIES: Final = 6
_LEAST_TIMES: Final = 3
"""Least number of dates in a table that is drawn without being asked for."""
_LEAST_ROWS: Final = 2
_LONGEST_CELL: Final = 40
"""Longest cell that counts as a number, in characters. A longer cell is a sentence with a number."""
_EVEN: Final = 0.05
"""Largest difference between the steps of a line, as a share of a step, since months are not equally long."""
_ASKED: Final = lazy(
    r"\b(?:charts?|graph(?:ed|s)?|plot(?:ted|s)?|diagrams?)\b|图表|柱状图|折线图|条形图|曲线图|走势图|画.{0,4}图"
)
_UNVERIFIED: Final = DOUBTFUL | {"uncited", "unchecked"}


@dataclass(frozen=True)
class Series:
    """A named series of numbers, with None for cells without a verified number."""

    name: str
    values: tuple[float | None, ...]


@dataclass(frozen=True)
class Chart:
    """A chart.

    Attributes:
        labels: A label for each place on the horizontal axis.
        series: What is drawn, each as long as the labels.
        line: Whether the labels are times at even steps, so that a line may join them; else bars.
    """

    labels: tuple[str, ...]
    series: tuple[Series, ...]
    line: bool


Block = Node | Chart
"""Top-level element of a document."""


def add_charts(nodes: Sequence[Node], claims: Sequence[Mapping[str, Any]], question: str) -> tuple[Block, ...]:
    """Return the blocks of an answer, with a chart after each suitable table.

    Args:
        nodes: The blocks.
        claims: The claims of the answer, as the result has them.
        question: The text of the question.
    """
    asked = _ASKED.search(question.casefold()) is not None
    found: list[Block] = []
    for node in nodes:
        found.append(node)
        if node.kind == "table" and (chart := _read_chart(node.rows, claims, asked=asked)) is not None:
            found.append(chart)
    return tuple(found)


def _read_chart(
    rows: Sequence[Sequence[Sequence[Run]]], claims: Sequence[Mapping[str, Any]], *, asked: bool = False
) -> Chart | None:
    """Return the chart of a table, or None if the table is unsuitable.

    Suitable is a table with dates in the first column, or with any labels if a chart was asked for, and with at least
    two verified numbers in a column.

    Args:
        rows: The cells of the table, the header first.
        claims: The claims of the answer.
        asked: Whether the question asks for a chart.
    """
    head, *body = rows or ((),)
    if not _LEAST_ROWS <= len(body) <= _MOST_POINTS:
        return None
    labels = [plain(row[0]) for row in body]
    times = [_read_time(label) for label in labels]
    known = [time for time in times if time is not None]
    timed = len(known) == len(body) >= _LEAST_TIMES and len(set(known)) == len(known)
    if not all(labels) or not (timed or asked):
        return None
    if timed:
        body = [row for _, row in sorted(zip(known, body, strict=True), key=lambda pair: pair[0])]
    series = _read_series(head, body, claims)
    # The steps between successive times are equal, within a tolerance.
    steps = [later - earlier for earlier, later in pairwise(sorted(known))]
    line = timed and max(steps) - min(steps) <= _EVEN * max(steps) + 2 / 372
    chart = Chart(tuple(plain(row[0]) for row in body), series, line)
    return chart if any(sum(value is not None for value in each.values) >= _LEAST_ROWS for each in series) else None


def _read_series(
    head: Sequence[Sequence[Run]], body: Sequence[Sequence[Sequence[Run]]], claims: Sequence[Mapping[str, Any]]
) -> tuple[Series, ...]:
    """Return the columns that contain only numbers, all of the same unit as the first of them.

    Numbers without a verified claim become None. Empty if no column has only numbers.
    """
    found: list[tuple[tuple[str | None, bool], Series]] = []
    for at, name in enumerate(head[1:], 1):
        numbers = [_read_number(plain(row[at])) for row in body]
        if not any(numbers) or any(
            plain(row[at]) and number is None for row, number in zip(body, numbers, strict=True)
        ):
            continue
        # The text after a number may be an unknown unit.
        units = {
            (number.unit or plain(row[at])[number.end :].strip(" .,;。，；").casefold() or None, number.percent)
            for row, number in zip(body, numbers, strict=True)
            if number
        }
        values = [
            None if number is None or not _is_verified(row[at], claims) else float(number.value)
            for row, number in zip(body, numbers, strict=True)
        ]
        header = find_numbers(f"1 {plain(name).rpartition('(')[2].rstrip(')')}")
        unit = units.pop() if len(units) == 1 else None
        if unit is not None:
            unit = unit if unit != (None, False) or not header else (header[0].unit, header[0].percent)
            found.append((unit, Series(plain(name), tuple(values))))
    return tuple(series for unit, series in found if unit == found[0][0])[:_MOST_SERIES]


def _is_verified(runs: Sequence[Run], claims: Sequence[Mapping[str, Any]]) -> bool:
    """Report whether all text of a cell belongs to verified claims."""
    verdicts = [
        str(claims[run.claim].get("verdict")) if run.claim >= 0 else ""
        for run in runs
        if not run.cites and any(sign.isalnum() for sign in run.text)
    ]
    return bool(verdicts) and all(verdict and verdict not in _UNVERIFIED for verdict in verdicts)


def _read_number(text: str) -> NumberSpan | None:
    """Return the only number of a cell, or None for zero or several numbers or a sentence."""
    found = find_numbers(text) if len(text) <= _LONGEST_CELL else []
    return found[0] if len(found) == 1 else None


def _read_time(label: str) -> float | None:
    """Convert a date to fractional years: "2024-07" gives 2024.5. Returns None for text without a date."""
    try:
        date = parse_date(label)
    except ValueError:
        return None
    return date.year + ((date.month or 1) - 1) / 12 + ((date.day or 1) - 1) / 372
