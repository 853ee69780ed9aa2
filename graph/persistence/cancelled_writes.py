"""Writes of cancelled tasks, which are not their results.

LangGraph 1.2 saves, of a task that is cancelled, whatever it had written, with the cancellation as its error. If
that hits the moment between a node's own writes and those of the edges behind it, the thread is saved with the node
done and nothing to follow: it can never be resumed to its end. Our savers keep nothing of such a task, so that it
runs again, from the last step that was finished.
"""

import asyncio
import concurrent.futures
from collections.abc import Sequence
from typing import Any

from langgraph.checkpoint.serde.types import ERROR

_CANCELLED = (asyncio.CancelledError, concurrent.futures.CancelledError)


def are_cancelled(writes: Sequence[tuple[str, Any]]) -> bool:
    """Whether these are the writes of a task that was cancelled."""
    return any(channel == ERROR and isinstance(value, _CANCELLED) for channel, value in writes)
