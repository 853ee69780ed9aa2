"""Event loop of a command: runs the coroutine and cancels on Ctrl-C, SIGTERM or SIGHUP.

A tool written without `async` runs in a thread, which cannot be stopped. If its time is up, or if a person presses
Ctrl-C, the thread is left behind. Python's own pool waits for its threads when the event loop closes and once more when
the program exits. The threads of this module are daemons, so nothing waits for them.
"""

import asyncio
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import Any, TypeVar, cast

from weiwo.app.cli.errors import INTERRUPTED, TERMINATED, CommandError
from weiwo.app.cli.output import is_terminal
from weiwo.state.errors import WeiwoError

T = TypeVar("T")

PATIENCE_SECONDS = 3.0
"""Seconds that a stopped command has to clean up before the process ends."""
_HANG_UP = getattr(signal, "SIGHUP", None)
_STOPS = tuple(sent for sent in (signal.SIGINT, signal.SIGTERM, _HANG_UP) if sent is not None)
"""Signals that stop a command: Ctrl-C, a request to terminate, and a closed terminal (not on Windows)."""
_SHOW_CURSOR = "\x1b[?25h"
_WORKERS = 32


class InterruptedRunError(WeiwoError):
    """A signal ended the work of the event loop. `code` is the exit code for the signal."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class _DaemonPool(ThreadPoolExecutor):
    """A pool of daemon threads. Subclasses `ThreadPoolExecutor` because event loops accept nothing else."""

    def __init__(self, workers: int = _WORKERS) -> None:
        super().__init__(workers)
        self._jobs: deque[Callable[[], None]] = deque()
        self._idle = 0
        self._started = 0
        self._changed = threading.Condition()

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        """Run a function in a thread of the pool."""
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
        """Do nothing, because the daemon threads end with the program."""

    def _work(self) -> None:
        while True:
            with self._changed:
                self._idle += 1
                while not self._jobs:
                    self._changed.wait()
                self._idle -= 1
                job = self._jobs.popleft()
            job()


def run(work: Coroutine[Any, Any, T], stopped: Callable[[int], CommandError] | None = None) -> T:
    """Run a command's coroutine until it ends or a signal stops it, and return its result.

    Ctrl-C, SIGTERM and SIGHUP cancel the coroutine, so that files and the terminal are left in order. Further signals
    are ignored, because they would disturb the cleanup. If the cleanup takes more than `PATIENCE_SECONDS`, the process
    ends at once.

    Args:
        work: The coroutine.
        stopped: Makes the error to print in that case from the exit code.

    Raises:
        InterruptedRunError: A signal ended the work.
    """
    stops: list[int] = []
    patience: list[threading.Timer] = []
    before = {sent: signal.getsignal(sent) for sent in _STOPS}
    if before.get(_HANG_UP) == signal.SIG_IGN:
        del before[_HANG_UP]  # nohup's wish

    def stop(task: "asyncio.Task[Any]", code: int) -> None:
        if patience:
            return  # the impatient second one
        task.cancel()
        patience.append(threading.Timer(PATIENCE_SECONDS, _leave, [code, stopped]))
        patience[0].daemon = True
        patience[0].start()

    async def main() -> T:
        loop, task = asyncio.get_running_loop(), cast("asyncio.Task[Any]", asyncio.current_task())
        loop.set_default_executor(_DaemonPool())

        # Not `loop.add_signal_handler`: a signal that comes while its loop is being closed is told as an OSError.
        # Which one is the first is the loop's to see: a signal may come between any two lines of the handler.
        def note_signal(sent: int, _: object) -> None:
            stops.append(INTERRUPTED if sent == signal.SIGINT else TERMINATED)
            with suppress(RuntimeError):  # the loop is closed: all was done
                loop.call_soon_threadsafe(stop, task, stops[0])

        for sent in before:
            signal.signal(sent, note_signal)
        return await work

    try:
        return asyncio.run(main())
    except (KeyboardInterrupt, asyncio.CancelledError):
        before.update(dict.fromkeys(before, signal.SIG_IGN))  # what is left is to say so and to exit,
        patience.clear()  # still watched
        raise InterruptedRunError(stops[0] if stops else INTERRUPTED) from None
    finally:
        for timer in patience:
            timer.cancel()  # the signal came when all was done
        for sent, handler in before.items():
            signal.signal(sent, handler)


def _leave(code: int, stopped: Callable[[int], CommandError] | None) -> None:
    """End the program at once, because the cleanup took too long, for example with a hanging database."""
    words = str(stopped(code)) if stopped else "stopped; weiwo threads lists the threads that can be resumed"
    last, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    show_cursor = f"\r\x1b[2K{_SHOW_CURSOR}" if is_terminal() else ""
    for stream in (1, 2):  # what is still being drawn may not come after the last line
        os.dup2(nowhere, stream)
    os.write(last, f"{show_cursor}weiwo: {words}\n".encode())
    os._exit(code)


def run_to_end(work: Coroutine[Any, Any, T], stopped: Callable[[int], CommandError] | None = None) -> T:
    """Run a coroutine as `run` does, and end the command with an error if a signal stops it.

    Args:
        work: The coroutine.
        stopped: Makes the error from the exit code. By default, the message is just "stopped".

    Raises:
        CommandError: A signal stopped the work, for example Ctrl-C.
    """
    try:
        return run(work, stopped)
    except InterruptedRunError as stop:
        raise (stopped(stop.code) if stopped else CommandError("stopped", stop.code)) from None
