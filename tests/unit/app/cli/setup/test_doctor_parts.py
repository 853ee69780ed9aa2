"""Import checks of `weiwo doctor`: a part that is missing, one that is broken, one that loads."""

import asyncio

import pytest

from weiwo.app.cli.setup.doctor import _PARTS, Check, _check_part, _Part, _Subject
from weiwo.state.kinds import Language

pytestmark = pytest.mark.processes


@pytest.fixture
def packages(tmp_path, monkeypatch):
    """A folder of packages that this process and its children can import."""
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


def check(modules: tuple[str, ...], extra: str = "tables", language: Language = "en") -> Check:
    return asyncio.run(_check_part("part_tables", _Part(modules, extra), _Subject(language)))


def test_a_part_that_loads_is_ok():
    assert check(("json", "email.parser")) == Check("tables", "ok", "json, email.parser")


def test_a_part_that_is_not_installed_names_its_extra():
    found = check(("json", "weiwo_absent.reader"))
    assert found.verdict == "note"
    assert found.text == "not installed: weiwo_absent.reader; pip install 'weiwo[tables]' adds it"
    assert (
        check(("weiwo_absent",), language="zh").text
        == "未安装：weiwo_absent；运行 pip install 'weiwo[tables]' 即可安装"
    )


def test_a_package_whose_own_import_fails_is_a_problem(packages):
    (packages / "torn_reader.py").write_text("raise ImportError('torn.clean is now a separate project')")
    found = check(("json", "torn_reader"))
    assert found.verdict == "problem"
    assert "ImportError: torn.clean is now a separate project" in found.text


def test_a_package_that_ends_the_process_is_a_problem(packages):
    (packages / "crashing_reader.py").write_text("import os; os._exit(7)")
    assert "exit status 7" in check(("crashing_reader",)).text


def test_a_missing_package_that_always_comes_is_a_problem():
    assert check(("weiwo_absent",), extra="").verdict == "problem"


def test_every_part_of_this_installation_loads():
    found = [check(part.modules, part.extra) for part in _PARTS.values()]
    assert [one.verdict for one in found] == ["ok"] * len(_PARTS)
