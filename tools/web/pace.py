"""The pace of requests to one server, kept by all tasks of the process together."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from threading import Lock

SAFETY: float = 1.05
"""Requests are spaced this much wider than the limit says: what leaves evenly does not arrive so."""
LONGEST_HOLD: float = 120.0


class Pace:
    """Lets requests pass one by one, first come first served, no faster than a limit.

    Args:
        per_second: Requests a second at most.
        clock: A monotonic clock, in seconds.
        sleep: Waits for so many seconds.
    """

    def __init__(
        self,
        per_second: float,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._spacing = SAFETY / per_second
        self._clock = clock
        self._sleep = sleep
        self._next = 0.0
        self._lock = Lock()  # a process may run several event loops

    async def wait(self) -> None:
        """Wait for a turn. Whoever is cancelled while waiting leaves its turn unused."""
        with self._lock:
            start = max(self._clock(), self._next)
            self._next = start + self._spacing
        while (left := start - self._clock()) > 0:
            await self._sleep(left)

    def hold(self, seconds: float) -> None:
        """Let nobody who comes from now on pass for so long: the server asked for it."""
        with self._lock:
            self._next = max(self._next, self._clock() + min(seconds, LONGEST_HOLD))
