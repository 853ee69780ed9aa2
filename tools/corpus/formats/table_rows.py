"""Row packing: runs of table rows, each below the header of its table."""

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final, NamedTuple

from weiwo.text.chunking import LARGEST, chunk_sections, measure_weight
from weiwo.tools.corpus.formats.parts import format_range
from weiwo.tools.corpus.records import Passage

_LONGEST_HEADER: Final = 500


class TableRow(NamedTuple):
    """A row, or several joined, as text, and the first and last line or row number, from 1."""

    text: str
    first: int
    last: int


def make_table_passages(
    rows: Iterable[TableRow], header: TableRow | None, *, unit: str, sheet: str = "", page: int | None = None
) -> Iterator[Passage]:
    """The passages of a table; a header without rows is one.

    Args:
        rows: The rows, without the header.
        header: The header, if there is one.
        unit: What the rows are called, for people.
        sheet: The sheet they are on.
        page: The number of the sheet.
    """
    runs = _pack_rows(rows, header.text if header else "")
    first = next(runs, header)
    for run in chain(() if first is None else (first,), runs):
        place = ", ".join(filter(None, (sheet and f"sheet {sheet}", format_range(run.first, run.last, unit))))
        yield Passage(run.text, (sheet,) if sheet else (), place, run.first, run.last, page)


def _pack_rows(rows: Iterable[TableRow], header: str = "") -> Iterator[TableRow]:
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
                yield TableRow(above + piece.text, row.first, row.last)
            continue
        held.append(row)
        size += added
    if held:
        yield _join_rows(above, held)


def _join_rows(above: str, rows: list[TableRow]) -> TableRow:
    return TableRow(above + "\n".join(row.text for row in rows), rows[0].first, rows[-1].last)
