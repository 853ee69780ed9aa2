"""LangGraph's SQLite saver with group commit: concurrent writes share a transaction.

LangGraph's asynchronous saver goes to the database's thread and back several times for each access, holding a lock.
Here each access is a single function in that thread (`sqlite_thread`). A cancelled run therefore leaves no open
transaction, which would lock out other processes, and no partial deletion.
"""

import json
import sqlite3
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any, Final, TypeVar

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    get_checkpoint_metadata,
)
from langgraph.checkpoint.sqlite import SqliteSaver

from weiwo.graph.persistence.claims import claimed_thread, current_claim, raise_sqlite_epoch, require_sqlite_epoch
from weiwo.graph.persistence.saver_rules import are_answers, are_cancelled, read_checkpoint
from weiwo.graph.persistence.sqlite_thread import SqliteThread
from weiwo.graph.persistence.storage import naming_thread

T = TypeVar("T")

_CHECKPOINT: Final = (
    "INSERT OR REPLACE INTO checkpoints (thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, type,"
    " checkpoint, metadata) VALUES (?, ?, ?, ?, ?, ?, ?)"
)
_WRITES: Final = (
    "INSERT OR {} INTO writes (thread_id, checkpoint_ns, checkpoint_id, task_id, task_path, idx, channel, type, value)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_PAGE: Final = 50
"""Number of checkpoints of a thread that are read at once."""


class AsyncSqliteSaver(SqliteSaver):
    """Asynchronous SQLite saver with fencing of writes and a log of acting calls.

    A write is committed when its method returns. Answers of people are also synced to disk. The sync methods are for
    callers without an event loop.
    """

    mark = "?"  # placeholder of a value in a query

    def __init__(self, thread: SqliteThread, connection: sqlite3.Connection, **options: Any) -> None:
        super().__init__(connection, **options)
        self._thread = thread  # LangGraph copies a saver for each graph: what they share is one object
        self.acting_log = SqliteActingLog(thread)

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Read a checkpoint.

        Raises:
            OlderCheckpointError: An older Weiwo wrote the checkpoint, and it does not fit this version.
        """
        get = super().get_tuple
        return await read_checkpoint(self._thread.run(lambda _: get(config)), config)

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,  # noqa: A002 - as inherited
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        """List checkpoints, newest first. The checkpoints of a thread are read page by page."""
        while limit is None or limit > 0:
            most = limit if config is None else min(limit or _PAGE, _PAGE)
            page = await self._thread.run(self._page(config, filter=filter, before=before, limit=most))
            for item in page:
                yield item
            if most is None or len(page) < most:
                return
            before, limit = page[-1].config, None if limit is None else limit - most

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Save a checkpoint."""
        return await self._thread.run(self._prepare_checkpoint_write(config, checkpoint, metadata, new_versions))

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Save the writes of a task in an unfinished superstep, except those of a cancelled task."""
        if not are_cancelled(writes):
            work = self._put_writes(config, writes, task_id, task_path)
            await self._thread.run(work, durable=are_answers(writes))

    async def adelete_thread(self, thread_id: str) -> None:
        """Delete a thread with its acting calls. A run of another process on the thread cannot write any more."""
        await self._thread.run(_deletion(thread_id))

    async def aget_delta_channel_history(self, **options: Any) -> Any:
        """Read the history of a channel that is saved as changes, as LangGraph's saver does."""
        get = super().get_delta_channel_history
        return await self._thread.run(lambda _: get(**options))

    async def raise_epoch(self, thread_id: str) -> int:
        """Claim a thread in the database and return the epoch. Writes under earlier claims are refused from now on."""
        return await self._thread.run(lambda database: raise_sqlite_epoch(database, thread_id))

    async def fetch_rows(self, query: str, given: Sequence[Any]) -> list[Any]:
        """Return the rows of a query as tuples."""
        return await self._thread.run(lambda database: database.execute(query, given).fetchall())

    async def execute(self, statements: Sequence[tuple[str, Sequence[Any]]]) -> None:
        """Execute statements in a single transaction."""

        def work(database: sqlite3.Connection) -> None:
            for query, given in statements:
                database.execute(query, given)

        await self._thread.run(work)

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """`aget_tuple` for a caller without an event loop."""
        get = super().get_tuple
        with naming_thread(config):
            return self._thread.run_blocking(lambda _: get(config))

    def list(self, config: RunnableConfig | None, **options: Any) -> Iterator[CheckpointTuple]:
        """`alist` for a caller without an event loop."""
        yield from self._thread.run_blocking(self._page(config, **options))

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """`aput` for a caller without an event loop."""
        return self._thread.run_blocking(self._prepare_checkpoint_write(config, checkpoint, metadata, new_versions))

    def put_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """`aput_writes` for a caller without an event loop."""
        if not are_cancelled(writes):
            work = self._put_writes(config, writes, task_id, task_path)
            self._thread.run_blocking(work, durable=are_answers(writes))

    def delete_thread(self, thread_id: str) -> None:
        """`adelete_thread` for a caller without an event loop."""
        self._thread.run_blocking(_deletion(thread_id))

    def _page(
        self, config: RunnableConfig | None, **options: Any
    ) -> Callable[[sqlite3.Connection], Sequence[CheckpointTuple]]:
        read = super().list
        return lambda _: tuple(read(config, **options))

    def _prepare_checkpoint_write(
        self, config: RunnableConfig, checkpoint: Checkpoint, metadata: CheckpointMetadata, _: ChannelVersions
    ) -> Callable[[sqlite3.Connection], RunnableConfig]:
        place = config["configurable"]
        known = json.dumps(get_checkpoint_metadata(config, metadata), ensure_ascii=False).encode("utf-8", "ignore")
        where = (str(place["thread_id"]), place["checkpoint_ns"], checkpoint["id"])
        row = (*where, place.get("checkpoint_id"), *self.serde.dumps_typed(checkpoint), known)
        saved: RunnableConfig = {
            "configurable": {
                "thread_id": place["thread_id"],
                "checkpoint_ns": place["checkpoint_ns"],
                "checkpoint_id": checkpoint["id"],
            }
        }

        def work(database: sqlite3.Connection) -> RunnableConfig:
            database.execute(_CHECKPOINT, row)
            return saved

        return fence_work(work)

    def _put_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str
    ) -> Callable[[sqlite3.Connection], None]:
        place = config["configurable"]
        where = (str(place["thread_id"]), str(place["checkpoint_ns"]), str(place["checkpoint_id"]))
        rows = [
            (*where, task_id, task_path, WRITES_IDX_MAP.get(channel, n), channel, *self.serde.dumps_typed(value))
            for n, (channel, value) in enumerate(writes)
        ]
        anew = all(channel in WRITES_IDX_MAP for channel, _ in writes)
        query = _WRITES.format("REPLACE" if anew else "IGNORE")

        def work(database: sqlite3.Connection) -> None:
            database.executemany(query, rows)

        return fence_work(work)


def fence_work(work: Callable[[sqlite3.Connection], T]) -> Callable[[sqlite3.Connection], T]:
    """Wrap a database function, so that it raises `LostClaimError` if the current claim is lost.

    The check runs in the same transaction as the function. Without a current claim, the function is returned unchanged.
    """
    claim = current_claim()
    if claim is None:
        return work

    def run_fenced_work(database: sqlite3.Connection) -> T:
        # BEGIN IMMEDIATE takes the write lock, so no process can claim the thread between check and commit.
        if not database.in_transaction:
            database.execute("BEGIN IMMEDIATE")
        require_sqlite_epoch(database, claim)
        return work(database)

    return run_fenced_work


class SqliteActingLog:
    """Log of acting calls in the database of the checkpoints. See `weiwo.tools.calling.acting_calls.ActingLog`.

    A record is synced to disk before the call is made, and with it all earlier checkpoints.
    """

    def __init__(self, thread: SqliteThread) -> None:
        self._thread = thread

    async def get(self, key: str) -> str | None:
        """Return the recorded text of a call, or None."""
        query = "SELECT text FROM weiwo_acting_calls WHERE key = ? AND expires > ?"
        row = await self._thread.run(lambda database: database.execute(query, (key, time.time())).fetchone())
        return None if row is None else str(row[0])

    async def add(self, key: str, text: str, seconds: float) -> bool:
        """Record a call if its key is new, and report whether it was new and is now recorded."""
        query = "INSERT OR IGNORE INTO weiwo_acting_calls (key, thread_id, text, expires) VALUES (?, ?, ?, ?)"
        with suppress(sqlite3.Error):
            return await self._write(query, (key, claimed_thread(), text, time.time() + seconds)) == 1
        return False

    async def record_result(self, key: str, text: str, seconds: float) -> None:
        """Record the result of a call. If the write fails, the call stays recorded as begun."""
        query = "INSERT OR REPLACE INTO weiwo_acting_calls (key, thread_id, text, expires) VALUES (?, ?, ?, ?)"
        with suppress(sqlite3.Error):
            await self._write(query, (key, claimed_thread(), text, time.time() + seconds))

    async def drop(self, key: str) -> None:
        """Remove the record of a call that had no effect."""
        with suppress(sqlite3.Error):
            await self._write("DELETE FROM weiwo_acting_calls WHERE key = ?", (key,))

    async def _write(self, query: str, given: Sequence[Any]) -> int:
        return await self._thread.run(
            fence_work(lambda database: database.execute(query, given).rowcount), durable=True
        )


def _deletion(thread_id: str) -> Callable[[sqlite3.Connection], None]:
    """Return a database function that deletes a thread in a single transaction.

    It first raises the epoch, unless the current code has claimed the thread, so that other runs cannot write any more.
    """
    own = claimed_thread() == thread_id

    def work(database: sqlite3.Connection) -> None:
        if not own:
            raise_sqlite_epoch(database, thread_id)
        for table in ("checkpoints", "writes", "weiwo_acting_calls"):
            database.execute(f"DELETE FROM {table} WHERE thread_id = ?", (thread_id,))  # noqa: S608 - names of ours

    return fence_work(work)
