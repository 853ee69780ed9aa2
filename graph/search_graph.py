"""The compiled graph returned by `build_graph`: LangGraph's, with synchronous calls and safe copies.

Every node is async, and LangGraph runs async nodes for async callers only. So `invoke` and `stream` run the graph on
the event loop of its checkpointer, if that runs in another thread, else on a new loop in a thread of its own. The
caller gets the result as soon as the run ends, even if a tool still blocks a worker thread. A caller who is
interrupted, or leaves a stream early, cancels the run. Savers with only sync methods run in worker threads.

Servers copy a graph, to give it their own checkpointer. LangGraph derives from the state's schema which types may be
built from stored bytes, and loses this list in every copy (langgraph 1.2, `Pregel.copy`): on a strict server a thread
that waits or was interrupted would be read as dicts. Copies of this graph keep the list.
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
"""LangGraph's configuration key that is present only within a node, so that the graph is a subgraph."""
_CHECKPOINT_KEYS: Final = frozenset({"checkpoint_id", "checkpoint_map"})
_POLL_SECONDS: Final = 1.0
"""Polling interval of a waiting caller, because a signal that arrives just as the wait begins does not end it."""
_END_SECONDS: Final = 2.0
"""Longest wait for a cancelled run and its thread to end. A tool may block them for longer."""
_TOOL_DESCRIPTION: Final = (
    "Answers a question from documents and the web by planned search; every claim leads to its source."
)


class ToolQuestion(BaseModel):
    """Arguments of the graph as a tool."""

    question: str = Field(description="The whole question, as one would ask a person who knows nothing of before.")


class SearchGraph(CompiledStateGraph[Any, Any, Any, Any]):
    """Compiled graph with synchronous calls, and with copies that can read its checkpoints on a strict server."""

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
        """Return the graph as a tool for another agent, from `{"question": …}` to the answer with its sources.

        The artifact is the `result` of the graph.

        Args:
            args_schema: Another schema of arguments. The tool is then LangChain's own, which returns the whole output.
            options: `name` and `description`, as for LangChain's method.
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
        """Stream like LangGraph. An answer (`Command(resume=…)`) may be sent to an earlier checkpoint.

        LangGraph would use the answer that was given at that checkpoint before, instead of the one sent.
        """
        if isinstance(input, Command):
            return self._stream_command(input, config, kwargs)
        return super().astream(input, config, **kwargs)

    async def _stream_command(
        self, command: Command[Any], config: RunnableConfig | None, options: dict[str, Any]
    ) -> AsyncIterator[Any]:
        """Stream the run of a command.

        At an earlier checkpoint, LangGraph 1.2 uses the saved answers before the one sent now: an earlier yes would
        count again. So the checkpoint first runs again without an answer, and the new answer is given to the question
        that is then asked, if it is the same as before.

        Raises:
            EmptyInputError: The command is empty.
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
        """Run `ainvoke` and wait for the result. A caller inside an event loop blocks the loop.

        Raises:
            RuntimeError: The checkpointer is bound to the caller's event loop.
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
        """Stream as `astream` does, for callers without an event loop. A caller inside a loop blocks it."""
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
        """Start a coroutine on the checkpointer's event loop if that is running, else on a new loop in a new thread.

        Raises:
            RuntimeError: The checkpointer is bound to the caller's event loop, which the caller would block.
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
    """Assign answers to earlier questions to the questions that wait now, if they are the same.

    If the earlier question had the id "a" and waits again under the id "b", the answer "yes" gives `{"b": "yes"}`.

    Args:
        answer: An answer, or answers by the ids of the earlier questions.
        before: The earlier questions.
        now: The questions that wait now.

    Returns:
        Answers by the ids of the questions that wait now, or None if no question is the same as before. Also None for
        an answer without ids if several questions are open.
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
    """Return the content of a question for comparison.

    Remarks on an earlier answer and texts for display are left out.
    """
    if not isinstance(asked.value, Mapping):
        return asked.value
    said = {"complaints", "description", "action_requests"}
    return {key: value for key, value in asked.value.items() if key not in said}


def _with_async_saver(config: RunnableConfig | None) -> RunnableConfig:
    """Return the merged configuration, in which the saver of an outer graph, if any, has async methods."""
    whole = ensure_config(config)
    saver = whole["configurable"].get(SAVER_KEY)
    if isinstance(saver, BaseCheckpointSaver):
        whole["configurable"] = {**whole["configurable"], SAVER_KEY: with_async_methods(saver)}
    return whole


def _as_tool_reply(values: SearchOutput) -> tuple[str, dict[str, Any]]:
    """Return the answer with its list of sources, and the result. If the run waits for approval, a notice and {}."""
    if "__interrupt__" in values:
        return "The plan needs approval; nothing was searched yet.", {}
    return values["messages"][-1].text, dict(values["result"])


def _take(parts: "queue.SimpleQueue[Any]") -> Any:
    # The loop ends, because a run puts an end mark into the queue even if it fails.
    while True:
        with suppress(queue.Empty):
            return parts.get(timeout=_POLL_SECONDS)


class _LoopTask(Generic[T]):
    """Coroutine running on an event loop of another thread. `result` is the future of its result."""

    def __init__(self, coroutine: Coroutine[Any, Any, T], loop: asyncio.AbstractEventLoop) -> None:
        context = contextvars.copy_context()

        async def await_loop_task() -> T:
            return await loop.create_task(coroutine, context=context)

        self.result: Future[T] = asyncio.run_coroutine_threadsafe(await_loop_task(), loop)

    def end(self) -> None:
        """Cancel the coroutine, unless finished."""
        self.result.cancel()


class _LoopThread(Generic[T]):
    """Coroutine running on a new event loop in a new thread. `result` is the future of its result."""

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
