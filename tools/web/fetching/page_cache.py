"""A cache of whole pages, so that another question about the same page fetches nothing.

A page is kept once under the hash of its text, whatever its addresses, and each address leads to the hash. Both have a
time to live. What an address failed with is kept for a shorter while, if it would only fail so again: a page that is
not there, or is far too large, is not asked for by each task anew. Addresses share a fixed number of places, and what
loses its place is deleted, so that a store holds no more than `MOST_PAGES` pages of `LONGEST_TEXT` characters whatever
a run reads; memory is bounded by bytes besides.
"""

import hashlib
import json
import time
from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from weiwo.state import FailureKind
from weiwo.tools.calling.errors import ToolCallError, ToolNotCalledError
from weiwo.tools.calling.ttl_cache import LruMemory, TtlCache
from weiwo.tools.web.fetching.page import WebPage

if TYPE_CHECKING:
    from langgraph.store.base import BaseStore

PAGES: Final = ("weiwo", "pages")
PLACES: Final = ("weiwo", "page_places")
SECONDS: Final = 3_600.0
FAILED_SECONDS: Final = 600.0
LASTING: Final[frozenset[FailureKind]] = frozenset(
    {"auth", "blocked", "not_found", "oversized", "empty", "bad_arguments"}
)
"""Kinds of failure that are kept, unless they are passing ones."""
MOST_PAGES: Final = 1_000
LONGEST_TEXT: Final = 1_000_000
"""Characters of the text of a page; a longer one is not kept."""

_page_memory: Final = LruMemory()
_place_memory: Final = LruMemory(1_000_000)


class PageCache:
    """The page cache, as one call of a tool uses it.

    Args:
        store: The graph's store; without one, pages are kept in this process.
        fresh: Whether what was kept earlier is left aside.
        clock: Seconds since the epoch, since a store outlives processes.
    """

    def __init__(
        self, store: "BaseStore | None" = None, *, fresh: bool = False, clock: Callable[[], float] = time.time
    ) -> None:
        self._pages = TtlCache(store, PAGES, _page_memory, clock)
        self._places = TtlCache(store, PLACES, _place_memory, clock)
        self._fresh = fresh
        self._clock = clock
        self.used = False
        """Whether a page was taken from here."""

    async def get(self, key: str) -> WebPage | None:
        """A page that was kept under this key and has not expired.

        Raises:
            ToolCallError: It could not be read a while ago, and there is no reason to think it can be now.
        """
        if self._fresh:
            return None
        until, name, digest = _read_place(text := await self._places.get(_place(key)))
        if name != _digest(key) or until <= self._clock():
            return None
        if failure := _read_failure(text):
            raise failure
        page = _read_page(await self._pages.get(digest))
        self.used = page is not None
        return page

    async def put(self, key: str, page: WebPage) -> None:
        """Keep a page.

        Args:
            key: What it was read for: an address, and under which conditions.
            page: The page.
        """
        if len(page.text) > LONGEST_TEXT:
            return
        digest = _digest(page.text)
        await self._pages.put(digest, json.dumps(asdict(page), ensure_ascii=False), SECONDS)
        await self._take(key, SECONDS, digest)

    async def put_failure(self, key: str, failure: ToolCallError) -> None:
        """Keep why a page cannot be read, if that will not pass."""
        if failure.kind in LASTING and not failure.transient and not isinstance(failure, ToolNotCalledError):
            await self._take(key, FAILED_SECONDS, "", failure.kind, failure.message)

    async def _take(self, key: str, seconds: float, digest: str, *failure: str) -> None:
        """Take the place of a key, and delete the page that was to be found from there."""
        place = _place(key)
        _, _, lost = _read_place(await self._places.get(place))
        if lost and lost != digest:
            await self._pages.drop(lost)
        await self._places.put(place, json.dumps([self._clock() + seconds, _digest(key), digest, *failure]), seconds)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def _place(key: str) -> str:
    return str(int(_digest(key), 16) % MOST_PAGES)


def _read_place(text: str | None) -> tuple[float, str, str]:
    """Until when, whose place it is, and the hash of the page; nothing where somebody else wrote there."""
    try:
        until, name, digest, *_ = json.loads(text or "null")
        return float(until), str(name), str(digest)
    except (ValueError, TypeError, RecursionError):
        return 0.0, "", ""


def _read_failure(text: str | None) -> ToolCallError | None:
    """The failure that a place tells of, in a text that could be read as a place."""
    kind, message = [*json.loads(text or "null")[3:], "", ""][:2]
    known = next((one for one in LASTING if one == kind), None)
    return ToolCallError(known, f"{message} (so it was a while ago)", transient=False) if known else None


def _read_page(text: str | None) -> WebPage | None:
    try:
        known: Any = json.loads(text or "null")
        page = WebPage(**known)
    except (ValueError, TypeError, RecursionError):
        return None
    sound = all(isinstance(value, str) for value in (page.url, page.title, page.text)) and page.text
    return page if sound else None
