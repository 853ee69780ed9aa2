"""`read_page` and `extract_page`: a web page as passages, the most relevant first.

The whole page is cached for a while (`page_cache`), so that another question about it fetches nothing. The output is
passages, because all output is written into every checkpoint.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any, Final

from pydantic import BaseModel, Field

from weiwo.state import Evidence, JsonValue, passage_id
from weiwo.state.evidence import CONTROLS
from weiwo.state.source_filter import SourceFilter
from weiwo.text.chunking import Chunk, chunk_sections, chunk_text
from weiwo.tools.async_tool import AsyncTool, require_page
from weiwo.tools.calling.call_context import current_call
from weiwo.tools.calling.errors import ToolCallError
from weiwo.tools.calling.singleflight import SingleFlight
from weiwo.tools.passages import RankedText, as_artifact, as_text, rank_passages
from weiwo.tools.web.fetching.browser import explain_no_browser, is_script_wall, render_page
from weiwo.tools.web.fetching.fetch import FetchedPage, fetch
from weiwo.tools.web.fetching.page_cache import PAGE_END, SECONDS, PageCache, WebPage
from weiwo.tools.web.fetching.page_parser import refresh_target, text_page
from weiwo.tools.web.fetching.parser_process import page_parsers
from weiwo.tools.web.fetching.robots import check_robots
from weiwo.tools.web.fetching.url_guard import UrlGuard, UrlRefusedError
from weiwo.tools.web.providers import tavily
from weiwo.tools.web.providers.failover import bounded_request
from weiwo.tools.web.providers.health import PROVIDER_HEALTH, ConfiguredProvider, ProviderHealth
from weiwo.tools.web.providers.provider import ProviderAccess

_RENDERED_SHARE: Final = 0.6
"""Share of the time of a fetch that a browser has, so that both fit into the time of a call."""
_MOST_REFRESHES: Final = 2
"""Limit of the meta refreshes followed."""

_single_flight: Final[SingleFlight[WebPage]] = SingleFlight()
"""Merges simultaneous fetches of the same page."""


class ReadPageArguments(BaseModel):
    """Arguments of `read_page`."""

    url: str = Field(min_length=1, description="The page's address, beginning with http.")
    query: str = Field("", description="What to look for on it; empty to read it from the start.")


class ReadPage(AsyncTool):
    """Tool for reading a web page, if the URL guard and the site's robots.txt allow it."""

    name: str = "read_page"
    description: str = "Read one web page, the passages that match a query first."
    args_schema: Any = ReadPageArguments
    guard: Any = Field(default_factory=UrlGuard, exclude=True, repr=False)
    """The `UrlGuard` that decides what may be fetched."""
    within: SourceFilter = Field(default_factory=SourceFilter, exclude=True, repr=False)
    """Filter by site and date. Other pages are refused."""
    seconds: float = 12
    """Time limit of a fetch, short enough for a second fetch within the time of a call."""
    max_bytes: int = 5_000_000
    """Limit of a page. A larger page is refused."""
    robots: bool = True
    """Whether a site's robots.txt is respected."""
    browser: bool = False
    """Whether a page without text outside its scripts is opened in a browser."""

    def model_post_init(self, context: Any, /) -> None:
        """Set the tool's `identity`. The result cache shares results between tools of equal identity."""
        super().model_post_init(context)
        limits = f" {replace(self.within, folders=())}" if self.within else ""
        stated = {"identity": self._conditions + limits, "cache_seconds": SECONDS, "any_site": True}
        self.metadata = {**stated, **(self.metadata or {})}

    @property
    def _conditions(self) -> str:
        browser = " browser" if self.browser else ""
        return f"allow={self.guard.identity} robots={self.robots} max_bytes={self.max_bytes}{browser}"

    async def _arun(self, url: str, query: str = "") -> tuple[str, list[dict[str, JsonValue]]]:
        require_page(self.within, url.strip())
        page = await self._page(url.strip())
        require_page(self.within, page.url, page.date)  # where it led to
        passages = await asyncio.to_thread(_select_passages, page, query, self.name)
        content = as_text(passages, "The page contains no text.")
        return f"({page.note})\n\n{content}" if page.note else content, as_artifact(passages)

    async def _page(self, url: str) -> WebPage:
        """Return the page from the cache or the web, and cache the page or the failure.

        Raises:
            ToolCallError: The guard refuses the URL, or reading the page failed, now or in the cache.
        """
        guard: UrlGuard = self.guard
        try:
            address = guard.check_url(url).geturl()
        except UrlRefusedError as error:
            raise ToolCallError("blocked", str(error)) from None
        call = current_call()
        keeper = PageCache(call.store, fresh=call.fresh)
        key = f"{address} {self._conditions}"
        if (kept := await keeper.get(key)) is not None:
            call.used_kept = True
            return kept
        try:
            page = await _single_flight.run(key, lambda: self._fetch_page(address))
        except ToolCallError as failure:
            await keeper.put_failure(key, failure)
            raise
        await keeper.store_page(key, page)
        return page

    async def _fetch_page(self, url: str) -> WebPage:
        guard: UrlGuard = self.guard

        async def permit(address: str) -> None:
            if self.robots:
                await check_robots(address, guard)

        await asyncio.to_thread(page_parsers.warm)  # it starts while the page is on its way
        for turn in range(_MOST_REFRESHES + 1):
            got = await fetch(url, guard, seconds=self.seconds, max_bytes=self.max_bytes, permit=permit)
            try:
                return await self._read_fetched(got, permit)
            except ToolCallError:
                url = refresh_target(got)
                if not url or turn == _MOST_REFRESHES:
                    raise
        raise AssertionError("the last turn returns or raises")

    async def _read_fetched(self, got: FetchedPage, permit: Callable[[str], Awaitable[None]]) -> WebPage:
        """Parse a page, rendering it in a browser first if its text is made by scripts.

        If rendering fails, the page is parsed as fetched.
        """
        if not await asyncio.to_thread(is_script_wall, got):
            return await page_parsers.parse(got)
        why_not = explain_no_browser() or "the browser is switched off"
        if self.browser:
            try:
                seconds = _RENDERED_SHARE * self.seconds
                shown = await render_page(got.url, self.guard, seconds=seconds, max_bytes=self.max_bytes)
                await permit(shown.url)
                return await page_parsers.parse(shown)
            except ToolCallError as failure:
                why_not = failure.message
        try:
            return await page_parsers.parse(got)
        except ToolCallError as failure:
            raise ToolCallError(failure.kind, f"{failure.message}; {why_not}") from None


_MOST_PASSAGES: Final = 12
"""Limit of the passages returned for a page, some 2,000 words."""
_BEST: Final = 4
"""Number of best passages that are returned with their neighbours."""


def _select_passages(page: WebPage, query: str, tool: str) -> list[Evidence]:
    """Return up to `_MOST_PASSAGES` passages of a page, those relevant to a query first.

    The `_BEST` best come first, each followed by the passages next to it on the page. Then come other matches, then the
    page from its start.
    """
    title, pieces = _chunk_page(page)
    entries = (RankedText(title, " ".join(piece.headings), piece.words) for piece, _ in pieces)
    found = rank_passages(entries, query, len(pieces))
    near = [number for best in found[:_BEST] for number in (best, best + 1, best - 1) if 0 <= number < len(pieces)]
    order = list(dict.fromkeys((*near, *found, *range(len(pieces)))))[:_MOST_PASSAGES]
    return [
        Evidence(
            id=passage_id(piece.words),
            text=piece.words,
            source=page.url,
            title=page.title or title,
            locator=place,
            date=page.date,
            tool=tool,
            rank=rank,
            flags=(CONTROLS,) if page.controls else (),
        )
        for rank, (piece, place) in enumerate((pieces[number] for number in order), 1)
    ]


def _chunk_page(page: WebPage) -> tuple[str, list[tuple[Chunk, str]]]:
    """Return the title and the passages of a page, each with its location: "page 3" or its last two headings."""
    if page.paged:
        texts = page.text.split(PAGE_END)
        numbered = ((number, chunk_sections(text, ())[1]) for number, text in enumerate(texts, 1))
        return page.title, [(piece, f"page {number}") for number, pieces in numbered for piece in pieces]
    title, found = chunk_text(page.text, markdown=True, name=page.title)
    return title, [(piece, " › ".join(piece.headings[-2:])) for piece in found]


class ExtractPage(ReadPage):
    """Tool for reading a web page through Tavily, if direct reading fails.

    It shares a cluster with `read_page`, the cluster of tools that open things. It is therefore called as a substitute
    if a page is unavailable: rate limits, no reply, a challenge. A page refused by the guard or the site's robots.txt
    is not requested this way either.
    """

    name: str = "extract_page"
    description: str = "Read one web page through a service, where read_page cannot."
    source: Any = Field(exclude=True, repr=False)
    """Configuration of Tavily: a `weiwo.tools.web.providers.health.ConfiguredProvider`."""
    health: Any = Field(default=PROVIDER_HEALTH, exclude=True, repr=False)
    """Outages, rate limits and quotas: a `weiwo.tools.web.providers.health.ProviderHealth`."""
    transport: Any = Field(default=None, exclude=True, repr=False)
    """An `httpx.AsyncBaseTransport` that replaces the network in tests."""

    @property
    def _conditions(self) -> str:
        return f"{super()._conditions} through={self.source.base}"

    async def _fetch_page(self, url: str) -> WebPage:
        guard: UrlGuard = self.guard
        source: ConfiguredProvider = self.source
        health: ProviderHealth = self.health
        try:
            parts = guard.check_url(url)
            await guard.addresses(parts.hostname or "", parts.port or 443)
        except UrlRefusedError as error:
            raise ToolCallError("blocked", str(error)) from None
        except OSError as error:
            raise ToolCallError("not_found", f"{parts.hostname}: {error}") from None
        if self.robots:
            await check_robots(url, guard)
        if refusal := health.refusal(source):
            raise refusal
        access = ProviderAccess(
            source.base.rstrip("/"),
            source.key,
            self.seconds,
            whole=True,
            max_bytes=self.max_bytes,
            transport=self.transport,
            variable=source.provider.key,
        )
        async with health.limiter(source).turn(source.per_second):
            health.spend(source)
            try:
                async with bounded_request(self.name, access):
                    text = await tavily.extract(url, access)
            except ToolCallError as failure:
                if failure.kind != "empty":
                    health.record_failure(source, failure)
                raise
        return await asyncio.to_thread(text_page, url, text)
