"""The graph called without an event loop, and from within one."""

import asyncio
import os
import signal
import threading
from typing import get_type_hints

import pytest
from langchain_core.tools import StructuredTool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import START, MessagesState, StateGraph

from tests.support.late_clock import count_from
from weiwo.graph import build_graph, graph
from weiwo.graph.persistence.checkpointer import serializer
from weiwo.graph.search_graph import SearchGraph
from weiwo.nodes.shared.question.validation import QuestionError
from weiwo.state.search import SearchOutput
from weiwo.state.settings import Context

pytestmark = pytest.mark.usefixtures("indexed_home")

BURJ = {"question": "How tall is the Burj Khalifa?"}


def test_invoke_answers():
    assert "828" in graph.invoke(BURJ)["result"]["answer"]


async def test_invoke_answers_from_within_a_loop():
    assert "828" in graph.invoke(BURJ)["result"]["answer"]


def test_stream_yields_and_ends():
    modes = [mode for mode, _ in graph.stream(BURJ, stream_mode=["custom", "values"])]
    assert modes.count("values") >= 3
    assert "custom" in modes


def test_a_stream_left_early_ends_its_run():
    stream = graph.stream(BURJ, stream_mode="custom")
    assert next(stream)["type"] == "assessed"
    stream.close()
    assert not [thread for thread in threading.enumerate() if thread.name == "weiwo-run"]


def test_errors_come_through():
    with pytest.raises(QuestionError):
        graph.invoke({"question": " "})
    with pytest.raises(QuestionError):
        list(graph.stream({"question": " "}))


def test_threads_are_kept():
    kept = build_graph(InMemorySaver(serde=serializer()))
    config = {"configurable": {"thread_id": "sync"}}
    kept.invoke(BURJ, config)
    kept.invoke({"question": "Hello!"}, config)
    assert [message.type for message in kept.get_state(config).values["messages"]] == ["human", "ai", "human", "ai"]


def test_what_comes_back_has_a_type():
    assert get_type_hints(SearchGraph.invoke)["return"] is SearchOutput
    assert get_type_hints(SearchGraph.ainvoke)["return"] is SearchOutput
    shown = graph.get_output_jsonschema()
    assert {"answer", "claims", "citations"} <= set(shown["$defs"]["Result"]["properties"])


@pytest.fixture
def sync_saver(tmp_path):
    with SqliteSaver.from_conn_string(str(tmp_path / "sync.sqlite")) as saver:
        yield saver


def test_a_saver_with_sync_methods_alone_keeps_threads(sync_saver):
    kept, at = build_graph(sync_saver), {"configurable": {"thread_id": "sync"}}
    stopped = list(kept.stream(BURJ, at, interrupt_after=["executor"], stream_mode="updates"))
    assert stopped
    assert kept.get_state(at).next
    assert "828" in kept.invoke(None, at)["result"]["answer"]
    assert build_graph(sync_saver).get_state(at).values["result"]["status"] == "complete"
    assert isinstance(kept.checkpointer, SqliteSaver)


async def test_and_async_callers_have_it_too(sync_saver):
    kept, at = build_graph(sync_saver), {"configurable": {"thread_id": "sync"}}
    assert "828" in (await kept.ainvoke(BURJ, at))["result"]["answer"]
    assert [one async for one in kept.aget_state_history(at, limit=2)]


def test_a_sync_graph_around_it_keeps_both(sync_saver):
    outer = StateGraph(MessagesState)
    outer.add_node("ask", build_graph())
    outer.add_edge(START, "ask")
    whole = outer.compile(checkpointer=sync_saver)
    asked = {"messages": [("user", BURJ["question"])]}
    assert "828" in whole.invoke(asked, {"configurable": {"thread_id": "sync"}})["messages"][-1].text


async def test_sync_and_async_callers_share_a_saver_that_is_bound_to_a_loop(tmp_path):
    async with AsyncSqliteSaver.from_conn_string(str(tmp_path / "async.sqlite")) as saver:
        kept = build_graph(saver)

        def config(name):
            return {"configurable": {"thread_id": name}}

        many = [asyncio.to_thread(kept.invoke, BURJ, config(f"sync {n}")) for n in range(4)]
        many += [kept.ainvoke(BURJ, config(f"async {n}")) for n in range(4)]
        assert all("828" in done["result"]["answer"] for done in await asyncio.gather(*many))
        streamed = await asyncio.to_thread(lambda: [*kept.stream(BURJ, config("stream"), stream_mode="values")])
        assert "828" in streamed[-1]["result"]["answer"]
        with pytest.raises(RuntimeError, match="use ainvoke or astream"):
            kept.invoke(BURJ, config("blocked"))


def hanging(over: threading.Event, *, blocks: bool) -> tuple[StructuredTool, threading.Event]:
    """A search that never ends by itself; the event tells that it has begun."""
    begun = threading.Event()

    async def wait(query: str) -> str:  # noqa: ARG001 - its schema
        begun.set()
        await asyncio.Event().wait()
        return ""

    def block(query: str) -> str:  # noqa: ARG001 - the same
        begun.set()
        over.wait(600)
        return ""

    if blocks:
        return StructuredTool.from_function(block, name="corpus_search", description="Finds."), begun
    return StructuredTool.from_function(coroutine=wait, name="corpus_search", description="Finds."), begun


@pytest.mark.parametrize("blocks", [False, True])
def test_a_stream_that_is_left_does_not_wait_for_a_tool(blocks):
    over = threading.Event()
    tool, begun = hanging(over, blocks=blocks)
    stream = build_graph(tools=[tool]).stream(BURJ, stream_mode="custom")
    assert next(part for part in stream if part["type"] == "task_started")
    assert begun.wait(120)
    stream.close()  # would hang for as long as the tool does
    over.set()
    for thread in threading.enumerate():
        if thread.name == "weiwo-run":
            thread.join(120)
            assert not thread.is_alive()


def test_a_tool_that_blocks_a_thread_does_not_hold_back_the_result(monkeypatch):
    over = threading.Event()
    tool, begun = hanging(over, blocks=True)
    count_from(begun.is_set, monkeypatch)
    result = build_graph(tools=[tool]).invoke(BURJ, context=Context(max_seconds=2))["result"]
    assert not over.is_set()
    assert begun.is_set()
    assert (result["status"], result["stop_reason"]) == ("partial", "max_seconds")
    over.set()


def test_a_caller_who_is_interrupted_ends_the_run():
    tool, begun = hanging(threading.Event(), blocks=False)

    def interrupt() -> None:
        assert begun.wait(120)
        os.kill(os.getpid(), signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # what starts in the background ignores it
    threading.Thread(target=interrupt).start()
    try:
        with pytest.raises(KeyboardInterrupt):
            build_graph(tools=[tool]).invoke(BURJ)
    finally:
        signal.signal(signal.SIGINT, before)
    assert not [thread for thread in threading.enumerate() if thread.name == "weiwo-run"]
