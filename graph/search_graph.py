"""The compiled graph returned by `build_graph`: LangGraph's, with synchronous calls and safe copies.

Every node is async, and LangGraph runs async nodes for async callers only. So `invoke` and `stream` run the graph on
the event loop that its checkpointer is bound to, if that runs in another thread, else on a loop of their own. That loop
has its own thread: the caller has the result when the run has it, even if a tool still blocks some thread, and a caller
who is interrupted, or leaves a stream early, ends the run at once. Savers with sync methods alone work in threads.

Servers copy a graph, to give it their own checkpointer. LangGraph derives from the state's schema which types may be
built from stored bytes, and forgets it in every copy (langgraph 1.2, `Pregel.copy`): on a strict server a thread that
waits or was interrupted would come back as bare dicts. Copies of this graph may read what it wrote.
"""

import asyncio
import contextvars
import queue
import threading
from collections.abc import AsyncIterator, Coroutine, Iterator, Mapping, Sequence
from concurrent.futures import Future, wait
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final, Generic, Self, TypeVar, cast

from langchain_core.runnables import RunnableConfig, ensure_config
from langchain_core.tools import BaseTool, StructuredTool
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.errors import EmptyInputError
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command, Interrupt
from pydantic import BaseModel, Field

from weiwo.graph.persistence.saver_rules import SAVER_KEY
from weiwo.graph.persistence.serializer import with_async_methods
from weiwo.state.search import SearchOutput

T = TypeVar("T")
_END: Final = object()
_SCRATCHPAD_KEY: Final = "__pregel_scratchpad"
"""Where it keeps what a node knows: a configuration that has it is of a graph within a node."""
_CHECKPOINT_KEYS: Final = frozenset({"checkpoint_id", "checkpoint_map"})
_POLL_SECONDS: Final = 1.0
"""Seconds after which a waiting caller looks up: a signal that comes as it begins to wait does not wake it."""
_END_SECONDS: Final = 2.0
"""Seconds that a run which was called off has to end, and its thread after it; a tool may block it for longer."""
_TOOL_DESCRIPTION: Final = (
    "Answers a question from documents and the web by planned search; every claim leads to its source."
)


class ToolQuestion(BaseModel):
    """Arguments of the graph as a tool."""

    question: str = Field(description="The whole question, as one would ask a person who knows nothing of before.")


class SearchGraph(CompiledStateGraph[Any, Any, Any, Any]):
    """A compiled graph with synchronous calls, and with copies able to read earlier writes."""

    @classmethod
    def of(cls, compiled: CompiledStateGraph[Any, Any, Any, Any]) -> Self:
        """Convert a compiled graph to this class."""
        graph = cls(**vars(compiled))
        graph._serde_allowlist = compiled._serde_allowlist  # noqa: SLF001 - as LangGraph's own `compile` sets it
        return graph

    def copy(self, update: dict[str, Any] | None = None) -> Self:
        """Return a copy with the given attributes changed."""
        copied = super().copy(update)
        copied._serde_allowlist = self._serde_allowlist  # noqa: SLF001 - the same
        return copied

    def as_tool(self, args_schema: type[BaseModel] | None = None, **options: Any) -> BaseTool:
        """Return the graph as a tool of another agent, from `{"question": …}` to the answer.

        The artifact is the result.

        Args:
            args_schema: Other arguments. The tool is then LangChain's own, which returns everything that the graph
                does.
            options: `name` and `description`, as LangChain's.
        """
        if args_schema is not None or "arg_types" in options:
            return super().as_tool(args_schema, **options)

        async def ask(question: str, config: RunnableConfig) -> tuple[str, dict[str, Any]]:
            return _as_tool_reply(await self.ainvoke({"question": question}, config))

        def ask_blocking(question: str, config: RunnableConfig) -> tuple[str, dict[str, Any]]:
            return _as_tool_reply(self.invoke({"question": question}, config))

        return StructuredTool.from_function(
            func=ask_blocking,
            coroutine=ask,
            name=options.get("name") or self.get_name(),
            description=options.get("description") or _TOOL_DESCRIPTION,
            args_schema=ToolQuestion,
            response_format="content_and_artifact",
        )

    def astream(
        self,
        input: Any,
        config: Any = None,
        **kwargs: Any,
    ) -> AsyncIterator[Any]:
        """Stream like LangGraph, with answers bound to the given checkpoint.

        An answer sent with an earlier checkpoint is never mistaken for the answer given there before.
        """
        if isinstance(input, Command):
            return self._stream_command(input, config, kwargs)
        return super().astream(input, config, **kwargs)

    async def _stream_command(
        self, command: Command[Any], config: RunnableConfig | None, options: dict[str, Any]
    ) -> AsyncIterator[Any]:
        """Run a command.

        LangGraph 1.2 hands the answers that are kept with a checkpoint to its questions before it looks at the one
        sent now: an earlier yes would run again. So an earlier checkpoint runs again first, and the answer is given to
        what that asks, if it is what was asked there.

        Raises:
            EmptyInputError: The command says nothing.
        """
        if command.resume is None and not command.update and not command.goto and command.graph is None:
            raise EmptyInputError(
                "the command is empty, and an answer must not be null; to continue, use the input None"
            )
        place = ensure_config(config)["configurable"]
        nested = _SCRATCHPAD_KEY in place or place.get("checkpoint_ns")
        if command.resume is not None and place.get("checkpoint_id") and not nested:
            newest: RunnableConfig = {**(config or {})}
            newest["configurable"] = {key: value for key, value in place.items() if key not in _CHECKPOINT_KEYS}
            head = await self.aget_state(newest)
            if head.config["configurable"].get("checkpoint_id") != place["checkpoint_id"]:
                before = await self.aget_state(cast("RunnableConfig", config))
                parts = [part async for part in super().astream(None, config, **options)]
                answer = carry_answer(command.resume, before.interrupts, (await self.aget_state(newest)).interrupts)
                if answer is None:
                    # The new request differs from the answered request, so it has to wait for an answer of its own.
                    for part in parts:
                        yield part
                    return
                command, config = replace(command, resume=answer), newest
        async for part in super().astream(command, config, **options):
            yield part

    async def ainvoke(  # type: ignore[override]  # LangGraph's gives a dict of anything
        self,
        input: Any,
        config: Any = None,
        **kwargs: Any,
    ) -> SearchOutput:
        """Run the graph like LangGraph, with a typed result."""
        return cast("SearchOutput", await super().ainvoke(input, config, **kwargs))

    def invoke(  # type: ignore[override]  # the same
        self,
        input: Any,
        config: Any = None,
        **kwargs: Any,
    ) -> SearchOutput:
        """Run `ainvoke` for callers without an event loop.

        A caller inside an event loop blocks it.
        """
        config = _with_async_saver(config)
        run = self._start(self.ainvoke(input, config, **kwargs), config)
        try:
            while not wait([run.result], _POLL_SECONDS).done:
                pass
            return run.result.result()
        finally:
            run.end()

    def stream(self, input: Any, config: Any = None, **kwargs: Any) -> Iterator[Any]:
        """As `astream`, for callers without an event loop."""
        parts: queue.SimpleQueue[Any] = queue.SimpleQueue()
        config = _with_async_saver(config)

        async def pump() -> None:
            async for part in self.astream(input, config, **kwargs):
                parts.put(part)

        run = self._start(pump(), config)
        run.result.add_done_callback(lambda _: parts.put(_END))
        try:
            while (part := _take(parts)) is not _END:
                yield part
            run.result.result()
        finally:
            run.end()

    def _start(self, coroutine: Coroutine[Any, Any, T], config: RunnableConfig) -> "_LoopThread[T] | _LoopTask[T]":
        """Run a coroutine on the checkpointer's loop, if running in another thread, else on a new loop.

        Raises:
            RuntimeError: The checkpointer is bound to the loop of the caller, who would block it.
        """
        saver = config["configurable"].get(SAVER_KEY) or self.checkpointer
        loop = getattr(saver, "loop", None)
        if not isinstance(loop, asyncio.AbstractEventLoop) or not loop.is_running():
            return _LoopThread(coroutine)
        if asyncio._get_running_loop() is loop:  # noqa: SLF001 - the public one raises where there is none
            coroutine.close()
            raise RuntimeError("the checkpointer works on this event loop; use ainvoke or astream")
        return _LoopTask(coroutine, loop)


def carry_answer(answer: Any, before: Sequence[Interrupt], now: Sequence[Interrupt]) -> dict[str, Any] | None:
    """Address an answer to repeated questions.

    Args:
        answer: An answer, or answers by the ids of the earlier questions.
        before: The earlier questions.
        now: The questions as they wait now.

    Returns:
        Answers by the ids of the questions that ask the same as before. None if there are none.
    """
    ids = {interrupt.id for interrupt in before}
    by_id = isinstance(answer, Mapping) and answer and set(answer) <= ids
    if not by_id and (len(before) != 1 or len(now) != 1):
        return None
    found = {}
    for old in before:
        if by_id and old.id not in answer:
            continue
        same = (
            interrupt.id
            for interrupt in now
            if interrupt.id not in found and _content_of(interrupt) == _content_of(old)
        )
        if (new := next(same, None)) is not None:
            found[new] = answer[old.id] if by_id else answer
    return found or None


def _content_of(asked: Interrupt) -> Any:
    """Return the content of a question, without remarks on an earlier answer."""
    if not isinstance(asked.value, Mapping):
        return asked.value
    said = {"complaints", "description", "action_requests"}
    return {key: value for key, value in asked.value.items() if key not in said}


def _with_async_saver(config: RunnableConfig | None) -> RunnableConfig:
    """Return the merged configuration, with async methods on the saver of a surrounding graph."""
    whole = ensure_config(config)
    saver = whole["configurable"].get(SAVER_KEY)
    if isinstance(saver, BaseCheckpointSaver):
        whole["configurable"] = {**whole["configurable"], SAVER_KEY: with_async_methods(saver)}
    return whole


def _as_tool_reply(values: SearchOutput) -> tuple[str, dict[str, Any]]:
    """Return the answer with the list of sources, and the full result."""
    if "__interrupt__" in values:
        return "The plan needs approval; nothing was searched yet.", {}
    return values["messages"][-1].text, dict(values["result"])


def _take(parts: "queue.SimpleQueue[Any]") -> Any:
    # The loop ends, because a run puts an end mark into the queue even if it fails.
    while True:
        with suppress(queue.Empty):
            return parts.get(timeout=_POLL_SECONDS)


class _LoopTask(Generic[T]):
    """A coroutine on a loop of another thread. `result` is the future result."""

    def __init__(self, coroutine: Coroutine[Any, Any, T], loop: asyncio.AbstractEventLoop) -> None:
        context = contextvars.copy_context()

        async def await_loop_task() -> T:
            return await loop.create_task(coroutine, context=context)

        self.result: Future[T] = asyncio.run_coroutine_threadsafe(await_loop_task(), loop)

    def end(self) -> None:
        """Cancel the coroutine, unless finished."""
        self.result.cancel()


class _LoopThread(Generic[T]):
    """A coroutine on a loop and a thread of its own. `result` is the future result."""

    def __init__(self, coroutine: Coroutine[Any, Any, T]) -> None:
        self.result: Future[T] = Future()
        self._begun = threading.Event()
        run = contextvars.copy_context().run
        self._thread = threading.Thread(target=run, args=(self._run, coroutine), name="weiwo-run", daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Cancel the coroutine, unless finished."""
        self._begun.wait(_END_SECONDS)
        if not self.result.done():
            # The loop may be closed between the check and the call.
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._task.cancel)
        self._thread.join(_END_SECONDS)

    def _run(self, coroutine: Coroutine[Any, Any, T]) -> None:
        async def await_main_task() -> T:
            self._loop = asyncio.get_running_loop()
            self._task = self._loop.create_task(coroutine)
            self._begun.set()
            return await self._task

        with asyncio.Runner() as runner:
            try:
                value = runner.run(await_main_task())
            except BaseException as error:  # noqa: BLE001 - a thread has nobody to raise to: whoever reads the result gets it
                self.result.set_exception(error)
            else:
                self.result.set_result(value)
