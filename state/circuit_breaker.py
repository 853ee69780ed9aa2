"""A circuit breaker: the state machine alone, for whatever is called and may be out of order.

    closed ──failure──▶ warned ──`threshold` in a row──▶ open ──cooled──▶ half-open ──success──▶ closed
                                                          ▲                  │
                                                          └─────failure──────┘

While it is open no call is made. Half-open lets one through and keeps the others back until it is known what came of
it. Cooling doubles with each time it opens again. A call from before it opened that succeeds after all closes it, for
so what it guards works; one that fails says nothing new.
"""

import math
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Final, Generic, Literal, TypeVar

CircuitState = Literal["closed", "warned", "open", "half_open"]
FOREVER: Final = math.inf

T = TypeVar("T")


class CircuitBreaker:
    """Counts failures in a row, and lets nobody through for a while when they are too many.

    A call is whatever stands for one, its retries included; calls are told apart by identity.

    Args:
        threshold: Failures in a row that open it.
        first_cooling: Seconds that it stays open the first time.
        longest_cooling: Seconds that it stays open at most, unless a failure says for how long.
        clock: A monotonic clock, in seconds.
    """

    def __init__(
        self,
        threshold: int,
        first_cooling: float,
        longest_cooling: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.failures = 0
        """Failures in a row."""
        self._threshold = threshold
        self._first_cooling = first_cooling
        self._longest_cooling = longest_cooling
        self._clock = clock
        self._openings = 0
        self._open = False
        self._until = -math.inf
        self._trial: object = None

    @property
    def state(self) -> CircuitState:
        """Closed, warned, open, or half-open: cooled, one call may pass or is under way."""
        if self._open:
            return "half_open" if self._trial is not None or self._clock() >= self._until else "open"
        return "warned" if self.failures else "closed"

    def admit(self, call: object, *, early: bool = False) -> bool:
        """Whether a call may pass; one that passes while the breaker is half-open is the one on trial.

        Args:
            call: The call.
            early: Whether it may pass before the breaker has cooled, because somebody decided to try again.
        """
        if not self._open or self._trial is call:
            return True
        cooled = self._clock() >= self._until or (early and self._until < FOREVER)
        if self._trial is not None or not cooled:
            return False
        self._trial = call
        return True

    def on_trial(self, call: object) -> bool:
        """Whether this call decides if the breaker closes."""
        return self._open and self._trial is call

    def succeeded(self, call: object) -> bool:
        """A call succeeded; whether that changed the state."""
        if self._open and self._trial is not call and self._until == FOREVER:
            return False
        changed = self._open or self.failures > 0
        self.failures = self._openings = 0
        self._open, self._trial = False, None
        return changed

    def failed(self, call: object, *, opens: bool = False, at_least: float = 0.0) -> float | None:
        """A call failed.

        Args:
            call: The call.
            opens: Whether that opens it at once.
            at_least: Seconds that it stays open then at least; `FOREVER`: it never cools.

        Returns:
            Seconds for which it is open now; 0 if it is not; None if the failure says nothing new.
        """
        if self._open and self._trial is not call:
            return None
        self.failures += 1
        if not (opens or self._open or self.failures >= self._threshold):
            return 0.0
        cooling = max(min(self._first_cooling * 2.0**self._openings, self._longest_cooling), at_least)
        self._openings += 1
        self._open, self._trial, self._until = True, None, self._clock() + cooling
        return cooling

    def released(self, call: object) -> None:
        """A call ended and told nothing: it was broken off, or never made."""
        if self._trial is call:
            self._trial = None


class BreakerRegistry(Generic[T]):
    """Breakers by run and by name of what they guard; beyond a number the least recently used are forgotten.

    Breakers outlive the objects that ask for them, because each execution of a node makes new ones.

    Args:
        make: Makes the breaker for a name.
        most: Breakers kept.
    """

    def __init__(self, make: Callable[[str], T], most: int) -> None:
        self._make = make
        self._most = most
        self._breakers: OrderedDict[tuple[str, str], T] = OrderedDict()

    def __len__(self) -> int:
        return len(self._breakers)

    def get(self, run: str, name: str) -> T:
        """The breaker for a name in a run."""
        key = (run, name)
        if key not in self._breakers:
            self._breakers[key] = self._make(name)
        self._breakers.move_to_end(key)
        while len(self._breakers) > self._most:
            self._breakers.popitem(last=False)
        return self._breakers[key]
