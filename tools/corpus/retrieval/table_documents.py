"""Documents with tables: which there are in an index, and all their passages in order, none merged with its equal."""

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from weiwo.tools.corpus.index.store import LIVE
from weiwo.tools.corpus.source_names import mark_part, strip_part

_TABULAR: Final = ("csv", "xlsx", "ods", "json")
"""Types of documents that are tables as a whole."""
_MOST_LOOKED_THROUGH: Final = 50_000
"""Passages of a corpus among which tables within texts are looked for; of a larger one, only what is a table counts."""


@dataclass(frozen=True, slots=True)
class TableDocument:
    """A document that may hold tables, with its parts in order."""

    source: str  # its name in citations
    kind: str  # its type
    date: str | None  # the date it states
    size: int  # characters of its passages
    parts: tuple[tuple[int, int, int, str], ...]  # of each: its number, its first passage, how many, its source

    @property
    def key(self) -> str:
        """What identifies its content: a document that is read again has other numbers."""
        return f"{self.source}\0{','.join(str(part[0]) for part in self.parts)}"


def list_table_documents(connection: sqlite3.Connection, at: int) -> list[TableDocument]:
    """The documents with tables at a generation, by name; their sizes are not known yet."""
    columns = "documents.id, path, source, type, date, first, count"
    kinds = ", ".join(f"'{kind}'" for kind in _TABULAR)
    rows = connection.execute(
        f"SELECT {columns} FROM documents WHERE {LIVE} AND type IN ({kinds})",  # noqa: S608  # constants only
        {"at": at},
    ).fetchall()
    total = connection.execute(
        f"SELECT coalesce(sum(count), 0) FROM documents WHERE {LIVE} AND type NOT IN ({kinds})",  # noqa: S608  # the same
        {"at": at},
    ).fetchone()[0]
    if total <= _MOST_LOOKED_THROUGH:
        rows += connection.execute(
            f"SELECT DISTINCT {columns} FROM documents JOIN passages ON passages.id BETWEEN first AND first + count - 1"  # noqa: S608
            f" WHERE {LIVE} AND type NOT IN ({kinds}) AND text GLOB '*|*---*|*'",
            {"at": at},
        ).fetchall()
    grouped: dict[str, list[tuple[Any, ...]]] = {}
    for row in rows:
        grouped.setdefault(strip_part(row[1]), []).append(row)
    return sorted((_join_parts(group) for group in grouped.values()), key=lambda one: one.source)


def _join_parts(rows: list[tuple[Any, ...]]) -> TableDocument:
    """A document with its parts in the order of its file: the part without a key is its beginning."""
    rows.sort(key=lambda row: int(mark[2:]) if (mark := mark_part(row[1]))[2:].isdecimal() else 0)
    _, path, source, kind, date, *_ = rows[0]
    whole = source.removesuffix(mark_part(path))
    return TableDocument(whole, kind, date, 0, tuple((row[0], row[5], row[6], row[2]) for row in rows))


def measure_document(connection: sqlite3.Connection, document: TableDocument) -> int:
    """The characters of a document's passages."""
    spans = [[first, first + count - 1] for _, first, count, _ in document.parts]
    row = connection.execute(
        "SELECT coalesce(sum(length(text)), 0) FROM json_each(?) CROSS JOIN passages"
        " ON passages.id BETWEEN json_extract(value, '$[0]') AND json_extract(value, '$[1]')",
        (json.dumps(spans),),
    ).fetchone()
    size: int = row[0]
    return size


def read_table_passages(
    connection: sqlite3.Connection, document: TableDocument, names: dict[str, str]
) -> list[Sequence[Any]]:
    """The passages of a document in order: text, headings, locator, first and last line, page, source."""
    found: list[Sequence[Any]] = []
    for number, first, count, source in document.parts:
        rows = connection.execute(
            "SELECT text, headings, locator, first_line, last_line, page FROM passages"
            " WHERE id BETWEEN ? AND ? AND document = ? ORDER BY id",
            (first, first + count - 1, number),
        )
        shown = names.get(source, source)
        found += [(text, json.loads(headings), *rest, shown) for text, headings, *rest in rows]
    return found
