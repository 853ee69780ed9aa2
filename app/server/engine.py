"""What every route works with: the open databases, the graph and the runs, from the server's start to its end."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

from langgraph.graph.state import CompiledStateGraph
from starlette.requests import Request

from weiwo.app.cli.session import Session
from weiwo.app.server.langgraph_api.threads import Threads
from weiwo.app.server.runs.background_runs import Runs
from weiwo.app.server.runs.run_request import RunRequest
from weiwo.app.server.storage.record_types import RunRecord
from weiwo.app.server.storage.records import Records
from weiwo.app.server.storage.run_log import RunLog
from weiwo.graph import build_graph
from weiwo.graph.persistence.checkpointer import open_checkpointer
from weiwo.graph.persistence.storage import StorageError, make_folder
from weiwo.graph.persistence.store import open_store
from weiwo.state.settings import Settings
from weiwo.tools.file_lock import FileLock


@dataclass(frozen=True)
class Engine:
    """What is open while the server runs.

    Attributes:
        settings: The operator's settings.
        graph: The graph, whose runs are clients' runs.
        records: The server's own database.
        log: The events of runs.
        runs: The runs under way.
        threads: The threads there are.
    """

    settings: Settings
    graph: CompiledStateGraph[Any, Any, Any, Any]
    records: Records
    log: RunLog
    runs: Runs
    threads: Threads

    async def begin(self, user: str, request: RunRequest, thread_id: str = "", *, create: bool = False) -> RunRecord:
        """Begin a run on a user's thread.

        Args:
            user: The user.
            request: The run.
            thread_id: The thread; empty: a new one.
            create: Whether the thread is made if it does not exist.

        Raises:
            RequestError: The thread is not there for him, or the run cannot begin.
        """
        if not thread_id:
            new = str(uuid4())
            await self.threads.create(user, new, {}, known_ok=False)
            return await self.runs.start(user, new, request)
        if create:
            await self.threads.create(user, thread_id, {}, known_ok=True)
        await self.threads.require(user, thread_id)
        run = await self.runs.start(user, thread_id, request)
        await self.threads.touch(user, thread_id)
        return run

    @property
    def session(self) -> Session:
        """The open database and the graph, as the command's own functions take them."""
        return Session(self.settings, self.threads.saver, self.graph)


@asynccontextmanager
async def open_engine(**graph_options: Any) -> AsyncIterator[Engine]:
    """Open the databases, and take up the runs that an earlier server left under way.

    Args:
        graph_options: More for `build_graph`, such as models.

    Raises:
        StorageError: A database cannot be used, or another server uses it.
        SettingsError: A setting cannot be used.
    """
    settings = Settings.resolve()
    lock = await asyncio.to_thread(_lock, Path(settings.home))
    logging.getLogger("psycopg.pool").setLevel(logging.CRITICAL)  # the error itself is reported, in one line
    async with AsyncExitStack() as stack:
        stack.callback(lock.release)
        saver = await stack.enter_async_context(open_checkpointer(settings))
        store = await stack.enter_async_context(open_store(settings))
        records = await stack.enter_async_context(Records.open(settings.home))
        graph = build_graph(saver, store, serves_clients=True, **graph_options)
        log = RunLog(records)
        runs = Runs(graph, records, log, settings)
        stack.push_async_callback(runs.close)
        engine = Engine(settings, graph, records, log, runs, Threads(graph, records, runs))
        await runs.take_up()
        yield engine


def _lock(home: Path) -> FileLock:
    """One server works in a home: a second would take the runs of the first for left behind."""
    make_folder(home)
    try:
        return FileLock(home / "server.lock")
    except BlockingIOError:
        raise StorageError(
            f"{home}: another weiwo serve works there; use that one, or set WEIWO_HOME to another folder"
        ) from None


def engine_of(request: Request) -> Engine:
    """The engine of the application that a request came to."""
    engine: Engine = request.app.state.engine
    return engine
