"""Fencing: each claim on a thread raises the thread's epoch, and writes under an earlier epoch are refused.

A lock alone is not enough: Postgres drops it with a lost connection, and a stalled process wakes up and continues. So
every write of a run (checkpoints, the log of acting calls, the store) checks in its transaction that its claim is the
newest. Triggers in the database refuse writes of older versions of Weiwo, which have no epochs.
"""

import sqlite3
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Final

from weiwo.graph.persistence.storage import BUSY_SECONDS
from weiwo.state.errors import WeiwoError

_VERSION_MARK: Final = "this_database_needs_a_newer_weiwo"
"""SQL function that only versions with epochs define. In an older version, SQLite's error names it as missing."""

_SQLITE_TABLES: Final = (
    "CREATE TABLE IF NOT EXISTS weiwo_claims (thread_id TEXT PRIMARY KEY, epoch INTEGER NOT NULL) WITHOUT ROWID",
    """CREATE TABLE IF NOT EXISTS weiwo_acting_calls (
        key TEXT PRIMARY KEY, thread_id TEXT NOT NULL, text TEXT NOT NULL, expires REAL NOT NULL) WITHOUT ROWID""",
    *(
        f"CREATE TRIGGER IF NOT EXISTS weiwo_version_of_{table} BEFORE INSERT ON {table}"
        f" WHEN {_VERSION_MARK}() IS NULL BEGIN SELECT RAISE(ABORT, 'version'); END"
        for table in ("checkpoints", "writes")
    ),
)

_POSTGRES_VERSION: Final = "weiwo.version"
_POSTGRES_TABLES: Final = (
    "CREATE TABLE IF NOT EXISTS weiwo_claims (thread_id TEXT PRIMARY KEY, epoch BIGINT NOT NULL)",
    """CREATE TABLE IF NOT EXISTS weiwo_acting_calls (
        key TEXT PRIMARY KEY, thread_id TEXT NOT NULL, text TEXT NOT NULL, expires DOUBLE PRECISION NOT NULL)""",
    # Writers of a thread share the lock, and a claim takes it exclusively, so that no write spans a claim.
    """CREATE OR REPLACE FUNCTION weiwo_require_epoch(thread TEXT, mine BIGINT) RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
        PERFORM pg_advisory_xact_lock_shared(hashtextextended('weiwo epoch:' || thread, 0));
        IF (SELECT epoch FROM weiwo_claims WHERE thread_id = thread) IS DISTINCT FROM mine THEN
            RAISE EXCEPTION 'weiwo: the claim on the thread is past' USING ERRCODE = 'WEI01';
        END IF;
    END $$""",
    f"""CREATE OR REPLACE FUNCTION weiwo_require_version() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF coalesce(current_setting('{_POSTGRES_VERSION}', true), '') = '' THEN
            RAISE EXCEPTION 'this database needs a newer Weiwo' USING ERRCODE = 'WEI02';
        END IF;
        RETURN NULL;
    END $$""",
)
_POSTGRES_TRIGGER: Final = """
DO $$ BEGIN
    IF NOT EXISTS (SELECT 1 FROM pg_trigger WHERE tgname = 'weiwo_version' AND tgrelid = '{0}'::regclass) THEN
        CREATE TRIGGER weiwo_version BEFORE INSERT OR UPDATE ON {0}
            FOR EACH STATEMENT EXECUTE FUNCTION weiwo_require_version();
    END IF;
END $$"""
_RAISE_EPOCH: Final = """
INSERT INTO weiwo_claims (thread_id, epoch) VALUES ({0}, {0})
ON CONFLICT (thread_id) DO UPDATE SET epoch = max(weiwo_claims.epoch + 1, excluded.epoch) RETURNING epoch"""
LOST_STATE: Final = "WEI01"
"""SQLSTATE of the error for a write under a lost claim."""


@dataclass(eq=False, slots=True)
class ThreadClaim:
    """A process's claim on a thread."""

    thread_id: str
    epoch: int  # higher than that of every earlier claim
    lost: bool = False  # whether another process is known to have claimed the thread since

    def require(self) -> None:
        """Raise an error if the claim is known to be lost. Does not ask the database.

        Raises:
            LostClaimError: The claim is known to be lost.
        """
        if self.lost:
            raise LostClaimError(self.thread_id)


class LostClaimError(WeiwoError, RuntimeError):
    """Error raised for a write after another process has claimed the thread. The message is one line."""

    def __init__(self, thread_id: str) -> None:
        super().__init__(
            f"thread {thread_id} was taken over by another process, so this run ends and its unsaved work "
            f"is left to that process; see weiwo show {thread_id}"
        )


_current: ContextVar[ThreadClaim | None] = ContextVar("weiwo_claim", default=None)


def current_claim() -> ThreadClaim | None:
    """Return the claim under which the current code runs, or None."""
    return _current.get()


def claimed_thread() -> str:
    """Return the id of the thread that the current code has claimed, or an empty string."""
    claim = _current.get()
    return "" if claim is None else claim.thread_id


@contextmanager
def under_claim(claim: ThreadClaim) -> Iterator[None]:
    """Context manager for work under a claim.

    Writes inside are refused once another process has claimed the thread.
    """
    token = _current.set(claim)
    try:
        yield
    finally:
        _current.reset(token)


@asynccontextmanager
async def taking_over(saver: Any, thread_id: str) -> AsyncIterator[None]:
    """Context manager for changing a thread from outside a run.

    Inside, writes are made under a new claim, unless the current code has claimed the thread already or the saver has
    no epochs. A run that works on the thread at that moment cannot write any more and ends with a `LostClaimError`.
    """
    raise_epoch = getattr(saver, "raise_epoch", None)
    if raise_epoch is None or claimed_thread() == thread_id:
        yield
        return
    with under_claim(ThreadClaim(thread_id, await raise_epoch(thread_id))):
        yield


def create_claims(database: sqlite3.Connection) -> None:
    """Create the tables of claims and acting calls, also in a database without the saver's tables."""
    for statement in _SQLITE_TABLES[:2]:
        database.execute(statement)


def set_up_sqlite(database: sqlite3.Connection) -> None:
    """Create tables and triggers in a database that has the saver's tables. Call it outside a transaction."""
    for statement in _SQLITE_TABLES:
        database.execute(statement)


def mark_version(database: sqlite3.Connection) -> sqlite3.Connection:
    """Mark a connection as one of a version with epochs, which the triggers let write. Returns the connection."""
    database.create_function(_VERSION_MARK, 0, lambda: 1, deterministic=True)
    return database


def raise_sqlite_epoch(database: sqlite3.Connection, thread_id: str) -> int:
    """Raise a thread's epoch and return it, in a transaction that begins with the write lock. The caller commits."""
    if not database.in_transaction:
        database.execute("BEGIN IMMEDIATE")
    # The time keeps a thread that was deleted and made again from an epoch it had before.
    row = database.execute(_RAISE_EPOCH.format("?"), (thread_id, _now())).fetchone()
    database.execute("DELETE FROM weiwo_acting_calls WHERE expires < ?", (time.time(),))
    return int(row[0])


def require_sqlite_epoch(database: sqlite3.Connection, claim: ThreadClaim, schema: str = "main") -> None:
    """Raise an error unless a claim is the newest on its thread. Call it inside the transaction that writes.

    Args:
        database: The connection.
        claim: The claim.
        schema: Name of the attached database with the claims.

    Raises:
        LostClaimError: The claim is not the newest.
    """
    claim.require()
    query = f"SELECT epoch FROM {schema}.weiwo_claims WHERE thread_id = ?"  # noqa: S608 - a name of ours
    row = database.execute(query, (claim.thread_id,)).fetchone()
    if row is None or row[0] != claim.epoch:
        claim.lost = True
        raise LostClaimError(claim.thread_id)


async def set_up_postgres(connection: Any) -> None:
    """Create tables, functions and triggers in a database that has the saver's tables."""
    for statement in (*_POSTGRES_TABLES, *map(_POSTGRES_TRIGGER.format, ("checkpoints", "checkpoint_writes"))):
        await connection.execute(statement)
    await connection.execute("DELETE FROM weiwo_acting_calls WHERE expires < %s", (time.time(),))


async def begin_fenced(connection: Any, claim: ThreadClaim | None, *, durable: bool = False) -> None:
    """Add the checks of a write to a transaction that has just begun.

    Args:
        connection: The connection.
        claim: Claim that must be the newest, or the database raises an error with `LOST_STATE`. None for no check.
        durable: Whether the commit must wait for the server's disk.

    Raises:
        LostClaimError: The claim is known to be lost.
    """
    if claim is not None:
        claim.require()
        query = "SELECT weiwo_require_epoch(%s, %s::bigint)"
        await connection.execute(query, (claim.thread_id, claim.epoch))
    # The server may be configured with `synchronous_commit = off`.
    if durable:
        await connection.execute("SET LOCAL synchronous_commit = on")


async def mark_postgres_version(connection: Any) -> None:
    """Mark a connection as one of a version with epochs, which the triggers let write."""
    await connection.execute(f"SET {_POSTGRES_VERSION} = '1'")


async def raise_postgres_epoch(connection: Any, thread_id: str) -> int:
    """Raise a thread's epoch and return it, after all writes under earlier epochs have ended.

    Raises:
        psycopg.errors.LockNotAvailable: A write under an earlier epoch did not end within `BUSY_SECONDS`.
    """
    await connection.execute(_POSTGRES_TABLES[0])
    async with connection.transaction():
        await connection.execute(f"SET LOCAL lock_timeout = '{BUSY_SECONDS}s'")
        key = f"weiwo epoch:{thread_id}"
        await connection.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", (key,))
        query = _RAISE_EPOCH.format("%s").replace("max(", "greatest(")
        row = await (await connection.execute(query, (thread_id, _now()))).fetchone()
    return int(row["epoch"] if isinstance(row, dict) else row[0])


async def postgres_epoch(connection: Any, thread_id: str) -> int | None:
    """Return the epoch of the newest claim on a thread, or None without a claim."""
    cursor = await connection.execute("SELECT epoch FROM weiwo_claims WHERE thread_id = %s", (thread_id,))
    row = await cursor.fetchone()
    return None if row is None else int(row["epoch"] if isinstance(row, dict) else row[0])


def _now() -> int:
    return int(time.time() * 1_000)
