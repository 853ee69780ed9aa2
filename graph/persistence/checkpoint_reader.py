"""Checkpoint reader: threads from the SQLite file without LangGraph, for read-only commands.

LangGraph's serializer writes MessagePack. Objects are extensions with the module, the name and the fields of their
class. The reader accepts only plain data, the types of `weiwo.state`, and messages, which become dicts of their fields.
For anything else, and for any unfinished thread, it raises `UnreadableCheckpointError`: the caller then uses the graph,
because only LangGraph knows what is to run next.
"""

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import ormsgpack

from weiwo.graph.persistence.compression import expand_value
from weiwo.graph.persistence.storage import make_folder, open_private, sqlite_error
from weiwo.graph.persistence.threads import SQLITE_LIST, ThreadInfo, info_of
from weiwo.state.errors import WeiwoError
from weiwo.text.patterns import lazy

MOST_BYTES: Final = 256_000_000
"""Limit of a checkpoint that is read."""
_DEEPEST: Final = 16
"""Limit of the nesting of objects."""
_MODULE: Final = lazy(r"(?:weiwo\.)?(state\.[a-z_]+)")
"""Modules of the state's types, also without the package, as the first version named them."""
_LATEST: Final = (
    "SELECT type, checkpoint, checkpoint_id FROM checkpoints WHERE thread_id = ? AND checkpoint_ns = ''"
    " ORDER BY checkpoint_id DESC LIMIT 1"
)
_WRITES: Final = "SELECT 1 FROM writes WHERE thread_id = ? AND checkpoint_ns = '' AND checkpoint_id = ? LIMIT 1"


class UnreadableCheckpointError(WeiwoError, ValueError):
    """Error for a checkpoint that only LangGraph can read, so that the caller must use the graph."""


def list_saved_threads(path: Path, limit: int) -> list[ThreadInfo]:
    """List the most recently changed threads of a file, newest first.

    The list is empty if there is no such file.

    Raises:
        StorageError: The file cannot be read.
        UnreadableCheckpointError: The file holds something that only LangGraph can read.
    """
    with _open_database(path) as database:
        rows = database.execute(SQLITE_LIST, (limit,)).fetchall() if database else []
        return [
            info_of(thread_id, last, _Decoder(fields_only=True).channels(kind, packed))
            for thread_id, last, kind, packed in rows
        ]


def saved_thread_exists(path: Path, thread_id: str) -> bool:
    """Report whether a file has a thread.

    Raises:
        StorageError: The file cannot be read.
    """
    with _open_database(path) as database:
        return database is not None and database.execute(_LATEST, (thread_id,)).fetchone() is not None


def read_finished_thread(path: Path, thread_id: str) -> dict[str, Any] | None:
    """Return the state of a thread, by channel, if its latest question is answered.

    Returns None if there is no such thread.

    Raises:
        StorageError: The file cannot be read.
        UnreadableCheckpointError: The thread waits for a person or was interrupted, or contains data that only
            LangGraph can read.
    """
    with _open_database(path) as database:
        if database is None or (row := database.execute(_LATEST, (thread_id,)).fetchone()) is None:
            return None
        kind, packed, checkpoint_id = row
        begun = database.execute(_WRITES, (thread_id, checkpoint_id)).fetchone()
    values = _Decoder().channels(kind, packed)
    if begun or not values.get("result") or any(name.startswith(("branch:to:", "__")) for name in values):
        raise UnreadableCheckpointError("the thread has not finished")
    return values


@contextmanager
def _open_database(path: Path) -> Iterator[sqlite3.Connection | None]:
    """Open the database for reading. Yields None if no run has saved anything yet.

    Raises:
        StorageError: The database cannot be read.
    """
    if not path.exists():
        # Raise the error that a run would meet if the folder cannot be created.
        make_folder(path.parent)
        yield None
        return
    try:
        # Not `mode=ro`: reading beside a writer takes the file of the shared index, which may have to be made.
        with closing(open_private(path)) as database:
            database.execute("PRAGMA query_only = ON")
            made = database.execute("SELECT 1 FROM sqlite_master WHERE name = 'writes'").fetchone()
            yield database if made else None
    except sqlite3.Error as error:
        raise sqlite_error(path, error) from error


class _Decoder:
    """Decoder of a checkpoint.

    Args:
        fields_only: Return objects of the state as dicts of their fields, without building them.
    """

    def __init__(self, *, fields_only: bool = False) -> None:
        self._fields_only = fields_only
        self._depth = 0

    def channels(self, kind: str, stored: bytes) -> dict[str, Any]:
        """Return the values of a checkpoint's channels.

        Args:
            kind: Format of the stored bytes, as the saver names it.
            stored: The stored bytes.

        Raises:
            UnreadableCheckpointError: The format is another, or the data are damaged.
        """
        try:
            kind, packed = expand_value(kind, stored, MOST_BYTES)
        except ValueError as error:
            raise UnreadableCheckpointError(str(error)) from None
        if kind != "msgpack":
            raise UnreadableCheckpointError(f"a checkpoint in the unknown format {kind}")
        if len(packed) > MOST_BYTES:
            raise UnreadableCheckpointError(f"a checkpoint of {len(packed):,} bytes, more than {MOST_BYTES:,}")
        checkpoint = self._unpack(packed)
        values = checkpoint.get("channel_values") if isinstance(checkpoint, dict) else None
        if not isinstance(values, dict):
            raise UnreadableCheckpointError("a checkpoint without channels")
        return values

    def _unpack(self, packed: bytes) -> Any:
        try:
            return ormsgpack.unpackb(packed, ext_hook=self._object, option=ormsgpack.OPT_NON_STR_KEYS)
        except ormsgpack.MsgpackDecodeError as error:
            raise UnreadableCheckpointError(f"not MessagePack: {error}") from None

    def _object(self, code: int, packed: bytes) -> Any:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise UnreadableCheckpointError("objects are nested too deeply")
        written = self._unpack(packed)
        self._depth -= 1
        match code, written:  # the codes of langgraph.checkpoint.serde.jsonplus
            case 5, [str(module), str(name), dict(fields), *_]:
                return self._rebuilt(module, name, fields)
            case 0, ["builtins", "set" | "frozenset", list(items)]:
                return items
        raise UnreadableCheckpointError(f"an object of kind {code}")

    def _rebuilt(self, module: str, name: str, fields: dict[str, Any]) -> Any:
        if module.startswith("langchain_core.messages."):
            return fields
        if not (ours := _MODULE.fullmatch(module)):
            raise UnreadableCheckpointError(f"{module}.{name} is not part of the state")
        return fields if self._fields_only else _construct(f"weiwo.{ours[1]}", name, fields)


def _construct(module: str, name: str, fields: Mapping[str, Any]) -> Any:
    """Build an object of the state from serialised fields.

    Raises:
        UnreadableCheckpointError: The type does not exist, is no `Value`, or does not accept the fields.
    """
    from pydantic import ValidationError

    from weiwo.state.values import Value

    try:
        kind = getattr(import_module(module), name)
    except (ImportError, AttributeError):
        raise UnreadableCheckpointError(f"{module}.{name} is not in this version") from None
    if not (isinstance(kind, type) and issubclass(kind, Value)):
        raise UnreadableCheckpointError(f"{module}.{name} is not a value of the state")
    try:
        return kind.model_validate(fields)
    except ValidationError:
        raise UnreadableCheckpointError(f"{name} had other fields when it was written") from None
