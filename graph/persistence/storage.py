"""Location of threads on this machine, and database errors as single lines with a fix."""

import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from weiwo.state.errors import WeiwoError
from weiwo.tools.private_files import close_home, make_private_folder
from weiwo.tools.sqlite_files import open_database

if TYPE_CHECKING:
    from weiwo.state.settings import Settings

BUSY_SECONDS: Final = 15
"""Longest wait for another process that is writing to the same database."""
CONNECT_SECONDS: Final = 10
"""Time limit of a connection to Postgres."""
PATIENCE_SECONDS: Final = 20.0
"""Time for which a lost connection to Postgres is retried before a run fails."""

_ADVICE: Final = {
    "readonly": "make it writable, or set WEIWO_HOME to another folder",
    "unable to open": "make its folder writable, or set WEIWO_HOME to another folder",
    "full": "free some space, or set WEIWO_HOME to a folder on another disk",
    "i/o error": "free some space or check the disk, or set WEIWO_HOME to another folder",
    "not a database": "move it away, or set WEIWO_HOME to another folder",
    "malformed": "move it away, or set WEIWO_HOME to another folder",
    "locked": "another process is using it: try again, or set WEIWO_HOME to another folder",
}


class StorageError(WeiwoError, RuntimeError):
    """Error raised if threads cannot be saved or read.

    The message is one line with the object, the cause and the fix, and without secrets.
    """


class DatabaseUrlError(StorageError):
    """Error raised if `WEIWO_DATABASE_URL` is not the URL of a Postgres database."""


class CheckpointError(StorageError):
    """Error raised if the stored data of a thread cannot be read. Other threads are not affected."""

    _WHY = ""

    def __init__(self, name: str, thread_id: str = "") -> None:
        self.name = name
        """Name of the type that does not fit, or of the expected format."""
        thread = f"the thread {thread_id}" if thread_id else "the thread"
        super().__init__(f"{thread} {self._WHY.format(name)}; ask again on a new thread")


class OlderCheckpointError(CheckpointError):
    """Error raised if a thread was written by an older Weiwo and does not fit this version."""

    _WHY = "was written by an older Weiwo; its {} does not fit this one"


class DamagedCheckpointError(CheckpointError):
    """Error raised if the stored data of a thread is damaged, or was written by another program."""

    _WHY = "has an invalid checkpoint: it is not {}"


@contextmanager
def naming_thread(config: Mapping[str, Any]) -> Iterator[None]:
    """Context manager that adds the thread's id to errors about its stored data.

    Args:
        config: LangGraph's config, with the `thread_id`.

    Raises:
        CheckpointError: The error, with the thread's id in the message.
    """
    try:
        yield
    except CheckpointError as error:
        raise type(error)(error.name, str(config.get("configurable", {}).get("thread_id") or "")) from None


def database_file(home: str | os.PathLike[str]) -> Path:
    """Return the path of the SQLite file with the threads, in the folder of Weiwo's own files."""
    return Path(home) / "threads.sqlite"


def require_writable(path: Path) -> None:
    """Raise an error if a SQLite file cannot be written. A missing file is created. Blocks.

    Raises:
        StorageError: The file cannot be written.
    """
    try:
        with closing(open_private(path)) as database:
            database.execute("BEGIN IMMEDIATE")
            database.execute("ROLLBACK")
    except sqlite3.Error as error:
        raise sqlite_error(path, error) from error


def open_private(path: Path) -> sqlite3.Connection:
    """Open a SQLite file readable only by the user. A missing file and its folder are created. Blocks.

    Raises:
        StorageError: Folder or file cannot be created.
        sqlite3.Error: The file does not open.
    """
    make_folder(path.parent)
    return open_database(path, BUSY_SECONDS)


def make_folder(folder: Path) -> None:
    """Create the folder of a database, readable only by the user, and make an existing one private.

    Folders that people work in stay as they are (see `close_home`).

    Raises:
        StorageError: The folder cannot be created.
    """
    try:
        make_private_folder(folder)
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise StorageError(f"cannot create the folder {folder}: {why}; set WEIWO_HOME to a folder") from None
    close_home(folder)


def sqlite_error(path: Path, error: sqlite3.Error) -> StorageError:
    """Return the error for a SQLite failure, with advice on the fix."""
    why = str(error)
    advice = next((text for sign, text in _ADVICE.items() if sign in why.lower()), "set WEIWO_HOME to another folder")
    return StorageError(f"cannot use {path}: {why}; {advice}")


def describe(settings: "Settings", database_url: str | None) -> str:
    """Describe the location of threads for people: a file, or a URL without the password."""
    return mask_url(database_url) if database_url else str(database_file(settings.home))


def mask_url(url: str) -> str:
    """Return a database URL for display, without password and parameters.

    `postgresql://ann:secret@db/weiwo?sslmode=require` gives `postgresql://ann:***@db/weiwo`. A text without "://" gives
    "(not a URL)".
    """
    scheme, found, rest = url.partition("://")
    if not found:
        return "(not a URL)"
    user, colon, _ = credentials_of(url).partition(":")
    place = rest.rpartition("@")[2].partition("?")[0].partition("#")[0]
    return f"{scheme}://{user}{':***' if colon else ''}{'@' if '@' in rest else ''}{place}"


def credentials_of(url: str) -> str:
    """Return user and password of a URL: everything between "://" and the last "@", or an empty string.

    `postgresql://ann:p@ss@db/weiwo` gives `ann:p@ss`, although the "@" should be percent-encoded.
    """
    return url.partition("://")[2].rpartition("@")[0]
