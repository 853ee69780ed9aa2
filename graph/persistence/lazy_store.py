"""A store that is opened when it is first used: most runs over documents never do.

LangGraph's SQLite store imports numpy for vectors that nothing here keeps in it, which costs as much as such a run.
"""

import asyncio
import sqlite3
from collections.abc import Callable, Iterable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, suppress
from types import TracebackType
from typing import Final, Self

from langgraph.store.base import BaseStore, ListNamespacesOp, Op, Result, SearchOp

from weiwo.graph.persistence.storage import StorageError

DATABASE_FAULTS: Final = (sqlite3.Error, OSError, StorageError)
"""What a database or its disk may do wrong."""


class LazyStore(BaseStore):
    """Stands for a store until something is asked of it. One that then does not open is empty and forgets all.

    Args:
        open_store: Opens the store.
        failed: Told, once, why it did not open.
    """

    supports_ttl = True

    def __init__(
        self, open_store: Callable[[], AbstractAsyncContextManager[BaseStore]], failed: Callable[[Exception], None]
    ) -> None:
        self._open_store = open_store
        self._failed = failed
        self._loop = asyncio.get_running_loop()
        self._opening = asyncio.Lock()
        self._tried = False
        self._store: BaseStore | None = None
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(Exception):  # closing it fails nothing that was done
            await self._stack.aclose()

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Operations of a caller in another thread than the event loop's."""
        return asyncio.run_coroutine_threadsafe(self.abatch(ops), self._loop).result()

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Operations, in order."""
        asked = list(ops)
        store = await self._opened()
        if store is not None:
            return await store.abatch(asked)
        return [[] if isinstance(op, SearchOp | ListNamespacesOp) else None for op in asked]

    async def _opened(self) -> BaseStore | None:
        async with self._opening:
            if not self._tried:
                self._tried = True
                try:
                    self._store = await self._stack.enter_async_context(self._open_store())
                except DATABASE_FAULTS as error:  # answering goes on; what is wrong with our own code is not hidden
                    self._failed(error)
        return self._store
