"""Where threads are kept on this machine, and the errors of a database, each in one line that says what to do."""

import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from weiwo.state.errors import WeiwoError
from weiwo.tools.private_files import close_home, make_private_file, make_private_folder

if TYPE_CHECKING:
    from weiwo.state.settings import Settings

BUSY_SECONDS: Final = 15
"""How long a process waits for another one that is writing to the same file."""
CONNECT_SECONDS: Final = 10
"""How long a Postgres server may take to answer."""
PATIENCE_SECONDS: Final = 20.0
"""How long a Postgres server may be gone before a run fails."""

_ADVICE: Final = {
    "readonly": "make it writable, or set WEIWO_HOME to another folder",
    "unable to open": "make its folder writable, or set WEIWO_HOME to another folder",
    "full": "free some space, or set WEIWO_HOME to a folder on another disk",
    "i/o error": "free some space or check the disk, or set WEIWO_HOME to another folder",
    "not a database": "move it away, or set WEIWO_HOME to another folder",
    "malformed": "move it away, or set WEIWO_HOME to another folder",
    "locked": "another process keeps it busy: try again, or set WEIWO_HOME to another folder",
}


class StorageError(WeiwoError, RuntimeError):
    """Threads cannot be kept or read. The message is one line: what; why; what to do. It holds no secret."""


class DatabaseUrlError(StorageError):
    """`WEIWO_DATABASE_URL` is not the address of a database."""


class CheckpointError(StorageError):
    """What is kept of one thread cannot be read; other threads are unharmed."""

    _WHY = ""

    def __init__(self, name: str, thread_id: str = "") -> None:
        self.name = name
        """The type that does not fit, or what is damaged."""
        thread = f"the thread {thread_id}" if thread_id else "the thread"
        super().__init__(f"{thread} {self._WHY.format(name)}; ask again on a new thread")


class OlderCheckpointError(CheckpointError):
    """A thread was written by an older Weiwo, and what it holds does not fit this one."""

    _WHY = "was written by an older Weiwo; its {} does not fit this one"


class DamagedCheckpointError(CheckpointError):
    """What is kept of a thread is damaged, or was written by another program."""

    _WHY = "has a checkpoint that cannot be read: it is no {}"


@contextmanager
def naming_thread(config: Mapping[str, Any]) -> Iterator[None]:
    """Name the thread in the complaint about what it holds.

    Raises:
        CheckpointError: As what is inside does.
    """
    try:
        yield
    except CheckpointError as error:
        raise type(error)(error.name, str(config.get("configurable", {}).get("thread_id") or "")) from None


def database_file(home: str | os.PathLike[str]) -> Path:
    """The SQLite file of the threads, in the folder of Weiwo's own files."""
    return Path(home) / "threads.sqlite"


def require_writable(path: Path) -> None:
    """See that a file of threads can be written; it is made if there is none. Blocks.

    Raises:
        StorageError: It cannot.
    """
    try:
        with closing(open_private(path)) as database:
            database.execute("BEGIN IMMEDIATE")
            database.execute("ROLLBACK")
    except sqlite3.Error as error:
        raise sqlite_error(path, error) from error


def open_private(path: Path) -> sqlite3.Connection:
    """A connection to a file that nobody else can read; folder and file are made if there are none. Blocks.

    Raises:
        StorageError: They cannot be made.
        sqlite3.Error: The file does not open.
    """
    make_folder(path.parent)
    make_private_file(path)
    return sqlite3.connect(path, timeout=BUSY_SECONDS)


def make_folder(folder: Path) -> None:
    """Make the folder of a database: questions and what was found for them are nobody else's business.

    Raises:
        StorageError: It cannot be made.
    """
    try:
        make_private_folder(folder)
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise StorageError(f"cannot create the folder {folder}; {why}; set WEIWO_HOME to a folder") from None
    close_home(folder)


def sqlite_error(path: Path, error: sqlite3.Error) -> StorageError:
    """What SQLite complains of, and what to do about it."""
    why = str(error)
    advice = next((text for sign, text in _ADVICE.items() if sign in why.lower()), "set WEIWO_HOME to another folder")
    return StorageError(f"cannot use {path}; {why}; {advice}")


def describe(settings: "Settings", database_url: str | None) -> str:
    """Where threads are kept, for people: a file, or a URL without its password."""
    return masked(database_url) if database_url else str(database_file(settings.home))


def masked(url: str) -> str:
    """A database URL that can be shown: scheme, user, host and database, no password and no parameters."""
    scheme, found, rest = url.partition("://")
    if not found:
        return "(not a URL)"
    user, colon, _ = credentials_of(url).partition(":")
    place = rest.rpartition("@")[2].partition("?")[0].partition("#")[0]
    return f"{scheme}://{user}{':***' if colon else ''}{'@' if '@' in rest else ''}{place}"


def credentials_of(url: str) -> str:
    """What stands before the last @: user and password, even if that holds characters it may not."""
    return url.partition("://")[2].rpartition("@")[0]
