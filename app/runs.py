"""Runs the graph for one question, or the rest of an interrupted one, and tells a watcher what happens."""

import glob
import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Protocol, Self

from langchain_core.runnables import RunnableConfig
from langgraph.types import Command
from pydantic import ValidationError

from app.errors import CommandError, UsageError
from app.history import events_of, finished_tasks
from app.progress import Progress
from app.session import Session, claim
from app.watch import Silent
from nodes.approval import REQUEST
from state.settings import Context, SettingsError, one_line

if TYPE_CHECKING:
    from langgraph.types import StateSnapshot

OPTIONS_KEY: Final = "weiwo_options"
"""Under this name a run's options travel with its checkpoints, so that `resume` works as the run began."""


APPROVE: Final = "approve"


class Watcher(Protocol):
    """Whoever draws a run. Entered before it, left after it, however it ends.

    Attributes:
        progress: What it has been told.
    """

    progress: Progress

    def event(self, event: Mapping[str, Any]) -> None:
        """One of the graph's events."""

    def token(self, text: str) -> None:
        """The next piece of the answer."""

    async def __aenter__(self) -> Self: ...

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


@dataclass(frozen=True)
class Ended:
    """How a run ended, or where it waits.

    Attributes:
        thread_id: Its thread.
        result: The result object; empty while the run waits.
        request: What it asks a person, where it waits for one.
        ran: Whether there was anything to run.
    """

    thread_id: str
    result: dict[str, Any]
    request: Mapping[str, Any] | None = None
    ran: bool = True


async def ask(session: Session, question: str, thread_id: str, context: Context, watcher: Watcher) -> Ended:
    """Ask a question, on a new thread or as the next of a conversation."""
    return await _follow(session, {"question": question}, thread_id, context, watcher)


async def resume(
    session: Session, thread_id: str, watcher: Watcher, answer: Any = None, context: Context | None = None
) -> Ended:
    """Finish what was interrupted, or go on with what waits for a person.

    Args:
        session: The open database.
        thread_id: The thread.
        watcher: Who is told.
        answer: What the person says; without it a run that waits goes on waiting.
        context: Options; by default those it began with.

    Raises:
        UsageError: There is no such thread, or it waits for nothing that such an answer could be to.
    """
    snapshot = await session.graph.aget_state({"configurable": {"thread_id": thread_id}})
    if snapshot.created_at is None:
        raise unknown_thread(thread_id)
    context = context or remembered(snapshot.metadata)
    request = request_of(snapshot)
    if request is None and answer is not None and snapshot.next == ("approval",):  # killed on the way to the question
        ended = await _follow(session, None, thread_id, context, Silent())
        return ended if ended.request is None else await resume(session, thread_id, watcher, answer, context)
    if request is None and answer not in (None, APPROVE):
        raise UsageError(
            f"thread {thread_id}; no plan of it waits for approval; to change what ran, see weiwo show {thread_id}"
            " --history and weiwo ask --from"
        )
    if not snapshot.tasks:  # not `next`: of a run that died between a node's writes and its checkpoint, that is empty
        return Ended(thread_id, dict(snapshot.values.get("result") or {}), ran=False)
    for event in events_of(snapshot.values, await finished_tasks(session.saver, snapshot)):
        watcher.event(event)
    if request is not None and answer is None:
        async with watcher:
            watcher.event({"type": "waiting"})
        return Ended(thread_id, {}, request)
    given: Any = Command(resume=answer) if request is not None else None
    return await _follow(session, given, thread_id, context, watcher)


def request_of(snapshot: "StateSnapshot") -> Mapping[str, Any] | None:
    """What a thread asks a person about its plan; None where it does not.

    Raises:
        CommandError: It asks something else: a tool of the user's own, say, and only its maker knows the answers.
    """
    values = [one.value for one in snapshot.interrupts]
    for value in values:
        if isinstance(value, Mapping) and value.get("type") == REQUEST:
            return value
    if values:
        raise CommandError(
            f"the thread waits for an answer that is not about a plan; it asks {str(values[0])[:120]!r}; resume it from"
            " Python: graph.ainvoke(Command(resume=…), config)"
        )
    return None


def unknown_thread(thread_id: str) -> UsageError:
    """The error for a thread the database does not have."""
    return UsageError(f"thread {thread_id!r}; the database has no such thread; weiwo threads lists those it has")


async def _follow(session: Session, given: Any, thread_id: str, context: Context, watcher: Watcher) -> Ended:
    config: RunnableConfig = {
        "configurable": {"thread_id": thread_id},
        "metadata": {OPTIONS_KEY: options_of(context)},
    }
    last: Mapping[str, Any] = {}
    stream: AsyncIterator[Any] = session.graph.astream(
        given,
        config,
        context=context,
        stream_mode=["custom", "messages", "values"],
        durability="sync",
    )
    async with claim(session, thread_id), watcher:
        async for mode, chunk in stream:
            watcher.progress.begun = True
            if mode == "custom":
                watcher.event(chunk)
            elif mode == "messages":
                message, metadata = chunk
                if metadata.get("langgraph_node") == "writer" and message.type == "AIMessageChunk":
                    watcher.token(str(message.text))
            else:
                last = chunk
        if last.get("result"):
            return Ended(thread_id, {**last["result"], "thread_id": thread_id})
        request = request_of(await session.graph.aget_state(config))
        if request is not None:
            watcher.event({"type": "waiting"})
            return Ended(thread_id, {}, request)
    raise CommandError(f"no answer; the graph ended without a result; try: weiwo resume {thread_id}")


def options_of(context: Context) -> str:
    """The options as JSON; corpus paths made absolute, since `resume` may be called elsewhere."""
    options = context.model_dump(exclude_none=True)
    if context.corpus:
        options["corpus"] = [_absolute(entry) for entry in context.corpus]
    return json.dumps(options)


def _absolute(entry: str) -> str:
    """A path as it is found from anywhere; the name of a corpus as it is."""
    path = Path(entry).expanduser()
    return str(path.absolute()) if path.exists() or "/" in entry or glob.has_magic(entry) else entry


def remembered(metadata: Mapping[str, Any] | None) -> Context:
    """The options a run began with; none where the command did not start it."""
    text = (metadata or {}).get(OPTIONS_KEY)
    if not isinstance(text, str):
        return Context()
    try:
        return Context.model_validate_json(text)
    except ValidationError as error:
        raise SettingsError(f"the thread's own options; {one_line(error)}; ask again instead of resuming") from None
