"""A home of its own for every test, and the three places threads are kept: memory, SQLite and a real Postgres."""

import os
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver

from tests.support.foreign import FOREIGN
from tests.support.openai_server import Handler, OpenAIServer
from tests.support.postgres import create_database, drop_database, start_server
from weiwo.graph.persistence.checkpointer import open_checkpointer, serializer
from weiwo.state.settings import Settings


@pytest.fixture
def weiwo_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A `WEIWO_HOME` that does not exist yet, in an environment without any other setting."""
    for name in [name for name in os.environ if name.startswith(FOREIGN)]:
        monkeypatch.delenv(name)
    home = tmp_path / "home"
    monkeypatch.setenv("WEIWO_HOME", str(home))
    return home


@pytest.fixture(scope="session")
def postgres_server(postgres_folder: Path) -> str:
    """The URL of a server: the one `WEIWO_TEST_DATABASE_URL` names, else one that all workers of this session share."""
    return os.environ.get("WEIWO_TEST_DATABASE_URL") or start_server(postgres_folder)


@pytest.fixture
def postgres_url(postgres_server: str) -> Iterator[str]:
    """The URL of a database that nobody else has."""
    url = create_database(postgres_server)
    yield url
    drop_database(postgres_server, url)


@pytest.fixture
def memory(weiwo_home: Path) -> InMemorySaver:  # noqa: ARG001 - a home of its own
    """A saver in memory, for what does not depend on where a thread is kept."""
    return InMemorySaver(serde=serializer())


@pytest.fixture(params=["memory", "sqlite", "postgres"])
async def saver(request: pytest.FixtureRequest) -> AsyncIterator[BaseCheckpointSaver[Any]]:
    """A saver of each kind; a test that uses it runs over all three."""
    request.getfixturevalue("weiwo_home")
    if request.param == "memory":
        yield InMemorySaver(serde=serializer())
        return
    url = request.getfixturevalue("postgres_url") if request.param == "postgres" else None
    async with open_checkpointer(Settings.resolve(), url) as opened:
        yield opened


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Handler], OpenAIServer]]:
    """Starts an OpenAI-compatible endpoint, which the environment then names."""
    with ExitStack() as servers:

        def start(handler: Handler) -> OpenAIServer:
            server = servers.enter_context(OpenAIServer(handler))
            for name, value in server.environment.items():
                monkeypatch.setenv(name, value)
            return server

        yield start
