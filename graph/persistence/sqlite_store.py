"""SQLite store in a separate thread, opened on first use, because most document runs need no store.

A batch of operations is a single function in that thread (`sqlite_thread`), from BEGIN to COMMIT. The waiting caller
may be cancelled at any moment, and no transaction is left open. A store that cannot be opened or read raises an error,
and does not look like an empty store.

The store is opened late because LangGraph's SQLite store imports numpy, which takes as long as a run over documents.
"""

import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from langgraph.store.base import BaseStore, Op, PutOp, Result

from weiwo.graph.persistence.claims import ThreadClaim, current_claim, require_sqlite_epoch
from weiwo.graph.persistence.sqlite_thread import SqliteThread
from weiwo.graph.persistence.storage import BUSY_SECONDS, StorageError, database_file, sqlite_error
from weiwo.tools.sqlite_files import open_database, use_write_ahead_log

_RETRY_SECONDS: Final = 30.0
"""Time after which a store that did not open is tried again."""


class SqliteStore(BaseStore):
    """LangGraph's SQLite store in a separate thread.

    Args:
        path: The file.
        failed: Called once with the reason if the store does not open.
    """

    supports_ttl = True

    def __init__(self, path: Path, failed: Callable[[StorageError], None]) -> None:
        self._path = path
        self._failed = failed
        self._told = False
        self._thread = SqliteThread(self._connect, "weiwo-store")
        self._store: Any = None
        self._failure: tuple[float, StorageError] | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._thread.close()

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Execute operations for a caller without an event loop. Writes are executed after reads.

        Raises:
            StorageError: The database cannot be used.
        """
        todo, claim = list(ops), current_claim()
        return self._thread.run_blocking(lambda _: self._transact(todo, claim))

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Execute operations. Writes are executed after reads.

        Raises:
            LostClaimError: Another process has claimed the thread of a write.
            StorageError: The database cannot be used.
        """
        todo, claim = list(ops), current_claim()
        try:
            return await self._thread.run(lambda _: self._transact(todo, claim))
        except StorageError as error:
            if self._store is None and not self._told:
                self._told = True
                self._failed(error)
            raise

    def _transact(self, ops: list[Op], claim: ThreadClaim | None) -> list[Result]:
        """Execute the reads, then the writes, each as a transaction, and return the results in the order of `ops`.

        Runs in the database's thread. Reads and writes are separate because a transaction that has read fails at once
        if another process is writing. Writes are refused if `claim` is lost.
        """
        found: list[Result] = [None] * len(ops)
        try:
            for writes in (False, True):
                places = [n for n, op in enumerate(ops) if isinstance(op, PutOp) is writes]
                if self._store is not None:
                    self._store.claim = claim if writes else None
                results = self._store.batch([ops[n] for n in places]) if places and self._store else []
                for place, result in zip(places, results, strict=True):
                    found[place] = result
        except (sqlite3.Error, ValueError) as error:
            cause = error.__cause__ if isinstance(error, ValueError) else error  # LangGraph wraps those of a read
            if not isinstance(cause, sqlite3.Error):
                raise
            raise sqlite_error(self._path, cause) from cause
        return found

    def _connect(self) -> sqlite3.Connection:
        """Connect, create the tables and delete expired entries."""
        if self._failure is not None and time.monotonic() < self._failure[0] + _RETRY_SECONDS:
            raise self._failure[1]
        try:
            # URIs are on, so that the threads can be attached to read them alone.
            database = open_database(self._path.absolute(), BUSY_SECONDS, isolation_level=None, uri=True)
            self._store = _set_up(database, database_file(self._path.parent))
        except sqlite3.Error as error:
            self._failure = (time.monotonic(), sqlite_error(self._path, error))
            raise self._failure[1] from error
        return database


def _set_up(database: sqlite3.Connection, threads: Path) -> BaseStore:
    """Create LangGraph's store on a connection, with its tables and without expired entries.

    Two processes that create the tables at once conflict, so the creation is retried.

    Args:
        database: The connection.
        threads: Database file of the threads, which contains the claims.
    """
    from langgraph.store.sqlite import SqliteStore as LangGraphStore  # noqa: PLC0415 - heavy

    class RollingBackStore(LangGraphStore):
        """Store that rolls back failed writes, which the original commits, and refuses writes under a lost claim."""

        claim: ThreadClaim | None = None

        @contextmanager
        def _cursor(self, *, transaction: bool = True) -> Iterator[sqlite3.Cursor]:  # noqa: ARG002 - as it is called
            if self.claim is not None:
                attached = {name for _, name, _ in self.conn.execute("PRAGMA database_list")}
                if "threads" not in attached:
                    self.conn.execute("ATTACH ? AS threads", (f"{threads.absolute().as_uri()}?mode=ro",))
            with self.conn, closing(self.conn.cursor()) as cursor:
                cursor.execute("BEGIN" if self.claim is None else "BEGIN IMMEDIATE")
                if self.claim is not None:
                    require_sqlite_epoch(self.conn, self.claim, "threads")
                yield cursor

    store = RollingBackStore(database)
    for pause in (0.05, 0.1, 0.2, 0.4, 0.8, 0.0):
        try:
            use_write_ahead_log(database)
            store.setup()
            store.sweep_ttl()
        except (sqlite3.OperationalError, sqlite3.IntegrityError):
            if not pause:
                raise
            time.sleep(pause)
        else:
            break
    return store
