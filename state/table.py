"""Tables: the grid of typed cells that a reader hands on, from which everything else about a table is derived."""

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
        unit: Unit that the format of the cell states, such as `€` or `%`; empty where there is none.
        formula: Formula without its equals sign; empty for a constant.
        continued: Part of a merged cell other than its first: it repeats that cell's value and does not count again.
        bold: Set in bold type.
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
    """A table, or a sheet with tables on it, as it stands in a document.

    Readers do not look for titles, headers, totals or several tables in one grid: `weiwo.tools.tables.structure` does.

    Attributes:
        name: Name of its own: the sheet, the caption, the heading it stands under; empty if it has none.
        rows: Its rows in order, header rows included. Empty rows are kept as empty sequences where a sheet has them.
        numbers: Number of each row as its document counts: the row of a sheet, the first line of a record.
        unit: Word for these numbers in a citation: `row`, `line`, `paragraph`, `record`; empty where rows have none.
        within: Place of the whole table in a citation, such as `sheet Sales` or `page 3`.
        header_rows: Number of header rows, where the document says so; None where it does not.
        ruled: Indexes of the rows that a rule sets apart from the rows above.
        hidden_rows: Indexes of the rows that the document hides, by a filter or by hand.
        hidden_columns: Indexes of the columns that it hides.
        headings: Headings that the table stands under, outermost first.
        delimiter: Mark between its cells, where it is delimited text.
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
        """Return a cell by its indexes from 0; an empty cell where the row ends before."""
        cells = self.rows[row]
        return as_cell(cells[column]) if column < len(cells) else EMPTY_CELL

    def locate(self, first: int, last: int | None = None) -> str:
        """Return the place of a row, or of a run of rows, for a citation."""
        if not self.unit:
            return self.within
        start, end = self.numbers[first], self.numbers[first if last is None else last]
        place = f"{self.unit}s {start}-{end}" if end > start else f"{self.unit} {start}"
        return f"{self.within}, {place}" if self.within else place


EMPTY_CELL = Cell()


def as_cell(cell: Cell | str) -> Cell:
    """Return a cell as a `Cell`: a plain text as the cell of that text."""
    return cell if isinstance(cell, Cell) else Cell(cell or None, cell)
