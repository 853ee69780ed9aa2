"""The log of acting calls: written before a call that may change something is made and after, so none is made twice.

A key is the call's idempotency key (`CallContext`): the same where a call is made again after a crash, another in
another run. A saver of ours keeps the log beside its checkpoints, on the disk before the call is made, and takes no
booking of a process whose thread another one has claimed. With any other saver it is in the graph's store.
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
        """What is known of a call."""

    async def add(self, key: str, text: str, seconds: float) -> bool:
        """Book a call that is not booked yet; whether it was not, and now is."""

    async def put(self, key: str, text: str, seconds: float) -> None:
        """Book what came of a call."""

    async def drop(self, key: str) -> None:
        """Book that a call did nothing."""


class StoreLog:
    """The log in the graph's store, or in memory where there is none."""

    def __init__(self, store: "BaseStore | None" = None) -> None:
        self._kept = TtlCache(store, _NAMESPACE, _memory, time.time)

    async def get(self, key: str) -> str | None:
        """What is known of a call."""
        return await self._kept.get(key)

    async def add(self, key: str, text: str, seconds: float) -> bool:
        """Book a call; whether the store has it now."""
        if await self._kept.get(key) is not None:
            return False
        await self._kept.put(key, text, seconds)
        return await self._kept.get(key) is not None

    async def put(self, key: str, text: str, seconds: float) -> None:
        """Book what came of a call."""
        await self._kept.put(key, text, seconds)

    async def drop(self, key: str) -> None:
        """Book that a call did nothing."""
        await self._kept.drop(key)


class ActingCalls:
    """What became of the calls that may have changed something."""

    def __init__(self, log: ActingLog, earlier: ActingLog | None = None) -> None:
        self._log = log
        self._earlier = earlier  # where versions before booked them

    async def has_begun(self, key: str) -> bool:
        """Whether the call was begun, and nobody knows that it did nothing."""
        return await self._text(key) is not None

    async def begin(self, key: str) -> bool:
        """Book that the call is about to be made; whether that is booked now and was not before."""
        return await self._log.add(key, _BEGUN, _KEPT_SECONDS)

    async def forget(self, key: str) -> None:
        """Book that the call did nothing."""
        await self._log.drop(key)

    async def end(self, key: str, result: ToolResult) -> None:
        """Book what the call gave."""
        await self._log.put(key, dump_result(result, time.time() + _KEPT_SECONDS), _KEPT_SECONDS)

    async def result(self, key: str) -> ToolResult | None:
        """What the call gave, if it was made to its end."""
        text = await self._text(key)
        return None if text is None else load_result(text, time.time())

    async def _text(self, key: str) -> str | None:
        if (text := await self._log.get(key)) is not None or self._earlier is None:
            return text
        return await self._earlier.get(key)
