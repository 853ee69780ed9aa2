"""`extract_page`: a page as Tavily reads it, for pages that cannot be read directly.

It stands beside `read_page` in the cluster of tools that open things, so that it takes over by itself where a page
cannot be had: too many requests from here, no reply, a challenge. What the guard refuses, and what a site asks
programs not to read, is not asked for by this way either.
"""

import asyncio
from typing import Any, Final

from pydantic import Field

from tools.failures import ToolFailure
from tools.web.ask import asking
from tools.web.guard import Guard, UrlRefusedError
from tools.web.health import HEALTH, Health, Source
from tools.web.page import Page
from tools.web.pages import read_text
from tools.web.provider import Access
from tools.web.read_page import ReadPage
from tools.web.robots import check_robots

NAME: Final = "extract_page"


class ExtractPage(ReadPage):
    """Reads a page of the web through Tavily."""

    name: str = NAME
    description: str = "Read one web page through a service, where read_page cannot."
    source: Any = Field(exclude=True, repr=False)
    """Tavily as it is set up: a `tools.web.health.Source`."""
    health: Any = Field(default=HEALTH, exclude=True, repr=False)
    """What is known of providers: a `tools.web.health.Health`."""
    transport: Any = Field(default=None, exclude=True, repr=False)
    """An `httpx.AsyncBaseTransport` instead of the network."""

    @property
    def _conditions(self) -> str:
        return f"{super()._conditions} through={self.source.base}"

    async def _fetched(self, url: str) -> Page:
        guard: Guard = self.guard
        source: Source = self.source
        health: Health = self.health
        try:
            parts = guard.check_url(url)
            await guard.addresses(parts.hostname or "", parts.port or 443)
        except UrlRefusedError as error:
            raise ToolFailure("blocked", str(error)) from None
        except OSError as error:
            raise ToolFailure("not_found", f"{parts.hostname}: {error}") from None
        if self.robots:
            await check_robots(url, guard)
        if refusal := health.refusal(source):
            raise refusal
        access = Access(source.base.rstrip("/"), source.key, self.seconds, True, self.max_bytes, self.transport)  # noqa: FBT003
        async with health.pace(source).turn(source.per_second):
            health.spend(source)
            text = await self._asked(url, access)
        return await asyncio.to_thread(read_text, url, text)

    async def _asked(self, url: str, access: Access) -> str:
        from tools.web import tavily  # noqa: PLC0415 - slow to import

        try:
            async with asking(self.name, access):
                return await tavily.extract(url, access)
        except ToolFailure as failure:
            if failure.kind != "empty":
                self.health.failed(self.source, failure)
            raise
