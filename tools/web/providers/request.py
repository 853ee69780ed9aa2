"""One request to a search provider: bounded, and every way it can go wrong typed."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from weiwo.tools.calling.errors import ToolCallError, classify_error
from weiwo.tools.printable import one_line, printable
from weiwo.tools.redaction import redacted
from weiwo.tools.web.providers.health import ConfiguredProvider
from weiwo.tools.web.providers.provider import ProviderAccess, ProviderError, SearchHit, SearchQuery

if TYPE_CHECKING:
    import httpx

MAX_BYTES = 2_000_000
"""Bytes of a reply that are read; a search is some 20 kB."""
WHOLE_BYTES = 8_000_000
"""The same where pages come whole."""
_LONGEST = 200
"""Characters of a message: what a provider says may be a page."""


async def ask_provider(
    source: ConfiguredProvider,
    query: SearchQuery,
    *,
    seconds: float,
    max_bytes: int | None = None,
    transport: "httpx.AsyncBaseTransport | None" = None,
) -> list[SearchHit]:
    """Ask a provider.

    Args:
        source: Whom. Where it is, is the user's to say, loopback included: the guard over pages is not asked.
        query: What for; cut to what the provider takes.
        seconds: Time for the whole.
        max_bytes: Bytes of a reply to read; by default as many as are sensible.
        transport: Instead of the network.

    Returns:
        Its hits, best first, at most `query.k`, none of which the query's restriction leaves out.

    Raises:
        ToolCallError: `auth`, `blocked` (a refusal, or a plan's limit), `rate_limit`, `timeout`, `oversized`,
            `not_found`, `bad_arguments` or `crash`; one line that begins with the provider's name.
    """
    provider, most = source.provider, max_bytes or (WHOLE_BYTES if source.whole else MAX_BYTES)
    whole = source.whole and provider.whole
    access = ProviderAccess(source.base.rstrip("/"), source.key, seconds, whole, most, transport, provider.key)
    sites = query.operators() if provider.operators else ""
    text = _shorten(query.text, max(provider.longest - len(sites), provider.longest // 2)) + sites
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
    """One request to a provider: within its time, and whatever goes wrong a `ToolCallError` without the key.

    Args:
        name: The provider's name, with which messages begin.
        access: How it is reached.
    """
    secrets = [access.key] if access.key else []
    try:
        async with asyncio.timeout(access.seconds):
            yield
    except TimeoutError:
        raise ToolCallError("timeout", f"{name}: no reply within {access.seconds:.2g} s") from None
    except ProviderError as said:
        message = one_line(f"{name}: {redacted(str(said), secrets)}", _LONGEST)
        raise ToolCallError(said.kind, message, retry_after=said.retry_after, transient=said.transient) from None
    except Exception as error:  # noqa: BLE001 - whatever a provider's client raises, typed
        failure = classify_error(error, name)
        failure.message = one_line(redacted(failure.message, secrets))
        failure.args = (failure.message,)
        raise failure from None


def _shorten(text: str, longest: int) -> str:
    """A query within a provider's limit, cut between words where there are any."""
    line = " ".join(printable(text).split())
    return line if len(line) <= longest else line[:longest].rsplit(" ", 1)[0]
