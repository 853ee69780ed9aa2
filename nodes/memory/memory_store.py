"""The memory store: what one user's questions leave behind, in LangGraph's store, apart from everybody else's.

Memory makes an answer better or quicker, never possible: where a store fails, answering goes on without it and says
so. Whoever asks for what is remembered gets an error, never an empty list.
"""

import getpass
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeVar
from urllib.parse import quote

from pydantic import BaseModel, ValidationError

from weiwo.state.errors import WeiwoError
from weiwo.state.settings import Settings
from weiwo.text.printable import one_line, redacted

if TYPE_CHECKING:
    from langgraph.store.base import BaseStore, SearchItem

M = TypeVar("M", bound=BaseModel)
Kind = Literal["plans", "wishes", "watches", "answers"]
"""Kinds of entries; `watches` are standing questions of Weiwo 0.1, which are listed and forgotten, never asked."""
MOST: Final[Mapping[Kind, int]] = {"plans": 200, "wishes": 50, "watches": 100, "answers": 100}
"""Entries of a kind that are kept."""

_LOCAL: Final = "local"
"""The user of a folder of Weiwo's own files, whose memory lies in it."""

_log: Final = logging.getLogger(__name__)


class MemoryStoreError(WeiwoError, RuntimeError):
    """What is remembered cannot be read. The message is one line."""


class _Entry(NamedTuple):
    """An entry as it is kept."""

    key: str
    value: dict[str, Any]


def local_user(settings: Settings) -> str:
    """Whose memory the command's is: the folder's one user, or, in a database that several may share, the system's."""
    if not settings.database_url:
        return _LOCAL
    try:
        return f"user:{getpass.getuser()}"
    except (OSError, KeyError, ImportError):  # a container has no such name
        return _LOCAL


def client_user(identity: str) -> str:
    """Whose memory that of a server's client is; empty for one without a name, who has none."""
    return f"client:{quote(identity, safe='')}" if identity else ""


class MemoryStore:
    """What is remembered for one user.

    Args:
        store: LangGraph's store.
        user: Whose memory it is.
        tell: Told, in one line each time, that the store failed, and that this goes on without it; None for callers
            who cannot: what fails to be read raises `MemoryStoreError`.
    """

    def __init__(self, store: "BaseStore", user: str, tell: Callable[[str], None] | None = None) -> None:
        self._store = store
        self._user = user
        self._tell = tell

    async def get(self, kind: Kind, key: str) -> dict[str, Any] | None:
        """An entry; None where there is none."""
        found = None
        with self._failing("read"):
            found = await self._store.aget(self._namespace(kind), key)
        return None if found is None else dict(found.value)

    async def read(self, kind: Kind, key: str, model: type[M]) -> M | None:
        """An entry as a model; None where there is none, or another version wrote it."""
        return _as_model(model, await self.get(kind, key))

    async def read_all(self, kind: Kind, model: type[M]) -> tuple[M, ...]:
        """All entries of a kind that are such a model, those that changed last first."""
        return tuple(one for entry in await self.list(kind) if (one := _as_model(model, entry.value)) is not None)

    async def list(self, kind: Kind) -> list[_Entry]:
        """All entries of a kind, those that changed last first."""
        found: Sequence[SearchItem] = ()
        with self._failing("read"):
            found = await self._store.asearch(self._namespace(kind), limit=MOST[kind] + 1)
        entries = sorted(found, key=lambda one: one.updated_at, reverse=True)
        return [_Entry(one.key, dict(one.value)) for one in entries]

    async def put(self, kind: Kind, key: str, value: Mapping[str, Any]) -> bool:
        """Keep an entry; whether it could be kept. Where there are too many, the oldest that is not pinned goes."""
        with self._failing("written"):
            await self._store.aput(self._namespace(kind), key, dict(value), index=False)
            kept = await self.list(kind)
            others = (one.key for one in reversed(kept) if not one.value.get("pinned") and one.key != key)
            if len(kept) > MOST[kind] and (oldest := next(others, None)) is not None:
                await self.delete(kind, oldest)
            return True
        return False

    async def delete(self, kind: Kind, key: str) -> bool:
        """Forget an entry; whether it could be forgotten."""
        with self._failing("written"):
            await self._store.adelete(self._namespace(kind), key)
            return True
        return False

    @contextmanager
    def _failing(self, done: Literal["read", "written"]) -> Iterator[None]:
        """Go on where the store fails, in whatever way its database does, but say so.

        Raises:
            MemoryStoreError: A read failed, and nobody is there to be told.
        """
        try:
            yield
        except Exception as error:
            said = one_line(redacted(f"{type(error).__name__}: {error}"), 200)
            if self._tell is None and done == "read":
                raise MemoryStoreError(f"memory cannot be read; {said}; see weiwo doctor") from error
            line = f"memory cannot be {done}, so this goes without it: {said}"
            _log.warning(line)
            if self._tell is not None:
                self._tell(line)

    def _namespace(self, kind: Kind) -> tuple[str, ...]:
        return ("weiwo", "memory", kind, self._user)


def _as_model(model: type[M], value: Mapping[str, Any] | None) -> M | None:
    try:
        return None if value is None else model.model_validate(value)
    except ValidationError:
        return None
