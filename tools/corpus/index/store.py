"""Document store: documents and passages of a corpus in SQLite, the source of truth.

The text in a document's row, its passages included, never changes. A document that is read again gets a new row, and
the old row is marked as dead. `born` and `died` are generations: the number of the batch of changes that added or
replaced the row. A reader at generation g sees the rows with born <= g < died. So the keyword index may lag behind
without ever showing half a change, and its missing part is known from these columns alone. Dead rows are deleted once
the keyword index no longer refers to them.

The store uses write-ahead logging, so that readers are never blocked and each read sees one state. Reading is safe from
any thread, and writing needs the lock of `writer`. Queries that may meet dead rows take the generation to read.
"""

import json
import sqlite3
import weakref
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from queue import Empty, LifoQueue
from typing import TYPE_CHECKING, Final, NamedTuple

from weiwo.tools.corpus.base import CorpusError, Problem
from weiwo.tools.corpus.losses import decode_losses
from weiwo.tools.corpus.records import READER, KnownFile
from weiwo.tools.sqlite_files import open_database, use_write_ahead_log

if TYPE_CHECKING:
    from weiwo.state import Evidence

STORE: Final = "corpus.sqlite"
"""Name of the SQLite file in a corpus folder."""
VERSION: Final = 2
"""Version of the tables."""

_SCHEMA: Final = """
CREATE TABLE meta(name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO meta VALUES ('generation', 0), ('identity', abs(random()));
CREATE TABLE documents(
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    path TEXT NOT NULL, source TEXT NOT NULL, sha256 TEXT NOT NULL, size INTEGER NOT NULL,
    modified_ns INTEGER NOT NULL, title TEXT NOT NULL, title_key TEXT NOT NULL, type TEXT NOT NULL,
    language TEXT NOT NULL, date TEXT,
    first INTEGER NOT NULL, count INTEGER NOT NULL,  -- its passages are first, first + 1, ... count of them
    born INTEGER NOT NULL, died INTEGER,
    losses TEXT NOT NULL DEFAULT '', -- as `encode_losses` writes them
    reader INTEGER NOT NULL DEFAULT 0 -- which made its passages: the `READER` of that day
);
CREATE UNIQUE INDEX live_paths ON documents(path) WHERE died IS NULL;
CREATE UNIQUE INDEX live_sources ON documents(source) WHERE died IS NULL;
CREATE INDEX born ON documents(born);
CREATE INDEX dead ON documents(died) WHERE died IS NOT NULL;
CREATE INDEX titles ON documents(title_key);
CREATE INDEX lossy ON documents(source) WHERE losses <> '';
CREATE TABLE passages(
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    document INTEGER NOT NULL,
    hash TEXT NOT NULL,   -- passage_id of the text
    key BLOB NOT NULL,    -- of what is embedded: title, headings and text
    headings TEXT NOT NULL,  -- a JSON list
    locator TEXT NOT NULL, first_line INTEGER NOT NULL, last_line INTEGER NOT NULL, page INTEGER,
    text TEXT NOT NULL,
    context TEXT NOT NULL DEFAULT '{}'  -- a JSON object: caption, sender and the like
);
CREATE TABLE failures(
    path TEXT PRIMARY KEY, source TEXT NOT NULL, sha256 TEXT NOT NULL, size INTEGER NOT NULL,
    modified_ns INTEGER NOT NULL, problem TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE models(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, dimension INTEGER NOT NULL);
CREATE TABLE vectors(
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    model INTEGER NOT NULL, key BLOB NOT NULL,
    vector BLOB NOT NULL,  -- float16, little-endian, of length one
    UNIQUE(model, key)
);
"""
_LOSSES: Final = """
ALTER TABLE documents ADD COLUMN losses TEXT NOT NULL DEFAULT '';
ALTER TABLE documents ADD COLUMN reader INTEGER NOT NULL DEFAULT 0;
CREATE INDEX lossy ON documents(source) WHERE losses <> '';
"""
"""Upgrade of a store of Weiwo 0.1."""
_TABLES: Final = """
CREATE TABLE tables(
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    document INTEGER NOT NULL,
    name TEXT NOT NULL,
    facts TEXT NOT NULL,  -- what is known of it, as `table_store` writes it
    data BLOB NOT NULL    -- its typed columns: a Parquet file
);
CREATE INDEX tables_of ON tables(document);
"""
_CONTEXT: Final = "ALTER TABLE passages ADD COLUMN context TEXT NOT NULL DEFAULT '{}'"
"""Upgrade of a store of version 1."""
LIVE: Final = "born <= :at AND (died IS NULL OR died > :at)"
"""SQL condition for the documents visible at the generation `:at`."""

_BUSY_SECONDS: Final = 30.0
_IDLE_CONNECTIONS: Final = 8
_MAPPED_BYTES: Final = 1 << 30
"""Bytes of the file that SQLite maps into memory. A search looks up hundreds of rows all over the file. With a system
call for each, it would be six times as slow at a million passages."""


class PassageRow(NamedTuple):
    """The row of a passage, with the columns needed for ranking."""

    id: int  # number of the passage
    document: int  # number of its document
    hash: str  # hash of the text; equal texts are shown once
    title_key: str  # title of the document, as `weiwo.text.mentions` compares titles
    source: str  # name of the document in citations


def read_generation(connection: sqlite3.Connection) -> int:
    """Return the generation: the number of applied batches, as seen by a connection."""
    found: int = connection.execute("SELECT value FROM meta WHERE name = 'generation'").fetchone()[0]
    return found


def count_passages(connection: sqlite3.Connection, at: int) -> int:
    """Return the number of passages visible at a generation."""
    row = connection.execute(f"SELECT coalesce(sum(count), 0) FROM documents WHERE {LIVE}", {"at": at})  # noqa: S608  # constants only
    found: int = row.fetchone()[0]
    return found


def list_documents(connection: sqlite3.Connection, at: int) -> dict[str, tuple[int, str, range]]:
    """Return the number, title and passage range of each document at a generation, by source."""
    rows = connection.execute(
        f"SELECT source, id, title, first, count FROM documents WHERE {LIVE} ORDER BY source",  # noqa: S608  # constants only
        {"at": at},
    )
    return {source: (number, title, range(first, first + count)) for source, number, title, first, count in rows}


def sample_documents(connection: sqlite3.Connection, most: int) -> list[tuple[str, str, str, str, str]]:
    """Return the title, language, source, path and opening text of at most `most` documents, spread over the corpus."""
    found = connection.execute(
        "WITH RECURSIVE part(n, found) AS (SELECT -1, 0 UNION ALL SELECT n + 1, (SELECT id FROM documents WHERE"
        " id > max(found - 1, (n + 1) * (SELECT max(id) FROM documents) / :most) AND died IS NULL ORDER BY id LIMIT 1)"
        " FROM part WHERE n < :most - 1 AND found IS NOT NULL)"  # from the last id: dead rows are skipped once
        " SELECT title, language, source, path, substr(coalesce(text, ''), 1, 300) FROM documents"
        " LEFT JOIN passages ON passages.id = first WHERE documents.id IN (SELECT found FROM part)"
        " ORDER BY documents.id",
        {"most": most},
    )
    return found.fetchall()


def read_rows(connection: sqlite3.Connection, ids: Iterable[int]) -> dict[int, PassageRow]:
    """Return the rows of passages by number. Deleted passages are left out."""
    rows = connection.execute(
        "SELECT passages.id, document, hash, title_key, source FROM json_each(?)"
        " CROSS JOIN passages ON passages.id = value CROSS JOIN documents ON documents.id = document",
        (json.dumps(list(ids)),),
    )
    return {row[0]: PassageRow(*row) for row in rows}


def find_titles(
    connection: sqlite3.Connection, keys: Iterable[str], at: int, most: int
) -> dict[str, list[tuple[int, range]]]:
    """Return the documents with the given title keys: by key, pairs of document number and passage range.

    A title of more than `most` documents is left out.
    """
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
    """Return the text of passages, by passage number. Deleted passages are left out."""
    rows = connection.execute(
        "SELECT passages.id, text FROM json_each(?) CROSS JOIN passages ON passages.id = value",
        (json.dumps(list(ids)),),
    )
    return dict(rows.fetchall())


def read_evidence(connection: sqlite3.Connection, ids: Sequence[int]) -> dict[int, "Evidence"]:
    """Return passages as evidence, without rank and score, by passage number. Deleted passages are left out."""
    from weiwo.state.evidence import FILE_DATE, Evidence

    rows = connection.execute(
        "SELECT passages.id, hash, text, source, title, locator, date, modified_ns, sha256, headings, context"
        " FROM json_each(?)"
        " CROSS JOIN passages ON passages.id = value CROSS JOIN documents ON documents.id = document",
        (json.dumps(list(ids)),),
    )
    # Values were validated on writing and are not validated again.
    return {
        number: Evidence.model_construct(
            id=key,
            text=text,
            source=source,
            title=title,
            locator=locator,
            date=date or file_date(modified),
            flags=() if date or not modified else (FILE_DATE,),
            document=sha256,
            headings=tuple(json.loads(headings)),
            context=json.loads(context),
        )
        for number, key, text, source, title, locator, date, modified, sha256, headings, context in rows
    }


def file_date(modified_ns: int) -> str | None:
    """Return the UTC date of a file's last change, ISO 8601. None for 0, the time of documents that are no files."""
    return datetime.fromtimestamp(modified_ns / 1e9, UTC).date().isoformat() if modified_ns > 0 else None


class Store:
    """The document store of a corpus."""

    def __init__(self, path: Path) -> None:
        """Open or create a store.

        Raises:
            CorpusError: The file is damaged, cannot be opened, or was made by another version of Weiwo.
        """
        self.path = path
        self._idle: LifoQueue[sqlite3.Connection] = LifoQueue(_IDLE_CONNECTIONS)
        # Close the connections of a store that is garbage-collected. From Python 3.13 on, sqlite3 warns otherwise.
        weakref.finalize(self, _close_idle, self._idle).atexit = False
        try:
            with self.read_transaction() as connection:
                version = connection.execute("PRAGMA user_version").fetchone()[0]
            if version in range(VERSION):
                self._create()
            elif version != VERSION:
                raise CorpusError(
                    f"index {path.parent}: made by another version of Weiwo; delete the folder and index again"
                )
        except sqlite3.DatabaseError as error:
            what = "free some space" if "full" in str(error) else "delete the folder"
            raise CorpusError(f"index {path.parent}: {error}; {what} and index again") from None

    def close(self) -> None:
        """Close the idle connections. The store can still be used."""
        _close_idle(self._idle)

    @contextmanager
    def read_transaction(self) -> Iterator[sqlite3.Connection]:
        """Context manager yielding a connection with a consistent view for all reads."""
        with self._borrow_connection() as connection:
            connection.execute("BEGIN")
            try:
                yield connection
            finally:
                connection.execute("ROLLBACK")

    @contextmanager
    def write_transaction(self) -> Iterator[sqlite3.Connection]:
        """Context manager yielding a connection with atomic, durable writes."""
        with self._borrow_connection() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
            except BaseException:
                connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")

    @contextmanager
    def _borrow_connection(self) -> Iterator[sqlite3.Connection]:
        try:
            connection, made = self._idle.get_nowait(), False
        except Empty:
            connection = open_database(self.path, _BUSY_SECONDS, check_same_thread=False, isolation_level=None)
            made = True
        try:
            if made:
                use_write_ahead_log(connection, "FULL")
                connection.execute(f"PRAGMA mmap_size = {_MAPPED_BYTES}")
            yield connection
        except sqlite3.DatabaseError as error:
            connection.close()
            # SQLite calls the file itself damaged, rather than busy, full or unreachable.
            if any(sign in str(error) for sign in ("malformed", "not a database", "corrupt")):
                raise CorpusError(f"index {self.path.parent}: {error}; delete the folder and index again") from None
            raise
        except BaseException:
            connection.close()
            raise
        if self._idle.full():
            connection.close()
        else:
            self._idle.put(connection)

    def _create(self) -> None:
        """Create the tables, or upgrade an earlier version, keeping the content."""
        with self.write_transaction() as connection:
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            # Another process has upgraded the store in the meantime.
            if version == VERSION:
                return
            columns = {row[1] for row in connection.execute("PRAGMA table_info(documents)")}
            steps = [_SCHEMA] if version == 0 else [_CONTEXT] if "losses" in columns else [_LOSSES, _CONTEXT]
            for script in (*steps, _TABLES):
                for statement in filter(str.strip, script.split(";\n")):
                    connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {VERSION}")

    def read_generation(self) -> int:
        """Return the generation: the number of applied batches."""
        with self._borrow_connection() as connection:
            return read_generation(connection)

    def read_identity(self) -> int:
        """Return the random number that identifies the store. The keyword index carries it in its folder name."""
        with self._borrow_connection() as connection:
            found: int = connection.execute("SELECT value FROM meta WHERE name = 'identity'").fetchone()[0]
        return found

    def read_known(self) -> dict[str, KnownFile]:
        """Return the files known to the index, by path, including those that could not be read.

        A file read by another version of the readers has an empty hash and the time -1, so that it is read again.
        """
        # A document read by another reader version is read again.
        current = "reader = :reader OR type = 'loaded'"
        with self.read_transaction() as connection:
            files = connection.execute(
                f"SELECT path, source, iif({current}, sha256, ''), size, iif({current}, modified_ns, -1), '', losses"  # noqa: S608  # constants only
                " FROM documents WHERE died IS NULL"
                " UNION ALL SELECT path, source, sha256, size, modified_ns, problem, '' FROM failures",
                {"reader": READER},
            )
            return {
                path: KnownFile(path, source, digest, size, modified, problem, decode_losses(losses))
                for path, source, digest, size, modified, problem, losses in files
            }

    def read_problems(self) -> tuple[Problem, ...]:
        """Return the files unreadable as a whole or in part."""
        with self.read_transaction() as connection:
            failed = connection.execute("SELECT source, problem FROM failures").fetchall()
            in_part = connection.execute("SELECT source, losses FROM documents WHERE died IS NULL AND losses <> ''")
            found = [Problem(*row) for row in failed]
            found += [Problem.in_part(source, decode_losses(losses)) for source, losses in in_part]
        return tuple(sorted(found, key=lambda problem: problem.source))

    def delete_dead(self, until: int) -> None:
        """Delete the documents that were replaced or removed up to a generation, with their passages and tables."""
        with self.write_transaction() as connection:
            connection.execute(
                "DELETE FROM passages WHERE id IN (SELECT passages.id FROM documents JOIN passages"
                " ON passages.id BETWEEN first AND first + count - 1 WHERE died <= ?)",
                (until,),
            )
            connection.execute(
                "DELETE FROM tables WHERE document IN (SELECT id FROM documents WHERE died <= ?)", (until,)
            )
            connection.execute("DELETE FROM documents WHERE died <= ?", (until,))

    def read_born(self, since: int, until: int) -> Iterator[tuple[int, int, str, str, str, str, str]]:
        """Yield the passages visible at `until` and not yet at `since`.

        Yields:
            The number of a passage and of its document, the document's language, name and title, the headings and the
            context values, joined, and the text.
        """
        with self.read_transaction() as connection:
            for row in connection.execute(
                "SELECT passages.id, document, language, source, title, headings, context, text"  # noqa: S608  # constants only
                " FROM documents JOIN passages"
                " ON passages.id BETWEEN first AND first + count - 1"
                f" WHERE born > :since AND {LIVE} ORDER BY passages.id",  # constants only
                {"since": since, "at": until},
            ):
                above = [*json.loads(row[5]), *json.loads(row[6]).values()] if row[5:7] != ("[]", "{}") else []
                yield *row[:5], " ".join(above), row[7]

    def read_died(self, since: int, until: int) -> list[int]:
        """Return the numbers of the documents visible at `since` and no longer at `until`."""
        with self.read_transaction() as connection:
            rows = connection.execute(
                "SELECT id FROM documents WHERE died > ? AND died <= ? AND born <= ?", (since, until, since)
            )
            return [row[0] for row in rows]


def _close_idle(idle: LifoQueue[sqlite3.Connection]) -> None:
    """Close the idle connections of a pool."""
    while True:
        try:
            idle.get_nowait().close()
        except Empty:
            return
