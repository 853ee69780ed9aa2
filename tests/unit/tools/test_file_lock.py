"""File locks, on POSIX and as on Windows: no `fcntl`, no `pread`, and locks that are mandatory byte ranges."""

import os
import sys
import threading
import time
from types import SimpleNamespace

import pytest

from weiwo.state.settings import Settings
from weiwo.tools.corpus.index.writer import BusyError, IndexWriter
from weiwo.tools.file_lock import FileLock


def _is_open(handle, identity):
    try:
        status = os.fstat(handle)
    except OSError:
        return False
    return (status.st_dev, status.st_ino) == identity


def _windows_locks():
    """`msvcrt` as far as it is used: a byte is locked by one open file until that is closed."""
    held: dict[tuple[int, int, int], int] = {}

    def locking(handle, mode, count):
        assert (mode, count) == (2, 1)
        status = os.fstat(handle)
        identity = (status.st_dev, status.st_ino)
        key = (*identity, os.lseek(handle, 0, os.SEEK_CUR))
        if key in held and held[key] != handle and _is_open(held[key], identity):
            raise PermissionError(13, "Permission denied")
        held[key] = handle

    return SimpleNamespace(locking=locking, LK_NBLCK=2)


@pytest.fixture(params=["posix", "windows"])
def platform(request, monkeypatch):
    if request.param == "windows":
        monkeypatch.setitem(sys.modules, "fcntl", None)
        monkeypatch.setitem(sys.modules, "msvcrt", _windows_locks())
        for name in ("pread", "pwrite", "O_CLOEXEC", "getuid", "geteuid", "fork", "killpg"):
            monkeypatch.delattr(os, name, raising=False)
    return request.param


@pytest.mark.usefixtures("platform")
def test_a_lock_is_held_by_one_and_tells_who(tmp_path):
    lock = FileLock(tmp_path / "lock")
    lock.sign()
    with pytest.raises(BlockingIOError, match=f"^{os.getpid()}$"):
        FileLock(tmp_path / "lock")
    lock.release()
    FileLock(tmp_path / "lock").release()


@pytest.mark.usefixtures("platform")
def test_a_corpus_has_one_writer(tmp_path):
    with IndexWriter(tmp_path), pytest.raises(BusyError, match=f"is in use by process {os.getpid()}"):
        IndexWriter(tmp_path).__enter__()
    with IndexWriter(tmp_path):
        pass


@pytest.mark.usefixtures("platform")
async def test_a_thread_is_claimed_by_one(tmp_path):
    from weiwo.graph.persistence.thread_lock import ThreadBusyError, claim_thread  # noqa: PLC0415 - after the platform is set

    settings = Settings(home=str(tmp_path))
    async with claim_thread(settings, "a:b"):
        with pytest.raises(ThreadBusyError):
            async with claim_thread(settings, "a:b"):
                pass
        async with claim_thread(settings, "another"):
            pass
    async with claim_thread(settings, "a:b"):
        pass
    assert list((tmp_path / "locks").iterdir()) == []


def test_a_lock_whose_file_is_removed_is_held_by_one_at_a_time(tmp_path):
    held, taken, errors = [0], [0], []
    end = time.monotonic() + 60  # only a lock that nobody gets again lasts so long

    def work():
        while taken[0] < 300 and time.monotonic() < end:
            try:
                lock = FileLock(tmp_path / "lock")
            except BlockingIOError:
                time.sleep(0)  # let the holder go on
                continue
            held[0] += 1
            time.sleep(0.0001)
            taken[0] += 1
            if held[0] != 1:
                errors.append(held[0])
            held[0] -= 1
            lock.remove()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert taken[0] >= 300
    assert list(tmp_path.iterdir()) == []
