"""Log of acting calls, written before and after each call, so that no call is made twice.

An acting call may change something outside the run. Its key is the idempotency key of `CallContext`: the same if a call
is made again after a crash, and a different one in another run. Our checkpoint savers keep the log beside the
checkpoints, on disk before the call is made, and refuse to write if another process has claimed the thread. With any
other saver the log is in the graph's store.
"""

import time
from typing import TYPE_CHECKING, Final, Protocol

from weiwo.tools.calling.result_cache import dump_result, load_result
from weiwo.tools.calling.results import ToolResult
from weiwo.tools.calling.ttl_cache import LruMemory, TtlCache

if TYPE_CHECKING:
    from langgraph.store.base import BaseStore

_NAMESPACE: Final = ("weiwo", "acting_calls")
_KEPT_SECONDS: Final = 30 * 86_400.0
"""Lifetime of a record. A run that is resumed later may repeat its calls."""
_BEGUN: Final = "begun"
_memory: Final = LruMemory()


class ActingLog(Protocol):
    """Storage of the log: a text for each idempotency key, kept for some seconds."""

    async def get(self, key: str) -> str | None:
        """Return the recorded text of a call, or None."""

    async def add(self, key: str, text: str, seconds: float) -> bool:
        """Record a call. Returns False if the key was recorded before, or the record could not be written."""

    async def record_result(self, key: str, text: str, seconds: float) -> None:
        """Record the result of a call."""

    async def drop(self, key: str) -> None:
        """Remove the record of a call that had no effect."""


class StoreLog:
    """Acting-call log in the graph's store, or in memory without a store."""

    def __init__(self, store: "BaseStore | None" = None) -> None:
        self._kept = TtlCache(store, _NAMESPACE, _memory, time.time)

    async def get(self, key: str) -> str | None:
        """Return the recorded text of a call, or None."""
        return await self._kept.get(key)

    async def add(self, key: str, text: str, seconds: float) -> bool:
        """Record a call. Returns False if the key was recorded before, or the record could not be written."""
        if await self._kept.get(key) is not None:
            return False
        await self._kept.store_text(key, text, seconds)
        return await self._kept.get(key) is not None

    async def record_result(self, key: str, text: str, seconds: float) -> None:
        """Record the result of a call."""
        await self._kept.store_text(key, text, seconds)

    async def drop(self, key: str) -> None:
        """Remove the record of a call that had no effect."""
        await self._kept.drop(key)


class ActingCalls:
    """Beginning and result of each acting call, by idempotency key.

    Args:
        log: Storage of the records.
        earlier: Storage used by earlier versions, only read.
    """

    def __init__(self, log: ActingLog, earlier: ActingLog | None = None) -> None:
        self._log = log
        self._earlier = earlier

    async def has_begun(self, key: str) -> bool:
        """Report whether a call with this key was recorded before, so that it may have had an effect."""
        return await self._text(key) is not None

    async def begin(self, key: str) -> bool:
        """Record a call that is about to be made. Returns False if it was recorded before or cannot be recorded.

        The call must then not be made.
        """
        return await self._log.add(key, _BEGUN, _KEPT_SECONDS)

    async def forget(self, key: str) -> None:
        """Remove the record of a call that had no effect."""
        await self._log.drop(key)

    async def end(self, key: str, result: ToolResult) -> None:
        """Record the result of the call."""
        await self._log.record_result(key, dump_result(result, time.time() + _KEPT_SECONDS), _KEPT_SECONDS)

    async def result(self, key: str) -> ToolResult | None:
        """Return the recorded result of a call, or None if the call did not complete."""
        text = await self._text(key)
        return None if text is None else load_result(text, time.time())

    async def _text(self, key: str) -> str | None:
        if (text := await self._log.get(key)) is not None or self._earlier is None:
            return text
        return await self._earlier.get(key)
