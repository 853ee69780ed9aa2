"""Circuit breaker of a tool in a run: an outage costs a few calls per run, not a call per task.

After a rate limit, every caller of the tool waits as long as the server asked.
"""

import math
import time
from collections.abc import Callable
from typing import Final

from weiwo.state import FailureKind
from weiwo.state.circuit_breaker import FOREVER, BreakerRegistry, CircuitBreaker, CircuitState
from weiwo.tools.calling.errors import ToolCallError, ToolNotCalledError

_THRESHOLD: Final = 3
"""Failed calls in a row (each with its retries) after which the breaker opens."""
_FIRST_COOLING: Final = 5.0
_LONGEST_COOLING: Final = 60.0
"""Seconds that a breaker stays open: the first time, and at most."""
_MAX_BREAKERS: Final = 256
"""Limit of the breakers kept. The least recently used are dropped."""


class ToolBreaker:
    """Circuit breaker of a tool within a run.

    `admit`, `record_success` and `record_failure` return a line for people if the state changed, else an empty string.
    """

    def __init__(self, tool: str, clock: Callable[[], float] = time.monotonic) -> None:
        self.tool = tool
        self._clock = clock
        self._circuit = CircuitBreaker(_THRESHOLD, _FIRST_COOLING, _LONGEST_COOLING, clock)
        self._kind: FailureKind = "crash"
        self._words = ""
        self._wait_until = -math.inf

    @property
    def state(self) -> CircuitState:
        """Return the state: closed, warned, open or half-open.

        Half-open means that the breaker has cooled and one call may pass or is under way.
        """
        return self._circuit.state

    def admit(self, call: object, *, early: bool = False) -> str:
        """Admit a call, or raise an error if the breaker is open.

        Args:
            call: Identity of the call.
            early: Admit a trial call before the cooling time of an open breaker has passed.

        Raises:
            ToolNotCalledError: The breaker is open, or another trial call is under way.
        """
        known = self._circuit.on_trial(call)
        if not self._circuit.admit(call, early=early):
            raise ToolNotCalledError(self._kind, f"{self.tool}: not called, because it keeps failing ({self._words})")
        return f"{self.tool}: on trial, one call is let through" if self._circuit.on_trial(call) and not known else ""

    def record_success(self, call: object) -> str:
        """Record a call that succeeded, even with an empty answer."""
        return f"{self.tool}: works again" if self._circuit.record_success(call) else ""

    def record_failure(self, call: object, error: ToolCallError, *, final: bool = False) -> str:
        """Record a call that failed after its retries. With `final`, the breaker opens for the rest of the run."""
        cooling = self._circuit.record_failure(
            call, opens=final, at_least=FOREVER if final else error.retry_after or 0.0
        )
        if cooling is None:
            return ""
        self._kind, self._words = error.kind, error.message
        if not cooling:
            count = f"{self._circuit.failures} of {_THRESHOLD}"
            return f"{self.tool}: warned, {count} failures in a row ({error.message})"
        period = "for the rest of this run" if final else f"for {cooling:.0f} s"
        return f"{self.tool}: blocked {period} ({error.message})"

    def release_call(self, call: object) -> None:
        """Release a call that was cancelled or never made.

        It then no longer counts as the trial call, of which only one is admitted at a time.
        """
        self._circuit.release_call(call)

    def hold(self, seconds: float) -> None:
        """Start a pause of some seconds for all callers, as the tool's server requested."""
        self._wait_until = max(self._wait_until, self._clock() + seconds)

    def waiting(self) -> float:
        """Return the seconds left of a pause that the tool's server requested, or 0."""
        return max(0.0, self._wait_until - self._clock())


_breakers: Final = BreakerRegistry(ToolBreaker, _MAX_BREAKERS)


def tool_breaker(run: str, tool: str) -> ToolBreaker:
    """Return the breaker of a tool in a run, the same for all callers in this process."""
    return _breakers.get(run, tool)
