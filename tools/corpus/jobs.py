"""Work that several callers want at the same time, done once.

Each piece runs in a thread of its own, so that it neither blocks an event loop nor takes the threads of one, and
serves callers in any loop. It is stopped when the last caller has gone.
"""

import asyncio
from collections.abc import Callable, Coroutine, Hashable
from concurrent.futures import Future
from contextlib import suppress
from copy import copy
from threading import Lock, Thread
from typing import Any, Final, Generic, TypeVar

from tools.corpus.base import CorpusError

T = TypeVar("T")
V = TypeVar("V")

Tell = Callable[[str], None]
"""Told what a person should know, a line at a time, from any thread; it must not block."""


class Job(Generic[T]):
    """One piece of work, and who waits for it."""

    def __init__(self) -> None:
        self.result: Future[T] = Future()
        self._listeners: list[Tell] = []
        self._lock = Lock()
        self._stopped = False
        self._running: tuple[asyncio.AbstractEventLoop, asyncio.Task[Any]] | None = None

    def tell(self, line: str) -> None:
        """Tell all who wait."""
        with self._lock:
            listeners = dict.fromkeys(self._listeners)
        for listener in listeners:
            listener(line)

    def wait_for(self, work: Coroutine[Any, Any, V]) -> V:
        """Run a coroutine in this thread.

        Raises:
            asyncio.CancelledError: Nobody waits any more.
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

    def join(self, listener: Tell) -> bool:
        """Wait, too; whether that is still possible."""
        with self._lock:
            if self._stopped:
                return False
            self._listeners.append(listener)
            return True

    def leave(self, listener: Tell) -> None:
        """Wait no longer."""
        with self._lock:
            self._listeners.remove(listener)
            self._stopped = not self._listeners
            if self._stopped and self._running is not None:
                loop, task = self._running
                loop.call_soon_threadsafe(task.cancel)


_jobs: Final[dict[Hashable, Job[Any]]] = {}
_guard: Final = Lock()


async def shared(key: Hashable, work: Callable[[Job[T]], T], tell: Tell) -> T:
    """Do a piece of work, or wait for it where it is being done.

    Args:
        key: What it is; equal keys mean equal work.
        work: The work; it may block.
        tell: Told what the work has to say.

    Returns:
        What the work returns.

    Raises:
        Exception: What the work raises; of a `CorpusError` each who waits gets a copy, and so a traceback of its own.
    """
    job = await asyncio.to_thread(_joined, key, work, tell)
    loop = asyncio.get_running_loop()
    done = asyncio.Event()

    def wake(_: Future[T]) -> None:
        with suppress(RuntimeError):  # that loop is closed: nobody waits there
            loop.call_soon_threadsafe(done.set)

    job.result.add_done_callback(wake)
    try:
        await done.wait()
    finally:
        await asyncio.shield(asyncio.to_thread(job.leave, tell))
    error = job.result.exception()
    if error is not None:
        raise copy(error) if isinstance(error, CorpusError) else error
    return job.result.result()


def _joined(key: Hashable, work: Callable[[Job[T]], T], tell: Tell) -> Job[T]:
    with _guard:
        job: Job[T] | None = _jobs.get(key)
        if job is None or not job.join(tell):
            job = _jobs[key] = Job()
            job.join(tell)
            Thread(target=_run, args=(key, job, work), daemon=True, name="corpus").start()
        return job


def _run(key: Hashable, job: Job[T], work: Callable[[Job[T]], T]) -> None:
    try:
        result = work(job)
    except BaseException as error:  # noqa: BLE001  # whoever waits gets it
        outcome: BaseException | None = error
    else:
        outcome = None
    with _guard:
        if _jobs.get(key) is job:
            del _jobs[key]
    if outcome is not None:
        job.result.set_exception(outcome)
    else:
        job.result.set_result(result)
