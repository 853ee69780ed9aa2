"""Stored tables of an index: list, metadata and data."""

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from weiwo.tools.corpus.index.store import LIVE
from weiwo.tools.corpus.records import READER
from weiwo.tools.corpus.source_names import strip_part

_TABULAR: Final = ("csv", "json", "xlsx", "ods", "xls", "xlsb")
"""Types of documents that consist of tables."""


@dataclass(frozen=True, slots=True)
class TableEntry:
    """A stored table, without data.

    Attributes:
        id: Number of the table, new each time its document is read. 0 if the data are not stored.
        name: Name of the table.
        source: Name of its document in citations.
        date: Date that the document states.
        size: Bytes of its data.
        title: Title of its document.
        facts: Metadata as written by `weiwo.tools.tables.table_store`. None if the document must be indexed again
            before the table can be queried.
    """

    id: int
    name: str
    source: str
    date: str | None
    size: int
    title: str
    facts: Mapping[str, Any] | None


def list_tables(connection: sqlite3.Connection, at: int) -> list[TableEntry]:
    """List the tables of a generation, by document.

    Tabular documents read by an older version of the readers come last, without facts.
    """
    found = connection.execute(
        "SELECT tables.id, name, source, date, length(data), title, facts FROM documents"  # noqa: S608  # constants only
        f" JOIN tables ON document = documents.id WHERE {LIVE} ORDER BY source, tables.id",  # constants only
        {"at": at},
    ).fetchall()
    kinds = ", ".join(f"'{kind}'" for kind in _TABULAR)
    outdated = connection.execute(
        f"SELECT title, source, path, date FROM documents WHERE {LIVE} AND type IN ({kinds}) AND reader < :reader",  # noqa: S608  # constants only
        {"at": at, "reader": READER},
    ).fetchall()
    listed = [TableEntry(row[0], row[1], row[2], row[3], row[4], row[5], json.loads(row[6])) for row in found]
    listed += [
        TableEntry(0, row[0], row[1], row[3], 0, row[0], None) for row in outdated if strip_part(row[2]) == row[2]
    ]
    return listed


def read_table(connection: sqlite3.Connection, number: int) -> bytes | None:
    """Return the Parquet data of a table, or None if deleted meanwhile."""
    row = connection.execute("SELECT data FROM tables WHERE id = ?", (number,)).fetchone()
    return None if row is None else bytes(row[0])
