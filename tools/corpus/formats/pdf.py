"""PDF reader by page: text by PDFium in reading order, form values, and OCR of page pictures.

OCR needs tesseract. If a page has two columns and its text is stored line by line across both, it is read column by
column. Such a page differs from a table by a gutter that few lines cross, and by lines that fill the column on both
sides of it.
"""

import ctypes
import logging
import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from weiwo.text.chunking import chunk_sections
from weiwo.text.printable import one_line
from weiwo.tools.corpus.formats.document_dates import find_saved_date
from weiwo.tools.corpus.formats.encodings import UnreadableError
from weiwo.tools.corpus.formats.ocr import INSTALL, can_recognize, has_time, list_unrecognized, recognize_text
from weiwo.tools.corpus.formats.parts import Part, choose_title, clean_text, import_parser, make_passages
from weiwo.tools.corpus.formats.pdf_raised import mark_raised
from weiwo.tools.corpus.formats.pdf_tables import Box, join_han_lines, mark_tables
from weiwo.tools.corpus.losses import Loss, count_places
from weiwo.tools.corpus.records import Passage

if TYPE_CHECKING:
    import pypdfium2

_MOST_PAGES: Final = 20_000
_MOST_FIELDS: Final = 2_000
_MOST_BOXES: Final = 3_000
_FEW_BOXES: Final = 8
_LONGEST_FIELD: Final = 10_000
_MOST_EDGES: Final = 200
_GUTTER: Final = (0.25, 0.75)
"""Range of a gutter's position, as a share of the text's width."""
_FULL: Final = 0.7
_FILLED: Final = 0.6
"""Width of a nearly full line, as a share of the longest (`_FULL`), and minimum share of such lines in prose."""
_NARROWEST: Final = 80.0
"""Minimum width in points of the longest line of a column."""
_WOVEN: Final = 0.4
"""Minimum share of text runs that follow one in the other column, if the text is stored line by line across both."""
_SAME_EDGE: Final = 0.1
"""Maximum distance, in points, of the edges of a text run and of its characters."""
_UNDECODABLE: Final = 0.2
_FEW_CHARACTERS: Final = 20
_FEW_STRANGE: Final = 3
_STRANGE_LETTER: Final = re.compile(
    r"(?<=[^\W\d_])[\x00-\x08\x0e-\x1f\ue000-\uefff\ufffd]|[\x00-\x08\x0e-\x1f\ue000-\uefff\ufffd](?=[^\W\d_])"
)
"""Placeholder within a word for a letter that the font does not define. List bullets stand alone."""
_SOFT_HYPHEN: Final = re.compile(r"[\ufffe\x02\u00ad]\s*(?=[a-z\u00df-\u00ff])")
_HYPHEN: Final = re.compile(r"(?<=[^\W\d_])[-\u2010][ \t]*\r?\n(?=[a-z\u00df-\u00ff])")
_STAMP: Final = re.compile(r"D:(\d{4})(\d{2})?(\d{2})?")
_MADE_FROM: Final = frozenset({"doc", "docx", "ppt", "pptx", "tex", "dvi", "indd", "pdf", "qxd"})
_SCALE: Final = 200 / 72
"""Pixels per point for rendering a page for OCR: 200 per inch."""


@dataclass
class Pdf:
    """An open PDF, read page by page. The lists of page numbers are filled by `read_pages`.

    Raises:
        UnreadableError: The PDF is damaged, or pypdfium2 is not installed.
    """

    file: BinaryIO
    locked: bool = field(init=False, default=False)  # whether a password is needed
    count: int = field(init=False, default=0)  # number of pages; 0 if locked
    bad: list[int] = field(init=False, default_factory=list)  # pages that could not be read
    pictures: list[int] = field(init=False, default_factory=list)  # pages with pictures and no text
    # pages with fonts that do not define their letters
    undecodable: list[int] = field(init=False, default_factory=list)
    partly: list[int] = field(init=False, default_factory=list)  # pages with a few of these letters

    def __post_init__(self) -> None:
        self._pdfium = import_parser("pypdfium2")
        self._raw = import_parser("pypdfium2.raw")
        logging.getLogger("pypdfium2").setLevel(logging.CRITICAL)  # serious problems are raised as errors
        self._document: pypdfium2.PdfDocument | None = None
        try:
            self._document = self._pdfium.PdfDocument(self.file)
            self.count = len(self._document)
            if self._document.get_formtype():
                self._document.init_forms()
        except self._pdfium.PdfiumError as error:
            self.locked = "password" in str(error).lower()
            if not self.locked:
                raise UnreadableError(f"damaged PDF: {one_line(str(error), 120)}") from None

    def read_pages(self, most: int, *, recognize: bool = False) -> Iterator[tuple[int, str]]:
        """Yield the number and the text of each readable page.

        Args:
            most: Maximum number of pages.
            recognize: Whether pages without text are read by OCR, if installed.
        """
        for number in range(1, min(self.count, most) + 1):
            try:
                page = self._document[number - 1] if self._document else None
                if page is None:
                    return
                try:
                    text = self._read_page(page)
                    if not text.strip() and self._has_pictures(page):
                        if recognize and can_recognize() and has_time():
                            text = recognize_text(page.render(scale=_SCALE).to_pil())
                        if not text.strip():
                            self.pictures.append(number)
                finally:
                    page.close()
            except (self._pdfium.PdfiumError, OSError, ValueError, OverflowError):  # other pages may be intact
                self.bad.append(number)
                continue
            if _is_undecodable(text):
                self.undecodable.append(number)
                text = ""
            elif len(_STRANGE_LETTER.findall(text)) >= _FEW_STRANGE:
                self.partly.append(number)
            yield number, clean_text(text)

    def read_metadata(self) -> tuple[str, str | None]:
        """Return the stated title, or an empty string, and the ISO date of creation, or None.

        A title that only names the original file is ignored.
        """
        try:
            stated = self._document.get_metadata_dict() if self._document else {}
        except (self._pdfium.PdfiumError, UnicodeError):  # broken metadata is no metadata
            return "", None
        title = choose_title(stated.get("Title"))
        made_from = title.lower().startswith(("microsoft word", "microsoft powerpoint", "untitled")) or (
            title.rpartition(".")[2].lower() in _MADE_FROM
        )
        stamp = _STAMP.match(stated.get("CreationDate", ""))
        date = find_saved_date(f"{stamp[1]}-{stamp[2] or '01'}-{stamp[3] or '01'}") if stamp else None
        return "" if made_from else title, date

    def list_attachments(self) -> list[str]:
        """Return the names of the attached files."""
        if self._document is None:
            return []
        try:
            count = min(self._document.count_attachments(), _MOST_FIELDS)
            return [clean_text(self._document.get_attachment(n).get_name()) for n in range(count)]
        except (self._pdfium.PdfiumError, UnicodeError):
            return []

    def _read_page(self, page: "pypdfium2.PdfPage") -> str:
        """Return the text of a page in reading order, with the values of form fields."""
        rotation = page.get_rotation()
        if rotation:  # PDFium orders the lines of a rotated page by position, not in reading order
            page.set_rotation(0)
        written = page.get_textpage()

        @cache
        def read_box(box: Box) -> str:
            return str(written.get_text_bounded(*box))

        def locate_box(box: Box) -> tuple[int, int] | None:
            return self._locate_run(written, plain, box, read_box(box).strip())

        try:
            boxes = self._read_boxes(written)
            plain = written.get_text_range()
            columns = _read_columns(written, boxes)
            text = (columns or mark_tables(plain, boxes, read_box)).replace("\r\n", "\n")
            text = mark_raised(text, plain.replace("\r\n", "\n"), boxes, locate_box, ordered=not columns)
            text = join_han_lines(text, boxes, read_box)
        finally:
            written.close()
            if rotation:
                page.set_rotation(rotation)
        text = _SOFT_HYPHEN.sub("", text).replace("\ufffe", "-").replace("\x02", "-")
        text = _HYPHEN.sub("", text)
        noted = list(self._read_annotations(page))
        return "\n\n".join(filter(None, (text, "\n".join(noted))))

    def _read_boxes(self, written: "pypdfium2.PdfTextPage") -> list[Box]:
        """Return the boxes of a page's text runs in the order of the text, or an empty list for too many runs.

        PDFium is called with the same four buffers for each run: creating new ones takes longer than the call.
        """
        count = written.count_rects()
        left, top, right, bottom = edges = [ctypes.c_double() for _ in range(4)]
        get_rect, raw, to = self._raw.FPDFText_GetRect, written.raw, [ctypes.byref(edge) for edge in edges]
        return [
            Box(left.value, bottom.value, right.value, top.value)
            for n in range(count if count <= _MOST_BOXES else 0)
            if get_rect(raw, n, *to)
        ]

    def _locate_run(self, written: "pypdfium2.PdfTextPage", plain: str, box: Box, run: str) -> tuple[int, int] | None:
        """Return the start and the end of a text run in the text of its page, counting line breaks as one character.

        None if the run is not found at its place on the page.

        Args:
            written: The page.
            plain: The text of the page as PDFium gives it, with two characters for a line break.
            box: The edges of the run.
            run: The text of the run.
        """
        reach = (box.top - box.bottom) / 2
        near = written.get_index(box.left, box.bottom + reach, reach, reach)
        if near is None or not run:
            return None
        # PDFium may give the character before the run, whose edges overlap: the first of the run has its left edge.
        for index in range(max(0, near - 1), min(near + 2, written.count_chars())):
            left, bottom, _, top = written.get_charbox(index)
            if abs(left - box.left) > _SAME_EDGE or bottom < box.bottom - _SAME_EDGE or top > box.top + _SAME_EDGE:
                continue
            start = self._raw.FPDFText_GetTextIndexFromCharIndex(written.raw, index)
            if start >= 0 and plain.startswith(run, start):
                start -= plain.count("\r\n", 0, start)
                return start, start + len(run)
        return None

    def _has_pictures(self, page: "pypdfium2.PdfPage") -> bool:
        """Report whether a page shows pictures or drawings, so that missing text is a loss."""
        raw = self._raw
        shown = {raw.FPDF_PAGEOBJ_IMAGE, raw.FPDF_PAGEOBJ_PATH, raw.FPDF_PAGEOBJ_SHADING, raw.FPDF_PAGEOBJ_FORM}
        return any(item.type in shown for item in page.get_objects(max_depth=1))

    def _read_annotations(self, page: "pypdfium2.PdfPage") -> Iterator[str]:
        """Yield the filled form fields of a page as `name: value`, and the notes on the page."""
        raw, form = self._raw, self._document.formenv if self._document else None
        for n in range(min(raw.FPDFPage_GetAnnotCount(page.raw), _MOST_FIELDS)):
            note = raw.FPDFPage_GetAnnot(page.raw, n)
            if not note:
                continue
            try:
                kind = raw.FPDFAnnot_GetSubtype(note)
                if kind == raw.FPDF_ANNOT_WIDGET and form is not None:
                    yield from self._read_field(form.raw, note)
                elif kind in {raw.FPDF_ANNOT_TEXT, raw.FPDF_ANNOT_FREETEXT}:
                    said = _read_string(lambda *to, at=note: raw.FPDFAnnot_GetStringValue(at, b"Contents", *to))
                    if said.strip():
                        yield said.strip()
            finally:
                raw.FPDFPage_CloseAnnot(note)

    def _read_field(self, form: Any, note: Any) -> Iterator[str]:
        raw = self._raw
        kind = raw.FPDFAnnot_GetFormFieldType(form, note)
        name = _read_string(lambda *to: raw.FPDFAnnot_GetFormFieldAlternateName(form, note, *to)).strip()
        name = name or _read_string(lambda *to: raw.FPDFAnnot_GetFormFieldName(form, note, *to)).strip()
        value = _read_string(lambda *to: raw.FPDFAnnot_GetFormFieldValue(form, note, *to)).strip()
        if kind in {raw.FPDF_FORMFIELD_CHECKBOX, raw.FPDF_FORMFIELD_RADIOBUTTON}:
            value = value if raw.FPDFAnnot_IsChecked(form, note) else ""
        if value and value != "Off" and kind != raw.FPDF_FORMFIELD_PUSHBUTTON:
            yield f"{name}: {value}" if name else value


def _read_string(fill: Any) -> str:
    """Return a string that PDFium writes as UTF-16 into a buffer.

    `fill(buffer, size)` writes it and returns the size in bytes. Empty if the string is too long.
    """
    size = fill(None, 0)
    if not 2 < size <= 2 * _LONGEST_FIELD:
        return ""
    buffer = ctypes.create_string_buffer(size)
    fill(ctypes.cast(buffer, ctypes.POINTER(ctypes.c_ushort)), size)
    return buffer.raw[: size - 2].decode("utf-16-le", "ignore")


def _read_columns(written: "pypdfium2.PdfTextPage", boxes: Sequence[Box]) -> str:
    """Return the text of a page with two columns, column by column, or an empty string for other layouts.

    Only pages are changed on which the text is stored line by line across both columns.
    """
    if len(boxes) < _FEW_BOXES:
        return ""
    left, right = min(box.left for box in boxes), max(box.right for box in boxes)
    gutter = _find_gutter(boxes, left, right)
    if gutter is None or not _is_woven(boxes, gutter):
        return ""
    sides = [[b for b in boxes if b.right <= gutter], [b for b in boxes if b.left >= gutter]]
    if not all(map(_is_prose, sides)):
        return ""
    edges = ((left - 1, gutter), (gutter, right + 1))
    across = sorted((b for b in boxes if b.left < gutter < b.right), key=lambda b: -b.top)
    read: list[str] = []
    top = max(box.top for box in boxes) + 1
    for bottom, line in [*((b.top, b) for b in across), (min(box.bottom for box in boxes) - 1, None)]:
        if top - bottom > 1:
            read += [written.get_text_bounded(a, bottom, b, top) for a, b in edges]
        if line is not None:
            read.append(written.get_text_bounded(left - 1, line.bottom - 1, right + 1, line.top + 1))
            top = line.bottom
    return "\n".join(filter(str.strip, read))


def _find_gutter(boxes: Sequence[Box], left: float, right: float) -> float | None:
    """Return the horizontal position, in points, of a gutter between two columns, or None if there is none.

    A gutter lies before the left edge of many text runs and is crossed by few.
    """
    low, high = (left + share * (right - left) for share in _GUTTER)
    lefts, rights = sorted(box.left for box in boxes), sorted(box.right for box in boxes)
    most, best = _FEW_BOXES // 2 - 1, None
    for edge in sorted({edge for edge in lefts if low < edge < high})[:_MOST_EDGES]:
        at = edge - 0.5
        starting = bisect_left(lefts, edge + 3) - bisect_right(lefts, edge - 3)
        if starting <= most:
            continue
        crossing = bisect_left(lefts, at) - bisect_right(rights, at)
        if crossing <= len(boxes) // 4:
            most, best = starting, at
    return best


def _is_woven(boxes: Sequence[Box], gutter: float) -> bool:
    """Report whether the text runs alternate between the two sides of a gutter.

    Two columns are then stored line by line across both.
    """
    sides = [box.left >= gutter for box in boxes if not box.left < gutter < box.right]
    turns = sum(item != other for item, other in pairwise(sides))
    return turns >= _WOVEN * len(sides)


def _is_prose(side: Sequence[Box]) -> bool:
    """Report whether most lines of a column are nearly full, as in prose and unlike a table column."""
    longest = max((box.right - box.left for box in side), default=0.0)
    filled = sum(box.right - box.left >= _FULL * longest for box in side)
    return len(side) >= _FEW_BOXES // 2 and longest >= _NARROWEST and filled >= _FILLED * len(side)


def _is_undecodable(text: str) -> bool:
    """Report whether much of a text consists of characters that cannot be read, since the font maps no letters."""
    shown = "".join(text[:5_000].split())
    if shown.isprintable() and "\ufffd" not in shown:
        return False
    strange = sum(
        count for c, count in Counter(shown).items() if c == "\ufffd" or unicodedata.category(c) in {"Co", "Cn", "Cc"}
    )
    return len(shown) >= _FEW_CHARACTERS and strange > _UNDECODABLE * len(shown)


def read(file: BinaryIO, name: str) -> Iterator[Part]:
    """Read a PDF. A passage stays on a single page.

    Raises:
        UnreadableError: The PDF needs a password, is damaged, or has no readable text.
    """
    pdf = Pdf(file)
    if pdf.locked:
        raise UnreadableError("encrypted; save it without a password")
    found: list[Passage] = []
    for number, text in pdf.read_pages(_MOST_PAGES, recognize=True):
        found += make_passages(chunk_sections(text, ())[1], within=f"page {number}", page=number)
    if not found:
        raise UnreadableError(_why_empty(pdf), passing=bool(pdf.pictures) and not can_recognize())
    title, stated = pdf.read_metadata()
    yield Part(title or name, found, stated, losses=_find_losses(pdf))


def _why_empty(pdf: Pdf) -> str:
    """Return the reason why a PDF has no text, in one line."""
    if pdf.bad:
        return f"damaged PDF: none of its {pdf.count} pages can be read"
    if pdf.undecodable:
        return "its fonts do not define their letters; run OCR on it"
    if pdf.pictures:
        return "no text, only pictures; " + ("run OCR on it" if can_recognize() else INSTALL)
    return "empty"


def _find_losses(pdf: Pdf) -> list[Loss]:
    beyond = pdf.count - _MOST_PAGES
    return [
        *count_places("pages_unreadable", pdf.bad),
        *list_unrecognized(pdf.pictures),
        *count_places("pages_undecodable", pdf.undecodable),
        *count_places("pages_undecodable_in_part", pdf.partly),
        *count_places("attachments_not_read", pdf.list_attachments()),
        *([Loss("pages_beyond_limit", beyond, (str(_MOST_PAGES),))] if beyond > 0 else []),
    ]
