"""Table structure: the tables on a grid, with headers, sections and bodies.

They are found by position and by the types of the cells. A grid may hold several tables: side by side with an empty
column between them, or one below the other after a blank row, a title or a header of their own. Totals are found later,
by arithmetic (`totals`).
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, time, timedelta
from typing import Final

from weiwo.state.delimited_rows import DelimitedRows
from weiwo.state.table import Cell, Row, Table, as_cell

_SAMPLE_ROWS: Final = 30
_HEADER_WIDTH: Final = 0.6
"""Least width of a header, as a share of the usual number of filled cells: columns without a name are common."""
_MOST_HEADER_ROWS: Final = 4
_MOST_TABLES: Final = 100
_LONGEST_NAME: Final = 80


@dataclass(slots=True)
class FoundTable:
    """Table found on a grid of cells. Rows are given by their indexes in the grid."""

    grid: Table
    title: str
    header: list[str]
    columns: range
    rows: list[int] = field(default_factory=list)
    sections: dict[int, str] = field(default_factory=dict)  # by index of the first row of each section
    ruled: set[int] = field(default_factory=set)  # indexes of rows that a rule or a blank row sets apart
    glued: bool = False  # starts at a repetition of the header above, without a blank row or a title in between
    written: Row = ()  # cells of the last header row
    torn: list[int] = field(default_factory=list)  # rows with more cells than columns, which are not read

    def read_columns(self, wanted: range) -> list[list[Cell | str]]:
        """Return the body's cells, column by column.

        Rows that end early are filled with empty cells.
        """
        if isinstance(self.grid.rows, DelimitedRows):
            return [[*cells] for cells in self.grid.rows.read_columns(self.rows, wanted)]
        width = len(wanted)
        rows = (self.grid.rows[index][wanted.start : wanted.stop] for index in self.rows)
        filled = (row if len(row) == width else [*row, *[""] * (width - len(row))] for row in rows)
        return [list(cells) for cells in zip(*filled, strict=True)] or [[] for _ in wanted]


def find_tables(grid: Table) -> list[FoundTable]:
    """Return up to 100 tables on a sheet or in a document, from left to right, and each side from top to bottom.

    Rows without a header are no table, except for pairs of labels and values.
    """
    found = [table for columns in _split_columns(grid) for table in _RowSplitter(grid, columns).split()]
    return found[:_MOST_TABLES]


# -- cells --------------------------------------------------------------------------------------------------------


def _text(cell: Cell | str) -> str:
    return cell.strip() if isinstance(cell, str) else cell.shown.strip()


def _is_filled(cell: Cell | str) -> bool:
    return bool(_text(cell)) if isinstance(cell, str) else bool(_text(cell)) and not cell.continued


def is_figure(cell: Cell | str) -> bool:
    """Report whether a cell holds a figure: 5, a date, "12%", but not "5 kg" and not "2024".

    Figures are numbers, dates, times, and texts with digits but without letters. A year is no figure, because it is
    often the name of a column.
    """
    value = cell if isinstance(cell, str) else cell.value
    if isinstance(value, str):
        text = value.strip()
        digits = any(c.isdigit() for c in text)
        return digits and not any(c.isalpha() for c in text) and not _is_year(text)
    if isinstance(value, bool) or value is None:
        return False
    if isinstance(value, float | int):
        return not (float(value).is_integer() and 1_800 <= value <= 2_200)
    return isinstance(value, date | time | timedelta)


def _is_year(text: str) -> bool:
    return len(text) == 4 and text.isdecimal() and 1_800 <= int(text) <= 2_200


def _is_bold(cell: Cell | str) -> bool:
    return isinstance(cell, Cell) and cell.bold


# -- columns ------------------------------------------------------------------------------------------------------


def _split_columns(grid: Table) -> list[range]:
    """Return the column ranges of tables standing side by side, or the whole width.

    The grid is split at empty columns if each range has two or more columns and a header row.
    """
    if isinstance(grid.rows, DelimitedRows):
        return [range(grid.rows.count_columns())]
    width = max((len(row) for row in grid.rows), default=0)
    whole = [range(width)]
    if grid.unit == "line" or width < 5:
        return whole
    used = [False] * width
    for row in grid.rows:
        for at, cell in enumerate(row):
            used[at] = used[at] or bool(_text(cell))
    parts = _runs(used)
    if len(parts) < 2 or any(len(part) < 2 for part in parts):
        return whole
    for part in parts:
        filled = [at for at, row in enumerate(grid.rows) if any(map(_text, _cut(row, part)))]
        if _find_header(grid, part, filled) is None:
            return whole
    return parts


def _runs(used: Sequence[bool]) -> list[range]:
    """Return the ranges of adjacent used columns: `[True, True, False, True]` → `[range(0, 2), range(3, 4)]`."""
    found: list[range] = []
    start = None
    for at, flag in enumerate([*used, False]):
        if flag and start is None:
            start = at
        elif not flag and start is not None:
            found.append(range(start, at))
            start = None
    return found


def _cut(row: Row, columns: range) -> Row:
    return row if columns.start == 0 and len(row) <= columns.stop else row[columns.start : columns.stop]


# -- headers ------------------------------------------------------------------------------------------------------


def _find_header(grid: Table, columns: range, rows: Sequence[int]) -> int | None:
    """Find the header among rows of a grid.

    The header is the first row that is as wide as most rows and holds names and no figures.

    Returns:
        Its position among the rows, or None if the rows have no header.
    """
    if grid.header_rows is not None:
        return 0 if grid.header_rows and rows else None
    sample = [[cell for cell in _cut(grid.rows[at], columns) if _is_filled(cell)] for at in rows[:_SAMPLE_ROWS]]
    widths = Counter(len(cells) for cells in sample if len(cells) > 1)
    usual = max(widths, key=lambda width: (widths[width], width * (widths[width] > 1)), default=0)
    for at, cells in enumerate(sample[: max(1, len(sample) - 1)] if usual else ()):
        if _are_names(cells) and len(cells) >= max(2, usual * _HEADER_WIDTH):
            return at
        if len(cells) >= usual:
            break
    return None


def _are_names(cells: Sequence[Cell | str]) -> bool:
    """Report whether cells are column names.

    Column names are at least two cells, none of them a figure, and not all of them years.
    """
    if len(cells) < 2 or any(map(is_figure, cells)):
        return False
    return not all(_is_year(_text(cell)) for cell in cells)


class _RowSplitter:
    """Splitter of some columns of a grid into the tables below each other."""

    def __init__(self, grid: Table, columns: range) -> None:
        self._grid, self._columns = grid, columns
        self._found: list[FoundTable] = []
        self._title = ""

    def split(self) -> list[FoundTable]:
        """Return the tables that have rows.

        A table that only repeats the header of the table above continues it, unless row labels occur in both.
        """
        for block in self._list_blocks():
            self._take_block(block)
        found: list[FoundTable] = []
        for table in self._found:
            if table.glued and found:
                before = found[-1]
                keys = [{_text(item.grid.cell(at, item.columns.start)) for at in item.rows} for item in (before, table)]
                if keys[0].isdisjoint(keys[1]):
                    before.rows += table.rows
                    before.torn += table.torn
                    before.sections.update(table.sections)
                    continue
            found.append(table)
        return [table for table in found if table.rows]

    def _list_blocks(self) -> Iterable[list[int]]:
        """Yield the runs of rows without a blank row in between."""
        block: list[int] = []
        whole = self._columns.start == 0 and self._grid.unit == "line"
        rows = self._grid.rows
        if isinstance(rows, DelimitedRows):
            blank = rows.find_blank()
        else:
            filled = (any(row) if whole else any(map(_text, _cut(row, self._columns))) for row in rows)
            blank = {at for at, is_filled in enumerate(filled) if not is_filled}
        for at in range(len(rows)):
            if at not in blank:
                block.append(at)
            elif block:
                yield block
                block = []
        if block:
            yield block

    def _take_block(self, block: list[int]) -> None:
        current = self._found[-1] if self._found else None
        at = _find_header(self._grid, self._columns, block)
        if current is not None and (at is None or not self._starts_anew(block, at, current)):
            self._extend(current, block, after_blank=True)
        elif at is not None:
            self._title = next((_text(cell) for cell in self._row(block[0]) if _text(cell)), "") if at else self._title
            self._start(block, at, glued=False)
        elif len(block) == 1 and sum(map(_is_filled, self._row(block[0]))) == 1:
            self._title = next(_text(cell) for cell in self._row(block[0]) if _is_filled(cell))
        else:
            self._read_labels(block)

    def _row(self, at: int) -> Row:
        return _cut(self._grid.rows[at], self._columns)

    def _starts_anew(self, block: list[int], at: int, current: FoundTable) -> bool:
        """Report whether a block of rows after a blank row starts a new table. If not, it continues the table above.

        Args:
            block: The row indexes of the block.
            at: Position of the header row in the block.
            current: The table above.
        """
        if at > 0 or self._repeats_header(current, self._row(block[at])):
            return True
        figures = self._figure_columns(current)
        row = self._row(block[at])
        if figures:
            return all(at < len(row) and _is_filled(row[at]) and not is_figure(row[at]) for at in figures)
        below = self._row(block[at + 1]) if at + 1 < len(block) else ()
        bold = [_is_bold(cell) for cell in row if _is_filled(cell)]
        return bool(self._title) or (all(bold) and not all(_is_bold(cell) for cell in below if _is_filled(cell)))

    def _figure_columns(self, table: FoundTable) -> list[int]:
        """Return the indexes of the columns that hold figures in more than half of a table's last 20 rows."""
        counts: Counter[int] = Counter()
        sample = table.rows[-20:]
        for index in sample:
            counts.update(at for at, cell in enumerate(self._row(index)) if is_figure(cell))
        return [at for at, count in counts.items() if count * 2 > len(sample)]

    def _start(self, block: list[int], at: int, *, glued: bool) -> None:
        """Start a table at the header row `at` of a block, and add the rows below.

        Further header rows directly above and below are part of the header.
        """
        first = last = at
        while first > 0 and last - first + 1 < _MOST_HEADER_ROWS and self._spans_columns(block[first - 1]):
            first -= 1
        if self._grid.header_rows is not None:
            last = max(last, min(self._grid.header_rows, len(block)) - 1)
        else:
            while last - first + 1 < _MOST_HEADER_ROWS and self._continues_header(block, last):
                last += 1
        columns, written = self._columns, self._row(block[last])
        if self._grid.unit == "line":  # cells beyond the header belong to no column
            columns = range(max(1, len(written)))
        names = self._read_names(block[first : last + 1])[: len(columns)]
        table = FoundTable(self._grid, self._title, names, columns, glued=glued, written=written)
        self._found.append(table)
        self._title = ""
        self._extend(table, block[last + 1 :], after_blank=False)

    def _spans_columns(self, index: int) -> bool:
        """Report whether a row above a header names groups of columns, like "2024" above "Q1" and "Q2".

        A single title over all columns does not.
        """
        row = self._row(index)
        filled = [cell for cell in row if _is_filled(cell)]
        merged = sum(isinstance(cell, Cell) and cell.continued for cell in row)
        if not filled or any(map(is_figure, filled)):
            return False
        if len(filled) == 1:
            return bool(merged) and not _text(row[0])
        return merged > 0 or not _text(row[0])

    def _continues_header(self, block: list[int], last: int) -> bool:
        """Report whether the row below a header row belongs to the header too.

        It does if it has names where the header row has gaps or merged cells, like "Q1" and "Q2" below "2024".
        """
        if last + 2 >= len(block):
            return False
        upper, lower = self._row(block[last]), self._row(block[last + 1])
        filled = [at for at, cell in enumerate(lower) if _is_filled(cell)]
        gaps = [at for at in range(len(lower)) if at >= len(upper) or not _is_filled(upper[at])]
        merged = [cell for row in (lower, upper[:1]) for cell in row[:2][-1:] if isinstance(cell, Cell)]
        if filled == [0] and any(cell.continued for cell in merged):
            return False  # the first section, over the whole width or below a name that is merged downwards
        if not filled or not gaps or not set(gaps) & set(filled) or any(is_figure(lower[at]) for at in filled):
            return False
        if any(_is_filled(upper[at]) and at + 1 not in gaps for at in filled if at < len(upper)):
            return False
        return any(any(map(is_figure, self._row(at))) for at in block[last + 2 : last + 2 + _SAMPLE_ROWS])

    def _read_names(self, rows: Sequence[int]) -> list[str]:
        """Return the column names, joined from the texts of the header rows: "2024" above "Q1" → "2024 Q1".

        An empty name becomes "column 3", and a repeated name gets its number: "price (3)".
        """
        names: list[str] = []
        for at in range(len(self._columns)):
            parts: list[str] = []
            for index in rows:
                row = self._row(index)
                text = _text(row[at]) if at < len(row) else ""
                if text and text not in parts:
                    parts.append(text)
            name = " ".join(" ".join(parts).lstrip("\ufeff").split())[:_LONGEST_NAME] or f"column {at + 1}"
            names.append(name if name not in names else f"{name} ({at + 1})")
        return names

    # -- bodies ---------------------------------------------------------------------------------------------------

    def _extend(self, table: FoundTable, rows: list[int], *, after_blank: bool) -> None:
        """Add rows to a table. If another table begins among them, start it with the rows from there on."""
        plain = self._grid.unit == "line"
        ordinary: Sequence[bool] = ()
        if isinstance(self._grid.rows, DelimitedRows):
            ordinary = self._grid.rows.mark_ordinary(rows, [*map(str, table.written)])
        for at, index in enumerate(rows):
            if ordinary and ordinary[at]:
                if after_blank and at == 0:
                    table.ruled.add(index)
                table.rows.append(index)
                continue
            row = self._row(index)
            filled = [cell for cell in row if _is_filled(cell)] if not plain or row.count("") >= len(row) - 2 else None
            if filled is not None and len(filled) == 1 and self._take_title(table, rows, at, filled[0]):
                if self._found[-1] is not table:
                    return
                continue
            if self._repeats_header(table, row):
                self._start(rows, at, glued=True)
                return
            if not plain and filled and table.rows and self._has_new_names(table, rows, at, filled):
                self._start(rows, at, glued=False)
                return
            if plain and len(row) > len(table.columns) and any(map(_text, row[len(table.columns) :])):
                table.torn.append(index)
                continue
            if (after_blank and at == 0) or index in self._grid.ruled:
                table.ruled.add(index)
            table.rows.append(index)

    def _take_title(self, table: FoundTable, rows: list[int], at: int, cell: Cell | str) -> bool:
        """Try to read a row with a single filled cell as a title or a note.

        Above a header, the cell is a title and starts a new table. Above other rows, it is a section title if it is
        bold, ends with a colon or spans the table. A long text in the last row is a note.

        Returns:
            Whether the row was used up. False means that it is an ordinary row.
        """
        row, last = self._row(rows[at]), at + 1 == len(rows)
        name = not is_figure(cell) and _text(row[0]) == _text(cell)
        if not last and name and len(row) > 0:
            below = [item for item in self._row(rows[at + 1]) if _is_filled(item)]
            again = self._repeats_header(table, self._row(rows[at + 1]))
            if again or (len(below) > 1 and self._has_new_names(table, rows, at + 1, below)):
                self._title = _text(cell)
                self._start(rows, at + 1, glued=False)
                return True
        spanned = [
            item for item in row if isinstance(item, Cell) and item.continued and _text(item) in {"", _text(cell)}
        ]
        merged = len(spanned) >= len(self._columns) - 1
        if name and len(self._columns) > 1 and merged and not last:
            table.sections[rows[at + 1]] = _text(cell)
            return True
        if name and len(self._columns) > 2 and (_is_bold(cell) or _text(cell).endswith((":", "："))) and not last:
            table.sections[rows[at + 1]] = _text(cell).rstrip(":：")
            return True
        return name and last and len(self._columns) > 2 and len(_text(cell)) > 30  # a note below the table

    def _repeats_header(self, table: FoundTable, row: Row) -> bool:
        if self._grid.unit == "line":
            return row == table.written
        return [*map(_text, row)] == [*map(_text, table.written)]

    def _has_new_names(self, table: FoundTable, rows: list[int], at: int, filled: Sequence[Cell | str]) -> bool:
        """Report whether a row is the header of another table.

        It is if it has names in all columns that hold figures in the table above, and figures follow below the names.
        """
        if at + 1 >= len(rows) or not _are_names(filled):
            return False
        figures = self._figure_columns(table)
        row, below = self._row(rows[at]), self._row(rows[at + 1])
        named = [figure for figure in figures if figure < len(row) and _is_filled(row[figure])]
        return bool(named) and len(named) == len(figures) and any(is_figure(cell) for cell in below)

    def _read_labels(self, block: list[int]) -> None:
        """Add a block of label and value pairs as a table of one row, with the labels as columns.

        Does nothing if the block is not of that form.
        """
        pairs = [[cell for cell in self._row(at) if _text(cell)] for at in block]
        labels = [_text(pair[0]) for pair in pairs]
        if len(pairs) < 2 or any(len(pair) != 2 for pair in pairs) or len(set(labels)) < len(labels):
            return
        if any(is_figure(pair[0]) for pair in pairs):
            return
        rows: list[Row] = [labels, [as_cell(pair[1]) for pair in pairs]]
        numbers = [self._grid.numbers[block[0]], self._grid.numbers[block[-1]]]
        turned = replace(self._grid, rows=rows, numbers=numbers, header_rows=1, ruled=frozenset())
        self._found.append(FoundTable(turned, self._title, labels, range(len(labels)), [1]))
        self._title = ""
