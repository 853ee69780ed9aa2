"""Day budgets: limits on a user's questions and spending from midnight to midnight (UTC).

They apply beside the limits of each run. A question counts when it is asked, a model call when it has ended. A run may
spend the budget left when it begins, so concurrent runs of a user can together exceed the day's budget.
"""

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from weiwo.app.records import Records, Spending
from weiwo.app.server.access.profiles import Profile, profile_of
from weiwo.app.server.errors import RequestError
from weiwo.app.server.metrics import count_model_call
from weiwo.models.budget import listen_to_calls
from weiwo.models.prices import cost_of_call
from weiwo.state.limits import ModelCall, Usage
from weiwo.state.settings import Context, Settings, operator_defaults

_COUNTED: Final = {"runs": "questions", "tokens": "tokens", "cost": "US dollars"}
"""Counted quantities with their units. The limits are the fields `…_per_day` of a profile."""


class DayBudgets:
    """Budgets and spending of a server's users."""

    def __init__(self, records: Records, settings: Settings) -> None:
        self._records, self._settings = records, settings
        self._writing: set[asyncio.Task[None]] = set()

    async def admit(self, user: str, *, asks: bool) -> None:
        """Check the remaining budget of a user's day, and count the question.

        A request that continues an earlier question does not count.

        Raises:
            RequestError: Nothing is left. The message says when the next day begins.
            SettingsError: The user's profile cannot be used.
        """
        now = time.time()
        profile, spent = await self._day(user, now)
        _require_budget(profile, spent, asks=asks, now=now)
        if asks:
            await self._records.add_spending(user, _day_of(now), Spending(runs=1))

    async def limit(self, user: str, profile: Context, context: Context, before: Usage) -> Context:
        """Return the operator's settings for a run, with limits lowered to the rest of the user's day.

        `max_tokens` and `max_cost` are lowered if the user has a daily budget for them. Without one, `profile` is
        returned unchanged. The usage of the thread before this run is added, because it counts towards the run's
        limits.

        Args:
            user: The user.
            profile: The operator's settings for the user's runs.
            context: The options set by the client.
            before: The usage of the question so far.

        Raises:
            SettingsError: The user's profile cannot be used.
        """
        budget, spent = await self._day(user, time.time())
        if budget.tokens_per_day is None and budget.cost_per_day is None:
            return profile
        with operator_defaults(profile):
            limits = Settings.resolve(Context(depth=context.depth)).limits
        lowered: dict[str, Any] = {}
        if budget.tokens_per_day is not None:
            left = max(0, budget.tokens_per_day - spent.tokens) + before.input_tokens + before.output_tokens
            lowered["max_tokens"] = min(left, limits.max_tokens)
        if budget.cost_per_day is not None:
            left_cost = max(0.0, budget.cost_per_day - spent.cost) + before.cost
            lowered["max_cost"] = left_cost if limits.max_cost is None else min(left_cost, limits.max_cost)
        return profile.model_copy(update=lowered)

    @contextmanager
    def count_costs(self, user: str) -> Iterator[None]:
        """Context manager to add the tokens and cost of model calls to a user's day, including cancelled calls."""
        loop = asyncio.get_running_loop()

        def write(call: ModelCall) -> None:
            writing = loop.create_task(self._count(user, call))
            self._writing.add(writing)
            writing.add_done_callback(self._writing.discard)

        with listen_to_calls(lambda call: loop.call_soon_threadsafe(write, call)):  # a call may end in another thread
            yield

    async def settle(self) -> None:
        """Wait until all spending has been recorded."""
        await asyncio.sleep(0)  # what was told just now begins to be written
        if self._writing:
            await asyncio.wait(set(self._writing))

    async def _count(self, user: str, call: ModelCall) -> None:
        tokens = call.input_tokens, call.output_tokens
        cost = cost_of_call(self._settings, call.model, *tokens, call.cached_tokens)
        count_model_call(*tokens, cost)
        await self._records.add_spending(user, _day_of(time.time()), Spending(0, sum(tokens), cost))

    async def describe(self, user: str) -> dict[str, Any]:
        """Describe a user's day: spending, budget, and the start of the next day.

        Raises:
            SettingsError: The user's profile cannot be used.
        """
        now = time.time()
        profile, spent = await self._day(user, now)
        budget = {f"{name}_per_day": getattr(profile, f"{name}_per_day") for name in _COUNTED}
        return {**spent._asdict(), **budget, "ends": _next_day(now).isoformat(timespec="seconds")}

    async def _day(self, user: str, now: float) -> tuple[Profile, Spending]:
        profile = await asyncio.to_thread(profile_of, Path(self._settings.home), user)
        return profile, await self._records.spending(user, _day_of(now))


def _require_budget(profile: Profile, spent: Spending, *, asks: bool, now: float) -> None:
    """Raise an error if a budget of the user's day is used up.

    The number of questions counts only if the request `asks` one.

    Raises:
        RequestError: Nothing is left. The message says when the next day begins.
    """
    for name, unit in _COUNTED.items():
        most, used = getattr(profile, f"{name}_per_day"), getattr(spent, name)
        if most is None or used < most or (name == "runs" and not asks):
            continue
        opens = _next_day(now)
        raise RequestError(
            429,
            f"your {unit} for today are used up ({used:,.6g} of {most:,.6g}, {name}_per_day); try again "
            f"after {opens:%Y-%m-%d %H:%M} UTC",
            retry_after=int(opens.timestamp() - now) + 1,
        )


def _day_of(now: float) -> str:
    return datetime.fromtimestamp(now, UTC).date().isoformat()


def _next_day(now: float) -> datetime:
    day = datetime.fromtimestamp(now, UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    return day + timedelta(days=1)
