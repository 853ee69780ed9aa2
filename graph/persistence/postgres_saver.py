"""LangGraph's Postgres saver with a connection pool and reconnection.

LangGraph's saver holds a lock around every access, even with a pool of eight connections. And a restart of the server
breaks all connections, each of which would fail a run. Here accesses are retried if the connection failed: reads have
no effect, and writes have keys, so that repeating them writes the same again.
"""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from contextvars import ContextVar
from typing import Any, TypeVar

import psycopg
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import ChannelVersions, Checkpoint, CheckpointMetadata, CheckpointTuple
from langgraph.checkpoint.postgres import aio
from psycopg.pq import PipelineStatus
from psycopg.rows import dict_row
from psycopg_pool import AsyncConnectionPool

from weiwo.graph.persistence.claims import (
    LOST_STATE,
    LostClaimError,
    ThreadClaim,
    begin_fenced,
    claimed_thread,
    current_claim,
    mark_postgres_version,
    raise_postgres_epoch,
    taking_over,
)
from weiwo.graph.persistence.saver_rules import are_answers, are_cancelled, read_checkpoint
from weiwo.graph.persistence.storage import CONNECT_SECONDS, PATIENCE_SECONDS
from weiwo.graph.persistence.thread_lock import ThreadBusyError

T = TypeVar("T")

_durable: ContextVar[bool] = ContextVar("weiwo_durable_write", default=False)
"""Whether a write waits for the server's disk, even if the server is configured otherwise."""

_PAUSES = (0.1, 0.2, 0.4, 0.8, 1.6)
"""Seconds before each retry. The last is used for all further retries."""
_SETUP_LOCK = 0x77656977  # an advisory lock of our own, "weiw"


class AsyncPostgresSaver(aio.AsyncPostgresSaver):
    """Saver on a connection pool, with retries, fencing of writes and a log of acting calls."""

    mark = "%s"  # placeholder of a value in a query

    def __init__(self, pool: AsyncConnectionPool[Any], **options: Any) -> None:
        super().__init__(pool, **options)
        self._pool = pool
        self.acting_log = PostgresActingLog(self)
        # Waiting here has no time limit; waiting for the pool has, and then means that there is no server.
        self.lock = asyncio.Semaphore(pool.max_size)  # type: ignore[assignment]

    @asynccontextmanager
    async def _cursor(self, *, pipeline: bool = False) -> AsyncIterator[Any]:
        """Context manager for a cursor, as inherited.

        With `pipeline`, as LangGraph uses it for writes, all statements are a transaction, which is refused for a lost
        claim.

        Raises:
            LostClaimError: Another process has claimed the thread.
        """
        if not pipeline:
            async with super()._cursor() as cursor:
                yield cursor
            return
        async with self.lock, self._pool.connection() as connection:
            with naming_claim(claim := current_claim()):
                async with connection.pipeline(), connection.transaction():
                    await begin_fenced(connection, claim, durable=_durable.get())
                    async with connection.cursor(binary=True, row_factory=dict_row) as cursor:
                        yield cursor

    async def raise_epoch(self, thread_id: str) -> int:
        """Claim a thread in the database and return the epoch. Writes under an earlier claim are refused from now on.

        Raises:
            ThreadBusyError: A write of another process to the thread does not end.
        """

        async def claim() -> int:
            async with self._pool.connection() as connection:
                try:
                    return await raise_postgres_epoch(connection, thread_id)
                except psycopg.errors.LockNotAvailable:
                    raise ThreadBusyError(thread_id) from None

        return await self.with_reconnection(claim)

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Read a checkpoint.

        Raises:
            OlderCheckpointError: An older Weiwo wrote the checkpoint, and it does not fit this version.
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
        """Save the writes of a task in an unfinished superstep, except those of a cancelled task."""
        if are_cancelled(writes):
            return
        put = super().aput_writes
        token = _durable.set(are_answers(writes))
        try:
            await self.with_reconnection(lambda: put(config, writes, task_id, task_path))
        finally:
            _durable.reset(token)

    async def adelete_thread(self, thread_id: str) -> None:
        """Delete a thread, and the results of acting calls in the thread."""
        delete = super().adelete_thread
        calls = [("DELETE FROM weiwo_acting_calls WHERE thread_id = %s", (thread_id,))]
        async with taking_over(self, thread_id):
            await self.with_reconnection(lambda: delete(thread_id))
            await self.with_reconnection(lambda: self.execute(calls))

    async def fetch_rows(self, query: str, given: Sequence[Any]) -> list[Any]:
        """Return the rows of a query as tuples."""

        async def fetch() -> list[Any]:
            async with self._cursor() as cursor:
                await cursor.execute(query, given)
                return [tuple(row.values()) for row in await cursor.fetchall()]

        return await self.with_reconnection(fetch)

    async def execute(self, statements: Sequence[tuple[str, Sequence[Any]]]) -> None:
        """Execute statements in a single transaction."""
        async with self._cursor(pipeline=True) as cursor:
            for query, given in statements:
                await cursor.execute(query, given)

    async def with_reconnection(self, access: Callable[[], Awaitable[T]]) -> T:
        """Access the database, with retries for 20 seconds while the connection fails.

        Raises:
            psycopg.Error: The connection kept failing, or something else is wrong.
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
            # A restart of the server breaks all pooled connections. `check` replaces the broken connections.
            await self._pool.check()


class PostgresActingLog:
    """Log of acting calls in the database of the checkpoints. See `weiwo.tools.calling.acting_calls.ActingLog`."""

    def __init__(self, saver: AsyncPostgresSaver) -> None:
        self._saver = saver

    async def get(self, key: str) -> str | None:
        """Return the recorded text of a call, or None."""
        query = "SELECT text FROM weiwo_acting_calls WHERE key = %s AND expires > %s"
        rows = await self._saver.fetch_rows(query, (key, time.time()))
        return str(rows[0][0]) if rows else None

    async def add(self, key: str, text: str, seconds: float) -> bool:
        """Record a call if its key is new, and report whether it was new and is now recorded.

        False also if the database fails or its reply is lost, so that the call is not made.
        """
        query = (
            "INSERT INTO weiwo_acting_calls (key, thread_id, text, expires) VALUES (%s, %s, %s, %s)"
            " ON CONFLICT (key) DO NOTHING"
        )
        with suppress(psycopg.Error):
            return await self._write(query, (key, claimed_thread(), text, time.time() + seconds)) == 1
        return False

    async def record_result(self, key: str, text: str, seconds: float) -> None:
        """Record the result of a call. If the write fails, the call stays recorded as begun."""
        query = (
            "INSERT INTO weiwo_acting_calls (key, thread_id, text, expires) VALUES (%s, %s, %s, %s)"
            " ON CONFLICT (key) DO UPDATE SET text = excluded.text, expires = excluded.expires"
        )
        with suppress(psycopg.Error):
            await self._write(query, (key, claimed_thread(), text, time.time() + seconds))

    async def drop(self, key: str) -> None:
        """Remove the record of a call that had no effect."""
        with suppress(psycopg.Error):
            await self._write("DELETE FROM weiwo_acting_calls WHERE key = %s", (key,))

    async def _write(self, query: str, given: Sequence[Any]) -> int:
        async def write() -> int:
            token = _durable.set(True)
            try:
                async with self._saver._cursor(pipeline=True) as cursor:  # noqa: SLF001 - of this module
                    await cursor.execute(query, given)
                return int(cursor.rowcount)
            finally:
                _durable.reset(token)

        return await self._saver.with_reconnection(write)


@contextmanager
def naming_claim(claim: ThreadClaim | None) -> Iterator[None]:
    """Context manager that turns the database's refusal of a write under a lost claim into a `LostClaimError`.

    Raises:
        LostClaimError: The database refused the write.
    """
    try:
        yield
    except psycopg.Error as error:
        if claim is None or error.sqlstate != LOST_STATE:
            raise
        claim.lost = True
        raise LostClaimError(claim.thread_id) from None


@asynccontextmanager
async def open_pool(
    url: str, most: int, set_up: Callable[[psycopg.AsyncConnection[Any]], Awaitable[None]]
) -> AsyncIterator[AsyncConnectionPool[Any]]:
    """Open a pool of connections.

    Args:
        url: URL of the database.
        most: Limit of the connections.
        set_up: Creates the tables on a connection. Called first, in one process at a time.

    Raises:
        psycopg.Error: The database cannot be reached or set up.
    """
    options: dict[str, Any] = {"autocommit": True, "prepare_threshold": 0, "row_factory": dict_row}
    options["connect_timeout"] = CONNECT_SECONDS
    # First a plain connection, because its error gives the cause, while a pool would only time out.
    async with await psycopg.AsyncConnection.connect(url, **options) as connection:
        await _take_setup_lock(connection)
        await mark_postgres_version(connection)
        await set_up(connection)
        await connection.execute("SELECT pg_advisory_unlock(%s)", (_SETUP_LOCK,))
    pool: AsyncConnectionPool[Any] = AsyncConnectionPool(
        url,
        min_size=1,
        max_size=most,
        kwargs=options,
        open=False,
        timeout=CONNECT_SECONDS,
        configure=mark_postgres_version,
        reset=_require_no_pipeline,
    )
    # The pool logs each failed attempt to connect. The call that needs the connection reports the error.
    logging.getLogger("psycopg.pool").setLevel(logging.CRITICAL)
    async with pool:
        yield pool


async def _require_no_pipeline(connection: psycopg.AsyncConnection[Any]) -> None:
    """Raise an error for a connection left in pipeline mode by a cancelled call, so that the pool drops it.

    In that mode, each read would leave a transaction open.

    Raises:
        psycopg.InterfaceError: The connection is in pipeline mode.
    """
    if connection.pgconn.pipeline_status != PipelineStatus.OFF:
        raise psycopg.InterfaceError("it was left in pipeline mode")


async def _take_setup_lock(connection: Any) -> None:
    """Wait up to 20 seconds for the setup lock, then continue without it, because the statements are idempotent.

    The lock is polled: a session that waits inside `pg_advisory_lock` holds a snapshot, and `CREATE INDEX CONCURRENTLY`
    in the migrations would wait for that.
    """
    for _ in range(200):
        cursor = await connection.execute("SELECT pg_try_advisory_lock(%s) AS taken", (_SETUP_LOCK,))
        if (await cursor.fetchone())["taken"]:
            return
        await asyncio.sleep(0.1)
