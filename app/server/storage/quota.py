"""Disk quotas for users, over threads, states, runs, events and uploaded files.

Written bytes are added to an estimate. The estimate is measured anew each minute, and before anything is refused. The
operator has no quota.
"""

import asyncio
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from weiwo.app.records import Records
from weiwo.app.server.access.profiles import stored_name
from weiwo.app.server.errors import RequestError
from weiwo.graph.persistence.storage import BUSY_SECONDS, database_file, sqlite_error
from weiwo.graph.persistence.thread_lock import OPERATOR
from weiwo.state.settings import Settings
from weiwo.tools.sqlite_files import open_read_only

MOST_BYTES: Final = 1_000_000_000
"""Bytes that a user who is not the operator may keep."""
_MEASURED_SECONDS: Final = 60.0
_AGAIN_SECONDS: Final = 1.0
"""Least seconds between two measurements of a user above the quota."""
_SQLITE: Final = (
    "SELECT SUM(length(checkpoint) + length(metadata)) FROM checkpoints WHERE thread_id = ?",
    "SELECT SUM(length(value)) FROM writes WHERE thread_id = ?",
)
_POSTGRES: Final = (
    "SELECT SUM(pg_column_size(checkpoint) + pg_column_size(metadata)) FROM checkpoints WHERE thread_id = ANY(%s)",
    "SELECT SUM(pg_column_size(blob)) FROM checkpoint_blobs WHERE thread_id = ANY(%s)",
    "SELECT SUM(pg_column_size(blob)) FROM checkpoint_writes WHERE thread_id = ANY(%s)",
)


class Quota:
    """Limit on the bytes that each user except the operator may store on a server."""

    def __init__(self, records: Records, settings: Settings, graph: Any) -> None:
        self._records, self._settings, self._graph = records, settings, graph
        self._used: dict[str, int] = {}
        self._measured: dict[str, float] = {}
        self._measuring = asyncio.Lock()

    async def take(self, user: str, more: int) -> None:
        """Count bytes to be stored for a user.

        Raises:
            RequestError: The quota is exceeded.
        """
        if user == OPERATOR:
            return
        # The estimate serves as long as it is recent and leaves room.
        recent = time.monotonic() - self._measured.get(user, -_MEASURED_SECONDS) < _MEASURED_SECONDS
        if not recent or self._used[user] + more > MOST_BYTES:
            async with self._measuring:
                if time.monotonic() - self._measured.get(user, -_MEASURED_SECONDS) > _AGAIN_SECONDS:
                    self._used[user] = await self._measure(user)
                    self._measured[user] = time.monotonic()
        if self._used[user] + more > MOST_BYTES:
            told = f"your data on this server exceeds {MOST_BYTES:,} bytes; delete threads"
            raise RequestError(413, told, f"您保存的数据超过 {MOST_BYTES:,} 字节；请删除一些会话")
        self._used[user] += more

    async def thread_bytes(self, thread_id: str) -> int:
        """Bytes of a thread's states."""
        return await self._in_database([thread_id])

    async def _measure(self, user: str) -> int:
        kept = await self._records.kept_bytes(user)
        threads = await self._records.thread_ids(user)
        return kept + await self._in_database(threads) + await asyncio.to_thread(self._in_files, user)

    async def _in_database(self, threads: list[str]) -> int:
        """Return the size in bytes of the states of threads.

        SQLite is read beside the thread that writes, which is not blocked.
        """
        if not self._settings.database_url:
            return await asyncio.to_thread(self._in_sqlite, threads)
        rows = [row for query in _POSTGRES for row in await self._graph.checkpointer.fetch_rows(query, (threads,))]
        return sum(int(size or 0) for (size,) in rows)

    def _in_sqlite(self, threads: list[str]) -> int:
        path = database_file(self._settings.home)
        try:
            with closing(open_read_only(path, BUSY_SECONDS)) as database:
                return sum(
                    database.execute(query, (thread,)).fetchone()[0] or 0 for thread in threads for query in _SQLITE
                )
        except sqlite3.Error as error:
            raise sqlite_error(path, error) from error

    def _in_files(self, user: str) -> int:
        found = uploads(self._settings).glob(f"{stored_name(user, '')}*/*")
        return sum(item.stat().st_size for item in found if item.is_file())


def uploads(settings: Settings) -> Path:
    """Return the folder of uploaded files. Each corpus has a subfolder."""
    return Path(settings.home) / "uploads"


def sweep_uploads(settings: Settings) -> None:
    """Delete unfinished uploads left by a terminated server. Blocks."""
    for part in uploads(settings).glob("*/.*.part"):
        part.unlink(missing_ok=True)
