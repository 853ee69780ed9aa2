"""A stream of tokens cut into sentences, each with the citation marks that follow it."""

import re
from collections.abc import AsyncGenerator, AsyncIterator

from nodes.citation_marks import find_marks
from text.language import sentences

_OPEN_END = re.compile(r"(?:[\[【［][^\]】］\n]{0,120}|\]\([^()\s]{0,500})$")
"""A mark, or its link, that may still be coming; a bracket open for longer than any mark is none."""


async def segments(deltas: AsyncIterator[str]) -> AsyncGenerator[str, None]:
    """Yield whole sentences as soon as the next one has begun; joined, they are the text.

    An exception of the source passes through, and what was left of an unfinished sentence is dropped with it.
    """
    buffer = ""
    async for delta in deltas:
        buffer += delta
        while (end := _first_end(buffer)) is not None:
            yield buffer[:end]
            buffer = buffer[end:]
    if buffer.strip():
        yield buffer


def _first_end(text: str) -> int | None:
    """Where the first sentence ends, marks included, if another has certainly begun after it."""
    spans = sentences(text)
    if len(spans) < 2 or _OPEN_END.search(text):
        return None
    end = spans[0][1]
    for mark in find_marks(text):
        if mark.start >= end and not text[end : mark.start].strip():
            end = mark.end
    end += len(text[end:]) - len(text[end:].lstrip())
    return end if end < len(text) else None
