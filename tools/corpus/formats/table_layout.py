"""Table layout: cells that span rows and columns, laid out on a grid."""

from collections.abc import Iterable
from typing import Final

LONGEST_REPEATED: Final = 200
"""Characters of a cell whose text is repeated in every place that it spans."""
MOST_SPAN: Final = 200

Table = list[list[str]]


def spread_rows(rows: Iterable[Iterable[tuple[str, int, int]]]) -> Table:
    """Lay out cells that span rows and columns, the text of each in every place that it spans.

    What spans a whole row, or is long, stands once.

    Args:
        rows: Of each row, its cells: text, columns and rows that it spans.
    """
    laid: Table = []
    waiting: dict[int, tuple[str, int]] = {}  # by column: what hangs down from above, and for how many rows more
    for row in rows:
        cells = list(row)
        line: list[str] = []
        for text, across, down in cells:
            _hang(line, waiting)
            wide, deep = min(max(across, 1), MOST_SPAN), max(down, 1)
            again = text if len(text) <= LONGEST_REPEATED and len(cells) > 1 else ""
            for place in range(wide):
                if deep > 1:
                    waiting[len(line)] = (again, deep - 1)
                line.append(again if place else text)
        _hang(line, waiting)
        laid.append(line)
    return laid


def _hang(line: list[str], waiting: dict[int, tuple[str, int]]) -> None:
    while (at := len(line)) in waiting:
        text, left = waiting.pop(at)
        line.append(text)
        if left > 1:
            waiting[at] = (text, left - 1)
