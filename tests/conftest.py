"""What tests of every kind share: the sample corpus, indexed once for all who only search it."""

import asyncio
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from state.settings import Settings


@pytest.fixture(scope="session")
def index_sample(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path], None]:
    """Leave a home as a first question leaves it: the sample corpus is indexed there. A copy, so each is its own."""
    from tools.corpus import load_corpus  # noqa: PLC0415 - heavy, and not for every test

    home = tmp_path_factory.mktemp("sample") / "home"
    indexed = load_corpus(settings=Settings(home=str(home), telemetry=False))
    with ThreadPoolExecutor(1) as thread:  # the loop of this one belongs to the tests
        assert thread.submit(asyncio.run, indexed).result().size > 0

    def copied(other: Path) -> None:
        shutil.copytree(home, other, dirs_exist_ok=True)

    return copied
