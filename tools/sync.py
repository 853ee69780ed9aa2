"""A synchronous bridge: async code, and tools that are coroutines, for callers that are not async."""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Any, Literal, TypeVar

from langchain_core.tools import BaseTool

T = TypeVar("T")


def _run_sync(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end, on a thread of its own where this one already runs an event loop."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    with ThreadPoolExecutor(max_workers=1) as thread:
        return thread.submit(copy_context().run, asyncio.run, work).result()


class AsyncTool(BaseTool):
    """A LangChain tool that is a coroutine (`_arun`) and gives text for a model with an artifact beside it."""

    response_format: Literal["content", "content_and_artifact"] = "content_and_artifact"

    def _run(self, *args: Any, **kwargs: Any) -> Any:
        return _run_sync(self._arun(*args, **kwargs))
