"""Rules of our savers beyond LangGraph's: drop writes of cancelled tasks, and make new checkpoint ids sort last."""

import asyncio
import concurrent.futures
from collections.abc import Awaitable, Sequence
from typing import Any, Final
from uuid import UUID

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import CheckpointTuple
from langgraph.checkpoint.base import id as ids
from langgraph.checkpoint.serde.types import ERROR, RESUME

from weiwo.graph.persistence.storage import naming_thread

SAVER_KEY: Final = "__pregel_checkpointer"
"""Key of a node's configuration under which LangGraph passes the graph's saver."""
_CANCELLED = (asyncio.CancelledError, concurrent.futures.CancelledError)
_VERSION = 6
# `langgraph.checkpoint.base.id` has no public way to set the time of its last id.
_LAST = "_last_v6_timestamp"


def are_cancelled(writes: Sequence[tuple[str, Any]]) -> bool:
    """Report whether the writes belong to a cancelled task.

    LangGraph 1.2 saves the writes of a cancelled task, with the cancellation as its error. If the cancellation comes
    between a node's own writes and those of its edges, the node is saved as done with nothing to follow, and the thread
    can never be resumed to its end. Without these writes, the task runs again from the last finished step.
    """
    return any(channel == ERROR and isinstance(value, _CANCELLED) for channel, value in writes)


def are_answers(writes: Sequence[tuple[str, Any]]) -> bool:
    """Report whether the writes contain an answer of a person, which must be durable before it is acted on."""
    return any(channel == RESUME for channel, _ in writes)


async def read_checkpoint(reading: Awaitable[CheckpointTuple | None], config: RunnableConfig) -> CheckpointTuple | None:
    """Read a checkpoint, and make later ids of this process sort after the checkpoint's id.

    LangGraph takes the id that sorts last for a thread's newest checkpoint, and an id begins with the time. A process
    that starts after the clock was set back would write checkpoints that sort before the existing ones, and its writes
    would be lost.

    Raises:
        OlderCheckpointError: An older Weiwo wrote the checkpoint, and it does not fit this version.
    """
    with naming_thread(config):
        read = await reading
    if read is not None:
        _continue_after(read.checkpoint["id"])
    return read


def _continue_after(checkpoint_id: str) -> None:
    """Make later checkpoint ids of this process sort after the given id. Does nothing if it is no UUID of version 6."""
    try:
        read = UUID(checkpoint_id)
    except ValueError:
        # A foreign saver may use ids that are not UUIDs.
        return
    if read.version == _VERSION:
        ticks = (read.int >> 80) << 12 | (read.int >> 64) & 0xFFF
        setattr(ids, _LAST, max(getattr(ids, _LAST, None) or 0, ticks))
