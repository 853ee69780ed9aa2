"""Health of search providers in this process: rate limiter, daily quota and outage.

Shared by all runs and their parallel tasks, so that a failure is discovered only once. A provider that refuses requests
(a firm outage) is not asked for a while. A provider that failed otherwise is asked after the others for a while.
"""

import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from weiwo.state import FailureKind
from weiwo.tools.web.providers.provider import Provider
from weiwo.tools.web.rate_limiter import RateLimiter

if TYPE_CHECKING:
    from weiwo.tools.calling.errors import ToolCallError

_REFUSED_SECONDS: Final = 3_600.0
"""Outage of a provider that rejected its key."""
_BLOCKED_SECONDS: Final = 600.0
"""Outage of a provider that refused access, or whose plan is used up."""
_UNWELL_SECONDS: Final = 30.0
"""Time for which a provider is asked last after any other failure."""
_DAY: Final = 86_400.0


@dataclass(frozen=True, slots=True)
class ConfiguredProvider:
    """Search provider as configured by the user."""

    provider: Provider
    base: str  # base URL
    key: str = field(default="", repr=False)  # API key, if any
    per_second: float = 5.0  # limit of requests per second
    a_day: int | None = None  # limit of requests per day, counted by this process; None for no limit
    whole: bool = False  # whether to request the whole text of pages

    @property
    def name(self) -> str:
        """Return the provider's name."""
        return self.provider.name


@dataclass(frozen=True, slots=True)
class Outage:
    """Time after a failure in which a provider is avoided.

    In a firm outage the provider is not asked at all. In any other it is asked after the others.
    """

    until: float  # end, by the clock of `ProviderHealth`
    firm: bool  # whether the provider is not asked at all, rather than after the others
    kind: FailureKind  # kind of the failure
    why: str  # message of the failure, which begins with the provider's name


@dataclass(slots=True)
class _DailyQuota:
    since: float
    spent: int = 0


class ProviderHealth:
    """Rate limiters, daily quotas and outages of the search providers."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self._limiters: dict[tuple[str, str], RateLimiter] = {}
        self._out: dict[tuple[str, str, str], Outage] = {}
        self._budgets: dict[tuple[str, str, str], _DailyQuota] = {}

    def limiter(self, source: ConfiguredProvider) -> RateLimiter:
        """Return the rate limiter for a provider's address, shared by all callers."""
        return self._limiters.setdefault((source.name, source.base), RateLimiter())

    def out(self, source: ConfiguredProvider) -> Outage | None:
        """Return the current outage of a provider, if any."""
        found = self._out.get(_customer(source))
        return found if found is not None and found.until > self.clock() else None

    def refusal(self, source: ConfiguredProvider) -> "ToolCallError | None":
        """Return the error to report instead of asking a provider, or None if the provider may be asked.

        A provider must not be asked during a firm outage, or if its requests for the day are used up.
        """
        from weiwo.tools.calling.errors import ToolCallError

        out = self.out(source)
        if out is not None and out.firm:
            wait = out.until - self.clock() if out.kind == "rate_limit" else None
            return ToolCallError(out.kind, out.why, retry_after=wait)  # in the words of the failure: one line for both
        if source.a_day is not None and self._budget(source).spent >= source.a_day:
            return ToolCallError("blocked", f"{source.name}: its budget of {source.a_day:,} requests a day is used up")
        return None

    def spend(self, source: ConfiguredProvider) -> None:
        """Count a request towards the provider's daily quota."""
        if source.a_day is not None:
            self._budget(source).spent += 1

    def record_success(self, source: ConfiguredProvider) -> None:
        """End the outage of a provider that answered. A firm outage stays, because a later request caused it."""
        out = self.out(source)
        if out is not None and not out.firm:  # a firm one came of a later request
            self._out.pop(_customer(source), None)

    def record_failure(self, source: ConfiguredProvider, failure: "ToolCallError") -> bool:
        """Start an outage of a provider after a failure. `bad_arguments` starts none, because the query is to blame.

        Returns True if a firm outage begins, and False if there was one before or the outage is not firm.
        """
        if failure.kind == "bad_arguments":  # the query's doing
            return False
        before, now = self.out(source), self.clock()
        seconds, firm = _UNWELL_SECONDS, False
        if failure.kind in {"auth", "blocked"}:
            seconds, firm = (_REFUSED_SECONDS if failure.kind == "auth" else _BLOCKED_SECONDS), True
        elif failure.kind == "rate_limit" and failure.retry_after is not None:
            seconds, firm = failure.retry_after, True
        if before is None or firm or not before.firm:
            self._out[_customer(source)] = Outage(now + seconds, firm, failure.kind, failure.message)
        return firm and not (before is not None and before.firm)

    def _budget(self, source: ConfiguredProvider) -> _DailyQuota:
        now = self.clock()
        budget = self._budgets.setdefault(_customer(source), _DailyQuota(now))
        if now - budget.since >= _DAY:
            budget.since, budget.spent = now, 0
        return budget


def _customer(source: ConfiguredProvider) -> tuple[str, str, str]:
    """Return the key of an account: provider, base URL and a hash of the API key."""
    return source.name, source.base, hashlib.sha256(source.key.encode()).hexdigest()


PROVIDER_HEALTH: Final = ProviderHealth()
"""Health of the providers, shared by all runs of this process."""
