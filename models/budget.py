"""Budget of a run: the remaining seconds, model calls, tokens and dollars.

Each node creates one `Budget` at its start, from the limits of the run and the usage of earlier nodes, and shares it
with everything that the node runs in parallel. The measured usage returns to the state as `delta()`, to be summed
there.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final, NoReturn

from weiwo.models.errors import BudgetExhaustedError
from weiwo.models.prices import Price
from weiwo.state import Limits, ModelCall, Usage
from weiwo.state.limits import NOT_SENT

_LISTENER: Final[ContextVar[Callable[[ModelCall], object] | None]] = ContextVar("call_listener", default=None)

_WRITER_SHARE = 0.1
"""Share of the run's seconds reserved for the writer: all other work ends before."""
DEADLINE = "stopped, because the run's limit max_seconds is near"
"""Error in the trace of a call that was ended so that the answer can be written in time."""

_LIMIT_BY_REASON = {
    BudgetExhaustedError(name).reason: name for name in ("max_seconds", "max_model_calls", "max_tokens", "max_cost")
}
_LIMIT_BY_REASON[DEADLINE] = "max_seconds"


@contextmanager
def listen_to_calls(listener: Callable[[ModelCall], object]) -> Iterator[None]:
    """Context manager that passes each model call that ends within it to a listener, also after a cancellation.

    The events of a stream contain the calls too, but are not read any more once a run is cancelled.
    """
    token = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(token)


@dataclass(frozen=True)
class Reservation:
    """Upper estimate of the tokens and cost of a call, reserved while it is in progress."""

    tokens: int = 0  # input and output tokens
    cost: float = 0.0  # US dollars


_NOTHING = Reservation()


class Budget:
    """Limits of a run against its usage so far. Safe to share between tasks and threads.

    A model call is reserved before it is sent, together with its estimated tokens and cost. So only one of two tasks
    gets the last call, and calls in progress together exceed a limit by no more than their estimates were too low.

    Args:
        limits: The limits of the run.
        spent: Usage before this budget, by earlier nodes. Time since construction is added to its seconds.
        clock: Source of the time in seconds.
        on_call: Called with each model call that has ended.
    """

    def __init__(
        self,
        limits: Limits,
        spent: Usage | None = None,
        clock: Callable[[], float] = time.monotonic,
        on_call: Callable[[ModelCall], None] | None = None,
    ) -> None:
        self._on_call = on_call
        self._parent: Budget | None = None
        self.limits = limits
        self.spent = spent or Usage()
        self.reached: str | None = next(
            (_LIMIT_BY_REASON[call.error] for call in self.spent.calls if call.error in _LIMIT_BY_REASON), None
        )
        """Name of the first limit that prevented some work, in this node or an earlier one, or None."""
        self._clock = clock
        self._started = clock()
        self._lock = threading.Lock()
        self._reserved = 0
        self._held_tokens = 0
        self._held_cost = 0.0
        self._calls: list[ModelCall] = []
        self._cost = 0.0
        self._tool_calls = 0

    def child(self) -> "Budget":
        """Return a child budget for a single task among parallel tasks.

        Usage through the child counts in the parent as well, and the parent's limits apply. `delta()` of the child is
        the usage of its task alone, with 0 seconds, because the parent counts the time once for all children.
        """
        budget = Budget(self.limits, self.spent, self._clock)
        budget._parent = self
        return budget

    def elapsed_seconds(self) -> float:
        """Seconds since construction."""
        return self._clock() - self._started

    def remaining_seconds(self, reserve: float = 0.0) -> float:
        """Return the seconds left of the run's `max_seconds`, minus a `reserve` for later work. Never negative."""
        if self._parent is not None:
            return self._parent.remaining_seconds(reserve)
        return max(0.0, self.limits.max_seconds - self.spent.seconds - self.elapsed_seconds() - reserve)

    def work_seconds(self) -> float:
        """Return the seconds left for all work before the writer."""
        return self.remaining_seconds(self.limits.max_seconds * _WRITER_SHARE)

    def find_exhausted_limit(self) -> str | None:
        """Return the name of a limit that stopped some work or leaves no room for a further model call, or None.

        A limit of 0 does not count, as in `find_curtailing_limit`.
        """
        if self._parent is not None:
            return self._parent.find_exhausted_limit()
        with self._lock:
            full = self._full(_NOTHING)
        return self.find_curtailing_limit() or (full if full and not self._is_zero_limit(full) else None)

    def find_curtailing_limit(self) -> str | None:
        """Return the name of the first limit that stopped some work, for example "max_tokens", or None.

        Without one, "max_seconds" if the run's time is over. A limit of 0 calls, tokens or dollars does not count,
        because it is a request to run by rules without a model.
        """
        if self._parent is not None:
            return self._parent.find_curtailing_limit()
        limit = self.reached if self.reached and not self._is_zero_limit(self.reached) else None
        return limit or ("max_seconds" if self.remaining_seconds() <= 0 else None)

    def reserve_call(self, room: Reservation = _NOTHING) -> None:
        """Reserve a model call with its estimated tokens and cost.

        Call `record` with the same reservation after the call, successful or not.

        Raises:
            BudgetExhaustedError: A limit leaves no room, and nothing is reserved. The caller continues by rules,
                without a model. `reached` names the first such limit.
        """
        if self._parent is not None:
            try:
                self._parent.reserve_call(room)
            except BudgetExhaustedError as refusal:
                self.refuse(refusal.limit)
            return
        if self.remaining_seconds() <= 0:
            self.refuse("max_seconds")
        with self._lock:
            full = self._full(room)
            if full is None:
                self._reserved += 1
                self._held_tokens += room.tokens
                self._held_cost += room.cost
                return
        self.refuse(full)

    def record(self, call: ModelCall, cost: float = 0.0, room: Reservation = _NOTHING) -> None:
        """Record a model call that has ended, successful or not, and release its reservation.

        Args:
            call: The call.
            cost: Cost in US dollars, 0 if unknown.
            room: The reservation made before the call.
        """
        with self._lock:
            self._calls.append(call)
            self._cost += cost
            self._held_tokens -= room.tokens
            self._held_cost -= room.cost
        if self._parent is not None:
            self._parent.record(call, cost, room)
        elif call.mode != NOT_SENT and (listener := _LISTENER.get()) is not None:
            listener(call)
        if self._on_call is not None and call.mode != NOT_SENT:
            self._on_call(call)

    def longest_reply(self, model: str, purpose: str) -> int:
        """Return the number of tokens of the longest reply so far from a model for a purpose, or 0."""
        if self._parent is not None:
            return self._parent.longest_reply(model, purpose)
        with self._lock:
            calls = (*self.spent.calls, *self._calls)
        return max((call.output_tokens for call in calls if (call.model, call.purpose) == (model, purpose)), default=0)

    def calls_left(self) -> int:
        """Return the number of model calls left, counting calls in progress as made."""
        if self._parent is not None:
            return self._parent.calls_left()
        with self._lock:
            return max(0, self.limits.max_model_calls - self.spent.model_calls - self._reserved)

    def tokens_left(self, price: Price | None = None) -> int:
        """Return the number of tokens left, counting reserved tokens as spent.

        With a price, the number is also limited by `max_cost`, at the price of input tokens.
        """
        if self._parent is not None:
            return self._parent.tokens_left(price)
        with self._lock:
            taken = self._sum_taken()
        left, most = self.limits.max_tokens - taken.tokens, self.limits.max_cost
        if most is not None and price is not None and price[0] > 0:
            left = min(left, int((most - taken.cost) / price[0] * 1_000_000))
        return max(0, left)

    def reply_room(self, room: Reservation, prompt: int, price: Price | None = None) -> tuple[int, str]:
        """Return how many tokens the reply of a call in progress may have, and the limit that decides.

        Args:
            room: The reservation of the call, which counts as unspent here.
            prompt: Tokens of the prompt.
            price: Price of the model, if known.

        Returns:
            The number of tokens, and "max_tokens" or "max_cost".
        """
        if self._parent is not None:
            return self._parent.reply_room(room, prompt, price)
        with self._lock:
            taken = self._sum_taken()
        left, most = self.limits.max_tokens - taken.tokens + room.tokens - prompt, self.limits.max_cost
        if most is not None and price is not None and price[1] > 0:
            affordable = int((most - taken.cost + room.cost - prompt * price[0] / 1_000_000) / price[1] * 1_000_000)
            if affordable < left:
                return max(0, affordable), "max_cost"
        return max(0, left), "max_tokens"

    def take_tool_call(self) -> bool:
        """Count a tool call about to be made. Returns False, and counts nothing, if `max_tool_calls` is reached."""
        if self._parent is not None and not self._parent.take_tool_call():
            return False
        with self._lock:
            if self._parent is None and not self._tool_calls_left():
                return False
            self._tool_calls += 1
        return True

    def limit_of_tasks(self) -> str:
        """Return the limit that stopped a task's tool calls: `max_tool_calls` if used up, else `max_seconds`."""
        if self._parent is not None:
            return self._parent.limit_of_tasks()
        return "max_seconds" if self._tool_calls_left() else "max_tool_calls"

    def _tool_calls_left(self) -> bool:
        most = self.limits.max_tool_calls
        return most is None or self.spent.tool_calls + self._tool_calls < most

    def delta(self) -> Usage:
        """Return the usage since construction, to be added to the state's usage once."""
        with self._lock:
            return Usage(
                model_calls=sum(call.mode != NOT_SENT for call in self._calls),
                input_tokens=sum(call.input_tokens for call in self._calls),
                output_tokens=sum(call.output_tokens for call in self._calls),
                cost=self._cost,
                tool_calls=self._tool_calls,
                seconds=0.0 if self._parent is not None else self.elapsed_seconds(),
                calls=tuple(self._calls),
            )

    def note(self, limit: str) -> None:
        """Record that a limit prevented some work. The first recorded limit is kept in `reached`."""
        self.reached = self.reached or limit
        if self._parent is not None:
            self._parent.note(limit)

    def refuse(self, limit: str) -> NoReturn:
        """Record a limit by `note`, and raise the error for it.

        Raises:
            BudgetExhaustedError: Always.
        """
        self.note(limit)
        raise BudgetExhaustedError(limit)

    def _full(self, room: Reservation) -> str | None:
        """Return the name of the limit that a call with this reservation would exceed, or None."""
        limits, taken = self.limits, self._sum_taken()
        if self.spent.model_calls + self._reserved >= limits.max_model_calls:
            return "max_model_calls"
        if taken.tokens >= limits.max_tokens or taken.tokens + room.tokens > limits.max_tokens:
            return "max_tokens"
        if limits.max_cost is not None and (taken.cost >= limits.max_cost or taken.cost + room.cost > limits.max_cost):
            return "max_cost"
        return None

    def _sum_taken(self) -> Reservation:
        """Return the tokens and cost of the run so far, including reservations."""
        spent = self.spent
        tokens = sum(call.input_tokens + call.output_tokens for call in self._calls) + self._held_tokens
        return Reservation(spent.input_tokens + spent.output_tokens + tokens, spent.cost + self._cost + self._held_cost)

    def _is_zero_limit(self, limit: str) -> bool:
        return not getattr(self.limits, limit)
