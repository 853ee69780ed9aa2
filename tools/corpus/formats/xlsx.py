"""XLSX, by sheet: the header of a sheet and a run of its rows, each cell as it is shown."""

import io
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import BinaryIO, Final, NamedTuple
from xml.etree import ElementTree as ET

from weiwo.text.patterns import lazy
from weiwo.tools.corpus.formats.document_builder import DocumentBuilder
from weiwo.tools.corpus.formats.ooxml import BROKEN, Drawings, Element, Package, drop_namespaces, join_paragraphs
from weiwo.tools.corpus.formats.parts import Part, choose_title, clean_text, make_passages, require_passages
from weiwo.tools.corpus.formats.table_rows import BETWEEN, LONGEST_REPEATED, Table, TableRow, make_sheet_passages
from weiwo.tools.corpus.formats.zip_files import open_archive
from weiwo.tools.corpus.losses import Loss, count_places
from weiwo.tools.corpus.records import Passage
from weiwo.tools.tables.number_format import BUILT_IN, render_stored, render_text

_MOST_COLUMNS: Final = 500
"""Of a wider row, the empty cells are left out, and so is what stands behind this many others."""
_MOST_SPAN: Final = 200
_MERGED: Final = re.compile(rb"""<(?:\w+:)?mergeCell\s[^>]*?ref=["']([A-Z]+)(\d+):([A-Z]+)(\d+)["']""")
_PLACE: Final = lazy(r"([A-Z]{1,3})(\d+)")


def read(file: BinaryIO, name: str) -> Iterator[Part]:
    """Read a workbook, formulas as their last values; hidden sheets are left out.

    Raises:
        UnreadableError: It is encrypted, is no XLSX, or is empty.
    """
    with open_archive(file) as archive:
        package = Package(archive, "workbook")
        book = _Workbook(package)
        found = [passage for number, sheet in enumerate(book.sheets, 1) for passage in book.read_sheet(number, sheet)]
        stated, date = package.read_properties()
        losses = [*book.list_losses(), *package.losses]
        return require_passages(Part(choose_title(stated) or name, found, date, losses=losses))


class _Sheet(NamedTuple):
    name: str
    part: str


class _Workbook:
    """Reads the sheets of a workbook."""

    def __init__(self, package: Package) -> None:
        self._package = package
        root = package.read_part(package.main)
        properties = root.find("workbookPr")
        self._from_1904 = properties is not None and properties.get("date1904", "0") not in {"0", "false", "off"}
        relations = package.read_relations(package.main)
        self.sheets: list[_Sheet] = []  # those that are not hidden
        self._hidden: list[str] = []
        for one in root.iter("sheet"):
            title, part = clean_text(one.get("name", "")), relations.get(one.get("r:id", ""), ("", ""))[1]
            if one.get("state", "visible") != "visible":
                self._hidden.append(title)
            elif package.has(part):
                self.sheets.append(_Sheet(title, part))
        self._strings = self._read_strings()
        self._formats = self._read_formats()
        self._uncomputed: list[str] = []
        self._unformatted: list[str] = []  # cells whose format is not understood
        self._sheet = ""
        self._cut: dict[int, int] = {}

    def list_losses(self) -> list[Loss]:
        """What was left out."""
        cut = [Loss("cells_left_out", sum(self._cut.values()), tuple(map(str, self._cut)))] if self._cut else []
        return [
            *count_places("hidden_sheets", self._hidden),
            *count_places("formulas_without_values", self._uncomputed),
            *count_places("number_formats_not_rendered", self._unformatted),
            *cut,
        ]

    def read_sheet(self, number: int, sheet: _Sheet) -> Iterator[Passage]:
        """The passages of a sheet, then those of its boxes and charts."""
        self._sheet = sheet.name
        try:
            data = self._package.read_bytes(sheet.part)
            reader = _SheetReader(data, self._read_comments(sheet.part), self._show)
            yield from make_sheet_passages(self._join_rows(reader, sheet), sheet.name, number)
        except BROKEN:
            self._package.note_damaged(f"sheet {sheet.name}")
        yield from self._read_drawings(number, sheet)

    def _join_rows(self, reader: "_SheetReader", sheet: _Sheet) -> Iterator[TableRow]:
        for row, cells in reader.read_rows():
            last = max(cells)
            if last < _MOST_COLUMNS:
                texts = [cells.get(column, "") for column in range(last + 1)]
            else:
                texts = [cells[column] for column in sorted(cells)]
                if len(texts) > _MOST_COLUMNS:
                    self._cut[row] = len(texts) - _MOST_COLUMNS
            yield TableRow(BETWEEN.join(texts[:_MOST_COLUMNS]), row, row)
        self._uncomputed += [f"{sheet.name}!{place}" for place in reader.uncomputed]

    def _show(self, cell: Element) -> str | None:
        """The text of a cell; None of a formula that was never computed."""
        kind, value = cell.get("t", "n"), cell.findtext("v")
        if kind == "inlineStr":
            return "".join(map(_read_string, cell.iterfind("is")))
        if value is None or (not value and kind != "str"):
            return None if cell.find("f") is not None else ""
        if kind == "s":
            text = self._strings[int(value)] if value.isdecimal() and int(value) < len(self._strings) else ""
            return render_text(text, self._find_code(cell))
        if kind == "b":
            return "TRUE" if value == "1" else "FALSE"
        if kind == "n":
            shown = render_stored(value, self._find_code(cell), date_1904=self._from_1904)
            if not shown.exact:
                self._unformatted.append(f"{self._sheet}!{cell.get('r', '')}")
            return _render_cell(shown.text)
        return _render_cell(value.removesuffix("T00:00:00") if kind == "d" else value)

    def _find_code(self, cell: Element) -> str:
        style = cell.get("s", "0")
        return self._formats[int(style)] if style.isdecimal() and int(style) < len(self._formats) else ""

    def _read_strings(self) -> list[str]:
        strings = self._package.read_related(self._package.main, "sharedStrings")
        return [_read_string(item) for item in strings.iter("si")]

    def _read_formats(self) -> list[str]:
        styles = self._package.read_related(self._package.main, "styles")
        codes = {str(number): code for number, code in BUILT_IN.items()}
        codes |= {one.get("numFmtId", ""): one.get("formatCode", "") for one in styles.iterfind("numFmts/numFmt")}
        return [codes.get(one.get("numFmtId", ""), "") for one in styles.iterfind("cellXfs/xf")]

    def _read_comments(self, part: str) -> dict[str, str]:
        found: dict[str, str] = {}
        for kind in ("comments", "threadedComment"):
            for listed in self._package.find_related(part, kind):
                for one in self._package.read_part(listed).iter():
                    if one.tag in {"comment", "threadedComment"}:
                        found[one.get("ref", "")] = _read_string(one)
        return found

    def _read_drawings(self, number: int, sheet: _Sheet) -> Iterator[Passage]:
        """What stands above the cells; values of charts, too, which may be of a hidden sheet or another file."""
        body = DocumentBuilder()

        def add_table(table: Table) -> None:
            body.add_table([(row, 1) for row in table])

        for part in self._package.find_related(sheet.part, "drawing"):
            drawings, root = Drawings(self._package, part), self._package.read_part(part)
            self._package.note_pictures(root, f"sheet {sheet.name}")
            for shape in root.iter("txBody"):
                body.add_paragraph(join_paragraphs(shape), 1)
            drawings.read_frame(root, lambda text: body.add_paragraph(text, 1), add_table)
        for passage in make_passages(body.cut_chunks()[1], unit="", within=f"sheet {sheet.name}", page=number):
            yield replace(passage, headings=(sheet.name,))


class _SheetReader:
    """Reads the rows of a sheet, a merged cell in every place that it spans."""

    def __init__(self, data: bytes, comments: dict[str, str], show: Callable[[Element], str | None]) -> None:
        self.uncomputed: list[str] = []  # the formulas without a value so far
        self._data, self._comments, self._show = data, comments, show
        self._merged: dict[tuple[int, int], tuple[int, int]] = {}
        for left, top, right, bottom in _MERGED.findall(data, max(0, data.rfind(b"sheetData>"))):
            self._merged[int(top), _read_column(left.decode())] = (int(bottom), _read_column(right.decode()))
        self._open: list[tuple[int, range, str]] = []  # merged cells that reach down: to which row, where, what

    def read_rows(self) -> Iterator[tuple[int, dict[int, str]]]:
        """The number of each row that has text, and its cells by column, from 0."""
        number = 0
        for _, element in ET.iterparse(io.BytesIO(self._data)):  # noqa: S314 - expat bounds entities itself
            if element.tag.rpartition("}")[2] == "row":
                row = drop_namespaces(element)
                number = int(stated) if (stated := row.get("r", "")).isdecimal() else number + 1
                if cells := self._read_row(row, number):
                    yield number, cells
                row.clear()

    def _read_row(self, row: Element, number: int) -> dict[int, str]:
        cells: dict[int, str] = {}
        column = -1
        for cell in row.iter("c"):
            place = _PLACE.fullmatch(cell.get("r", ""))
            column = _read_column(place[1]) if place else column + 1
            text = self._show(cell)
            if text is None:
                self.uncomputed.append(cell.get("r", f"row {number}"))
                formula = (cell.findtext("f") or "").strip()
                text = f"={formula}" if formula else "=…"
            if note := self._comments.get(cell.get("r", "")):
                text = f"{text} [Comment: {note}]".lstrip()
            if text:
                cells[column] = text
        return self._fill_merged(cells, number)

    def _fill_merged(self, cells: dict[int, str], number: int) -> dict[int, str]:
        self._open = [one for one in self._open if one[0] >= number]
        for column, text in list(cells.items()):
            bottom, right = self._merged.get((number, column), (number, column))
            if (bottom, right) != (number, column) and len(text) <= LONGEST_REPEATED:
                self._open.append((bottom, range(column, min(right, column + _MOST_SPAN) + 1), text))
        own = set(cells)
        for _, columns, text in self._open:
            if own - set(columns):  # what stands alone in its row is a title
                cells |= {column: text for column in columns if column not in own}
        return cells


def _read_string(element: Element) -> str:
    return _render_cell("".join(one.text or "" for one in _iter_texts(element)))


def _iter_texts(element: Element) -> Iterator[Element]:
    """The text elements of a string, its phonetic readings left aside."""
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
