"""OpenDocument reader: texts, sheets and slides, as displayed by LibreOffice."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import BinaryIO, Final
from xml.etree import ElementTree as ET
from zipfile import ZipFile

from weiwo.state.table import Cell, CellValue, Table, as_cell
from weiwo.text.patterns import lazy
from weiwo.text.typeset import raise_figures
from weiwo.tools.corpus.formats.document_builder import DocumentBuilder
from weiwo.tools.corpus.formats.document_dates import find_saved_date
from weiwo.tools.corpus.formats.encodings import UnreadableError
from weiwo.tools.corpus.formats.mathml import write_formula
from weiwo.tools.corpus.formats.odf_lists import OpenLists
from weiwo.tools.corpus.formats.ooxml import BROKEN, Element, drop_namespaces, find_xml, read_xml
from weiwo.tools.corpus.formats.parts import Part, choose_title, clean_text, make_passages, require_passages
from weiwo.tools.corpus.formats.table_rows import Grid, join_rows, make_sheet_passages, spread_rows
from weiwo.tools.corpus.formats.zip_files import open_archive
from weiwo.tools.corpus.losses import count_places
from weiwo.tools.corpus.records import Passage

_SKIPPED: Final = frozenset({"tracked-changes", "sequence-decls", "creator", "date", "note-citation", "ruby-text"})
_BELOW: Final = frozenset({"text-box", "annotation", "note", "table", "custom-shape"})
"""Elements within a paragraph that are read after it."""
_MOST_REPEATED: Final = 100
_MOST_FORMULAS: Final = 2_000
_MOST_DEPTH: Final = 200


def read(file: BinaryIO, name: str) -> Iterator[Part]:
    """Read an OpenDocument file. Positions count paragraphs, slides, or the rows of sheets.

    Raises:
        UnreadableError: The file is encrypted, is no OpenDocument, or is empty.
    """
    with open_archive(file) as archive:
        try:
            root = read_xml(archive, "content.xml")
        except BROKEN as error:
            raise UnreadableError(f"damaged or encrypted: it contains no OpenDocument ({error})") from None
        meta, styles = find_xml(archive, "meta.xml"), find_xml(archive, "styles.xml")
        _put_formulas_in(root, archive)
    return _read_document(root, meta, styles, name)


def read_flat(file: BinaryIO, name: str) -> Iterator[Part]:
    """Read an OpenDocument file in flat XML (.fodt, .fods, .fodp).

    Raises:
        UnreadableError: The file is no OpenDocument, or is empty.
    """
    try:
        root = drop_namespaces(ET.parse(file).getroot())  # noqa: S314 - expat bounds entities itself
    except ET.ParseError as error:
        raise UnreadableError(f"damaged: it contains no OpenDocument ({error})") from None
    return _read_document(root, root, root, name)


def _read_document(root: Element, meta: Element, styles: Element, name: str) -> Iterator[Part]:
    reader = _Reader(root, styles)
    title, passages = reader.read()
    date = find_saved_date(meta.findtext(".//meta/date"), meta.findtext(".//creation-date"))
    best = choose_title(title, meta.findtext(".//title")) or name
    losses = [*count_places("hidden_sheets", reader.hidden), *count_places("deleted_text", reader.deleted)]
    return require_passages(Part(best, passages, date, losses=losses, tables=reader.tables))


class _Reader:
    """Reader of the blocks of a document."""

    def __init__(self, root: Element, styles: Element) -> None:
        self.hidden: list[str] = []  # names of hidden sheets
        self.deleted: list[int] = []  # paragraph numbers of deleted text (tracked changes)
        self._root, self._styles = root, styles
        self._body, self._place = DocumentBuilder(), 0
        self._unit, self._within = "paragraph", ""  # unit and place for the positions of tables
        self._visible: list[bool] = []  # visibility of each row of the table read last
        self.tables: list[Table] = []
        self._lists, self._number = OpenLists(root, styles), ""  # the number of the item that begins
        self._deletions = {
            item.get("id", "") for item in root.iter("changed-region") if item.find("deletion") is not None
        }
        properties = {style.get("name", ""): style.find("table-properties") for style in root.iter("style")}
        self._raised = {
            style.get("name", "") for style in (*root.iter("style"), *styles.iter("style")) if _is_raised(style)
        }
        self._unshown = {
            name for name, item in properties.items() if item is not None and item.get("display") == "false"
        }

    def read(self) -> tuple[str, list[Passage]]:
        """Return the title, empty unless given by a heading, and the passages."""
        if (sheets := self._root.find(".//spreadsheet")) is not None:
            tables = enumerate(sheets.iterfind("table"), 1)
            return "", [passage for number, table in tables for passage in self._read_sheet(number, table)]
        if (show := self._root.find(".//presentation")) is not None:
            passages: list[Passage] = []
            for number, slide in enumerate(show.iterfind("page"), 1):
                self._body, self._place = DocumentBuilder(), 0
                self._unit, self._within = "", f"slide {number}"
                self._walk(slide, 0)
                self.tables += self._body.tables
                passages += make_passages(self._body.cut_chunks()[1], unit="", within=f"slide {number}", page=number)
            return "", passages
        for text in self._root.iterfind("body/text"):
            self._walk(text, 0)
        for kind in ("header", "footer"):
            for around in self._styles.iter(kind):
                self._walk(around, 0)
        title, chunks = self._body.cut_chunks()
        self.tables += self._body.tables
        return title, make_passages(chunks, unit="paragraph")

    def _read_sheet(self, number: int, table: Element) -> Iterator[Passage]:
        title = clean_text(table.get("name", ""))
        if table.get("style-name") in self._unshown:
            self.hidden.append(title)
            return
        rows = self._lay_out(table)
        kept = len(rows)
        while kept and not any(as_cell(cell).shown for cell in rows[kept - 1]):
            kept -= 1
        hidden = {at for at, row in enumerate(self._visible) if not row and at < kept}
        sheet = Table(title, rows[:kept], range(1, kept + 1), within=f"sheet {title}", hidden_rows=frozenset(hidden))
        self.tables.append(sheet)
        yield from make_sheet_passages(join_rows(sheet), title, number)

    def _walk(self, container: Element, depth: int) -> None:
        if depth > _MOST_DEPTH:
            raise RecursionError
        for child in container:
            if child.tag in {"p", "h"}:
                self._add_paragraph(child, container.tag, depth)
            elif child.tag == "table":
                rows = self._lay_out(child)
                numbered = [(row, self._place + number) for number, row in enumerate(rows, 1)]
                self._body.add_table(numbered, unit=self._unit, within=self._within)
                self._place += len(rows)
            elif child.tag == "annotation":
                text = " ".join(" ".join(map(self._gather, child.iter("p"))).split())
                self._body.add_paragraph(f"[Comment: {text}]", self._place)
            elif child.tag == "list":
                self._lists.enter(child)
                self._walk(child, depth + 1)
                self._lists.leave()
            elif child.tag not in _SKIPPED:
                if child.tag == "list-item":
                    self._number = self._lists.take(child)
                self._walk(child, depth + 1)

    def _add_paragraph(self, paragraph: Element, container: str, depth: int) -> None:
        self._place += 1
        text = self._gather(paragraph)
        if paragraph.tag == "h" and text.strip() and not self._lists.is_inside:
            self._number = self._lists.number_heading(paragraph)
        if text.strip():
            text, self._number = self._number + text, ""
        level = paragraph.get("outline-level", "1")
        if paragraph.tag == "h" and text.strip():
            self._body.add_heading(int(level) if level.isdecimal() else 1, text, self._place)
        else:
            self._body.add_paragraph(text, self._place, item=container == "list-item")
        below = Element("below")
        below.extend(_list_below(paragraph))
        self._walk(below, depth + 1)

    def _gather(self, element: Element) -> str:
        """Return the text of a paragraph, without nested blocks."""
        found = [element.text or ""]
        for child in element:
            if child.tag == "s":
                found.append(" " * min(int(child.get("c", "1")), 100))
            elif child.tag in {"tab", "line-break"}:
                found.append("\t" if child.tag == "tab" else "\n")
            elif child.tag == "math":
                found.append(f" {' '.join(write_formula(child).split())} ")
            elif child.tag == "change" and child.get("change-id") in self._deletions:
                self.deleted.append(self._place)
            elif child.tag not in _BELOW | _SKIPPED | {"label"}:
                text = self._gather(child)
                found.append(raise_figures(text) if child.get("style-name") in self._raised else text)
                if child.tag == "ruby":
                    found.append(f"({''.join(item.text or '' for item in child.iter('ruby-text'))})")
            found.append(child.tail or "")
        return "".join(found)

    def _lay_out(self, table: Element) -> Grid:
        """Return the rows of a table, expanding repeated rows and cells, within limits, and spanning cells."""
        rows: list[list[tuple[Cell | str, int, int]]] = []
        self._visible = []
        for row in _list_rows(table):
            cells: list[tuple[Cell | str, int, int]] = []
            for cell in row:
                if cell.tag != "table-cell":
                    continue
                text = _show_date(cell) or " ".join(" ".join(self._gather_cell(cell)).split())
                again = min(_read_number(cell, "number-columns-repeated"), _MOST_REPEATED if text else 500)
                wide, deep = _read_number(cell, "number-columns-spanned"), _read_number(cell, "number-rows-spanned")
                cells += [(_read_cell(cell, text), wide, deep)] * again
            while cells and not as_cell(cells[-1][0]).shown and cells[-1][2] == 1:
                cells.pop()
            copies = min(_read_number(row, "number-rows-repeated"), _MOST_REPEATED)
            rows += [cells] * copies
            self._visible += [row.get("visibility", "visible") == "visible"] * copies
        return spread_rows(rows)

    def _gather_cell(self, cell: Element) -> Iterator[str]:
        for block in cell:
            if block.tag in {"p", "h"}:
                yield self._gather(block)
                for below in _list_below(block):
                    yield from self._gather_cell(below)
            elif block.tag == "annotation":
                yield f"[Comment: {' '.join(map(self._gather, block.iter('p')))}]"
            elif block.tag not in _SKIPPED:
                yield from self._gather_cell(block)


def _put_formulas_in(root: Element, archive: ZipFile) -> None:
    """Insert the embedded formula documents of an archive into the elements that display them."""
    for shown in list(root.iter("object"))[:_MOST_FORMULAS]:
        member = f"{shown.get('href', '').removeprefix('./').removesuffix('/')}/content.xml"
        formula = find_xml(archive, member) if shown.get("href") else None
        if formula is not None and formula.tag == "math":
            shown.append(formula)


def _is_raised(style: Element) -> bool:
    """Report whether a text style is a superscript."""
    properties = style.find("text-properties")
    position = "" if properties is None else properties.get("text-position", "").partition(" ")[0]
    return position == "super" or (position.endswith("%") and position[:-1].isdecimal() and position != "0%")


def _show_date(cell: Element) -> str:
    """Return the date, and any time, of a date cell in ISO form, else an empty string."""
    value = cell.get("date-value", "") if cell.get("value-type") == "date" and len(cell) == 1 else ""
    day, _, clock = value.partition("T")
    clock = clock.partition(".")[0].removesuffix(":00")
    return f"{day} {clock}" if clock and clock != "00:00" else day


def _read_cell(cell: Element, shown: str) -> Cell | str:
    """Return a cell with the stored value, or only the displayed text if there is no value or the value is text."""
    kind, formula = (
        cell.get("value-type", ""),
        cell.get("formula", "").partition("=")[2].replace("[.", "").replace("]", ""),
    )
    formula = formula.replace(":.", ":")
    try:
        value, unit = _read_value(cell, kind)
    except (ValueError, OverflowError):
        value, unit = shown or None, ""
    if value is None or (isinstance(value, str) and not formula):
        return shown
    return Cell(value, shown, unit, formula)


def _read_value(cell: Element, kind: str) -> tuple[CellValue, str]:
    """Return the stored value and the unit of a cell.

    Raises:
        ValueError, OverflowError: The value does not fit its type.
    """
    if kind in {"float", "percentage", "currency"}:
        unit = "%" if kind == "percentage" else _CURRENCIES.get(cell.get("currency", ""), cell.get("currency", ""))
        return float(cell.get("value", "")), unit
    if kind == "date":
        return datetime.fromisoformat(cell.get("date-value", "")), ""
    if kind == "time" and (found := _DURATION.fullmatch(cell.get("time-value", ""))):
        hours, minutes, seconds = (float(part or 0) for part in found.groups())
        return timedelta(hours=hours, minutes=minutes, seconds=seconds), ""
    if kind == "boolean":
        return cell.get("boolean-value") == "true", ""
    return None, ""


_DURATION: Final = lazy(r"PT(?:(\d{1,6})H)?(?:(\d{1,4})M)?(?:(\d{1,4}(?:[.,]\d{1,9})?)S)?")
_CURRENCIES: Final = {"USD": "$", "EUR": "€", "GBP": "£", "CNY": "¥", "JPY": "JP¥", "INR": "₹"}


def _list_rows(table: Element) -> Iterator[Element]:
    """Yield the rows of a table, including rows in row groups but not rows of nested tables."""
    for child in table:
        if child.tag == "table-row":
            yield child
        elif child.tag in {"table-header-rows", "table-rows", "table-row-group"}:
            yield from _list_rows(child)


def _list_below(paragraph: Element) -> Iterator[Element]:
    """Yield the boxes, comments, notes and tables within a paragraph, without those nested in them."""
    for child in paragraph:
        if child.tag in _BELOW:
            yield child
        elif child.tag not in _SKIPPED and child.tag != "math":
            yield from _list_below(child)


def _read_number(element: Element, name: str) -> int:
    value = element.get(name, "1")
    return int(value) if value.isdecimal() else 1
