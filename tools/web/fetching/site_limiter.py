"""Politeness per site, by all tasks of the process together: few requests at once, spaced, none while it wants none.

Unlike `weiwo.tools.web.providers.rate_limiter`, which keeps a promise of so many requests a second to one server that
is paid for them, this keeps many sites, whose limits nobody told, from being burdened.
"""

import asyncio
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from threading import Lock
from typing import Final
from weakref import WeakKeyDictionary, WeakValueDictionary

from weiwo.tools.calling.errors import ToolNotCalledError

AT_ONCE: Final = 2
"""Requests under way at one site."""
SPACING: Final = 0.2
"""Seconds between the beginnings of two requests to one site."""
PATIENCE: Final = 5.0
"""Seconds worth waiting for a site that asked to be left alone."""
LONGEST_HOLD: Final = 600.0
MOST_SITES: Final = 1_000


class SiteLimiter:
    """Lets requests to a site pass, a few at a time.

    Args:
        most_sites: Sites remembered; the one not visited for longest gives way.
        clock: A monotonic clock, in seconds.
        sleep: Waits for so many seconds.
    """

    def __init__(
        self,
        most_sites: int = MOST_SITES,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._most_sites = most_sites
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
            ToolNotCalledError: `rate_limit`: the site asked for no requests for longer than is worth waiting.
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
                raise ToolNotCalledError("rate_limit", f"{site} wants no requests for {wait:.0f} s", retry_after=wait)
            self._set(site, start + spacing)
        return start

    def _set(self, site: str, until: float) -> None:
        self._next[site] = max(until, self._next.pop(site, 0.0))
        while len(self._next) > self._most_sites:
            self._next.popitem(last=False)
