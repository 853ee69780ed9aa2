"""`extract_page`: a page as Tavily reads it, for pages that cannot be read directly.

It stands beside `read_page` in the cluster of tools that open things, so that it takes over by itself where a page
cannot be had: too many requests from here, no reply, a challenge. What the guard refuses, and what a site asks
programs not to read, is not asked for by this way either.
"""

import asyncio
from typing import Any, Final

from pydantic import Field

from weiwo.tools.calling.errors import ToolCallError
from weiwo.tools.web.fetching.page_cache import WebPage
from weiwo.tools.web.fetching.page_parser import text_page
from weiwo.tools.web.fetching.robots import check_robots
from weiwo.tools.web.fetching.url_guard import UrlGuard, UrlRefusedError
from weiwo.tools.web.providers.failover import bounded_request
from weiwo.tools.web.providers.health import PROVIDER_HEALTH, ConfiguredProvider, ProviderHealth
from weiwo.tools.web.providers.provider import ProviderAccess
from weiwo.tools.web.read_page import ReadPage

_NAME: Final = "extract_page"


class ExtractPage(ReadPage):
    """Reads a page of the web through Tavily."""

    name: str = _NAME
    description: str = "Read one web page through a service, where read_page cannot."
    source: Any = Field(exclude=True, repr=False)
    """Tavily as it is set up: a `weiwo.tools.web.providers.health.ConfiguredProvider`."""
    health: Any = Field(default=PROVIDER_HEALTH, exclude=True, repr=False)
    """What is known of providers: a `weiwo.tools.web.providers.health.ProviderHealth`."""
    transport: Any = Field(default=None, exclude=True, repr=False)
    """An `httpx.AsyncBaseTransport` instead of the network."""

    @property
    def _conditions(self) -> str:
        return f"{super()._conditions} through={self.source.base}"

    async def _fetched(self, url: str) -> WebPage:
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
            text = await self._asked(url, access)
        return await asyncio.to_thread(text_page, url, text)

    async def _asked(self, url: str, access: ProviderAccess) -> str:
        from weiwo.tools.web.providers import tavily  # noqa: PLC0415 - imports httpx

        try:
            async with bounded_request(self.name, access):
                return await tavily.extract(url, access)
        except ToolCallError as failure:
            if failure.kind != "empty":
                self.health.failed(self.source, failure)
            raise
