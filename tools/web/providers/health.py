"""Health of search providers in this process: rate limiter, daily quota and outage.

Shared by all runs and their parallel tasks, so that a failure is discovered only once. A provider that refuses is not
asked until its time is over. A provider that merely did not work is asked after the others.
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
"""For so long a provider is left alone that does not accept its key: until somebody may have put that right."""
_BLOCKED_SECONDS: Final = 600.0
"""The same after a refusal, or where a plan's limit is reached."""
_UNWELL_SECONDS: Final = 30.0
"""For so long a provider is asked last that did not answer, or not sensibly."""
_DAY: Final = 86_400.0


@dataclass(frozen=True, slots=True)
class ConfiguredProvider:
    """Search provider as configured by the user."""

    provider: Provider  # which
    base: str  # where it is
    key: str = field(default="", repr=False)  # its key, if it takes one
    per_second: float = 5.0  # requests a second at most
    a_day: int | None = None  # requests a day at most, counted by this process; None for any number
    whole: bool = False  # whether the whole text of pages is asked for

    @property
    def name(self) -> str:
        """The provider's name."""
        return self.provider.name


@dataclass(frozen=True, slots=True)
class Outage:
    """Outage of a provider."""

    until: float  # the end of it, by the clock of `ProviderHealth`
    firm: bool  # whether it is not asked at all, rather than after the others
    kind: FailureKind  # the failure that put it out
    why: str  # that failure in words, which begin with the provider's name


@dataclass(slots=True)
class _DailyQuota:
    since: float
    spent: int = 0


class ProviderHealth:
    """Health state of the search providers."""

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
        """Return the failure of a call to a blocked provider.

        The call is then not made. None means that the provider may be asked.
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
        """Book a request."""
        if source.a_day is not None:
            self._budget(source).spent += 1

    def record_success(self, source: ConfiguredProvider) -> None:
        """Record an answer from a provider, even if empty."""
        out = self.out(source)
        if out is not None and not out.firm:  # a firm one came of a later request
            self._out.pop(_customer(source), None)

    def record_failure(self, source: ConfiguredProvider, failure: "ToolCallError") -> bool:
        """Record a failure of a provider.

        Returns whether the failure blocks the provider firmly, and did not before.
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
    """Return the key of a provider account.

    Another API key is another account.
    """
    return source.name, source.base, hashlib.sha256(source.key.encode()).hexdigest()


PROVIDER_HEALTH: Final = ProviderHealth()
"""What this process knows."""
