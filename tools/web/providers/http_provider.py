"""HTTP requests to search providers, limited in time and size, with refusals as `ProviderError`."""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final
from xml.etree import ElementTree as ET

from weiwo.state import FailureKind
from weiwo.text.retry_after import parse_retry_after
from weiwo.tools.web.providers.provider import ProviderAccess, ProviderError, SearchHit, SearchQuery

if TYPE_CHECKING:
    from ssl import SSLContext

    import httpx

_AGENT: Final = "Weiwo/0.1"
_PLAN_LIMITS: Final = frozenset({402, 432, 433})
"""HTTP statuses that mean that all requests of the user's plan are used up."""
_SPENT: Final = re.compile(
    r"not enough credits|out of (?:call )?(?:volume )?quota|(?:insufficient|exhausted|used up|run out of) \w{0,20} ?"
    r"(?:credits?|balance|quota)|(?:usage|plan'?s?|monthly|daily) (?:set )?(?:usage )?(?:limit|quota)|upgrade your plan"
    r"|quota[_ ]?(?:exceeded|exhausted)|额度|余额不足",
    re.IGNORECASE,
)
"""Words of a reply that mean the same with another status: Serper 400, Bing 403, others 429."""
_BAD_KEY: Final = re.compile(
    r"SUBSCRIPTION_TOKEN_INVALID|(?:invalid|missing|unknown|wrong) (?:api[ _-]?)?(?:key|token)|unauthori[sz]ed"
    r"|api[ _-]?key (?:is )?(?:invalid|missing|not valid|required)",
    re.IGNORECASE,
)
"""Words of a reply that reject the key with another status than 401: Brave 422, Serper 403."""
_MEANS: Final = {
    400: ", the request was rejected",
    401: ", the key was rejected",
    403: ", access was refused",
    429: ", too many requests",
}
_UNREADABLE: Final = (ValueError, KeyError, TypeError, AttributeError, RecursionError, ET.ParseError)
"""Exceptions raised by reading a reply that is not of the documented form."""

Parameters = dict[str, Any]


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """HTTP request to a provider."""

    url: str
    # Parameters of the URL, or of the JSON body if `post`. Parameters that are None are left out.
    parameters: Parameters
    headers: Mapping[str, str] = field(default_factory=dict)  # in addition to the usual headers
    post: bool = False  # POST instead of GET


def http_search(
    make: Callable[[SearchQuery, ProviderAccess], HttpRequest], read: Callable[[bytes], Iterable[SearchHit]]
) -> Callable[[SearchQuery, ProviderAccess], Awaitable[list[SearchHit]]]:
    """Build a search function for a provider.

    The function makes one request: `make` builds it, and `read` reads the hits from the body of the reply. `read` may
    raise `ProviderError` and any of `_UNREADABLE`.
    """

    async def search(query: SearchQuery, access: ProviderAccess) -> list[SearchHit]:
        response, body = await _send(make(query, access), access)
        if response.status_code >= 300:
            said = body[:2_000].decode("utf-8", "replace")
            wait = parse_retry_after(response.headers.get("retry-after"))
            # Brave lists the remaining requests by second and by month, and the month's are the plan's.
            remaining = response.headers.get("x-ratelimit-remaining", "")
            spent = "," in remaining and remaining.rpartition(",")[2].strip() == "0"
            raise status_error(response.status_code, said, wait, access.variable, spent=spent)
        try:
            return await asyncio.to_thread(lambda: list(read(body)))  # it may be megabytes
        except _UNREADABLE:
            page = "html" in response.headers.get("content-type", "")
            form = "a web page, not JSON: the address is wrong, or its JSON format is not enabled"
            raise ProviderError("crash", f"the reply is {form if page else 'not of the documented form'}") from None

    return search


async def _send(request: HttpRequest, access: ProviderAccess) -> "tuple[httpx.Response, bytes]":
    verify = await asyncio.to_thread(trusted_certificates)
    import httpx

    given = {name: value for name, value in request.parameters.items() if value is not None}
    headers = {"Accept": "application/json", "User-Agent": _AGENT, **request.headers}
    params, body = (None, given) if request.post else (given, None)
    method = "POST" if request.post else "GET"
    async with (
        httpx.AsyncClient(transport=access.transport, timeout=access.seconds, verify=verify) as client,
        client.stream(method, request.url, headers=headers, params=params, json=body) as response,
    ):
        return response, await read_body(response, access.max_bytes)


async def read_body(response: "httpx.Response", max_bytes: int) -> bytes:
    """Return the decompressed body of a reply.

    Raises:
        ProviderError: `oversized`, if the body is larger than `max_bytes`.
    """
    body = bytearray()
    async for piece in response.aiter_bytes(65_536):
        body += piece
        if len(body) > max_bytes:
            raise ProviderError("oversized", f"the reply is larger than {max_bytes:,} bytes")
    return bytes(body)


@lru_cache(maxsize=1)
def trusted_certificates() -> "SSLContext":
    """Return an SSL context with the trusted certificate authorities.

    Reading them is some 20 ms of blocking work, so it is done once per process.
    """
    import httpx

    return httpx.create_ssl_context()


def status_error(
    status: int, said: str = "", wait: float | None = None, variable: str = "", *, spent: bool = False
) -> ProviderError:
    """Return the error for a reply with an unsuccessful status.

    Args:
        status: The status.
        said: The body, or a client's message about it.
        wait: Seconds of the reply's Retry-After header.
        variable: The environment variable of the key, for the message.
        spent: Whether the reply's headers say that the plan's longest period has no requests left.
    """
    from weiwo.tools.calling.errors import classify_status

    told = _error_told(said)
    if status in _PLAN_LIMITS or (status in {400, 403, 429} and (spent or _SPENT.search(said) or _is_spent(said))):
        return ProviderError("blocked", f"HTTP {status}, the limit of the plan was reached: {told}".rstrip(": "))
    if status == 401 or (status in {400, 403, 422} and _BAD_KEY.search(said)):
        where = f" in {variable}" if variable else ""
        return ProviderError("auth", f"HTTP {status}{_MEANS[401]}{where}: {told}".rstrip(": "))
    if status < 400:
        return ProviderError("crash", f"HTTP {status}, a redirect; check its base URL")
    kind, transient = classify_status(status)
    words = f"HTTP {status}{_MEANS.get(status, '')}: {told}".rstrip(": ")
    return ProviderError(kind, words, transient=transient, retry_after=wait if transient else None)


def _is_spent(said: str) -> bool:
    """Report whether an error body shows a used-up quota, as in Brave's replies."""
    try:
        meta = json.loads(said)["error"]["meta"]
        return int(meta["quota_limit"]) <= int(meta["quota_current"])
    except (ValueError, LookupError, TypeError):
        return False


def _error_told(said: str) -> str:
    """Return the message in a JSON error body, an empty string if it has none, or the body itself if it is not JSON."""
    try:
        told: Any = json.loads(said)
    except (ValueError, RecursionError):
        return said
    for _ in range(3):
        if isinstance(told, Mapping):
            names = ("error", "detail", "message", "info", "code", "errors")
            told = next((told[name] for name in names if told.get(name)), "")
        if isinstance(told, list):
            told = next(iter(told), "")
    return str(told) if isinstance(told, str | int | float) else ""


def list_at(body: bytes, *paths: tuple[str, ...]) -> list[Any]:
    """Return the list at the first of several paths that exists in a JSON reply.

    Returns an empty list if no path exists.

    Raises:
        ProviderError: No path exists, and the reply reports an error.
        TypeError: The reply is not an object, or the value at the path is not a list.
        ValueError: The reply is not JSON.
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
            raise TypeError(f"{'.'.join(path)} is not a list")
        return found
    error = reply.get("error") or reply.get("errors") or reply.get("detail")
    if error:
        code = error.get("code") if isinstance(error, Mapping) else None
        kind: FailureKind = "rate_limit" if code in {"ratelimited", "maxlag"} else "crash"
        raise ProviderError(kind, f"it reports an error: {_error_text(error)}")
    return []


def _error_text(error: Any) -> str:
    if isinstance(error, Mapping):
        error = next((error[name] for name in ("message", "info", "detail", "error", "code") if error.get(name)), error)
    return str(error)[:2_000]
