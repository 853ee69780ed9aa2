"""The budget of a run: the seconds, model calls, tokens and dollars that it may still spend.

One `Budget` is made where a node starts, from the limits of the run and what earlier nodes spent, and shared by
everything that node runs in parallel. What it measured goes back into the state as `delta()`, to be summed there.
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
"""This share of the run's seconds is kept for the writer: all other work ends before it."""
DEADLINE = "broken off: the run's max_seconds is near"
"""How the trace tells of a call that had to end so that the answer can be written in time."""

_LIMIT_BY_REASON = {
    BudgetExhaustedError(name).reason: name for name in ("max_seconds", "max_model_calls", "max_tokens", "max_cost")
}
_LIMIT_BY_REASON[DEADLINE] = "max_seconds"


@contextmanager
def listen_to_calls(listener: Callable[[ModelCall], object]) -> Iterator[None]:
    """Have a listener told of each model call that ends within, also of one that is cancelled midway.

    A stream's events say the same, but nobody reads them any more once a run is cancelled.
    """
    token = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(token)


@dataclass(frozen=True)
class Reservation:
    """What is set aside for a call while it is under way, at an upper estimate."""

    tokens: int = 0  # input and output tokens
    cost: float = 0.0  # US dollars


_NOTHING = Reservation()


class Budget:
    """The limits of a run against what it spent before and spends now. Safe to share between tasks and threads.

    Seconds run from construction on, added to `spent.seconds`. A model call is taken before it is sent, and with it
    room for its tokens and their cost: of two tasks only one gets the last call, and calls under way together exceed a
    limit by no more than their estimates were too low. `on_call` is told of each call that has ended.
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
        """The first limit that kept something from being done, here or in an earlier node, or None."""
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
        """A ledger for one of several tasks that work at the same time.

        What is spent through it counts here as well, and the limits are those of the whole; `delta()` of the child is
        what this task alone spent. It has no seconds: time passes once for all children, and is the parent's to count.
        """
        budget = Budget(self.limits, self.spent, self._clock)
        budget._parent = self
        return budget

    def elapsed(self) -> float:
        """Seconds since construction."""
        return self._clock() - self._started

    def remaining_seconds(self, reserve: float = 0.0) -> float:
        """Seconds left for work, never negative, beside a `reserve` for what must still come after it."""
        if self._parent is not None:
            return self._parent.remaining_seconds(reserve)
        return max(0.0, self.limits.max_seconds - self.spent.seconds - self.elapsed() - reserve)

    def work_seconds(self) -> float:
        """Seconds left for everything that comes before the writer."""
        return self.remaining_seconds(self.limits.max_seconds * _WRITER_SHARE)

    def exhausted(self) -> str | None:
        """The limit that the run has come to, in this node or an earlier one; None if there is room."""
        if self._parent is not None:
            return self._parent.exhausted()
        with self._lock:
            full = self._full(_NOTHING)
        return self.curtailed() or (full if full and not self._unwanted(full) else None)

    def curtailed(self) -> str | None:
        """The limit that kept something from being done; None if all that was wanted had room, if only just.

        A limit of 0 calls, tokens or dollars keeps nothing from being done: it is a wish to run on rules.
        """
        if self._parent is not None:
            return self._parent.curtailed()
        limit = self.reached if self.reached and not self._unwanted(self.reached) else None
        return limit or ("max_seconds" if self.remaining_seconds() <= 0 else None)

    def reserve_call(self, room: Reservation = _NOTHING) -> None:
        """Take one model call, to be made right after; `record` it whatever comes of it.

        Raises:
            BudgetExhaustedError: A limit leaves no room for it. The run goes on by rule, and `reached` names the first.
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
        """Book a model call that was reserved and has ended, well or badly, at its cost in US dollars if known."""
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
        """Tokens of the longest reply that the run has had from a model for a purpose."""
        if self._parent is not None:
            return self._parent.longest_reply(model, purpose)
        with self._lock:
            calls = (*self.spent.calls, *self._calls)
        return max((call.output_tokens for call in calls if (call.model, call.purpose) == (model, purpose)), default=0)

    def calls_left(self) -> int:
        """Model calls that the run may still make, those under way counted as made."""
        if self._parent is not None:
            return self._parent.calls_left()
        with self._lock:
            return max(0, self.limits.max_model_calls - self.spent.model_calls - self._reserved)

    def tokens_left(self, price: Price | None = None) -> int:
        """Tokens that the run may still spend, what is under way counted as spent; with a price, by `max_cost` too."""
        if self._parent is not None:
            return self._parent.tokens_left(price)
        with self._lock:
            taken = self._taken()
        left, most = self.limits.max_tokens - taken.tokens, self.limits.max_cost
        if most is not None and price is not None and price[0] > 0:
            left = min(left, int((most - taken.cost) / price[0] * 1_000_000))
        return max(0, left)

    def reply_room(self, room: Reservation, prompt: int, price: Price | None = None) -> tuple[int, str]:
        """Tokens that the reply of a call under way may have, and the limit that ends it there."""
        if self._parent is not None:
            return self._parent.reply_room(room, prompt, price)
        with self._lock:
            taken = self._taken()
        left, most = self.limits.max_tokens - taken.tokens + room.tokens - prompt, self.limits.max_cost
        if most is not None and price is not None and price[1] > 0:
            affordable = int((most - taken.cost + room.cost - prompt * price[0] / 1_000_000) / price[1] * 1_000_000)
            if affordable < left:
                return max(0, affordable), "max_cost"
        return max(0, left), "max_tokens"

    def take_tool_call(self) -> bool:
        """Book one tool call, to be made right after; False, with nothing booked, where `max_tool_calls` is reached."""
        if self._parent is not None and not self._parent.take_tool_call():
            return False
        with self._lock:
            if self._parent is None and not self._tool_calls_left():
                return False
            self._tool_calls += 1
        return True

    def limit_of_tasks(self) -> str:
        """The limit that keeps a task from its calls: `max_tool_calls` where these are used up, else `max_seconds`."""
        if self._parent is not None:
            return self._parent.limit_of_tasks()
        return "max_seconds" if self._tool_calls_left() else "max_tool_calls"

    def _tool_calls_left(self) -> bool:
        most = self.limits.max_tool_calls
        return most is None or self.spent.tool_calls + self._tool_calls < most

    def delta(self) -> Usage:
        """What was spent since construction, to be added to the state's usage once."""
        with self._lock:
            return Usage(
                model_calls=sum(call.mode != NOT_SENT for call in self._calls),
                input_tokens=sum(call.input_tokens for call in self._calls),
                output_tokens=sum(call.output_tokens for call in self._calls),
                cost=self._cost,
                tool_calls=self._tool_calls,
                seconds=0.0 if self._parent is not None else self.elapsed(),
                calls=tuple(self._calls),
            )

    def note(self, limit: str) -> None:
        """Remember that a limit kept something from being done; the first one is the stop reason."""
        self.reached = self.reached or limit
        if self._parent is not None:
            self._parent.note(limit)

    def refuse(self, limit: str) -> NoReturn:
        """Refuse something for a limit's sake.

        Raises:
            BudgetExhaustedError: With that limit.
        """
        self.note(limit)
        raise BudgetExhaustedError(limit)

    def _full(self, room: Reservation) -> str | None:
        """The limit that leaves no room for such a call, if any."""
        limits, taken = self.limits, self._taken()
        if self.spent.model_calls + self._reserved >= limits.max_model_calls:
            return "max_model_calls"
        if taken.tokens >= limits.max_tokens or taken.tokens + room.tokens > limits.max_tokens:
            return "max_tokens"
        if limits.max_cost is not None and (taken.cost >= limits.max_cost or taken.cost + room.cost > limits.max_cost):
            return "max_cost"
        return None

    def _taken(self) -> Reservation:
        """Tokens and cost of the run so far, what is under way counted as spent."""
        spent = self.spent
        tokens = sum(call.input_tokens + call.output_tokens for call in self._calls) + self._held_tokens
        return Reservation(spent.input_tokens + spent.output_tokens + tokens, spent.cost + self._cost + self._held_cost)

    def _unwanted(self, limit: str) -> bool:
        return not getattr(self.limits, limit)
