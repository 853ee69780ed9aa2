"""reStructuredText."""

from collections.abc import Iterator
from typing import BinaryIO

from tools.corpus.chunks import chunk_along
from tools.corpus.formats.base import Part, filled, passages, text_of
from tools.corpus.outline import rst_headings


def read(file: BinaryIO, name: str) -> Iterator[Part]:
    """Read a reStructuredText document along its sections."""
    text = text_of(file)
    title, chunks = chunk_along(text, rst_headings(text.split("\n")))
    return filled(Part(title or name, passages(chunks)))
