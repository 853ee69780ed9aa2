"""Base class of tools written as coroutines, and the check of source filters in a call."""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Any, Literal, TypeVar

from langchain_core.tools import BaseTool

from weiwo.state.source_filter import SourceFilter, read_folder, read_since, read_site
from weiwo.text.printable import one_line
from weiwo.tools.calling.errors import ToolCallError

T = TypeVar("T")


def _run_sync(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to the end, in a new thread if this thread already runs an event loop."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    with ThreadPoolExecutor(max_workers=1) as thread:
        return thread.submit(copy_context().run, asyncio.run, work).result()


class AsyncTool(BaseTool):
    """LangChain tool with the coroutine `_arun`, which returns text for a model and an artifact.

    Sync calls (`invoke`) run the coroutine to its end.
    """

    response_format: Literal["content", "content_and_artifact"] = "content_and_artifact"

    def _run(self, *args: Any, **kwargs: Any) -> Any:
        return _run_sync(self._arun(*args, **kwargs))


def narrow(within: SourceFilter, tool: str, *, site: str = "", since: str = "", folder: str = "") -> SourceFilter:
    """Narrow a source filter by the arguments of a call. Arguments never widen the filter.

    Args:
        within: The filter of the run.
        tool: Name of the tool, for the message.
        site: Only this site and its subdomains. Empty for any.
        since: Only since this year, month or day, such as "2025-01". Empty for any.
        folder: Only this folder. Empty for any.

    Raises:
        ToolCallError: `bad_arguments`: an argument is invalid.
    """
    if not (site or since or folder):
        return within
    try:
        inner = SourceFilter(
            sites=(read_site(site),) if site else (),
            since=read_since(since) if since else "",
            folders=(read_folder(folder),) if folder else (),
        )
    except ValueError as error:
        given = one_line(site or since or folder, 60)
        raise ToolCallError("bad_arguments", f"{tool}: {given!r}: {error}") from None
    return within.add_restriction(inner)


def require_page(within: SourceFilter, url: str, day: str | None = None) -> None:
    """Raise an error if a source filter excludes a page by site or date.

    Args:
        within: The filter.
        url: Address of the page.
        day: ISO date of the page, if known. A page without a date passes.

    Raises:
        ToolCallError: `blocked`: the page is of an excluded site, or too old.
    """
    if not within.allows_page(url):
        raise ToolCallError("blocked", f"{one_line(url, 200)} is left out, because its site is excluded")
    if not within.allows_date(day):
        raise ToolCallError(
            "blocked", f"{one_line(url, 200)} is left out, because it is dated {day}, before {within.earliest}"
        )
