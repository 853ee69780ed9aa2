"""Stored tables: the tables on a document's grids as typed columns, with metadata.

A table is stored as a Parquet file and as facts in JSON. For table column `n` the file has `c<n>`, its values: numbers,
or texts that sort as the values do. Where needed it also has `s<n>`, the texts shown by the document, `l<n>`, the
values repeated by merged cells, and `u<n>`, the units of cells. `row` holds the document's row numbers if they are not
consecutive. `kind` marks hidden rows (1) and possible totals (2) among the other rows (0). Totals are left out.
"""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final

from weiwo.state.errors import WeiwoError
from weiwo.state.table import Cell, Table
from weiwo.text.printable import one_line
from weiwo.tools.corpus.losses import Loss
from weiwo.tools.corpus.records import StoredTable
from weiwo.tools.tables.columns import LONGEST_CELL, ORDERED, Column, fold_value, read_column
from weiwo.tools.tables.notes import Note
from weiwo.tools.tables.parquet import ParquetColumn, write_parquet
from weiwo.tools.tables.structure import FoundTable, find_tables
from weiwo.tools.tables.totals import BodyRow, Standing, find_totals, is_total_name

MOST_COLUMNS: Final = 500
_MOST_CELLS: Final = 30_000_000
"""Limit of the cells of a table."""
_CELLS_AT_ONCE: Final = 4_000_000
_KNOWN_VALUES: Final = 2_000
_MOST_NOTES: Final = 10
_FEW_BLANKS, _MANY_BLANKS = 0.1, 0.3
"""Shares of blank cells in a column of labels. Up to the first the blanks are missing values. From the second on they
repeat the label above. Between the two it is unclear."""
_FIGURES: Final = frozenset("0123456789=")
HIDDEN, DOUBTFUL = 1, 2
"""Kinds of rows with which and without which a result is computed: hidden rows, and possible totals."""


def store_tables(grids: Sequence[Table]) -> tuple[list[StoredTable], list[Loss]]:
    """Encode the tables on the grids of a document for storage.

    A table that is too large is stored empty, with the reason in its facts as `refused`, and reported as a loss.
    """
    stored: list[StoredTable] = []
    losses: list[Loss] = []
    found = [table for grid in grids for table in find_tables(grid)]
    for table, name in zip(found, _name_apart(found), strict=True):
        try:
            stored.append(_store(table, name))
        except _TableTooLargeError as error:
            losses.append(Loss("other", 1, (f"{name}: {error}",)))
            stored.append(StoredTable(name, json.dumps({**_EMPTY, "refused": str(error)}), b""))
    return stored, losses


_EMPTY: Final = {
    "within": "",
    "unit": "",
    "rows": 0,
    "torn": 0,
    "hidden": 0,
    "doubtful": [],
    "columns": [],
    "notes": [],
}
"""Facts of a table that is too large to query."""


class _TableTooLargeError(WeiwoError, ValueError):
    """Error raised if a table is too large for queries. The message gives the size."""


def _name_apart(tables: Sequence[FoundTable]) -> list[str]:
    """Return a distinct name for each table: "sheet", "sheet / title", and "sheet, table 2" if names would be equal."""
    own = [" / ".join(dict.fromkeys(filter(None, (table.grid.name, table.title)))) for table in tables]
    counts = Counter(table.grid.name for table in tables)
    # The title above the only table of a sheet says nothing that the name of the sheet does not.
    names = [
        table.grid.name if counts[table.grid.name] == 1 and table.grid.name else name
        for table, name in zip(tables, own, strict=True)
    ]
    totals, seen = Counter(names), Counter[str]()
    for at, name in enumerate(names):
        if totals[name] > 1:
            seen[name] += 1
            names[at] = f"{name}, table {seen[name]}".lstrip(", ")
    return names


@dataclass(slots=True)
class _Body:
    """Columns of a table, with the indexes of its totals, possible totals and hidden rows."""

    columns: list[Column]
    notes: list[Note] = field(default_factory=list)
    kinds: dict[int, int] = field(default_factory=dict)  # HIDDEN or DOUBTFUL by row; ordinary rows are missing
    totals: list[int] = field(default_factory=list)


def _store(table: FoundTable, name: str) -> StoredTable:
    width = len(table.columns)
    if width > MOST_COLUMNS:
        raise _TableTooLargeError(f"{width:,} columns; up to {MOST_COLUMNS} can be asked about")
    if width * len(table.rows) > _MOST_CELLS:
        raise _TableTooLargeError(f"{width * len(table.rows):,} cells; up to {_MOST_CELLS:,} can be asked about")
    body = _read_body(table)
    totals = set(body.totals)
    keep = [at for at in range(len(table.rows)) if at not in totals] if totals else None
    size = len(table.rows) if keep is None else len(keep)
    grid = table.grid
    numbers = [grid.numbers[at] for at in table.rows]
    stored: list[ParquetColumn] = []
    for at, column in enumerate(body.columns):
        stored += [_take(part, keep) for part in _encode_column(at, column)]
    kinds = [body.kinds.get(at, 0) for at in range(len(table.rows))] if body.kinds else []
    if kinds:
        stored.append(_take(ParquetColumn("kind", "int", kinds), keep))
    kept_numbers = numbers if keep is None else [numbers[at] for at in keep]
    consecutive = kept_numbers == list(range(kept_numbers[0], kept_numbers[0] + size)) if kept_numbers else True
    if not consecutive:
        stored.append(ParquetColumn("row", "int", kept_numbers))
    facts: dict[str, Any] = {
        "title": table.title,
        "headings": list(grid.headings),
        "within": grid.within,
        "unit": grid.unit,
        "first": kept_numbers[0] if kept_numbers else 0,
        "numbered": not consecutive,
        "rows": size,
        "torn": len(table.torn),
        "hidden": sum(kind == HIDDEN and at not in totals for at, kind in body.kinds.items()),
        "doubtful": [numbers[at] for at, kind in sorted(body.kinds.items()) if kind == DOUBTFUL],
        "columns": [_describe(column, keep) for column in body.columns],
        "notes": body.notes[:_MOST_NOTES],
    }
    return StoredTable(name, json.dumps(facts, ensure_ascii=False), write_parquet(stored, size))


def _take(column: ParquetColumn, keep: Sequence[int] | None) -> ParquetColumn:
    if keep is None:
        return column
    return ParquetColumn(column.name, column.kind, [column.values[at] for at in keep])


def _encode_column(at: int, column: Column) -> list[ParquetColumn]:
    """Build the file columns for a column of the table."""
    kind: Any = "double" if column.is_numeric else "text"
    parts = [ParquetColumn(f"c{at}", kind, column.values)]
    if column.shown is not None:
        parts.append(ParquetColumn(f"s{at}", "text", column.shown))
    if column.labels is not None:
        parts.append(ParquetColumn(f"l{at}", kind, column.labels))
    if column.units is not None:
        parts.append(ParquetColumn(f"u{at}", "text", column.units))
    return parts


def _describe(column: Column, keep: Sequence[int] | None) -> dict[str, Any]:
    """Return the facts about a column: type, unit, values, range, and the counts of empty and unread cells.

    Args:
        column: The column.
        keep: Indexes of the rows that are no totals, or None for all rows.
    """
    labels = column.labels or column.values
    values = labels if keep is None else [labels[at] for at in keep]
    distinct: dict[Any, None] = dict.fromkeys(values)
    distinct.pop(None, None)
    kept_parts = (("s", column.shown), ("l", column.labels), ("u", column.units))
    sampled = range(len(column.samples)) if keep is None else [at for at in keep[:3] if at < len(column.samples)]
    return {
        "name": column.name,
        "type": column.type,
        "unit": column.unit,
        "distinct": len(distinct),
        "values": [*map(str, islice(distinct, _KNOWN_VALUES))] if column.type == "text" else [],
        "range": [min(distinct), max(distinct)] if distinct and column.type in ORDERED else [],
        "samples": [column.samples[at] for at in sampled][:3],
        "empty": max(0, values.count(None) - column.unread),
        "unread": column.unread,
        "examples": column.examples,
        "mixed": list(column.mixed),
        "doubt": list(column.doubt) if column.doubt else [],
        "filter_doubt": column.filter_doubt,
        "hidden": column.hidden,
        "template": column.template,
        "parts": "".join(mark for mark, part in kept_parts if part is not None),
    }


# -- bodies -------------------------------------------------------------------------------------------------------


def _read_body(table: FoundTable) -> _Body:
    """Read the columns of a table, and find its totals, possible totals and hidden rows, with notes on them."""
    size, width = len(table.rows), len(table.columns)
    body = _Body([])
    rows = _RowFacts(size)
    step = max(1, _CELLS_AT_ONCE // max(size, 1))
    for start in range(0, width, step):
        part = table.columns[start : start + step]
        for at, cells in enumerate(table.read_columns(part), start):
            column = read_column(table.header[at], cells, delimiter=table.grid.delimiter)
            if column.type == "text" or column.unread or not set(map(type, cells)) <= {str}:
                rows.add(cells)
            column.hidden = table.columns[at] in table.grid.hidden_columns
            column.dropped = column.empty == size and table.header[at] == f"column {at + 1}"
            body.columns.append(column)
    cut = next((column.cut for column in body.columns if column.cut is not None), None)
    if cut is not None:
        body.notes.append(("cut", table.grid.locate(table.rows[cut]), LONGEST_CELL))
    standings = _find_totals(table, body, rows)
    for at, standing in sorted(standings.items()):
        place = table.grid.locate(table.rows[at])
        if standing == "total":
            body.totals.append(at)
            body.notes.append(("total", place))
        else:
            body.kinds[at] = DOUBTFUL
    if table.grid.hidden_rows:
        for at, index in enumerate(table.rows):
            if index in table.grid.hidden_rows:
                body.kinds.setdefault(at, HIDDEN)
    named = [at for at, key in rows.keys.items() if at not in standings and is_total_name(key)]
    for at in named[:3]:
        text = one_line(rows.keys[at], 40)
        body.notes.append(("not_total", table.grid.locate(table.rows[at]), text))
    if table.torn:
        place, more = table.grid.locate(table.torn[0]), len(table.torn) - 1
        body.notes.append(("torn_many", place, more) if more else ("torn", place))
    _fill_groups(body, set(body.totals))
    _add_sections(table, body)
    body.columns = [column for column in body.columns if not column.dropped]
    return body


class _RowFacts:
    """Signs by which rows may be totals (words, bold type, formulas, blank cells), collected column by column."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.keys: dict[int, str] = {}  # texts of a row that contain a word for a total
        self.bold: dict[int, bool] = {}
        self.formulas: dict[int, list[str]] = {}
        self.blank: list[set[int]] = []  # empty cells of each text column, or no cells if over a quarter is empty

    def add(self, cells: Sequence[Cell | str]) -> None:
        """Gather the signs in a column."""
        if set(map(type, cells)) <= {str}:
            self._add_texts(cells)  # type: ignore[arg-type]  # no other is there
            return
        blank: set[int] = set()
        texts = 0
        for at, cell in enumerate(cells):
            if isinstance(cell, str):
                if not cell.strip():
                    blank.add(at)
                elif not cell[0].isdigit():
                    texts += 1
                    if is_total_name(cell):
                        self._name(at, cell)
                continue
            if not cell.shown.strip():
                blank.add(at)
                continue
            self.bold[at] = self.bold.get(at, True) and cell.bold
            if cell.formula:
                self.formulas.setdefault(at, []).append(cell.formula)
            if isinstance(cell.value, str):
                texts += 1
                if is_total_name(cell.value):
                    self._name(at, cell.value)
        if texts * 2 > self.size:
            self.blank.append(blank if len(blank) * 4 <= self.size else set())

    def _add_texts(self, cells: Sequence[str]) -> None:
        """Gather the signs in a column of plain texts, examining each distinct text once."""
        distinct = dict.fromkeys(cells)
        words = [text for text in distinct if text[:1] not in _FIGURES]
        named = {text for text in words if is_total_name(text)}
        blanks = {text for text in distinct if not text or text.isspace()}
        few = {at for at, text in enumerate(cells) if text in blanks} if blanks else set()
        for at, text in enumerate(cells) if named else ():
            if text in named:
                self._name(at, text)
        if len(words) * 2 > len(distinct):
            self.blank.append(few if len(few) * 4 <= self.size else set())

    def _name(self, at: int, text: str) -> None:
        self.keys[at] = f"{self.keys[at]} {text}" if at in self.keys else text

    def list_candidates(self, table: FoundTable) -> dict[int, BodyRow]:
        """Return the rows with a sign of a total, and the last row, by index."""
        ruled = {at for at, index in enumerate(table.rows) if index in table.ruled} if table.ruled else set()
        bold = {at for at, flag in self.bold.items() if flag}
        if len(bold) * 2 > self.size:
            bold = set()
        empty = set().union(*self.blank) if self.blank else set()
        signs = {*self.keys, *self.formulas, *bold, *ruled, *empty, self.size - 1}
        return {
            at: BodyRow(
                self.keys.get(at, ""),
                table.grid.numbers[table.rows[at]],
                bold=at in bold,
                ruled=at in ruled,
                empty_key=at in empty,
                formulas=tuple(self.formulas.get(at, ())),
            )
            for at in signs
        }


def _find_totals(table: FoundTable, body: _Body, rows: _RowFacts) -> dict[int, Standing]:
    numbers = [column.values for column in body.columns if column.is_numeric and not column.doubt]
    if len(table.rows) < 2 or not numbers:
        return {}
    return find_totals(len(table.rows), rows.list_candidates(table), numbers)  # type: ignore[arg-type]  # numeric


def _fill_groups(body: _Body, totals: set[int]) -> None:
    """Fill the blank cells of a first column that states the label of a group of rows only in the first of them.

    "Rome", blank, blank, "Paris", blank → "Rome" three times, "Paris" twice. This requires distinct labels and at least
    `_MANY_BLANKS` blank cells. With fewer, from `_FEW_BLANKS` on, the values might as well be missing: the column gets
    a `filter_doubt`.
    """
    if len(body.columns) < 2 or body.columns[0].type != "text" or body.columns[0].labels is not None:
        return
    column, second = body.columns[0], body.columns[1]
    rows = [at for at in range(len(column.values)) if at not in totals]
    blanks = [at for at in rows if column.values[at] is None]
    labels = [column.values[at] for at in rows if column.values[at] is not None]
    share = len(blanks) / len(rows) if rows else 0.0
    if share <= _FEW_BLANKS or not labels or any(second.values[at] is None for at in blanks):
        return
    if share < _MANY_BLANKS or len(set(labels)) < len(labels) or column.values[rows[0]] is None:
        column.filter_doubt = "blank cells below a label may belong to it or lack a value"
        return
    label: Any = None
    values = list(column.values)
    for at in rows:
        label = values[at] = values[at] if values[at] is not None else label
    column.values = values
    body.notes.append(("group_filled", column.name))


def _add_sections(table: FoundTable, body: _Body) -> None:
    """Add a column "section" with the section title above each row, if the table has section titles."""
    if not table.sections:
        return
    title = ""
    values: list[str | None] = []
    for index in table.rows:
        title = table.sections.get(index, title)
        values.append(title or None)
    names = {fold_value(column.name) for column in body.columns}
    body.columns.append(Column("section" if "section" not in names else "section of the table", values=values))
