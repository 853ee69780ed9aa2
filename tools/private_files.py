"""Weiwo's own files, readable only by the owner.

Folders are 0700 and files 0600, whatever the umask. Questions, and the documents' answers to them, are private. SQLite
gives the files beside a database (`-wal`, `-shm`) the mode of the database, so a database file is created before it is
opened.
"""

import os
import stat
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final

_OTHERS: Final = 0o077
"""Permission bits of group and others."""
_BESIDE: Final = ("", "-wal", "-shm", "-journal")


def make_private_folder(folder: Path) -> None:
    """Create a private folder and missing parent folders.

    `Path.mkdir` would create the parents with the umask's mode.

    Raises:
        OSError: The folder cannot be created.
    """
    if folder.is_dir():
        return
    make_private_folder(folder.parent)
    folder.mkdir(mode=0o700, exist_ok=True)


def make_private_file(path: Path) -> None:
    """Create an empty private file if missing, and revoke access of others to existing files.

    This includes the files that SQLite keeps beside it. Errors are ignored: code that opens the file reports them.
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
    """Create an empty file, without opening the file on Linux.

    Closing a file drops the locks that this process holds on it, such as a database's if another thread opens it first.
    """
    if sys.platform == "linux":
        os.mknod(path, stat.S_IFREG | 0o600)
    else:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))


def replace_private_file(path: Path, content: bytes) -> None:
    """Write a private file atomically, creating its folder if missing.

    A reader finds either the old or the new content, and a failed write leaves no temporary file.

    Raises:
        OSError: The file cannot be written.
    """
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
    """Make the files directly in a folder readable only by the owner, after another library has written them."""
    with suppress(OSError), os.scandir(folder) as found:
        for item in found:
            _close_to_others(item.path)


def _close_folder(folder: Path) -> None:
    """Make a folder and all contents private to the owner.

    A folder that is private already is skipped with its contents.
    """
    if not _close_to_others(folder):
        return
    for place, folders, files in os.walk(folder):
        for name in (*folders, *files):
            _close_to_others(os.path.join(place, name))  # noqa: PTH118 - thousands of them


def close_home(home: Path) -> None:
    """Make the folder of Weiwo's own files private.

    Skips a folder that people work in, and a folder of another user.
    """
    with suppress(OSError):
        real, at = home.resolve(), Path.cwd()
        if real not in {Path.home().resolve(), at, *at.parents} and not real.stat().st_mode & stat.S_ISVTX:
            _close_folder(real)


def _close_to_others(path: str | Path) -> bool:
    """Take the access rights of others from a path, and report whether they had any.

    Links and files of other users are left alone.
    """
    with suppress(OSError):
        found = os.lstat(path)
        mine = hasattr(os, "geteuid") and found.st_uid == os.geteuid()
        if mine and found.st_mode & _OTHERS and not stat.S_ISLNK(found.st_mode):
            os.chmod(path, stat.S_IMODE(found.st_mode) & 0o700)  # noqa: PTH101 - the same
            return True
    return False
