"""Plain text."""

from collections.abc import Iterator
from typing import BinaryIO

from tools.corpus.chunks import chunk
from tools.corpus.formats.base import Part, filled, passages, text_of


def read(file: BinaryIO, name: str) -> Iterator[Part]:
    """Read a text; a short first line that stands alone is its title."""
    title, chunks = chunk(text_of(file), markdown=False, name=name)
    return filled(Part(title, passages(chunks)))
