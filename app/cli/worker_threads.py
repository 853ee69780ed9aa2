"""Threads for blocking work that never keep the command from ending.

A tool that is written without `async` runs in a thread, which nobody can stop: where its time is up, or a person
presses Ctrl-C, it is left behind. Python's own pool waits for its threads when the event loop closes and once more
when the program exits; these are daemons, and nobody waits.
"""

import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")

WORKERS = 32


class DaemonPool(ThreadPoolExecutor):
    """A pool of daemon threads. It is a `ThreadPoolExecutor` because event loops take no other kind."""

    def __init__(self, workers: int = WORKERS) -> None:
        super().__init__(workers)
        self._jobs: deque[Callable[[], None]] = deque()
        self._idle = 0
        self._started = 0
        self._changed = threading.Condition()

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

        with self._changed:
            self._jobs.append(job)
            if len(self._jobs) > self._idle and self._started < self._max_workers:
                self._started += 1
                threading.Thread(target=self._work, daemon=True, name=f"weiwo-{self._started}").start()
            self._changed.notify()
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT001, FBT002 - as inherited
        """Nothing: the threads end with the program."""

    def _work(self) -> None:
        while True:
            with self._changed:
                self._idle += 1
                while not self._jobs:
                    self._changed.wait()
                self._idle -= 1
                job = self._jobs.popleft()
            job()
