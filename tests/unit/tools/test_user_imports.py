"""Objects of the user's own modules."""

import sys
from pathlib import Path

import pytest

from weiwo.tools.named_objects import import_object


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry])
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_module_of_the_working_directory_is_found(here: Path) -> None:
    (here / "mine_of_the_day.py").write_text("class Box:\n    lid = 3\n")
    assert import_object("mine_of_the_day", "Box.lid") == 3


def test_what_python_finds_itself_comes_first(here: Path) -> None:
    (here / "json.py").write_text("loads = None\n")
    assert import_object("json", "loads") is not None
    assert str(here) not in sys.path


def test_a_module_that_lacks_another_says_which(here: Path) -> None:
    (here / "mine_that_lacks.py").write_text("import nowhere_to_be_found\n")
    with pytest.raises(ModuleNotFoundError, match="nowhere_to_be_found"):
        import_object("mine_that_lacks", "x")
    with pytest.raises(ModuleNotFoundError, match="not_there"):
        import_object("not_there", "x")
