"""One process at a time works on a thread: two would make every call twice and overwrite each other's steps.

A claim ends with its process, however that ends: the kernel drops a file's lock, Postgres that of a lost session.
A LangGraph server keeps its own order and needs none.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from hashlib import sha256
from pathlib import Path

from weiwo.graph.persistence.checkpointer import CONNECT_SECONDS
from weiwo.state.errors import WeiwoError
from weiwo.state.settings import Settings
from weiwo.tools.file_lock import FileLock


class ThreadBusyError(WeiwoError, RuntimeError):
    """Another process works on the thread. The message is one line."""

    def __init__(self, thread_id: str) -> None:
        super().__init__(f"thread {thread_id}; another process is working on it; wait for it, or end it")


@asynccontextmanager
async def claimed(settings: Settings, thread_id: str, database_url: str | None = None) -> AsyncIterator[None]:
    """Work on a thread that nobody else works on.

    Args:
        settings: `home` and `database_url` count here.
        thread_id: The thread.
        database_url: Postgres instead of the configured database.

    Raises:
        ThreadBusyError: Another process has claimed it.
    """
    async with AsyncExitStack() as stack:
        if url := database_url or settings.database_url:
            await stack.enter_async_context(_in_postgres(url, thread_id))
        else:
            path = Path(settings.home) / "locks" / sha256(thread_id.encode()).hexdigest()[:32]
            lock = await asyncio.to_thread(_lock_file, path, thread_id)
            stack.callback(lock.release)
        yield


def _lock_file(path: Path, thread_id: str) -> FileLock:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        return FileLock(path)
    except BlockingIOError:
        raise ThreadBusyError(thread_id) from None


@asynccontextmanager
async def _in_postgres(url: str, thread_id: str) -> AsyncIterator[None]:
    """An advisory lock of a connection of its own, since those of a pool are shared."""
    import psycopg  # noqa: PLC0415 - heavy, and an extra

    connection = await psycopg.AsyncConnection.connect(url, autocommit=True, connect_timeout=CONNECT_SECONDS)
    try:
        key = f"weiwo:{thread_id}"
        cursor = await connection.execute("SELECT pg_try_advisory_lock(hashtextextended(%s, 0))", (key,))
        row = await cursor.fetchone()
        if row is None or not row[0]:
            raise ThreadBusyError(thread_id)
        yield
    finally:
        await connection.close()  # which a server that is gone does not hinder
