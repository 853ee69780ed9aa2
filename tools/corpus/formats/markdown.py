"""Markdown, with or without front matter."""

import re
from collections.abc import Iterator
from typing import BinaryIO, Final

from tools.corpus.chunks import chunk
from tools.corpus.formats.base import Part, date_of, filled, lines, passages, text_of, title_of
from tools.corpus.records import Passage

_FRONT: Final = re.compile(r"---[ \t]*\n(?P<fields>(?:.*\n){1,60}?)(?:---|\.\.\.)[ \t]*(?:\n|\Z)")
_FIELD: Final = re.compile(r"^(title|date|published|updated)[ \t]*:[ \t]*(.+?)[ \t]*$", re.MULTILINE | re.IGNORECASE)


def read(file: BinaryIO, name: str) -> Iterator[Part]:
    """Read a Markdown text; its front matter is a passage of its own and gives title and date where it has them."""
    text = text_of(file)
    stated: dict[str, str] = {}
    front: list[Passage] = []
    if found := _FRONT.match(text):
        stated = {key.lower(): value.strip("\"'") for key, value in _FIELD.findall(found["fields"])}
        rows = found["fields"].count("\n")
        front = [Passage(found["fields"].strip("\n"), (), lines(2, rows + 1), 2, rows + 1)]
        text = "\n" * found.group().count("\n") + text[found.end() :]
        if not found["fields"].strip() or len(found["fields"]) > 2_000:
            front = []
    title, chunks = chunk(text, markdown=True, name=title_of(stated.get("title")) or name)
    date = next((date_of(stated[key]) for key in ("date", "published", "updated") if key in stated), None)
    return filled(Part(title_of(stated.get("title")) or title, front + passages(chunks), date))
