"""LangGraph's Postgres saver for a pool: as many at a time as it has connections, and a lost connection is no lost run.

The original holds one lock around every access, also where a pool would allow eight. And a server that restarts breaks
all connections, each of which would fail a run. Reading is harmless to repeat, and what is written has its key and is
written the same again, so that either is tried once more when the connection was to blame.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

import psycopg
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import ChannelVersions, Checkpoint, CheckpointMetadata, CheckpointTuple
from langgraph.checkpoint.postgres import aio
from psycopg_pool import AsyncConnectionPool

from weiwo.graph.persistence.cancelled_writes import are_cancelled
from weiwo.graph.persistence.checkpoint_clock import continue_after
from weiwo.graph.persistence.storage import naming_thread

T = TypeVar("T")

PATIENCE_SECONDS = 20.0
"""How long a server may be gone before the run fails."""
PAUSES = (0.1, 0.2, 0.4, 0.8, 1.6)
"""Seconds before each new attempt; the last one again and again."""


class AsyncPostgresSaver(aio.AsyncPostgresSaver):
    """A saver on a pool.

    Args:
        pool: The pool, open.
        serde: The serializer.
    """

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
        with naming_thread(config):
            read = await self.with_reconnection(lambda: get(config))
        if read is not None:
            continue_after(read.checkpoint["id"])
        return read

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
                pause = PAUSES[min(attempt, len(PAUSES) - 1)]
                if isinstance(error, psycopg.errors.DiskFull) or time.monotonic() + pause > until:
                    raise
            attempt += 1
            await asyncio.sleep(pause)
            await self._pool.check()  # throws out the connections that broke with this one
