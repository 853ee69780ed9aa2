"""Tables of a PDF page, found by geometry: aligned rows with equal numbers of text runs.

Each run is aligned with the run above it. Only clear cases are accepted: at least three rows, in columns with free
space between them, with a header of names above a column of figures, or with the cells of each column sharing an edge.
A line with only some of the cells continues the row above, or begins a row with a label that is centred vertically. The
lines are replaced by rows of a Markdown table.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

_FEWEST_ROWS: Final = 3
_MOST_CELLS: Final = 30
_GAP: Final = 4.0
"""Minimum space between two columns in points."""
_LONGEST_CELL: Final = 100
_LONGEST_LABEL: Final = 40
_EDGE: Final = 2.5
"""Points by which the edges of cells in a column may differ."""
_LEADING: Final = 1.5
"""Maximum space between two lines of a cell, in line heights."""
_SHARED: Final = 0.4
"""Maximum difference between the tops, middles or bottoms of the cells of a row, in line heights."""
_FULL: Final = 0.85
_PROSE: Final = 20
_RUNNING: Final = 0.4
"""Share of the cells before the last column that are full lines (of at least `_PROSE` characters) in running text."""
_HAN_BREAK: Final = re.compile(r"\n(?<=[\u3400-\u9fff\u3040-\u30ff，、；：]\n)(?=[\u3400-\u9fff\u3040-\u30ff])")
_SHARE: Final = 0.8
"""Minimum share of figures in a column of figures, and of words in a column of labels."""
_FIGURE: Final = re.compile(r"[-−+(]?\s?[$€£¥]?\s?\d[\d,. ]{0,30}[^\W\d_]{0,6}[%‰°]?\)?")


class Box(NamedTuple):
    """A text run on a page: edges, in points from the lower left corner."""

    left: float
    bottom: float
    right: float
    top: float


class _Row(NamedTuple):
    """A row of a table.

    Attributes:
        cells: The text runs of each cell.
        lines: The lines of the page that make up the row, each with its text runs.
    """

    cells: list[list[Box]]
    lines: list[list[Box]]


def mark_tables(text: str, boxes: Sequence[Box], read: Callable[[Box], str]) -> str:
    """Return the text of a page with its tables as Markdown tables.

    Args:
        text: The text of the page.
        boxes: The text runs of the page, in the order of the text.
        read: Function that returns the text of a run.
    """
    lines = text.splitlines()
    keys: list[str] = []  # the lines without blanks
    start = 0
    written: dict[int, list[str]] = {}  # by the first line of a table: its rows
    ends: dict[int, int] = {}
    for rows in _find_aligned(boxes):
        simple = all(len(row.lines) == 1 for row in rows)
        aligned = _share_edges(rows) and _are_labels([_join_cell(map(read, row.cells[0])) for row in rows])
        if not (simple or aligned):
            continue
        cells = [[_join_cell(map(read, cell)) for cell in row.cells] for row in rows]
        if not (simple and _is_table(cells)) and not (aligned and _is_aligned(rows, cells)):
            continue
        wanted = "".join("".join(read(box).split()) for row in rows for line in row.lines for box in line)
        keys = keys or ["".join(line.split()) for line in lines]
        found, end = _find_lines(keys, start, wanted)
        if end:
            start = ends[found] = end
            written[found] = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in cells]
            written[found].insert(1, f"{'|---' * len(cells[0])}|")
    for first in reversed(written):
        lines[first : ends[first]] = ["", *written[first], ""]
    return "\n".join(lines) if written else text


def _join_cell(lines: Iterable[str]) -> str:
    """Join the lines of a cell with blanks, or without between Chinese or Japanese characters."""
    return _HAN_BREAK.sub("", "\n".join(" ".join(line.split()) for line in lines)).replace("\n", " ")


def _find_lines(keys: Sequence[str], start: int, wanted: str) -> tuple[int, int]:
    """Return the range (first line, end) of the lines that together make up a text, or `(0, 0)` if there is none.

    The text is compared with all lines joined, since PDFium breaks lines differently beside a vertically centred label.

    Args:
        keys: The lines of the page, without blanks.
        start: First line to search.
        wanted: The text, without blanks.
    """
    for first in range(start, len(keys)):
        end, held = first, 0
        while end < len(keys) and held < len(wanted) and wanted.startswith(keys[end], held):
            held, end = held + len(keys[end]), end + 1
        if held == len(wanted):
            return first, end
    return 0, 0


def join_han_lines(text: str, boxes: Sequence[Box], read: Callable[[Box], str]) -> str:
    """Return the text with the line breaks inside Chinese and Japanese paragraphs removed.

    A line that is shorter than the lines around it ends its paragraph.

    Args:
        text: The text of the page.
        boxes: The text runs of the page.
        read: Function that returns the text of a run.
    """
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
    """Yield groups of at least three consecutive rows with equal numbers of cells, in separate columns."""
    run: list[_Row] = []
    columns: list[tuple[float, float]] = []
    lines = [*_group_lines(boxes), []]
    at = 0
    while at < len(lines):
        line, at = lines[at], at + 1
        if not run and len(line) < 2:
            continue
        if run and _add_partial_line(run, columns, line, lines[at] if line else []):
            continue
        whole = not run or _is_whole(run)
        if not whole:  # the lines of the last row may begin another table
            at -= 1 + len(run.pop().lines)
            line = []
        spans = own = [(box.left, box.right) for box in line]
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


def _add_partial_line(
    run: list[_Row], columns: list[tuple[float, float]], line: list[Box], following: Sequence[Box]
) -> bool:
    """Add a line with text in only some columns to the last row, or as the beginning of a new row.

    A label beside a value of several lines may be centred vertically. PDFium gives it before or between those lines.

    Args:
        run: The rows so far. The last is changed, or a row is added.
        columns: Left and right edge of each column. The right edges are widened.
        line: The text runs of the line.
        following: The text runs of the next line.

    Returns:
        Whether the line was added.
    """
    whole = _is_whole(run)
    if whole and len(line) >= len(columns):
        return False
    places = _find_columns(line, columns)
    if not places:
        return False
    row = run[-1]
    if (whole and _belongs_below(row, line, places, following, columns)) or not _continues(row, line, places):
        if not whole or not _share_edges(run[-2:]):
            return False
        row = _Row([[] for _ in columns], [])
        run.append(row)
    for box, place in zip(line, places, strict=True):
        row.cells[place].append(box)
        columns[place] = (columns[place][0], max(columns[place][1], box.right))
    row.lines.append(line)
    return True


def _find_columns(line: Sequence[Box], columns: Sequence[tuple[float, float]]) -> list[int]:
    """Return the column number of each text run of a line, or an empty list if the line does not fit the columns.

    A run belongs to the column with which it shares the left or the right edge. It must not reach into the next column.
    """
    found = []
    for box in line:
        fits = [
            n
            for n, edges in enumerate(columns)
            if abs(box.left - edges[0]) <= _EDGE or abs(box.right - edges[1]) <= _EDGE
        ]
        room = columns[fits[0] + 1][0] - _GAP if fits and fits[0] + 1 < len(columns) else float("inf")
        if not fits or box.right > room:
            return []
        found += fits[:1]
    return found


def _continues(row: _Row, line: Sequence[Box], places: Sequence[int]) -> bool:
    """Report whether a line continues a row: each text run fills an empty cell, or stands close below the cell's text.

    `places` are the column numbers of the runs. A line with a further label in the first column begins a new row.
    """
    for box, place in zip(line, places, strict=True):
        cell = row.cells[place]
        if not cell:
            continue
        if cell[-1].bottom - box.top > _LEADING * (box.top - box.bottom) or box.top > cell[-1].top:
            return False
        if not place and row.lines[-1][-1] not in cell:  # the next label
            return False
    return True


def _belongs_below(
    row: _Row,
    line: Sequence[Box],
    places: Sequence[int],
    following: Sequence[Box],
    columns: Sequence[tuple[float, float]],
) -> bool:
    """Report whether a line stands nearer to the next row than to the row above, so that it begins the next row.

    Args:
        row: The row above.
        line: The text runs of the line.
        places: Column number of each run.
        following: The text runs of the next line.
        columns: Left and right edge of each column.
    """
    if not following or places[0] == 0 or abs(following[0].left - columns[0][0]) > _EDGE:
        return False
    above = row.cells[places[0]][-1].bottom - line[0].top
    return line[0].bottom - max(box.top for box in following) + 1 < above


def _is_whole(run: Sequence[_Row]) -> bool:
    """Report whether the last row has a text in every cell.

    If its first line had text in only some columns, the cells must also lie below the row before, and share their top,
    middle or bottom.
    """
    row = run[-1]
    if len(row.lines[0]) == len(row.cells):
        return True
    if not all(row.cells):
        return False
    spans = [(cell[0].top, cell[-1].bottom, (cell[0].top + cell[-1].bottom) / 2) for cell in row.cells]
    tolerance = _SHARED * max(cell[0].top - cell[0].bottom for cell in row.cells)
    above = min(box.bottom for line in run[-2].lines for box in line)
    return max(top for top, *_ in spans) <= above + 1 and any(
        max(edges) - min(edges) <= tolerance for edges in zip(*spans, strict=True)
    )


def _share_edges(rows: Sequence[_Row]) -> bool:
    """Report whether the cells of each column share a left or a right edge."""
    for column in zip(*(row.cells for row in rows), strict=True):
        boxes = [box for cell in column for box in cell]
        lefts, rights = [box.left for box in boxes], [box.right for box in boxes]
        if boxes and min(max(lefts) - min(lefts), max(rights) - min(rights)) > _EDGE:
            return False
    return True


def _are_labels(texts: Sequence[str]) -> bool:
    """Report whether the cells of a column are short, and most are words."""
    named = sum(sum(map(str.isalpha, text)) >= 2 for text in texts)
    return named >= _SHARE * len(texts) and max(map(len, texts)) <= _LONGEST_LABEL


def _is_aligned(rows: Sequence[_Row], cells: Sequence[Sequence[str]]) -> bool:
    """Report whether rows with labels in the first column form a table, and not columns of running text.

    It is running text if many cells before the last column are full lines. Tables are also rejected if some labels are
    centred vertically and another row has all cells in its first line but more lines below, which may belong to the
    next row.

    Args:
        rows: The rows.
        cells: The text of each cell.
    """
    halfway = any(row.lines[0][0] not in row.cells[0] for row in rows)
    if halfway and any(len(row.lines) > 1 and len(row.lines[0]) == len(row.cells) for row in rows):
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
    """Yield the text runs line by line: consecutive runs at the same height, from left to right.

    Runs that nearly touch, which are pieces of a text in different fonts, are joined to one.
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
