"""Threads for blocking work that never keep the command from ending.

A tool that is written without `async` runs in a thread, which nobody can stop: where its time is up, or a person
presses Ctrl-C, it is left behind. Python's own pool waits for its threads when the event loop closes and once more
when the program exits; these are daemons, and nobody waits.
"""

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

T = TypeVar("T")

WORKERS = 32


class DaemonPool(ThreadPoolExecutor):
    """A pool of daemon threads. It is a `ThreadPoolExecutor` because event loops take no other kind."""

    def __init__(self, workers: int = WORKERS) -> None:
        super().__init__(workers)
        self._jobs: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._free = threading.Semaphore(0)
        self._started = 0
        self._starting = threading.Lock()

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        """Run a function in one of the threads."""
        future: Future[T] = Future()

        def job() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                result = fn(*args, **kwargs)
            except BaseException as error:  # noqa: BLE001 - whatever it is belongs to who asked
                future.set_exception(error)
            else:
                future.set_result(result)

        self._jobs.put(job)
        if not self._free.acquire(blocking=False):
            with self._starting:
                if self._started < self._max_workers:
                    self._started += 1
                    threading.Thread(target=self._work, daemon=True, name=f"weiwo-{self._started}").start()
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT001, FBT002 - as inherited
        """Nothing: the threads end with the program."""

    def _work(self) -> None:
        while True:
            try:
                job = self._jobs.get_nowait()
            except Empty:
                self._free.release()
                job = self._jobs.get()
            job()
