"""Client view of threads: the server's records joined with the checkpoints shared with the command.

A thread that the command began has no record. It belongs to the operator, and is listed with the others.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, cast
from uuid import UUID, uuid5

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Interrupt, StateSnapshot

from weiwo.app.records import Records, RunRecord, ThreadRecord
from weiwo.app.server.errors import RequestError, not_found
from weiwo.app.server.runs.background_runs import Runs
from weiwo.app.server.wire import ASSISTANT_ID, GRAPH_ID, dump, read_count
from weiwo.app.session.waiting import read_waiting
from weiwo.graph.persistence.storage import CheckpointError
from weiwo.graph.persistence.thread_lock import OPERATOR
from weiwo.graph.persistence.threads import ThreadInfo, check_thread_id, info_of, list_threads, thread_exists

_MOST_SEARCHED: Final = 1_000
"""Threads that a search with a condition looks through, the newest first."""
_CHECKPOINTS: Final = "checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata"
_COPIED_SQLITE: Final = {
    "checkpoints": _CHECKPOINTS,
    "writes": "checkpoint_ns, checkpoint_id, task_id, idx, channel, type, value, task_path",
}
_COPIED_POSTGRES: Final = {
    "checkpoints": _CHECKPOINTS,
    "checkpoint_blobs": "checkpoint_ns, channel, version, type, blob",
    "checkpoint_writes": "checkpoint_ns, checkpoint_id, task_id, task_path, idx, channel, type, blob",
}
"""The columns of a thread's rows beside its id, by table."""
_COPY: Final = "INSERT INTO {0} (thread_id, {1}) SELECT {2}, {1} FROM {0} WHERE thread_id = {2}"


@dataclass(frozen=True)
class Found:
    """A thread as found by a search, from the server's records and the checkpoints."""

    thread_id: str
    record: ThreadRecord | None  # the server's record of it, if there is one
    info: ThreadInfo | None  # what its checkpoints tell, if there are any
    run: RunRecord | None = None  # its newest run on this server, if there is one

    @property
    def update_time(self) -> datetime:
        """Time of the last change."""
        touched = datetime.fromtimestamp(self.record.updated if self.record else 0.0, UTC)
        return max(touched, self.info.updated) if self.info else touched

    @property
    def creation_time(self) -> datetime:
        """Time of creation, as far as known without reading the history."""
        return datetime.fromtimestamp(self.record.created, UTC) if self.record else self.update_time


class Threads:
    """All threads of the server. The checkpoints are in `saver`."""

    def __init__(self, graph: CompiledStateGraph[Any, Any, Any, Any], records: Records, runs: Runs) -> None:
        self._graph, self._records, self._runs = graph, records, runs
        self.saver = cast("BaseCheckpointSaver[Any]", graph.checkpointer)  # the server builds it so

    async def require(self, user: str, name: str) -> tuple[str, ThreadRecord | None]:
        """Require a thread of the user, and return the stored id and the record, if any.

        Raises:
            RequestError: The thread does not exist or belongs to another user.
        """
        thread_id, record = await self._locate(user, name)
        if record is None and not (user == OPERATOR and await thread_exists(self.saver, thread_id)):
            raise not_found("thread", name)
        return thread_id, record

    async def create(self, user: str, name: str, metadata: Mapping[str, Any], *, known_ok: bool) -> str:
        """Create a thread, and return the stored id.

        Args:
            user: The user.
            name: The id chosen by the user.
            metadata: Metadata of the thread.
            known_ok: Whether an existing thread of the user is returned instead of an error.

        Raises:
            RequestError: The thread exists already although it should be new, or the id is not available to users.
        """
        thread_id, record = await self._locate(user, name)
        exists = record is not None or await thread_exists(self.saver, thread_id)
        if exists and record is None and user != OPERATOR:  # what the command began has no record
            raise not_found("thread", name)
        if exists and not known_ok:
            raise RequestError(409, f"thread {name} already exists; use another id")
        if not exists:
            await self._runs.quota.take(user, len(dump(metadata)))
            await self._records.put_thread(thread_id, user, dict(metadata))
        return thread_id

    async def _locate(self, user: str, name: str) -> tuple[str, ThreadRecord | None]:
        """Return the stored id of a user's thread, and the record, if any.

        A name that a user chose is stored as a UUID of user and name, so that nobody learns which names others have.
        UUIDs themselves cannot be guessed.

        Raises:
            RequestError: The id is invalid or belongs to another user.
        """
        try:
            check_thread_id(name)
        except ValueError as error:
            raise RequestError(422, str(error)) from None
        record = await self._records.thread(name)
        if user == OPERATOR or _is_uuid(name) or (record is not None and record.owner == user):
            if record is not None and record.owner != user:
                raise not_found("thread", name)
            return name, record
        thread_id = str(uuid5(UUID(ASSISTANT_ID), f"{user}\n{name}"))
        return thread_id, await self._records.thread(thread_id)

    async def search(self, user: str, wanted: Mapping[str, Any]) -> list[Found]:
        """Search a user's threads, last changed first, or in reverse if `sort_order` is `asc`.

        Args:
            user: The user.
            wanted: The request body: `limit` and `offset`, and the conditions `status`, `metadata` (equal values),
                `ids` and `query` (words of the name or question). With a condition, only the newest threads are
                looked through.

        Raises:
            RequestError: A field is malformed.
        """
        limit, offset = read_count(wanted, "limit", 10, 1_000), read_count(wanted, "offset", 0, 1_000_000)
        some = not (wanted.get("status") or wanted.get("metadata") or wanted.get("ids") or wanted.get("query"))
        found = await self._newest(user, min(offset + limit, _MOST_SEARCHED) if some else _MOST_SEARCHED)
        status, ids = wanted.get("status"), wanted.get("ids")
        if ids is not None and not isinstance(ids, list):
            raise RequestError(422, "ids must be a list")
        kept = [item for item in found if _fits(item, wanted) and (not status or self.status(item) == status)]
        if wanted.get("sort_order") == "asc":
            kept.reverse()
        return kept[offset : offset + limit]

    async def find(self, user: str, thread_id: str) -> Found:
        """Return a thread of the user with record, summary of the newest checkpoint, and newest run.

        Raises:
            RequestError: The thread does not exist or belongs to another user.
        """
        thread_id, record = await self.require(user, thread_id)
        runs = await self._records.runs(thread_id, 1)
        saved = await self.saver.aget_tuple({"configurable": {"thread_id": thread_id}})
        info = None
        if saved is not None:
            info = info_of(thread_id, saved.checkpoint["id"], saved.checkpoint["channel_values"])
        return Found(thread_id, record, info, runs[0] if runs else None)

    async def describe_thread(self, found: Found, select: Sequence[str] | None = None) -> dict[str, Any]:
        """Describe a thread in the form of LangGraph's server, with the fields of `select` or all fields."""
        values: Any = None
        interrupts: dict[str, Any] = {}
        metadata = {"graph_id": GRAPH_ID, "assistant_id": ASSISTANT_ID}
        status = self.status(found)
        if select is None or {"values", "interrupts", "status"} & set(select):
            snapshot = await self._snapshot(found.thread_id)
            if snapshot is not None and snapshot.created_at is not None:
                values = {key: snapshot.values[key] for key in self._graph.output_channels if key in snapshot.values}
                interrupts = {task.id: _shown_interrupts(task.interrupts) for task in snapshot.tasks if task.interrupts}
                status = self._status(found, interrupted=read_waiting(snapshot).status != "idle")
        if found.info is not None:
            metadata |= {"name": found.info.name, "question": found.info.question, "answer": found.info.status}
        item: dict[str, Any] = {
            "thread_id": found.thread_id,
            "created_at": found.creation_time.isoformat(),
            "updated_at": found.update_time.isoformat(),
            "state_updated_at": (found.info.updated if found.info else found.creation_time).isoformat(),
            "metadata": metadata | (found.record.metadata if found.record else {}),
            "status": status,
            "config": {},
            "error": found.run.error if status == "error" and found.run else None,
            "values": values,
            "interrupts": interrupts,
        }
        return item if select is None else {key: item[key] for key in select if key in item}

    def status(self, found: Found) -> str:
        """Return a thread's status: `busy` (a run is active), `error`, `interrupted` (can be continued) or `idle`."""
        waits = found.info is not None and found.info.status in {"interrupted", "waiting"}
        return self._status(found, interrupted=waits)

    def _status(self, found: Found, *, interrupted: bool) -> str:
        if self._runs.under_way(found.thread_id):
            return "busy"
        if found.run is not None and found.run.status == "error":
            return "error"
        return "interrupted" if interrupted else "idle"

    async def _newest(self, user: str, limit: int) -> list[Found]:
        records = await self._records.threads(user, limit)
        infos = {thread.thread_id: thread for thread in await list_threads(self.saver, limit)}
        strangers = await self._records.threads_of([*infos])
        own = {record.thread_id: record for record in records}
        own |= {key: stranger for key, stranger in strangers.items() if stranger.owner == user}
        mine = set(own)
        if user == OPERATOR:
            mine |= {key for key in infos if key not in strangers}
        runs = await self._records.last_runs([*mine])
        found = [Found(key, own.get(key), infos.get(key), runs.get(key)) for key in mine]
        return sorted(found, key=lambda item: item.update_time, reverse=True)[:limit]

    async def _snapshot(self, thread_id: str) -> StateSnapshot | None:
        try:
            return await self._graph.aget_state({"configurable": {"thread_id": thread_id}})
        except CheckpointError:  # of another version, or damaged: it is listed without its values
            return None


async def copy_thread(saver: Any, thread_id: str, new: str) -> None:
    """Copy all checkpoints of a thread, row by row.

    LangGraph's savers have no operation for copying.
    """
    tables = _COPIED_SQLITE if saver.mark == "?" else _COPIED_POSTGRES
    copies = [_COPY.format(table, columns, saver.mark) for table, columns in tables.items()]
    await saver.execute([(query, (new, thread_id)) for query in copies])


def shown_state(snapshot: StateSnapshot) -> dict[str, Any]:
    """Describe a state in the form of LangGraph's server."""
    tasks = [
        {
            "id": task.id,
            "name": task.name,
            "path": task.path,
            "error": None if task.error is None else str(task.error),
            "interrupts": _shown_interrupts(task.interrupts),
            "checkpoint": dict(task.state["configurable"]) if isinstance(task.state, Mapping) else None,
            "state": shown_state(task.state) if isinstance(task.state, StateSnapshot) else None,
            "result": task.result,
        }
        for task in snapshot.tasks
    ]
    checkpoint, parent = _place(snapshot.config), _place(snapshot.parent_config)
    return {
        "values": snapshot.values,
        "next": snapshot.next,
        "tasks": tasks,
        "metadata": snapshot.metadata or {},
        "created_at": snapshot.created_at,
        "checkpoint": checkpoint,
        "parent_checkpoint": parent,
        "interrupts": _shown_interrupts(snapshot.interrupts),
        "checkpoint_id": checkpoint and checkpoint["checkpoint_id"],
        "parent_checkpoint_id": parent and parent["checkpoint_id"],
    }


def _shown_interrupts(interrupts: Sequence[Interrupt]) -> list[dict[str, Any]]:
    """Interrupts, each as id and value."""
    return [{"id": interrupt.id, "value": interrupt.value} for interrupt in interrupts]


def _place(config: Mapping[str, Any] | None) -> dict[str, Any] | None:
    place = (config or {}).get("configurable") or {}
    if not place.get("checkpoint_id"):
        return None
    names = ("thread_id", "checkpoint_ns", "checkpoint_id", "checkpoint_map")
    return {"checkpoint_ns": "", **{name: place[name] for name in names if name in place}}


def _is_uuid(text: str) -> bool:
    try:
        return str(UUID(text)) == text.lower()
    except ValueError:
        return False


def _fits(found: Found, wanted: Mapping[str, Any]) -> bool:
    metadata = {"graph_id": GRAPH_ID, "assistant_id": ASSISTANT_ID, **(found.record.metadata if found.record else {})}
    asked = wanted.get("metadata")
    if isinstance(asked, Mapping) and any(metadata.get(key) != value for key, value in asked.items()):
        return False
    if wanted.get("ids") and found.thread_id not in wanted["ids"]:
        return False
    words = str(wanted.get("query") or "").casefold().split()
    said = f"{found.info.name} {found.info.question}".casefold() if found.info else ""
    return all(word in said for word in words)
