"""Tables of a PDF page, found by geometry: aligned rows with equal numbers of text runs.

Each run stands below the run above it. Only certain cases are accepted: three rows or more in columns that no cell
reaches into, with a header of names above a column of figures, or with all cells of a column beginning at one edge. A
line with only some of the cells continues the row above. The lines become rows of Markdown in their place, and no word
moves.
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
_LONGEST_LABEL: Final = 40
_EDGE: Final = 2.5
"""Points by which cells of a column may begin apart."""
_LEADING: Final = 1.5
"""Heights of a line that may be between two lines of a cell."""
_FULL: Final = 0.85
_PROSE: Final = 20
_RUNNING: Final = 0.4
"""Share of the cells before the last column that are full lines of so many characters in running text."""
_HAN_BREAK: Final = re.compile(r"(?<=[\u3400-\u9fff\u3040-\u30ff，、；：])\r?\n(?=[\u3400-\u9fff\u3040-\u30ff])")
_SHARE: Final = 0.8
"""Of the cells of a column of figures, how many are figures."""
_FIGURE: Final = re.compile(r"[-−+(]?\s?[$€£¥]?\s?\d[\d,. ]{0,30}[^\W\d_]{0,6}[%‰°]?\)?")


class Box(NamedTuple):
    """A text run on a page: edges, in points from the lower left corner."""

    left: float
    bottom: float
    right: float
    top: float


class _Row(NamedTuple):
    """A row of a table: the text runs of each cell, and the page lines of the row."""

    cells: list[list[Box]]
    lines: list[list[Box]]


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
    written: dict[int, list[str]] = {}  # by the first line of a table: its rows
    ends: dict[int, int] = {}
    for rows in _find_aligned(boxes):
        simple, even = all(len(row.lines) == 1 for row in rows), _begin_at_edges(rows)
        if not (simple or even):
            continue
        cells = [[" ".join(" ".join(read(box).split()) for box in cell) for cell in row.cells] for row in rows]
        if not (simple and _is_table(cells)) and not (even and _is_aligned(rows, cells)):
            continue
        wanted = ["".join("".join(read(box).split()) for box in line) for row in rows for line in row.lines]
        places = (at for at in range(start, len(keys) - len(wanted) + 1) if keys[at : at + len(wanted)] == wanted)
        found = next(places, None)
        if found is not None:
            start = ends[found] = found + len(wanted)
            written[found] = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in cells]
            written[found].insert(1, f"{'|---' * len(cells[0])}|")
    for first in reversed(written):
        lines[first : ends[first]] = ["", *written[first], ""]
    return "\n".join(lines) if written else text


def join_han_lines(text: str, boxes: Sequence[Box], read: Callable[[Box], str]) -> str:
    """Join the lines of a Chinese or Japanese paragraph. Only full lines continue in the next line."""
    if not _HAN_BREAK.search(text):
        return text
    grouped = list(_group_lines(boxes))
    short: set[str] = set()
    for at, line in enumerate(grouped):
        left, right, height = line[0].left, line[-1].right, line[0].top - line[0].bottom
        near = [other for other in grouped[max(0, at - 4) : at + 5] if other[0].left < right and other[-1].right > left]
        if len(line) > 1 or right < max(other[-1].right for other in near) - 2.5 * height:
            short.add("".join("".join(read(box).split()) for box in line))

    def join(found: re.Match[str]) -> str:
        begins = text.rfind("\n", 0, found.start()) + 1
        return found[0] if "".join(text[begins : found.start()].split()) in short else ""

    return _HAN_BREAK.sub(join, text)


def _find_aligned(boxes: Sequence[Box]) -> Iterator[list[_Row]]:
    """Yield groups of at least three rows with equal cell counts, in columns without contact."""
    run: list[_Row] = []
    columns: list[tuple[float, float]] = []
    for line in [*_group_lines(boxes), []]:
        if not run and len(line) < 2:
            continue
        own = [(box.left, box.right) for box in line]
        if run and 0 < len(line) < len(columns) and (places := _find_columns(line, columns, run[-1])):
            for box, place in zip(line, places, strict=True):
                run[-1].cells[place].append(box)
                columns[place] = (columns[place][0], max(columns[place][1], box.right))
            run[-1].lines.append(line)
            continue
        spans = own
        if len(line) == len(columns):
            spans = [(min(a, c), max(b, d)) for (a, b), (c, d) in zip(own, columns, strict=True)]
        if len(line) != len(columns) or not _are_apart(spans):
            if len(run) >= _FEWEST_ROWS:
                yield run
            run, spans = [], own
        fits = 2 <= len(line) <= _MOST_CELLS and _are_apart(spans)
        if fits:
            run.append(_Row([[box] for box in line], [line]))
        columns = spans if fits else []


def _find_columns(line: Sequence[Box], columns: Sequence[tuple[float, float]], above: _Row) -> list[int]:
    """Return the columns continued by the runs of a line, close below the row above.

    The result is empty if the line continues none.
    """
    last = above.lines[-1][0]
    if last.bottom - line[0].top > _LEADING * (line[0].top - line[0].bottom) or line[0].top > last.top:
        return []
    found = []
    for box in line:
        fits = [n for n, (left, _) in enumerate(columns) if n and abs(box.left - left) <= _EDGE]
        room = columns[fits[0] + 1][0] - _GAP if fits and fits[0] + 1 < len(columns) else float("inf")
        if not fits or box.right > room:
            return []
        found += fits[:1]
    return found


def _begin_at_edges(rows: Sequence[_Row]) -> bool:
    """Report whether the cells of each column share a left edge."""
    return all(
        max(edges) - min(edges) <= _EDGE
        for column in zip(*(row.cells for row in rows), strict=True)
        if (edges := [box.left for cell in column for box in cell])
    )


def _is_aligned(rows: Sequence[_Row], cells: Sequence[Sequence[str]]) -> bool:
    """Report whether left-aligned rows form a table: short labels, and no running text in columns."""
    labels = [row[0] for row in cells]
    named = sum(sum(map(str.isalpha, label)) >= 2 for label in labels)
    if named < _SHARE * len(labels) or max(map(len, labels)) > _LONGEST_LABEL:
        return False
    widths = [after[0].left - cell[0].left for cell, after in pairwise(rows[0].cells)]
    filled = sum(
        len(text) >= _PROSE and cell[0].right - cell[0].left >= _FULL * wide
        for row, texts in zip(rows, cells, strict=True)
        for cell, text, wide in zip(row.cells, texts, widths, strict=False)
    )
    return bool(filled < _RUNNING * len(rows) * len(widths))


def _are_apart(spans: Sequence[tuple[float, float]]) -> bool:
    return all(item[1] + _GAP <= other[0] for item, other in pairwise(spans))


def _group_lines(boxes: Sequence[Box]) -> Iterator[list[Box]]:
    """Group consecutive boxes at the same height.

    Boxes that nearly touch differ only in their font and are joined.
    """
    line: list[Box] = []
    for box in boxes:
        middle = (box.bottom + box.top) / 2
        if line and not (line[0].bottom <= middle <= line[0].top and line[-1].right <= box.left + 1):
            yield line
            line = []
        if line and box.left - line[-1].right < _GAP:
            last = line[-1]
            line[-1] = Box(last.left, min(last.bottom, box.bottom), box.right, max(last.top, box.top))
        else:
            line.append(box)
    if line:
        yield line


def _is_table(cells: Sequence[Sequence[str]]) -> bool:
    """Report whether a header of names stands above a column of figures.

    Lists and forms have no such header.
    """
    header, *body = cells
    if any(not cell or len(cell) > _LONGEST_CELL for row in cells for cell in row):
        return False
    if any(name.endswith((":", "：")) or not any(map(str.isalpha, name)) for name in header):
        return False
    figures = [sum(_FIGURE.fullmatch(cell) is not None for cell in column) for column in zip(*body, strict=True)]
    return max(figures[1:]) >= _SHARE * len(body)
