"""Markdown, with or without front matter."""

import re
from collections.abc import Iterator
from typing import BinaryIO, Final

from weiwo.text.chunking import chunk_text
from weiwo.text.patterns import lazy
from weiwo.tools.corpus.formats.parts import (
    Part,
    choose_title,
    find_date,
    format_range,
    make_passages,
    read_text,
    require_passages,
)
from weiwo.tools.corpus.records import Passage

_FRONT: Final = lazy(r"---[ \t]*\n(?P<fields>(?:.*\n){1,60}?)(?:---|\.\.\.)[ \t]*(?:\n|\Z)")
_FIELD: Final = lazy(r"^(title|date|published|updated)[ \t]*:[ \t]*(.+?)[ \t]*$", re.MULTILINE | re.IGNORECASE)


def read(file: BinaryIO, name: str) -> Iterator[Part]:
    """Read a Markdown text; its front matter is a passage of its own and gives title and date where it has them."""
    text = read_text(file)
    stated: dict[str, str] = {}
    front: list[Passage] = []
    if found := _FRONT.match(text):
        stated = {key.lower(): value.strip("\"'") for key, value in _FIELD.findall(found["fields"])}
        rows = found["fields"].count("\n")
        front = [Passage(found["fields"].strip("\n"), (), format_range(2, rows + 1), 2, rows + 1)]
        text = "\n" * found.group().count("\n") + text[found.end() :]
        if not found["fields"].strip() or len(found["fields"]) > 2_000:
            front = []
    title, chunks = chunk_text(text, markdown=True, name=choose_title(stated.get("title")) or name)
    date = next((find_date(stated[key]) for key in ("date", "published", "updated") if key in stated), None)
    return require_passages(Part(choose_title(stated.get("title")) or title, front + make_passages(chunks), date))
