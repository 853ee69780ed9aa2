"""Row packing: runs of table rows, each below the header of its table."""

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from weiwo.text.chunking import LARGEST, chunk_sections, measure_weight

_LONGEST_HEADER: Final = 500


class TableRow(NamedTuple):
    """A row as text, and its first and last line or row number, from 1."""

    text: str
    first: int
    last: int


class RowPassage(NamedTuple):
    """Rows that make a passage, and their lines."""

    text: str
    first: int
    last: int


def pack_rows(rows: Iterable[TableRow], header: str = "") -> Iterator[RowPassage]:
    """Put rows together to passages, none larger than `LARGEST` and its header.

    A row that is larger alone is parted, each piece below the header.
    """
    above = header[:_LONGEST_HEADER] + "\n" if header else ""
    held: list[TableRow] = []
    size = 0.0
    for row in rows:
        added = measure_weight(row.text)
        if held and size + added > LARGEST:
            yield _join_rows(above, held)
            held, size = [], 0.0
        if added > LARGEST:
            for piece in chunk_sections(row.text, ())[1]:
                yield RowPassage(above + piece.text, row.first, row.last)
            continue
        held.append(row)
        size += added
    if held:
        yield _join_rows(above, held)


def _join_rows(above: str, rows: list[TableRow]) -> RowPassage:
    return RowPassage(above + "\n".join(row.text for row in rows), rows[0].first, rows[-1].last)
