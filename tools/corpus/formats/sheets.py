"""XLSX, by sheet: the header of a sheet and a run of its rows."""

import warnings
from collections.abc import Iterable, Iterator
from datetime import date, datetime
from typing import Any, BinaryIO, Final
from zipfile import BadZipFile

from tools.corpus.encodings import UnreadableError
from tools.corpus.formats.base import Part, date_of, filled, lines, package, tidy, title_of
from tools.corpus.formats.rows import Row, packed
from tools.corpus.formats.zips import archive
from tools.corpus.records import Passage

_MOST_COLUMNS: Final = 500
_BETWEEN: Final = " | "


def read(file: BinaryIO, name: str) -> Iterator[Part]:
    """Read a workbook, formulas as their last values.

    Raises:
        UnreadableError: It is encrypted, is no XLSX, or is empty.
    """
    openpyxl = package("openpyxl")
    with archive(file), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about styles and extensions, which we do not need
        file.seek(0)
        try:
            book = openpyxl.load_workbook(file, read_only=True, data_only=True)
        except (KeyError, ValueError, TypeError, BadZipFile) as error:
            raise UnreadableError(f"damaged: no workbook in it ({error})") from None
        found: list[Passage] = []
        for number, sheet in enumerate(book.worksheets, 1):
            sheet.reset_dimensions()  # what it states of its size need not be true
            rows = _rows(sheet.iter_rows(max_col=_MOST_COLUMNS, values_only=True))
            found += _passages(rows, tidy(sheet.title), number)
        stated = book.properties
        when = stated.modified or stated.created
        return filled(Part(title_of(stated.title) or name, found, date_of(when.isoformat()) if when else None))


def _rows(values: Iterable[tuple[Any, ...]]) -> Iterator[tuple[int, list[str]]]:
    for number, row in enumerate(values, 1):
        cells = [_cell(value) for value in row]
        while cells and not cells[-1]:
            cells.pop()
        if cells:
            yield number, cells


def _passages(rows: Iterator[tuple[int, list[str]]], sheet: str, number: int) -> Iterator[Passage]:
    first = next(rows, None)
    if first is None:
        return
    at, cells = first
    header = _BETWEEN.join(cells) if _is_header(cells) else ""
    whole = [] if header else [Row(_BETWEEN.join(cells), at, at)]
    rest = (Row(_BETWEEN.join(below), row, row) for row, below in rows)
    empty = True
    for run in packed(_both(whole, rest), header):
        empty = False
        place = f"sheet {sheet}, {lines(run.first, run.last, 'row')}"
        yield Passage(run.text, (sheet,), place, run.first, run.last, number)
    if header and empty:
        yield Passage(header, (sheet,), f"sheet {sheet}, row {at}", at, at, number)


def _both(first: list[Row], rest: Iterable[Row]) -> Iterator[Row]:
    yield from first
    yield from rest


def _is_header(cells: list[str]) -> bool:
    return len(cells) > 1 and not any(cell and cell.replace(".", "").replace("-", "").isdigit() for cell in cells)


def _cell(value: Any) -> str:
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
    return " ".join(tidy(str(value)).split())
