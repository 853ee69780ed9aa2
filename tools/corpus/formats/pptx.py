"""PPTX reader by slide: shapes, tables, charts and diagrams, then notes and comments."""

from collections.abc import Iterator
from dataclasses import replace
from typing import BinaryIO, Final

from weiwo.state.table import Cell, Table
from weiwo.tools.corpus.formats.document_builder import DocumentBuilder
from weiwo.tools.corpus.formats.ooxml import Drawings, Element, Package, join_paragraphs, list_children
from weiwo.tools.corpus.formats.parts import Part, choose_title, make_passages, require_passages
from weiwo.tools.corpus.formats.table_rows import Grid, spread_rows
from weiwo.tools.corpus.formats.zip_files import open_archive
from weiwo.tools.corpus.records import Passage

_AROUND_NOTES: Final = frozenset({"sldNum", "sldImg", "dt", "hdr", "ftr"})
_TITLES: Final = frozenset({"title", "ctrTitle"})
_MOST_DEPTH: Final = 100


def read(file: BinaryIO, name: str) -> Iterator[Part]:
    """Read a presentation. A slide's title is the heading of the passages, and notes come last.

    Raises:
        UnreadableError: The file is encrypted, is no PPTX, or is empty.
    """
    with open_archive(file) as archive:
        package = Package(archive, "presentation")
        found: list[Passage] = []
        tables: list[Table] = []
        first_title = ""
        shown: set[str] = set()
        relations = package.read_relations(package.main)
        listed = package.read_part(package.main).iter("sldId")
        parts = [relations.get(item.get("r:id", ""), ("", ""))[1] for item in listed]
        for number, part in enumerate(filter(package.has, parts), 1):
            slide = _SlideReader(package, part, number)
            slide.read(shown, f"slide {number}")
            first_title = first_title or slide.title
            headings = (slide.title,) if slide.title else ()
            _, chunks = slide.body.cut_chunks()
            pieces = make_passages(chunks, unit="", within=f"slide {number}", page=number)
            found += [replace(piece, headings=headings) for piece in pieces]
            tables += [replace(table, name=slide.title, headings=headings) for table in slide.body.tables]
        stated, date = package.read_properties()
        title = choose_title(first_title, stated) or name
        return require_passages(Part(title, found, date, losses=package.losses, tables=tables))


class _SlideReader:
    """Reader of a slide: the title first, then the shapes in file order, groups included."""

    def __init__(self, package: Package, part: str, number: int) -> None:
        self._number = number
        self.title = ""  # text of the title; empty without one
        self.body = DocumentBuilder()  # all text and tables, the title first
        self._package, self._part, self._place = package, part, 1
        self._drawings = Drawings(package, part)
        self._titled: Element | None = None

    def read(self, shown: set[str], place: str) -> None:
        """Read the slide, notes, comments, and text of its layout.

        `shown` holds the layouts read for earlier slides, which are not read again. `place` names the slide in losses.
        """
        slide = self._package.read_part(self._part)
        self._package.note_pictures(slide, place)
        self._find_title(slide)
        for tree in slide.iter("spTree"):
            self._add_shapes(tree, 0)
        for layout in self._package.find_related(self._part, "slideLayout"):
            for part in sorted({layout, *self._package.find_related(layout, "slideMaster")} - shown):
                shown.add(part)
                shapes = self._package.read_part(part).iter("sp")
                for text in sorted(_read_shape(shape) for shape in shapes if not _find_role(shape)):
                    self._add(text)
        for part in self._package.find_related(self._part, "notesSlide"):
            for shape in self._package.read_part(part).iter("sp"):
                numbered = shape.find(".//fld[@type='slidenum']") is not None
                if _find_role(shape) not in _AROUND_NOTES and not numbered:
                    self._add(_read_shape(shape))
        for part in self._package.find_related(self._part, "comments"):
            for comment in self._package.read_part(part).iter("cm"):
                text = " ".join((comment.findtext("text") or join_paragraphs(comment)).split())
                self._add(f"[Comment: {text}]" if text else "")

    def _find_title(self, slide: Element) -> None:
        for shape in slide.iter("sp"):
            text = _read_shape(shape)
            if _find_role(shape) in _TITLES and text:
                self.title, self._titled = choose_title(text), shape
                self.body.add_paragraph(text, 1)
                return

    def _add_shapes(self, tree: Element, depth: int) -> None:
        if depth > _MOST_DEPTH:
            raise RecursionError
        for shape in tree:
            if shape.tag == "grpSp":
                self._add_shapes(shape, depth + 1)
            elif shape.tag in {"graphicFrame", "contentPart"}:
                self._place += 1
                for table in shape.iter("tbl"):
                    self._add_table(_read_table(table))
                self._drawings.read_frame(shape, self._add, self._add_table)
            elif shape is not self._titled:
                self._place += 1
                self._add(_read_shape(shape))

    def _add(self, text: str) -> None:
        self.body.add_paragraph(text, self._place)

    def _add_table(self, table: Grid) -> None:
        self.body.add_table([(row, self._place) for row in table], unit="", within=f"slide {self._number}")


def _find_role(shape: Element) -> str:
    """Return the type of a placeholder, for example `title`, or an empty string for another shape."""
    placed = shape.find("./*/nvPr/ph")
    return placed.get("type", "body") if placed is not None else ""


def _read_shape(shape: Element) -> str:
    return "\n".join(filter(None, map(join_paragraphs, shape.iterfind("txBody"))))


def _read_table(table: Element) -> Grid:
    rows = []
    for row in list_children(table, "tr"):
        cells = [cell for cell in list_children(row, "tc") if not (cell.get("hMerge") or cell.get("vMerge"))]
        spans = [(int(cell.get("gridSpan", 1)), int(cell.get("rowSpan", 1))) for cell in cells]
        shown: list[Cell | str] = [_read_shape(cell) for cell in cells]
        rows.append([(text, *span) for text, span in zip(shown, spans, strict=True)])
    return spread_rows(rows)
