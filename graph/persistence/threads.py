"""Threads: ids, the list of threads in a database, and checkpoints by id prefix.

The list is read from the checkpoint tables with a single query, because a saver's own listing decodes every checkpoint
of every thread. It contains the threads of the command line, the server and Python alike.
"""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, Literal

from weiwo.graph.persistence.storage import CheckpointError, StorageError
from weiwo.text.patterns import lazy

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig
    from langgraph.checkpoint.base import BaseCheckpointSaver

_ThreadStatus = Literal["complete", "extracts", "partial", "unsourced", "failed", "interrupted", "waiting"]
"""Status of the latest answer, or `interrupted` (no answer yet, the run can be resumed) or `waiting` for approval."""

FORK_KEY: Final = "weiwo_fork"
"""Metadata key of a fork's first checkpoint, with a description of the changes."""

_ID = lazy(r"[A-Za-z0-9._:-]{1,128}")
_ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz"  # without the look-alikes 0 o 1 l i
_EXAMPLE = "20261120-194501-k3f9"

# The newest checkpoint of the main graph gives the state, the newest of all, tasks included, the time of the change.
SQLITE_LIST = """
SELECT c.thread_id, newest.last, c.type, c.checkpoint FROM (
    SELECT thread_id, MAX(checkpoint_id) AS last, MAX(CASE WHEN checkpoint_ns = '' THEN checkpoint_id END) AS root
    FROM checkpoints GROUP BY thread_id ORDER BY last DESC LIMIT ?
) AS newest
JOIN checkpoints AS c ON c.thread_id = newest.thread_id AND c.checkpoint_ns = '' AND c.checkpoint_id = newest.root
ORDER BY newest.last DESC
"""
_POSTGRES_LIST = """
SELECT c.thread_id, newest.last, c.checkpoint -> 'channel_values' AS plain, (
    SELECT array_agg(array[bl.channel::bytea, bl.type::bytea, bl.blob])
    FROM jsonb_each_text(c.checkpoint -> 'channel_versions') AS version
    JOIN checkpoint_blobs AS bl ON bl.thread_id = c.thread_id AND bl.checkpoint_ns = ''
        AND bl.channel = version.key AND bl.version = version.value
    WHERE bl.channel IN ('result', 'messages', '__start__')
) AS blobs FROM (
    SELECT thread_id, MAX(checkpoint_id) AS last, MAX(checkpoint_id) FILTER (WHERE checkpoint_ns = '') AS root
    FROM checkpoints GROUP BY thread_id ORDER BY last DESC LIMIT %s
) AS newest
JOIN checkpoints AS c ON c.thread_id = newest.thread_id AND c.checkpoint_ns = '' AND c.checkpoint_id = newest.root
ORDER BY newest.last DESC
"""

_CHECKPOINT: Final = lazy(r"[0-9a-f][0-9a-f-]{3,35}")
_FIND: Final = "SELECT thread_id, checkpoint_id FROM checkpoints WHERE checkpoint_ns = '' AND checkpoint_id LIKE {0}"
_FIND_IN_THREAD: Final = _FIND + " AND thread_id = {0}"


@dataclass(frozen=True, slots=True)
class ThreadInfo:
    """Entry in a list of threads."""

    thread_id: str
    updated: datetime  # time of the last checkpoint, UTC
    question: str  # latest question
    status: _ThreadStatus  # of the latest question
    name: str = ""  # name for people: the first question of the thread


def new_thread_id(now: datetime | None = None) -> str:
    """Return a new thread id: the UTC time, for sorting, and four random characters, "20261120-194501-k3f9"."""
    import secrets  # noqa: PLC0415 - light commands make no ids

    now = (now or datetime.now(UTC)).astimezone(UTC)
    return f"{now:%Y%m%d-%H%M%S}-{''.join(secrets.choice(_ALPHABET) for _ in range(4))}"


def check_thread_id(text: str) -> str:
    """Validate a thread id and return the id.

    Raises:
        ValueError: The text is no thread id. The message is one line.
    """
    if not _ID.fullmatch(text):
        shown = ascii(text if len(text) <= 40 else text[:40] + "...")
        raise ValueError(
            f"thread id {shown} is invalid; use 1 to 128 ASCII letters, digits and - _ . : such as {_EXAMPLE}"
        )
    return text


async def thread_exists(saver: "BaseCheckpointSaver[Any]", thread_id: str) -> bool:
    """Report whether the database has a thread."""
    return await saver.aget_tuple({"configurable": {"thread_id": thread_id}}) is not None


async def find_checkpoint(
    saver: "BaseCheckpointSaver[Any]", prefix: str, thread_id: str | None = None
) -> tuple[str, str]:
    """Find the checkpoint of a main graph by the first characters of its id, in any thread or in the given thread.

    Returns the thread id and the whole checkpoint id.

    Raises:
        ValueError: The prefix is invalid, or matches no checkpoint or several. The message is one line.
    """
    if not _CHECKPOINT.fullmatch(prefix.lower()):
        raise ValueError(
            f"checkpoint {prefix[:60]!a} is invalid, because ids have 4 or more hexadecimal characters; "
            "use THREAD@CHECKPOINT as shown by weiwo show THREAD --history"
        )
    found = await _checkpoints(saver, prefix.lower(), thread_id)
    where = f"thread {thread_id}" if thread_id else "the database"
    if not found:
        raise ValueError(
            f"checkpoint {prefix!r} does not exist in {where}; weiwo show THREAD --history lists all checkpoints"
        )
    if len(found) > 1:
        some = ", ".join(f"{thread}@{item[:18]}" for thread, item in sorted(found)[:3])
        raise ValueError(
            f"checkpoint {prefix!r} matches {len(found)} checkpoints, such as {some}; give more characters"
        )
    return found[0]


async def _checkpoints(saver: "BaseCheckpointSaver[Any]", prefix: str, thread_id: str | None) -> list[tuple[str, str]]:
    if (fetch := getattr(saver, "fetch_rows", None)) is not None:
        given: tuple[str, ...] = (f"{prefix}%",) if thread_id is None else (f"{prefix}%", thread_id)
        rows = await fetch((_FIND if thread_id is None else _FIND_IN_THREAD).format(saver.mark), given)  # type: ignore[attr-defined]
        return [(str(thread), str(item)) for thread, item in rows]
    config: RunnableConfig | None = {"configurable": {"thread_id": thread_id}} if thread_id is not None else None
    places = [item.config["configurable"] async for item in saver.alist(config)]
    return [
        (place["thread_id"], place["checkpoint_id"])
        for place in places
        if not place.get("checkpoint_ns") and place["checkpoint_id"].startswith(prefix)
    ]


async def list_threads(saver: Any, limit: int = 20) -> list[ThreadInfo]:
    """List the most recently changed threads, newest first.

    Raises:
        StorageError: The saver was not opened by `open_checkpointer`.
    """
    from asyncio import to_thread  # noqa: PLC0415 - light commands list without an event loop

    if not hasattr(saver, "fetch_rows"):
        raise StorageError(
            f"{type(saver).__name__} cannot list threads, because it was not opened with "
            "open_checkpointer; list your own"
        )
    query, read = (SQLITE_LIST, _sqlite_values) if saver.mark == "?" else (_POSTGRES_LIST, _postgres_values)
    rows = await saver.fetch_rows(query, (limit,))

    def decode() -> list[ThreadInfo]:
        return [info_of(thread_id, last, read(saver.serde, *packed)) for thread_id, last, *packed in rows]

    return await to_thread(decode)


def _sqlite_values(serde: Any, type_: str, blob: bytes) -> Mapping[str, Any]:
    """Return the channel values of a checkpoint. Empty for a damaged checkpoint, so that others can be listed."""
    try:
        values: Mapping[str, Any] = serde.loads_typed((type_, blob))["channel_values"]
    except (CheckpointError, KeyError, TypeError):
        return {}
    return values


def _postgres_values(serde: Any, plain: Mapping[str, Any] | None, blobs: Iterable[Any] | None) -> Mapping[str, Any]:
    values = dict(plain or {})
    for channel, type_, blob in blobs or ():
        if (named := type_.decode()) != "empty":
            with suppress(CheckpointError):  # damaged; the rest of it and the others can be listed
                values[channel.decode()] = serde.loads_typed((named, blob))
    return values


def info_of(thread_id: str, checkpoint_id: str, values: Mapping[str, Any]) -> ThreadInfo:
    """Return the list entry of a thread.

    Args:
        thread_id: The thread.
        checkpoint_id: Newest checkpoint of the thread, including those of tasks. It gives the time.
        values: Channels of the newest checkpoint of the main graph.
    """
    result = values.get("result") or {}
    start = values.get("__start__")
    status: _ThreadStatus = "interrupted"
    sources: Iterable[Callable[[], Any]]
    if start is not None or any(name.startswith("branch:to:") for name in values) or not result:
        if "branch:to:approval" in values:
            status = "waiting"
        # What a new run was given has not reached the state yet, or belongs to the question at work.
        given = start if isinstance(start, Mapping) else {}
        sources = (
            lambda: given.get("question"),
            lambda: _last_human(given.get("messages")),
            lambda: values.get("question"),
            lambda: _last_human(values.get("messages")),
        )
    else:
        status = result.get("status", "failed")
        sources = (lambda: result.get("question"), lambda: values.get("question"))
    question = next((found for source in sources if (found := source())), "")
    name = _last_human(list(reversed(values.get("messages") or []))) or question
    return ThreadInfo(thread_id, _time(checkpoint_id), str(question), status, str(name))


def _last_human(messages: Any) -> str:
    """Return the text of the last human message, or an empty string. Messages may be objects or dicts."""
    for message in reversed(messages if isinstance(messages, list) else []):
        fields = message if isinstance(message, Mapping) else vars(message)
        if (fields.get("type") or fields.get("role")) in {"human", "user"}:
            content = fields.get("content")
            if isinstance(content, list):
                content = " ".join(part.get("text", "") for part in content if isinstance(part, Mapping))
            return str(content or "")
    return ""


def _time(checkpoint_id: str) -> datetime:
    """Return the time of a checkpoint from its id, a UUID of version 6."""
    digits = checkpoint_id.replace("-", "")
    ticks = int(digits[:12] + digits[13:16], 16)  # 100 ns since 1582-10-15, the version digit left out
    return datetime.fromtimestamp((ticks - 0x01B21DD213814000) / 10_000_000, UTC)
