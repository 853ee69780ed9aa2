"""LangGraph's SQLite saver with group commit: what many runs write at the same moment is one transaction.

The original takes a lock for each write and, holding it, goes to the database's thread and back four times, each time
waiting for its turn in the event loop. With 200 runs at once, each waits behind all the others. Here a write is put in
a line, and whoever runs the line takes all of it to the database in one go. A single run writes no later than before.

A run that is cancelled while it waits leaves no transaction open behind it, which would lock out other processes.
"""

import asyncio
import json
import sqlite3
from collections.abc import Sequence
from typing import Any

import aiosqlite
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    get_checkpoint_metadata,
)
from langgraph.checkpoint.sqlite import aio

from weiwo.graph.persistence.saver_rules import are_cancelled, read_checkpoint

_CHECKPOINT = (
    "INSERT OR REPLACE INTO checkpoints (thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, type,"
    " checkpoint, metadata) VALUES (?, ?, ?, ?, ?, ?, ?)"
)
_WRITES = (
    "INSERT OR {} INTO writes (thread_id, checkpoint_ns, checkpoint_id, task_id, task_path, idx, channel, type, value)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
Statement = tuple[str, list[tuple[Any, ...]]]
"""SQL, and the rows it is to be executed with."""


class AsyncSqliteSaver(aio.AsyncSqliteSaver):
    """A saver whose writes are durable, as far as SQLite's settings go, once they return."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._line = _Line(
            self.conn, self.lock
        )  # LangGraph copies a saver for each graph: what they share is one object

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Read a checkpoint.

        Raises:
            OlderCheckpointError: An older Weiwo wrote it, and it does not fit this one.
        """
        return await read_checkpoint(super().aget_tuple(config), config)

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,  # noqa: ARG002 - the interface has it
    ) -> RunnableConfig:
        """Save a checkpoint."""
        place = config["configurable"]
        known = json.dumps(get_checkpoint_metadata(config, metadata), ensure_ascii=False).encode("utf-8", "ignore")
        row = (
            str(place["thread_id"]),
            place["checkpoint_ns"],
            checkpoint["id"],
            place.get("checkpoint_id"),
            *self.serde.dumps_typed(checkpoint),
            known,
        )
        await self._write((_CHECKPOINT, [row]))
        return {
            "configurable": {
                "thread_id": place["thread_id"],
                "checkpoint_ns": place["checkpoint_ns"],
                "checkpoint_id": checkpoint["id"],
            }
        }

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Save what a task of an unfinished superstep wrote, unless it was cancelled."""
        if are_cancelled(writes):
            return
        place = config["configurable"]
        where = (str(place["thread_id"]), str(place["checkpoint_ns"]), str(place["checkpoint_id"]))
        rows = [
            (*where, task_id, task_path, WRITES_IDX_MAP.get(channel, n), channel, *self.serde.dumps_typed(value))
            for n, (channel, value) in enumerate(writes)
        ]
        anew = all(channel in WRITES_IDX_MAP for channel, _ in writes)
        await self._write((_WRITES.format("REPLACE" if anew else "IGNORE"), rows))

    async def drain(self) -> None:
        """Wait until all that was put in line has been written, also for runs that no longer wait for it."""
        await self._line.drain()

    async def _write(self, statement: Statement) -> None:
        if not self.is_setup:
            await self.setup()
        await self._line.write(statement)


class _Line:
    """What waits to be written, and the task that writes it.

    Args:
        connection: The database.
        lock: Held while it is used.
    """

    def __init__(self, connection: aiosqlite.Connection, lock: asyncio.Lock) -> None:
        self._connection = connection
        self._lock = lock
        self._waiting: list[tuple[Statement, asyncio.Future[None]]] = []
        self._writing: asyncio.Task[None] | None = None

    async def write(self, statement: Statement) -> None:
        """Have a statement executed; returns when it is committed."""
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((statement, done))
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write_all())
        await done

    async def drain(self) -> None:
        """Wait until nothing waits."""
        while self._writing is not None and not self._writing.done():
            await asyncio.wait([self._writing])

    async def _write_all(self) -> None:
        while self._waiting:
            batch, self._waiting = self._waiting, []
            failure: Exception | None = None
            try:
                statements = [statement for statement, _ in batch]
                async with self._lock:
                    # The one way to the database's thread with more than a statement.
                    await self._connection._execute(_commit, self._connection._conn, statements)  # type: ignore[no-untyped-call]  # noqa: SLF001
            except Exception as error:  # noqa: BLE001 - it belongs to those who wait
                failure = error
            for _, done in batch:
                if done.done():
                    continue  # whoever waited was cancelled
                if failure is None:
                    done.set_result(None)
                else:
                    done.set_exception(failure)


def _commit(connection: sqlite3.Connection, statements: list[Statement]) -> None:
    """Execute statements as one transaction. Runs in the database's thread."""
    try:
        for sql, rows in statements:
            connection.executemany(sql, rows)
        connection.commit()
    except BaseException:
        connection.rollback()
        raise
