"""The ledger of acting calls: written before a call is made and after, so that none is made twice.

Kept in the graph's store where it has one, so that it outlives the process; else in memory. A key is the call's
idempotency key (`CallContext`): the same where a call is made again after a crash, another in another run.
"""

import time
from typing import TYPE_CHECKING, Final

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


class ActingCalls:
    """What became of the calls that may have changed something."""

    def __init__(self, store: "BaseStore | None" = None) -> None:
        self._kept = TtlCache(store, _NAMESPACE, _memory, time.time)

    async def has_begun(self, key: str) -> bool:
        """Whether the call was begun, and nobody knows that it did nothing."""
        return await self._kept.get(key) is not None

    async def begin(self, key: str) -> None:
        """Book that the call is about to be made."""
        await self._kept.put(key, _BEGUN, _KEPT_SECONDS)

    async def forget(self, key: str) -> None:
        """Book that the call did nothing."""
        await self._kept.drop(key)

    async def end(self, key: str, result: ToolResult) -> None:
        """Book what the call gave."""
        await self._kept.put(key, dump_result(result, time.time() + _KEPT_SECONDS), _KEPT_SECONDS)

    async def result(self, key: str) -> ToolResult | None:
        """What the call gave, if it was made to its end."""
        text = await self._kept.get(key)
        return None if text is None else load_result(str(text), time.time())
