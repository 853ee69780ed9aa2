"""What a run came to, from its events; why it failed; and the end of a thread."""

import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
from langgraph.graph.state import CompiledStateGraph

from weiwo.app.server.storage.records import UNDER_WAY, Event, Records, RunRecord
from weiwo.app.server.storage.run_log import RunLog
from weiwo.state.errors import WeiwoError


@dataclass
class RunTail:
    """The latest of a run's events that say what it came to, as JSON.

    Attributes:
        values: The state that came last.
        error: What went wrong.
    """

    values: bytes = b""
    error: bytes = b""

    def add(self, event: Event) -> None:
        """Take an event into account."""
        if event.name == "values":
            self.values = event.data
        elif event.name == "error":
            self.error = event.data
        elif event.name == "metadata":  # of a further attempt, which says all of it again
            self.error = b""


async def delete_thread(graph: CompiledStateGraph[Any, Any, Any, Any], records: Records, thread_id: str) -> None:
    """Delete a thread with all that is kept of it."""
    saver: Any = graph.checkpointer
    await saver.adelete_thread(thread_id)
    await records.delete_thread(thread_id)


async def last_values(log: RunLog, records: Records, run: RunRecord) -> dict[str, Any] | None:
    """What a run came to, once it has ended: its last `values`, or its error under `__error__`.

    Returns:
        None where its events are not kept any more.
    """
    tail = RunTail()
    async for event in log.follow(run.run_id):
        if event is not None:
            tail.add(event)
    if tail.error:
        return {"__error__": orjson.loads(tail.error)}
    if tail.values:
        return dict(orjson.loads(tail.values))
    now = await records.run(run.run_id)
    if now is not None and now.status not in UNDER_WAY and now.error:
        return {"__error__": {"error": "Error", "message": now.error}}
    return None


def failure_place(error: Exception) -> str:
    """Where code broke, with a space before it; nothing for errors of ours, which say what is wrong.

    A file and a line alone: a traceback's values may be somebody's question.
    """
    frames = [] if isinstance(error, WeiwoError) else traceback.extract_tb(error.__traceback__)[-1:]
    return "".join(f" ({Path(one.filename).name}:{one.lineno})" for one in frames)
