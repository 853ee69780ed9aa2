"""Fetching of a single page, guarded, bounded in time and size, and polite.

Failures are `ToolCallError`s of a kind.
"""

import asyncio
import re
import zlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final
from urllib.parse import urljoin

import httpx

from weiwo.state import FailureKind
from weiwo.text.data_files import read_data
from weiwo.text.language import word_count
from weiwo.text.patterns import lazy
from weiwo.text.printable import one_line
from weiwo.text.retry_after import parse_retry_after
from weiwo.tools.calling.errors import ToolCallError, classify_error
from weiwo.tools.web.fetching.guarded_transport import GuardedTransport, UnknownHostError
from weiwo.tools.web.fetching.url_guard import UrlGuard, UrlRefusedError
from weiwo.tools.web.rate_limiter import SPACING, SiteLimiter

_SHORT_WORDS: Final = 150
"""A page with more words than this is an article, even if it speaks of captchas or cookies."""
_FEW_WORDS: Final = 70
"""A page with more words than this is an article, even if its footer speaks of subscriptions."""
_LONG_WORDS: Final = 500
"""A page with more words than this is an article, even if its title is that of a challenge."""

_MISSING: Final = "a not-found page"


def _read_patterns(table: str) -> dict[str, re.Pattern[str]]:
    patterns = read_data("interstitials")[table]
    return {what: lazy(text.replace("\n", ""), re.IGNORECASE) for what, text in patterns.items()}


_WORDS: Final = _read_patterns("words")
_BRIEF: Final = _read_patterns("brief")
"""Phrases by kind of page that short articles may have as well. They count only on pages of up to `_FEW_WORDS` words.
"""
_TITLES: Final = _read_patterns("titles")
"""Titles that no article has. The whole title must match."""


_ELSEWHERE: Final[dict[str, re.Pattern[str]]] = {
    "a login": lazy(
        r"https?://(?:login|signin|accounts?|sso|auth)\.|/(?:log-?in|sign-?in|sso|oauth2?)(?:[/?.]|$)", re.IGNORECASE
    ),
    "a question about cookies": lazy(r"https?://consent\.|/(?:cookie-?)?consent(?:[/?.]|$)", re.IGNORECASE),
    "a challenge": lazy(
        r"/(?:captcha|challenge|cdn-cgi/challenge-platform|age-?gate|verify-human)(?:[/?.]|$)", re.IGNORECASE
    ),
}
"""Addresses to which sites redirect requests for an article, to show another page."""
_PASSWORD: Final = lazy(r"<input[^<>]{0,300}\btype\s{0,3}=\s{0,3}[\"']?password", re.IGNORECASE)


def detect_interstitial(title: str, text: str, url: str = "", markup: str = "") -> tuple[FailureKind, str] | None:
    """Detect a page that was shown instead of an article, like a login, a challenge or a not-found page.

    Args:
        title: The page's title.
        text: The main content.
        url: The final URL.
        markup: The whole markup.

    Returns:
        The kind of failure and a description of the page, such as ("blocked", "a login"), or None for an article.
    """
    words = word_count(text)
    found = ""
    if words <= _SHORT_WORDS:
        found = next((what for what, pattern in _ELSEWHERE.items() if pattern.search(url)), "")
        found = found or ("a login" if _PASSWORD.search(markup) else "")
        found = found or next((what for what, pattern in _WORDS.items() if pattern.search(f"{title}\n{text}")), "")
    if not found and words <= _FEW_WORDS:
        found = next((what for what, pattern in _BRIEF.items() if pattern.search(f"{title}\n{text}")), "")
    if not found and words <= _LONG_WORDS:
        found = next((what for what, pattern in _TITLES.items() if pattern.fullmatch(title.strip())), "")
    return ("not_found" if found == _MISSING else "blocked", found) if found else None


_ENCODINGS: Final = frozenset({"", "identity", "gzip", "x-gzip", "deflate"})
"""Supported content encodings. Layers of encodings are refused, because each multiplies the decompressed size."""

_GZIP: Final = 16 + zlib.MAX_WBITS
_RAW: Final = -zlib.MAX_WBITS


def _decompress(body: bytes, encoding: str, most: int) -> bytes:
    """Decompress a response body in an encoding of `_ENCODINGS`, up to `most` bytes.

    Returns:
        The content, at most `most` bytes. For a truncated body, the available part.

    Raises:
        zlib.error: The body is damaged.
    """
    if encoding in {"", "identity"}:
        return body[:most]
    if encoding != "deflate":
        return _decompress_gzip(body, most)
    try:
        return zlib.decompressobj().decompress(body, most)
    except zlib.error:  # some servers leave out the zlib header
        return zlib.decompressobj(_RAW).decompress(body, most)


def _decompress_gzip(body: bytes, most: int) -> bytes:
    """Decompress a gzip body with a single member or several consecutive members."""
    found = bytearray()
    while body and len(found) < most:
        member = zlib.decompressobj(_GZIP)
        try:
            found += member.decompress(body, most - len(found))
        except zlib.error:
            if not found:
                raise
            break  # ignore bytes after the last member
        body = member.unused_data.lstrip(b"\0")
    return bytes(found)


_USER_AGENT: Final = "Mozilla/5.0 (compatible; Weiwo/0.1; research assistant)"
_MOST_REDIRECTS: Final = 5
_CONTENT_TYPES: Final = frozenset(
    {
        "text/html", "application/xhtml+xml", "text/plain", "text/markdown", "text/x-markdown", "text/csv",
        "application/pdf", "application/x-pdf", "application/json", "application/ld+json", "application/xml",
        "text/xml", "application/rss+xml", "application/atom+xml",
    }
)  # fmt: skip
"""Kinds of content that are read."""

_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_HEADERS: Final = {
    "User-Agent": _USER_AGENT,
    "Accept": "text/html,application/xhtml+xml,application/pdf,text/plain;q=0.9,*/*;q=0.1",
    "Accept-Language": "en,zh;q=0.9,*;q=0.5",
    "Accept-Encoding": "gzip, deflate",
}
_CHARSET: Final = lazy(r"charset\s*=\s*[\"']?([\w.:-]{2,40})", re.IGNORECASE)
_PDF: Final = b"%PDF-"

_site_limiter: Final = SiteLimiter()
_Permit = Callable[[str], Awaitable[None]]
"""Called before each request, redirects included. Raises ToolCallError if the URL must not be read."""


@dataclass(frozen=True, slots=True)
class FetchedPage:
    """Response fetched for a URL."""

    url: str  # where it came from in the end, redirects followed
    body: bytes  # its bytes, decompressed
    type: str  # its content type, lower case, without parameters
    charset: str  # the charset that the server named; empty where it named none


@dataclass(frozen=True, slots=True)
class _BodyBounds:
    """Bounds on the accepted part of a reply, as in `fetch`."""

    max_bytes: int
    page: bool


async def fetch(
    url: str,
    guard: UrlGuard,
    *,
    seconds: float,
    max_bytes: int,
    permit: _Permit | None = None,
    page: bool = True,
) -> FetchedPage:
    """Fetch a page.

    Args:
        url: An absolute URL.
        guard: Decides what may be connected to, each redirect anew.
        seconds: Time for everything, waiting for the site's turn included.
        max_bytes: Limit of the body, decompressed.
        permit: Called before each request with the URL. Raises ToolCallError if the URL must not be read.
        page: Whether the response must have a supported content type and be within `max_bytes`. Otherwise any type is
            accepted, and a larger body is cut.

    Raises:
        ToolCallError: `blocked` (refused by the guard, or by the server), `not_found`, `auth`, `rate_limit`, `timeout`,
            `oversized`, `bad_arguments` (no URL, or a content type that is not supported), `crash`.
    """
    shown = one_line(url, 200)
    client = await asyncio.to_thread(_make_client, guard, seconds)
    try:
        async with asyncio.timeout(seconds), client:
            return await _follow_redirects(client, url, guard, _BodyBounds(max_bytes, page), permit)
    except TimeoutError:
        raise ToolCallError("timeout", f"{shown}: no page within {seconds:g} s") from None
    except UrlRefusedError as error:
        raise ToolCallError("blocked", str(error)) from None
    except UnknownHostError as error:
        raise ToolCallError("not_found", f"{shown}: the host was not found: {error}") from None
    except (httpx.InvalidURL, UnicodeError) as error:  # a host name that no registry would give out
        raise ToolCallError("bad_arguments", f"{shown}: {error}") from None
    except httpx.HTTPError as error:
        raise _classify_http_error(error, shown) from None


def _classify_http_error(error: httpx.HTTPError, shown: str) -> ToolCallError:
    """Convert an error of the HTTP client to a tool failure. An invalid certificate is not retried."""
    failure = classify_error(error, shown)
    if "CERTIFICATE_VERIFY_FAILED" in str(error):
        failure.transient = False
    return failure


def _make_client(guard: UrlGuard, seconds: float) -> httpx.AsyncClient:
    """Create an HTTP client for a single page. Neither cookies nor credentials outlive the client."""
    return httpx.AsyncClient(
        transport=GuardedTransport(guard), headers=_HEADERS, timeout=seconds, follow_redirects=False, trust_env=False
    )


async def _follow_redirects(
    client: httpx.AsyncClient, asked: str, guard: UrlGuard, taken: _BodyBounds, permit: _Permit | None
) -> FetchedPage:
    url = asked
    for _ in range(_MOST_REDIRECTS + 1):
        parts = guard.check_url(url)
        url = parts.geturl()  # request the URL rebuilt from the checked parts
        if permit is not None:
            await permit(url)
        spacing = 0.0 if guard.is_own(parts) else SPACING
        async with _site_limiter.turn(parts.netloc, spacing=spacing), client.stream("GET", url) as response:
            location = response.headers.get("location")
            if response.status_code in _REDIRECTS and location:
                url = urljoin(url, location.strip().replace(" ", "%20"))
                continue
            try:
                return await _read_response(response, url, taken)
            except ToolCallError as failure:
                if failure.retry_after:
                    _site_limiter.hold(parts.netloc, failure.retry_after)
                raise
    raise ToolCallError("blocked", f"{one_line(asked, 200)}: more than {_MOST_REDIRECTS} redirects")


async def _read_response(response: httpx.Response, url: str, taken: _BodyBounds) -> FetchedPage:
    shown = one_line(url, 200)
    _check_status(response, shown)
    named = response.headers.get("content-type", "")
    kind = named.partition(";")[0].strip().lower() or "text/html"
    unread = ToolCallError("bad_arguments", f"{shown}: the content type {one_line(kind, 60)} is not supported")
    perhaps_pdf = kind in {"application/octet-stream", "binary/octet-stream", "application/force-download"}
    if taken.page and kind not in _CONTENT_TYPES and not perhaps_pdf:
        raise unread
    encoding = response.headers.get("content-encoding", "").strip().lower()
    if encoding not in _ENCODINGS:
        raise ToolCallError(
            "bad_arguments", f"{shown}: the response is compressed as {one_line(encoding, 60)}, which was not requested"
        )
    body = await _read_body(response, shown, encoding, taken)
    if perhaps_pdf and taken.page:
        if not body.startswith(_PDF):
            raise unread
        kind = "application/pdf"
    charset = _CHARSET.search(named)
    return FetchedPage(url, body, kind, charset[1].lower() if charset else "")


def _check_status(response: httpx.Response, shown: str) -> None:
    """Raise a `ToolCallError` unless the status is 2xx and Cloudflare shows no challenge."""
    status = response.status_code
    if response.headers.get("cf-mitigated", "").lower() == "challenge":
        raise ToolCallError("blocked", f"{shown}: HTTP {status}, a challenge was shown instead of the page")
    if 200 <= status < 300:
        return
    if not 400 <= status < 600:  # a redirect to nowhere, or a status that some sites made up for refusing
        raise ToolCallError("blocked", f"{shown}: HTTP {status}, no page")
    error = httpx.HTTPStatusError(response.reason_phrase, request=response.request, response=response)
    failure = classify_error(error, shown)
    failure.retry_after = parse_retry_after(response.headers.get("retry-after")) if failure.transient else None
    raise failure


async def _read_body(response: httpx.Response, shown: str, encoding: str, taken: _BodyBounds) -> bytes:
    """Read and decompress a body.

    A body over `taken.max_bytes`, compressed or not, is refused if `taken.page`, else cut.

    Raises:
        ToolCallError: `oversized` for a refused body, or `crash` for damaged data.
    """
    most = taken.max_bytes
    too_large = ToolCallError("oversized", f"{shown}: larger than {most:,} bytes")
    length = response.headers.get("content-length", "")
    if taken.page and length.isdecimal() and len(length) < 20 and int(length) > most:
        raise too_large
    raw = bytearray()
    async for piece in response.aiter_raw():
        raw += piece
        if len(raw) > most:
            if taken.page:
                raise too_large
            break
    try:
        body = await asyncio.to_thread(_decompress, bytes(raw), encoding, most + 1)
    except zlib.error as error:
        raise ToolCallError("crash", f"{shown}: damaged: {error}", transient=True) from None
    if len(body) > most and taken.page:
        raise too_large
    return body[:most]
