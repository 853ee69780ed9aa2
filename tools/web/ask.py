"""One request to a search provider: bounded, and every way it can go wrong typed."""

import asyncio

import httpx

from tools.failures import ToolFailure, classify, redacted, wait_of
from tools.printable import one_line, printable
from tools.web.providers import UNREADABLE, Hit, Provider, Query

MAX_BYTES = 2_000_000
"""Bytes of a reply that are read; a search is some 20 kB."""
PLAN_LIMITS = frozenset({402, 432, 433})
"""Statuses by which providers say that what was paid for is used up."""


async def ask(
    provider: Provider,
    query: Query,
    *,
    key: str,
    base: str,
    seconds: float,
    transport: httpx.AsyncBaseTransport | None = None,
) -> list[Hit]:
    """Ask a provider.

    Args:
        provider: Whom.
        query: What for; cut to what the provider takes.
        key: Its key, if it takes one.
        base: Where it is.
        seconds: Time for the whole.
        transport: Instead of the network.

    Returns:
        Its hits, best first, at most `query.k`.

    Raises:
        ToolFailure: `auth`, `blocked` (a refusal, or a plan's limit), `rate_limit`, `timeout`, `oversized`,
            `not_found`, `bad_arguments` or `crash`.
    """
    shortened = Query(_shortened(query.text, provider.longest), query.k, query.time_range, query.topic, query.language)
    request = provider.ask(shortened, key, base.rstrip("/"))
    client = await asyncio.to_thread(_client, seconds, transport)  # reads certificates
    try:
        async with asyncio.timeout(seconds), client:
            response = await client.send(request, stream=True)
            try:
                body = await _body(response, provider.name)
            finally:
                await response.aclose()
    except TimeoutError:
        raise ToolFailure("timeout", f"{provider.name}: no reply within {seconds:g} s") from None
    except httpx.HTTPError as error:
        failure = classify(error, provider.name)
        failure.message = one_line(redacted(failure.message, [key] if key else []))
        raise failure from None
    if response.status_code >= 300:
        raise _refused(response, body, provider.name, key)
    try:
        return list(provider.read(body))[: query.k]
    except UNREADABLE:
        raise ToolFailure("crash", f"{provider.name}: the reply is not of the documented form") from None


def _client(seconds: float, transport: httpx.AsyncBaseTransport | None) -> httpx.AsyncClient:
    return httpx.AsyncClient(
        transport=transport, timeout=seconds, follow_redirects=False, headers={"User-Agent": "Weiwo/0.1"}
    )


async def _body(response: httpx.Response, name: str) -> bytes:
    body = bytearray()
    async for piece in response.aiter_bytes(65_536):
        body += piece
        if len(body) > MAX_BYTES:
            raise ToolFailure("oversized", f"{name}: the reply is larger than {MAX_BYTES:,} bytes")
    return bytes(body)


def _refused(response: httpx.Response, body: bytes, name: str, key: str) -> ToolFailure:
    """The failure that a status stands for, with what the provider says, its key struck out."""
    said = one_line(redacted(body[:2_000].decode("utf-8", "replace"), [key] if key else []), 160)
    status = response.status_code
    if status in PLAN_LIMITS:
        return ToolFailure("blocked", f"{name}: HTTP {status}, the limit of the plan is reached: {said}".rstrip(": "))
    if status < 400:
        return ToolFailure("crash", f"{name}: HTTP {status}, it leads elsewhere; is its base URL right?")
    error = httpx.HTTPStatusError(said, request=response.request, response=response)
    failure = classify(error, name)
    failure.retry_after = wait_of(response.headers.get("retry-after")) if failure.transient else None
    return failure


def _shortened(text: str, longest: int) -> str:
    """A query within a provider's limit, cut between words where there are any."""
    line = " ".join(printable(text).split())
    return line if len(line) <= longest else line[:longest].rsplit(" ", 1)[0]
