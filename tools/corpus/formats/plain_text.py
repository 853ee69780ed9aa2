"""Plain text."""

from collections.abc import Iterator
from typing import BinaryIO

from weiwo.text.chunking import chunk_text
from weiwo.tools.corpus.formats.parts import Part, make_passages, read_text, require_passages


def read(file: BinaryIO, name: str) -> Iterator[Part]:
    """Read a text; a short first line that stands alone is its title."""
    title, chunks = chunk_text(read_text(file), markdown=False, name=name)
    return require_passages(Part(title, make_passages(chunks)))
