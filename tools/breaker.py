"""A circuit breaker per tool and run: what is out of order costs a run a few calls, not one a task.

    closed ──failure──▶ warned ──THRESHOLD in a row, or a refused key──▶ open ──cooled──▶ half-open ──success──▶ closed
                                                                          ▲                  │
                                                                          └─────failure──────┘

While it is open no call is made. Half-open lets one through and keeps the others back until it is known what came of
it. Cooling doubles with each time the breaker opens again. A rate limit also makes everybody wait who calls the same
tool, for as long as the other side asked.

Breakers outlive the object that asks, because each execution of a node makes a new one: they are found by run and tool.
"""

import math
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Final, Literal

from state import FailureKind
from tools.failures import NotCalledFailure, ToolFailure

State = Literal["closed", "warned", "open", "half_open"]

THRESHOLD: Final = 3
"""Failed calls in a row (each with its retries) after which a tool is taken to be out of order."""
FIRST_COOLING: Final = 5.0
LONGEST_COOLING: Final = 60.0
"""Seconds that a breaker stays open: the first time, and at most."""
MAX_BREAKERS: Final = 1_024
"""Breakers remembered; beyond that the ones not used for longest are forgotten."""


class Breaker:
    """What a run knows of the health of one tool.

    Methods that may change the state return a note for people, empty if nothing worth telling changed.

    Args:
        tool: The tool's name, for notes.
        clock: A monotonic clock, in seconds.
    """

    def __init__(self, tool: str, clock: Callable[[], float] = time.monotonic) -> None:
        self.tool = tool
        self._clock = clock
        self._failures = 0
        self._openings = 0
        self._until = -math.inf
        self._kind: FailureKind = "crash"
        self._words = ""
        self._open = False
        self._probe: object = None
        self._wait_until = -math.inf

    @property
    def state(self) -> State:
        """Closed, warned, open, or half-open: cooled, one call may pass or is under way."""
        if self._open:
            return "half_open" if self._probe is not None or self._clock() >= self._until else "open"
        return "warned" if self._failures else "closed"

    def admit(self, call: object, *, early: bool = False) -> str:
        """Let a call pass.

        Args:
            call: Whatever stands for the call, its retries included.
            early: Whether it may pass before the breaker has cooled, because somebody decided to try again.

        Raises:
            NotCalledFailure: The tool is out of order as far as this run knows.
        """
        if not self._open or self._probe is call:
            return ""
        cooled = self._clock() >= self._until or (early and self._until < math.inf)
        if self._probe is not None or not cooled:
            raise NotCalledFailure(self._kind, f"{self.tool}: not called, it is out of order ({self._words})")
        self._probe = call
        return f"{self.tool}: on trial, one call is let through"

    def succeeded(self, call: object) -> str:
        """The tool answered, if only that there is nothing."""
        if self._open and self._probe is not call:
            return ""  # a call from before it opened; the one on trial decides
        note = f"{self.tool}: works again" if self._open or self._failures else ""
        self._failures = self._openings = 0
        self._open, self._probe = False, None
        return note

    def failed(self, call: object, failure: ToolFailure, *, final: bool = False) -> str:
        """The tool failed, retries included.

        Args:
            call: What was admitted.
            failure: How.
            final: There is no point in another call during this run.
        """
        if self._open and self._probe is not call:
            return ""
        self._failures += 1
        self._kind, self._words = failure.kind, failure.message
        if not (final or self._open or self._failures >= THRESHOLD):
            return f"{self.tool}: warned, {self._failures} of {THRESHOLD} failures in a row ({failure.message})"
        cooling = min(FIRST_COOLING * 2**self._openings, LONGEST_COOLING)
        cooling = math.inf if final else max(cooling, failure.retry_after or 0.0)
        self._openings += 1
        self._open, self._probe, self._until = True, None, self._clock() + cooling
        told = "for the rest of this run" if final else f"for {cooling:.0f} s"
        return f"{self.tool}: blocked {told} ({failure.message})"

    def released(self, call: object) -> None:
        """A call ended without a word on the tool's health: it was broken off, or never made."""
        if self._probe is call:
            self._probe = None

    def hold(self, seconds: float) -> None:
        """The other side asked everybody to wait."""
        self._wait_until = max(self._wait_until, self._clock() + seconds)

    def waiting(self) -> float:
        """Seconds still to wait before a call, as the other side asked; 0 if none."""
        return max(0.0, self._wait_until - self._clock())


_breakers: OrderedDict[tuple[str, str], Breaker] = OrderedDict()


def breaker(run: str, tool: str, clock: Callable[[], float] = time.monotonic) -> Breaker:
    """The breaker of a tool in a run; the clock is that of whoever asks first."""
    key = (run, tool)
    found = _breakers.setdefault(key, Breaker(tool, clock))
    _breakers.move_to_end(key)
    while len(_breakers) > MAX_BREAKERS:
        _breakers.popitem(last=False)
    return found
