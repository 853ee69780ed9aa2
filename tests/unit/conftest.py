"""Unit tests open no socket, read no configuration of the machine, and start no process unless they are marked so."""

import os
import subprocess
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import pytest
from pytest_socket import disable_socket

from tests.support.foreign import FOREIGN
from weiwo.app.cli.setup import doctor

_homes = count()


@pytest.fixture(autouse=True)
def clean_environment(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[None]:
    """All of that in one: each fixture that every test has costs seconds of the whole."""
    disable_socket(allow_unix_socket=True)  # asyncio's own wake-up pair is a unix socket
    for name in list(os.environ):
        if name.startswith(FOREIGN):
            monkeypatch.delenv(name)
    has_folder = "tmp_path" in request.fixturenames
    home = request.getfixturevalue("tmp_path") / "home" if has_folder else _unused(tmp_path_factory)
    monkeypatch.setenv("WEIWO_HOME", str(home))
    started: list[object] = []

    def recording(start: Callable[..., None]) -> Callable[..., None]:
        def recorded(*args: Any, **options: Any) -> None:
            started.append(args)
            start(*args, **options)

        return recorded

    if request.node.get_closest_marker("processes") is None:
        monkeypatch.setattr(subprocess.Popen, "__init__", recording(subprocess.Popen.__init__))
        monkeypatch.setattr(BaseProcess, "start", recording(BaseProcess.start))
    yield
    assert not started, "mark it with pytest.mark.processes, or give it the fixture indexed_home"


def _unused(folders: pytest.TempPathFactory) -> Path:
    """A folder that is not there: most tests need none."""
    return folders.getbasetemp() / f"home-{next(_homes)}"


@pytest.fixture
def importable_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand-in for the processes in which `weiwo doctor` imports each part; `test_doctor_parts` has the real ones."""

    async def find_no_fault(_modules: Sequence[str]) -> str:
        return ""

    monkeypatch.setattr(doctor, "_find_import_fault", find_no_fault)


@pytest.fixture
def indexed_home(clean_environment: None, index_sample: Callable[[Path], None]) -> None:  # noqa: ARG001 - it sets the home
    """The sample corpus is indexed in the test's home already, as after a first question."""
    index_sample(Path(os.environ["WEIWO_HOME"]))
