"""Copies a thread's rows in the checkpoint database; savers have no operation for it."""

from typing import Any, Final

from weiwo.app.server.errors import RequestError

_SQLITE: Final = (
    (
        "INSERT INTO checkpoints"
        " (thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata)"
        " SELECT ?, checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata FROM checkpoints"
        " WHERE thread_id = ?"
    ),
    (
        "INSERT INTO writes (thread_id, checkpoint_ns, checkpoint_id, task_id, idx, channel, type, value, task_path)"
        " SELECT ?, checkpoint_ns, checkpoint_id, task_id, idx, channel, type, value, task_path FROM writes"
        " WHERE thread_id = ?"
    ),
)
_POSTGRES: Final = (
    (
        "INSERT INTO checkpoints"
        " (thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata)"
        " SELECT %s, checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata FROM checkpoints"
        " WHERE thread_id = %s"
    ),
    (
        "INSERT INTO checkpoint_blobs (thread_id, checkpoint_ns, channel, version, type, blob)"
        " SELECT %s, checkpoint_ns, channel, version, type, blob FROM checkpoint_blobs WHERE thread_id = %s"
    ),
    (
        "INSERT INTO checkpoint_writes"
        " (thread_id, checkpoint_ns, checkpoint_id, task_id, task_path, idx, channel, type, blob)"
        " SELECT %s, checkpoint_ns, checkpoint_id, task_id, task_path, idx, channel, type, blob FROM checkpoint_writes"
        " WHERE thread_id = %s"
    ),
)


async def copy_thread(saver: Any, thread_id: str, new: str) -> None:
    """Copy all checkpoints of a thread.

    Raises:
        RequestError: The saver is none of ours.
    """
    kind = type(saver).__name__
    if kind == "AsyncSqliteSaver":
        async with saver.lock:
            for query in _SQLITE:
                await saver.conn.execute(query, (new, thread_id))
            await saver.conn.commit()
    elif kind == "AsyncPostgresSaver":
        async with saver._cursor(pipeline=True) as cursor:  # noqa: SLF001 - as for the list of threads
            for query in _POSTGRES:
                await cursor.execute(query, (new, thread_id))
    else:
        raise RequestError(501, "the thread; its database cannot copy threads; begin a new one")
