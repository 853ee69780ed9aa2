"""The graph called without an event loop, and from within one."""

import threading

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from graph import build_graph, graph
from graph.checkpoint import serializer
from nodes.question import QuestionError

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
