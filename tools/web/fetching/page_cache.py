"""Cache of whole pages.

A second question about a page fetches nothing. Lasting failures of an address are kept for a shorter time: a page that
does not exist, or is far too large, is not requested anew by each task. Addresses share a fixed number of slots, and an
entry that loses its slot is gone. A store therefore holds a bounded number of pages of bounded length. Memory is also
bounded by bytes.
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
"""Stands between the pages of a paged document; the text of none holds it."""
_PAGES: Final = ("weiwo", "pages")
SECONDS: Final = 3_600.0
_FAILED_SECONDS: Final = 600.0
_LASTING: Final[frozenset[FailureKind]] = frozenset(
    {"auth", "blocked", "not_found", "oversized", "empty", "bad_arguments"}
)
"""Kinds of failure that are kept, unless they are passing ones."""
_MOST_PAGES: Final = 1_000
_LONGEST_TEXT: Final = 1_000_000
"""Characters of the text of a page; a longer one is not kept."""

_memory: Final = LruMemory()


@dataclass(frozen=True, slots=True)
class WebPage:
    """Web page in the form used for citation."""

    url: str  # its canonical address where it names one on its own host, else where it came from
    title: str  # its title; empty where it has none
    date: str | None  # ISO date of publication, where it says so
    text: str  # its main content, as Markdown; that of a PDF as plain text with `PAGE_END` between its pages
    paged: bool = False  # whether it is a PDF
    note: str = ""  # what of it could not be read; empty where all could
    controls: bool = False  # whether it has buttons or fields, a search apart


class PageCache:
    """Page cache as used by a single tool call."""

    def __init__(
        self, store: "BaseStore | None" = None, *, fresh: bool = False, clock: Callable[[], float] = time.time
    ) -> None:
        self._places = TtlCache(store, _PAGES, _memory, clock)
        self._fresh = fresh
        self._clock = clock

    async def get(self, key: str) -> WebPage | None:
        """Return the unexpired page cached under a key.

        Returns None if there is no such page.

        Raises:
            ToolCallError: Reading the page failed a while ago, and there is no reason to expect success now.
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
        """Keep a page."""
        if len(page.text) <= _LONGEST_TEXT:
            await self._put_entry(key, SECONDS, "", asdict(page))

    async def put_failure(self, key: str, failure: ToolCallError) -> None:
        """Cache the failure of a page if the failure is lasting."""
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
