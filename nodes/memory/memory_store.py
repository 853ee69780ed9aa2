"""The memory store: data of a user's questions, in LangGraph's store.

Each user's data is separate from everybody else's. Memory makes an answer better or quicker, never possible: if a store
fails, answering continues without it and says so. A request for remembered data gets an error, never an empty list.
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
from weiwo.text.printable import one_line, redact_secrets

if TYPE_CHECKING:
    from langgraph.store.base import BaseStore, SearchItem

M = TypeVar("M", bound=BaseModel)
Kind = Literal["plans", "wishes", "watches", "answers"]
"""Kinds of entries; `watches` are standing questions of Weiwo 0.1, which are listed and forgotten, never asked."""
MOST: Final[Mapping[Kind, int]] = {"plans": 200, "wishes": 50, "watches": 100, "answers": 100}
"""Most entries kept of each kind."""

_LOCAL: Final = "local"
"""Owner of the memory if it is stored in files of the home folder, which has a single user."""

_log: Final = logging.getLogger(__name__)


class MemoryStoreError(WeiwoError, RuntimeError):
    """Error raised if memory cannot be read. The message is a single line."""


class _Entry(NamedTuple):
    """Stored entry."""

    key: str
    value: dict[str, Any]


def local_user(settings: Settings) -> str:
    """Return the name under which the memory of this computer's user is kept.

    With files it is always the same name, since a home folder has one user. In a database, which several users may
    share, it is based on the system's user name.
    """
    if not settings.database_url:
        return _LOCAL
    try:
        return f"user:{getpass.getuser()}"
    except (OSError, KeyError, ImportError):  # containers may have no user name
        return _LOCAL


def client_user(identity: str) -> str:
    """Return the name under which a server client's memory is kept. Empty for a client without a name, who has none."""
    return f"client:{quote(identity, safe='')}" if identity else ""


class MemoryStore:
    """Memory of a single user.

    Args:
        store: LangGraph's store.
        user: The user who owns the memory.
        tell: Called with one line each time the store fails and work continues without it. None for callers that cannot
            report it: a failed read then raises `MemoryStoreError`.
    """

    def __init__(self, store: "BaseStore", user: str, tell: Callable[[str], None] | None = None) -> None:
        self._store = store
        self._user = user
        self._tell = tell

    async def get(self, kind: Kind, key: str) -> dict[str, Any] | None:
        """Return an entry, or None if it is missing or a failure of the store was reported by `tell`."""
        found = None
        with self._failing("read"):
            found = await self._store.aget(self._namespace(kind), key)
        return None if found is None else dict(found.value)

    async def read(self, kind: Kind, key: str, model: type[M]) -> M | None:
        """Return an entry as a model.

        None if the entry is missing, does not fit the model, or a failure of the store was reported by `tell`.

        Args:
            kind: The kind of entry.
            key: The entry's key.
            model: The model.
        """
        return _as_model(model, await self.get(kind, key))

    async def read_all(self, kind: Kind, model: type[M]) -> tuple[M, ...]:
        """Return all entries of a kind as models, most recently changed first.

        Entries that do not fit the model are left out.
        """
        return tuple(record for entry in await self.list(kind) if (record := _as_model(model, entry.value)) is not None)

    async def list(self, kind: Kind) -> list[_Entry]:
        """Return all entries of a kind, most recently changed first.

        Empty if a failure of the store was reported by `tell`.
        """
        found: Sequence[SearchItem] = ()
        with self._failing("read"):
            found = await self._store.asearch(self._namespace(kind), limit=MOST[kind] + 1)
        entries = sorted(found, key=lambda item: item.updated_at, reverse=True)
        return [_Entry(entry.key, dict(entry.value)) for entry in entries]

    async def store_entry(self, kind: Kind, key: str, value: Mapping[str, Any]) -> bool:
        """Store an entry, and report whether the write succeeded.

        If there are too many entries, the oldest that is not pinned is deleted.
        """
        with self._failing("written"):
            await self._store.aput(self._namespace(kind), key, dict(value), index=False)
            kept = await self.list(kind)
            others = (item.key for item in reversed(kept) if not item.value.get("pinned") and item.key != key)
            if len(kept) > MOST[kind] and (oldest := next(others, None)) is not None:
                await self.delete(kind, oldest)
            return True
        return False

    async def delete(self, kind: Kind, key: str) -> bool:
        """Delete an entry, and report whether the deletion succeeded."""
        with self._failing("written"):
            await self._store.adelete(self._namespace(kind), key)
            return True
        return False

    @contextmanager
    def _failing(self, done: Literal["read", "written"]) -> Iterator[None]:
        """Context in which a failure of the store is reported and swallowed, so that the run continues.

        Args:
            done: What fails to be done: "read" or "written".

        Raises:
            MemoryStoreError: A read failed, and there is no `tell` to report it to.
        """
        try:
            yield
        except Exception as error:
            said = one_line(redact_secrets(f"{type(error).__name__}: {error}"), 200)
            if self._tell is None and done == "read":
                raise MemoryStoreError(f"memory cannot be read: {said}; see weiwo doctor") from error
            line = f"memory cannot be {done}, so this run continues without it: {said}"
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
