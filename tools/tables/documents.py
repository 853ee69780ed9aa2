"""Table reconstruction: the passages of a document put back together to tables, each row with its place.

The index holds every row of a table below its header, so that no file is read again. Rows that were parted since they
are long are joined; a table without a header has no columns to ask about, and is left out.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import PurePath
from typing import Final, NamedTuple

from weiwo.tools.corpus.formats.delimited_text import find_delimiter, join_quoted
from weiwo.tools.corpus.formats.parts import format_range
from weiwo.tools.corpus.formats.table_rows import BETWEEN, TableRow, split_cells, split_header

_MOST_COLUMNS: Final = 500
_MOST_TABLES: Final = 100
_LONGEST_NAME: Final = 80
_LONGEST_CELL: Final = 2_000
_RULE: Final = re.compile(r"\s*\|?(?:\s*:?-{3,}:?\s*\|)+(?:\s*:?-{3,}:?\s*)?")
_TOTAL: Final = re.compile(
    r"(?i)\s*(?:(?:grand |sub-?)?totals?|sum|合计|总计|小计|合計|總計|小計|总和|汇总)\s*[:：]?\s*"
)
_KEYED: Final = re.compile(r"([^\s:：][^:：\n]{0,60}):\s(.*)")
_SHEETS: Final = frozenset({"xlsx", "ods", "xls", "xlsb"})


class TablePassage(NamedTuple):
    """A passage as the index keeps it."""

    text: str
    headings: tuple[str, ...]
    locator: str
    first: int
    last: int
    page: int | None
    source: str  # the document, or the part of one, that it is of


class Row(NamedTuple):
    """A row of a table: its cells, and where it stands."""

    cells: list[str]
    source: str
    place: str


@dataclass
class Table:
    """A table as it stands: its header, its rows, and what of it could not be taken."""

    name: str
    source: str
    header: list[str]
    rows: list[Row]
    notes: list[str] = field(default_factory=list)
    torn: int = 0  # rows that could not be read as rows


class _Line(NamedTuple):
    """A record of a table of lines, with its document and place."""

    text: str
    source: str
    place: str


def read_tables(kind: str, source: str, passages: Sequence[TablePassage]) -> list[Table]:
    """The tables of a document.

    Args:
        kind: The kind of document, as the index knows it.
        source: Its name in citations.
        passages: Its passages, in order.
    """
    stem = PurePath(source).stem
    if kind == "csv":
        found = [_read_lines(stem, source, passages, "")]
    elif kind in _SHEETS:
        sheets = groupby(passages, key=lambda one: one.headings[:1])
        found = []
        for headings, group in sheets:
            name = f"{stem} / {headings[0]}" if headings else stem
            found.append(_read_lines(name, source, list(group), BETWEEN))
    elif kind == "json":
        found = [_read_records(stem, source, passages)]
    else:
        found = list(_read_marked(stem, source, passages))
    tables = [table for table in found if table is not None and table.rows][:_MOST_TABLES]
    for table in tables:
        _finish(table)
    return _name_apart(tables)


def _read_lines(name: str, source: str, passages: Sequence[TablePassage], between: str) -> Table | None:
    """A table of lines: delimited text, or the rows of a sheet."""
    if not passages:
        return None
    lines = list(_join_lines(passages, quoted=not between))
    numbered = [TableRow(line.text, at, at) for at, line in enumerate(lines)]
    mark = between or find_delimiter(numbered[:30])
    _, header, below = split_header(numbered, mark)
    if header is None:
        return None
    table = Table(name, source, split_cells(header.text, mark), [])
    if len(table.header) > _MOST_COLUMNS:
        table.notes.append(f"has {len(table.header):,} columns; up to {_MOST_COLUMNS} can be asked about")
        table.header = []
        table.rows = [Row([], source, "")]
        return table
    for row in below:
        line = lines[row.first]
        _add_row(table, split_cells(row.text, mark), line.source, line.place)
    return table


def _join_lines(passages: Sequence[TablePassage], *, quoted: bool) -> Iterator[_Line]:
    """The records of passages, the header that stands above each of them but once."""
    head = _first_record(passages[-1].text, quoted=quoted)
    seen = False
    for _, group in groupby(passages, key=lambda one: (one.source, one.page, one.first, one.last)):
        pieces = list(group)
        texts = []
        for piece in pieces:
            headed = piece.text == head or piece.text.startswith(head + "\n")
            texts.append(piece.text[len(head) :].lstrip("\n") if headed and seen else piece.text)
            seen = seen or headed
        one = pieces[0]
        records = _split_records(" ".join(texts) if len(texts) > 1 else texts[0], quoted=quoted)
        headed = bool(records) and records[0] == head
        body = len(records) - (headed and len(records) > 1)
        exact = sum(record.count("\n") + 1 for record in records[len(records) - body :]) == one.last - one.first + 1
        at = one.first - (records[0].count("\n") + 1 if headed and len(records) > 1 else 0)
        for record in records:
            height = record.count("\n") + 1
            yield _Line(record, one.source, _place(one, at, at + height - 1) if exact else one.locator)
            at += height


def _place(passage: TablePassage, first: int, last: int) -> str:
    sheet, comma, unit = passage.locator.rpartition(", ")
    word = unit.split(" ")[0].rstrip("s") or "line"
    return f"{sheet}{comma}{format_range(first, last, word)}"


def _first_record(text: str, *, quoted: bool) -> str:
    return next(iter(_split_records(text, quoted=quoted)), "")


def _split_records(text: str, *, quoted: bool) -> list[str]:
    """Lines, those that a quotation holds together as one."""
    lines = text.split("\n")
    if quoted:
        return [record.text for record in join_quoted(enumerate(lines, 1))]
    return [line for line in lines if line.strip()]


def _read_records(name: str, source: str, passages: Sequence[TablePassage]) -> Table | None:
    """A table of JSON records, one a passage: its keys are the columns."""
    records: list[tuple[dict[str, str], TablePassage]] = []
    for one in passages:
        fields = {found[1]: found[2] for line in one.text.split("\n") if (found := _KEYED.fullmatch(line))}
        if fields:
            records.append((fields, one))
    counts = Counter(key for fields, _ in records for key in fields)
    keys = [key for key in counts if counts[key] * 2 >= len(records)]
    if len(records) < 2 or len(keys) < 2 or len(keys) > _MOST_COLUMNS:
        return None
    table = Table(name, source, keys, [])
    places = Counter(one.locator for _, one in records)
    for number, (fields, one) in enumerate(records, 1):
        place = one.locator if places[one.locator] == 1 else f"{one.locator}, record {number}"
        table.rows.append(Row([fields.get(key, "") for key in keys], one.source, place))
    return table


def _read_marked(stem: str, source: str, passages: Sequence[TablePassage]) -> Iterator[Table]:
    """The tables of a text with marks, as Markdown writes them: one that goes on in the next passage is one table."""
    open_table: Table | None = None
    for one in passages:
        lines = one.text.split("\n")
        going_on, at = True, 0
        while at < len(lines):
            if not (lines[at].lstrip().startswith("|") and at + 1 < len(lines) and _RULE.fullmatch(lines[at + 1])):
                going_on = going_on and not lines[at].strip()
                at += 1
                continue
            header = _split_marked(lines[at])
            if open_table is None or not going_on or open_table.header != header:
                if open_table is not None:
                    yield open_table
                open_table = Table(one.headings[-1] if one.headings else stem, source, header, [])
            at += 2
            while at < len(lines) and lines[at].lstrip().startswith("|"):
                _add_row(open_table, _split_marked(lines[at]), one.source, one.locator)
                at += 1
            going_on = False
        if open_table is not None and not lines[-1].lstrip().startswith("|"):
            yield open_table
            open_table = None
    if open_table is not None:
        yield open_table


def _split_marked(line: str) -> list[str]:
    return [cell.strip().strip("*`").strip() for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]


def _add_row(table: Table, cells: list[str], source: str, place: str) -> None:
    """Add a row; one with more cells than the header cannot be told to which columns they belong."""
    width = len(table.header)
    if len(cells) > width and not any(cell.strip() for cell in cells[width:]):
        cells = cells[:width]
    if len(cells) > width:
        table.torn += 1
        if table.torn == 1:
            table.notes.append(f"{place}: not read as a row")
        return
    if any(len(cell) > _LONGEST_CELL for cell in cells):
        cells = [cell[:_LONGEST_CELL] for cell in cells]
        table.notes.append(f"{place}: a cell of more than {_LONGEST_CELL:,} characters, cut")
    if any(cell.strip() for cell in cells):
        table.rows.append(Row([*cells, *[""] * (width - len(cells))], source, place))


def _finish(table: Table) -> None:
    """Leave out rows of totals, and header rows that are repeated; give every column a name of its own."""
    heads = [cell.strip() for cell in table.header]
    kept = []
    for row in table.rows:
        first = next((cell for cell in row.cells if cell.strip()), "")
        if _TOTAL.fullmatch(first):
            table.notes.append(f"{row.place}: a row of totals, left out")
        elif [cell.strip() for cell in row.cells] != heads or not heads:
            kept.append(row)
    table.rows = kept
    names: list[str] = []
    for number, cell in enumerate(heads, 1):
        name = " ".join(cell.lstrip("\ufeff").split())[:_LONGEST_NAME] or f"column {number}"
        names.append(name if name not in names else f"{name} ({number})")
    table.header = names
    if table.torn > 1:
        table.notes.append(f"{table.torn} rows are not read as rows")


def _name_apart(tables: list[Table]) -> list[Table]:
    """Give tables of one name numbers."""
    counts = Counter(table.name for table in tables)
    seen: Counter[str] = Counter()
    for table in tables:
        if counts[table.name] > 1:
            seen[table.name] += 1
            table.name = f"{table.name}, table {seen[table.name]}"
    return tables
