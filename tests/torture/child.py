"""The process that is killed: asks the story's question on a thread, or goes on where another was stopped."""

import asyncio
import json
import logging
import os
import signal
import threading
import traceback
from collections.abc import Coroutine
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

# What the fork server has imported need not be imported again by every child.
import psycopg_pool  # noqa: F401 - the same
from langchain_core.runnables import RunnableConfig
from langgraph.types import Command

from tests.support.foreign import FOREIGN
from tests.torture.log import Log
from tests.torture.story import QUESTION, Story, model, tools
from weiwo.graph import build_graph
from weiwo.graph.persistence.checkpointer import open_checkpointer
from weiwo.state.settings import Context, Settings

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver

T = TypeVar("T")
_UNFINISHED = frozenset({"__error__", "__interrupt__", "__resume__"})
"""Channels of writes that carry no outcome of a step."""


@dataclass(frozen=True)
class Kill:
    """A moment to die at."""

    # Which one: the number of a write of the checkpointer, or of an event of the log, in this process.
    at: int
    # `before` that write, with all earlier ones acknowledged; `after` it was acknowledged, whatever other writes are
    # under way; or some time after that `event`.
    when: Literal["before", "after", "event"]
    wait: float = 0.0  # how long after the event, in seconds


@dataclass(frozen=True)
class Job:
    """One life of the child."""

    folder: Path  # where its log and its result go, and the SQLite file if there is no URL
    url: str | None = None  # a Postgres database
    thread: str = "torture"  # the thread to ask on, or to resume
    story: Story = "plain"  # the story to play
    durability: Literal["sync", "async"] = "sync"  # when LangGraph waits for the checkpointer
    kill: Kill | None = None  # when to die; otherwise it runs to the end
    approve: bool = False  # whether a person approves each plan
    answer: Any = None  # what that person says, once the run waits for it

    @property
    def log(self) -> Path:
        """The log of every life of this run."""
        return self.folder / "log.jsonl"

    @property
    def end(self) -> Path:
        """What came of the last life that was not killed, as JSON."""
        return self.folder / "end.json"


def die() -> None:
    """As the kernel does it to others: at once, nothing cleaned up."""
    os.kill(os.getpid(), signal.SIGKILL)


class Watch:
    """Put before a saver's writes: notes each, and dies at one if told so."""

    def __init__(self, saver: "BaseCheckpointSaver[Any]", log: Log, kill: Kill | None) -> None:
        self._log, self._kill, self._count = log, kill, 0
        self._open: set[int] = set()
        checkpoint, writes = saver.aput, saver.aput_writes

        @wraps(checkpoint)
        async def aput(config: RunnableConfig, *args: Any) -> RunnableConfig:
            return await self._watched(config, None, checkpoint(config, *args))

        @wraps(writes)
        async def aput_writes(config: RunnableConfig, given: Any, task_id: str, task_path: str = "") -> None:
            carries = any(channel not in _UNFINISHED for channel, _ in given)
            await self._watched(config, task_id if carries else "", writes(config, given, task_id, task_path))

        vars(saver).update(aput=aput, aput_writes=aput_writes)

    async def _watched(self, config: RunnableConfig, task: str | None, save: Coroutine[Any, Any, T]) -> T:
        self._count = n = self._count + 1
        about = {"n": n, "ns": config["configurable"].get("checkpoint_ns", ""), "task": task}
        while self._kill == Kill(n, "before"):
            if not any(other < n for other in self._open):
                die()
            await asyncio.sleep(0.001)
        self._open.add(n)
        self._log.note("save", **about)
        saved = await save
        self._log.note("saved", **about)
        self._open.remove(n)
        if self._kill == Kill(n, "after"):
            die()
        return saved


def live(job: Job) -> None:
    """Live one life; what came of it goes into `job.end`."""
    for name in [name for name in os.environ if name.startswith(FOREIGN)]:
        del os.environ[name]
    os.environ["WEIWO_HOME"] = str(job.folder)
    logging.getLogger("psycopg.pool").setLevel(logging.CRITICAL)  # as the command has it: the error itself is enough
    try:
        end = asyncio.run(_live(job))
    except Exception as error:  # noqa: BLE001 - it is the parent's to judge
        end = {"error": f"{type(error).__name__}: {error}", "trace": traceback.format_exc()}
    written = job.end.with_suffix(".part")
    written.write_text(json.dumps(end, ensure_ascii=False))
    written.rename(job.end)


async def _live(job: Job) -> dict[str, Any]:
    kill = job.kill

    def at(event: int) -> None:
        if kill is not None and kill.when == "event" and kill.at == event:
            threading.Timer(kill.wait, die).start()

    log = Log(job.log, at)
    async with open_checkpointer(Settings(home=str(job.folder)), job.url) as saver:
        Watch(saver, log, kill)
        graph = build_graph(saver, tools=tools(log, job.story), models=model(log, job.story))
        config: RunnableConfig = {"configurable": {"thread_id": job.thread}}
        snapshot = await graph.aget_state(config)
        if snapshot.created_at is not None and not snapshot.tasks:
            values = snapshot.values  # killed after its last write; `next` would be as empty after that of any step
        else:
            given: Any = None if snapshot.created_at is not None else {"question": QUESTION}
            if snapshot.interrupts:
                given = Command(resume=job.answer)
            context = Context(web=False, corpus=None, approve_plan=job.approve or None, max_replans=3)
            values = await graph.ainvoke(given, config, context=context, durability=job.durability)
        snapshot = await graph.aget_state(config)
        if snapshot.interrupts:
            return {"waiting": [interrupt.value for interrupt in snapshot.interrupts]}
        return {"result": values["result"], "messages": len(snapshot.values["messages"])}
