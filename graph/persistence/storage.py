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
    "locked": "another process is using it: try again, or set WEIWO_HOME to another folder",
}


class StorageError(WeiwoError, RuntimeError):
    """Error: threads cannot be saved or read.

    The message is one line: the object, the cause and the fix. It holds no secret.
    """


class DatabaseUrlError(StorageError):
    """`WEIWO_DATABASE_URL` is not the address of a database."""


class CheckpointError(StorageError):
    """Error: the stored data of a thread cannot be read. Further threads are unharmed."""

    _WHY = ""

    def __init__(self, name: str, thread_id: str = "") -> None:
        self.name = name
        """The type that does not fit, or what is damaged."""
        thread = f"the thread {thread_id}" if thread_id else "the thread"
        super().__init__(f"{thread} {self._WHY.format(name)}; ask again on a new thread")


class OlderCheckpointError(CheckpointError):
    """Error: a thread was written by an older Weiwo and does not fit this version."""

    _WHY = "was written by an older Weiwo; its {} does not fit this one"


class DamagedCheckpointError(CheckpointError):
    """Error: the stored data of a thread is damaged, or was written by another program."""

    _WHY = "has an invalid checkpoint: it is not {}"


@contextmanager
def naming_thread(config: Mapping[str, Any]) -> Iterator[None]:
    """Context manager adding the thread to errors about stored data.

    Raises:
        CheckpointError: Raised again with the thread named.
    """
    try:
        yield
    except CheckpointError as error:
        raise type(error)(error.name, str(config.get("configurable", {}).get("thread_id") or "")) from None


def database_file(home: str | os.PathLike[str]) -> Path:
    """The SQLite file of the threads, in the folder of Weiwo's own files."""
    return Path(home) / "threads.sqlite"


def require_writable(path: Path) -> None:
    """Check for write access to a file of threads, creating the file if missing. Blocks.

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
    """Open a connection to a file readable only by the user. Missing files are created. Blocks.

    The folder is created, too.

    Raises:
        StorageError: Folder or file cannot be created.
        sqlite3.Error: The file does not open.
    """
    make_folder(path.parent)
    return open_database(path, BUSY_SECONDS)


def make_folder(folder: Path) -> None:
    """Create the private folder of a database.

    Questions and the results found for them are nobody else's business.

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
    """Mask a database URL for display: scheme, user, host and database.

    Password and parameters are left out.
    """
    scheme, found, rest = url.partition("://")
    if not found:
        return "(not a URL)"
    user, colon, _ = credentials_of(url).partition(":")
    place = rest.rpartition("@")[2].partition("?")[0].partition("#")[0]
    return f"{scheme}://{user}{':***' if colon else ''}{'@' if '@' in rest else ''}{place}"


def credentials_of(url: str) -> str:
    """Return the user and password of a URL: everything before the last @.

    This holds even if the password has characters it may not have.
    """
    return url.partition("://")[2].rpartition("@")[0]
