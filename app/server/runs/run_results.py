"""What a run came to, from its events; and the end of a thread."""

from typing import Any

import orjson
from langgraph.graph.state import CompiledStateGraph

from weiwo.app.server.storage.record_types import UNDER_WAY, RunRecord
from weiwo.app.server.storage.records import Records
from weiwo.app.server.storage.run_log import RunLog


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
    values: bytes | None = None
    failed: bytes | None = None
    async for event in log.follow(run.run_id):
        if event is not None and event.name == "values":
            values = event.data
        elif event is not None and event.name == "metadata":
            failed = None
        elif event is not None and event.name == "error":
            failed = event.data
    if failed is not None:
        return {"__error__": orjson.loads(failed)}
    if values is not None:
        return dict(orjson.loads(values))
    now = await records.run(run.run_id)
    if now is not None and now.status not in UNDER_WAY and now.error:
        return {"__error__": {"error": "Error", "message": now.error}}
    return None
