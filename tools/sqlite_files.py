"""Weiwo's own SQLite files: readable only by the user, opened for writing or read-only."""

import sqlite3
from pathlib import Path
from typing import Any, Literal

from weiwo.tools.private_files import make_private_file


def open_database(path: Path, wait_seconds: float, **options: Any) -> sqlite3.Connection:
    """Open a file readable only by the user. A missing file is created; its folder has to exist.

    Args:
        path: The file.
        wait_seconds: Seconds that a statement waits for another process's lock.
        options: Further arguments of `sqlite3.connect`.

    Raises:
        sqlite3.Error: The file does not open.
    """
    make_private_file(path)
    database: sqlite3.Connection = sqlite3.connect(path, timeout=wait_seconds, **options)
    return database


def open_read_only(path: Path, wait_seconds: float) -> sqlite3.Connection:
    """Open an existing file for reading. Writing to it fails, and a missing file is not created.

    Raises:
        sqlite3.Error: The file does not open.
    """
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", timeout=wait_seconds, uri=True)


def use_write_ahead_log(database: sqlite3.Connection, synchronous: Literal["NORMAL", "FULL"] = "NORMAL") -> None:
    """Switch a database to a write-ahead log, so that readers and a writer work at the same time.

    With `synchronous` NORMAL a power cut may lose the last commits, with FULL none. A kill loses nothing in either
    mode.

    Raises:
        sqlite3.Error: Another process switches the file at the same moment.
    """
    database.execute("PRAGMA journal_mode = WAL")
    database.execute(f"PRAGMA synchronous = {synchronous}")
