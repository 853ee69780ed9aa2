"""Runs of the graph for a question or the rest of an interrupted run, reported to a watcher."""

import glob
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, Final

from langchain_core.runnables import RunnableConfig
from langgraph.types import Command, StateSnapshot
from pydantic import ValidationError

from weiwo.app.errors import AppError, MisuseError, unknown_thread
from weiwo.app.render.watchers import Watcher
from weiwo.app.session.checkpoint_events import events_of, finished_tasks
from weiwo.app.session.session import APPROVE, RunEnd, Session, claim
from weiwo.app.session.waiting import read_waiting
from weiwo.nodes.executor.task_calls.consent import REQUEST as CONSENT
from weiwo.nodes.master.clarify import REQUEST as CLARIFY
from weiwo.nodes.planner.approval import REQUEST
from weiwo.state.settings import Context, SettingsError, describe_validation_error

_ELICIT: Final = "elicit"
"""The `type` of an MCP server's request during a call in 0.1. Now the call is repeated, and the request declined."""
OPTIONS_KEY: Final = "weiwo_options"
"""Metadata key of a run's options in its checkpoints, so that `resume` uses the options the run began with."""


async def ask(session: Session, question: str, thread_id: str, context: Context, watcher: Watcher) -> RunEnd:
    """Ask a question, on a new thread or as the next of a conversation, and return the end of the run.

    Raises:
        AppError: Another process works on the thread, or the graph ended without an answer.
        MisuseError: A user of the server owns the thread.
    """
    return await _follow(session, {"question": question}, thread_id, context, watcher)


async def resume(
    session: Session,
    thread_id: str,
    watcher: Watcher,
    answer: Any = None,
    context: Context | None = None,
    shown: str = "",
) -> RunEnd:
    """Finish an interrupted run, or continue a run waiting for a person.

    Args:
        session: The open database.
        thread_id: The thread.
        watcher: The watcher that receives the events.
        answer: The answer of the person. Without it a waiting run continues to wait.
        context: Options of the run. None: the options the run began with.
        shown: The hash of the request that the person saw, or its beginning. If another request waits by now, the
            answer is not used, and that request is returned with a complaint.

    Raises:
        MisuseError: There is no such thread, or it has no pending request for the answer.
    """
    snapshot = await session.graph.aget_state({"configurable": {"thread_id": thread_id}})
    if snapshot.created_at is None:
        raise unknown_thread(thread_id)
    context = context or read_options(snapshot.metadata)
    waiting, request = read_waiting(snapshot), _request_of(snapshot)
    if waiting.asking and answer is not None:  # edited, or killed on the way to the question
        ended = await _follow(session, None, thread_id, context, Watcher())
        return ended if not ended.request else await resume(session, thread_id, watcher, answer, context, shown)
    if request is None and answer not in (None, APPROVE):
        if _ELICIT in _kinds_of(snapshot):
            raise MisuseError(
                f"thread {thread_id}: a request of an MCP server during a call can no longer be answered; to "
                f"continue without it, run weiwo resume {thread_id}"
            )
        raise MisuseError(
            f"thread {thread_id} has no pending request; to change a past run, see weiwo show {thread_id} "
            "--history and weiwo ask --from"
        )
    if waiting.status == "idle":
        return RunEnd(thread_id, dict(snapshot.values.get("result") or {}), ran=False)
    for event in events_of(snapshot.values, await finished_tasks(session.saver, snapshot)):
        watcher.event(event)
    if request is not None and answer is None:
        async with watcher:
            watcher.event({"type": "waiting"})
        return RunEnd(thread_id, {}, request)
    if request is not None and not str(request.get("hash", "")).startswith(shown):
        told = "the pending request is not the one shown; review it, then answer"
        return RunEnd(thread_id, {}, {**request, "complaints": [told]})
    asked = next((interrupt.id for interrupt in waiting.interrupts if interrupt.value is request), "")
    given: Any = Command(resume={asked: answer}) if request is not None else None  # others may wait beside it
    return await _follow(session, given, thread_id, context, watcher)


def _request_of(snapshot: StateSnapshot) -> Mapping[str, Any] | None:
    """Return the request of a thread about the question, the plan or a tool, or None.

    Raises:
        AppError: The thread asks something else. A tool of the user's own may do so, and only its author knows the
            answers.
    """
    values = [interrupt.value for interrupt in snapshot.interrupts]
    for value, kind in zip(values, kinds := _kinds_of(snapshot), strict=True):
        if kind in {REQUEST, CONSENT, CLARIFY}:
            return value  # type: ignore[no-any-return]
    if values and set(kinds) != {_ELICIT}:
        raise AppError(
            f"the thread waits for an answer to a custom request: {str(values[0])[:120]!r}; resume it "
            "from Python: graph.ainvoke(Command(resume=…), config)"
        )
    return None


def _kinds_of(snapshot: StateSnapshot) -> list[Any]:
    """Return the `type` of each waiting request of a thread."""
    return [
        interrupt.value.get("type") if isinstance(interrupt.value, Mapping) else None
        for interrupt in snapshot.interrupts
    ]


async def _follow(session: Session, given: Any, thread_id: str, context: Context, watcher: Watcher) -> RunEnd:
    config: RunnableConfig = {
        "configurable": {"thread_id": thread_id},
        "metadata": {OPTIONS_KEY: options_of(context)},
    }
    last: Mapping[str, Any] = {}
    watched = False
    stream: AsyncIterator[Any] = session.graph.astream(
        given,
        config,
        context=context,
        stream_mode=["custom", "messages", "values"],
        durability="sync",
    )
    async with claim(session, thread_id), AsyncExitStack() as watching:
        async for mode, chunk in stream:
            if not watched:  # now there is a checkpoint
                watched = True
                watcher.begin()
                await watching.enter_async_context(watcher)
            if mode == "custom":
                watcher.event(chunk)
            elif mode == "messages":
                message, metadata = chunk
                if metadata.get("langgraph_node") == "writer" and message.type == "AIMessageChunk":
                    watcher.token(str(message.text))
            else:
                last = chunk
        if last.get("result"):
            return RunEnd(thread_id, {**last["result"], "thread_id": thread_id})
        request = _request_of(await session.graph.aget_state(config))
        if request is not None:
            watcher.event({"type": "waiting"})
            return RunEnd(thread_id, {}, request)
    raise AppError(f"the graph ended without an answer; run weiwo resume {thread_id}")


def options_of(context: Context) -> str:
    """Serialize the options as JSON, with absolute corpus paths, since `resume` may run elsewhere.

    `answer_memory` is left out, because a resumed or forked run must not be answered from the memory.
    """
    options = context.model_dump(exclude_none=True, exclude={"answer_memory"})
    if context.corpus:
        options["corpus"] = [_absolute(entry) for entry in context.corpus]
    for field in ("mcp", "procedures"):
        if path := options.get(field):
            options[field] = str(Path(path).expanduser().absolute())
    return json.dumps(options)


def _absolute(entry: str) -> str:
    """Make a path absolute. The name of a corpus, which is no existing path and has no slash, is returned unchanged."""
    path = Path(entry).expanduser()
    return str(path.absolute()) if path.exists() or "/" in entry or glob.has_magic(entry) else entry


def read_options(metadata: Mapping[str, Any] | None) -> Context:
    """Return the options that a run began with, from the metadata of a checkpoint, or no options if it holds none.

    Raises:
        SettingsError: The options of the checkpoint are invalid.
    """
    text = (metadata or {}).get(OPTIONS_KEY)
    if not isinstance(text, str):
        return Context()
    try:
        return Context.model_validate_json(text)
    except ValidationError as error:
        raise SettingsError(
            f"the thread's saved options are invalid: {describe_validation_error(error)}; ask again instead of resuming"
        ) from None
