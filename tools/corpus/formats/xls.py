"""XLS: workbooks of Excel 97 to 2003, read by xlrd with their number formats, dates, merged cells and hidden rows.

Formulas come with their last values. xlrd does not read charts and text boxes.
"""

import io
from collections.abc import Callable, Iterator
from typing import Any

from weiwo.state.table import EMPTY_CELL, Cell, Row, Table
from weiwo.tools.corpus.formats.encodings import UnreadableError
from weiwo.tools.corpus.formats.parts import Part, clean_text, import_parser, require_passages
from weiwo.tools.corpus.formats.table_rows import LONGEST_REPEATED, join_rows, make_sheet_passages
from weiwo.tools.corpus.formats.xlsx import CellStyle
from weiwo.tools.corpus.losses import Loss, count_places
from weiwo.tools.corpus.records import Passage
from weiwo.tools.tables.number_format import render_stored

_TEXT, _NUMBER, _DATE, _BOOLEAN, _ERROR = range(1, 6)
"""Cell types of xlrd."""


def read(data: bytes, name: str) -> Iterator[Part]:
    """Read a workbook. Hidden sheets are left out.

    Raises:
        UnreadableError: The workbook is damaged or empty, or xlrd is not installed.
    """
    xlrd = import_parser("xlrd")
    try:
        book = xlrd.open_workbook(file_contents=data, formatting_info=True, ragged_rows=True, logfile=io.StringIO())
    except Exception as error:  # noqa: BLE001 - what a damaged file raises is not documented
        raise UnreadableError(f"damaged: {error}") from None
    workbook = _Workbook(book, xlrd.error_text_from_code, xlrd.cellname)
    passages: list[Passage] = []
    tables: list[Table] = []
    hidden: list[str] = []
    cut: dict[int, int] = {}
    for number, sheet in enumerate(book.sheets(), 1):
        title = clean_text(sheet.name)
        if sheet.visibility:
            hidden.append(title)
            continue
        table = workbook.read_sheet(sheet, title)
        passages += make_sheet_passages(join_rows(table, cut), title, number)
        if table.rows:
            tables.append(table)
    losses = [
        *count_places("hidden_sheets", hidden),
        *count_places("number_formats_not_rendered", workbook.unformatted),
    ]
    if cut:
        losses.append(Loss("cells_left_out", sum(cut.values()), tuple(map(str, cut))))
    return require_passages(Part(name, passages, losses=losses, tables=tables))


class _Workbook:
    """Reader of the sheets of a workbook."""

    def __init__(self, book: Any, error_texts: dict[int, str], name_cell: Callable[[int, int], str]) -> None:
        self.unformatted: list[str] = []  # cells with an unsupported number format
        self._from_1904 = book.datemode == 1
        self._error_texts = error_texts
        self._name_cell = name_cell
        self._styles = [
            CellStyle(
                book.format_map[entry.format_key].format_str if entry.format_key in book.format_map else "",
                bool(book.font_list[entry.font_index].bold) if entry.font_index < len(book.font_list) else False,
            )
            for entry in book.xf_list
        ]

    def read_sheet(self, sheet: Any, title: str) -> Table:
        """Return a sheet as a table, with merged cells repeated. An empty row marks a gap in the row numbers."""
        merged = {
            (row, column): (top, left)
            for top, bottom, left, right in sheet.merged_cells
            for row in range(top, min(bottom, sheet.nrows))
            for column in range(left, right)
            if (row, column) != (top, left)
        }
        first: dict[tuple[int, int], Cell] = {}
        rows: list[Row] = []
        numbers: list[int] = []
        hidden: set[int] = set()
        for row in range(sheet.nrows):
            cells = [self._read_cell(sheet, row, column, title) for column in range(sheet.row_len(row))]
            width = max([len(cells), *(column + 1 for at, column in merged if at == row)])
            cells += [EMPTY_CELL] * (width - len(cells))
            for column in range(width):
                if origin := merged.get((row, column)):
                    whole = first.get(origin, EMPTY_CELL)
                    shown = len(whole.shown) <= LONGEST_REPEATED
                    cells[column] = whole._replace(continued=True, bold=False) if shown else Cell(continued=True)
                else:
                    first[row, column] = cells[column]
            if not any(cell.shown for cell in cells):
                continue
            if numbers and row + 1 > numbers[-1] + 1:
                rows.append(())
                numbers.append(numbers[-1] + 1)
            information = sheet.rowinfo_map.get(row)
            if information is not None and information.hidden:
                hidden.add(len(rows))
            rows.append([cell.shown if _is_plain(cell) else cell for cell in cells])
            numbers.append(row + 1)
        columns = frozenset(at for at, information in sheet.colinfo_map.items() if information.hidden)
        return Table(
            title, rows, numbers, within=f"sheet {title}", hidden_rows=frozenset(hidden), hidden_columns=columns
        )

    def _read_cell(self, sheet: Any, row: int, column: int, title: str) -> Cell:
        kind, value = sheet.cell_type(row, column), sheet.cell_value(row, column)
        index = sheet.cell_xf_index(row, column)
        style = self._styles[index] if index < len(self._styles) else CellStyle("", bold=False)
        if kind in {_NUMBER, _DATE}:
            shown = render_stored(f"{value:.15g}", style.code, date_1904=self._from_1904)
            if not shown.exact:
                self.unformatted.append(f"{title}!{self._name_cell(row, column)}")
            stored, unit = style.interpret(value, date_1904=self._from_1904)
            return Cell(stored, clean_text(shown.text), unit, bold=style.bold)
        if kind == _TEXT:
            text = " ".join(clean_text(value).split())
            return Cell(text, text, bold=style.bold) if text else EMPTY_CELL
        if kind == _BOOLEAN:
            return Cell(bool(value), "TRUE" if value else "FALSE", bold=style.bold)
        text = self._error_texts.get(value, "") if kind == _ERROR else ""
        return Cell(text, text) if text else EMPTY_CELL


def _is_plain(cell: Cell) -> bool:
    return not (cell.bold or cell.continued) and (cell.value is None or isinstance(cell.value, str))
