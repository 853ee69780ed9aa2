"""Tables of a PDF page, found by geometry: rows of as many runs of text, each below the run above it.

Only what is certain is taken for one: three rows or more of cells of one line each, gaps between columns that no cell
reaches into, a header of names, a column of figures. Its lines become rows of Markdown in their place; no word moves.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

_FEWEST_ROWS: Final = 3
_MOST_CELLS: Final = 30
_GAP: Final = 4.0
"""Points between two columns at least."""
_LONGEST_CELL: Final = 100
_SHARE: Final = 0.8
"""Of the cells of a column of figures, how many are figures."""
_FIGURE: Final = re.compile(r"[-−+(]?\s?[$€£¥]?\s?\d[\d,. ]{0,30}[^\W\d_]{0,6}[%‰°]?\)?")


class Box(NamedTuple):
    """A run of text on a page: its edges, in points from the lower left corner."""

    left: float
    bottom: float
    right: float
    top: float


def mark_tables(text: str, boxes: Sequence[Box], read: Callable[[Box], str]) -> str:
    """Write the lines of a page's tables as rows of Markdown.

    Args:
        text: The text of the page.
        boxes: Its runs of text, in the order of the text.
        read: Gives the text of a run.
    """
    lines = text.splitlines()
    keys = ["".join(line.split()) for line in lines]
    start = 0
    for rows in _find_aligned(boxes):
        cells = [[" ".join(read(box).split()) for box in row] for row in rows]
        if not _is_table(cells):
            continue
        wanted = ["".join("".join(row).split()) for row in cells]
        places = (at for at in range(start, len(keys) - len(wanted) + 1) if keys[at : at + len(wanted)] == wanted)
        found = next(places, None)
        if found is not None:
            start = found + len(wanted)
            written = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in cells]
            lines[found] = f"\n{written[0]}\n{'|---' * len(cells[0])}|"
            lines[found + 1 : start] = written[1:]
            lines[start - 1] += "\n"
    return "\n".join(lines) if start else text


def _find_aligned(boxes: Sequence[Box]) -> Iterator[list[list[Box]]]:
    """Runs of three lines or more that have as many cells, in columns that do not touch."""
    run: list[list[Box]] = []
    columns: list[tuple[float, float]] = []
    for line in [*_group_lines(boxes), []]:
        own = [(box.left, box.right) for box in line]
        spans = own
        if len(line) == len(columns):
            spans = [(min(a, c), max(b, d)) for (a, b), (c, d) in zip(own, columns, strict=True)]
        if len(line) != len(columns) or not _are_apart(spans):
            if len(run) >= _FEWEST_ROWS:
                yield run
            run, spans = [], own
        fits = 2 <= len(line) <= _MOST_CELLS and _are_apart(spans)
        if fits:
            run.append(line)
        columns = spans if fits else []


def _are_apart(spans: Sequence[tuple[float, float]]) -> bool:
    return all(one[1] + _GAP <= other[0] for one, other in pairwise(spans))


def _group_lines(boxes: Sequence[Box]) -> Iterator[list[Box]]:
    """Boxes that follow each other at one height."""
    line: list[Box] = []
    for box in boxes:
        middle = (box.bottom + box.top) / 2
        if line and not (line[0].bottom <= middle <= line[0].top and line[-1].right <= box.left):
            yield line
            line = []
        line.append(box)
    if line:
        yield line


def _is_table(cells: Sequence[Sequence[str]]) -> bool:
    """Whether there is a header of names, below which some column holds figures: lists and forms have none."""
    header, *body = cells
    if any(not cell or len(cell) > _LONGEST_CELL for row in cells for cell in row):
        return False
    if any(name.endswith((":", "：")) or not any(map(str.isalpha, name)) for name in header):
        return False
    figures = [sum(_FIGURE.fullmatch(cell) is not None for cell in column) for column in zip(*body, strict=True)]
    return max(figures[1:]) >= _SHARE * len(body)
