"""LangGraph's Postgres saver for a pool: as many at a time as it has connections, and a lost connection is no lost run.

The original holds one lock around every access, also where a pool would allow eight. And a server that restarts breaks
all connections, each of which would fail a run. Reading is harmless to repeat, and what is written has its key and is
written the same again, so that either is tried once more when the connection was to blame.
"""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import psycopg
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import ChannelVersions, Checkpoint, CheckpointMetadata, CheckpointTuple
from langgraph.checkpoint.postgres import aio
from psycopg.pq import PipelineStatus
from psycopg.rows import dict_row
from psycopg_pool import AsyncConnectionPool

from weiwo.graph.persistence.saver_rules import are_cancelled, read_checkpoint
from weiwo.graph.persistence.storage import CONNECT_SECONDS

T = TypeVar("T")

PATIENCE_SECONDS = 20.0
"""How long a server may be gone before the run fails."""
_PAUSES = (0.1, 0.2, 0.4, 0.8, 1.6)
"""Seconds before each new attempt; the last one again and again."""
_SETUP_LOCK = 0x77656977  # an advisory lock of our own, "weiw"


class AsyncPostgresSaver(aio.AsyncPostgresSaver):
    """A saver on a pool."""

    mark = "%s"  # of a value in a query

    def __init__(self, pool: AsyncConnectionPool[Any], **options: Any) -> None:
        super().__init__(pool, **options)
        self._pool = pool
        # Waiting here has no time limit; waiting for the pool has, and then means that there is no server.
        self.lock = asyncio.Semaphore(pool.max_size)  # type: ignore[assignment]

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Read a checkpoint.

        Raises:
            OlderCheckpointError: An older Weiwo wrote it, and it does not fit this one.
        """
        get = super().aget_tuple
        return await read_checkpoint(self.with_reconnection(lambda: get(config)), config)

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Save a checkpoint."""
        put = super().aput
        return await self.with_reconnection(lambda: put(config, checkpoint, metadata, new_versions))

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Save what a task of an unfinished superstep wrote, unless it was cancelled."""
        if are_cancelled(writes):
            return
        put = super().aput_writes
        await self.with_reconnection(lambda: put(config, writes, task_id, task_path))

    async def fetch_rows(self, query: str, given: Sequence[Any]) -> list[Any]:
        """The rows of a query."""

        async def fetch() -> list[Any]:
            async with self._cursor() as cursor:
                await cursor.execute(query, given)
                return [tuple(row.values()) for row in await cursor.fetchall()]

        return await self.with_reconnection(fetch)

    async def execute(self, statements: Sequence[tuple[str, Sequence[Any]]]) -> None:
        """Execute statements, all or none of them."""
        async with self._cursor(pipeline=True) as cursor:
            for query, given in statements:
                await cursor.execute(query, given)

    async def with_reconnection(self, access: Callable[[], Awaitable[T]]) -> T:
        """Access the database, again while the connection is what fails.

        Raises:
            psycopg.Error: It stayed so, or something else is wrong.
        """
        until = time.monotonic() + PATIENCE_SECONDS
        attempt = 0
        while True:
            try:
                return await access()
            except (psycopg.OperationalError, psycopg.InterfaceError) as error:
                pause = _PAUSES[min(attempt, len(_PAUSES) - 1)]
                if isinstance(error, psycopg.errors.DiskFull) or time.monotonic() + pause > until:
                    raise
            attempt += 1
            await asyncio.sleep(pause)
            await self._pool.check()  # throws out the connections that broke with this one


@asynccontextmanager
async def open_pool(
    url: str, most: int, set_up: Callable[[psycopg.AsyncConnection[Any]], Awaitable[None]]
) -> AsyncIterator[AsyncConnectionPool[Any]]:
    """A pool of `most` connections to a database, whose tables `set_up` makes in one process at a time."""
    options: dict[str, Any] = {"autocommit": True, "prepare_threshold": 0, "row_factory": dict_row}
    options["connect_timeout"] = CONNECT_SECONDS
    # One plain connection first: it says what is wrong, where a pool would only time out.
    async with await psycopg.AsyncConnection.connect(url, **options) as connection:
        await _take_setup_lock(connection)
        await set_up(connection)
        await connection.execute("SELECT pg_advisory_unlock(%s)", (_SETUP_LOCK,))
    pool: AsyncConnectionPool[Any] = AsyncConnectionPool(
        url, min_size=1, max_size=most, kwargs=options, open=False, timeout=CONNECT_SECONDS, reset=_require_no_pipeline
    )
    logging.getLogger("psycopg.pool").setLevel(logging.CRITICAL)  # an error is reported where it matters, in one line
    async with pool:
        yield pool


async def _require_no_pipeline(connection: psycopg.AsyncConnection[Any]) -> None:
    """Have the pool throw out a connection that a cancel has left in pipeline mode: each read would stay a transaction.

    Raises:
        psycopg.InterfaceError: It is in that mode.
    """
    if connection.pgconn.pipeline_status != PipelineStatus.OFF:
        raise psycopg.InterfaceError("it was left in pipeline mode")


async def _take_setup_lock(connection: Any) -> None:
    """Wait for the lock, or 20 seconds without it: the statements are idempotent.

    It is polled: a session that waits inside `pg_advisory_lock` holds a snapshot, for which the migrations'
    `CREATE INDEX CONCURRENTLY` would wait in turn.
    """
    for _ in range(200):
        cursor = await connection.execute("SELECT pg_try_advisory_lock(%s) AS taken", (_SETUP_LOCK,))
        if (await cursor.fetchone())["taken"]:
            return
        await asyncio.sleep(0.1)
