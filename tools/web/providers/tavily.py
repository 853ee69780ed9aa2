"""Tavily search through the official client.

The client's exceptions have no common base class and leave out the message of the reply. `TAVILY_HTTPS_PROXY`,
`HTTPS_PROXY` and `NO_PROXY` are honoured.
"""

import asyncio
import json
import os
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import httpx

from weiwo.text.retry_after import parse_retry_after
from weiwo.tools.web.providers.http_provider import read_body, status_error, trusted_certificates
from weiwo.tools.web.providers.provider import ProviderAccess, ProviderError, SearchHit, SearchQuery, read_hits


async def search(query: SearchQuery, access: ProviderAccess) -> list[SearchHit]:
    """Search with Tavily.

    Raises:
        ProviderError: Tavily refuses, reports an error, or replies in another form.
    """
    within = query.within
    reply = await _request(
        access,
        "search",
        query=query.text,
        max_results=query.k,
        time_range=query.time_range,
        topic=query.topic,
        include_raw_content="markdown" if access.whole else None,
        include_domains=list(within.asked_sites) or None,
        exclude_domains=list(within.left_out) or None,
        start_date=within.earliest + "-01-01"[len(within.earliest) - 4 :] if within.earliest else None,
    )
    said = reply.get("error") or reply.get("detail")
    if said and not reply["results"]:  # the client adds an empty list where the reply has none
        raise ProviderError("crash", f"it reports an error: {said}")
    names = {"date": "published_date", "score": "score", "page": "raw_content" if access.whole else ""}
    return read_hits(reply["results"], url="url", text=("content",), **names)


async def extract(url: str, access: ProviderAccess) -> str:
    """Return the text of a page as Markdown, as read by Tavily.

    Raises:
        ProviderError: Tavily could not read the page, or refuses.
    """
    reply = await _request(access, "extract", urls=[url], format="markdown")
    texts = [item.get("raw_content") for item in reply["results"] if isinstance(item, Mapping)]
    text = next((text for text in texts if isinstance(text, str) and text.strip()), "")
    if not text:
        failed = reply.get("failed_results")
        why = [item.get("error") for item in failed if isinstance(item, Mapping)] if isinstance(failed, list) else []
        raise ProviderError("empty", f"it could not read the page: {next(filter(None, why), 'no text')}")
    return text


async def _request(access: ProviderAccess, method: str, **arguments: Any) -> Mapping[str, Any]:
    """Send a request to Tavily and return a reply with a list of results."""
    transport = await asyncio.to_thread(_BoundedTransport, access)
    tavily = await asyncio.to_thread(_import_tavily)
    try:
        async with httpx.AsyncClient(transport=transport, base_url=access.base, follow_redirects=False) as http:
            client = tavily.AsyncTavilyClient(api_key=access.key, api_base_url=access.base, client=http)
            reply = await getattr(client, method)(**arguments, timeout=access.seconds)
    except Exception as error:  # noqa: BLE001 - its exceptions have no base of their own
        raise _classify(error, transport) from None
    if not isinstance(reply, Mapping) or not isinstance(reply.get("results"), list):
        raise ProviderError("crash", "the reply contains no list of results")
    return reply


def _classify(error: Exception, transport: "_BoundedTransport") -> Exception:
    """Convert an exception of Tavily's client to a `ProviderError`, by the status that the transport recorded.

    Other exceptions, such as network errors, are returned unchanged.
    """
    name = type(error).__name__
    if transport.status >= 300:
        said = "" if name == "HTTPStatusError" else str(error)
        return status_error(transport.status, said, transport.wait, "TAVILY_API_KEY")
    if name == "TimeoutError":
        return ProviderError("timeout", "no reply in time")
    unread = isinstance(error, json.JSONDecodeError | UnicodeDecodeError)
    return ProviderError("crash", "the reply is not JSON") if unread else error


class _BoundedTransport(httpx.AsyncBaseTransport):
    """HTTP transport with a size limit on unpacked replies.

    It remembers the status and the retry time, which Tavily's exceptions leave out.
    """

    def __init__(self, access: ProviderAccess) -> None:
        self._inner = access.transport or httpx.AsyncHTTPTransport(
            verify=trusted_certificates(), proxy=_proxy_for(access.base)
        )
        self._max_bytes = access.max_bytes
        self.status = 0
        self.wait: float | None = None

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        reply = await self._inner.handle_async_request(request)
        self.status = reply.status_code
        self.wait = parse_retry_after(reply.headers.get("retry-after"))
        try:
            body = await read_body(reply, self._max_bytes)
        finally:
            await reply.aclose()
        headers = [(k, v) for k, v in reply.headers.multi_items() if k not in {"content-encoding", "content-length"}]
        return httpx.Response(reply.status_code, headers=headers, content=body)

    async def aclose(self) -> None:
        await self._inner.aclose()


def _proxy_for(url: str) -> str | None:
    parts = urlsplit(url)
    if parts.hostname is None or proxy_bypass(parts.hostname):
        return None
    return os.environ.get(f"TAVILY_{parts.scheme.upper()}_PROXY") or getproxies().get(parts.scheme)


def _import_tavily() -> Any:
    import tavily  # type: ignore[import-untyped]  # noqa: PLC0415  # slow to import, and needed only for this

    return tavily
