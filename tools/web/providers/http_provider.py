"""Search providers over plain HTTP: one bounded request, and refusals typed."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final
from xml.etree import ElementTree as ET

from weiwo.state import FailureKind
from weiwo.tools.web.providers.provider import ProviderAccess, ProviderError, SearchHit, SearchQuery

if TYPE_CHECKING:
    from ssl import SSLContext

    import httpx

AGENT: Final = "Weiwo/0.1"
PLAN_LIMITS: Final = frozenset({402, 432, 433})
"""Statuses by which providers say that what was paid for is used up."""
UNREADABLE: Final = (ValueError, KeyError, TypeError, AttributeError, RecursionError, ET.ParseError)
"""What reading a reply may raise that is not of the documented form."""

Parameters = dict[str, str | int | None]


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """One request.

    Attributes:
        url: Where to.
        parameters: What goes into the URL, or, with `post`, into a JSON body; those without a value are left out.
        headers: Headers of its own.
        post: Whether it is a POST.
    """

    url: str
    parameters: Parameters
    headers: Mapping[str, str] = field(default_factory=dict)
    post: bool = False


def http_search(
    make: Callable[[SearchQuery, ProviderAccess], HttpRequest], read: Callable[[bytes], Iterable[SearchHit]]
) -> Callable[[SearchQuery, ProviderAccess], Awaitable[list[SearchHit]]]:
    """A way to ask a provider by one request.

    Args:
        make: Makes the request.
        read: Reads the hits out of the body of the reply. May raise `ProviderError` and any of `UNREADABLE`.
    """

    async def search(query: SearchQuery, access: ProviderAccess) -> list[SearchHit]:
        from weiwo.text.retry_after import parse_retry_after  # noqa: PLC0415 - who only lists providers needs none

        response, body = await _send(make(query, access), access)
        if response.status_code >= 300:
            said = body[:2_000].decode("utf-8", "replace")
            raise status_error(response.status_code, said, parse_retry_after(response.headers.get("retry-after")))
        try:
            return await asyncio.to_thread(lambda: list(read(body)))  # it may be megabytes
        except UNREADABLE:
            raise ProviderError("crash", "the reply is not of the documented form") from None

    return search


async def _send(request: HttpRequest, access: ProviderAccess) -> "tuple[httpx.Response, bytes]":
    verify = await asyncio.to_thread(trusted_certificates)
    import httpx  # noqa: PLC0415  # slow to import; by now it is there

    given = {name: value for name, value in request.parameters.items() if value is not None}
    headers = {"Accept": "application/json", "User-Agent": AGENT, **request.headers}
    params, body = (None, given) if request.post else (given, None)
    async with (
        httpx.AsyncClient(transport=access.transport, timeout=access.seconds, verify=verify) as client,
        client.stream(
            "POST" if request.post else "GET", request.url, headers=headers, params=params, json=body
        ) as response,
    ):
        return response, await read_body(response, access.max_bytes)


async def read_body(response: "httpx.Response", max_bytes: int) -> bytes:
    """The body of a reply, unpacked.

    Raises:
        ProviderError: It is larger than that.
    """
    body = bytearray()
    async for piece in response.aiter_bytes(65_536):
        body += piece
        if len(body) > max_bytes:
            raise ProviderError("oversized", f"the reply is larger than {max_bytes:,} bytes")
    return bytes(body)


@lru_cache(maxsize=1)
def trusted_certificates() -> "SSLContext":
    """The authorities to trust. Reading them is some 20 ms of blocking work, so it is done once a process."""
    import httpx  # noqa: PLC0415  # slow to import, and not of use to runs without the web

    return httpx.create_ssl_context()


def status_error(status: int, said: str = "", wait: float | None = None) -> ProviderError:
    """What a status other than success stands for.

    Args:
        status: The HTTP status.
        said: What the provider says besides.
        wait: Seconds after which it wants to be asked again.
    """
    if status in PLAN_LIMITS:
        return ProviderError("blocked", f"HTTP {status}, the limit of the plan is reached: {said}".rstrip(": "))
    if status < 400:
        return ProviderError("crash", f"HTTP {status}, it leads elsewhere; is its base URL right?")
    from weiwo.tools.calling.errors import classify_status  # noqa: PLC0415 - as above

    kind, transient = classify_status(status)
    words = f"HTTP {status}: {said}".rstrip(": ")
    return ProviderError(kind, words, transient=transient, retry_after=wait if transient else None)


def list_at(body: bytes, *paths: tuple[str, ...]) -> list[Any]:
    """The list at the first of some paths that a JSON reply has; none where it has no such part.

    Raises:
        ProviderError: It has none, but speaks of an error.
    """
    reply = json.loads(body)
    if not isinstance(reply, Mapping):
        raise TypeError("not an object")
    for path in paths:
        found: Any = reply
        for name in path:
            found = found.get(name) if isinstance(found, Mapping) else None
        if found is None:
            continue
        if not isinstance(found, list):
            raise TypeError(f"{'.'.join(path)} is no list")
        return found
    error = reply.get("error") or reply.get("errors")
    if error:
        code = error.get("code") if isinstance(error, Mapping) else None
        kind: FailureKind = "rate_limit" if code in {"ratelimited", "maxlag"} else "crash"
        raise ProviderError(kind, f"it reports an error: {_error_text(error)}")
    return []


def _error_text(error: Any) -> str:
    if isinstance(error, Mapping):
        error = next((error[name] for name in ("message", "info", "detail", "code") if error.get(name)), error)
    return str(error)[:2_000]
