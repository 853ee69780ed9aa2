"""The graph for callers without an event loop: `invoke` and `stream` run it on one of their own.

Every node is async, and LangGraph runs async nodes for async callers only. The checkpointer must have async
methods that are not bound to another loop; `InMemorySaver` does, or none.
"""

import asyncio
import contextvars
import queue
import threading
from collections.abc import Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from langgraph.graph.state import CompiledStateGraph

T = TypeVar("T")
_END = object()


class SearchGraph(CompiledStateGraph[Any, Any, Any, Any]):
    """A compiled graph that can also be called synchronously."""

    def invoke(self, input: Any, config: Any = None, **kwargs: Any) -> Any:  # noqa: A002 - LangGraph's name
        """As `ainvoke`, for callers without an event loop (or from within one, blocking it)."""
        return _completed(self.ainvoke(input, config, **kwargs))

    def stream(self, input: Any, config: Any = None, **kwargs: Any) -> Iterator[Any]:  # noqa: A002 - the same
        """As `astream`, for callers without an event loop."""
        parts: queue.SimpleQueue[Any] = queue.SimpleQueue()
        stopped = threading.Event()

        async def pump() -> None:
            async for part in self.astream(input, config, **kwargs):
                parts.put(part)
                if stopped.is_set():
                    return

        def run() -> None:
            try:
                asyncio.run(pump())
            except BaseException as error:  # noqa: BLE001 - raised again where the stream is read
                parts.put((_END, error))
            else:
                parts.put((_END, None))

        thread = threading.Thread(target=contextvars.copy_context().run, args=(run,), name="weiwo-run", daemon=True)
        thread.start()
        try:
            while not (isinstance(part := parts.get(), tuple) and part and part[0] is _END):
                yield part
            if part[1] is not None:
                raise part[1]
        finally:
            stopped.set()
            thread.join()


def _completed(coroutine: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine, on a loop of its own."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(coroutine)
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(contextvars.copy_context().run, asyncio.run, coroutine).result()
