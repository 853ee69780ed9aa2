"""Shared state of the routes: open databases, graph and runs, from start to end of the server."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import orjson
from langchain_core.language_models import BaseChatModel
from langgraph.graph.state import CompiledStateGraph
from starlette.requests import Request
from typing_extensions import override

from weiwo.app.errors import MisuseError
from weiwo.app.records import Event, Records, RunRecord
from weiwo.app.server.access.profiles import drop_attached, memory_user, user_of
from weiwo.app.server.errors import RequestError, not_asked, not_found
from weiwo.app.server.langgraph_api.threads import Threads
from weiwo.app.server.runs.background_runs import Runs
from weiwo.app.server.runs.run_request import RunRequest
from weiwo.app.server.storage.quota import sweep_uploads
from weiwo.app.server.storage.run_log import RunLog
from weiwo.app.session.session import Session
from weiwo.app.session.thread import MOST_CHECKPOINTS, Thread, pick_earlier_results, read_thread
from weiwo.graph import build_graph
from weiwo.graph.persistence.checkpointer import open_checkpointer
from weiwo.graph.persistence.storage import StorageError, make_folder
from weiwo.graph.persistence.store import open_store
from weiwo.graph.persistence.thread_lock import ThreadBusyError, claim_thread
from weiwo.models.budget import Budget
from weiwo.models.gateway import ChatModels, ModelCallError
from weiwo.nodes.memory.memory_store import MemoryStore
from weiwo.state.settings import Context, Settings, SettingsError
from weiwo.tools.file_lock import FileLock


class Backend(ABC):
    """Interface of the routes to runs and threads, which this server (`Engine`) or a host (`HostBackend`) keeps."""

    settings: Settings  # the operator's settings

    @abstractmethod
    async def begin(self, request: Request, wanted: RunRequest, thread_id: str = "") -> RunRecord:
        """Begin a run on a thread of the sender, or on a new thread.

        Raises:
            RequestError: The thread does not exist for the sender, or the run cannot begin.
        """

    @abstractmethod
    def events(self, run: RunRecord) -> AsyncIterator[Event | None]:
        """Yield the events of a run from beginning to end, with an occasional None while nothing happens."""

    @abstractmethod
    async def leave(self, run: RunRecord) -> None:
        """Cancel a run after its client has disconnected. A stopping server leaves the run for the next start."""

    @abstractmethod
    async def stored_run(self, request: Request, run_id: str) -> RunRecord:
        """Return the record of a run that the sender began.

        Raises:
            RequestError: There is no such run, it belongs to another user, or this backend stores no runs.
        """

    @abstractmethod
    async def load(self, request: Request, thread_id: str) -> Thread:
        """Load a thread of the sender from the newest checkpoint.

        Raises:
            RequestError: The thread does not exist for the sender, or nothing was asked on it.
        """

    @abstractmethod
    async def earlier_results(self, request: Request, thread_id: str) -> list[dict[str, Any]]:
        """Return the results of a thread's questions before the latest, oldest first."""

    @abstractmethod
    async def timeline(self, thread_id: str, most: int) -> list[dict[str, Any]]:
        """Return the last `most` stored stream events of a thread, oldest first, each with `at`, `run_id`, `attempt`.

        Returns an empty list for a thread of a host.
        """

    @abstractmethod
    def memory(self, user: str) -> MemoryStore | None:
        """Return the memory of a user. None if the memory is out of reach."""

    @abstractmethod
    async def ask_model(self, request: Request, purpose: str, prompt: str) -> str:
        """Send a prompt to the writer's model on behalf of the user of a request.

        Used for side tasks of chat interfaces, such as titles. Returns an empty string if the model cannot be asked.
        """

    @abstractmethod
    async def day(self, user: str) -> dict[str, Any]:
        """Return a user's spending and budget of today. Empty if the host is responsible."""


async def ask_writer(
    settings: Settings, purpose: str, prompt: str, given: Mapping[str, BaseChatModel] | BaseChatModel | None = None
) -> str:
    """Call the writer's model once. Returns an empty string if the call fails or no model is set up."""
    if isinstance(given, BaseChatModel):
        given = {"writer": given}
    try:
        models = ChatModels(settings, Budget(settings.limits), given=given)
        return await models.text("writer", purpose, [("human", prompt)])
    except (ModelCallError, SettingsError):
        return ""


def backend_of(request: Request) -> Backend:
    """Return the backend of the application behind a request."""
    backend: Backend = request.app.state.engine
    return backend


@dataclass(frozen=True)
class Engine(Backend):
    """State of the server while running."""

    settings: Settings  # the operator's settings
    graph: CompiledStateGraph[Any, Any, Any, Any]  # the graph, built for requests of clients
    records: Records  # the server's database of threads, runs, events and logins
    log: RunLog  # the events of runs
    runs: Runs  # the runs under way
    threads: Threads  # all threads, joined from records and checkpoints
    logins: bool = False  # whether users log in
    # Chat models by role, or one for all, that were made elsewhere.
    models: Mapping[str, BaseChatModel] | BaseChatModel | None = None

    @asynccontextmanager
    async def claim(self, thread_id: str) -> AsyncIterator[None]:
        """Claim a thread for a change outside a run, since the command may be working on the thread.

        Raises:
            RequestError: Another process works on it.
        """
        try:
            async with claim_thread(self.settings, thread_id, saver=self.threads.saver):
                yield
        except ThreadBusyError as error:
            raise RequestError(409, str(error)) from None

    @override
    async def begin(
        self, request: Request, wanted: RunRequest, thread_id: str = "", *, create: bool = False
    ) -> RunRecord:  # `create` makes a thread that does not exist
        user = user_of(request)
        if not thread_id or create:
            thread_id = await self.threads.create(user, thread_id or str(uuid4()), {}, known_ok=True)
        else:
            thread_id, _ = await self.threads.require(user, thread_id)
        run = await self.runs.start(user, thread_id, wanted)
        await self.records.touch_thread(thread_id, user)
        return run

    @override
    def events(self, run: RunRecord) -> AsyncIterator[Event | None]:
        return self.log.follow(run.run_id)

    @override
    async def leave(self, run: RunRecord) -> None:
        if not self.runs.closing:  # the next server continues the runs that this server leaves unfinished
            await self.runs.cancel(run.run_id)

    @override
    async def stored_run(self, request: Request, run_id: str) -> RunRecord:
        run = await self.records.run(run_id)
        if run is None or run.owner != user_of(request):
            raise not_found("run", run_id)
        return run

    @override
    async def load(self, request: Request, thread_id: str) -> Thread:
        thread_id, _ = await self.threads.require(user_of(request), thread_id)
        try:
            return await read_thread(Session(self.settings, self.threads.saver, self.graph), thread_id)
        except MisuseError:
            raise not_asked(thread_id) from None

    @override
    async def earlier_results(self, request: Request, thread_id: str) -> list[dict[str, Any]]:
        thread_id, _ = await self.threads.require(user_of(request), thread_id)
        history = self.graph.aget_state_history({"configurable": {"thread_id": thread_id}}, limit=MOST_CHECKPOINTS)
        checkpoints = []
        async for item in history:
            here, before = item.config["configurable"], (item.parent_config or {}).get("configurable", {})
            result = None if item.next else item.values.get("result")
            checkpoints.append((here["checkpoint_id"], before.get("checkpoint_id", ""), result))
        return pick_earlier_results(checkpoints)

    @override
    async def timeline(self, thread_id: str, most: int) -> list[dict[str, Any]]:
        return [
            {"at": event.at, "run_id": run, "attempt": event.attempt, **orjson.loads(event.data)}
            for run, event in await self.records.timeline(thread_id, most)
        ]

    @override
    def memory(self, user: str) -> MemoryStore | None:
        store = self.graph.store
        return MemoryStore(store, memory_user(user, self.settings)) if store is not None else None

    @override
    async def ask_model(self, request: Request, purpose: str, prompt: str) -> str:
        user = user_of(request)
        try:
            await self.runs.budgets.admit(user, asks=False)
            async with self.runs.hold_slot(user), self.runs.account(user, Context()):
                return await ask_writer(Settings.resolve(), purpose, prompt, self.models)
        except RequestError:  # the user's day budget is spent, or too many runs are active
            return ""

    @override
    async def day(self, user: str) -> dict[str, Any]:
        return await self.runs.budgets.describe(user)


@asynccontextmanager
async def open_engine(*, logins: bool = False, **graph_options: Any) -> AsyncIterator[Engine]:
    """Open the databases, and continue the unfinished runs of an earlier server.

    Raises:
        StorageError: A database cannot be used, or another server uses it.
        SettingsError: A setting cannot be used.
    """
    settings = Settings.resolve()
    lock = await asyncio.to_thread(_lock, Path(settings.home))
    async with AsyncExitStack() as stack:
        stack.callback(lock.release)
        saver = await stack.enter_async_context(open_checkpointer(settings))
        store = await stack.enter_async_context(open_store(settings))
        records = await stack.enter_async_context(Records.open(settings.home))
        graph = build_graph(saver, store, serves_clients=True, **graph_options)
        log = RunLog(records)
        runs = Runs(graph, records, log, settings, logins=logins)
        stack.push_async_callback(runs.close)
        await asyncio.to_thread(sweep_uploads, settings)
        await asyncio.to_thread(drop_attached, Path(settings.home))
        threads, models = Threads(graph, records, runs), graph_options.get("models")
        engine = Engine(settings, graph, records, log, runs, threads, logins, models)
        await runs.take_up()
        yield engine


def _lock(home: Path) -> FileLock:
    """Lock the folder of Weiwo's files for a single server.

    A second server would continue the running runs of the first as if they had been left unfinished.

    Raises:
        StorageError: Another server uses the folder.
    """
    make_folder(home)
    try:
        return FileLock(home / "server.lock")
    except BlockingIOError:
        raise StorageError(
            f"another weiwo serve is using {home}; use that server, or set WEIWO_HOME to another folder"
        ) from None


def engine_of(request: Request) -> Engine:
    """Return the engine of the application behind a request."""
    engine: Engine = request.app.state.engine
    return engine


async def own_thread(request: Request) -> tuple[Engine, str]:
    """Return the engine, and the stored id of the thread in a request's path.

    Raises:
        RequestError: The thread does not exist for the sender.
    """
    engine = engine_of(request)
    thread_id, _ = await engine.threads.require(user_of(request), str(request.path_params["thread_id"]))
    return engine, thread_id
