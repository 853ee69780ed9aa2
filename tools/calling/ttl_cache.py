"""Text cache with a time to live: in the graph's store, or bounded in memory.

A store may be slow, full, broken or closed. Then texts are not found and not stored, without an error.
"""

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from langgraph.store.base import BaseStore

_MAX_MEMORY_BYTES: Final = 32_000_000
"""Limit of the texts in memory. The least recently used are dropped."""
_STORE_SECONDS: Final = 2.0
"""Time limit of an access to the store."""
_PAUSE_SECONDS: Final = 30.0
"""Time for which a store that failed is not used."""

_log: Final = logging.getLogger(__name__)


class LruMemory:
    """LRU cache of texts in memory, limited in bytes."""

    def __init__(self, max_bytes: int = _MAX_MEMORY_BYTES) -> None:
        self._max_bytes = max_bytes
        self._kept: OrderedDict[str, str] = OrderedDict()
        self._bytes = 0

    def get(self, key: str) -> str | None:
        """Return the text stored under a key, or None."""
        if key in self._kept:
            self._kept.move_to_end(key)
        return self._kept.get(key)

    def store_text(self, key: str, text: str) -> None:
        """Store a text, replacing any previous text."""
        self.drop(key)
        self._bytes += _size_in_bytes(text)
        self._kept[key] = text
        while self._bytes > self._max_bytes:
            self._bytes -= _size_in_bytes(self._kept.popitem(last=False)[1])

    def drop(self, key: str) -> None:
        """Remove a text, if present."""
        self._bytes -= _size_in_bytes(self._kept.pop(key, ""))


def _size_in_bytes(text: str) -> int:
    """Return the approximate memory size of a text: a byte per ASCII character, else two bytes."""
    return len(text) if text.isascii() else 2 * len(text)


_paused: Final["WeakKeyDictionary[BaseStore, float]"] = WeakKeyDictionary()
"""Stores that failed lately, with the time until which they are not used."""


class TtlCache:
    """Texts by key in a namespace of a store, or in memory without a store.

    Not every store drops texts after their time, and the memory does not: the reader must check the expiry.
    """

    def __init__(
        self,
        store: "BaseStore | None",
        namespace: tuple[str, ...],
        memory: LruMemory,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._store = store
        self._namespace = namespace
        self._memory = memory
        self._clock = clock

    async def get(self, key: str) -> str | None:
        """Return the text stored under a key, or None, also if the store fails."""
        if self._store is None:
            return self._memory.get(key)
        saved = await self._run_guarded("read", lambda store: store.aget(self._namespace, key, refresh_ttl=False))
        text = saved.value.get("text") if saved is not None and isinstance(saved.value, Mapping) else None
        return text if isinstance(text, str) else None

    async def store_text(self, key: str, text: str, seconds: float) -> None:
        """Store a text for a limited number of seconds, replacing any previous text."""
        if self._store is None:
            self._memory.store_text(key, text)
            return

        def put(store: "BaseStore") -> Any:
            more: dict[str, Any] = {"ttl": seconds / 60} if store.supports_ttl else {}
            return store.aput(self._namespace, key, {"text": text}, index=False, **more)

        await self._run_guarded("written", put)

    async def drop(self, key: str) -> None:
        """Remove a text, if present."""
        if self._store is None:
            self._memory.drop(key)
        else:
            await self._run_guarded("deleted", lambda store: store.adelete(self._namespace, key))

    async def _run_guarded(self, what: str, work: Callable[["BaseStore"], Any]) -> Any:
        """Access the store. Returns None for any error, and pauses a store that failed twice or was too slow.

        Args:
            what: Past participle for the log, such as "read".
            work: Makes the access.
        """
        store = self._store
        if store is None or self._clock() < _paused.get(store, 0.0):
            return None
        for attempt in (1, 2):  # once more: processes that share a file may get into each other's way
            try:
                async with asyncio.timeout(_STORE_SECONDS):
                    return await work(store)
            except TimeoutError:
                why = f"no reply within {_STORE_SECONDS:g} s"
            except Exception as error:  # noqa: BLE001 - any store, any error
                why = type(error).__name__
                if attempt == 1:
                    continue
            break
        _paused[store] = self._clock() + _PAUSE_SECONDS
        _log.warning("tool results cannot be %s in the store: %s; continuing without them", what, why)
        return None
