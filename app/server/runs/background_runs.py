"""Background runs: queueing, running without a watcher, cancelling, surviving a server restart.

A run is a task of this process. Its request is on disk before it begins. A starting server finds the runs that an
earlier server left unfinished, killed or stopped, and continues them as the next attempt of the same run. The graph
continues from its checkpoint, so nothing that had finished runs again.
"""

import asyncio
import logging
import time
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast
from uuid import uuid4

from langchain_core.runnables import RunnableConfig
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import StateSnapshot

from weiwo.app.records import Records, RunRecord, RunStatus
from weiwo.app.server.access.day_budgets import DayBudgets
from weiwo.app.server.access.profiles import drop_attached, index_attached, memory_user, run_defaults
from weiwo.app.server.errors import RequestError, describe_outside, not_found
from weiwo.app.server.metrics import RUN_SECONDS, RUNS, UNDER_WAY, WAITING, count_failure
from weiwo.app.server.runs.fair_slots import FairSlots
from weiwo.app.server.runs.graph_stream import delete_thread, failure_place, stream_events
from weiwo.app.server.runs.run_request import RunRequest
from weiwo.app.server.storage.quota import Quota
from weiwo.app.server.storage.run_log import LiveRun, RunLog
from weiwo.app.server.wire import dump
from weiwo.app.session.runs import OPTIONS_KEY, options_of
from weiwo.app.session.waiting import read_waiting
from weiwo.graph.persistence.thread_lock import claim_thread
from weiwo.graph.run_context import ServedUser
from weiwo.models.endpoint import own_key
from weiwo.state.limits import Usage
from weiwo.state.settings import Context, Settings, operator_defaults
from weiwo.text.printable import one_line, redact_secrets

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver

_MOST_AT_WORK: Final = 16
"""Runs at work at the same time; others wait."""
_MOST_UNDER_WAY: Final = 200
_MOST_ATTEMPTS: Final = 3
"""Attempts of a run. A run during which the server stopped as often fails, so that it cannot stop every server."""
_TRIM_AFTER: Final = 50
"""Old runs of a user are dropped after the first ended run of a process, and after this many more."""
_MOST_METADATA: Final = 50
_LONGEST_METADATA: Final = 1_000
_NOTHING: Final = Usage()
_log: Final = logging.getLogger(__name__)


class Runs:
    """Runs of this process. `budgets` and `quota` hold the users' limits for spending and storage."""

    def __init__(
        self,
        graph: CompiledStateGraph[Any, Any, Any, Any],
        records: Records,
        log: RunLog,
        settings: Settings,
        *,
        logins: bool = False,
    ) -> None:
        self._graph, self._records, self._log, self._settings = graph, records, log, settings
        self.budgets = DayBudgets(records, settings)
        self.quota = Quota(records, settings, graph)
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._queues: dict[str, list[str]] = {}
        self._slots = FairSlots(_MOST_AT_WORK, shared=logins)
        self._places = FairSlots(_MOST_UNDER_WAY, shared=logins)
        self._last_try = asyncio.Lock()
        self._at_work = 0
        self._cancelled: set[str] = set()
        self._ending: set[asyncio.Task[None]] = set()
        self._starting = asyncio.Lock()
        self._ended: Counter[str] = Counter()
        self.closing = False  # whether the server is about to stop

    def under_way(self, thread_id: str) -> list[str]:
        """Return the ids of the running or waiting runs of a thread, in order."""
        live = self._log.live
        return [queue for queue in self._queues.get(thread_id, ()) if queue in live and not live[queue].ended]

    def measure(self) -> None:
        """Set the gauges of runs at work and waiting."""
        UNDER_WAY.set(len(self._tasks))
        WAITING.set(len(self._tasks) - self._at_work)

    def require_idle(self, thread_id: str) -> None:
        """Require a thread without running or waiting runs.

        Raises:
            RequestError: A run works on the thread or waits to.
        """
        if self.under_way(thread_id):
            told = f"a run is using thread {thread_id}; wait for it, or cancel it"
            raise RequestError(409, told, "这个会话正在运行；请等它结束，或先取消")

    async def start(self, owner: str, thread_id: str, request: RunRequest) -> RunRecord:
        """Begin a run, or queue it behind the running runs of the thread, and return its record.

        Raises:
            RequestError: The thread is busy and the request allows no queueing, no pending request fits the answer, too
                many runs are active, or the user's quota or budget of the day is used up.
        """
        if request.multitask == "interrupt":
            await self.cancel_thread(thread_id)
        async with self._starting:
            self._require_place(owner)
            asks = request.changes_course
            if self.under_way(thread_id):
                if request.multitask == "reject" or request.answers:
                    self.require_idle(thread_id)
            elif request.input is None:
                request, edited = await self._prepare_request(thread_id, request)
                asks = asks or edited
            if request.input is None:
                before = await self._records.runs(thread_id, 1)
                asks = asks or not before  # the question of a copied thread has not been counted
                if not request.corpora:  # a continued run keeps the corpora of the run before
                    corpora = before[0].request.get("corpora", []) if before else []
                    request = request.model_copy(update={"corpora": corpora})
            written = request.model_dump(mode="json", exclude_defaults=True)
            await self.quota.take(owner, len(dump(written)))
            await self.budgets.admit(owner, asks=asks)
            now = time.time()
            run = RunRecord(str(uuid4()), thread_id, owner, now, now, "pending", 1, written, "")
            await self._records.put_run(run)
            self._begin(run, request)
            return run

    @asynccontextmanager
    async def hold_slot(self, owner: str) -> AsyncIterator[None]:
        """Context manager for a request outside of threads, for example of `/mcp`: waits for a slot, then holds it.

        Raises:
            RequestError: The user, or all users together, have too many requests running or waiting.
        """
        self._require_place(owner)
        self._places.add(owner)
        try:
            async with self._slots.hold(owner):
                yield
        finally:
            self._places.release(owner)

    def _require_place(self, owner: str) -> None:
        if not self._places.has_room(owner):
            most = self._places.share(owner)
            told = (
                f"you have reached the limit of active runs ({most} of yours, or {_MOST_UNDER_WAY} in all); "
                "try again in a minute"
            )
            raise RequestError(
                429, told, f"您的运行数已达上限（您的 {most} 个，或全部 {_MOST_UNDER_WAY} 个）；请稍后再试"
            )

    async def take_up(self) -> int:
        """Continue the unfinished runs of an earlier server, and return the number of active runs.

        A run during which several servers stopped is marked as failed instead.
        """
        left = await self._records.runs_under_way()
        for run in left:
            if run.run_id in self._tasks:
                continue
            attempt = run.attempt + (run.status == "running")
            if attempt > _MOST_ATTEMPTS:
                why = f"the server stopped {_MOST_ATTEMPTS} times during this run; resume the thread to try again"
                await self._records.set_status(run.run_id, "error", run.attempt, why)
                continue
            self._begin(replace(run, attempt=attempt), RunRequest.model_validate(run.request))
        return len(self._tasks)

    async def cancel(self, run_id: str, *, wait: bool = True) -> None:
        """Interrupt a running run so that it can be resumed, and optionally `wait` for the end."""
        task = self._tasks.get(run_id)
        if task is None:
            return
        if run_id not in self._cancelled:
            self._cancelled.add(run_id)
            await asyncio.sleep(0)  # a task that is cancelled before its first step runs none of its own code
            task.cancel()
        if wait:
            await asyncio.wait([task])

    async def cancel_thread(self, thread_id: str) -> None:
        """Interrupt all runs of a thread."""
        for run_id in reversed(self.under_way(thread_id)):
            await self.cancel(run_id)

    async def close(self) -> None:
        """Stop all runs. The next server continues unfinished runs."""
        self.stop_watching()
        await asyncio.sleep(0)  # as above
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
        if self._ending:
            await asyncio.wait(set(self._ending))
        await self.budgets.settle()
        await self._log.flush()

    def stop_watching(self) -> None:
        """End the streams of all watchers, so that the server can stop. Watchers reconnect to the next server."""
        self.closing = True
        for live in self._log.live.values():
            live.end()
        self._log.wake()

    def _begin(self, run: RunRecord, request: RunRequest) -> None:
        live = self._log.begin(run.run_id, run.attempt)
        queue = self._queues.setdefault(run.thread_id, [])
        before = self._tasks.get(queue[-1]) if queue else None
        queue.append(run.run_id)
        self._places.add(run.owner)
        self._tasks[run.run_id] = asyncio.create_task(self._run(run, request, live, before))

    async def _run(
        self, run: RunRecord, request: RunRequest, live: LiveRun, before: "asyncio.Task[None] | None"
    ) -> None:
        status: RunStatus = "error"
        why = ""
        try:
            if before is not None:
                await asyncio.wait([before])
            # One at a time, so that of the runs which were at work when servers ended only the culprit ends the next.
            alone = self._last_try if run.attempt >= _MOST_ATTEMPTS else nullcontext()
            saver = cast("BaseCheckpointSaver[Any]", self._graph.checkpointer)  # the server builds it so
            claim = claim_thread(self._settings, run.thread_id, saver=saver)
            async with alone, self._slots.hold(run.owner), claim:
                await self._records.set_status(run.run_id, "running", run.attempt)
                self._at_work += 1
                try:
                    await self._follow(run, request, live)
                finally:
                    self._at_work -= 1
            status = "success"
        except asyncio.CancelledError:
            status = "interrupted"
        except Exception as error:  # noqa: BLE001 - the graph runs the code of tools, which may raise anything
            why = self._report(live, error)
        ending = asyncio.create_task(self._end(run, request, live, status, why))
        self._ending.add(ending)
        ending.add_done_callback(self._ending.discard)
        await asyncio.shield(ending)  # not to be cancelled half-way

    def _report(self, live: LiveRun, error: Exception) -> str:
        """Report the failure of a run to the log and to watchers, and return the message."""
        why = describe_outside(error)
        _log.warning("run %s failed: %s", live.run_id, _describe_for_log(error))
        self._log.add(live, "error", dump({"error": type(error).__name__, "message": why}))
        return why

    async def _follow(self, run: RunRecord, request: RunRequest, live: LiveRun) -> None:
        self._log.add(live, "metadata", dump({"run_id": run.run_id, "attempt": run.attempt}))
        thread: RunnableConfig = {"configurable": {"thread_id": run.thread_id}}
        snapshot = await self._graph.aget_state(thread)
        given, checkpoint = self._build_graph_input(run, request, snapshot)
        start = snapshot
        if checkpoint:  # what was spent there counts, not what was spent later
            start = await self._graph.aget_state({"configurable": {**thread["configurable"], **checkpoint}})
        context = request.context_on(snapshot)
        user = ServedUser(run.owner, memory_user(run.owner, self._settings))
        # Every checkpoint holds the metadata, so that little of a client's is kept.
        plain = {key: value for key, value in request.metadata.items() if isinstance(value, str | int | float | bool)}
        first = list(plain.items())[:_MOST_METADATA]
        config: RunnableConfig = {
            "configurable": {**thread["configurable"], **checkpoint, "langgraph_auth_user": user},
            "metadata": {
                **{key: value for key, value in first if len(str(value)) <= _LONGEST_METADATA},
                "run_id": run.run_id,
                OPTIONS_KEY: options_of(Context.model_validate(context)),
            },
        }
        stream = stream_events(self._graph, given, config, context=context, request=request)
        before = Usage() if isinstance(given, Mapping) else start.values.get("usage") or Usage()
        asked, home = Context.model_validate(context), Path(self._settings.home)
        attached = ""
        if request.attached:
            attached = await asyncio.to_thread(index_attached, home, run.run_id, request.attached)
        defaults = await asyncio.to_thread(run_defaults, home, run.owner, request.corpora, attached)
        async with self.account(run.owner, asked, defaults, before):
            async for name, data in stream:
                self._log.add(live, name, data)
                count_failure(name, data)
                await self.quota.take(run.owner, 2 * len(data))  # the event, and about as much for the checkpoint

    @asynccontextmanager
    async def account(
        self, owner: str, asked: Context, defaults: Context | None = None, before: Usage = _NOTHING
    ) -> AsyncIterator[None]:
        """Context manager for a user's settings, model key, remaining budget, and counting of model calls.

        Args:
            owner: The user.
            asked: The options set by the client.
            defaults: The defaults that count as if the operator's environment said so. None: the defaults for a
                question of the user.
            before: The usage of the question so far.

        Raises:
            SettingsError: The user's profile cannot be used.
        """
        if defaults is None:
            defaults = await asyncio.to_thread(run_defaults, Path(self._settings.home), owner)
        limited = await self.budgets.limit(owner, defaults, asked, before)
        key = await self._records.model_key(owner)
        with operator_defaults(limited), own_key(key), self.budgets.count_costs(owner):
            yield

    def _build_graph_input(
        self, run: RunRecord, request: RunRequest, snapshot: StateSnapshot
    ) -> tuple[Any, dict[str, str]]:
        """Return the graph input and checkpoint of a run.

        A further attempt starts from the run's own checkpoint, if there is one.
        """
        if run.attempt > 1 and (snapshot.metadata or {}).get("run_id") == run.run_id:
            return None, {}
        command = request.graph_command()
        return (request.input if command is None else command), dict(request.checkpoint)

    async def _end(self, run: RunRecord, request: RunRequest, live: LiveRun, status: RunStatus, why: str) -> None:
        left = self.closing and status == "interrupted" and run.run_id not in self._cancelled
        if not left:
            _tell_end(run, status)
        try:
            await self.budgets.settle()
            if request.attached:
                await asyncio.to_thread(drop_attached, Path(self._settings.home), run.run_id)
            if not left:  # the status first: who sees the end may ask for it
                await self._records.set_status(run.run_id, status, run.attempt, why)
                ended = dump({"run_id": run.run_id, "status": status})
                if request.temporary:
                    await self._log.flush()
                    await delete_thread(self._graph, self._records, run.thread_id)
                    live.add("end", ended)
                else:
                    self._log.add(live, "end", ended)
            live.end()  # at once: who sees the end may begin the next run
            await self._log.flush()
            await self._trim(run.owner)
        except Exception as error:  # noqa: BLE001 - of any database; the record stays as it was, for the next server
            self._report(live, error)
            live.add("end", dump({"run_id": run.run_id, "status": "error"}))
        finally:
            live.end()
            self._log.live.pop(run.run_id, None)
            self._tasks.pop(run.run_id, None)
            self._places.release(run.owner)
            self._cancelled.discard(run.run_id)
            queue = self._queues.get(run.thread_id, [])
            queue.remove(run.run_id)
            if not queue:
                self._queues.pop(run.thread_id, None)

    async def _trim(self, owner: str) -> None:
        """Drop a user's old runs now and then. A failure is logged: the run that ended just now has its answer."""
        if self._ended[owner] % _TRIM_AFTER == 0:
            try:
                await self._records.trim(owner)
            except Exception as error:  # noqa: BLE001 - of any database
                _log.warning("old runs could not be dropped: %s", _describe_for_log(error))
        self._ended[owner] += 1

    async def _prepare_request(self, thread_id: str, request: RunRequest) -> tuple[RunRequest, bool]:
        """Address the answer of a request, and report whether the run continues from a client's edit."""
        config: RunnableConfig = {"configurable": {"thread_id": thread_id, **request.checkpoint}}
        snapshot = await self._graph.aget_state(config)
        if snapshot.created_at is None and request.checkpoint:
            raise not_found("checkpoint", request.checkpoint.get("checkpoint_id", ""))
        if snapshot.created_at is None:
            told = f"thread {thread_id} has no question yet; give an input"
            raise RequestError(422, told, "这个会话还没有提过问题；请先提问")
        edited = bool(snapshot.next) and (snapshot.metadata or {}).get("source") == "update"
        return request.address_answer(thread_id, read_waiting(snapshot)), edited


def _describe_for_log(error: Exception) -> str:
    """Describe an error in one line, without secrets, and where it was raised."""
    return redact_secrets(one_line(f"{type(error).__name__}: {error}", 500)) + failure_place(error)


def _tell_end(run: RunRecord, status: RunStatus) -> None:
    """Count a finished run, and log a line."""
    seconds = round(time.time() - run.created, 3)
    RUNS.labels(status).inc()
    RUN_SECONDS.observe(seconds)
    told = {"run_id": run.run_id, "thread_id": run.thread_id, "status": status, "seconds": seconds}
    _log.info("run %s: %s in %.1f s", run.run_id, status, seconds, extra={**told, "attempt": run.attempt})
