"""JSON reader: a list of records, or an object with members as sections."""

import json
import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import Any, BinaryIO, Final

from weiwo.text.chunking import LARGEST, SMALLEST, chunk_sections, measure_weight
from weiwo.text.patterns import lazy
from weiwo.tools.corpus.formats.encodings import UnreadableError
from weiwo.tools.corpus.formats.json_lines import read_record, render_value
from weiwo.tools.corpus.formats.parts import Part, format_range, read_text, require_passages
from weiwo.tools.corpus.formats.record_tables import find_record_tables
from weiwo.tools.corpus.records import Passage

_BLANK: Final = lazy(r"[ \t\n\r]*")
_MOST_DEPTH: Final = 60


def read(file: BinaryIO, name: str) -> Iterator[Part]:
    """Read a JSON document. A small value is a single passage, and a larger value is split.

    Raises:
        UnreadableError: The file is not JSON, is empty, or is nested too deeply.
    """
    text = read_text(file)
    if not text.strip():
        raise UnreadableError("empty")
    try:
        value = json.loads(text)
        passages = _ValueWalker(text).walk(value)
    except RecursionError:
        raise UnreadableError("nested too deeply") from None
    except ValueError as error:
        raise UnreadableError(f"not JSON: {error}") from None
    record = read_record(value if isinstance(value, dict) else {})
    return require_passages(Part(record.title or name, passages, record.date, tables=find_record_tables(value)))


class _ValueWalker:
    """Walker through a valid JSON text, value by value."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._starts = [0, *(found.end() for found in re.finditer("\n", text))]
        self._decoder = json.JSONDecoder(strict=False)
        self._held: list[tuple[str, int, int, tuple[str, ...]]] = []
        self._size = 0.0
        self._made: list[Passage] = []

    def walk(self, value: Any) -> list[Passage]:
        start = self._skip(0)
        self._add_value(value, start, len(self._text.rstrip()), (), 0)
        self._flush()
        return self._made

    def _add_value(self, value: Any, start: int, end: int, path: tuple[str, ...], depth: int) -> None:
        records = isinstance(value, list) and any(isinstance(item, dict) for item in value)
        title, text, *_ = read_record(value)
        size = measure_weight(text)
        if records or (size > LARGEST and isinstance(value, dict | list) and depth < _MOST_DEPTH):
            self._open_value(start, path, depth)
        elif isinstance(value, dict):
            self._flush()
            self._add(text or title, start, end, (*path, title) if title and text else path)
            self._flush()
        else:
            text = render_value(value, path[-1] if path else "")
            self._add(text, start, end, path[:-1])

    def _open_value(self, start: int, path: tuple[str, ...], depth: int) -> None:
        """Add the members of an object or the items of a list, one by one."""
        within_object = self._text[start] == "{"
        at = self._skip(start + 1)
        while self._text[at] not in "}]":
            below = path
            member = at
            if within_object:
                key, at = self._decoder.raw_decode(self._text, at)
                at = self._skip(self._skip(at) + 1)  # the colon
                below = (*path, key)
            value, end = self._decoder.raw_decode(self._text, at)
            self._add_value(value, at if isinstance(value, dict | list) else member, end, below, depth + 1)
            at = self._skip(end)
            if self._text[at] == ",":
                at = self._skip(at + 1)
        if within_object:
            self._flush()

    def _skip(self, at: int) -> int:
        found = _BLANK.match(self._text, at)
        return found.end() if found else at

    def _add(self, text: str, start: int, end: int, path: tuple[str, ...]) -> None:
        """Add a piece of text, and make a passage once the pieces under the same path are large enough."""
        if not text.strip():
            return
        size = measure_weight(text)
        if self._held and (self._held[0][3] != path or self._size + size > LARGEST):
            self._flush()
        self._held.append((text, start, end, path))
        self._size += size
        if self._size >= SMALLEST:
            self._flush()

    def _flush(self) -> None:
        if not self._held:
            return
        text = "\n".join(piece for piece, *_ in self._held)
        first = bisect_right(self._starts, self._held[0][1])
        last = bisect_right(self._starts, self._held[-1][2] - 1)
        path = self._held[0][3]
        self._held, self._size = [], 0.0
        self._made += [
            Passage(piece.words, path, format_range(first, last), first, last) for piece in chunk_sections(text, ())[1]
        ]
