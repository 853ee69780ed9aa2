"""Reader of CSV and TSV, with comma, semicolon, tab or bar between the cells.

A passage is the header and some consecutive lines of the file. A record with quoted line ends keeps its lines together.
A long file is split into parts, so that a line appended to it changes only the last part.
"""

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import BinaryIO, Final

from weiwo.state.delimited_rows import DelimitedRows, split_record
from weiwo.state.table import Table
from weiwo.text.patterns import lazy
from weiwo.tools.corpus.formats.parts import Part, read_lines, split_parts
from weiwo.tools.corpus.formats.table_rows import TableRow, make_table_passages, split_header
from weiwo.tools.corpus.losses import Loss

_DELIMITERS: Final = ",\t;|"
_SEPARATOR: Final = lazy(r"sep=(.|\\t)\s*")
_SAMPLE_ROWS: Final = 30
MOST_CHARACTERS: Final = 200_000_000
"""Characters of a file above which it is only searched, and not stored as a table for queries."""
_MOST_LINES: Final = 100
"""Maximum number of lines of a record, in case a quotation mark is never closed."""


def read(file: BinaryIO, name: str) -> Iterator[Part]:
    """Read a table of delimited text.

    Lines above the header are a passage of their own. The line `sep=;`, as written by Excel, is skipped.
    """
    rows = join_quoted(read_lines(file))
    first = list(islice(rows, _SAMPLE_ROWS))
    stated = _SEPARATOR.fullmatch(first[0].text) if first else None
    if stated:
        del first[0]
    delimiter = stated[1].replace("\\t", "\t") if stated else find_delimiter(first)
    tables: list[Table] = []
    losses: list[Loss] = []
    kept = _keep_records(chain(first, rows), DelimitedRows(delimiter), name, tables, losses)
    before, header, below = split_header(kept, delimiter)
    passages = chain(make_table_passages(before, None, unit="line"), make_table_passages(below, header, unit="line"))
    return split_parts(passages, name, header=header.text if header else "", losses=losses, tables=tables)


def _keep_records(
    records: Iterable[TableRow], rows: DelimitedRows, name: str, tables: list[Table], losses: list[Loss]
) -> Iterator[TableRow]:
    """Yield the records unchanged. After the last, append one table of all records to `tables`.

    If the file is too large for a table, a loss is appended to `losses` instead.
    """
    numbers = array("q")
    last = 0
    for record in records:
        yield record
        if rows.characters > MOST_CHARACTERS:
            continue
        if last and record.first > last + 1:
            rows.append("")
            numbers.append(last + 1)
        rows.append(record.text)
        numbers.append(record.first)
        last = record.last
    if rows.characters > MOST_CHARACTERS:
        losses.append(Loss("other", 1, (f"over {MOST_CHARACTERS:,} characters: too large to be queried as a table",)))
    elif len(rows):
        tables.append(Table(name, rows, numbers, "line", delimiter=rows.delimiter))


def find_delimiter(rows: Sequence[TableRow]) -> str:
    """Return the character that separates the cells of some rows: `,`, `;`, `|` or a tab.

    The delimiter found in most rows wins. Among equals, it is the one that gives most rows the same number of cells,
    then the one with more cells.
    """

    def rate(delimiter: str) -> tuple[int, int, int]:
        counts = Counter(len(cells) for row in rows if len(cells := split_record(row.text, delimiter)) > 1)
        width, alike = max(counts.items(), key=lambda item: (item[1], item[0]), default=(0, 0))
        return counts.total(), alike, width

    return max(_DELIMITERS, key=rate)


def join_quoted(numbered: Iterable[tuple[int, str]]) -> Iterator[TableRow]:
    """Join numbered lines into records: a line with an open quotation mark continues in the next lines.

    Blank lines between records are skipped. If a quotation mark is not closed within `_MOST_LINES` lines or by the end
    of the file, each of these lines is a record of its own.
    """
    held: list[str] = []
    start, odd = 1, False
    for number, line in numbered:
        if not held:
            if not line.strip():
                continue
            start = number
        held.append(line)
        odd ^= line.count('"') % 2 == 1
        if odd and len(held) >= _MOST_LINES:  # the quotation mark is never closed
            yield from (TableRow(item, start + offset, start + offset) for offset, item in enumerate(held))
            held, odd = [], False
        elif not odd:
            yield TableRow("\n".join(held), start, number)
            held = []
    yield from (TableRow(item, start + offset, start + offset) for offset, item in enumerate(held))
