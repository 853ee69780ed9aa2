"""Web search through Tavily.

Needs `TAVILY_API_KEY`. `TAVILY_BASE_URL` names another endpoint that speaks the same protocol (a gateway, a test
server); `TAVILY_HTTPS_PROXY`, `HTTPS_PROXY` and `NO_PROXY` are honoured. Trying again is left to `tools.run`.
"""

import asyncio
import os
from collections.abc import Mapping
from math import isfinite
from typing import Any, Final, Literal
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import httpx
from langchain_core.tools import BaseTool
from pydantic import BaseModel, Field, SecretStr

from state import Evidence, FailureKind, JsonValue, passage_id
from tools.failures import ToolFailure, classify, redacted, wait_of
from tools.passages import as_artifact, as_text
from tools.printable import one_line, printable
from tools.results import iso_date
from tools.sync import run_sync

TAVILY: Final = "https://api.tavily.com"
MAX_BYTES: Final = 2_000_000
"""Bytes of a reply that are read; a search is some 20 kB."""
CACHE_SECONDS: Final = 3_600
"""How long the results of a search are good enough to be used again."""

_LONGEST_QUERY: Final = 400
_LONGEST_PASSAGE: Final = 8_000
_PLAN_LIMITS: Final = frozenset({432, 433})
_BY_NAME: Final[dict[str, tuple[FailureKind, str]]] = {
    "InvalidAPIKeyError": ("auth", "Tavily does not accept the key in TAVILY_API_KEY"),
    "ForbiddenError": ("blocked", "Tavily refuses"),
    "UsageLimitExceededError": ("rate_limit", "Tavily wants fewer requests"),
    "BadRequestError": ("bad_arguments", "Tavily does not accept the request"),
    "TimeoutError": ("timeout", "no reply in time"),
    "JSONDecodeError": ("crash", "the reply is not JSON"),
    "UnicodeDecodeError": ("crash", "the reply is not JSON"),
}


class WebSearchArguments(BaseModel):
    """What `web_search` takes."""

    query: str = Field(min_length=1, description="What to look for, as for a search engine.")
    k: int = Field(6, ge=1, le=20, description="How many results at most.")
    time_range: Literal["day", "week", "month", "year"] | None = Field(
        None, description="Only pages from the last day, week, month or year."
    )
    topic: Literal["general", "news", "finance"] = Field("general", description="Kind of pages to search.")


class WebSearch(BaseTool):
    """Searches the web."""

    name: str = "web_search"
    description: str = "Search the web for passages about something, current events included."
    args_schema: Any = WebSearchArguments
    response_format: Literal["content", "content_and_artifact"] = "content_and_artifact"
    api_key: SecretStr = Field(exclude=True, repr=False)
    """Tavily's key."""
    base_url: str = TAVILY
    """The endpoint."""
    seconds: float = 30
    """Bound of one call."""
    max_bytes: int = MAX_BYTES
    """Bytes of a reply that are read."""
    transport: Any = Field(None, exclude=True, repr=False)
    """An `httpx.AsyncBaseTransport` instead of the network."""

    @classmethod
    def from_environment(cls, env: Mapping[str, str] | None = None) -> "WebSearch | None":
        """The tool as the environment sets it up; None without a key."""
        env = os.environ if env is None else env
        key = env.get("TAVILY_API_KEY", "").strip()
        base_url = env.get("TAVILY_BASE_URL", "").strip().rstrip("/") or TAVILY
        metadata = {"cache_seconds": CACHE_SECONDS, "identity": base_url}
        return cls(api_key=SecretStr(key), base_url=base_url, metadata=metadata) if key else None

    async def _arun(
        self,
        query: str,
        k: int = 6,
        time_range: Literal["day", "week", "month", "year"] | None = None,
        topic: Literal["general", "news", "finance"] = "general",
    ) -> tuple[str, list[dict[str, JsonValue]]]:
        transport = await asyncio.to_thread(self._bounded)  # reads certificates
        try:
            async with asyncio.timeout(self.seconds):
                reply = await self._ask(transport, _shortened(query), k, time_range, topic)
        except Exception as error:  # noqa: BLE001  # whatever the client raises, typed
            raise self._failure(error, transport) from None
        passages = _passages(reply, k, self.name)
        return as_text(passages, "The web search found nothing."), as_artifact(passages)

    def _run(
        self,
        query: str,
        k: int = 6,
        time_range: Literal["day", "week", "month", "year"] | None = None,
        topic: Literal["general", "news", "finance"] = "general",
    ) -> tuple[str, list[dict[str, JsonValue]]]:
        return run_sync(self._arun(query, k, time_range, topic))

    async def _ask(
        self, transport: "_Bounded", query: str, k: int, time_range: str | None, topic: str
    ) -> Mapping[str, Any]:
        tavily = await asyncio.to_thread(_import_tavily)
        async with httpx.AsyncClient(transport=transport, base_url=self.base_url, follow_redirects=False) as http:
            client = tavily.AsyncTavilyClient(
                api_key=self.api_key.get_secret_value(), api_base_url=self.base_url, client=http
            )
            reply = await client.search(
                query=query, max_results=k, time_range=time_range, topic=topic, timeout=self.seconds
            )
        if not isinstance(reply, Mapping) or not isinstance(reply.get("results"), list):
            raise ToolFailure("crash", f"{self.name}: the reply holds no list of results")
        said = reply.get("error") or reply.get("detail")
        if said and not reply["results"]:  # the client adds an empty list where the reply has none
            raise ToolFailure("crash", f"{self.name}: Tavily reports an error: {one_line(str(said), 200)}")
        return reply

    def _bounded(self) -> "_Bounded":
        inner = self.transport or httpx.AsyncHTTPTransport(proxy=_proxy(self.base_url))
        return _Bounded(inner, self.max_bytes, self.name)

    def _failure(self, error: Exception, transport: "_Bounded") -> ToolFailure:
        """The failure behind an exception of the client, whose classes have no base of their own."""
        name, status = type(error).__name__, transport.status
        said = one_line(redacted(str(error), [self.api_key.get_secret_value()]), 200)
        if name == "HTTPStatusError":
            failure = classify(error, self.name)
            message = f"{self.name}: Tavily answers with HTTP {status}"
            wait = transport.wait if failure.transient else None
            return ToolFailure(failure.kind, message, retry_after=wait, transient=failure.transient)
        if name not in _BY_NAME:
            return classify(error, self.name)
        kind, means = _BY_NAME[name]
        if status in _PLAN_LIMITS:
            means = "the limit of the Tavily plan is reached"
        wait = transport.wait if kind == "rate_limit" else None
        return ToolFailure(kind, f"{self.name}: {means}: {said}".rstrip(": "), retry_after=wait)


class _Bounded(httpx.AsyncBaseTransport):
    """Reads replies up to a size, unpacked, and remembers what Tavily's exceptions leave out."""

    def __init__(self, inner: httpx.AsyncBaseTransport, max_bytes: int, name: str) -> None:
        self._inner = inner
        self._max_bytes = max_bytes
        self._name = name
        self.status: int | None = None
        self.wait: float | None = None

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        reply = await self._inner.handle_async_request(request)
        self.status = reply.status_code
        self.wait = wait_of(reply.headers.get("retry-after"))
        body = bytearray()
        try:
            async for part in reply.aiter_bytes(65_536):
                body += part
                if len(body) > self._max_bytes:
                    raise ToolFailure("oversized", f"{self._name}: the reply is larger than {self._max_bytes:,} bytes")
        finally:
            await reply.aclose()
        headers = [(k, v) for k, v in reply.headers.multi_items() if k not in {"content-encoding", "content-length"}]
        return httpx.Response(reply.status_code, headers=headers, content=bytes(body))

    async def aclose(self) -> None:
        await self._inner.aclose()


def _passages(reply: Mapping[str, Any], k: int, tool: str) -> list[Evidence]:
    """The results that have a web address and text, best first, each text once."""
    found: dict[str, Evidence] = {}
    for item in reply["results"]:
        if not isinstance(item, Mapping) or len(found) >= k:
            continue
        url, text, score = item.get("url"), item.get("content"), item.get("score")
        if not (isinstance(url, str) and _is_web(url) and isinstance(text, str)):
            continue
        body = printable(text).strip()[:_LONGEST_PASSAGE]
        if not body or passage_id(body) in found:
            continue
        found[passage_id(body)] = Evidence(
            id=passage_id(body),
            text=body,
            source=one_line(url, 2_000),
            title=one_line(str(item.get("title") or "")),
            date=iso_date(item.get("published_date")),
            tool=tool,
            score=float(score) if isinstance(score, int | float) and isfinite(score) else 0.0,
            rank=len(found) + 1,
        )
    return list(found.values())


def _is_web(url: str) -> bool:
    """Whether an address leads to a page on the web."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and bool(parts.netloc) and len(url) <= 2_000


def _shortened(query: str) -> str:
    """A query within Tavily's limit, cut between words where there are any."""
    line = " ".join(printable(query).split())
    if len(line) <= _LONGEST_QUERY:
        return line
    return line[:_LONGEST_QUERY].rsplit(" ", 1)[0]


def _proxy(url: str) -> str | None:
    parts = urlsplit(url)
    if parts.hostname is None or proxy_bypass(parts.hostname):
        return None
    return os.environ.get(f"TAVILY_{parts.scheme.upper()}_PROXY") or getproxies().get(parts.scheme)


def _import_tavily() -> Any:
    import tavily  # type: ignore[import-untyped]  # noqa: PLC0415  # slow to import, and needed only for this

    return tavily
