"""Group commit: a SQLite connection in a separate thread, with a transaction for all waiting work.

Work is a function of the connection. The waiting caller may be cancelled at any moment and on any event loop: the work
is done entirely or not at all, and no transaction stays open. All functions waiting in the queue share a transaction
and a switch of threads.
"""

import asyncio
import sqlite3
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from threading import Thread, current_thread
from typing import Any, TypeVar

T = TypeVar("T")
_Work = Callable[[sqlite3.Connection], Any]
_Outcome = tuple["asyncio.Future[Any]", Any, BaseException | None]


@dataclass(frozen=True, slots=True)
class _Waiting:
    """Function in the queue, with the future of its result."""

    work: _Work
    done: "asyncio.Future[Any] | Future[Any]"
    durable: bool  # whether the commit must be synced to disk before `done` is set


class SqliteThread:
    """Connection with a thread that alone uses it.

    The thread opens the connection for the first function. If that fails, the function gets the error, and the next
    function tries again.

    Args:
        connect: Opens the connection.
        name: Name of the thread.
    """

    def __init__(self, connect: Callable[[], sqlite3.Connection], name: str) -> None:
        self._connect = connect
        self._database: sqlite3.Connection | None = None
        self._queue: SimpleQueue[_Waiting | None] = SimpleQueue()
        self._thread = Thread(target=self._serve, name=name, daemon=True)
        self._thread.start()

    async def run(self, work: Callable[[sqlite3.Connection], T], *, durable: bool = False) -> T:
        """Run a function on the connection, and return after the commit.

        With `durable`, the commit is synced to disk, so that a power cut cannot undo it. The result must not be a
        cursor, because cursors belong to the thread.

        Raises:
            sqlite3.Error: The database cannot be used. Other errors are those of the function.
        """
        done: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._queue.put(_Waiting(work, done, durable))
        return await done

    def run_blocking(self, work: Callable[[sqlite3.Connection], T], *, durable: bool = False) -> T:
        """Run a function on the connection as `run` does, for a caller without an event loop.

        A call from within such a function runs at once, in the same transaction.
        """
        if self._database is not None and current_thread() is self._thread:
            return work(self._database)
        done: Future[T] = Future()
        self._queue.put(_Waiting(work, done, durable))
        return done.result()

    async def close(self) -> None:
        """Close the connection after all pending work."""
        self._queue.put(None)
        await asyncio.to_thread(self._thread.join)

    def _serve(self) -> None:
        going = True
        while going:
            waiting = [self._queue.get()]
            with suppress(Empty):
                while True:
                    waiting.append(self._queue.get_nowait())
            going = None not in waiting
            if works := [item for item in waiting if item is not None]:
                _settle(works, self._do)
        if self._database is not None:
            # All works are committed by now, so an error on closing is harmless.
            with suppress(sqlite3.Error):
                self._database.close()

    def _do(self, waiting: list[_Waiting]) -> list[Any]:
        if self._database is None:
            self._database = self._connect()
        if any(item.durable for item in waiting):
            return self._do_durably(self._database, waiting)
        # All waiting works share a single transaction and thus a single commit.
        with self._database as database:
            return [item.work(database) for item in waiting]

    def _do_durably(self, database: sqlite3.Connection, waiting: list[_Waiting]) -> list[Any]:
        """Run functions in a transaction with a commit synced to disk. All earlier commits are then on disk, too."""
        database.execute("PRAGMA synchronous=FULL")
        try:
            with database:
                return [item.work(database) for item in waiting]
        finally:
            database.execute("PRAGMA synchronous=NORMAL")


def _settle(waiting: list[_Waiting], do: Callable[[list[_Waiting]], list[Any]]) -> None:
    """Run several functions in a transaction, or each in its own if any fails, and set the futures of the callers."""
    outcomes: list[tuple[Any, BaseException | None]]
    try:
        outcomes = [(result, None) for result in do(waiting)]
    except BaseException as error:  # noqa: BLE001 - it belongs to those who wait
        if len(waiting) > 1:
            for item in waiting:
                _settle([item], do)
            return
        outcomes = [(None, error)]
    by_loop: dict[asyncio.AbstractEventLoop, list[_Outcome]] = {}
    for item, (result, failure) in zip(waiting, outcomes, strict=True):
        future = item.done
        if isinstance(future, asyncio.Future):
            by_loop.setdefault(future.get_loop(), []).append((future, result, failure))
        else:
            _tell(future, result, failure)
    for loop, results in by_loop.items():
        # The caller's event loop may have been closed in the meantime.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(_tell_all, results)


def _tell_all(outcomes: list[_Outcome]) -> None:
    for future, result, failure in outcomes:
        # A future is already done if its caller was cancelled.
        if not future.done():
            _tell(future, result, failure)


def _tell(future: Any, result: Any, failure: BaseException | None) -> None:
    if failure is None:
        future.set_result(result)
    else:
        future.set_exception(failure)
