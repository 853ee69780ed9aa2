"""Strict checkpoint serializer: only types of the state are built from stored bytes.

The first version of Weiwo wrote `state.limits.Usage` for today's `weiwo.state.limits.Usage`. LangGraph returns an
object with a name that is not allowed as a dict, which nodes cannot work with. So old names are read as the new ones,
and a value that no longer fits its type is refused with an error. A saver passed in by the caller gets this serializer,
and async methods if it has none, because every node is async.
"""

import asyncio
import re
from collections.abc import AsyncIterator
from copy import copy
from importlib import import_module
from typing import Any, Final

import ormsgpack
from langgraph.checkpoint.base import BaseCheckpointSaver, CheckpointTuple
from langgraph.checkpoint.serde.encrypted import EncryptedSerializer
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from pydantic import ValidationError

from weiwo import state
from weiwo.graph.persistence.compression import compress_value, expand_value
from weiwo.graph.persistence.storage import DamagedCheckpointError, OlderCheckpointError
from weiwo.state.query import QueryFrame
from weiwo.state.run_limits import Limits
from weiwo.state.values import Value
from weiwo.text.patterns import lazy

_OLD_NAME: Final = re.compile(rb"[\xa7-\xbf]state\.[a-z_]")
"""Short MessagePack string that begins like an old module name."""
_OLD_MODULE: Final = lazy(r"state\.[a-z_]+")


STATE_TYPES: Final = tuple(
    (kind.__module__, kind.__name__)
    for kind in (QueryFrame, *(getattr(state, name) for name in state.EXPORTED))
    if isinstance(kind, type) and (issubclass(kind, Value) or kind is Limits)
)
"""Module and name of each type in the state. A saver must be allowed to build these from stored bytes."""


class StateSerializer(JsonPlusSerializer):
    """LangGraph's serializer with the types of `weiwo.state` allowed, including old names."""

    def __init__(self) -> None:
        super().__init__(allowed_msgpack_modules=STATE_TYPES)

    def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
        """Serialize a value to its kind and bytes. Long values are compressed."""
        return compress_value(*super().dumps_typed(obj))

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        """Deserialize a stored value.

        Raises:
            OlderCheckpointError: An older Weiwo wrote the value, and it does not fit this version.
            DamagedCheckpointError: The bytes are damaged, or were written by another program.
        """
        kind, stored = data
        try:
            kind, packed = expand_value(kind, stored)
            if kind == "msgpack" and _OLD_NAME.search(packed):
                packed = _rename_modules(packed)
            return super().loads_typed((kind, packed))
        # What MessagePack, JSON and LangGraph's hooks raise at bytes of others; no message: it may quote the thread.
        except (ValueError, TypeError, NotImplementedError, RecursionError):
            raise DamagedCheckpointError(kind if kind == "msgpack" else "a value of Weiwo's") from None


def with_state_types(saver: BaseCheckpointSaver[Any]) -> BaseCheckpointSaver[Any]:
    """Return a copy of a saver that uses `StateSerializer`, or the saver itself if its serializer is strict or custom.

    LangGraph's default serializer allows every type and warns about each.
    """
    serde = saver.serde
    inner = serde.serde if isinstance(serde, EncryptedSerializer) else serde
    if type(inner) is not JsonPlusSerializer or inner._allowed_msgpack_modules is not True:  # noqa: SLF001 - nothing tells
        return saver
    clone = copy(saver)
    ours = StateSerializer()
    clone.serde = EncryptedSerializer(serde.cipher, ours) if isinstance(serde, EncryptedSerializer) else ours
    return clone


def _rename_modules(packed: bytes) -> bytes:
    """Return MessagePack bytes with old module names replaced by today's.

    Raises:
        OlderCheckpointError: An object no longer fits its type.
    """
    misfits: list[str] = []  # MessagePack hides what a hook raises

    def rename(code: int, inner: bytes) -> ormsgpack.Ext:
        if not _OLD_NAME.search(inner):
            return ormsgpack.Ext(code, inner)
        written = ormsgpack.unpackb(inner, ext_hook=rename, option=ormsgpack.OPT_NON_STR_KEYS)
        match written:
            case [str(module), str(name), dict(fields), *rest] if _OLD_MODULE.fullmatch(module):
                written = [f"weiwo.{module}", name, fields, *rest]
                if not _fits(f"weiwo.{module}", name, fields):
                    misfits.append(name)
        return ormsgpack.Ext(code, ormsgpack.packb(written, option=ormsgpack.OPT_NON_STR_KEYS))

    value = ormsgpack.unpackb(packed, ext_hook=rename, option=ormsgpack.OPT_NON_STR_KEYS)
    if misfits:
        raise OlderCheckpointError(misfits[0])
    return ormsgpack.packb(value, option=ormsgpack.OPT_NON_STR_KEYS)


def _fits(module: str, name: str, fields: dict[str, Any]) -> bool:
    """Report whether a state type exists and accepts the given fields."""
    try:
        getattr(import_module(module), name)(**fields)
    except (ImportError, AttributeError, TypeError, ValidationError):
        return False
    return True


class _ThreadedSaver(BaseCheckpointSaver[Any]):
    """Mixin of async methods that run a saver's sync methods in worker threads."""

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
    """Return a copy with async methods of a saver that has only sync methods, e.g. `SqliteSaver` or `PostgresSaver`.

    Any other saver is returned itself.
    """
    kind = type(saver)
    # `SqliteSaver` defines the async methods, but they raise NotImplementedError.
    refuses = kind.aget_tuple.__module__ == "langgraph.checkpoint.sqlite"
    if kind.aget_tuple is not BaseCheckpointSaver.aget_tuple and not refuses:
        return saver
    if issubclass(kind, _ThreadedSaver):
        return saver
    clone = copy(saver)
    clone.__class__ = type(kind.__name__, (_ThreadedSaver, kind), {})
    return clone
