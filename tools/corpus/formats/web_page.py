"""HTML pages: their main content, by heading."""

from collections.abc import Iterator
from typing import BinaryIO

from tools.corpus.encodings import UnreadableError
from tools.corpus.formats.base import Part, date_of, filled, passages, text_of, title_of
from tools.corpus.formats.markup import markup


def read(file: BinaryIO, name: str) -> Iterator[Part]:
    """Read a page; its lines are those of the file.

    Raises:
        UnreadableError: It holds no text.
    """
    page = markup(text_of(file))
    title, chunks = page.body.chunks()
    if not chunks:
        raise UnreadableError("a page without text")
    return filled(Part(title_of(page.title, title) or name, passages(chunks), date_of(page.date)))
