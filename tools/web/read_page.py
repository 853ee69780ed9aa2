"""`read_page`: one page of the web, the passages that matter for a question first."""

import asyncio
from typing import Any, Final, Literal

from langchain_core.tools import BaseTool
from pydantic import BaseModel, Field

from state import Evidence, JsonValue, passage_id
from tools.corpus.chunks import Chunk, chunk
from tools.passages import as_artifact, as_text
from tools.ranking import Entry, nearest
from tools.sync import run_sync
from tools.web.fetch import fetch
from tools.web.guard import Guard
from tools.web.pages import Page, read_page
from tools.web.robots import check_robots

MOST_PASSAGES: Final = 12
"""Passages given of a page: some 2,000 words."""
_BEST: Final = 4
"""Passages that bring their neighbours along."""


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
    guard: Guard = Field(default_factory=Guard, exclude=True, repr=False)
    """Decides what may be fetched."""
    seconds: float = 30
    """Bound of one page."""
    max_bytes: int = 5_000_000
    """Bytes of a page that are read."""
    robots: bool = True
    """Whether a site's robots.txt is respected."""

    async def _arun(self, url: str, query: str = "") -> tuple[str, list[dict[str, JsonValue]]]:
        if self.robots:
            await check_robots(url, self.guard)
        fetched = await fetch(url, self.guard, seconds=self.seconds, max_bytes=self.max_bytes)
        passages = await asyncio.to_thread(lambda: passages_of(read_page(fetched), query, self.name))
        return as_text(passages, "The page holds no text."), as_artifact(passages)

    def _run(self, url: str, query: str = "") -> tuple[str, list[dict[str, JsonValue]]]:
        return run_sync(self._arun(url, query))


def passages_of(page: Page, query: str, tool: str, most: int = MOST_PASSAGES) -> list[Evidence]:
    """The passages of a page that matter for a query, the best first, each of the very best before its neighbours.

    Args:
        page: The page.
        query: What is looked for; without it, or where nothing matches, the page from its start.
        tool: The tool that read it, for the evidence.
        most: Passages at most.
    """
    title, chunks = chunk(page.text, markdown=True, name=page.title)
    order = _order(title, chunks, query)[:most]
    return [
        Evidence(
            id=passage_id(chunks[number].text),
            text=chunks[number].text,
            source=page.url,
            title=page.title or title,
            locator=" › ".join(chunks[number].headings[-2:]),
            date=page.date,
            tool=tool,
            rank=rank,
        )
        for rank, number in enumerate(order, 1)
    ]


def _order(title: str, chunks: list[Chunk], query: str) -> list[int]:
    found = nearest((Entry(title, " ".join(piece.headings), piece.text) for piece in chunks), query, len(chunks))
    near = [number for best in found[:_BEST] for number in (best, best + 1, best - 1) if 0 <= number < len(chunks)]
    return list(dict.fromkeys((*near, *found, *range(len(chunks)))))
