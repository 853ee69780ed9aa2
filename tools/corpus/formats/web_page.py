"""HTML pages: their main content, by heading."""

from collections.abc import Iterator
from typing import BinaryIO

from weiwo.tools.corpus.formats.encodings import UnreadableError
from weiwo.tools.corpus.formats.html_document import parse_html
from weiwo.tools.corpus.formats.parts import Part, choose_title, find_date, make_passages, read_text, require_passages


def read(file: BinaryIO, name: str) -> Iterator[Part]:
    """Read a page; its lines are those of the file.

    Raises:
        UnreadableError: It holds no text.
    """
    page = parse_html(read_text(file))
    title, chunks = page.body.cut_chunks()
    if not chunks:
        raise UnreadableError("a page without text")
    return require_passages(Part(choose_title(page.title, title) or name, make_passages(chunks), find_date(page.date)))
