"""Monotonic checkpoint ids, also where the machine's clock has gone back since the thread was last written to.

LangGraph takes the id that sorts last for a thread's newest checkpoint, and an id begins with the time. Within a
process it counts on from the last id it made. A process that starts after the clock was set back would write
checkpoints that sort before those there are, and what it wrote would be lost.
"""

from uuid import UUID

from langgraph.checkpoint.base import id as ids

_VERSION = 6
_LAST = "_last_v6_timestamp"  # nothing public sets it


def continue_after(checkpoint_id: str) -> None:
    """Have this process make ids that sort after one that it has read."""
    try:
        read = UUID(checkpoint_id)
    except ValueError:
        return  # of a saver with ids of its own
    if read.version == _VERSION:
        ticks = (read.int >> 80) << 12 | (read.int >> 64) & 0xFFF
        setattr(ids, _LAST, max(getattr(ids, _LAST, None) or 0, ticks))
