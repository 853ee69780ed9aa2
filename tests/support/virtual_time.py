"""A virtual clock for asyncio: where only timers are waited for, the clock jumps to the next one."""

import asyncio
import functools
import selectors
from collections.abc import Callable, Coroutine
from typing import Any


class _Selector(selectors.DefaultSelector):
    """Never waits for a timer. What comes from a descriptor or a thread is waited for as long as it takes."""

    skipped = 0.0
    threads = 0

    def select(self, timeout: float | None = None) -> list[Any]:
        events = super().select(0)
        if events or (timeout is not None and timeout <= 0):
            return events
        if timeout is None or self.threads:
            return super().select(None)
        self.skipped += timeout
        return []


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    """An event loop whose `time()` counts only what would have been waited for."""

    def __init__(self) -> None:
        self._virtual = _Selector()
        super().__init__(self._virtual)

    def time(self) -> float:
        return self._virtual.skipped

    def run_in_executor(self, *args: Any) -> "asyncio.Future[Any]":  # type: ignore[override]
        future = super().run_in_executor(*args)
        self._virtual.threads += 1
        future.add_done_callback(self._thread_ended)
        return future

    async def shutdown_default_executor(self, *args: Any) -> None:
        self._virtual.threads += 1
        try:
            await super().shutdown_default_executor(*args)
        finally:
            self._virtual.threads -= 1

    def _thread_ended(self, _: object) -> None:
        self._virtual.threads -= 1


def virtual_time(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """Run an asynchronous test on a virtual clock: `asyncio.sleep`, `timeout` and `loop.time()` go by it.

    Not with asynchronous fixtures, which live in another loop, nor where a thread is to be late.
    """

    @functools.wraps(test)
    def run(*args: Any, **kwargs: Any) -> None:
        with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
            runner.run(test(*args, **kwargs))

    return run


def now() -> float:
    """The virtual time, in seconds since the test began."""
    return asyncio.get_running_loop().time()
