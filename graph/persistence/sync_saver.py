"""Sync savers made async: a saver with sync methods alone is called in worker threads, as every node is async."""

import asyncio
from collections.abc import AsyncIterator
from copy import copy
from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver, CheckpointTuple


class _ThreadedSaver(BaseCheckpointSaver[Any]):
    """The async methods of a saver as its sync ones, each in a worker thread."""

    async def aget_tuple(self, config: Any) -> CheckpointTuple | None:
        return await asyncio.to_thread(self.get_tuple, config)

    async def alist(self, config: Any, **options: Any) -> AsyncIterator[CheckpointTuple]:
        for found in await asyncio.to_thread(lambda: list(self.list(config, **options))):
            yield found

    async def aput(self, config: Any, checkpoint: Any, metadata: Any, new_versions: Any) -> Any:
        return await asyncio.to_thread(self.put, config, checkpoint, metadata, new_versions)

    async def aput_writes(self, config: Any, writes: Any, task_id: str, task_path: str = "") -> None:
        await asyncio.to_thread(self.put_writes, config, writes, task_id, task_path)

    async def adelete_thread(self, thread_id: str) -> None:
        await asyncio.to_thread(self.delete_thread, thread_id)


def with_async_methods(saver: BaseCheckpointSaver[Any]) -> BaseCheckpointSaver[Any]:
    """The same saver with async methods, where it has only sync ones, as `SqliteSaver` and `PostgresSaver` have."""
    kind = type(saver)
    refuses = kind.aget_tuple.__module__ == "langgraph.checkpoint.sqlite"  # they are there, and raise
    if kind.aget_tuple is not BaseCheckpointSaver.aget_tuple and not refuses:
        return saver
    if issubclass(kind, _ThreadedSaver):
        return saver
    clone = copy(saver)
    clone.__class__ = type(kind.__name__, (_ThreadedSaver, kind), {})
    return clone
