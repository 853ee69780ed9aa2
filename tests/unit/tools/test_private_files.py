"""What Weiwo makes is its owner's alone, and what an older one left open is closed."""

import os
import sqlite3
import stat
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from weiwo.graph.persistence.checkpointer import open_checkpointer
from weiwo.graph.persistence.store import open_store
from weiwo.state.settings import Settings
from weiwo.tools.private_files import close_home, make_private_file, make_private_folder, replace_private_file

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no modes")


@pytest.fixture(autouse=True)
def _usual_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def modes(folder: Path) -> dict[str, int]:
    """The modes of a folder and all in it."""
    found = (folder, *folder.rglob("*"))
    return {str(one.relative_to(folder)): stat.S_IMODE(one.lstat().st_mode) for one in found if not one.is_symlink()}


def test_folders_that_are_missing_above_are_private_too(tmp_path: Path):
    make_private_folder(tmp_path / "a" / "b" / "c")
    assert modes(tmp_path / "a") == {".": 0o700, "b": 0o700, "b/c": 0o700}
    (tmp_path / "file").touch()
    for wrong in (tmp_path / "file", tmp_path / "file" / "under"):
        with pytest.raises(OSError, match="file"):
            make_private_folder(wrong)


def test_a_database_and_what_lies_beside_it(tmp_path: Path):
    make_private_file(tmp_path / "new")
    old = tmp_path / "old"
    with closing(sqlite3.connect(old)) as database:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("CREATE TABLE t (x)")
        assert modes(tmp_path)["old-wal"] == 0o644
        make_private_file(old)
        assert {name: mode for name, mode in modes(tmp_path).items() if name != "."} == dict.fromkeys(
            ("new", "old", "old-wal", "old-shm"), 384
        )
        assert database.execute("SELECT count(*) FROM t").fetchone() == (0,)
    make_private_file(tmp_path / "no folder" / "file")  # whoever opens it is told


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path: Path):
    file = tmp_path / "home" / "file"
    replace_private_file(file, b"old")
    replace_private_file(file, b"new")
    file.parent.joinpath("folder").mkdir(mode=0o700)
    with pytest.raises(IsADirectoryError):
        replace_private_file(file.parent / "folder", b"x")
    assert (file.read_bytes(), modes(file.parent)) == (b"new", {".": 0o700, "file": 0o600, "folder": 0o700})


def test_a_home_that_an_older_version_left_open_is_closed(tmp_path: Path):
    home, outside = tmp_path / "home", tmp_path / "outside"
    outside.touch()
    (home / "corpora" / "mine").mkdir(parents=True)
    (home / "corpora" / "mine" / "corpus.sqlite").touch()
    (home / "threads.sqlite").touch()
    (home / "link").symlink_to(outside)
    close_home(home)
    found = modes(home)
    assert {found[one] for one in (".", "corpora", "corpora/mine")} == {0o700}
    assert {found[one] for one in ("threads.sqlite", "corpora/mine/corpus.sqlite")} == {0o600}
    assert stat.S_IMODE(outside.stat().st_mode) == 0o644


def test_a_folder_that_people_work_in_is_left_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    (tmp_path / "me").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "me"))
    for one in (work, tmp_path, shared, tmp_path / "me"):
        before = one.stat().st_mode
        close_home(one)
        assert one.stat().st_mode == before
    close_home(tmp_path / "nowhere")


async def test_databases_are_private_from_python_too(tmp_path: Path):
    home = tmp_path / "home"
    home.mkdir()
    (home / "store.sqlite").touch()
    settings = Settings(home=str(home))
    async with open_checkpointer(settings), open_store(settings) as store:
        assert store is not None
        await store.aput(("n",), "k", {"x": 1})
        found = modes(home)
    assert found.pop(".") == 0o700
    assert {"threads.sqlite", "store.sqlite", "store.sqlite-wal", "store.sqlite-shm"} <= found.keys()
    assert set(found.values()) == {0o600}
