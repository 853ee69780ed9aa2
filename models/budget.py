"""What a run may still spend: seconds, model calls, tokens, cost.

One `Budget` is made where a node starts, from the limits of the run and what
earlier nodes spent, and shared by everything that node runs in parallel. What it
measured goes back into the state as `delta()`, to be summed there.
"""

import threading
import time
from collections.abc import Callable
from typing import NoReturn

from models.errors import LimitReached
from state import Limits, ModelCall, Usage
from state.limits import NOT_SENT

__all__ = ["Budget", "LimitReached"]


class Budget:
    """The limits of a run against what it has spent. Safe to share between tasks and threads.

    Seconds run from construction on, added to `spent.seconds`. Model calls are
    taken before they are sent, so that of two tasks only one gets the last.
    Tokens and cost are known only after a reply: calls already in flight may
    overshoot those two limits, by at most one reply each.

    Args:
        limits: The bounds.
        spent: What the run had spent before this budget was made.
        clock: A monotonic clock, in seconds.
    """

    def __init__(self, limits: Limits, spent: Usage | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._parent: Budget | None = None
        self.limits = limits
        self.spent = spent or Usage()
        self.reached: str | None = None
        """The first limit that was hit, or None. Feeds the stop reason of the answer."""
        self._clock = clock
        self._started = clock()
        self._lock = threading.Lock()
        self._reserved = 0
        self._calls: list[ModelCall] = []
        self._cost = 0.0
        self._tool_calls = 0

    def child(self) -> "Budget":
        """A ledger for one of several tasks that work at the same time.

        What is spent through it counts here as well, and the limits are those of
        the whole; `delta()` of the child is what this task alone spent. It has no
        seconds: time passes once for all children, and is the parent's to count.
        """
        budget = Budget(self.limits, self.spent, self._clock)
        budget._parent = self
        return budget

    def elapsed(self) -> float:
        """Seconds since construction."""
        return self._clock() - self._started

    def remaining_seconds(self, reserve: float = 0.0) -> float:
        """Seconds left for work, never negative.

        Args:
            reserve: Seconds to keep back for what must still come after this
                work, such as writing the answer. An executor that stops when
                this reaches zero leaves the writer at least that long.
        """
        if self._parent is not None:
            return self._parent.remaining_seconds(reserve)
        return max(0.0, self.limits.max_seconds - self.spent.seconds - self.elapsed() - reserve)

    def exhausted(self) -> str | None:
        """The limit that the run has come to, in this node or an earlier one; None if there is room.

        Of 0 model calls none can be exhausted: that is a wish to run on rules.
        """
        if self._parent is not None:
            return self._parent.exhausted()
        limit = self.reached or ("max_seconds" if self.remaining_seconds() <= 0 else self._full())
        return None if limit == "max_model_calls" and self.limits.max_model_calls == 0 else limit

    def check(self) -> None:
        """Stop work for which no time is left.

        Only time ends all work. A run out of model calls, tokens or money goes on
        by rule: `reserve_call` refuses the model then, and `reached` names the limit.

        Raises:
            LimitReached: `max_seconds` is used up.
        """
        if self.remaining_seconds() <= 0:
            self._raise("max_seconds")

    def reserve_call(self) -> None:
        """Take one model call, to be made right after; `record` it whatever comes of it.

        Raises:
            LimitReached: With the first of `max_seconds`, `max_model_calls`,
                `max_tokens`, `max_cost` that leaves no room.
        """
        if self._parent is not None:
            try:
                self._parent.reserve_call()
            except LimitReached as limit:
                self._raise(limit.reason)
            return
        self.check()
        with self._lock:
            full = self._full()
            if full is None:
                self._reserved += 1
                return
        self._raise(full)

    def record(self, call: ModelCall, cost: float = 0.0) -> None:
        """Book a model call that was reserved and has ended, well or badly.

        Args:
            call: The call.
            cost: US dollars, 0 where the price is unknown.
        """
        with self._lock:
            self._calls.append(call)
            self._cost += cost
        if self._parent is not None:
            self._parent.record(call, cost)

    def record_tool_call(self) -> None:
        """Book one tool call."""
        with self._lock:
            self._tool_calls += 1
        if self._parent is not None:
            self._parent.record_tool_call()

    def delta(self) -> Usage:
        """What was spent since construction, to be added to the state's usage once."""
        with self._lock:
            return Usage(
                model_calls=sum(call.rung != NOT_SENT for call in self._calls),
                input_tokens=sum(call.input_tokens for call in self._calls),
                output_tokens=sum(call.output_tokens for call in self._calls),
                cost=self._cost,
                tool_calls=self._tool_calls,
                seconds=0.0 if self._parent is not None else self.elapsed(),
                calls=tuple(self._calls),
            )

    def _full(self) -> str | None:
        """The limit that leaves no room for a call, if any."""
        limits, spent = self.limits, self.spent
        if spent.model_calls + self._reserved >= limits.max_model_calls:
            return "max_model_calls"
        tokens = sum(call.input_tokens + call.output_tokens for call in self._calls)
        if spent.input_tokens + spent.output_tokens + tokens >= limits.max_tokens:
            return "max_tokens"
        if limits.max_cost is not None and spent.cost + self._cost >= limits.max_cost:
            return "max_cost"
        return None

    def _raise(self, limit: str) -> NoReturn:
        self._note(limit)
        raise LimitReached(limit)

    def _note(self, limit: str) -> None:
        self.reached = self.reached or limit
        if self._parent is not None:
            self._parent._note(limit)  # noqa: SLF001 - of its own kind
