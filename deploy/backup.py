"""Online backup: copies a home of Weiwo's while a server works in it, by SQLite's backup of each database.

    python deploy/backup.py HOME TARGET

A restore is the copy put in the place of the home while no server runs.
"""

import shutil
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

_LEFT_OUT = (".lock", "-wal", "-shm", "-journal")
_HEAD = b"SQLite format 3\0"


def back_up(home: Path, target: Path) -> int:
    """Copy a home into a new folder; returns how many files it has. Databases are copied each at one moment."""
    target.mkdir(mode=0o700, parents=True)
    copied = 0
    for path in sorted(home.rglob("*")):
        place = target / path.relative_to(home)
        if path.is_symlink() or path.name.endswith(_LEFT_OUT):
            continue
        if path.is_dir():
            place.mkdir(mode=0o700, exist_ok=True)
            continue
        try:
            _copy(path, place)
        except FileNotFoundError:
            continue  # deleted meanwhile
        copied += 1
    return copied


def _copy(path: Path, place: Path) -> None:
    with path.open("rb") as file:
        is_database = file.read(len(_HEAD)) == _HEAD
    if not is_database:
        shutil.copy2(path, place)
        return
    with (
        closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as source,
        closing(sqlite3.connect(place)) as to,
    ):
        source.backup(to)
        fault = to.execute("PRAGMA quick_check").fetchone()[0]
    place.chmod(0o600)
    if fault != "ok":
        raise sqlite3.DatabaseError(f"{place}: {fault}")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("backup.py HOME TARGET; a home, and a folder that does not exist yet")
    try:
        print(f"{back_up(Path(sys.argv[1]).resolve(), Path(sys.argv[2]))} files")  # noqa: T201 - a command
    except (OSError, sqlite3.Error) as error:
        sys.exit(f"backup.py: {error}")
