"""The circuit breaker of a model endpoint in a run: an endpoint that is down costs a run two waits, not sixty."""

import time
from collections.abc import Callable
from typing import Final

from weiwo.models.errors import ModelCallError
from weiwo.state.circuit_breaker import BreakerRegistry, CircuitBreaker

THRESHOLD: Final = 2
"""Failures in a row after which an endpoint is taken to be down."""
COOLING_SECONDS: Final = 60.0
"""After this long one call is let through to see whether the endpoint is back."""
MAX_BREAKERS: Final = 256
"""Breakers remembered; beyond that the ones not used for longest are forgotten."""


class EndpointBreaker:
    """What a run knows of the health of one model endpoint.

    Args:
        clock: A monotonic clock, in seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._circuit = CircuitBreaker(THRESHOLD, COOLING_SECONDS, COOLING_SECONDS, clock)
        self._words = ""

    def admit(self, call: object) -> None:
        """Let a call pass.

        Args:
            call: Whatever stands for the call, its attempts included.

        Raises:
            ModelCallError: The endpoint is down as far as this run knows.
        """
        if not self._circuit.admit(call):
            raise ModelCallError(f"the model endpoint does not answer ({self._words})")

    def succeeded(self, call: object) -> None:
        """The endpoint answered."""
        self._circuit.succeeded(call)

    def failed(self, call: object, words: str, *, hopeless: bool = False) -> None:
        """The endpoint did not answer.

        Args:
            call: What was admitted.
            words: Why, as one line.
            hopeless: There is no point in a second attempt.
        """
        if self._circuit.failed(call, opens=hopeless) is not None:
            self._words = words

    def released(self, call: object) -> None:
        """A call ended, whatever became of it."""
        self._circuit.released(call)


_breakers: Final = BreakerRegistry(lambda _: EndpointBreaker(), MAX_BREAKERS)


def endpoint_breaker(run: str, endpoint: str) -> EndpointBreaker:
    """The breaker of an endpoint in a run; without a run id, one of its own."""
    return _breakers.get(run, endpoint) if run else EndpointBreaker()
