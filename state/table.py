"""Tables: the grid of typed cells passed on by a reader.

Everything else about a table is derived from this grid.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import NamedTuple

CellValue = float | int | bool | str | date | datetime | time | timedelta | None
"""The stored value of a cell; None of an empty cell. A text stays a text, also one that looks like a number."""


class Cell(NamedTuple):
    """A cell of a table.

    Attributes:
        value: Stored value, never derived from the shown text.
        shown: Text that the document's own program displays.
        unit: Unit stated by the format of the cell, such as `€` or `%`. Empty if there is none.
        formula: Formula without its equals sign. Empty for a constant.
        continued: Whether the cell is a part of a merged cell other than the first. It repeats the value of the merged
            cell and does not count again.
        bold: Whether the cell is in bold type.
        note: Comment on the cell.
    """

    value: CellValue = None
    shown: str = ""
    unit: str = ""
    formula: str = ""
    continued: bool = False
    bold: bool = False
    note: str = ""


Row = Sequence[Cell | str]
"""A row of a table. A plain text stands for a cell of that text and nothing else; rows of a sheet may differ in length.
"""


@dataclass(frozen=True, slots=True)
class Table:
    """A table, or a sheet with tables, as found in a document.

    Readers do not look for titles, headers, totals or several tables in one grid. `weiwo.tools.tables.structure` does.

    Attributes:
        name: Name of the table: the sheet, the caption, or the heading above it. Empty if it has none.
        rows: Rows in order, header rows included. Empty rows are kept as empty sequences if a sheet has them.
        numbers: Number of each row in the document: the row of a sheet, the first line of a record.
        unit: Word for these numbers in a citation: `row`, `line`, `paragraph`, `record`. Empty if rows have none.
        within: Position of the whole table in a citation, such as `sheet Sales` or `page 3`.
        header_rows: Number of header rows, if the document states it, else None.
        ruled: Indexes of the rows separated by a rule from the rows above.
        hidden_rows: Indexes of the rows that the document hides, by a filter or by hand.
        hidden_columns: Indexes of the columns that the document hides.
        headings: Heading path of the table, outermost first.
        delimiter: Delimiter between cells, for delimited text.
    """

    name: str
    rows: Sequence[Row]
    numbers: Sequence[int]
    unit: str = "row"
    within: str = ""
    header_rows: int | None = None
    ruled: frozenset[int] = frozenset()
    hidden_rows: frozenset[int] = frozenset()
    hidden_columns: frozenset[int] = frozenset()
    headings: tuple[str, ...] = ()
    delimiter: str = ""

    def cell(self, row: int, column: int) -> Cell:
        """Return a cell by row and column index from 0, or an empty cell beyond the end of the row."""
        cells = self.rows[row]
        return as_cell(cells[column]) if column < len(cells) else EMPTY_CELL

    def locate(self, first: int, last: int | None = None) -> str:
        """Return the position of a row, or of a range of rows, for a citation: `sheet Sales, rows 3-7`.

        Without a `unit`, only the position of the table (`within`). Empty if that is empty, too.

        Args:
            first: Index of the first row, from 0.
            last: Index of the last row. None for a single row.
        """
        if not self.unit:
            return self.within
        start, end = self.numbers[first], self.numbers[first if last is None else last]
        place = f"{self.unit}s {start}-{end}" if end > start else f"{self.unit} {start}"
        return f"{self.within}, {place}" if self.within else place


EMPTY_CELL = Cell()


def as_cell(cell: Cell | str) -> Cell:
    """Return a cell as a `Cell`, converting plain text."""
    return cell if isinstance(cell, Cell) else Cell(cell or None, cell)
