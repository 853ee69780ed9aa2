"""CSV and TSV: comma, semicolon, tab or bar between the cells.

A passage is the header and a run of the file's own lines. A record that quotes line ends keeps its lines together. A
long file is handed on a part at a time, so that a line appended to it changes its last part alone.
"""

import csv
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import chain
from typing import BinaryIO, Final

from weiwo.tools.corpus.formats.line_stream import read_lines, split_parts
from weiwo.tools.corpus.formats.parts import Part
from weiwo.tools.corpus.formats.table_rows import TableRow, make_table_passages

_DELIMITERS: Final = ",\t;|"
_MOST_LINES: Final = 100
"""Lines of the longest record; a quotation mark that is never closed takes in no more."""


def read(file: BinaryIO, name: str) -> Iterator[Part]:
    """Read a table; its first row is its header if it holds no number."""
    rows = _join_quoted(read_lines(file))
    first = next(rows, None)
    if first is None:
        return split_parts((), name)
    header = first if _is_header(first.text) else None
    passages = make_table_passages(rows if header else chain((first,), rows), header, unit="line")
    return split_parts(passages, name, header=header.text if header else "")


def _join_quoted(numbered: Iterable[tuple[int, str]]) -> Iterator[TableRow]:
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
            yield from (TableRow(one, start + offset, start + offset) for offset, one in enumerate(held))
            held, odd = [], False
        elif not odd:
            yield TableRow("\n".join(held), start, number)
            held = []
    yield from (TableRow(one, start + offset, start + offset) for offset, one in enumerate(held))


def _is_header(line: str) -> bool:
    cells: list[str] = []
    with suppress(csv.Error):
        delimiter = max(_DELIMITERS, key=line.count)
        cells = next(csv.reader([line], delimiter=delimiter), [])
    return bool(cells) and all(cell.strip() and not _is_number(cell) for cell in cells)


def _is_number(cell: str) -> bool:
    return any(c.isdigit() for c in cell) and not any(c.isalpha() for c in cell)
