"""Fail-over between search providers, asked in order until a provider finds something.

If a provider fails or finds nothing, the next is asked at once. Once all have failed, the caller (`invoke`) decides
whether to retry. Failures of a provider are remembered for all tasks (`health`).
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from weiwo.state import FailureKind
from weiwo.text.language import questions_of
from weiwo.text.printable import one_line, printable, redact_secrets
from weiwo.tools.calling.errors import ToolCallError, classify_error
from weiwo.tools.web.providers.health import ConfiguredProvider, Outage, ProviderHealth
from weiwo.tools.web.providers.provider import ProviderAccess, ProviderError, SearchHit, SearchQuery

if TYPE_CHECKING:
    import httpx

_MILDEST: Final[tuple[FailureKind, ...]] = (
    "crash", "oversized", "timeout", "rate_limit", "not_found", "blocked", "bad_arguments", "auth",
)  # fmt: skip
"""Order in which a kind is chosen for several permanent failures. The first says least against asking again."""
_LONGEST: Final = 240
"""Limit of the reasons of all providers together, in characters."""
_MAX_BYTES: Final = 2_000_000
"""Limit of a reply. A typical reply has 20 kB."""
_WHOLE_BYTES: Final = 8_000_000
"""Limit of a reply that includes whole pages."""
_LONGEST_MESSAGE: Final = 200
"""Limit of a provider's error message in characters, since the message may be a whole page."""
_log: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Result of a search over several providers."""

    hits: tuple[SearchHit, ...]  # best first; empty if the providers that answered found nothing
    provider: str = ""  # name of the provider that found them
    failures: tuple[ToolCallError, ...] = ()  # of the providers that did not answer


async def search_with_failover(
    sources: Sequence[ConfiguredProvider],
    query: SearchQuery,
    health: ProviderHealth,
    *,
    seconds: float,
    transport: "httpx.AsyncBaseTransport | None" = None,
) -> SearchResult:
    """Search with the first provider to find something.

    Args:
        sources: The providers, in the order to ask them.
        query: The query.
        health: Outages, rate limits and quotas of the providers.
        seconds: Time for the whole search. Each provider has an equal share of the remaining time.
        transport: Replaces the network in tests.

    Raises:
        ToolCallError: No provider answered. The message names each provider with its reason. The kind is that of the
            provider that may answer soonest, and `retry_after` says when that is.
    """
    refusals = [health.refusal(source) for source in sources]
    failures = [refusal for refusal in refusals if refusal is not None]
    able = [source for source, refusal in zip(sources, refusals, strict=True) if refusal is None]
    line = sorted(able, key=lambda source: health.out(source) is not None)  # those that are unwell last
    clock = asyncio.get_running_loop()
    end, answered = clock.time() + seconds, False
    for place, source in enumerate(line):
        known = health.out(source)
        if known is not None and answered:
            break  # another provider answered without hits, so one that failed lately is not worth the wait
        left, more = max(end - clock.time(), 0.0), len(line) - place
        try:
            async with _admission(source, health, known, left / more, last=more == 1):
                share = max(end - clock.time(), 0.0) / more
                hits = await _ask_provider(source, query, seconds=share, transport=transport)
        except ToolCallError as failure:
            failures.append(failure)
            _log.info("%s", failure.message)
            continue
        answered = True
        if hits:
            return SearchResult(tuple(hits), source.name, tuple(failures))
    if not answered:
        raise _combine_errors(failures)
    return SearchResult((), "", tuple(failures))


@asynccontextmanager
async def _admission(
    source: ConfiguredProvider, health: ProviderHealth, known: Outage | None, seconds: float, *, last: bool
) -> AsyncIterator[None]:
    """Context manager that waits for the rate limiter before a request, and records the result in `health`.

    Args:
        source: The provider.
        health: Outages, rate limits and quotas.
        known: Outage of the provider when it was chosen.
        seconds: Longest wait.
        last: Whether no other provider is left to ask. Then only a new firm outage (`Outage.firm`) ends the wait.

    Raises:
        ToolCallError: The wait is too long, or another request found the provider out of service meanwhile.
    """
    limiter = health.limiter(source)
    late = ToolCallError("timeout", f"{source.name}: too many requests are waiting")
    if not last and limiter.ahead(source.per_second) > seconds:
        raise late

    def check() -> None:
        if refusal := health.refusal(source):
            raise refusal
        if not last and (out := health.out(source)) not in {None, known}:
            raise ToolCallError(out.kind, out.why)

    bound = asyncio.timeout(seconds)
    try:
        async with bound, limiter.turn(source.per_second, check):
            bound.reschedule(None)
            health.spend(source)
            try:
                yield
            except ToolCallError as failure:
                if health.record_failure(source, failure):
                    _log.warning("%s; it is paused for a while", failure.message)
                raise
            health.record_success(source)
    except TimeoutError:
        raise late from None


def _combine_errors(failures: Sequence[ToolCallError]) -> ToolCallError:
    """Combine the failures of all providers into one.

    The kind is that of the transient failure with the shortest `retry_after`, else the first in `_MILDEST`.
    """
    room = _LONGEST // len(failures)
    reasons = "; ".join(one_line(failure.message, room) for failure in failures)
    message = f"web_search: {'no provider answers: ' * (len(failures) > 1)}{reasons}"
    passing = [failure for failure in failures if failure.transient]
    if passing:
        soonest = min(passing, key=lambda failure: failure.retry_after or 0.0)
        return ToolCallError(soonest.kind, message, retry_after=soonest.retry_after, transient=True)
    kinds = {failure.kind for failure in failures}
    kind = next((kind for kind in _MILDEST if kind in kinds), failures[0].kind)
    return ToolCallError(kind, message, transient=False)


async def _ask_provider(
    source: ConfiguredProvider,
    query: SearchQuery,
    *,
    seconds: float,
    transport: "httpx.AsyncBaseTransport | None" = None,
) -> list[SearchHit]:
    """Search with a provider.

    Args:
        source: The provider. The user sets its address, loopback included: the URL guard for pages does not apply.
        query: The query. The text is cut to the length that the provider takes.
        seconds: Time for the whole request.
        transport: Replaces the network in tests.

    Returns:
        The hits, best first, at most `query.k`, and only of sites and dates that `query.within` allows.

    Raises:
        ToolCallError: `auth`, `blocked` (a refusal, or a plan's limit), `rate_limit`, `timeout`, `oversized`,
            `not_found`, `bad_arguments` or `crash`. The message is one line that begins with the provider's name.
    """
    provider, most = source.provider, _WHOLE_BYTES if source.whole else _MAX_BYTES
    whole = source.whole and provider.whole
    access = ProviderAccess(source.base.rstrip("/"), source.key, seconds, whole, most, transport, provider.key)
    sites = query.operators() if provider.operators else ""
    line, room = " ".join(printable(query.text).split()), max(provider.longest - len(sites), provider.longest // 2)
    text = (questions_of(line, room) or line[:room].rsplit(" ", 1)[0]) + sites
    recency = query.time_range if provider.dates else query.recency(datetime.now(UTC).date())
    asked = replace(query, text=text, time_range=recency)
    if provider.host and not query.within.allows_page(f"https://{provider.host}/"):
        return []
    async with bounded_request(provider.name, access):
        hits = await provider.search(asked, access)
    within = query.within
    return [hit for hit in hits if within.allows_page(hit.url) and within.allows_date(hit.date)][: query.k]


@asynccontextmanager
async def bounded_request(name: str, access: ProviderAccess) -> AsyncIterator[None]:
    """Context manager that limits a provider request to `access.seconds`.

    Every error becomes a `ToolCallError` whose message begins with `name` and does not contain the API key.
    """
    secrets = [access.key] if access.key else []
    try:
        async with asyncio.timeout(access.seconds):
            yield
    except TimeoutError:
        raise ToolCallError("timeout", f"{name}: no reply within {access.seconds:.2g} s") from None
    except ProviderError as said:
        message = one_line(f"{name}: {redact_secrets(str(said), secrets)}", _LONGEST_MESSAGE)
        raise ToolCallError(said.kind, message, retry_after=said.retry_after, transient=said.transient) from None
    except Exception as error:  # noqa: BLE001 - whatever a provider's client raises, typed
        failure = classify_error(error, name)
        failure.message = one_line(redact_secrets(failure.message, secrets))
        failure.args = (failure.message,)
        raise failure from None
