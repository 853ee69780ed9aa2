"""Queries of the document store, on a connection whose reads all see the same state.

Whatever may be dead takes the generation to look at.
"""

import json
import sqlite3
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from weiwo.state import Evidence

LIVE: Final = "born <= :at AND (died IS NULL OR died > :at)"
"""Which documents a reader at a generation sees."""


class PassageRow(NamedTuple):
    """The row of a passage, as far as ranking needs it.

    Attributes:
        id: Its number.
        document: Its document's number.
        hash: The hash of its text; equal texts are shown once.
        title_key: Its document's title, as `weiwo.text.mentions` compares titles.
        date: Its document's date, if any.
    """

    id: int
    document: int
    hash: str
    title_key: str
    date: str | None


def read_generation(connection: sqlite3.Connection) -> int:
    """The number of batches taken over, as a connection sees it."""
    found: int = connection.execute("SELECT value FROM meta WHERE name = 'generation'").fetchone()[0]
    return found


def count_passages(connection: sqlite3.Connection, at: int) -> int:
    """The number of passages at a generation."""
    row = connection.execute(f"SELECT coalesce(sum(count), 0) FROM documents WHERE {LIVE}", {"at": at})  # noqa: S608  # constants only
    found: int = row.fetchone()[0]
    return found


def list_documents(connection: sqlite3.Connection, at: int) -> dict[str, tuple[int, str, range]]:
    """Number, title and passages of each document at a generation, by source, in that order."""
    rows = connection.execute(
        f"SELECT source, id, title, first, count FROM documents WHERE {LIVE} ORDER BY source",  # noqa: S608  # constants only
        {"at": at},
    )
    return {source: (number, title, range(first, first + count)) for source, number, title, first, count in rows}


def read_rows(connection: sqlite3.Connection, ids: Iterable[int]) -> dict[int, PassageRow]:
    """The rows of passages, by number; a passage that was buried is left out."""
    rows = connection.execute(
        "SELECT passages.id, document, hash, title_key, date FROM json_each(?)"
        " CROSS JOIN passages ON passages.id = value CROSS JOIN documents ON documents.id = document",
        (json.dumps(list(ids)),),
    )
    return {row[0]: PassageRow(*row) for row in rows}


def find_titles(
    connection: sqlite3.Connection, keys: Iterable[str], at: int, most: int
) -> dict[str, list[tuple[int, range]]]:
    """The documents, and their passages, whose titles are among the keys; a title of more than `most` is left out."""
    found: dict[str, list[tuple[int, range]]] = {}
    rows = connection.execute(
        "SELECT title_key, documents.id, first, count FROM json_each(:keys) CROSS JOIN documents ON title_key = value"  # noqa: S608  # constants only
        f" WHERE {LIVE}",  # constants only
        {"keys": json.dumps(list(keys), ensure_ascii=False), "at": at},
    )
    for key, number, first, count in rows:
        found.setdefault(key, []).append((number, range(first, first + count)))
    return {key: those for key, those in found.items() if len(those) <= most}


def read_texts(connection: sqlite3.Connection, ids: Sequence[int]) -> dict[int, str]:
    """The text of passages, by number."""
    rows = connection.execute(
        "SELECT passages.id, text FROM json_each(?) CROSS JOIN passages ON passages.id = value",
        (json.dumps(list(ids)),),
    )
    return dict(rows.fetchall())


def read_evidence(connection: sqlite3.Connection, ids: Sequence[int]) -> dict[int, "Evidence"]:
    """Passages as evidence, unranked, by number."""
    from weiwo.state.evidence import FILE_DATE, Evidence  # noqa: PLC0415 - `weiwo corpora` reads a store without

    rows = connection.execute(
        "SELECT passages.id, hash, text, source, title, locator, date, modified_ns FROM json_each(?)"
        " CROSS JOIN passages ON passages.id = value CROSS JOIN documents ON documents.id = document",
        (json.dumps(list(ids)),),
    )
    return {  # what was validated when it was written is not validated again
        number: Evidence.model_construct(
            id=key,
            text=text,
            source=source,
            title=title,
            locator=locator,
            date=date or file_date(modified),
            flags=() if date or not modified else (FILE_DATE,),
        )
        for number, key, text, source, title, locator, date, modified in rows
    }


def file_date(modified_ns: int) -> str | None:
    """The day a file was changed last; None of what is no file."""
    return datetime.fromtimestamp(modified_ns / 1e9, UTC).date().isoformat() if modified_ns > 0 else None
