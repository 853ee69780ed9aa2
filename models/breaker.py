"""A circuit breaker per endpoint and run: an endpoint that is down costs a run two waits, not sixty.

Breakers outlive the object that asks, because each execution of a node makes a
new one: they are found by run and endpoint.
"""

import time
from collections import OrderedDict
from collections.abc import Callable

from models.errors import ModelFailed

THRESHOLD = 2
"""Failures in a row after which an endpoint is taken to be down."""
COOLING_SECONDS = 60.0
"""After this long one request is let through to see whether the endpoint is back."""
MAX_BREAKERS = 256
"""Breakers remembered; beyond that the ones not used for longest are forgotten."""


class Breaker:
    """Counts failures in a row. Calls that are already under way are not touched, and one that succeeds closes it."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._failures = 0
        self._words = ""
        self._opened = 0.0

    def admit(self) -> None:
        """Let a request pass.

        Raises:
            ModelFailed: The endpoint is down as far as this run knows.
        """
        if self._failures < THRESHOLD:
            return
        if self._clock() - self._opened < COOLING_SECONDS:
            raise ModelFailed(f"the model endpoint does not answer ({self._words})")
        self._opened = self._clock()  # others wait for what becomes of this one

    def succeeded(self) -> None:
        """The endpoint answered."""
        self._failures = 0

    def failed(self, words: str, *, final: bool = False) -> None:
        """The endpoint did not answer.

        Args:
            words: Why, as one line.
            final: There is no point in a second attempt.
        """
        self._failures = THRESHOLD if final else self._failures + 1
        self._words = words
        self._opened = self._clock()


_breakers: OrderedDict[tuple[str, str], Breaker] = OrderedDict()


def breaker(run_id: str, endpoint: str) -> Breaker:
    """The breaker of an endpoint in a run; without a run id, one of its own."""
    if not run_id:
        return Breaker()
    key = (run_id, endpoint)
    found = _breakers.setdefault(key, Breaker())
    _breakers.move_to_end(key)
    while len(_breakers) > MAX_BREAKERS:
        _breakers.popitem(last=False)
    return found
