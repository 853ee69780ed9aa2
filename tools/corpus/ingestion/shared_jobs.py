"""Shared background jobs: blocking work in a thread, done once for all callers of all event loops.

Each job has a thread of its own, so that it neither blocks an event loop nor occupies its thread pool. It reports
progress to all callers that wait, and is stopped when the last of them has left. (`weiwo.tools.calling.singleflight` is
for coroutines: its work belongs to a single event loop and reports no progress.)
"""

import asyncio
from collections.abc import Callable, Coroutine, Hashable
from concurrent.futures import Future
from copy import copy
from functools import partial
from threading import Lock, Thread
from typing import Any, Final, Generic, TypeVar

from weiwo.tools.corpus.base import CorpusError

T = TypeVar("T")
V = TypeVar("V")

Notify = Callable[[str], None]
"""Callback for messages to the user, called with a line, from any thread. It must not block."""


class BackgroundJob(Generic[T]):
    """Work in a thread, with the listeners of all callers that wait for its result."""

    def __init__(self) -> None:
        self.result: Future[T] = Future()
        self._listeners: list[Notify] = []
        self._lock = Lock()
        self._stopped = False
        self._running: tuple[asyncio.AbstractEventLoop, asyncio.Task[Any]] | None = None

    def notify(self, line: str) -> None:
        """Send a line to all waiting listeners.

        The lock is not held meanwhile, so that the event loop never waits for a listener.
        """
        with self._lock:
            listeners = dict.fromkeys(self._listeners)
        for listener in listeners:
            listener(line)

    def run_coroutine(self, work: Coroutine[Any, Any, V]) -> V:
        """Run a coroutine in the job's thread, and return its result.

        Raises:
            asyncio.CancelledError: The last waiting caller has left.
        """

        async def main() -> V:
            task = asyncio.ensure_future(work)
            with self._lock:
                self._running = (asyncio.get_running_loop(), task)
                if self._stopped:
                    task.cancel()
            try:
                return await task
            finally:
                with self._lock:
                    self._running = None

        return asyncio.run(main())

    def join(self, listener: Notify) -> bool:
        """Add a waiting listener. Return False if the job was already stopped."""
        with self._lock:
            if self._stopped:
                return False
            self._listeners.append(listener)
            return True

    def leave(self, listener: Notify) -> None:
        """Remove a waiting listener. The job is cancelled when the last one has left."""
        with self._lock:
            self._listeners.remove(listener)
            self._stopped = not self._listeners
            if self._stopped and self._running is not None:
                loop, task = self._running
                loop.call_soon_threadsafe(task.cancel)


_jobs: Final[dict[Hashable, BackgroundJob[Any]]] = {}
_guard: Final = Lock()


async def run_shared(key: Hashable, work: Callable[[BackgroundJob[T]], T], tell: Notify) -> T:
    """Run work in a background thread, or wait for the work of the same key if in progress.

    Args:
        key: Identifies equal work.
        work: Function that does the work. It receives the job, for messages and coroutines.
        tell: Receives the messages of the work.

    Returns:
        The result of the work.

    Raises:
        Exception: Any error of the work. Each waiting caller gets its own copy of a `CorpusError`, for its own
            traceback.
    """
    job = _join_or_start(key, work, tell)
    try:
        return await asyncio.wrap_future(job.result)
    except CorpusError as error:
        raise copy(error) from error.__cause__
    finally:
        job.leave(tell)


def _join_or_start(key: Hashable, work: Callable[[BackgroundJob[T]], T], tell: Notify) -> BackgroundJob[T]:
    with _guard:
        job: BackgroundJob[T] | None = _jobs.get(key)
        if job is None or not job.join(tell):
            job = _jobs[key] = BackgroundJob()
            job.join(tell)
            job.result.set_running_or_notify_cancel()  # so that a cancelled caller does not cancel it for the others
            Thread(target=_run_job, args=(key, job, work), daemon=True, name="corpus").start()
        return job


def _run_job(key: Hashable, job: BackgroundJob[T], work: Callable[[BackgroundJob[T]], T]) -> None:
    try:
        end = partial(job.result.set_result, work(job))
    except BaseException as error:  # noqa: BLE001  # whoever waits gets it
        end = partial(job.result.set_exception, error)
    with _guard:
        if _jobs.get(key) is job:
            del _jobs[key]
    end()
