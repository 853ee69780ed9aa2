"""Cache of tool results, in the graph's store or else in memory.

Only results are cached, neither failures nor empty ones, as JSON and up to a size. People with access to the store can
read the results, but not the arguments of a call: the key is a hash.
"""

import hashlib
import json
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from langchain_core.tools import BaseTool

from weiwo.state import VALUE_TYPES, Evidence, JsonValue
from weiwo.tools.calling.arguments import is_default
from weiwo.tools.calling.results import ToolResult
from weiwo.tools.calling.ttl_cache import LruMemory, TtlCache
from weiwo.tools.tool_identity import tool_identity

if TYPE_CHECKING:
    from langgraph.store.base import BaseStore

_NAMESPACE: Final = ("weiwo", "tool_results")
_MAX_ENTRY_BYTES: Final = 256_000
"""Limit of a cached result. A web search has some 20 kB."""

_VERSION: Final = 1
_memory: Final = LruMemory()


def cache_key(tool: BaseTool, args: Mapping[str, JsonValue], schema: Mapping[str, Any], max_bytes: int) -> str:
    """Return the cache key of a call, a hash of the tool's identity, the arguments and the size limit.

    An argument equal to its default in `schema` counts as left out.
    """
    properties = schema.get("properties", {})
    given = {name: value for name, value in args.items() if not is_default(value, properties.get(name))}
    parts = [_VERSION, tool.name, tool_identity(tool), given, max_bytes]
    text = json.dumps(parts, sort_keys=True, ensure_ascii=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


class ResultCache:
    """Cache of tool results with a time to live."""

    def __init__(
        self, store: "BaseStore | None" = None, clock: Callable[[], float] = time.time, memory: LruMemory = _memory
    ) -> None:
        self._kept = TtlCache(store, _NAMESPACE, memory, clock)
        self._clock = clock

    async def get(self, key: str) -> ToolResult | None:
        """Return the cached result of a key, with `cached` set and 0 attempts, or None."""
        text = await self._kept.get(key)
        return None if text is None else load_result(text, self._clock())

    async def store_result(self, key: str, result: ToolResult, seconds: float) -> None:
        """Cache a result for some seconds, unless it is empty, too large or not JSON."""
        if seconds <= 0 or (result.value is None and not result.passages):
            return
        try:
            text = dump_result(result, self._clock() + seconds)
        except (TypeError, ValueError):  # a foreign tool's particulars may be no JSON
            return
        if len(text) <= _MAX_ENTRY_BYTES:
            await self._kept.store_text(key, text, seconds)


def dump_result(result: ToolResult, expires: float) -> str:
    """Encode a result as JSON, with its time of expiry in seconds since the epoch.

    Raises:
        TypeError: The value or detail is not JSON. A ValueError for NaN and infinity.
    """
    parts = {
        "expires": expires,
        "content": result.content,
        "passages": [passage.model_dump(mode="json") for passage in result.passages],
        "value": result.value,
        "type": result.type,
        "detail": result.detail,
    }
    return json.dumps(parts, allow_nan=False)


def load_result(text: str, now: float) -> ToolResult | None:
    """Decode the text of `dump_result`, with `cached` set and 0 attempts. Returns None for expired or other data."""
    try:
        parts = json.loads(text)
        if not (float(parts["expires"]) > now and parts["type"] in (None, *VALUE_TYPES)):
            return None
        return ToolResult(
            content=str(parts["content"]),
            passages=tuple(Evidence.model_validate(item) for item in parts["passages"]),
            value=parts["value"],
            type=parts["type"],
            detail=dict(parts["detail"]),
            attempts=0,
            cached=True,
        )
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
