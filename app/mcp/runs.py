"""Runs for clients of the MCP server, in separate tasks so clients may come back later.

A run has an id that cannot be guessed, and is kept for an hour after its end, in memory. It belongs to an account,
which determines the settings and the spending limit.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from typing import Any, Final, Protocol
from uuid import uuid4

from langgraph.checkpoint.memory import InMemorySaver

from weiwo.graph import build_graph
from weiwo.graph.persistence.checkpointer import serializer
from weiwo.state.settings import Context, operator_defaults
from weiwo.text.printable import one_line

MOST_RUNS: Final = 100
"""Runs that are kept. Beyond this number, the runs that ended first are dropped."""
_MOST_AT_ONCE: Final = 16
"""Runs that one account may have going on at the same time."""
_KEPT_SECONDS: Final = 3_600.0
NOBODY_ASKED = {"approve_plan": False, "allow_acting": False, "allow_tools": []}
"""Options of every run behind the MCP server, where no person can be asked."""


class Account(Protocol):
    """The user behind a request, and what the user may still spend."""

    @property
    def user(self) -> str:
        """User name of the account. Runs are visible to this user only."""

    def open(self, asked: Context, *, question: bool) -> AbstractAsyncContextManager[None]:
        """Context manager in which the account's settings and spending apply. A question is counted.

        Raises:
            WeiwoError: The account has nothing left to spend on it.
        """

    def hold_slot(self) -> AbstractAsyncContextManager[None]:
        """Context manager in which the account holds one of its places for running requests. It waits for a free place.

        Raises:
            WeiwoError: Too many requests are waiting or running.
        """


class OwnAccount:
    """Account of the user who started the server, without limits."""

    user = ""

    def __init__(self, context: Context) -> None:
        self._context = context.model_copy(update=NOBODY_ASKED)

    @asynccontextmanager
    async def open(self, asked: Context, *, question: bool) -> AsyncIterator[None]:  # noqa: ARG002 - the protocol has them
        """Context manager in which the settings apply."""
        with operator_defaults(self._context):
            yield

    def hold_slot(self) -> AbstractAsyncContextManager[None]:
        """Context manager that does not wait."""
        return nullcontext()


@dataclass
class AnswerRun:
    """A question that is being answered or was answered."""

    user: str  # the account's user name
    id: str = field(default_factory=lambda: uuid4().hex)  # the id by which a client finds the run again
    steps: list[str] = field(default_factory=list)  # progress messages so far
    ended: float = 0.0  # when it ended, by the monotonic clock; 0 while it runs
    task: "asyncio.Task[dict[str, Any]] | None" = None
    changed: asyncio.Event = field(default_factory=asyncio.Event)


class AnswerRuns:
    """Runs of a server.

    `serves_clients` says that users other than the one who started the server may ask questions.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic, *, serves_clients: bool = False) -> None:
        self._clock = clock
        self._runs: dict[str, AnswerRun] = {}
        self._saver = InMemorySaver(serde=serializer())
        self._graph = build_graph(self._saver, serves_clients=serves_clients)

    def start(self, question: str, context: Context, account: Account) -> AnswerRun | None:
        """Start answering a question and return the run, or None if the account has `_MOST_AT_ONCE` runs going on."""
        self._forget()
        if sum(not item.ended and item.user == account.user for item in self._runs.values()) >= _MOST_AT_ONCE:
            return None
        run = AnswerRun(account.user)
        run.task = asyncio.create_task(self._answer(run, question, context, account))
        run.task.add_done_callback(lambda _: self._settle(run))
        self._runs[run.id] = run
        return run

    def find(self, run_id: str, account: Account) -> AnswerRun | None:
        """Return an account's run by its id, or None. Runs of other accounts are not found."""
        self._forget()
        run = self._runs.get(run_id)
        return run if run is not None and run.user == account.user else None

    async def result(
        self, run: AnswerRun, seconds: float, tell: Callable[[int, str], Awaitable[None]]
    ) -> dict[str, Any] | None:
        """Wait for the result of a run for some seconds, and report each step of the run to `tell`.

        Returns:
            The result, or None if the run is still going on. Empty if the run waits for a person.

        Raises:
            WeiwoError: The run failed.
        """
        assert run.task is not None  # noqa: S101 - `start` sets it
        told, until = 0, self._clock() + seconds
        while True:
            for step in run.steps[told:]:
                told += 1
                await tell(told, step)
            if run.task.done():
                return run.task.result()
            run.changed.clear()
            try:
                await asyncio.wait_for(run.changed.wait(), until - self._clock())
            except TimeoutError:
                return None

    def cancel(self, run: AnswerRun) -> None:
        """Cancel a run and drop it, because its client left before it was told the id."""
        if run.task is not None:
            run.task.cancel()
        self._runs.pop(run.id, None)

    async def _answer(self, run: AnswerRun, question: str, context: Context, account: Account) -> dict[str, Any]:
        result: dict[str, Any] = {}
        config: Any = {"configurable": {"thread_id": run.id}}
        stream: Any = self._graph.astream(
            {"question": question}, config, context=context, stream_mode=["custom", "values"]
        )
        try:
            async with account.hold_slot(), account.open(context, question=True):
                async for mode, chunk in stream:
                    if mode == "values":
                        result = chunk.get("result") or result
                        continue
                    if said := _describe_event(chunk):
                        run.steps.append(said)
                        run.changed.set()
        finally:
            await self._saver.adelete_thread(run.id)
        return result

    def _settle(self, run: AnswerRun) -> None:
        run.ended = self._clock()
        run.changed.set()
        if run.task is not None and not run.task.cancelled():
            run.task.exception()  # seen, should nobody come back for it

    def _forget(self) -> None:
        """Drop ended runs that are too old, and the oldest ended ones if there are more than `MOST_RUNS` runs."""
        ended = sorted((run for run in self._runs.values() if run.ended), key=lambda run: run.ended)
        surplus = len(self._runs) - MOST_RUNS
        for place, item in enumerate(ended):
            if place < surplus or self._clock() - item.ended > _KEPT_SECONDS:
                del self._runs[item.id]


def _describe_event(event: Any) -> str:
    """Describe an event in a few words, like "the plan is ready". Empty for events of no interest to clients."""
    match event.get("type"):
        case "assessed":
            return "reading the question"
        case "planned":
            return "the plan is ready"
        case "task_started":
            return one_line(f"{event.get('tool', '')}: {event.get('description', '')}", 120)
        case "answer_started":
            return "writing the answer"
    return ""
