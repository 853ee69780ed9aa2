"""LangChain document metadata: source, title, date and position, by the names used in loaders.

The names used by text splitters and stores are known, too.
"""

import re
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any, Final, NamedTuple

from weiwo.text.patterns import lazy
from weiwo.text.printable import one_line

_NAMES: Final = {
    "source": (
        "source",
        "url",
        "source_url",
        "uri",
        "link",
        "href",
        "permalink",
        "file_path",
        "path",
        "filename",
        "file_name",
        "file",
        "document",
        "doc_id",
        "document_id",
        "parent_id",
        "id",
        "uuid",
        "_id",
    ),
    "title": ("title", "name", "document_title", "doc_title", "page_title", "subject", "headline"),
    "date": ("date", "published", "published_at", "publish_date", "created_at", "creationdate", "last_modified"),
}
"""Metadata keys of loaders, splitters and stores for each field, in order of preference."""
_MEANINGLESS: Final = lazy(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|(?=[^g-z]*\d)[0-9a-f]{12,}|\d+", re.IGNORECASE)
"""Ids that say nothing to a reader: UUIDs, hashes, numbers."""
_LONGEST_TITLE: Final = 80
_HEADINGS: Final = lazy(r"(?:header|h)[ _]?[1-6]", re.IGNORECASE)
_DAY: Final = lazy(r"\d{4}-\d\d-\d\d")


class DocumentMetadata(NamedTuple):
    """Metadata of a LangChain document for citations. Fields are empty if not stated."""

    source: str  # path, address or id
    title: str
    date: str | None  # ISO date, or None
    place: str  # position in the source, for people: the stated locator, or page, row and lines
    headings: tuple[str, ...]  # the headings above the text, outermost first
    page: int | None  # page number, from 1; None if not stated

    @property
    def locator(self) -> str:
        """Return the position and the heading path in a single line."""
        return ", ".join(filter(None, (self.place, " › ".join(self.headings))))


def read_metadata(stated: Mapping[str, Any]) -> DocumentMetadata:
    """Read the metadata of a LangChain document.

    Args:
        stated: `Document.metadata`, with values of any type.
    """
    day = _DAY.match(_find_field(stated, "date"))
    source, title = _find_field(stated, "source"), _find_field(stated, "title")
    if whole := _render_field(stated.get("locator")):
        return DocumentMetadata(source, title, day[0] if day else None, whole, (), None)
    page = _render_field(stated.get("page_label")) or _render_field(stated.get("page_number"))
    if not page and isinstance(stated.get("page"), int):
        page = str(stated["page"] + ("total_pages" in stated))  # PyPDFLoader counts from 0, and states `total_pages`
    parts = [f"page {page}"] if page else []
    if isinstance(row := stated.get("row"), int) and not isinstance(row, bool):
        parts.append(f"row {row + 1}")  # CSVLoader counts from 0
    loc = stated.get("loc")
    lines = loc.get("lines") if isinstance(loc, Mapping) else None
    begin, end = (lines.get("from"), lines.get("to")) if isinstance(lines, Mapping) else (None, None)
    begin, end = _render_field(begin or stated.get("start_line")), _render_field(end or stated.get("end_line"))
    if begin:
        parts.append(f"lines {begin}-{end}" if end and end != begin else f"line {begin}")
    number = int(page) if page.isascii() and page.isdigit() else None
    found = [_render_field(stated[key]) for key in sorted(stated) if _HEADINGS.fullmatch(key)]
    headings = tuple(filter(None, found or [_render_field(stated.get("section"))]))
    return DocumentMetadata(source, title, day[0] if day else None, ", ".join(parts), headings, number)


def derive_source_title(source: str, text: str = "") -> str:
    """Derive the title of a source without a title: the last part of the path, without the ending.

    If that is a meaningless id (a UUID, hash or number), the title is the first line of the text, if there is any.
    """
    stem = one_line(PurePath(source).stem, 200)
    if text and (_MEANINGLESS.fullmatch(stem) or _MEANINGLESS.fullmatch(source.rpartition("#")[2])):
        line = next(filter(None, (part.strip(" #*=-") for part in text.splitlines())), "")
        return one_line(line, _LONGEST_TITLE)
    return stem or one_line(source, 200)


def _find_field(stated: Mapping[str, Any], what: str) -> str:
    return next((said for key in _NAMES[what] if (said := _render_field(stated.get(key)))), "")


def _render_field(value: object) -> str:
    return one_line(str(value), 500) if isinstance(value, str | int | float) and not isinstance(value, bool) else ""
