"""Files of Weiwo's own that only their owner may read: folders are 0700 and files 0600, whatever the umask says.

What is asked, and what documents say of it, is nobody else's business. SQLite gives the files beside a database
(`-wal`, `-shm`) the mode of the database, so that one is made before it is opened.
"""

import os
import stat
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final

_OTHERS: Final = 0o077
"""The permissions of everybody but the owner."""
_BESIDE: Final = ("", "-wal", "-shm", "-journal")


def make_private_folder(folder: Path) -> None:
    """Make a folder, with those above it that are missing; `Path.mkdir` makes these with the umask's mode.

    Raises:
        OSError: It cannot be made.
    """
    if folder.is_dir():
        return
    make_private_folder(folder.parent)
    folder.mkdir(mode=0o700, exist_ok=True)


def make_private_file(path: Path) -> None:
    """Make a file where there is none, and take from others what they may do with one that there is.

    What hinders that, whoever opens the file is told.
    """
    try:
        _create(path)
    except FileExistsError:
        pass
    except OSError:
        return
    for ending in _BESIDE:
        _close_to_others(f"{path}{ending}")


def _create(path: Path) -> None:
    """Make an empty file, on Linux without opening it.

    To close a file takes away the locks that this process has on it: a database's, should another thread open it first.
    """
    if sys.platform == "linux":
        os.mknod(path, stat.S_IFREG | 0o600)
    else:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))


def replace_private_file(path: Path, content: bytes) -> None:
    """Write a file atomically: a reader finds the old one or the new one, and what fails leaves nothing behind."""
    make_private_folder(path.parent)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name)  # mode 600
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        Path(name).replace(path)
    except OSError:
        Path(name).unlink()
        raise


def close_files(folder: Path) -> None:
    """Take from others what they may do with the files of a folder, which another library has written."""
    with suppress(OSError), os.scandir(folder) as found:
        for one in found:
            _close_to_others(one.path)


def _close_folder(folder: Path) -> None:
    """Take from others what they may do with a folder and all in it, where it is not closed to them yet."""
    if not _close_to_others(folder):
        return
    for place, folders, files in os.walk(folder):
        for name in (*folders, *files):
            _close_to_others(os.path.join(place, name))  # noqa: PTH118 - thousands of them


def close_home(home: Path) -> None:
    """Close the folder of Weiwo's own files, unless it is one that people work in, or somebody else's."""
    with suppress(OSError):
        real, at = home.resolve(), Path.cwd()
        if real not in {Path.home().resolve(), at, *at.parents} and not real.stat().st_mode & stat.S_ISVTX:
            _close_folder(real)


def _close_to_others(path: str | Path) -> bool:
    """Whether it was open to others, and is no more."""
    with suppress(OSError):
        found = os.lstat(path)
        mine = hasattr(os, "geteuid") and found.st_uid == os.geteuid()
        if mine and found.st_mode & _OTHERS and not stat.S_ISLNK(found.st_mode):
            os.chmod(path, stat.S_IMODE(found.st_mode) & 0o700)  # noqa: PTH101 - the same
            return True
    return False
