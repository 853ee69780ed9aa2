"""Tables: cells that span rows and columns laid out on a grid, and runs of rows packed below their header."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Final, NamedTuple

from weiwo.state.delimited_rows import split_record
from weiwo.state.table import Cell, Table, as_cell
from weiwo.text.chunking import LARGEST, chunk_sections, measure_weight
from weiwo.tools.corpus.formats.parts import format_range
from weiwo.tools.corpus.records import Passage

LONGEST_REPEATED: Final = 200
"""Characters of a cell whose text is repeated in every place that it spans."""
BETWEEN: Final = " | "
"""What stands between the cells of a sheet's row."""
_MOST_SPAN: Final = 200
MOST_COLUMNS: Final = 500
"""Of a wider row, the empty cells are left out, and so is what stands behind this many others."""
_CONTINUED: Final = Cell(continued=True)

Grid = list[list[Cell | str]]
"""Rows of cells, spans spread out."""


def spread_rows(rows: Iterable[Iterable[tuple[Cell | str, int, int]]]) -> Grid:
    """Lay out cells that span rows and columns, each in every place that it spans.

    What spans a whole row, or is long, stands once, and empty cells continue it.

    Args:
        rows: Of each row, its cells, and the columns and rows that each spans.
    """
    laid: Grid = []
    waiting: dict[int, tuple[Cell, int]] = {}  # by column: what hangs down from above, and for how many rows more
    for row in rows:
        cells = list(row)
        line: list[Cell | str] = []
        for cell, across, down in cells:
            _hang(line, waiting)
            wide, deep = min(max(across, 1), _MOST_SPAN), max(down, 1)
            whole = as_cell(cell)
            shown_again = len(whole.shown) <= LONGEST_REPEATED and len(cells) > 1
            again = Cell(whole.value, whole.shown, whole.unit, continued=True) if shown_again else _CONTINUED
            for place in range(wide):
                if deep > 1:
                    waiting[len(line)] = (again, deep - 1)
                line.append(again if place else cell)
        _hang(line, waiting)
        laid.append(line)
    return laid


def _hang(line: list[Cell | str], waiting: dict[int, tuple[Cell, int]]) -> None:
    while (at := len(line)) in waiting:
        cell, left = waiting.pop(at)
        line.append(cell)
        if left > 1:
            waiting[at] = (cell, left - 1)


_LONGEST_HEADER: Final = 500
_SAMPLE_ROWS: Final = 30
_HEADER_WIDTH: Final = 0.6
"""Share of the usual cells that a header has at least; a column without a name is common."""


class TableRow(NamedTuple):
    """A row, or several joined, as text, and the first and last line or row number, from 1."""

    text: str
    first: int
    last: int
    cells: Sequence[str] = ()  # its cells, where they are known apart


def join_rows(table: Table, cut: dict[int, int] | None = None) -> Iterator[TableRow]:
    """The rows of a sheet as text; a merged cell in every place that it spans, unless it is all of its row.

    Args:
        table: The sheet.
        cut: Takes up how many cells of each row, by its number, are left out of a row that is too wide.
    """
    for row, number in zip(table.rows, table.numbers, strict=True):
        cells = [as_cell(cell) for cell in row]
        own = sum(bool(cell.shown) and not cell.continued for cell in cells)
        if not own and not any(cell.note for cell in cells):
            continue
        texts = ["" if cell.continued and own == 1 else _write_cell(cell) for cell in cells]
        while texts and not texts[-1]:
            texts.pop()
        if len(texts) > MOST_COLUMNS:
            texts = [text for text in texts if text]
            if len(texts) > MOST_COLUMNS and cut is not None:
                cut[number] = len(texts) - MOST_COLUMNS
        yield TableRow(BETWEEN.join(texts[:MOST_COLUMNS]), number, number, texts[:MOST_COLUMNS])


def _write_cell(cell: Cell) -> str:
    """A cell as a passage shows it, with the comment on it."""
    return f"{cell.shown} [Comment: {cell.note}]".lstrip() if cell.note else cell.shown


def make_table_passages(
    rows: Iterable[TableRow], header: TableRow | None, *, unit: str, sheet: str = "", page: int | None = None
) -> Iterator[Passage]:
    """The passages of a table; a header without rows is one.

    Args:
        rows: The rows, without the header.
        header: The header, if there is one.
        unit: What the rows are called, for people.
        sheet: The sheet they are on.
        page: The number of the sheet.
    """
    runs = _pack_rows(rows, header.text if header else "")
    first = next(runs, header)
    for run in chain(() if first is None else (first,), runs):
        place = ", ".join(filter(None, (sheet and f"sheet {sheet}", format_range(run.first, run.last, unit))))
        yield Passage(run.text, (sheet,) if sheet else (), place, run.first, run.last, page)


def make_sheet_passages(rows: Iterable[TableRow], sheet: str, page: int) -> Iterator[Passage]:
    """The passages of a sheet: what stands above its header, then its rows."""
    before, header, below = split_header(rows, BETWEEN)
    yield from make_table_passages(before, None, unit="row", sheet=sheet, page=page)
    yield from make_table_passages(below, header, unit="row", sheet=sheet, page=page)


def split_header(rows: Iterable[TableRow], between: str) -> tuple[list[TableRow], TableRow | None, Iterator[TableRow]]:
    """Find the header of a table below the lines of a title, an account, a date that may stand above it.

    The header is the first of the first rows that is as wide as most of them and holds names and no numbers.

    Args:
        rows: All rows.
        between: What stands between two cells.

    Returns:
        The rows above the header, the header, if there is one, and the rows below.
    """
    rest = iter(rows)
    first = list(islice(rest, _SAMPLE_ROWS))
    cells = [row.cells or split_cells(row.text, between) for row in first]
    widths = Counter(len(line) for line in map(_list_filled, cells) if len(line) > 1)
    usual = max(widths, key=lambda width: (widths[width], width * (widths[width] > 1)), default=0)
    for at, line in enumerate(cells[: max(1, len(cells) - 1)] if usual else ()):
        if _is_header(line) and len(_list_filled(line)) >= max(2, usual * _HEADER_WIDTH):
            return first[:at], first[at], chain(first[at + 1 :], rest)
        if len(_list_filled(line)) >= usual:
            break
    return [], None, chain(first, rest)


def split_cells(text: str, between: str) -> list[str]:
    """The cells of a row; quoted ones without their quotation marks."""
    return text.split(between) if len(between) > 1 else split_record(text, between)


def _is_header(cells: Sequence[str]) -> bool:
    """Whether cells name columns: none is a number but a year, and more than one has a name."""
    filled = _list_filled(cells)
    return len(filled) > 1 and bool(filled[0]) and all(map(_is_name, filled)) and not all(map(_is_year, filled))


def _list_filled(cells: Sequence[str]) -> list[str]:
    return [cell for cell in cells if cell.strip()]


def _is_name(cell: str) -> bool:
    return any(c.isalpha() for c in cell) or not any(c.isdigit() for c in cell) or _is_year(cell)


def _is_year(cell: str) -> bool:
    return len(cell.strip()) == 4 and cell.strip().isdecimal() and 1_800 <= int(cell) <= 2_200


def _pack_rows(rows: Iterable[TableRow], header: str = "") -> Iterator[TableRow]:
    """Put rows together to passages, none larger than `LARGEST` and its header.

    A row that is larger alone is parted, each piece below the header.
    """
    above = header[:_LONGEST_HEADER] + "\n" if header else ""
    held: list[TableRow] = []
    size = 0.0
    for row in rows:
        added = measure_weight(row.text)
        if held and size + added > LARGEST:
            yield _join_rows(above, held)
            held, size = [], 0.0
        if added > LARGEST:
            for piece in chunk_sections(row.text, ())[1]:
                yield TableRow(above + piece.text, row.first, row.last)
            continue
        held.append(row)
        size += added
    if held:
        yield _join_rows(above, held)


def _join_rows(above: str, rows: list[TableRow]) -> TableRow:
    return TableRow(above + "\n".join(row.text for row in rows), rows[0].first, rows[-1].last)
