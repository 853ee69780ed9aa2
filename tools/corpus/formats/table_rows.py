"""Table layout: spanning cells on a grid, and rows packed into passages below the header."""

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
"""Maximum length of a text that is repeated in every position of a spanning cell."""
BETWEEN: Final = " | "
"""Separator between the cells of a sheet's row."""
_MOST_SPAN: Final = 200
MOST_COLUMNS: Final = 500
"""Maximum number of columns. In a wider row, empty cells are dropped first, then cells beyond this number."""
_CONTINUED: Final = Cell(continued=True)

Grid = list[list[Cell | str]]
"""Rows of cells, with a cell in every position that a spanning cell covers."""


def spread_rows(rows: Iterable[Iterable[tuple[Cell | str, int, int]]]) -> Grid:
    """Lay out spanning cells on a grid, repeating each cell in every position that it covers.

    A cell "2024" over two columns gives "2024", "2024". A cell that is alone in its row, or is long, has its text only
    in the first position, and empty cells continue it.

    Args:
        rows: For each row, its cells with the numbers of columns and rows that each spans.
    """
    laid: Grid = []
    waiting: dict[int, tuple[Cell, int]] = {}  # by column: cell spanning from above, and rows left
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
"""Minimum number of header cells, relative to the usual row, since columns without a name are common."""


class TableRow(NamedTuple):
    """A row, or several joined rows, as text."""

    text: str
    first: int  # first line or row number, from 1
    last: int  # last line or row number
    cells: Sequence[str] = ()  # the separate cells, if known


def join_rows(table: Table, cut: dict[int, int] | None = None) -> Iterator[TableRow]:
    """Yield the rows of a sheet as text, with merged cells repeated.

    A merged cell that fills its whole row appears once.

    Args:
        table: The sheet.
        cut: Receives the number of cells left out of each row that is too wide, by row number.
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
    """Return the text of a cell for a passage, including any comment."""
    return f"{cell.shown} [Comment: {cell.note}]".lstrip() if cell.note else cell.shown


def make_table_passages(
    rows: Iterable[TableRow], header: TableRow | None, *, unit: str, sheet: str = "", page: int | None = None
) -> Iterator[Passage]:
    """Yield the passages of a table, each beginning with the header. A header without rows is a passage, too.

    Args:
        rows: The rows, without the header.
        header: The header, if there is one.
        unit: Word for the row numbers in locators, such as `row` or `line`.
        sheet: Name of the sheet. Empty if there is none.
        page: Number of the sheet.
    """
    runs = _pack_rows(rows, header.text if header else "")
    first = next(runs, header)
    for run in chain(() if first is None else (first,), runs):
        place = ", ".join(filter(None, (sheet and f"sheet {sheet}", format_range(run.first, run.last, unit))))
        yield Passage(run.text, (sheet,) if sheet else (), place, run.first, run.last, page)


def make_sheet_passages(rows: Iterable[TableRow], sheet: str, page: int) -> Iterator[Passage]:
    """Yield the passages of a sheet: the lines above the header, then the rows."""
    before, header, below = split_header(rows, BETWEEN)
    yield from make_table_passages(before, None, unit="row", sheet=sheet, page=page)
    yield from make_table_passages(below, header, unit="row", sheet=sheet, page=page)


def split_header(rows: Iterable[TableRow], between: str) -> tuple[list[TableRow], TableRow | None, Iterator[TableRow]]:
    """Find the header of a table, below any title, account or date lines.

    The header is the first row, among the first 30, that holds names and no numbers except years, and fills most of the
    cells usual in these rows. The first full row that holds numbers ends the search: the table has no header.

    Args:
        rows: All rows.
        between: Separator between two cells.

    Returns:
        The rows above the header, the header, and the rows below. Without a header: no rows, None, and all rows.
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
    """Split the text of a row into cells. For a delimiter of one character, quotation marks are resolved."""
    return text.split(between) if len(between) > 1 else split_record(text, between)


def _is_header(cells: Sequence[str]) -> bool:
    """Report whether cells can be a header.

    At least two are filled, none is a number except years, not all are years.
    """
    filled = _list_filled(cells)
    return len(filled) > 1 and bool(filled[0]) and all(map(_is_name, filled)) and not all(map(_is_year, filled))


def _list_filled(cells: Sequence[str]) -> list[str]:
    return [cell for cell in cells if cell.strip()]


def _is_name(cell: str) -> bool:
    return any(c.isalpha() for c in cell) or not any(c.isdigit() for c in cell) or _is_year(cell)


def _is_year(cell: str) -> bool:
    return len(cell.strip()) == 4 and cell.strip().isdecimal() and 1_800 <= int(cell) <= 2_200


def _pack_rows(rows: Iterable[TableRow], header: str = "") -> Iterator[TableRow]:
    """Yield texts of several rows each, with the header first, none larger than `LARGEST` plus the header.

    A larger single row is split, each piece below the header.
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
