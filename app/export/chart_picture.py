"""Line and bar charts as SVG, without scripts and style attributes.

Colours are classes of the page. The vertical axis always includes 0, so that the length of a bar shows its number.
"""

import math
from collections.abc import Sequence
from html import escape
from typing import Final

from rich.cells import cell_len, set_cell_size

from weiwo.app.export.chart import Chart, Series

_WIDTH: Final = 680
_HEIGHT: Final = 320
_LEFT: Final = 72
_BOTTOM: Final = 36
_TOP: Final = 34
_TICKS: Final = 5
_CELL: Final = 6.6
"""Width of a column of text."""
_MOST_FIGURES: Final = 16
"""Largest number of points for which the numbers are written beside them. More would hide each other."""
_GAP: Final = 0.25
"""Share of the space of a label that is left free beside its bars."""


def draw_chart(chart: Chart) -> str:
    """Draw a chart as an SVG element."""
    values = [value for series in chart.series for value in series.values if value is not None]
    ticks = _choose_ticks(min(0.0, *values), max(0.0, *values))
    plot = _Plot(chart, ticks)
    drawn = [plot.axes(), *(plot.series(at, item) for at, item in enumerate(chart.series)), plot.legend()]
    name = escape(", ".join(series.name for series in chart.series), quote=True)
    return (
        f'<svg class="chart" viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" height="{_HEIGHT}" role="img"'
        f' aria-label="{name}" xmlns="http://www.w3.org/2000/svg">{"".join(drawn)}</svg>'
    )


def _choose_ticks(low: float, high: float) -> list[float]:
    """Return the ticks of an axis: multiples of 1, 2 or 5 times a power of ten that enclose the values.

    0 and 37 give 0, 10, 20, 30 and 40.

    Args:
        low: The lowest value.
        high: The highest.
    """
    rough = (high - low or 1.0) / _TICKS
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough * (1 - 1e-9))
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(step * at, 10) for at in range(first, max(last, first + 1) + 1)]


class _Plot:
    """Layout of a chart."""

    def __init__(self, chart: Chart, ticks: Sequence[float]) -> None:
        self._chart, self._ticks = chart, ticks
        self._place = (_WIDTH - _LEFT - 8) / len(chart.labels)
        points = sum(value is not None for series in chart.series for value in series.values)
        self._figures = points <= _MOST_FIGURES and not (chart.line and len(chart.series) > 1)

    def axes(self) -> str:
        """Draw the grid, numbers at the left, and as many labels below as fit."""
        lines = []
        for tick in self._ticks:
            y, kind = self._y(tick), "axis" if tick == 0 else "grid"
            lines.append(f'<line class="{kind}" x1="{_LEFT}" y1="{y}" x2="{_WIDTH - 8}" y2="{y}"/>')
            lines.append(f'<text x="{_LEFT - 6}" y="{y + 4}" text-anchor="end">{_figure(tick)}</text>')
        widest = max(map(cell_len, self._chart.labels)) * _CELL + 8
        every = min(math.ceil(widest / self._place), 6)
        room = int(every * self._place / _CELL)
        for at, label in list(enumerate(self._chart.labels))[::every]:
            text = label if cell_len(label) <= room else set_cell_size(label, max(room - 1, 1)).rstrip() + "…"
            x = round(self._middle(at), 1)
            lines.append(f'<text x="{x}" y="{_HEIGHT - 14}" text-anchor="middle">{escape(text)}</text>')
        return "".join(lines)

    def series(self, at: int, series: Series) -> str:
        """Draw a series as a line with points, or as bars.

        Nothing is drawn for a missing number, and no line crosses the gap.
        """
        drawn = self._lines(series) if self._chart.line else self._bars(at, series)
        return f'<g class="s{at}">{drawn}</g>'

    def legend(self) -> str:
        """Draw the names of the series, each with the matching colour."""
        x, drawn = float(_LEFT), []
        for at, series in enumerate(self._chart.series):
            name = escape(series.name)
            drawn.append(f'<g class="s{at}"><circle cx="{x + 5:.0f}" cy="13" r="5"/></g>')
            drawn.append(f'<text x="{x + 14:.0f}" y="17">{name}</text>')
            x += 14 + cell_len(series.name) * _CELL + 18
        return "".join(drawn)

    def _lines(self, series: Series) -> str:
        pieces: list[list[str]] = [[]]
        marks = []
        for at, value in enumerate(series.values):
            if value is None:
                pieces.append([])
                continue
            x, y = round(self._middle(at), 1), self._y(value)
            pieces[-1].append(f"{x},{y}")
            marks.append(f'<circle cx="{x}" cy="{y}" r="3"/>{self._number(x, y - 8, value)}')
        joined = "".join(f'<polyline points="{" ".join(piece)}"/>' for piece in pieces if len(piece) > 1)
        return joined + "".join(marks)

    def _bars(self, at: int, series: Series) -> str:
        width = self._place * (1 - _GAP) / len(self._chart.series)
        drawn = []
        for place, value in enumerate(series.values):
            if value is None:
                continue
            x = _LEFT + place * self._place + self._place * _GAP / 2 + at * width
            top, foot = self._y(max(value, 0)), self._y(min(value, 0))
            bar = f'<rect x="{x:.1f}" y="{top}" width="{max(width - 1, 1):.1f}" height="{round(foot - top, 1)}"/>'
            drawn.append(bar + self._number(round(x + width / 2, 1), (top if value >= 0 else foot + 16) - 4, value))
        return "".join(drawn)

    def _number(self, x: float, y: float, value: float) -> str:
        return f'<text x="{x}" y="{y:.1f}" text-anchor="middle">{_figure(value)}</text>' if self._figures else ""

    def _middle(self, at: int) -> float:
        return _LEFT + (at + 0.5) * self._place

    def _y(self, value: float) -> float:
        low, high = self._ticks[0], self._ticks[-1]
        return round(_TOP + (high - value) / (high - low) * (_HEIGHT - _TOP - _BOTTOM), 1)


def _figure(value: float) -> str:
    return f"{value:,.10g}"
