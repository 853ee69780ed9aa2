"""Thread lock: a single process works on a thread, and the command line does not use threads of a server's users.

Two processes would make every call twice and overwrite each other's steps. The owner of a thread can read all of its
questions, and those asked on the command line are the operator's.

A lock ends with its process, however that ends: the kernel drops a file's lock, Postgres that of a lost session.
Writes of a process that has lost its lock are refused (`claims`). A LangGraph server serializes runs itself and needs
no lock.
"""

import asyncio
import sqlite3
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, closing, suppress
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from weiwo.graph.persistence.claims import (
    ThreadClaim,
    create_claims,
    mark_version,
    postgres_epoch,
    raise_postgres_epoch,
    raise_sqlite_epoch,
    under_claim,
)
from weiwo.graph.persistence.storage import (
    CONNECT_SECONDS,
    PATIENCE_SECONDS,
    database_file,
    open_private,
    sqlite_error,
)
from weiwo.state.errors import WeiwoError
from weiwo.state.settings import Settings
from weiwo.tools.file_lock import FileLock
from weiwo.tools.private_files import make_private_folder

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver

_AGAIN_SECONDS: Final = 0.5
"""Seconds between attempts to retake a lock after its connection broke."""
OPERATOR: Final = "operator"
"""Owner name of the user who runs the server and the command line. Threads without a record are theirs."""
RECORDS_FILE: Final = "server.sqlite"
"""Database of the server, with the owner of each thread."""
THREADS_TABLE: Final = """
CREATE TABLE IF NOT EXISTS threads (
    thread_id TEXT PRIMARY KEY, owner TEXT NOT NULL, created REAL NOT NULL, updated REAL NOT NULL,
    metadata TEXT NOT NULL DEFAULT '{}')"""


class ThreadBusyError(WeiwoError, RuntimeError):
    """Error raised if another process works on the thread. The message is one line."""

    def __init__(self, thread_id: str) -> None:
        super().__init__(f"thread {thread_id} is in use by another process; wait for it, or stop it")


class ForeignThreadError(WeiwoError, RuntimeError):
    """Error raised if a user of the server owns the thread. The message is one line."""

    def __init__(self, thread_id: str) -> None:
        super().__init__(f"thread {thread_id} belongs to a user of weiwo serve; use another id")


def require_own_thread(home: str, thread_id: str) -> None:
    """Record the operator as the owner of a thread, or raise an error if a user of the server owns it. Blocks.

    Does nothing if no server has used this home. A single statement inserts the owner, so that a client who wants the
    same id at the same moment either has it before or does not get it.

    Args:
        home: The folder of Weiwo's own files.
        thread_id: The thread, which need not exist.

    Raises:
        ForeignThreadError: A user of the server owns the thread.
        StorageError: The server's database exists, and cannot be used.
    """
    path = Path(home) / RECORDS_FILE
    if not path.exists():
        # Without a records file, no server has ever used this home.
        return
    now = time.time()
    try:
        with closing(open_private(path)) as database, database:
            database.execute(THREADS_TABLE)
            database.execute(
                "INSERT OR IGNORE INTO threads (thread_id, owner, created, updated) VALUES (?, ?, ?, ?)",
                (thread_id, OPERATOR, now, now),
            )
            row = database.execute("SELECT owner FROM threads WHERE thread_id = ?", (thread_id,)).fetchone()
    except sqlite3.Error as error:
        raise sqlite_error(path, error) from error
    if row[0] != OPERATOR:
        raise ForeignThreadError(thread_id)


@asynccontextmanager
async def claim_thread(
    settings: Settings,
    thread_id: str,
    database_url: str | None = None,
    saver: "BaseCheckpointSaver[Any] | None" = None,
) -> AsyncIterator[None]:
    """Context manager that locks and claims a thread for exclusive work.

    If the lock is lost without notice and another process claims the thread, the database refuses writes made inside
    (`claims`).

    Args:
        settings: The settings, with a database URL or the folder of the SQLite file.
        thread_id: The thread, which need not exist.
        database_url: URL that takes precedence over the settings.
        saver: The open saver, if any, which saves opening the SQLite file again.

    Raises:
        ThreadBusyError: Another process has claimed the thread.
        StorageError: The database cannot be used.
    """
    async with AsyncExitStack() as stack:
        if url := database_url or settings.database_url:
            claim = await stack.enter_async_context(_in_postgres(url, thread_id))
        else:
            path = Path(settings.home) / "locks" / sha256(thread_id.encode()).hexdigest()[:32]
            # Not in a worker thread: if the caller is cancelled meanwhile, the lock would be taken and never released.
            stack.callback(_lock_file(path, thread_id).remove)
            claim = ThreadClaim(thread_id, await _raise_in_file(settings, thread_id, saver))
        with under_claim(claim):
            yield


async def _raise_in_file(settings: Settings, thread_id: str, saver: Any) -> int:
    if (raise_epoch := getattr(saver, "raise_epoch", None)) is not None:
        return int(await raise_epoch(thread_id))
    path = database_file(settings.home)

    def claim() -> int:
        with closing(mark_version(open_private(path))) as database, database:
            create_claims(database)
            return raise_sqlite_epoch(database, thread_id)

    try:
        return await asyncio.to_thread(claim)
    except sqlite3.Error as error:
        raise sqlite_error(path, error) from error


def _lock_file(path: Path, thread_id: str) -> FileLock:
    make_private_folder(path.parent)
    try:
        return FileLock(path)
    except BlockingIOError:
        raise ThreadBusyError(thread_id) from None


@asynccontextmanager
async def _in_postgres(url: str, thread_id: str) -> AsyncIterator[ThreadClaim]:
    lock = _PostgresLock(url, thread_id)
    try:
        claim = await lock.take()
        keeper = asyncio.create_task(lock.keep(claim))
        try:
            yield claim
        finally:
            keeper.cancel()
            await asyncio.wait([keeper])
            await lock.give_back()
    finally:
        await lock.close()


class _PostgresLock:
    """Advisory lock of Postgres on a connection of its own, retaken if the connection breaks."""

    def __init__(self, url: str, thread_id: str) -> None:
        self._url, self._thread_id = url, thread_id
        self._connection: Any = None

    async def take(self) -> ThreadClaim:
        """Take the lock, raise the thread's epoch and return the claim. A lost connection is retried for a while.

        Raises:
            ThreadBusyError: Another process has the lock, or its last write to the thread does not end.
            psycopg.Error: No connection can be made.
        """
        import psycopg

        until = time.monotonic() + PATIENCE_SECONDS
        while True:
            try:
                if not await self._lock():
                    raise ThreadBusyError(self._thread_id)
                return ThreadClaim(self._thread_id, await raise_postgres_epoch(self._connection, self._thread_id))
            except psycopg.errors.LockNotAvailable:
                raise ThreadBusyError(self._thread_id) from None
            except (psycopg.OperationalError, psycopg.InterfaceError):
                # Retry a lost connection only, and only for a limited time.
                if self._connection is None or time.monotonic() > until:
                    raise
                await asyncio.sleep(_AGAIN_SECONDS)

    async def keep(self, claim: ThreadClaim) -> None:
        """Watch the connection, and retake the lock whenever it breaks, until cancelled.

        Ends and marks the claim as lost if another process has claimed the thread, which its epoch shows. If the epoch
        is unchanged and the lock is not free, the server still holds it for the old session, and it is tried again.
        """
        import psycopg

        while True:
            try:
                # Nothing is ever notified. The iteration ends when the connection breaks.
                async for _ in self._connection.notifies():
                    pass
            except psycopg.Error:
                await asyncio.sleep(_AGAIN_SECONDS)
            with suppress(psycopg.Error, OSError):
                taken = await self._lock()
                if await postgres_epoch(self._connection, self._thread_id) != claim.epoch:
                    # Another process has the thread. The run ends at its next write.
                    claim.lost = True
                    return
                if not taken:
                    # The old session still has the lock. Close the connection, so that the loop tries again.
                    await self.close()

    async def give_back(self) -> None:
        """Release the lock at once. Closing the connection alone releases it only when the server notices."""
        import psycopg

        with suppress(psycopg.Error, TimeoutError):
            async with asyncio.timeout(CONNECT_SECONDS):
                await self._connection.execute("SELECT pg_advisory_unlock(hashtextextended(%s, 0))", (self._key,))

    async def close(self) -> None:
        """Close the connection, even if the server is gone."""
        if self._connection is not None:
            await self._connection.close()

    @property
    def _key(self) -> str:
        return f"weiwo:{self._thread_id}"

    async def _lock(self) -> bool:
        import psycopg

        await self.close()
        connect = psycopg.AsyncConnection.connect
        self._connection = await connect(self._url, autocommit=True, connect_timeout=CONNECT_SECONDS)
        query = "SELECT pg_try_advisory_lock(hashtextextended(%s, 0))"
        row = await (await self._connection.execute(query, (self._key,))).fetchone()
        return bool(row is not None and row[0])
