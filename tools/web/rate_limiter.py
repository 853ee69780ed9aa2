"""Rate limiters, shared by all tasks and event loops of the process.

`RateLimiter` keeps the limit of requests per second of one server, such as a search provider. A slot is free again a
whole period after its request ended: a server with a limit of five requests per second sees at most five in any second,
however the network delays them. The price is that the round trip comes on top. A request that hangs does not block its
slot for long: after `_ARRIVED` seconds it has certainly reached the server.

`SiteLimiter` protects many sites with unknown limits: few requests to a site at once, spaced, and none while the site
asks for none.
"""

import asyncio
import math
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from threading import Lock
from typing import Final
from weakref import WeakKeyDictionary, WeakValueDictionary

_ARRIVED: Final = 2.0
"""Seconds after which a request is assumed to have reached its server, whether or not a reply has come."""
_LOOK: Final = 0.25
"""Polling interval in seconds of a waiting request, which may have become pointless."""


@dataclass(slots=True, eq=False)
class _Departure:
    """A request that took a slot of a rate limiter: when it began (`left`) and ended (`over`, infinite until then)."""

    left: float
    over: float = math.inf

    def free(self, now: float, period: float) -> float:
        """Return the time when the slot is free again: a period after the request ended, or at latest after it arrived.

        A request that is still under way counts as ending now.
        """
        return min(self.over, self.left + _ARRIVED, now) + period


class RateLimiter:
    """Lets requests pass no faster than a limit, first come first served."""

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    ) -> None:
        self._clock = clock
        self._sleep = sleep
        self._turns: list[_Departure] = []
        self._queue: list[object] = []
        self._lock = Lock()  # a process may run several event loops

    def ahead(self, per_second: float) -> float:
        """Return the seconds that the requests already waiting will take at least: 0 if none waits."""
        return len(self._queue) / per_second

    @asynccontextmanager
    async def turn(self, per_second: float, check: Callable[[], None] = lambda: None) -> AsyncIterator[None]:
        """Context manager that waits for a free slot, and holds it for a single request.

        Args:
            per_second: Limit of requests per second. 0.5 allows a request every two seconds.
            check: Called while waiting, and right before the request. May raise to give the request up.
        """
        me = object()
        with self._lock:
            self._queue.append(me)
        try:
            turn = await self._take_turn(me, per_second, check)
        finally:
            with self._lock:
                self._queue.remove(me)
        try:
            yield
        finally:
            turn.over = self._clock()

    async def _take_turn(self, me: object, per_second: float, check: Callable[[], None]) -> _Departure:
        at_once = max(1, math.floor(per_second))
        period = at_once / per_second
        while True:
            check()
            with self._lock:
                now = self._clock()
                wait = self._wait(me, at_once, period, now)
                if wait <= 0:
                    turn = _Departure(now)
                    self._turns.append(turn)
                    return turn
            await self._sleep(min(wait, _LOOK))

    def _wait(self, me: object, at_once: int, period: float, now: float) -> float:
        """Return the minimum wait of a queued request in seconds.

        The wait is 0 or less if there are free slots for this request and all before it in the queue.

        Args:
            me: The request's entry in the queue.
            at_once: Number of slots.
            period: Seconds until the slot of an ended request is free.
            now: The current time.
        """
        self._turns = [turn for turn in self._turns if turn.free(now, period) > now]
        free = sorted(turn.free(now, period) for turn in self._turns)
        first = len(free) - at_once + self._queue.index(me)  # the turn that must be over for this one to begin
        ready = now if first < 0 else free[first] if first < len(free) else now + period
        return ready - now


_AT_ONCE: Final = 2
"""Requests under way at one site."""
SPACING: Final = 0.2
"""Seconds between the beginnings of two requests to one site."""
_PATIENCE: Final = 5.0
"""Longest wait in seconds for a site that asked for a pause."""
_LONGEST_HOLD: Final = 600.0
_MOST_SITES: Final = 1_000


class SiteLimiter:
    """Rate limiter for requests to sites (host and port), with two requests to a site at a time.

    Above `most_sites`, the site whose state changed longest ago is forgotten.
    """

    def __init__(
        self,
        most_sites: int = _MOST_SITES,
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
        """Context manager that waits until a request to a site may begin, and holds a slot during the request.

        Args:
            site: Host and port.
            spacing: Seconds until the next request to the site may begin.

        Raises:
            ToolNotCalledError: `rate_limit` if the site asked for a pause longer than `_PATIENCE`.
        """
        sites = self._slots.setdefault(asyncio.get_running_loop(), WeakValueDictionary())
        slots = sites.setdefault(site, asyncio.Semaphore(_AT_ONCE))  # dropped when no request uses it any more
        async with slots:
            start = self._start(site, spacing)
            while (left := start - self._clock()) > 0:
                await self._sleep(left)
            yield

    def hold(self, site: str, seconds: float) -> None:
        """Block requests to a site for a number of seconds, at most `_LONGEST_HOLD`."""
        with self._lock:
            self._set(site, self._clock() + min(seconds, _LONGEST_HOLD))

    def _start(self, site: str, spacing: float) -> float:
        with self._lock:
            now = self._clock()
            start = max(now, self._next.get(site, 0.0))
            wait = start - now
            if wait > _PATIENCE:
                from weiwo.tools.calling.errors import ToolNotCalledError

                raise ToolNotCalledError(
                    "rate_limit", f"{site} accepts no requests for another {wait:.0f} s", retry_after=wait
                )
            self._set(site, start + spacing)
        return start

    def _set(self, site: str, until: float) -> None:
        self._next[site] = max(until, self._next.pop(site, 0.0))
        while len(self._next) > self._most_sites:
            self._next.popitem(last=False)
