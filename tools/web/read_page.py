"""`read_page`: one page of the web, the passages that matter for a question first.

The whole page is kept for a while (`tools.web.kept`), so that another question about it fetches nothing; what comes out
are passages, because all that comes out is written into every checkpoint.
"""

import asyncio
from typing import Any, Final, Literal

from langchain_core.tools import BaseTool
from pydantic import BaseModel, Field

from state import JsonValue
from tools.failures import ToolFailure
from tools.passages import as_artifact, as_text
from tools.sync import run_sync
from tools.web.fetch import fetch
from tools.web.guard import Guard, UrlRefusedError
from tools.web.kept import SECONDS, KeptPages, page_keeper
from tools.web.merged import once
from tools.web.page import Page
from tools.web.pages import read_page, refreshed
from tools.web.robots import check_robots
from tools.web.selection import passages_of

MOST_REFRESHES: Final = 2
"""How often a page may lead on by itself."""


class ReadPageArguments(BaseModel):
    """What `read_page` takes."""

    url: str = Field(min_length=1, description="The page's address, beginning with http.")
    query: str = Field("", description="What to look for on it; empty to read it from the start.")


class ReadPage(BaseTool):
    """Reads a page of the web, under the guard."""

    name: str = "read_page"
    description: str = "Read one web page, the passages that match a query first."
    args_schema: Any = ReadPageArguments
    response_format: Literal["content", "content_and_artifact"] = "content_and_artifact"
    guard: Any = Field(default_factory=Guard, exclude=True, repr=False)
    """The `Guard` that decides what may be fetched."""
    seconds: float = 12
    """Bound of one fetch; short enough for a second one within the time of a call."""
    max_bytes: int = 5_000_000
    """Bytes of a page that are read."""
    robots: bool = True
    """Whether a site's robots.txt is respected."""

    def model_post_init(self, context: Any, /) -> None:
        """State what makes two of this tool the same one, for those who keep its results."""
        super().model_post_init(context)
        stated = {"identity": self._conditions, "cache_seconds": SECONDS, "any_site": True}
        self.metadata = {**stated, **(self.metadata or {})}

    @property
    def _conditions(self) -> str:
        return f"allow={self.guard.identity} robots={self.robots} max_bytes={self.max_bytes}"

    async def _arun(self, url: str, query: str = "") -> tuple[str, list[dict[str, JsonValue]]]:
        page = await self._page(url.strip())
        passages = await asyncio.to_thread(passages_of, page, query, self.name)
        content = as_text(passages, "The page holds no text.")
        return f"({page.note})\n\n{content}" if page.note else content, as_artifact(passages)

    def _run(self, url: str, query: str = "") -> tuple[str, list[dict[str, JsonValue]]]:
        return run_sync(self._arun(url, query))

    async def _page(self, url: str) -> Page:
        """The page, as it was kept or as it is."""
        guard: Guard = self.guard
        try:
            address = guard.check_url(url).geturl()
        except UrlRefusedError as error:
            raise ToolFailure("blocked", str(error)) from None
        keeper = page_keeper.get() or KeptPages()
        key = f"{address} {self._conditions}"
        page = await keeper.get(key)
        if page is None:
            try:
                page = await once(("page", key), lambda: self._fetched(address))
            except ToolFailure as failure:
                await keeper.put_failure(key, failure)
                raise
            await keeper.put(key, page)
        return page

    async def _fetched(self, url: str) -> Page:
        guard: Guard = self.guard

        async def permit(address: str) -> None:
            if self.robots:
                await check_robots(address, guard)

        for turn in range(MOST_REFRESHES + 1):
            got = await fetch(url, guard, seconds=self.seconds, max_bytes=self.max_bytes, permit=permit)
            try:
                return await asyncio.to_thread(read_page, got)
            except ToolFailure:
                url = refreshed(got)
                if not url or turn == MOST_REFRESHES:
                    raise
        raise AssertionError("the last turn returns or raises")
