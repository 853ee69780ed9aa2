"""Text document readers: plain text, Markdown, reStructuredText, and HTML pages.

Markdown may have front matter.
"""

import re
from collections.abc import Iterator
from typing import BinaryIO, Final

from weiwo.text.chunking import chunk_sections, chunk_text
from weiwo.text.outline import find_rst_headings
from weiwo.text.patterns import lazy
from weiwo.tools.corpus.formats.encodings import UnreadableError
from weiwo.tools.corpus.formats.html_document import parse_html
from weiwo.tools.corpus.formats.markdown_tables import find_markdown_tables
from weiwo.tools.corpus.formats.parts import (
    Part,
    choose_title,
    find_date,
    format_range,
    make_passages,
    read_text,
    require_passages,
)
from weiwo.tools.corpus.formats.rst_tables import write_tables
from weiwo.tools.corpus.records import Passage

_FRONT: Final = lazy(r"---[ \t]*\n(?P<fields>(?:.*\n){1,60}?)(?:---|\.\.\.)[ \t]*(?:\n|\Z)")
_FIELD: Final = lazy(r"^(title|date|published|updated)[ \t]*:[ \t]*+(.+)$", re.MULTILINE | re.IGNORECASE)


def read_plain_text(file: BinaryIO, name: str) -> Iterator[Part]:
    """Read a plain text. A short, separate first line is the title."""
    title, chunks = chunk_text(read_text(file), markdown=False, name=name)
    return require_passages(Part(title, make_passages(chunks)))


def read_rst(file: BinaryIO, name: str) -> Iterator[Part]:
    """Read a reStructuredText document by sections, with tables and fields as rows and lines."""
    text = "\n".join(write_tables(read_text(file).split("\n")))
    title, chunks = chunk_sections(text, find_rst_headings(text.split("\n")))
    return require_passages(Part(title or name, make_passages(chunks)))


def read_markdown(file: BinaryIO, name: str) -> Iterator[Part]:
    """Read a Markdown text.

    Front matter is a passage of its own and gives title and date if present.
    """
    text = read_text(file)
    stated: dict[str, str] = {}
    front: list[Passage] = []
    if found := _FRONT.match(text):
        stated = {key.lower(): value.rstrip(" \t").strip("\"'") for key, value in _FIELD.findall(found["fields"])}
        rows = found["fields"].count("\n")
        front = [Passage(found["fields"].strip("\n"), (), format_range(2, rows + 1), 2, rows + 1)]
        text = "\n" * found.group().count("\n") + text[found.end() :]
        if not found["fields"].strip() or len(found["fields"]) > 2_000:
            front = []
    title, chunks = chunk_text(text, markdown=True, name=choose_title(stated.get("title")) or name)
    date = next((find_date(stated[key]) for key in ("date", "published", "updated") if key in stated), None)
    best, tables = choose_title(stated.get("title")) or title, find_markdown_tables(text)
    return require_passages(Part(best, front + make_passages(chunks), date, tables=tables))


def read_web_page(file: BinaryIO, name: str) -> Iterator[Part]:
    """Read the main content of a web page by heading. Line numbers refer to the file.

    Raises:
        UnreadableError: The page holds no text.
    """
    page = parse_html(read_text(file))
    title, chunks = page.body.cut_chunks()
    if not chunks:
        raise UnreadableError("a page without text")
    best, date = choose_title(page.title, title) or name, find_date(page.date)
    return require_passages(Part(best, make_passages(chunks), date, tables=page.body.tables))
