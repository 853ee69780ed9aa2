"""Whichever command comes first, what it leaves in the home is its owner's alone: databases, indexes, caches, logs."""

import os
import stat
import sys
from pathlib import Path

import pytest

from tests.support.command import run_command, search_path

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(sys.platform == "win32", reason="there are no modes"),
]

ASK = ("ask", "What is 6 times 7?", "--no-web")
NOTES = "# Tower\n\nThe tower of Kelvar is 330 metres tall.\n"


def weiwo(tmp_path: Path, *args: str) -> None:
    code, _, err = run_command(*args, cwd=tmp_path, env={**os.environ, "PYTHONPATH": search_path()})
    assert code == 0, err


def open_to_others(home: Path) -> list[str]:
    found = (home, *home.rglob("*"))
    return [f"{stat.S_IMODE(one.lstat().st_mode):o} {one}" for one in found if one.lstat().st_mode & 0o077]


@pytest.mark.parametrize("first", [ASK, ("index", "notes.md"), ("threads",)])
def test_whichever_command_comes_first(tmp_path: Path, weiwo_home: Path, first: tuple[str, ...]):
    (tmp_path / "notes.md").write_text(NOTES)
    weiwo(tmp_path, *first)
    assert open_to_others(weiwo_home) == []
    weiwo(tmp_path, *ASK)
    weiwo(tmp_path, "index", "notes.md")
    weiwo(tmp_path, "search", "tower")
    assert {"threads.sqlite", "corpora"} <= {one.name for one in weiwo_home.iterdir()}
    assert list(weiwo_home.rglob("*.store"))  # tantivy's
    assert open_to_others(weiwo_home) == []


def test_what_an_older_version_left_open_is_closed(tmp_path: Path, weiwo_home: Path):
    weiwo(tmp_path, *ASK)
    for one in (weiwo_home, *weiwo_home.rglob("*")):
        one.chmod(0o755 if one.is_dir() else 0o644)
    weiwo(tmp_path, "threads")
    assert open_to_others(weiwo_home) == []
