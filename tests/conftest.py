"""What tests of every kind share: the sample corpus, indexed once for all who only search it, and one Postgres."""

import asyncio
import gc
import os
import shutil
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

import pytest
from hypothesis import settings

from tests.support.examples import register_profiles
from weiwo.models.endpoint import _forget_endpoints
from weiwo.state.settings import Settings
from weiwo.tools.calling import call_context
from weiwo.tools.corpus.loading import load_corpus

register_profiles()
settings.load_profile("ci" if os.environ.get("CI") else "default")  # `--hypothesis-profile` has the last word

_USUAL_THRESHOLD: Final = gc.get_threshold()
gc.set_threshold(100_000, 20, 20)  # what is collected stays: looking through it again and again is a quarter of that

_POSTGRES: Final = "postgres_folder"
_FOLDER: Final = pytest.StashKey[Path]()


def pytest_configure(config: pytest.Config) -> None:
    """Name the folder of the session's Postgres: the controller of pytest-xdist does, its workers are told."""
    told = getattr(config, "workerinput", {}).get(_POSTGRES)
    config.stash[_FOLDER] = Path(told or Path(tempfile.gettempdir()) / f"weiwo-pg-{uuid4().hex[:12]}")


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tell a worker of pytest-xdist."""
    node.workerinput[_POSTGRES] = str(node.config.stash[_FOLDER])


def pytest_unconfigure(config: pytest.Config) -> None:
    """Stop the session's Postgres, if a test has started it. Workers have ended by then."""
    if not hasattr(config, "workerinput") and config.stash[_FOLDER].exists():
        from tests.support.postgres import stop_server  # noqa: PLC0415 - heavy, and not for every session

        stop_server(config.stash[_FOLDER])


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest tests first, or one worker would be at them when the others have nothing left."""
    items.sort(key=lambda item: item.get_closest_marker("long") is None)


def pytest_collection_finish() -> None:
    """Let the garbage collector work as ever from here on, and pass over what was imported and collected."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_USUAL_THRESHOLD)


def pytest_runtest_setup() -> None:
    """No test sees the tool call that another one had under way, or what it taught of a model endpoint."""
    call_context._current.set(None)
    _forget_endpoints()


@pytest.fixture(scope="session")
def postgres_folder(request: pytest.FixtureRequest) -> Path:
    """Where the server lives that the processes of this session share; it need not be there yet."""
    return request.config.stash[_FOLDER]


@pytest.fixture(scope="session")
def index_sample(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path], None]:
    """Leave a home as a first question leaves it: the sample corpus is indexed there. A copy, so each is its own."""
    home = tmp_path_factory.mktemp("sample") / "home"
    indexed = load_corpus(settings=Settings(home=str(home), telemetry=False))
    with ThreadPoolExecutor(1) as thread:  # the loop of this one belongs to the tests
        assert thread.submit(asyncio.run, indexed).result().size > 0

    def copied(other: Path) -> None:
        shutil.copytree(home, other, dirs_exist_ok=True)

    return copied
