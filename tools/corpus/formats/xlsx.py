"""XLSX, by sheet: the header of a sheet and a run of its rows."""

import warnings
from collections.abc import Iterable, Iterator
from datetime import date, datetime
from functools import partial
from itertools import chain
from typing import Any, BinaryIO, Final

from weiwo.tools.corpus.formats.parts import (
    Part,
    choose_title,
    clean_text,
    find_date,
    import_parser,
    require_passages,
)
from weiwo.tools.corpus.formats.table_rows import TableRow, make_table_passages
from weiwo.tools.corpus.formats.zip_archive import open_office
from weiwo.tools.corpus.records import Passage

_MOST_COLUMNS: Final = 500
"""Of a wider row, the empty cells are left out, and so is what stands behind this many others."""
_BETWEEN: Final = " | "


def read(file: BinaryIO, name: str) -> Iterator[Part]:
    """Read a workbook, formulas as their last values.

    Raises:
        UnreadableError: It is encrypted, is no XLSX, or is empty.
    """
    load = partial(import_parser("openpyxl").load_workbook, read_only=True, data_only=True)
    # The warnings are about styles and extensions, which we do not need.
    with warnings.catch_warnings(action="ignore"), open_office(file, load, "workbook") as book:
        found: list[Passage] = []
        for number, sheet in enumerate(book.worksheets, 1):
            sheet.reset_dimensions()  # what it states of its size need not be true
            rows = _read_rows(sheet.iter_rows(values_only=True))
            if (first := next(rows, None)) is None:
                continue
            header = first if _is_header(first.text.split(_BETWEEN)) else None
            below = rows if header else chain((first,), rows)
            found += make_table_passages(below, header, unit="row", sheet=clean_text(sheet.title), page=number)
        stated = book.properties
        when = stated.modified or stated.created
        return require_passages(
            Part(choose_title(stated.title) or name, found, find_date(when.isoformat()) if when else None)
        )


def _read_rows(values: Iterable[tuple[Any, ...]]) -> Iterator[TableRow]:
    blank: tuple[Any, ...] | None = None
    for number, row in enumerate(values, 1):
        if row is blank:  # what stands for the million rows above a cell in the last one is a single object
            continue
        wide = len(row) > _MOST_COLUMNS
        filled = [value for value in row if value is not None][:_MOST_COLUMNS] if wide else row
        cells = [_render_cell(value) for value in filled]
        while cells and not cells[-1]:
            cells.pop()
        if cells:
            yield TableRow(_BETWEEN.join(cells), number, number)
        else:
            blank = row


def _is_header(cells: list[str]) -> bool:
    return len(cells) > 1 and not any(cell and cell.replace(".", "").replace("-", "").isdigit() for cell in cells)


def _render_cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime) and not (value.hour or value.minute or value.second):
        return value.date().isoformat()
    if isinstance(value, datetime | date):
        return value.isoformat(sep=" ") if isinstance(value, datetime) else value.isoformat()
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return " ".join(clean_text(str(value)).split())
