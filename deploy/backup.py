"""Online backup: copies a home of Weiwo's while a server works in it, by SQLite's backup of each database.

    python deploy/backup.py HOME TARGET

A restore is the copy put in the place of the home while no server runs.
"""

import shutil
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

_HEAD = b"SQLite format 3\0"
_BESIDE_DATABASES = ("-wal", "-shm", "-journal")


def back_up(home: Path, target: Path) -> tuple[int, list[str]]:
    """Copy a home into a new folder. Databases are copied each at one moment.

    Returns:
        How many files were copied, and those that were not, which belong to processes at work: locks, and what SQLite
        keeps beside a database, whose contents are in the copy of the database. A file that only bears such a name is
        copied.
    """
    target.mkdir(mode=0o700, parents=True)
    copied, left = 0, []
    for path in sorted(home.rglob("*")):
        place = target / path.relative_to(home)
        if path.is_symlink():
            left.append(f"{path.relative_to(home)} (a link)")
            continue
        if path.is_dir():
            place.mkdir(mode=0o700, parents=True, exist_ok=True)
            continue
        try:
            if _is_transient(path, home):
                left.append(str(path.relative_to(home)))
                continue
            _copy(path, place)
        except FileNotFoundError:
            continue  # deleted meanwhile
        copied += 1
    return copied, left


def _is_transient(path: Path, home: Path) -> bool:
    """Whether a file belongs to a process at work: a lock, or what SQLite keeps beside a database."""
    if path.parent == home / "locks" or path == home / "server.lock":
        return True
    if path.name in ("writer.lock", "connectors.lock") and path.parent.parent.name == "corpora":
        return True
    for ending in _BESIDE_DATABASES:
        if path.name.endswith(ending) and _is_database(path.with_name(path.name.removesuffix(ending))):
            return True
    return False


def _is_database(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(_HEAD)) == _HEAD
    except OSError:
        return False


def _copy(path: Path, place: Path) -> None:
    if not _is_database(path):
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
        number, left = back_up(Path(sys.argv[1]).resolve(), Path(sys.argv[2]))
        print(f"{number} files; left out: {', '.join(left) or 'none'}")  # noqa: T201 - a command
    except (OSError, sqlite3.Error) as error:
        sys.exit(f"backup.py: {error}")
