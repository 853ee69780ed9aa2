"""DOCX reader: the visible text in order, with notes, comments, headers and footers."""

import re
from collections.abc import Iterator
from typing import BinaryIO, Final

from weiwo.state.table import Cell, as_cell
from weiwo.text.patterns import lazy
from weiwo.text.typeset import raise_figures
from weiwo.tools.corpus.formats.document_builder import DocumentBuilder
from weiwo.tools.corpus.formats.docx_numbering import Numbering, list_bases
from weiwo.tools.corpus.formats.encodings import UnreadableError, decode
from weiwo.tools.corpus.formats.html_document import parse_html
from weiwo.tools.corpus.formats.office_math import write_formula_part
from weiwo.tools.corpus.formats.ooxml import BROKEN, Drawings, Element, Package, is_on, list_children, read_value
from weiwo.tools.corpus.formats.parts import Part, choose_title, make_passages, require_passages
from weiwo.tools.corpus.formats.table_rows import LONGEST_REPEATED, Grid, spread_rows
from weiwo.tools.corpus.formats.zip_files import open_archive
from weiwo.tools.corpus.losses import Loss, count_places

_HEADING: Final = lazy(r"(?:heading|标题|標題|überschrift|titre|título|見出し)\s*([1-9])", re.IGNORECASE)
_NOTES: Final = {"footnoteReference": "footnotes", "endnoteReference": "endnotes", "commentReference": "comments"}
_SIGNS: Final = {"tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
_SKIPPED: Final = frozenset({"pPr", "rPr", "instrText", "delInstrText", "tblPr", "trPr", "tcPr", "sdtPr", "rt"})
_MOST_DEPTH: Final = 200
_LEVELS: Final = 9


def read(file: BinaryIO, name: str) -> Iterator[Part]:
    """Read a Word document. Positions count paragraphs and table rows, for lack of lines.

    Raises:
        UnreadableError: The document is encrypted, is no DOCX, or is empty.
    """
    with open_archive(file) as archive:
        package = Package(archive, "Word document")
        reader = _DocumentReader(package)
        reader.read_body()
        stated, date = package.read_properties()
        top, chunks = reader.body.cut_chunks()
        title = choose_title(reader.title, top, stated) or name
        losses = [*reader.list_losses(), *package.losses]
        passages = make_passages(chunks, unit="paragraph")
        return require_passages(Part(title, passages, date, losses=losses, tables=reader.body.tables))


class _DocumentReader:
    """Reader of a document's blocks, collecting the text."""

    def __init__(self, package: Package) -> None:
        self.body = DocumentBuilder()  # the collected text
        self.title = ""  # text of the first paragraph in the style Title
        self._package, self._place = package, 0
        self._drawings = Drawings(package, package.main)
        self._relations = package.read_relations(package.main)
        styles = package.read_related(package.main, "styles")
        self._elements = {item.get("styleId", ""): item for item in styles.iter("style")}
        # The name and the heading level of each style. A style inherits the level of the styles it is based on.
        self._styles = {
            key: (
                read_value(style, "name") or key,
                next(filter(None, map(_find_level, list_bases(key, self._elements))), 0),
            )
            for key, style in self._elements.items()
        }
        self._numbering = Numbering(package)
        self._notes = {
            kind: {item.get("id", ""): item for item in package.read_related(package.main, kind)}
            for kind in _NOTES.values()
        }
        self._around: dict[str, None] = {}  # part names of headers and footers, in order
        self._in_margin = False  # whether a header or footer is read; its pictures belong to the letterhead
        self._deleted: list[int] = []
        self._hidden: list[int] = []
        self._after: list[Element | str | Grid] = []  # boxes, notes and charts to add after the current paragraph

    def read_body(self) -> None:
        """Read the body, headers and footers."""
        root = self._package.read_part(self._package.main)
        for body in root.iter("body"):
            self._walk(body, 0)
        self._in_margin = True
        for part in self._around:
            self._drawings = Drawings(self._package, part)
            self._walk(self._package.read_part(part), 0)

    def list_losses(self) -> list[Loss]:
        """Return the losses: deleted text (tracked changes) and hidden text."""
        deleted = count_places("deleted_text", dict.fromkeys(self._deleted))
        return [*deleted, *count_places("hidden_text", dict.fromkeys(self._hidden))]

    def _walk(self, container: Element, depth: int) -> None:
        """Add the blocks of a container, including nested containers."""
        if depth > _MOST_DEPTH:
            raise RecursionError
        for child in container:
            if child.tag == "p":
                self._add_paragraph(child)
            elif child.tag == "tbl":
                self._add_table(child, depth)
            elif child.tag in {"del", "moveFrom"}:
                self._deleted.append(self._place + 1)
            elif child.tag == "altChunk":
                self._add_chunk(child.get("r:id", ""))
            elif child.tag not in _SKIPPED:
                if child.tag == "sectPr":
                    self._note_around(child)
                self._walk(child, depth + 1)

    def _add_paragraph(self, paragraph: Element) -> None:
        self._place += 1
        text = self._gather(paragraph)
        style, level = self._styles.get(read_value(paragraph, "pPr/pStyle"), ("", 0))
        own = paragraph.find("pPr/outlineLvl")
        if own is not None:
            level = int(own.get("val") or _LEVELS) + 1
        level = level if level <= _LEVELS else 0  # text beyond the last level is body text
        number = self._numbering.write_number(paragraph, read_value(paragraph, "pPr/pStyle"), self._elements)
        text = f"{number} {text}" if number and text.strip() else text
        if style.lower() == "title" and not self.title:
            self.title = choose_title(text)
        if level and text.strip():
            self.body.add_heading(level, text, self._place)
        else:
            listed = style.lower().startswith("list") or paragraph.find("pPr/numPr") is not None
            self.body.add_paragraph(text, self._place, item=listed)
        for section in paragraph.iterfind("pPr/sectPr"):
            self._note_around(section)
        self._add_after()

    def _add_after(self) -> None:
        """Add the boxes, notes and charts collected from the last paragraph or table."""
        waiting, self._after = self._after, []
        for item in waiting:
            if isinstance(item, str):
                self.body.add_paragraph(item, self._place)
            elif isinstance(item, list):
                self.body.add_table([(row, self._place) for row in item], unit="paragraph")
            else:
                self._walk(item, 1)

    def _add_table(self, table: Element, depth: int) -> None:
        rows = [(row, [*list_children(row, "tc")]) for row in list_children(table, "tr")]
        if max((len(cells) for _, cells in rows), default=0) < 2:  # one column: a frame around text, no table
            for _, cells in rows:
                for cell in cells:
                    self._walk(cell, depth + 1)
            return
        laid = self._lay_out(rows)
        numbered = [(line, self._place + number) for number, line in enumerate(laid, 1)]
        self.body.add_table(numbered, unit="paragraph")
        self._place += len(rows)
        self._add_after()

    def _lay_out(self, rows: list[tuple[Element, list[Element]]]) -> Grid:
        """Return the rows of a table.

        A vertically merged cell repeats the text of the cell above, unless it is long.
        """
        above: dict[int, Cell | str] = {}
        laid: list[list[tuple[Cell | str, int, int]]] = []
        for row, row_cells in rows:
            column = _read_number(row, "trPr/gridBefore")
            cells: list[tuple[Cell | str, int, int]] = [("", column, 1)] if column else []
            for cell in row_cells:
                merged = cell.find("tcPr/vMerge")
                text: Cell | str = " ".join(self._gather_blocks(cell).split())
                if merged is not None and merged.get("val") != "restart" and not text:
                    whole = as_cell(above.get(column, ""))
                    short = len(whole.shown) <= LONGEST_REPEATED
                    text = Cell(whole.value, whole.shown, continued=True) if short else Cell(continued=True)
                wide = _read_number(cell, "tcPr/gridSpan") or 1
                above[column] = text
                cells.append((text, wide, 1))
                column += wide
            laid.append(cells)
        return spread_rows(laid)

    def _gather_blocks(self, cell: Element) -> str:
        """Return the text of a cell, with nested tables written out."""
        found = []
        for block in cell:
            if block.tag == "p":
                found.append(self._gather(block))
            elif block.tag == "tbl":
                rows = (map(self._gather_blocks, list_children(row, "tc")) for row in list_children(block, "tr"))
                found.append("; ".join(", ".join(filter(None, row)) for row in rows))
            elif block.tag in {"del", "moveFrom"}:
                self._deleted.append(self._place + 1)
            elif block.tag not in _SKIPPED:
                found.append(self._gather_blocks(block))
        return "\n".join(filter(str.strip, found))

    def _gather(self, element: Element) -> str:
        """Return the text of a paragraph or of any element in a paragraph."""
        found: list[str] = []
        self._collect(element, found, 0)
        return "".join(found)

    def _collect(self, element: Element, found: list[str], depth: int) -> None:
        if depth > _MOST_DEPTH:
            raise RecursionError
        for child in element:
            tag = child.tag
            if tag == "t":
                raised = read_value(element, "rPr/vertAlign") == "superscript"
                found.append(raise_figures(child.text or "") if raised else child.text or "")
            elif tag in _SIGNS:
                found.append(_SIGNS[tag])
            elif tag in {"del", "moveFrom"} or (tag == "r" and is_on(child.find("rPr/vanish"))):
                if any(item.text for item in child.iter() if item.tag in {"t", "delText"}):
                    (self._hidden if tag == "r" else self._deleted).append(self._place)
            elif tag == "txbxContent":
                self._after.append(child)
            elif tag in _NOTES:
                self._add_note(_NOTES[tag], child.get("id", ""))
            elif tag not in _SKIPPED:
                self._collect_other(child, element.tag, found, depth)

    def _collect_other(self, child: Element, around: str, found: list[str], depth: int) -> None:
        """Collect the remaining content: fields, formulas, ruby readings, drawings, and run wrappers."""
        if child.tag in {"chart", "relIds", "OLEObject"}:
            self._drawings.read_frame(child, self._after.append, self._after.append)
        elif child.tag in {"drawing", "pict"} and not self._in_margin:
            self._package.note_pictures(child, f"paragraph {self._place}")
        elif child.tag == "textpath":
            found.append(child.get("string", ""))
        elif child.tag == "sym" and not 0xE000 <= int(child.get("char") or "E000", 16) <= 0xF8FF:
            found.append(chr(int(child.get("char", "20"), 16)))
        elif child.tag == "ddList":
            chosen = [item.get("val", "") for item in child.iter("listEntry")]
            found.append("".join(chosen[(at := _read_number(child, "result")) : at + 1]))
        elif child.tag == "checkBox":
            found.append("☒" if is_on(child.find("checked")) else "☐")
        inner: list[str] = []
        self._collect(child, inner, depth + 1)
        found.append(write_formula_part(child, around, "".join(inner)))
        if child.tag == "ruby" and (reading := "".join(item.text or "" for item in child.iterfind("rt//t"))):
            found.append(f"({reading})")

    def _add_note(self, kind: str, number: str) -> None:
        note = self._notes[kind].pop(number, None)
        if note is None:
            return
        if kind == "comments":
            text = " ".join(self._gather_blocks(note).split())
            self._after.append(f"[{', '.join(filter(None, ('Comment', note.get('author'))))}: {text}]")
        else:
            self._after.append(note)

    def _add_chunk(self, reference: str) -> None:
        """Add an embedded HTML document (`altChunk`), which Word displays as part of the body.

        Another format is recorded as not read.
        """
        part = self._relations.get(reference, ("", ""))[1]
        try:
            page = parse_html(decode(self._package.read_bytes(part)))
        except (UnreadableError, *BROKEN):
            page = None
        if page is None or not part.lower().endswith((".htm", ".html", ".xhtml")):
            self._package.note_embedded(part or "altChunk")
            return
        self._place += 1
        for piece in page.body.cut_chunks()[1]:
            self.body.add_paragraph(piece.text, self._place)

    def _note_around(self, section: Element) -> None:
        for item in section.iter():
            if item.tag in {"headerReference", "footerReference"}:
                part = self._relations.get(item.get("r:id", ""), ("", ""))[1]
                if self._package.has(part):
                    self._around[part] = None


def _read_number(element: Element, path: str) -> int:
    value = read_value(element, path)
    return int(value) if value.isdecimal() else 0


def _find_level(style: Element) -> int:
    if heading := _HEADING.match(read_value(style, "name")):
        return int(heading[1])
    value = read_value(style, "pPr/outlineLvl")
    return int(value) + 1 if value.isdecimal() else 0
