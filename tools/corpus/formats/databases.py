"""Single-file databases: SQLite and Parquet tables.

SQLite is read by the standard library from the bytes of the file, without the file system. Its content is data, and its
views and triggers are never run. Parquet is read by DuckDB, which may open that one file and no other.
"""

import json
import sqlite3
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import date, timedelta
from datetime import time as clock_time
from decimal import Decimal
from importlib import import_module
from typing import Any, BinaryIO, Final

from weiwo.state.table import Cell, Row, Table
from weiwo.tools.corpus.formats.encodings import UnreadableError
from weiwo.tools.corpus.formats.parts import Part, clean_text, split_parts
from weiwo.tools.corpus.formats.table_rows import MOST_COLUMNS, join_rows, make_sheet_passages
from weiwo.tools.corpus.losses import Loss, count_places
from weiwo.tools.corpus.records import Passage
from weiwo.tools.tables.number_format import render_general

_MOST_ROWS: Final = 200_000
"""Maximum number of rows read from all tables of a file together."""
_MOST_TABLES: Final = 200
_MOST_SECONDS: Final = 60.0
_LONGEST_VALUE: Final = 20_000
_LONGEST_STATEMENT: Final = 100_000
_STEPS: Final = 10_000
"""SQLite instructions between two checks of the time limit."""
_MAGIC: Final = b"SQLite format 3\x00"
_VERSIONS: Final = slice(18, 20)
"""Header bytes of a SQLite file that state write-ahead logging. They are reset: a copy in memory has no log."""
_ALLOWED: Final = frozenset(
    {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_PRAGMA}
)


class _TableCollector:
    """Collector for the tables of a file, within limits of rows and time."""

    def __init__(self) -> None:
        self.tables: list[Table] = []
        self.losses: list[Loss] = []
        self._left = _MOST_ROWS
        self.deadline = time.monotonic() + _MOST_SECONDS

    def add(self, name: str, columns: Sequence[str], rows: Iterator[Sequence[Any]]) -> None:
        """Add a table, with the column names as the header. Rows beyond the limit are a loss.

        Raises:
            UnreadableError: Reading takes too long.
        """
        kept: list[Row] = [[clean_text(column) for column in columns[:MOST_COLUMNS]]]
        for row in rows:
            if self._left <= 0:
                self.losses += [Loss("rows_beyond_limit", 1, (name, f"{_MOST_ROWS:,}"))]
                break
            if time.monotonic() > self.deadline:
                raise UnreadableError(f"takes more than {_MOST_SECONDS:.0f} seconds")
            self._left -= 1
            kept.append([_make_cell(value) for value in row[:MOST_COLUMNS]])
        self.tables.append(Table(name, kept, range(len(kept)), "row", f"table {name}", header_rows=1))

    def make_parts(self, name: str) -> Iterator[Part]:
        """Yield the parts of a file, with the rows of its tables as passages.

        Raises:
            UnreadableError: There is no table.
        """
        if not self.tables:
            raise UnreadableError("it contains no table")

        def list_passages() -> Iterator[Passage]:
            for number, table in enumerate(self.tables, 1):
                for passage in make_sheet_passages(join_rows(table), table.name, number):
                    yield replace(passage, locator=passage.locator.replace("sheet ", "table ", 1))

        return split_parts(list_passages(), name, losses=self.losses, tables=self.tables)


def _make_cell(value: Any) -> Cell | str:
    if value is None:
        return ""
    if isinstance(value, str):
        return clean_text(value[:_LONGEST_VALUE])
    if isinstance(value, bytes | bytearray | memoryview):
        return f"({len(value):,} bytes)"
    if isinstance(value, Decimal):
        value = float(value)
    if isinstance(value, bool):
        return Cell(value, "TRUE" if value else "FALSE")
    if isinstance(value, int | float):
        return Cell(value, render_general(value))
    if isinstance(value, date | clock_time | timedelta):
        return Cell(value, str(value).removesuffix("+00:00"))
    return clean_text(json.dumps(value, ensure_ascii=False, default=str)[:_LONGEST_VALUE])


def read_sqlite(file: BinaryIO, name: str) -> Iterator[Part]:
    """Read the tables of a SQLite database, without running views.

    Views are only named, since they would have to be run.

    Raises:
        UnreadableError: The database is damaged, encrypted, takes too long or has no table.
    """
    data = bytearray(file.read())
    if not data.startswith(_MAGIC):
        raise UnreadableError("encrypted, or not an SQLite database")
    data[_VERSIONS] = b"\x01\x01"
    found = _TableCollector()
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as database:
        try:
            database.deserialize(bytes(data))
            for pragma in ("trusted_schema = OFF", "query_only = ON", "cell_size_check = ON", "mmap_size = 0"):
                database.execute(f"PRAGMA {pragma}")
            database.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
            database.setlimit(sqlite3.SQLITE_LIMIT_SQL_LENGTH, _LONGEST_STATEMENT)
            database.set_authorizer(lambda action, *_: sqlite3.SQLITE_OK if action in _ALLOWED else sqlite3.SQLITE_DENY)
            database.set_progress_handler(lambda: time.monotonic() > found.deadline, _STEPS)
            database.text_factory = lambda text: text.decode("utf-8", "replace")
            _collect_sqlite(database, found)
        except sqlite3.Error as error:
            if not found.tables:
                raise UnreadableError(f"damaged database: {error}") from None
            found.losses.append(Loss("other", 1, (f"damaged database: {error}",)))
    return found.make_parts(name)


def _collect_sqlite(database: sqlite3.Connection, found: _TableCollector) -> None:
    listed = database.execute("SELECT type, name, sql FROM sqlite_master ORDER BY rowid").fetchall()
    unread = []
    for kind, name, statement in listed[: 10 * _MOST_TABLES]:
        virtual = str(statement or "").lstrip().upper().startswith("CREATE VIRTUAL")
        if kind == "view" or (kind == "table" and virtual):
            unread.append(name)
        elif kind == "table" and not name.startswith("sqlite_") and len(found.tables) < _MOST_TABLES:
            quoted = name.replace('"', '""')
            rows = database.execute(f'SELECT * FROM "{quoted}"')  # noqa: S608 - a quoted name, in a database of its own
            found.add(name, [column[0] for column in rows.description], iter(rows.fetchone, None))
    found.losses += count_places("views_not_read", unread)


def read_parquet(file: BinaryIO, name: str) -> Iterator[Part]:
    """Read a Parquet file as a single table.

    Raises:
        UnreadableError: The file is damaged, or DuckDB is not installed.
    """
    try:
        duckdb = import_module("duckdb")
    except ImportError:
        raise UnreadableError("needs DuckDB: pip install 'weiwo[tables]'", passing=True) from None
    found = _TableCollector()
    with tempfile.NamedTemporaryFile(suffix=".parquet") as copy, duckdb.connect(":memory:") as database:
        while piece := file.read(1_000_000):
            copy.write(piece)
        copy.flush()
        database.execute("SET threads = 1")
        database.execute("SET allowed_paths = [$path]".replace("$path", f"'{copy.name.replace(chr(39), chr(39) * 2)}'"))
        for setting in ("enable_external_access = false", "lock_configuration = true"):
            database.execute(f"SET {setting}")
        try:
            rows = database.execute("SELECT * FROM read_parquet(?)", [copy.name])
            found.add(name, [column[0] for column in rows.description], iter(rows.fetchone, None))
        except duckdb.Error as error:
            raise UnreadableError(f"damaged Parquet file: {str(error).partition(chr(10))[0][:150]}") from None
    return found.make_parts(name)
