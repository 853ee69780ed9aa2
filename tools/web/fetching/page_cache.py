"""Cache of whole pages.

A page that several tasks read is fetched once. Lasting failures of an address are kept for a shorter time: a page that
does not exist, or is far too large, is not requested anew by each task. Addresses are hashed to a fixed number of
slots, and a new entry replaces the entry in its slot. A store therefore holds a bounded number of pages of bounded
length. Memory is also bounded by bytes.
"""

import hashlib
import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

from weiwo.state import FailureKind
from weiwo.tools.calling.errors import ToolCallError, ToolNotCalledError
from weiwo.tools.calling.ttl_cache import LruMemory, TtlCache

if TYPE_CHECKING:
    from langgraph.store.base import BaseStore

PAGE_END: Final = "\f"
"""Separator between the pages of a PDF's text. No page contains it."""
_PAGES: Final = ("weiwo", "pages")
SECONDS: Final = 3_600.0
_FAILED_SECONDS: Final = 600.0
_LASTING: Final[frozenset[FailureKind]] = frozenset(
    {"auth", "blocked", "not_found", "oversized", "empty", "bad_arguments"}
)
"""Kinds of failure that are cached, unless the failure is transient."""
_MOST_PAGES: Final = 1_000
_LONGEST_TEXT: Final = 1_000_000
"""Characters of the text of a page; a longer one is not kept."""

_memory: Final = LruMemory()


@dataclass(frozen=True, slots=True)
class WebPage:
    """Web page in the form used for citation."""

    url: str  # the canonical address if the page names one on its own host, else the address after redirects
    title: str  # empty if the page has none
    date: str | None  # ISO date of publication, if the page gives it
    text: str  # main content as Markdown, or plain text of a PDF with `PAGE_END` between pages
    paged: bool = False  # whether the page is a PDF
    note: str = ""  # parts that could not be read; empty if all was read
    controls: bool = False  # whether the page has buttons or form fields, not counting a search field


class PageCache:
    """Page cache for a single tool call.

    Args:
        store: Persistent store besides memory, or None.
        fresh: Ignore cached pages and failures, but store new ones.
        clock: Source of the time in seconds.
    """

    def __init__(
        self, store: "BaseStore | None" = None, *, fresh: bool = False, clock: Callable[[], float] = time.time
    ) -> None:
        self._places = TtlCache(store, _PAGES, _memory, clock)
        self._fresh = fresh
        self._clock = clock

    async def get(self, key: str) -> WebPage | None:
        """Return the unexpired page cached under a key, or None.

        Raises:
            ToolCallError: A lasting failure is cached under the key.
        """
        text = None if self._fresh else await self._places.get(_place(key))
        try:
            until, name, kind, kept = json.loads(text or "null")
            if name != _digest(key) or float(until) <= self._clock():
                return None
            page = None if kind else WebPage(**kept)
        except (ValueError, TypeError, RecursionError):  # somebody else wrote there
            return None
        if failed := next((item for item in _LASTING if item == kind), None):
            raise ToolCallError(failed, f"{kept} (so it was a while ago)", transient=False)
        sound = page and page.text and all(isinstance(value, str) for value in (page.url, page.title, page.text))
        return page if sound else None

    async def store_page(self, key: str, page: WebPage) -> None:
        """Cache a page for an hour, unless the text exceeds a million characters."""
        if len(page.text) <= _LONGEST_TEXT:
            await self._put_entry(key, SECONDS, "", asdict(page))

    async def put_failure(self, key: str, failure: ToolCallError) -> None:
        """Cache a failure for ten minutes, if its kind is lasting and it is not transient."""
        if failure.kind in _LASTING and not failure.transient and not isinstance(failure, ToolNotCalledError):
            await self._put_entry(key, _FAILED_SECONDS, failure.kind, failure.message)

    async def _put_entry(self, key: str, seconds: float, kind: str, kept: Any) -> None:
        """Store an entry in the slot of a key, replacing the previous entry."""
        entry = [self._clock() + seconds, _digest(key), kind, kept]
        await self._places.store_text(_place(key), json.dumps(entry, ensure_ascii=False), seconds)


def _digest(key: str) -> str:
    return hashlib.sha256(key.encode("utf-8", "replace")).hexdigest()


def _place(key: str) -> str:
    return str(int(_digest(key), 16) % _MOST_PAGES)
