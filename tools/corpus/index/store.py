"""The document store: documents and passages of a corpus in SQLite, the source of truth.

Write-ahead logging, so that readers are never blocked and each read sees one state. Reading is safe from any thread;
writing needs the lock of `writer`. What the rows mean is said in `schema`.
"""

import json
import sqlite3
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Empty, LifoQueue
from typing import Final, NamedTuple

from weiwo.tools.corpus.base import CorpusError, Problem
from weiwo.tools.corpus.index.schema import SCHEMA, VERSION
from weiwo.tools.corpus.index.store_reads import LIVE, read_generation
from weiwo.tools.corpus.records import Changes, KnownFile
from weiwo.tools.private_files import make_private_file

_BUSY_SECONDS: Final = 30.0
_IDLE_CONNECTIONS: Final = 8
_MAPPED_BYTES: Final = 1 << 30
"""How much of the file is read in place. A search looks up hundreds of rows all over it, each a call to the system
otherwise: six times as slow at a million passages."""


class IndexedText(NamedTuple):
    """The indexed text of a passage.

    Attributes:
        id: Its number.
        document: Its document's number.
        title: Its document's title.
        headings: The headings it stands under, joined.
        text: Its text.
    """

    id: int
    document: int
    title: str
    headings: str
    text: str


class Store:
    """The document store of one corpus."""

    def __init__(self, path: Path) -> None:
        """Open or create a store.

        Raises:
            CorpusError: The file cannot be used; one line.
        """
        self.path = path
        self._idle: LifoQueue[sqlite3.Connection] = LifoQueue(_IDLE_CONNECTIONS)
        # A store that is dropped closes what it holds: from Python 3.13 on, SQLite warns where it does not.
        weakref.finalize(self, _close_idle, self._idle).atexit = False
        try:
            with self.read_transaction() as connection:
                version = connection.execute("PRAGMA user_version").fetchone()[0]
            if version == 0:
                self._create()
            elif version != VERSION:
                raise CorpusError(
                    f"index {path.parent}: made by another version of Weiwo; delete the folder and index again"
                )
        except sqlite3.DatabaseError as error:
            what = "free some space" if "full" in str(error) else "delete the folder"
            raise CorpusError(f"index {path.parent}: {error}; {what} and index again") from None

    def close(self) -> None:
        """Close the idle connections; the store may still be used."""
        _close_idle(self._idle)

    @contextmanager
    def read_transaction(self) -> Iterator[sqlite3.Connection]:
        """A connection whose reads all see the same state."""
        with self._borrow_connection() as connection:
            connection.execute("BEGIN")
            try:
                yield connection
            finally:
                connection.execute("ROLLBACK")

    @contextmanager
    def write_transaction(self) -> Iterator[sqlite3.Connection]:
        """A connection whose writes are all kept, durably, or none."""
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
            make_private_file(self.path)
            connection = sqlite3.connect(
                self.path, timeout=_BUSY_SECONDS, check_same_thread=False, isolation_level=None
            )
            made = True
        try:
            if made:
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("PRAGMA synchronous = FULL")
                connection.execute(f"PRAGMA mmap_size = {_MAPPED_BYTES}")
            yield connection
        except BaseException:
            connection.close()
            raise
        if self._idle.full():
            connection.close()
        else:
            self._idle.put(connection)

    def _create(self) -> None:
        with self.write_transaction() as connection:
            if connection.execute("PRAGMA user_version").fetchone()[0] == 0:  # nobody was faster
                for statement in SCHEMA.split(";\n"):
                    connection.execute(statement)
                connection.execute(f"PRAGMA user_version = {VERSION}")

    def read_generation(self) -> int:
        """The number of batches taken over."""
        with self._borrow_connection() as connection:
            return read_generation(connection)

    def read_identity(self) -> int:
        """A number that no other store has; what is derived from this one bears it."""
        with self._borrow_connection() as connection:
            found: int = connection.execute("SELECT value FROM meta WHERE name = 'identity'").fetchone()[0]
        return found

    def read_known(self) -> dict[str, KnownFile]:
        """The files that the index knows, by path."""
        columns = "path, source, sha256, size, modified_ns"
        with self.read_transaction() as connection:
            files = connection.execute(
                f"SELECT {columns}, '' FROM documents WHERE died IS NULL"  # noqa: S608  # constants only
                f" UNION ALL SELECT {columns}, problem FROM failures"
            )
            return {row[0]: KnownFile(*row) for row in files}

    def read_problems(self) -> tuple[Problem, ...]:
        """The files that could not be read."""
        with self.read_transaction() as connection:
            return tuple(Problem(*row) for row in connection.execute("SELECT source, problem FROM failures ORDER BY 1"))

    def apply(self, changes: Changes) -> int:
        """Take over a batch; see `Writer.apply`."""
        with self.write_transaction() as connection:
            now = read_generation(connection) + 1
            connection.execute("UPDATE meta SET value = ? WHERE name = 'generation'", (now,))
            from weiwo.tools.corpus.index.change_writer import ChangeWriter  # noqa: PLC0415 - readers need none

            ChangeWriter(connection, now).write(changes)
        return now

    def delete_dead(self, until: int) -> None:
        """Delete the documents that died at a generation or before, with their passages."""
        with self.write_transaction() as connection:
            connection.execute(
                "DELETE FROM passages WHERE id IN (SELECT passages.id FROM documents JOIN passages"
                " ON passages.id BETWEEN first AND first + count - 1 WHERE died <= ?)",
                (until,),
            )
            connection.execute("DELETE FROM documents WHERE died <= ?", (until,))

    def read_born(self, since: int, until: int) -> Iterator[IndexedText]:
        """The passages that a reader at `until` sees and one at `since` doesn't."""
        with self.read_transaction() as connection:
            for row in connection.execute(
                "SELECT passages.id, document, title, headings, text FROM documents JOIN passages"  # noqa: S608  # constants only
                " ON passages.id BETWEEN first AND first + count - 1"
                f" WHERE born > :since AND {LIVE} ORDER BY passages.id",  # constants only
                {"since": since, "at": until},
            ):
                yield IndexedText(
                    row[0], row[1], row[2], " ".join(json.loads(row[3])) if row[3] != "[]" else "", row[4]
                )

    def read_died(self, since: int, until: int) -> list[int]:
        """The documents that a reader at `since` sees and one at `until` doesn't."""
        with self.read_transaction() as connection:
            rows = connection.execute(
                "SELECT id FROM documents WHERE died > ? AND died <= ? AND born <= ?", (since, until, since)
            )
            return [row[0] for row in rows]


def _close_idle(idle: LifoQueue[sqlite3.Connection]) -> None:
    """Close the connections of a pool that nobody has borrowed."""
    while True:
        try:
            idle.get_nowait().close()
        except Empty:
            return
