"""Runs the graph for one question, or the rest of an interrupted one, and tells a watcher what happens."""

import json
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Protocol, Self

from langchain_core.runnables import RunnableConfig
from pydantic import ValidationError

from app.errors import CommandError, UsageError
from app.history import events_of, finished_tasks
from app.progress import Progress
from app.session import Session
from state.settings import Context, SettingsError, one_line

OPTIONS_KEY: Final = "weiwo_options"
"""Under this name a run's options travel with its checkpoints, so that `resume` works as the run began."""


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


async def ask(session: Session, question: str, thread_id: str, context: Context, watcher: Watcher) -> dict[str, Any]:
    """Ask a question, on a new thread or as the next of a conversation.

    Returns:
        The result object.
    """
    return await _follow(session, {"question": question}, thread_id, context, watcher)


async def resume(session: Session, thread_id: str, watcher: Watcher) -> tuple[dict[str, Any], bool]:
    """Finish what was interrupted, with the options it began with.

    Returns:
        The result object, and whether there was anything to finish.

    Raises:
        UsageError: There is no such thread.
    """
    snapshot = await session.graph.aget_state({"configurable": {"thread_id": thread_id}})
    if snapshot.created_at is None:
        raise unknown_thread(thread_id)
    if not snapshot.next:
        return dict(snapshot.values.get("result") or {}), False
    for event in events_of(snapshot.values, await finished_tasks(session.saver, snapshot)):
        watcher.event(event)
    return await _follow(session, None, thread_id, _remembered(snapshot.metadata), watcher), True


def unknown_thread(thread_id: str) -> UsageError:
    """The error for a thread the database does not have."""
    return UsageError(f"thread {thread_id!r}; the database has no such thread; weiwo threads lists those it has")


async def _follow(
    session: Session, given: dict[str, Any] | None, thread_id: str, context: Context, watcher: Watcher
) -> dict[str, Any]:
    config: RunnableConfig = {
        "configurable": {"thread_id": thread_id},
        "metadata": {OPTIONS_KEY: _options(context)},
    }
    last: Mapping[str, Any] = {}
    stream: AsyncIterator[Any] = session.graph.astream(
        given,
        config,
        context=context,
        stream_mode=["custom", "messages", "values"],
        durability="sync",
    )
    async with watcher:
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
    if not last.get("result"):
        raise CommandError(f"no answer; the graph ended without a result; try: weiwo resume {thread_id}")
    return {**last["result"], "thread_id": thread_id}


def _options(context: Context) -> str:
    """The options as JSON; corpus paths made absolute, since `resume` may be called elsewhere."""
    options = context.model_dump(exclude_none=True)
    if context.corpus:
        options["corpus"] = [str(Path(path).expanduser().absolute()) for path in context.corpus]
    return json.dumps(options)


def _remembered(metadata: Mapping[str, Any] | None) -> Context:
    """The options a run began with; none where the command did not start it."""
    text = (metadata or {}).get(OPTIONS_KEY)
    if not isinstance(text, str):
        return Context()
    try:
        return Context.model_validate_json(text)
    except ValidationError as error:
        raise SettingsError(f"the thread's own options; {one_line(error)}; ask again instead of resuming") from None
