"""HTML parser: headings, paragraphs and tables with line numbers.

It uses the standard library's parser, which knows the lines.
"""

from html.parser import HTMLParser
from itertools import groupby, zip_longest
from typing import Final, NamedTuple
from xml.etree.ElementTree import Element

from weiwo.text.patterns import lazy
from weiwo.text.typeset import raise_figures
from weiwo.tools.corpus.formats.document_builder import DocumentBuilder
from weiwo.tools.corpus.formats.list_numbers import ListNumbers
from weiwo.tools.corpus.formats.mathml import write_formula
from weiwo.tools.corpus.formats.table_rows import spread_rows

_SILENT: Final = frozenset({"rp", "script", "style", "noscript", "template", "iframe", "object", "button", "datalist"})
_AROUND: Final = frozenset({"nav", "footer", "aside", "menu", "dialog"})
_NOTE: Final = lazy(
    r"(?i)(?:doc-|\b|foot|end|side)notes?\b|\b(?:admonition|callout|tip|warning|caution|important|example)\b"
)
"""Roles and classes of an `aside` element that is a note to the text. Other asides are not part of it."""
_DELETED: Final = frozenset({"del", "s", "strike"})
_UNSHOWN: Final = lazy(r"(?i)(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)")
_AROUND_FORM: Final = lazy(r"(?i)search|login|signin|sign-in|subscribe|newsletter|comment|cookie")
_BOXES: Final = {
    ("checkbox", True): "[x] ",
    ("checkbox", False): "[ ] ",
    ("radio", True): "(x) ",
    ("radio", False): "( ) ",
}
_NO_FIELDS: Final = frozenset({"hidden", "password", "submit", "button", "reset", "image", "file", "search"})
_DRAWN_TEXT: Final = frozenset({"text", "title", "desc"})
_MAIN: Final = frozenset({"main", "article"})
_VOID: Final = frozenset({"area", "base", "col", "embed", "hr", "img", "input", "link", "source", "track", "wbr"})
_HEADINGS: Final = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_READINGS: Final = frozenset({"rt", "rtc"})
_ITEMS: Final = frozenset({"li", "dt", "dd"})
_BLOCKS: Final = _ITEMS | {
    *("address", "article", "aside", "blockquote", "body", "caption", "center", "details", "div", "dl", "fieldset"),
    *("figcaption", "figure", "header", "html", "main", "ol", "p", "pre", "section", "summary", "ul"),
}
_INDENTED: Final = lazy(r"(?<!\s)\s*\n\s*")
_DATES: Final = frozenset(
    {"article:published_time", "date", "dc.date", "dcterms.date", "pubdate", "publishdate", "datepublished"}
)
_CELL: Final = "\x1f"
_MOST_DEPTH: Final = 100
_ENOUGH: Final = 0.3
"""Minimum share of the page's text in `main` or `article` elements. Above it, all other text is dropped."""


class _HtmlDocument(NamedTuple):
    """A parsed HTML page."""

    title: str  # the stated title; empty without one
    date: str  # the stated date, as written in the page; empty without one
    body: DocumentBuilder  # headings, paragraphs and tables


def parse_html(text: str, *, by_block: bool = False) -> _HtmlDocument:
    """Parse a page without navigation, footers and scripts. If it has a main part, only that part is kept.

    Args:
        text: HTML, well-formed or not.
        by_block: Whether the page is a chapter of a book: positions count the blocks of the page rather than the lines
            of the file, and asides are notes.
    """
    page = _BlockCollector(_SILENT | _AROUND - ({"aside"} if by_block else set()))
    page.read(text)
    total = sum(len(block.text) for block in page.blocks)
    main = [block for block in page.blocks if block.main]
    if sum(len(block.text) for block in main) > _ENOUGH * total:
        page.blocks = main
    elif not total:  # all text is in a form, or in an unclosed navigation
        page = _BlockCollector(_SILENT)
        page.read(text)
    body = _build_body(page.blocks, by_block=by_block)
    return _HtmlDocument(page.title or page.stated, page.date, body)


class _HtmlBlock(NamedTuple):
    kind: str
    text: str
    first: int
    last: int
    main: bool
    table: int = 0
    spans: tuple[tuple[int, int], ...] = ()


def _build_body(blocks: list[_HtmlBlock], *, by_block: bool) -> DocumentBuilder:
    body = DocumentBuilder()
    numbered = [
        block._replace(first=number, last=number) if by_block else block for number, block in enumerate(blocks, 1)
    ]
    for table, group in groupby(numbered, key=lambda block: block.table):
        if table:
            _add_table(body, list(group), "" if by_block else "line")
            continue
        for block in group:
            if block.kind in _HEADINGS:
                body.add_heading(int(block.kind[1]), block.text, block.first, block.last)
            else:
                body.add_paragraph(block.text, block.first, block.last, item=block.kind in _ITEMS)
    return body


def _add_table(body: DocumentBuilder, rows: list[_HtmlBlock], unit: str) -> None:
    """Add the rows of a table to the body, repeating a spanning cell in each covered position."""
    cells = [[text.strip() for text in row.text.split(_CELL)] for row in rows]
    spread = spread_rows(
        [(text, *span) for text, span in zip_longest(line, row.spans[: len(line)], fillvalue=(1, 1))]
        for line, row in zip(cells, rows, strict=True)
    )
    body.add_table([(line, row.first) for line, row in zip(spread, rows, strict=True)], unit=unit)


class _BlockCollector(HTMLParser):
    """Collector for the blocks of a page: headings, paragraphs, list items and table rows."""

    def __init__(self, skipped: frozenset[str]) -> None:
        super().__init__(convert_charrefs=True)
        self.title, self.stated, self.date = "", "", ""
        self.blocks: list[_HtmlBlock] = []
        self._skipped = skipped | _DELETED
        self._inside: list[str] = []  # the open tags of a skipped element; empty outside
        self._lists: list[ListNumbers | None] = []  # the open lists, None for a list without numbers
        self._number = ""  # the number of the list item that begins
        self._formula: list[Element] = []  # the open elements of a formula
        self._drawing: list[str] = []  # the open elements of a drawing
        self._options: list[bool] = []  # within `select`: whether the open option is selected
        self._main = self._tables = self._table = 0
        self._spans: list[tuple[int, int]] = []  # columns and rows spanned by each cell of the current row
        self._reading, self._in_ruby, self._in_reading = "", False, False
        self._kind = "p"
        self._held: list[str] = []
        self._raised: int | None = None  # index in `_held` at which an open superscript begins
        self._first = self._last = 1
        self._in_title = False

    def read(self, text: str) -> None:
        """Parse a whole page into `blocks`."""
        self.feed(text)
        self.close()
        self._end_block()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Handle a start tag."""
        if self._inside:
            if tag == self._inside[-1]:
                self._inside.append(tag)
        elif self._formula or tag == "math":
            self._open_formula(tag, attrs)
        elif self._drawing or tag == "svg":
            self._drawing.append(tag)
        elif tag == "meta":
            self._meta({key: value or "" for key, value in attrs})
        elif tag == "br":
            self._held.append("\n" if not self._tables else " ")
        elif (tag in self._skipped and not _is_note(tag, dict(attrs))) or _is_hidden(tag, dict(attrs)):
            if tag not in _VOID:
                self._inside.append(tag)
        elif tag == "title":
            self._in_title = True
        else:
            self._open(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        """Handle an end tag."""
        if self._inside:
            if tag == self._inside[-1]:
                self._inside.pop()
        elif self._formula:
            self._close_formula(tag)
        elif self._drawing:
            while self._drawing and self._drawing.pop() != tag:
                pass
            self._held.append(" ")
        elif tag in {"ol", "ul"}:
            self._break("p")
            self._lists = self._lists[:-1]
        elif tag == "select":
            self._options = []
        elif tag == "title":
            self._in_title = False
        elif tag in _READINGS or tag in {"ruby", "sup"}:
            self._close_inline(tag)
        elif tag in {"table", "tr", "caption"}:
            self._end_in_table(tag)
        elif tag in _BLOCKS or tag in _HEADINGS:
            self._break("p")
            self._main -= tag in _MAIN and self._main > 0

    def handle_data(self, data: str) -> None:
        """Handle text."""
        if self._inside or (self._drawing and not _DRAWN_TEXT & set(self._drawing)):
            return
        if self._formula:
            element = self._formula[-1]
            if len(element):
                element[-1].tail = (element[-1].tail or "") + data
            else:
                element.text = (element.text or "") + data
            return
        if self._options and not self._options[-1]:
            return
        if self._in_title:
            self.title += data
            return
        if self._in_reading:
            self._reading += data.strip()
            return
        if data.strip():
            if self._reading and not self._in_ruby:
                self._add_reading()
            line = self.getpos()[0]
            if not any(held.strip() for held in self._held):
                self._first = line + data[: len(data) - len(data.lstrip())].count("\n")
            self._last = line + data.rstrip().count("\n")
            self._held.append(self._number)
            self._number = ""
        self._held.append(data if self._kind == "pre" else _INDENTED.sub(" ", data))

    def parse_marked_section(self, i: int, report: int = 1) -> int:
        """Skip `<![…>` as browsers do, and return the position after it, or -1 if unclosed.

        The method of the base class would raise an error.
        """
        del report
        end = self.rawdata.find(">", i)
        return end + 1 if end >= 0 else -1

    def _close_inline(self, tag: str) -> None:
        if tag != "sup":
            self._in_reading = False
            self._in_ruby &= tag != "ruby"
        elif self._raised is not None:
            self._held.append(raise_figures("".join(self._held[self._raised :])))
            del self._held[self._raised : -1]
            self._raised = None

    def _open_formula(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag.rpartition(":")[2], {key: value or "" for key, value in attrs})
        if self._formula:
            self._formula[-1].append(element)
        if len(self._formula) < _MOST_DEPTH:
            self._formula.append(element)

    def _close_formula(self, tag: str) -> None:
        while len(self._formula) > 1 and self._formula[-1].tag != tag.rpartition(":")[2]:
            self._formula.pop()
        element = self._formula.pop()
        if not self._formula:
            self.handle_data(" " + " ".join(write_formula(element).split()) + " ")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Handle an empty element."""
        self.handle_starttag(tag, attrs)
        if self._formula or self._drawing:
            self.handle_endtag(tag)

    def _open_field(self, tag: str, fields: dict[str, str | None]) -> None:
        """Add a form field: a checkbox, the text of an input, or the selected option."""
        kind = (fields.get("type") or "text").lower()
        if tag == "option":
            self._options[-1:] = ["selected" in fields]
        elif tag == "select":
            self._options = [False]
        elif (box := _BOXES.get((kind, "checked" in fields))) is not None:
            self.handle_data(box)
        elif kind not in _NO_FIELDS and (value := fields.get("value")):
            self.handle_data(f" {value} ")

    def _open(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in {"input", "select", "option"}:
            self._open_field(tag, dict(attrs))
        elif tag in {"ol", "ul"}:
            self._break("p")
            self._lists.append(ListNumbers.of(dict(attrs)) if tag == "ol" else None)
        elif tag == "time" and not self.date:
            self.date = dict(attrs).get("datetime") or ""
        elif tag == "sup":
            self._raised = len(self._held)
        elif tag in _READINGS or tag in {"ruby", "rb"}:
            self._in_reading, self._in_ruby = tag in _READINGS, True
        elif tag in {"table", "tr"}:
            self._end_block()
            self._tables += tag == "table"
            self._table += tag == "table"
        elif tag in {"td", "th"} and self._tables:
            if self._spans or "".join(self._held).strip():
                self._held.append(_CELL)
                self._spans += [] if self._spans else [(1, 1)]
            fields = dict(attrs)
            self._spans.append((_read_span(fields.get("colspan")), _read_span(fields.get("rowspan"))))
        elif tag in _BLOCKS or tag in _HEADINGS:
            if tag == "li":
                numbers = self._lists[-1] if self._lists else None
                self._number = "" if numbers is None else numbers.take(dict(attrs).get("value"))
            self._break("li" if tag in _ITEMS else tag if tag in _HEADINGS or tag == "pre" else "p")
            self._main += tag in _MAIN

    def _meta(self, fields: dict[str, str]) -> None:
        name = (fields.get("property") or fields.get("name") or fields.get("itemprop") or "").lower()
        if name in _DATES and not self.date:
            self.date = fields.get("content", "")
        elif name == "og:title":
            self.stated = fields.get("content", "")

    def _end_in_table(self, tag: str) -> None:
        """Close a row, a table or a caption. A caption is a paragraph above the rows, not a row."""
        nested, self._tables = self._tables, 0 if tag == "caption" and self._tables == 1 else self._tables
        self._spans = self._spans if self._tables else []
        self._end_block()
        self._tables = nested - (tag == "table" and nested > 0)

    def _break(self, kind: str) -> None:
        """Close the block and start a new block. Within a table, add a blank instead."""
        if self._tables:
            self._held.append(" ")
        else:
            self._end_block()
            self._kind = kind

    def _add_reading(self) -> None:
        """Add the ruby reading of the preceding characters, without a break: 青岚(せいらん)."""
        self._held.append(f"({self._reading})" if self._reading else "")
        self._reading = ""

    def _end_block(self) -> None:
        self._add_reading()
        text = "".join(self._held)
        self._held, self._raised = [], None
        table = self._table if self._tables else 0
        kind = "row" if table else self._kind
        spans, self._spans = tuple(self._spans), []
        if text.replace(_CELL, "").strip():
            if table:
                text = _CELL.join(" ".join(cell.split()) for cell in text.split(_CELL))
            elif kind != "pre":
                text = "\n".join(" ".join(row.split(" ")).strip() for row in text.split("\n"))
            place = (self._first, self._last, self._main > 0)
            self.blocks.append(_HtmlBlock(kind, text.strip("\n"), *place, table, spans))
        self._kind = "p"


def _is_note(tag: str, fields: dict[str, str | None]) -> bool:
    """Report whether an element is an `aside` that is a note to the text."""
    named = " ".join(fields.get(name) or "" for name in ("role", "class", "epub:type"))
    return tag == "aside" and _NOTE.search(named) is not None


def _is_hidden(tag: str, fields: dict[str, str | None]) -> bool:
    """Report whether an element is hidden by its attributes, or is a form for search, login or the like."""
    if fields.get("aria-hidden") == "true" or fields.get("hidden", "until-found") != "until-found":
        return True
    if _UNSHOWN.search(fields.get("style") or ""):
        return True
    named = " ".join(fields.get(name) or "" for name in ("role", "id", "class", "action", "name"))
    return tag == "form" and _AROUND_FORM.search(named) is not None


def _read_span(text: str | None) -> int:
    return int(text) if text and text.isdecimal() and len(text) < 6 else 1
