"""A circuit breaker: only the state machine, for calls to any service.

    closed ──failure──▶ warned ──`threshold` in a row──▶ open ──cooled──▶ half-open ──success──▶ closed
                                                          ▲                  │
                                                          └─────failure──────┘

No call is made while the breaker is open. Half-open lets one call through and holds the others back until the result of
that call is known. The cooling time doubles each time the breaker opens again. If a call made before the breaker opened
succeeds later, the breaker closes, because the guarded service works. If such a call fails, nothing changes.
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
    """Circuit breaker: counts consecutive failures and blocks calls for a while after too many.

    A call is any object that represents it, its retries included. Calls are distinguished by identity.

    Args:
        threshold: Consecutive failures that open the breaker.
        first_cooling: Seconds that the breaker stays open the first time.
        longest_cooling: Maximum seconds that the breaker stays open, unless a failure gives a duration.
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
        """Return the state: closed, warned, open or half-open.

        Half-open means that the breaker has cooled and one call may pass or is under way.
        """
        if self._open:
            return "half_open" if self._trial is not None or self._clock() >= self._until else "open"
        return "warned" if self.failures else "closed"

    def admit(self, call: object, *, early: bool = False) -> bool:
        """Report whether a call may pass. In the half-open state an admitted call becomes the trial call.

        Args:
            call: The call.
            early: Whether the call may pass before the breaker has cooled, because somebody decided to try again.
        """
        if not self._open or self._trial is call:
            return True
        cooled = self._clock() >= self._until or (early and self._until < FOREVER)
        if self._trial is not None or not cooled:
            return False
        self._trial = call
        return True

    def on_trial(self, call: object) -> bool:
        """Report whether this call is the trial call and decides if the breaker closes."""
        return self._open and self._trial is call

    def record_success(self, call: object) -> bool:
        """Record a successful call, close the breaker, and report whether the state changed.

        A breaker that never cools (`FOREVER`) is closed only by its trial call.
        """
        if self._open and self._trial is not call and self._until == FOREVER:
            return False
        changed = self._open or self.failures > 0
        self.failures = self._openings = 0
        self._open, self._trial = False, None
        return changed

    def record_failure(self, call: object, *, opens: bool = False, at_least: float = 0.0) -> float | None:
        """Record a failed call.

        Args:
            call: The call.
            opens: Whether the failure opens the breaker at once.
            at_least: Minimum seconds that the breaker then stays open. With `FOREVER` it never cools.

        Returns:
            Seconds for which the breaker is now open, 0 if it is not open, or None if the failure changes nothing
            because the breaker was open already and the call is not the trial call.
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

    def release_call(self, call: object) -> None:
        """Release a call cancelled or never made, without recording a result."""
        if self._trial is call:
            self._trial = None


class BreakerRegistry(Generic[T]):
    """Circuit breakers by run and by guarded name, with least-recently-used eviction.

    Breakers outlive the objects that ask for them, because each execution of a node makes new objects.

    Args:
        make: Makes the breaker for a name.
        most: Maximum number of breakers kept.
    """

    def __init__(self, make: Callable[[str], T], most: int) -> None:
        self._make = make
        self._most = most
        self._breakers: OrderedDict[tuple[str, str], T] = OrderedDict()

    def __len__(self) -> int:
        return len(self._breakers)

    def get(self, run: str, name: str) -> T:
        """Return the breaker for a name in a run. It is made on first use."""
        key = (run, name)
        if key not in self._breakers:
            self._breakers[key] = self._make(name)
        self._breakers.move_to_end(key)
        while len(self._breakers) > self._most:
            self._breakers.popitem(last=False)
        return self._breakers[key]
