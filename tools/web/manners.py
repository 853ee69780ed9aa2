"""How a site is treated, by all tasks of the process together.

Few requests at once, not too fast, and none for as long as the site asked for none.
"""

import asyncio
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from threading import Lock
from typing import Final
from weakref import WeakKeyDictionary, WeakValueDictionary

from tools.failures import NotCalledFailure

AT_ONCE: Final = 2
"""Requests under way at one site."""
SPACING: Final = 0.2
"""Seconds between the beginnings of two requests to one site."""
PATIENCE: Final = 5.0
"""Seconds worth waiting for a site that asked to be left alone."""
LONGEST_HOLD: Final = 600.0
MOST_SITES: Final = 1_000


class Manners:
    """Lets requests to a site pass, a few at a time.

    Args:
        clock: A monotonic clock, in seconds.
        sleep: Waits for so many seconds.
    """

    def __init__(
        self,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._clock = clock
        self._sleep = sleep
        self._next: OrderedDict[str, float] = OrderedDict()
        self._lock = Lock()  # a process may run several event loops
        self._slots: WeakKeyDictionary[asyncio.AbstractEventLoop, WeakValueDictionary[str, asyncio.Semaphore]] = (
            WeakKeyDictionary()
        )

    @asynccontextmanager
    async def turn(self, site: str, *, spacing: float = SPACING) -> AsyncIterator[None]:
        """Wait for a turn, and hold it while the request is under way.

        Args:
            site: Host and port.
            spacing: Seconds until the next request to it may begin.

        Raises:
            NotCalledFailure: `rate_limit`: the site asked for no requests for longer than is worth waiting.
        """
        sites = self._slots.setdefault(asyncio.get_running_loop(), WeakValueDictionary())
        slots = sites.setdefault(site, asyncio.Semaphore(AT_ONCE))  # forgotten when nobody waits for it any more
        async with slots:
            start = self._start(site, spacing)
            while (left := start - self._clock()) > 0:
                await self._sleep(left)
            yield

    def hold(self, site: str, seconds: float) -> None:
        """Let nobody pass for so long: the site asked for it."""
        with self._lock:
            self._set(site, self._clock() + min(seconds, LONGEST_HOLD))

    def _start(self, site: str, spacing: float) -> float:
        with self._lock:
            now = self._clock()
            start = max(now, self._next.get(site, 0.0))
            wait = start - now
            if wait > PATIENCE:
                raise NotCalledFailure("rate_limit", f"{site} wants no requests for {wait:.0f} s", retry_after=wait)
            self._set(site, start + spacing)
        return start

    def _set(self, site: str, until: float) -> None:
        self._next[site] = max(until, self._next.pop(site, 0.0))
        while len(self._next) > MOST_SITES:
            self._next.popitem(last=False)
