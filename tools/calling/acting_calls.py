"""Log of acting calls, written before and after each call, so that no call is made twice.

An acting call may change something. A key is the call's idempotency key (`CallContext`): the same if a call is made
again after a crash, and a different one in another run. A saver of ours keeps the log beside its checkpoints, on disk
before the call is made, and refuses records of a process with a thread that another process has claimed. With any other
saver the log is in the graph's store.
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
"""How long a run that was interrupted may wait before its calls are forgotten."""
_BEGUN: Final = "begun"
_memory: Final = LruMemory()


class ActingLog(Protocol):
    """Texts by key, booked once."""

    async def get(self, key: str) -> str | None:
        """Return the recorded text of a call."""

    async def add(self, key: str, text: str, seconds: float) -> bool:
        """Record a call, and report whether the call was new and is now recorded."""

    async def record_result(self, key: str, text: str, seconds: float) -> None:
        """Record the result of a call."""

    async def drop(self, key: str) -> None:
        """Remove the record of a call without effect."""


class StoreLog:
    """Acting-call log in the graph's store, or in memory without a store."""

    def __init__(self, store: "BaseStore | None" = None) -> None:
        self._kept = TtlCache(store, _NAMESPACE, _memory, time.time)

    async def get(self, key: str) -> str | None:
        """Return the recorded text of a call."""
        return await self._kept.get(key)

    async def add(self, key: str, text: str, seconds: float) -> bool:
        """Record a new call, and report whether the store now holds the record."""
        if await self._kept.get(key) is not None:
            return False
        await self._kept.store_text(key, text, seconds)
        return await self._kept.get(key) is not None

    async def record_result(self, key: str, text: str, seconds: float) -> None:
        """Record the result of a call."""
        await self._kept.store_text(key, text, seconds)

    async def drop(self, key: str) -> None:
        """Remove the record of a call without effect."""
        await self._kept.drop(key)


class ActingCalls:
    """State of acting calls, able to change something."""

    def __init__(self, log: ActingLog, earlier: ActingLog | None = None) -> None:
        self._log = log
        self._earlier = earlier  # where versions before booked them

    async def has_begun(self, key: str) -> bool:
        """Report whether the call was begun and may have had an effect."""
        return await self._text(key) is not None

    async def begin(self, key: str) -> bool:
        """Record a call about to be made, and report whether the record is new."""
        return await self._log.add(key, _BEGUN, _KEPT_SECONDS)

    async def forget(self, key: str) -> None:
        """Remove the record of a call without effect."""
        await self._log.drop(key)

    async def end(self, key: str, result: ToolResult) -> None:
        """Record the result of the call."""
        await self._log.record_result(key, dump_result(result, time.time() + _KEPT_SECONDS), _KEPT_SECONDS)

    async def result(self, key: str) -> ToolResult | None:
        """Return the result of the call, if completed."""
        text = await self._text(key)
        return None if text is None else load_result(text, time.time())

    async def _text(self, key: str) -> str | None:
        if (text := await self._log.get(key)) is not None or self._earlier is None:
            return text
        return await self._earlier.get(key)
