"""Who works on a thread: one process at a time, and the command on none that a user of the server owns.

Two processes would make every call twice and overwrite each other's steps. Whoever owns a thread reads all that is
asked on it: the command's questions are the operator's.

A claim ends with its process, however that ends: the kernel drops a file's lock, Postgres that of a lost session.
A LangGraph server keeps its own order and needs none.
"""

import asyncio
import sqlite3
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, closing, suppress
from hashlib import sha256
from pathlib import Path
from typing import Final

from weiwo.graph.persistence.storage import BUSY_SECONDS, CONNECT_SECONDS, sqlite_error
from weiwo.state.errors import WeiwoError
from weiwo.state.settings import Settings
from weiwo.tools.file_lock import FileLock
from weiwo.tools.private_files import make_private_folder

OPERATOR: Final = "operator"
"""The user who runs the server, and the command: threads without a record are theirs."""
RECORDS_FILE: Final = "server.sqlite"
"""The server's records, which say whose a thread is."""
THREADS_TABLE: Final = """
CREATE TABLE IF NOT EXISTS threads (
    thread_id TEXT PRIMARY KEY, owner TEXT NOT NULL, created REAL NOT NULL, updated REAL NOT NULL,
    metadata TEXT NOT NULL DEFAULT '{}')"""


class ThreadBusyError(WeiwoError, RuntimeError):
    """Another process works on the thread. The message is one line."""

    def __init__(self, thread_id: str) -> None:
        super().__init__(f"thread {thread_id}; another process is working on it; wait for it, or end it")


class ForeignThreadError(WeiwoError, RuntimeError):
    """A user of the server owns the thread. The message is one line."""

    def __init__(self, thread_id: str) -> None:
        super().__init__(f"thread {thread_id}; a user of weiwo serve owns it; take another id")


def require_own_thread(home: str, thread_id: str) -> None:
    """See that a thread is the operator's, and keep its name for the operator. Blocks.

    One statement takes the name, so that a client who wants it at the same moment has it before, or never.

    Raises:
        ForeignThreadError: It is somebody else's.
        StorageError: The server's records are there, and cannot be read.
    """
    path = Path(home) / RECORDS_FILE
    if not path.exists():
        return  # no server has worked here
    now = time.time()
    try:
        with closing(sqlite3.connect(path, timeout=BUSY_SECONDS)) as database, database:
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
async def claimed(settings: Settings, thread_id: str, database_url: str | None = None) -> AsyncIterator[None]:
    """Work on a thread that nobody else works on; a database given here counts before the settings'.

    Raises:
        ThreadBusyError: Another process has claimed it.
    """
    async with AsyncExitStack() as stack:
        if url := database_url or settings.database_url:
            await stack.enter_async_context(_in_postgres(url, thread_id))
        else:
            path = Path(settings.home) / "locks" / sha256(thread_id.encode()).hexdigest()[:32]
            # Not in a thread: it would take the lock for a caller who was cancelled meanwhile, and nobody let go of it.
            stack.callback(_lock_file(path, thread_id).remove)
        yield


def _lock_file(path: Path, thread_id: str) -> FileLock:
    make_private_folder(path.parent)
    try:
        return FileLock(path)
    except BlockingIOError:
        raise ThreadBusyError(thread_id) from None


@asynccontextmanager
async def _in_postgres(url: str, thread_id: str) -> AsyncIterator[None]:
    """An advisory lock of a connection of its own, since those of a pool are shared."""
    import psycopg

    connection = await psycopg.AsyncConnection.connect(url, autocommit=True, connect_timeout=CONNECT_SECONDS)
    try:
        key = f"weiwo:{thread_id}"
        cursor = await connection.execute("SELECT pg_try_advisory_lock(hashtextextended(%s, 0))", (key,))
        row = await cursor.fetchone()
        if row is None or not row[0]:
            raise ThreadBusyError(thread_id)
        try:
            yield
        finally:  # closing alone gives it back a moment later, when the server has noticed
            with suppress(psycopg.Error, TimeoutError):
                async with asyncio.timeout(CONNECT_SECONDS):
                    await connection.execute("SELECT pg_advisory_unlock(hashtextextended(%s, 0))", (key,))
    finally:
        await connection.close()  # which a server that is gone does not hinder
