"""OpenDocument: texts, sheets and slides, as LibreOffice shows them."""

from collections.abc import Iterator
from typing import BinaryIO, Final
from xml.etree import ElementTree as ET

from weiwo.tools.corpus.formats.document_builder import DocumentBuilder
from weiwo.tools.corpus.formats.document_dates import find_saved_date
from weiwo.tools.corpus.formats.encodings import UnreadableError
from weiwo.tools.corpus.formats.ooxml import BROKEN, Element, drop_namespaces, find_xml, read_xml
from weiwo.tools.corpus.formats.parts import Part, choose_title, clean_text, make_passages, require_passages
from weiwo.tools.corpus.formats.table_rows import BETWEEN, Table, TableRow, make_sheet_passages, spread_rows
from weiwo.tools.corpus.formats.zip_files import open_archive
from weiwo.tools.corpus.losses import count_places
from weiwo.tools.corpus.records import Passage

_SKIPPED: Final = frozenset({"tracked-changes", "sequence-decls", "creator", "date", "note-citation", "ruby-text"})
_BELOW: Final = frozenset({"text-box", "annotation", "note", "table", "custom-shape"})
"""What stands in a paragraph and is read after it."""
_MOST_REPEATED: Final = 100
_MOST_DEPTH: Final = 200


def read(file: BinaryIO, name: str) -> Iterator[Part]:
    """Read an OpenDocument file; its places count paragraphs, slides, or the rows of sheets.

    Raises:
        UnreadableError: It is encrypted, is no OpenDocument, or is empty.
    """
    with open_archive(file) as archive:
        try:
            root = read_xml(archive, "content.xml")
        except BROKEN as error:
            raise UnreadableError(f"damaged or encrypted: no OpenDocument in it ({error})") from None
        meta, styles = find_xml(archive, "meta.xml"), find_xml(archive, "styles.xml")
    return _read_document(root, meta, styles, name)


def read_flat(file: BinaryIO, name: str) -> Iterator[Part]:
    """Read an OpenDocument file that is one XML file (.fodt, .fods, .fodp).

    Raises:
        UnreadableError: It is no OpenDocument, or is empty.
    """
    try:
        root = drop_namespaces(ET.parse(file).getroot())  # noqa: S314 - expat bounds entities itself
    except ET.ParseError as error:
        raise UnreadableError(f"damaged: no OpenDocument in it ({error})") from None
    return _read_document(root, root, root, name)


def _read_document(root: Element, meta: Element, styles: Element, name: str) -> Iterator[Part]:
    reader = _Reader(root, styles)
    title, passages = reader.read()
    date = find_saved_date(meta.findtext(".//meta/date"), meta.findtext(".//creation-date"))
    best = choose_title(title, meta.findtext(".//title")) or name
    losses = [*count_places("hidden_sheets", reader.hidden), *count_places("deleted_text", reader.deleted)]
    return require_passages(Part(best, passages, date, losses=losses))


class _Reader:
    """Walks the blocks of a document."""

    def __init__(self, root: Element, styles: Element) -> None:
        self.hidden: list[str] = []  # the names of the hidden sheets
        self.deleted: list[int] = []  # the places of text that was deleted while changes were tracked
        self._root, self._styles = root, styles
        self._body, self._place = DocumentBuilder(), 0
        self._deletions = {one.get("id", "") for one in root.iter("changed-region") if one.find("deletion") is not None}
        properties = {style.get("name", ""): style.find("table-properties") for style in root.iter("style")}
        self._unshown = {name for name, one in properties.items() if one is not None and one.get("display") == "false"}

    def read(self) -> tuple[str, list[Passage]]:
        """The title, where a heading gives one, and the passages."""
        if (sheets := self._root.find(".//spreadsheet")) is not None:
            tables = enumerate(sheets.iterfind("table"), 1)
            return "", [passage for number, table in tables for passage in self._read_sheet(number, table)]
        if (show := self._root.find(".//presentation")) is not None:
            slides = enumerate(show.iterfind("page"), 1)
            return "", [passage for number, slide in slides for passage in self._read_slide(number, slide)]
        for text in self._root.iterfind("body/text"):
            self._walk(text, 0)
        for kind in ("header", "footer"):
            for around in self._styles.iter(kind):
                self._walk(around, 0)
        title, chunks = self._body.cut_chunks()
        return title, make_passages(chunks, unit="paragraph")

    def _read_slide(self, number: int, slide: Element) -> list[Passage]:
        self._body, self._place = DocumentBuilder(), 0
        self._walk(slide, 0)
        return make_passages(self._body.cut_chunks()[1], unit="", within=f"slide {number}", page=number)

    def _read_sheet(self, number: int, table: Element) -> Iterator[Passage]:
        title = clean_text(table.get("name", ""))
        if table.get("style-name") in self._unshown:
            self.hidden.append(title)
            return
        rows = [TableRow(BETWEEN.join(row), at, at) for at, row in enumerate(self._lay_out(table), 1) if any(row)]
        yield from make_sheet_passages(rows, title, number)

    def _walk(self, container: Element, depth: int) -> None:
        if depth > _MOST_DEPTH:
            raise RecursionError
        for child in container:
            if child.tag in {"p", "h"}:
                self._add_paragraph(child, container.tag, depth)
            elif child.tag == "table":
                rows = self._lay_out(child)
                self._body.add_table([(row, self._place + number) for number, row in enumerate(rows, 1)])
                self._place += len(rows)
            elif child.tag == "annotation":
                text = " ".join(" ".join(map(self._gather, child.iter("p"))).split())
                self._body.add_paragraph(f"[Comment: {text}]", self._place)
            elif child.tag not in _SKIPPED:
                self._walk(child, depth + 1)

    def _add_paragraph(self, paragraph: Element, container: str, depth: int) -> None:
        self._place += 1
        text = self._gather(paragraph)
        level = paragraph.get("outline-level", "1")
        if paragraph.tag == "h" and text.strip():
            self._body.add_heading(int(level) if level.isdecimal() else 1, text, self._place)
        else:
            self._body.add_paragraph(text, self._place, item=container == "list-item")
        below = Element("below")
        below.extend(_list_below(paragraph))
        self._walk(below, depth + 1)

    def _gather(self, element: Element) -> str:
        """The text of a paragraph, without what stands below it."""
        found = [element.text or ""]
        for child in element:
            if child.tag == "s":
                found.append(" " * min(int(child.get("c", "1")), 100))
            elif child.tag in {"tab", "line-break"}:
                found.append("\t" if child.tag == "tab" else "\n")
            elif child.tag == "change" and child.get("change-id") in self._deletions:
                self.deleted.append(self._place)
            elif child.tag not in _BELOW | _SKIPPED | {"label"}:
                found.append(self._gather(child))
                if child.tag == "ruby":
                    found.append(f"({''.join(one.text or '' for one in child.iter('ruby-text'))})")
            found.append(child.tail or "")
        return "".join(found)

    def _lay_out(self, table: Element) -> Table:
        """The rows of a table, repeated ones as often as they are there and not empty."""
        rows: list[list[tuple[str, int, int]]] = []
        for row in _list_rows(table):
            cells = []
            for cell in row:
                if cell.tag != "table-cell":
                    continue
                text = _show_date(cell) or " ".join(" ".join(self._gather_cell(cell)).split())
                again = min(_read_number(cell, "number-columns-repeated"), _MOST_REPEATED if text else 500)
                wide, deep = _read_number(cell, "number-columns-spanned"), _read_number(cell, "number-rows-spanned")
                cells += [(text, wide, deep)] * again
            while cells and not cells[-1][0] and cells[-1][2] == 1:
                cells.pop()
            rows += [cells] * min(_read_number(row, "number-rows-repeated"), _MOST_REPEATED)
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


def _show_date(cell: Element) -> str:
    """The ISO date of a cell that holds a date and nothing beside it; else empty."""
    value = cell.get("date-value", "") if cell.get("value-type") == "date" and len(cell) == 1 else ""
    day, _, clock = value.partition("T")
    clock = clock.partition(".")[0].removesuffix(":00")
    return f"{day} {clock}" if clock and clock != "00:00" else day


def _list_rows(table: Element) -> Iterator[Element]:
    """The rows of a table, those of its groups included and those of tables in its cells not."""
    for child in table:
        if child.tag == "table-row":
            yield child
        elif child.tag in {"table-header-rows", "table-rows", "table-row-group"}:
            yield from _list_rows(child)


def _list_below(paragraph: Element) -> Iterator[Element]:
    """The boxes, notes and tables in a paragraph, the outermost of each."""
    for child in paragraph:
        if child.tag in _BELOW:
            yield child
        elif child.tag not in _SKIPPED:
            yield from _list_below(child)


def _read_number(element: Element, name: str) -> int:
    value = element.get(name, "1")
    return int(value) if value.isdecimal() else 1
