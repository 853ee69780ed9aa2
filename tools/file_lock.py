"""File locks: held by a single process, and released by the system when the process ends or is killed.

The lock is `flock` on POSIX, and `msvcrt.locking` of one byte on Windows. That byte is far behind the file's content,
because locked bytes cannot be read there, and other processes read the holder's process id.
"""

import os
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

_FLAGS: Final = os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOINHERIT", 0)
_FAR: Final = 1 << 30
"""Position of the byte that is locked on Windows."""
_LONGEST: Final = 20


class FileLock:
    """Exclusive lock on a file, held until `release` or `remove`. A missing file is created."""

    def __init__(self, path: Path) -> None:
        """Take the lock without waiting.

        Raises:
            BlockingIOError: Another process holds the lock. The message is the holder's process id, if signed.
            OSError: The file cannot be opened.
        """
        self._path = path
        self._handle = _open_locked(path)
        while not _is_at(self._handle, path):  # who had it removed the file meanwhile
            os.close(self._handle)
            self._handle = _open_locked(path)

    def sign(self) -> None:
        """Write the process id of the holder into the file."""
        os.ftruncate(self._handle, 0)
        os.lseek(self._handle, 0, os.SEEK_SET)
        os.write(self._handle, f"{os.getpid()}\n".encode())

    def release(self) -> None:
        """Empty the file and release the lock."""
        os.ftruncate(self._handle, 0)
        os.close(self._handle)

    def remove(self) -> None:
        """Remove the file, then release the lock.

        On Windows the file stays, because an open file cannot be removed.
        """
        with suppress(OSError):
            self._path.unlink()
        os.close(self._handle)


def _open_locked(path: Path) -> int:
    handle = os.open(path, _FLAGS, 0o600)
    try:
        _lock(handle)
    except OSError:
        holder = _read(handle)
        os.close(handle)
        raise BlockingIOError(holder) from None
    return handle


def _is_at(handle: int, path: Path) -> bool:
    with suppress(OSError):
        return os.path.samestat(os.fstat(handle), path.stat())
    return False


def _lock(handle: int) -> None:
    """Lock an open file without waiting.

    Raises:
        OSError: Another process holds the lock.
    """
    try:
        import fcntl  # noqa: PLC0415 - not on Windows
    except ImportError:
        import msvcrt  # noqa: PLC0415 - nowhere else

        windows: Any = msvcrt
        os.lseek(handle, _FAR, os.SEEK_SET)
        windows.locking(handle, windows.LK_NBLCK, 1)
    else:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _read(handle: int) -> str:
    """Return the signature in the file, as far as readable."""
    with suppress(OSError):
        os.lseek(handle, 0, os.SEEK_SET)
        return os.read(handle, _LONGEST).decode("ascii", "replace").strip()
    return ""
