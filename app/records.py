"""Server records in SQLite: owners of threads, runs, spending of users, and the event log.

Threads themselves are in the checkpoint database, which the command shares. The data here belongs to the server, except
the names of threads that the command keeps for the operator (`thread_lock`). Threads without a record belong to the
operator, too. Every method is one task of the database's thread, in the order of the calls.
"""

import sqlite3
import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, Self, TypeVar

import orjson

from weiwo.graph.persistence.sqlite_thread import SqliteThread
from weiwo.graph.persistence.storage import StorageError, open_private, sqlite_error
from weiwo.graph.persistence.thread_lock import RECORDS_FILE, THREADS_TABLE
from weiwo.tools.sqlite_files import use_write_ahead_log

_KEPT_RUNS: Final = 200
"""Ended runs of a user whose events are kept. The results of older runs are only in their threads."""
_KEPT_ROWS: Final = 5_000
"""Ended runs of a user whose records are kept."""
_KEPT_DAYS: Final = 90
"""Days for which users' spending is kept."""
_VERSION: Final = 1
"""Version of the database schema. A file of a later version is refused."""
T = TypeVar("T")
RunStatus = Literal["pending", "running", "success", "error", "interrupted"]
UNDER_WAY: Final = frozenset({"pending", "running"})

_TABLES: Final = f"""
{THREADS_TABLE};
CREATE INDEX IF NOT EXISTS threads_by_time ON threads (owner, updated);
CREATE TABLE IF NOT EXISTS runs (
    run_id TEXT PRIMARY KEY, thread_id TEXT NOT NULL, owner TEXT NOT NULL, created REAL NOT NULL, updated REAL NOT NULL,
    status TEXT NOT NULL, attempt INTEGER NOT NULL, request BLOB NOT NULL, error TEXT NOT NULL DEFAULT '');
CREATE INDEX IF NOT EXISTS runs_by_thread ON runs (thread_id, created);
CREATE INDEX IF NOT EXISTS runs_by_owner ON runs (owner, created);
CREATE INDEX IF NOT EXISTS runs_by_status ON runs (status, created);
CREATE TABLE IF NOT EXISTS events (
    run_id TEXT NOT NULL, attempt INTEGER NOT NULL, seq INTEGER NOT NULL, name TEXT NOT NULL, data BLOB NOT NULL,
    at REAL NOT NULL, PRIMARY KEY (run_id, attempt, seq)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS secrets (
    hash TEXT PRIMARY KEY, kind TEXT NOT NULL, user TEXT NOT NULL, expires REAL NOT NULL);
CREATE TABLE IF NOT EXISTS model_keys (owner TEXT PRIMARY KEY, key TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS spending (
    owner TEXT NOT NULL, day TEXT NOT NULL, runs INTEGER NOT NULL, tokens INTEGER NOT NULL, cost REAL NOT NULL,
    PRIMARY KEY (owner, day)) WITHOUT ROWID;
"""
_TRIM_EVENTS: Final = """
DELETE FROM events WHERE run_id IN (
    SELECT run_id FROM runs WHERE owner = ? AND status NOT IN ('pending', 'running')
    ORDER BY created DESC LIMIT -1 OFFSET ?)
"""
_TRIM_RUNS: Final = """
DELETE FROM runs WHERE run_id IN (
    SELECT run_id FROM runs WHERE owner = ? AND status NOT IN ('pending', 'running')
    ORDER BY created DESC LIMIT -1 OFFSET ?)
"""
_ROW_BYTES: Final = 300
"""Estimated overhead of a row and its index entries, in bytes."""
_KEPT_BYTES: Final = """
SELECT SUM(length(metadata) + :row) FROM threads WHERE owner = :owner
UNION ALL SELECT SUM(length(request) + length(error) + :row) FROM runs WHERE owner = :owner
UNION ALL SELECT SUM(length(data) + :row) FROM events WHERE run_id IN (SELECT run_id FROM runs WHERE owner = :owner)
"""


@dataclass(frozen=True, slots=True)
class ThreadRecord:
    """The server's record of a thread. The thread's content is in its checkpoints."""

    thread_id: str
    owner: str  # the user it belongs to
    created: float  # when it was made, in seconds of the epoch
    updated: float  # when a run or a client last touched it
    metadata: dict[str, Any]  # metadata set by clients


@dataclass(frozen=True, slots=True)
class RunRecord:
    """The server's record of a run."""

    run_id: str
    thread_id: str  # its thread
    owner: str  # the user who started it
    created: float  # when, in seconds of the epoch
    updated: float  # when its status last changed
    status: RunStatus
    attempt: int  # 1; one more each time a server took it up again
    request: dict[str, Any]  # the request, a dumped `run_request.RunRequest`
    error: str  # why it failed, in one line; else empty


class Spending(NamedTuple):
    """The spending of a user on one day."""

    runs: int = 0  # questions asked
    tokens: int = 0  # input and output tokens of model calls
    cost: float = 0.0  # US dollars, as far as prices are known


@dataclass(frozen=True, slots=True)
class Event:
    """An event of a run, in the form in which it is sent to clients."""

    attempt: int  # the attempt it belongs to
    seq: int  # its number within the attempt, from 1
    name: str  # its name, such as `values`
    data: bytes  # its data, as JSON
    at: float  # when it came, in seconds of the epoch

    @property
    def id(self) -> str:
        """Id of the event: the attempt and the number in it, as in "1-7".

        Ids grow over a run. A new attempt has higher ids, even if a killed server lost events of the attempt before.
        """
        return f"{self.attempt}-{self.seq}"


class Records:
    """The open database of the server: threads, runs, events, spending and secrets of all users."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._thread = SqliteThread(self._connect, "weiwo-records")

    @classmethod
    @asynccontextmanager
    async def open(cls, home: str) -> AsyncIterator[Self]:
        """Open the database in the folder of Weiwo's own files.

        Raises:
            StorageError: It cannot be used.
        """
        records = cls(Path(home) / RECORDS_FILE)
        try:
            await records._do(lambda _: None)
            yield records
        finally:
            await records._thread.close()

    async def thread(self, thread_id: str) -> ThreadRecord | None:
        """Return a thread's record, or None if there is none."""
        rows = await self._all("SELECT * FROM threads WHERE thread_id = ?", (thread_id,))
        return _thread(rows[0]) if rows else None

    async def threads(self, owner: str, limit: int) -> list[ThreadRecord]:
        """Return the threads of a user, most recently used first."""
        query = "SELECT * FROM threads WHERE owner = ? ORDER BY updated DESC LIMIT ?"
        return [_thread(row) for row in await self._all(query, (owner, limit))]

    async def threads_of(self, thread_ids: Sequence[str]) -> dict[str, ThreadRecord]:
        """Return the records of the given threads, by id."""
        query = "SELECT * FROM threads WHERE thread_id IN (SELECT value FROM json_each(?))"
        return {row[0]: _thread(row) for row in await self._all(query, (orjson.dumps(list(thread_ids)).decode(),))}

    async def put_thread(self, thread_id: str, owner: str, metadata: dict[str, Any]) -> None:
        """Create a thread's record, or replace the metadata of an existing one."""
        now = time.time()
        await self._write(
            "INSERT INTO threads (thread_id, owner, created, updated, metadata) VALUES (?, ?, ?, ?, ?)"
            " ON CONFLICT (thread_id) DO UPDATE SET updated = excluded.updated, metadata = excluded.metadata",
            (thread_id, owner, now, now, orjson.dumps(metadata).decode()),
        )

    async def touch_thread(self, thread_id: str, owner: str) -> None:
        """Record that a thread was used now. A missing record is created."""
        now = time.time()
        await self._write(
            "INSERT INTO threads (thread_id, owner, created, updated) VALUES (?, ?, ?, ?)"
            " ON CONFLICT (thread_id) DO UPDATE SET updated = excluded.updated",
            (thread_id, owner, now, now),
        )

    async def delete_thread(self, thread_id: str) -> None:
        """Delete a thread's record, with its runs and events."""

        def delete(database: sqlite3.Connection) -> None:
            database.execute(
                "DELETE FROM events WHERE run_id IN (SELECT run_id FROM runs WHERE thread_id = ?)", (thread_id,)
            )
            database.execute("DELETE FROM runs WHERE thread_id = ?", (thread_id,))
            database.execute("DELETE FROM threads WHERE thread_id = ?", (thread_id,))

        await self._do(delete)

    async def run(self, run_id: str) -> RunRecord | None:
        """Return a run's record, or None if there is none."""
        rows = await self._all("SELECT * FROM runs WHERE run_id = ?", (run_id,))
        return _run(rows[0]) if rows else None

    async def runs(self, thread_id: str, limit: int, offset: int = 0, status: str = "") -> list[RunRecord]:
        """Return the runs of a thread, newest first. With a status, only runs with this status."""
        query = "SELECT * FROM runs WHERE thread_id = ? AND (? = '' OR status = ?)"
        given = (thread_id, status, status, limit, offset)
        return [_run(row) for row in await self._all(query + " ORDER BY created DESC LIMIT ? OFFSET ?", given)]

    async def last_runs(self, thread_ids: Sequence[str]) -> dict[str, RunRecord]:
        """Return the newest run of each given thread, by thread id. Threads without a run are left out."""
        found = [await self.runs(name, 1) for name in thread_ids]
        return {runs[0].thread_id: runs[0] for runs in found if runs}

    async def runs_under_way(self) -> list[RunRecord]:
        """Return the unfinished runs, oldest first."""
        query = "SELECT * FROM runs WHERE status IN ('pending', 'running') ORDER BY created"
        return [_run(row) for row in await self._all(query, ())]

    async def put_run(self, run: RunRecord) -> None:
        """Insert the record of a new run."""
        row = (run.run_id, run.thread_id, run.owner, run.created, run.updated, run.status, run.attempt)
        await self._write(
            "INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (*row, orjson.dumps(run.request), run.error),
        )

    async def set_status(self, run_id: str, status: RunStatus, attempt: int, error: str = "") -> None:
        """Set the status, attempt and error message of a run."""
        query = "UPDATE runs SET status = ?, attempt = ?, error = ?, updated = ? WHERE run_id = ?"
        await self._write(query, (status, attempt, error, time.time(), run_id))

    async def delete_run(self, run_id: str) -> None:
        """Delete a run with all events."""

        def delete(database: sqlite3.Connection) -> None:
            database.execute("DELETE FROM events WHERE run_id = ?", (run_id,))
            database.execute("DELETE FROM runs WHERE run_id = ?", (run_id,))

        await self._do(delete)

    async def append(self, events: Iterable[tuple[str, Event]]) -> None:
        """Append events, each with the id of the run."""
        rows = [(run_id, item.attempt, item.seq, item.name, item.data, item.at) for run_id, item in events]

        def insert(database: sqlite3.Connection) -> None:
            database.executemany("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?)", rows)

        await self._do(insert)

    async def events(self, run_id: str, after: tuple[int, int], limit: int = 200) -> list[Event]:
        """Return the next events of a run in order, at most `limit`.

        They are those after the attempt and number in `after`: (1, 7) starts with the event "1-8", if there is one.
        """
        query = (
            "SELECT attempt, seq, name, data, at FROM events WHERE run_id = ? AND (attempt, seq) > (?, ?)"
            " ORDER BY attempt, seq LIMIT ?"
        )
        return [Event(*row) for row in await self._all(query, (run_id, *after, limit))]

    async def timeline(self, thread_id: str, limit: int) -> list[tuple[str, Event]]:
        """Return the last `limit` stream events (`state/events.py`) of a thread, oldest first, each with the run id."""
        query = (
            "SELECT e.run_id, e.attempt, e.seq, e.name, e.data, e.at FROM events AS e JOIN runs AS r USING (run_id)"
            " WHERE r.thread_id = ? AND (e.name = 'custom' OR e.name LIKE 'custom|%')"
            " ORDER BY e.at DESC, e.seq DESC LIMIT ?"
        )
        rows = await self._all(query, (thread_id, limit))
        return [(row[0], Event(*row[1:])) for row in reversed(rows)]

    async def thread_ids(self, owner: str) -> list[str]:
        """Return the ids of all threads of a user."""
        return [row[0] for row in await self._all("SELECT thread_id FROM threads WHERE owner = ?", (owner,))]

    async def kept_bytes(self, owner: str) -> int:
        """Estimate the bytes that a user's threads, runs and events take in this database, without checkpoints."""
        rows = await self._all(_KEPT_BYTES, {"owner": owner, "row": _ROW_BYTES})
        return sum(row[0] or 0 for row in rows)

    async def trim(self, owner: str) -> None:
        """Delete old data: the events and records of a user's oldest ended runs, and old spending of all users.

        Expired tokens and logins of all users are deleted too.
        """

        def delete(database: sqlite3.Connection) -> None:
            database.execute(_TRIM_EVENTS, (owner, _KEPT_RUNS))
            database.execute(_TRIM_RUNS, (owner, _KEPT_ROWS))
            database.execute("DELETE FROM secrets WHERE expires < ?", (time.time(),))
            database.execute("DELETE FROM spending WHERE day < date('now', ?)", (f"-{_KEPT_DAYS} days",))

        await self._do(delete)

    async def spending(self, owner: str, day: str) -> Spending:
        """Return the spending of a user on a day."""
        rows = await self._all("SELECT runs, tokens, cost FROM spending WHERE owner = ? AND day = ?", (owner, day))
        return Spending(*rows[0]) if rows else Spending()

    async def add_spending(self, owner: str, day: str, more: Spending) -> None:
        """Add to what a user has spent on a day. The day is a date in UTC, as "2026-01-31"."""
        await self._write(
            "INSERT INTO spending VALUES (?, ?, ?, ?, ?) ON CONFLICT (owner, day) DO UPDATE SET runs = runs +"
            " excluded.runs, tokens = tokens + excluded.tokens, cost = cost + excluded.cost",
            (owner, day, *more),
        )

    async def put_secret(self, digest: str, kind: str, user: str, expires: float) -> None:
        """Store the hash of a user's token or login.

        Args:
            digest: The hash.
            kind: `token` or `login`.
            user: The user.
            expires: The end of its validity, in seconds since 1970.
        """
        await self._write("INSERT OR REPLACE INTO secrets VALUES (?, ?, ?, ?)", (digest, kind, user, expires))

    async def secret_owner(self, digest: str, kind: str) -> str | None:
        """Return the owner of a token or login by hash, or None if the hash is unknown or expired."""
        query = "SELECT user FROM secrets WHERE hash = ? AND kind = ? AND expires > ?"
        rows = await self._all(query, (digest, kind, time.time()))
        return str(rows[0][0]) if rows else None

    async def delete_secrets(self, *, digest: str = "", user: str = "") -> None:
        """Delete a token or login by its hash, or all tokens and logins of a user."""
        await self._write("DELETE FROM secrets WHERE hash = ? OR user = ?", (digest, user))

    async def model_key(self, owner: str) -> str:
        """Return the user's own model key, or an empty string."""
        rows = await self._all("SELECT key FROM model_keys WHERE owner = ?", (owner,))
        return str(rows[0][0]) if rows else ""

    async def put_model_key(self, owner: str, key: str) -> None:
        """Store a user's model key, replacing any earlier key."""
        await self._write("INSERT OR REPLACE INTO model_keys VALUES (?, ?)", (owner, key))

    async def delete_model_key(self, owner: str) -> None:
        """Forget a user's model key."""
        await self._write("DELETE FROM model_keys WHERE owner = ?", (owner,))

    async def has_tokens(self) -> bool:
        """Report whether any token exists."""
        return bool(await self._all("SELECT 1 FROM secrets WHERE kind = 'token' LIMIT 1", ()))

    async def _all(self, query: str, given: Sequence[Any] | Mapping[str, Any]) -> list[Any]:
        return await self._do(lambda database: database.execute(query, given).fetchall())

    async def _write(self, query: str, given: Sequence[Any]) -> None:
        def write(database: sqlite3.Connection) -> None:
            database.execute(query, given)  # its cursor ends here: another thread's would reset a statement in use

        await self._do(write)

    async def _do(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run a function on the database as a transaction, and return its result.

        The result is used in another thread, so it must not be a cursor.
        """
        try:
            return await self._thread.run(work)
        except sqlite3.Error as error:
            raise sqlite_error(self._path, error) from error

    def _connect(self) -> sqlite3.Connection:
        database = open_private(self._path)
        (version,) = database.execute("PRAGMA user_version").fetchone()
        if version > _VERSION:
            database.close()
            raise StorageError(
                f"cannot use {self._path}, because a newer Weiwo wrote it; use that version, or set WEIWO_HOME"
            )
        use_write_ahead_log(database)
        database.execute("PRAGMA secure_delete=FAST")  # a key that is deleted is overwritten
        database.executescript(f"{_TABLES}PRAGMA user_version = {_VERSION};")
        return database


def _thread(row: Sequence[Any]) -> ThreadRecord:
    thread_id, owner, created, updated, metadata = row
    return ThreadRecord(thread_id, owner, created, updated, orjson.loads(metadata))


def _run(row: Sequence[Any]) -> RunRecord:
    run_id, thread_id, owner, created, updated, status, attempt, request, error = row
    return RunRecord(run_id, thread_id, owner, created, updated, status, attempt, orjson.loads(request), error)
