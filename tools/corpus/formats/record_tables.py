"""Tables from records: lists of JSON objects become tables with the keys as columns. Numbers stay numbers."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, overload

from weiwo.state.table import Cell, Row, Table

_MOST_KEYS: Final = 500
_MOST_DEPTH: Final = 8
_FEWEST: Final = 2
_SHARE: Final = 0.25
"""Minimum share of the records that have a key for it to be a column."""
_LONG: Final = 400
"""Maximum average length of the texts under a key. Longer texts are documents, not cells."""
_MOST_TABLES: Final = 100


class RecordKeys:
    """Counter of the keys of records and of the lengths of their values, which chooses the columns of a table."""

    def __init__(self) -> None:
        self.count = 0
        self._found: Counter[str] = Counter()
        self._lengths: Counter[str] = Counter()

    def add(self, record: Mapping[str, Any]) -> None:
        """Count the keys of a record."""
        self.count += 1
        for key, value in flatten_record(record).items():
            if value not in (None, ""):
                self._found[key] += 1
                self._lengths[key] += len(value) if isinstance(value, str) else 0

    def choose(self) -> list[str]:
        """Return the keys to use as columns, or an empty list if the records form no table."""
        if self.count < _FEWEST:
            return []
        keys = [key for key, count in self._found.items() if count >= _SHARE * self.count]
        keys = [key for key in keys if self._lengths[key] <= _LONG * self._found[key]]
        return keys if _FEWEST <= len(keys) <= _MOST_KEYS else []


class RecordLines(Sequence[Row]):
    """JSON line records as table rows below a header of keys, parsed on access."""

    def __init__(self, keys: Sequence[str], texts: Sequence[str]) -> None:
        self._keys, self._texts = list(keys), texts

    def __len__(self) -> int:
        return len(self._texts) + 1

    @overload
    def __getitem__(self, at: int) -> Row: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Row]: ...
    def __getitem__(self, at: int | slice) -> Row | Sequence[Row]:
        """Return the cells of a row or of several rows. The first row holds the keys."""
        if isinstance(at, slice):
            return [self[index] for index in range(*at.indices(len(self)))]
        if at < 0:
            at += len(self)
        return self._keys if at == 0 else make_row(json.loads(self._texts[at - 1]), self._keys)

    def __iter__(self) -> Iterator[Row]:
        yield self._keys
        for text in self._texts:
            yield make_row(json.loads(text), self._keys)


def find_record_tables(value: Any) -> list[Table]:
    """Return the lists of records in a JSON document as tables, at most `_MOST_TABLES`."""
    return [table for table, _ in zip(_find_lists(value, (), 0), range(_MOST_TABLES), strict=False)]


def _find_lists(value: Any, path: tuple[str, ...], depth: int) -> Iterator[Table]:
    if depth > _MOST_DEPTH:
        return
    if isinstance(value, dict):
        for key, below in value.items():
            if isinstance(below, dict | list):
                yield from _find_lists(below, (*path, str(key)), depth + 1)
    elif isinstance(value, list):
        records = [item for item in value if isinstance(item, dict)]
        keys = RecordKeys()
        for record in records:
            keys.add(record)
        if len(records) == len(value) and (columns := keys.choose()):
            rows: list[Row] = [columns, *(make_row(record, columns) for record in records)]
            name = path[-1] if path else ""
            yield Table(name, rows, range(len(rows)), "record", "/".join(path), header_rows=1, headings=path)


def flatten_record(record: Mapping[str, Any], name: str = "", depth: int = 0) -> dict[str, Any]:
    """Return the fields of a record, with nested names joined by a dot.

    `{"a": {"b": 1}, "c": [1, 2]}` → `{"a.b": 1, "c": "1, 2"}`. A list of plain values becomes a text, joined by commas.
    A list that holds objects or lists is left out.
    """
    found: dict[str, Any] = {}
    for key, value in record.items():
        path = f"{name}.{key}" if name else str(key)
        if isinstance(value, dict) and depth < _MOST_DEPTH:
            found |= flatten_record(value, path, depth + 1)
        elif isinstance(value, list):
            if not any(isinstance(item, dict | list) for item in value):
                found[path] = ", ".join(str(item) for item in value if item is not None)
        else:
            found[path] = value
    return found


def make_row(record: Mapping[str, Any], keys: Sequence[str]) -> list[Cell | str]:
    """Return the cells of a record under the given keys."""
    fields = flatten_record(record)
    return [_make_cell(fields.get(key)) for key in keys]


def _make_cell(value: Any) -> Cell | str:
    if isinstance(value, bool):
        return Cell(value, "true" if value else "false")
    if isinstance(value, int | float):
        return Cell(value, str(value))
    return "" if value is None else str(value)
