"""Tables in text: comma, semicolon, tab or bar between the cells.

A passage is the header and a run of the file's own lines. A record that quotes line ends keeps its lines together. A
long file is handed on a part at a time, so that a line appended to it changes its last part alone.
"""

import csv
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import BinaryIO, Final

from tools.corpus.formats.base import Part, lines
from tools.corpus.formats.rows import Row, packed
from tools.corpus.formats.streams import in_parts, text_lines
from tools.corpus.records import Passage

_DELIMITERS: Final = ",\t;|"
_MOST_LINES: Final = 100
"""Lines of the longest record; a quotation mark that is never closed takes in no more."""


def read(file: BinaryIO, name: str) -> Iterator[Part]:
    """Read a table; its first row is its header if it holds no number."""
    rows = _records(text_lines(file))
    first = next(rows, None)
    if first is None:
        return in_parts((), name)
    header = first.text if _is_header(first.text) else ""
    return in_parts(_passages(rows if header else _chain(first, rows), header), name, header=header)


def _passages(rows: Iterator[Row], header: str) -> Iterator[Passage]:
    empty = True
    for run in packed(rows, header):
        empty = False
        yield Passage(run.text, (), lines(run.first, run.last), run.first, run.last)
    if header and empty:
        yield Passage(header, (), "line 1", 1, 1)


def _chain(first: Row, rest: Iterable[Row]) -> Iterator[Row]:
    yield first
    yield from rest


def _records(numbered: Iterable[tuple[int, str]]) -> Iterator[Row]:
    """Lines that make one record together: until the quotation marks are even."""
    held: list[str] = []
    start, odd = 1, False
    for number, line in numbered:
        if not held:
            if not line.strip():
                continue
            start = number
        held.append(line)
        odd ^= line.count('"') % 2 == 1
        if odd and len(held) >= _MOST_LINES:  # never closed: each line is a record
            yield from (Row(one, start + offset, start + offset) for offset, one in enumerate(held))
            held, odd = [], False
        elif not odd:
            yield Row("\n".join(held), start, number)
            held = []
    yield from (Row(one, start + offset, start + offset) for offset, one in enumerate(held))


def _is_header(line: str) -> bool:
    cells: list[str] = []
    with suppress(csv.Error):
        delimiter = max(_DELIMITERS, key=line.count)
        cells = next(csv.reader([line], delimiter=delimiter), [])
    return bool(cells) and all(cell.strip() and not _is_number(cell) for cell in cells)


def _is_number(cell: str) -> bool:
    return any(c.isdigit() for c in cell) and not any(c.isalpha() for c in cell)
