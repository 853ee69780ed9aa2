"""Fetching one page: under the guard, within bounds of time and size, failures typed."""

import asyncio
import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import urljoin

import httpx

from tools.failures import ToolFailure, classify, wait_of
from tools.printable import one_line
from tools.web.guard import Guard, UrlRefusedError
from tools.web.transport import GuardedTransport

USER_AGENT: Final = "Mozilla/5.0 (compatible; Weiwo/0.1; research assistant)"
MOST_REDIRECTS: Final = 5
CONTENT_TYPES: Final = frozenset(
    {
        "text/html", "application/xhtml+xml", "text/plain", "text/markdown", "text/csv", "application/pdf",
        "application/json", "application/xml", "text/xml", "application/rss+xml", "application/atom+xml",
    }
)  # fmt: skip
"""Kinds of content that are read."""

_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_HEADERS: Final = {
    "User-Agent": USER_AGENT,
    "Accept": "text/html,application/xhtml+xml,application/pdf,text/plain;q=0.9,*/*;q=0.1",
    "Accept-Language": "en,zh;q=0.9,*;q=0.5",
    "Accept-Encoding": "gzip, deflate",  # no brotli, no zstd: these expand a small body without bound
}
_CHARSET: Final = re.compile(r"charset\s*=\s*[\"']?([\w.:-]{2,40})", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Fetched:
    """What came for a URL.

    Attributes:
        url: Where it came from in the end, redirects followed.
        body: Its bytes, decompressed.
        type: Its content type, lower case, without parameters.
        charset: The charset that the server named; empty where it named none.
        status: The HTTP status, 200 to 299.
    """

    url: str
    body: bytes
    type: str
    charset: str
    status: int


async def fetch(url: str, guard: Guard, *, seconds: float, max_bytes: int) -> Fetched:
    """Fetch a page.

    Args:
        url: An absolute URL.
        guard: Decides what may be connected to, each redirect anew.
        seconds: Time for everything.
        max_bytes: Bytes of the body, decompressed, that are read.

    Raises:
        ToolFailure: `blocked` (refused by the guard, or by the server), `not_found`, `auth`, `rate_limit`, `timeout`,
            `oversized`, `bad_arguments` (a kind of content that is not read), `crash`.
    """
    client = await asyncio.to_thread(_client, guard, seconds)  # reads certificates
    try:
        async with asyncio.timeout(seconds), client:
            return await _followed(client, url, guard, max_bytes)
    except TimeoutError:
        raise ToolFailure("timeout", f"{one_line(url, 200)}: no page within {seconds:g} s") from None
    except UrlRefusedError as error:
        raise ToolFailure("blocked", str(error)) from None
    except httpx.HTTPError as error:
        raise classify(error, one_line(url, 200)) from None


def _client(guard: Guard, seconds: float) -> httpx.AsyncClient:
    return httpx.AsyncClient(
        transport=GuardedTransport(guard), headers=_HEADERS, timeout=seconds, follow_redirects=False, trust_env=False
    )


async def _followed(client: httpx.AsyncClient, url: str, guard: Guard, max_bytes: int) -> Fetched:
    asked = url
    for _ in range(MOST_REDIRECTS + 1):
        guard.check_url(url)
        async with client.stream("GET", url) as response:
            location = response.headers.get("location")
            if response.status_code in _REDIRECTS and location:
                url = urljoin(url, location)
                continue
            return await _read(response, url, max_bytes)
    raise ToolFailure("blocked", f"{one_line(asked, 200)}: more than {MOST_REDIRECTS} redirects")


async def _read(response: httpx.Response, url: str, max_bytes: int) -> Fetched:
    shown = one_line(url, 200)
    if response.status_code >= 400:
        error = httpx.HTTPStatusError(response.reason_phrase, request=response.request, response=response)
        failure = classify(error, shown)
        failure.retry_after = wait_of(response.headers.get("retry-after"))
        raise failure
    named = response.headers.get("content-type", "")
    kind = named.partition(";")[0].strip().lower() or "text/html"
    if kind not in CONTENT_TYPES:
        raise ToolFailure("bad_arguments", f"{shown}: {one_line(kind, 60)} is not a kind of page that is read")
    too_large = f"{shown}: larger than {max_bytes:,} bytes"
    length = response.headers.get("content-length", "")
    if length.isdecimal() and int(length) > max_bytes:
        raise ToolFailure("oversized", too_large)
    body = bytearray()
    async for piece in response.aiter_bytes(64 * 1024):
        body += piece
        if len(body) > max_bytes:
            raise ToolFailure("oversized", too_large)
    charset = _CHARSET.search(named)
    return Fetched(url, bytes(body), kind, charset[1].lower() if charset else "", response.status_code)
