"""reStructuredText."""

from collections.abc import Iterator
from typing import BinaryIO

from weiwo.text.chunking import chunk_sections
from weiwo.text.outline import find_rst_headings
from weiwo.tools.corpus.formats.parts import Part, make_passages, read_text, require_passages


def read(file: BinaryIO, name: str) -> Iterator[Part]:
    """Read a reStructuredText document along its sections."""
    text = read_text(file)
    title, chunks = chunk_sections(text, find_rst_headings(text.split("\n")))
    return require_passages(Part(title or name, make_passages(chunks)))
