"""XLSX reader by sheet: the header and rows, with each cell as displayed."""

import io
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from typing import BinaryIO, Final, NamedTuple
from xml.etree import ElementTree as ET

from weiwo.state.table import EMPTY_CELL, Cell, CellValue, Row, Table, as_cell
from weiwo.text.patterns import lazy
from weiwo.tools.corpus.formats.document_builder import DocumentBuilder
from weiwo.tools.corpus.formats.ooxml import BROKEN, Drawings, Element, Package, drop_namespaces, is_on, join_paragraphs
from weiwo.tools.corpus.formats.parts import Part, choose_title, clean_text, make_passages, require_passages
from weiwo.tools.corpus.formats.table_rows import LONGEST_REPEATED, MOST_COLUMNS, Grid, join_rows, make_sheet_passages
from weiwo.tools.corpus.formats.zip_files import open_archive
from weiwo.tools.corpus.losses import Loss, count_places
from weiwo.tools.corpus.records import Passage
from weiwo.tools.tables.date_format import read_serial
from weiwo.tools.tables.number_format import (
    BUILT_IN,
    find_format_kind,
    find_format_unit,
    render_stored,
    render_text,
)

_MOST_SPAN: Final = 200
_MERGED: Final = re.compile(rb"""<(?:\w+:)?mergeCell\s[^>]*?ref=["']([A-Z]+)(\d+):([A-Z]+)(\d+)["']""")
_PLACE: Final = lazy(r"([A-Z]{1,3})(\d+)")


def read(file: BinaryIO, name: str) -> Iterator[Part]:
    """Read a workbook, with the last values of formulas. Hidden sheets are left out.

    Raises:
        UnreadableError: The workbook is encrypted, is no XLSX, or is empty.
    """
    with open_archive(file) as archive:
        package = Package(archive, "workbook")
        book = _Workbook(package)
        found = [passage for number, sheet in enumerate(book.sheets, 1) for passage in book.read_sheet(number, sheet)]
        stated, date = package.read_properties()
        losses = [*book.list_losses(), *package.losses]
        return require_passages(Part(choose_title(stated) or name, found, date, losses=losses, tables=book.tables))


class _Sheet(NamedTuple):
    name: str
    part: str


class _Workbook:
    """Reader of the sheets of a workbook."""

    def __init__(self, package: Package) -> None:
        self._package = package
        root = package.read_part(package.main)
        properties = root.find("workbookPr")
        self._from_1904 = properties is not None and properties.get("date1904", "0") not in {"0", "false", "off"}
        relations = package.read_relations(package.main)
        self.sheets: list[_Sheet] = []  # the sheets that are not hidden
        self._hidden: list[str] = []
        for item in root.iter("sheet"):
            title, part = clean_text(item.get("name", "")), relations.get(item.get("r:id", ""), ("", ""))[1]
            if item.get("state", "visible") != "visible":
                self._hidden.append(title)
            elif package.has(part):
                self.sheets.append(_Sheet(title, part))
        strings = package.read_related(package.main, "sharedStrings")
        self._strings = [_read_string(item) for item in strings.iter("si")]
        self._styles = self._read_styles()
        self.tables: list[Table] = []  # tables of the sheets read so far
        self._uncomputed: list[str] = []
        self._unformatted: list[str] = []  # cells with an unsupported number format
        self._sheet = ""
        self._cut: dict[int, int] = {}

    def list_losses(self) -> list[Loss]:
        """Return the losses: hidden sheets, uncalculated formulas, unsupported number formats and too wide rows."""
        cut = [Loss("cells_left_out", sum(self._cut.values()), tuple(map(str, self._cut)))] if self._cut else []
        return [
            *count_places("hidden_sheets", self._hidden),
            *count_places("formulas_without_values", self._uncomputed),
            *count_places("number_formats_not_rendered", self._unformatted),
            *cut,
        ]

    def read_sheet(self, number: int, sheet: _Sheet) -> Iterator[Passage]:
        """Yield the passages of a sheet's cells, then of its boxes and charts. The cells are also added to `tables`."""
        self._sheet = sheet.name
        try:
            data = self._package.read_bytes(sheet.part)
            reader = _SheetReader(data, self._read_comments(sheet.part), self._read_cell)
            table = reader.read_table(sheet.name)
            yield from make_sheet_passages(join_rows(table, self._cut), sheet.name, number)
            self._uncomputed += [f"{sheet.name}!{place}" for place in reader.uncomputed]
            if table.rows:
                self.tables.append(table)
        except BROKEN:
            self._package.note_damaged(f"sheet {sheet.name}")
        yield from self._read_drawings(number, sheet)

    def _read_cell(self, cell: Element) -> Cell | None:
        """Return the value and the displayed text of a cell, or None for an empty cell."""
        kind, value = cell.get("t", "n"), cell.findtext("v")
        number = cell.get("s", "0")
        style = self._styles[int(number)] if number.isdecimal() and int(number) < len(self._styles) else _PLAIN
        written = cell.find("f")
        formula = "" if written is None else (written.text or "").strip() or "…"
        if kind == "inlineStr":
            text = "".join(map(_read_string, cell.iterfind("is")))
            return Cell(text, text, bold=style.bold) if text else None
        if value is None or (not value and kind != "str"):
            return None if written is None else Cell(f"={formula}", f"={formula}", formula=formula, bold=style.bold)
        if kind == "n":
            return self._read_number(cell, value, style, formula)
        if kind == "s":
            text = self._strings[int(value)] if value.isdecimal() and int(value) < len(self._strings) else ""
            text = render_text(text, style.code)
        elif kind == "b":
            text = "TRUE" if value == "1" else "FALSE"
            return Cell(value == "1", text, formula=formula, bold=style.bold)
        else:
            text = _render_cell(value.removesuffix("T00:00:00") if kind == "d" else value)
        return Cell(text, text, formula=formula, bold=style.bold) if text else None

    def _read_number(self, cell: Element, written: str, style: "CellStyle", formula: str) -> Cell:
        shown = render_stored(written, style.code, date_1904=self._from_1904)
        if not shown.exact:
            self._unformatted.append(f"{self._sheet}!{cell.get('r', '')}")
        try:
            number = float(written)
        except ValueError:
            text = _render_cell(written)
            return Cell(text, text, formula=formula, bold=style.bold)
        value, unit = style.interpret(number, date_1904=self._from_1904)
        return Cell(value, _render_cell(shown.text), unit, formula, bold=style.bold)

    def _read_styles(self) -> list["CellStyle"]:
        styles = self._package.read_related(self._package.main, "styles")
        codes = {str(number): code for number, code in BUILT_IN.items()}
        codes |= {item.get("numFmtId", ""): item.get("formatCode", "") for item in styles.iterfind("numFmts/numFmt")}
        bold = [is_on(item.find("b")) for item in styles.iterfind("fonts/font")]
        found = []
        for entry in styles.iterfind("cellXfs/xf"):
            font = entry.get("fontId", "")
            heavy = font.isdecimal() and int(font) < len(bold) and bold[int(font)]
            found.append(CellStyle(codes.get(entry.get("numFmtId", ""), ""), heavy))
        return found

    def _read_comments(self, part: str) -> dict[str, str]:
        found: dict[str, str] = {}
        for kind in ("comments", "threadedComment"):
            for listed in self._package.find_related(part, kind):
                for item in self._package.read_part(listed).iter():
                    if item.tag in {"comment", "threadedComment"}:
                        found[item.get("ref", "")] = _read_string(item)
        return found

    def _read_drawings(self, number: int, sheet: _Sheet) -> Iterator[Passage]:
        """Yield the passages of drawings above the cells, including chart values.

        The values of a chart may come from a hidden sheet or another file.
        """
        body = DocumentBuilder()

        def add_table(table: Grid) -> None:
            body.add_table([(row, 1) for row in table], unit="")

        for part in self._package.find_related(sheet.part, "drawing"):
            drawings, root = Drawings(self._package, part), self._package.read_part(part)
            self._package.note_pictures(root, f"sheet {sheet.name}")
            for shape in root.iter("txBody"):
                body.add_paragraph(join_paragraphs(shape), 1)
            drawings.read_frame(root, lambda text: body.add_paragraph(text, 1), add_table)
        for passage in make_passages(body.cut_chunks()[1], unit="", within=f"sheet {sheet.name}", page=number):
            yield replace(passage, headings=(sheet.name,))


class CellStyle:
    """A cell style: the number format, and whether the font is bold."""

    def __init__(self, code: str, bold: bool) -> None:  # noqa: FBT001 - a value among others
        self.code, self.bold = code, bold
        self._by_sign = code if "[" not in code or not re.search(r"\[[<>=]", code) else ""
        self._known: dict[float, tuple[str, str]] = {}

    def interpret(self, number: float, *, date_1904: bool) -> tuple[CellValue, str]:
        """Return the typed value of a stored number (number, date, time or duration), and its unit, if any."""
        if not self.code or self.code == "General":
            return number, ""
        sign = (number > 0) - (number < 0)
        if self._by_sign and sign in self._known:
            kind, unit = self._known[sign]
        else:
            kind, unit = find_format_kind(self.code, number), find_format_unit(self.code, number)
            self._known[sign] = kind, unit
        if kind == "duration":
            return timedelta(days=number), ""
        if kind in {"date", "datetime", "time"}:
            moment = read_serial(number, date_1904=date_1904)
            if moment is None:
                return number, ""
            return (moment.time(), "") if kind == "time" and 0 <= number < 1 else (moment, "")
        return number, unit


_PLAIN: Final = CellStyle("", bold=False)


class _SheetReader:
    """Reader of the rows of a sheet, repeating a merged cell in every covered position."""

    def __init__(self, data: bytes, comments: dict[str, str], read_cell: Callable[[Element], Cell | None]) -> None:
        self.uncomputed: list[str] = []  # addresses of formulas without a stored value
        self._data, self._comments, self._read_cell = data, comments, read_cell
        self._merged: dict[tuple[int, int], tuple[int, int]] = {}
        for left, top, right, bottom in _MERGED.findall(data, max(0, data.rfind(b"sheetData>"))):
            self._merged[int(top), _read_column(left.decode())] = (int(bottom), _read_column(right.decode()))
        self._open: list[tuple[int, range, Cell]] = []  # merged cells still open: last row, columns, repeated cell

    def read_table(self, name: str) -> Table:
        """Return the sheet as a table named `name`. An empty row marks a gap in the row numbers."""
        rows: list[Row] = []
        numbers: list[int] = []
        hidden: set[int] = set()
        hidden_columns: set[int] = set()
        number = 0
        for _, element in ET.iterparse(io.BytesIO(self._data)):  # noqa: S314 - expat bounds entities itself
            tag = element.tag.rpartition("}")[2]
            if tag == "col" and element.get("hidden") in {"1", "true"}:
                first, last = (int(element.get(side, "0")) for side in ("min", "max"))
                hidden_columns |= set(range(first - 1, min(last, MOST_COLUMNS)))
            if tag != "row":
                continue
            row = drop_namespaces(element)
            number = int(stated) if (stated := row.get("r", "")).isdecimal() else number + 1
            if cells := self._read_row(row, number):
                if numbers and number > numbers[-1] + 1:
                    rows.append(())
                    numbers.append(numbers[-1] + 1)
                if row.get("hidden") in {"1", "true"}:
                    hidden.add(len(rows))
                last = max(cells)
                rows.append([cells.get(at, "") for at in range(last + 1)])
                numbers.append(number)
            row.clear()
        return Table(
            name,
            rows,
            numbers,
            within=f"sheet {name}",
            hidden_rows=frozenset(hidden),
            hidden_columns=frozenset(hidden_columns),
        )

    def _read_row(self, row: Element, number: int) -> dict[int, Cell | str]:
        cells: dict[int, Cell | str] = {}
        column = -1
        for item in row.iter("c"):
            place = _PLACE.fullmatch(item.get("r", ""))
            column = _read_column(place[1]) if place else column + 1
            cell = self._read_cell(item)
            if cell is not None and cell.formula and cell.shown == f"={cell.formula}":
                self.uncomputed.append(item.get("r", f"row {number}"))
            if note := self._comments.get(item.get("r", "")):
                cell = (cell or EMPTY_CELL)._replace(note=note)
            if cell is not None:
                # Plain text is stored as a string, to save memory.
                plain = isinstance(cell.value, str) and not (cell.formula or cell.bold or cell.note)
                cells[column] = cell.shown if plain else cell
        return self._fill_merged(cells, number)

    def _fill_merged(self, cells: dict[int, Cell | str], number: int) -> dict[int, Cell | str]:
        self._open = [item for item in self._open if item[0] >= number]
        for column, cell in list(cells.items()):
            bottom, right = self._merged.get((number, column), (number, column))
            whole = as_cell(cell)
            if (bottom, right) != (number, column) and len(whole.shown) <= LONGEST_REPEATED:
                again = Cell(whole.value, whole.shown, whole.unit, continued=True)
                self._open.append((bottom, range(column, min(right, column + _MOST_SPAN) + 1), again))
        own = set(cells)
        for _, columns, again in self._open:
            cells |= {column: again for column in columns if column not in own}
        return cells if own else {}


def _read_string(element: Element) -> str:
    return _render_cell("".join(text.text or "" for text in _iter_texts(element)))


def _iter_texts(element: Element) -> Iterator[Element]:
    """Yield the elements with text of a string, without those of phonetic readings."""
    for child in element:
        if child.tag in {"t", "text"} and not len(child):
            yield child
        elif child.tag != "rPh":
            yield from _iter_texts(child)


def _read_column(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - 64
    return number - 1


def _render_cell(value: str) -> str:
    return " ".join(clean_text(value).split())
