"""Settings and tools of a run: set up once for the nodes of an invocation, and anew where it is resumed."""

import os
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from tests.support.run import search_tool
from weiwo.graph import build_graph, run_context
from weiwo.state.settings import Context

ADA = "Ada Lovelace was born in London in 1815."
CONFIG: Any = {"configurable": {"thread_id": "one"}}


@pytest.fixture
def built(monkeypatch, index_sample) -> list[Context | None]:
    index_sample(Path(os.environ["WEIWO_HOME"]))
    made, build = [], run_context.build_registry

    async def build_and_note(settings, extra):
        made.append(settings)
        return await build(settings, extra)

    monkeypatch.setattr(run_context, "build_registry", build_and_note)
    return made


async def test_once_for_all_nodes_of_an_invocation(built):
    graph = build_graph(InMemorySaver(), tools=[search_tool(lambda _: ADA)])
    for runs, question in enumerate(("When was Ada Lovelace born?", "Where was Ada Lovelace born?"), 1):
        values = await graph.ainvoke({"question": question}, CONFIG, context=Context(web=False, telemetry=False))
        assert values["outcomes"]
        assert len(built) == runs


async def test_anew_where_a_person_let_it_go_on(built):
    graph = build_graph(InMemorySaver(), tools=[search_tool(lambda _: ADA)])
    context = Context(web=False, telemetry=False, approve_plan=True)
    waiting = await graph.ainvoke({"question": "When was Ada Lovelace born?"}, CONFIG, context=context)
    assert waiting["__interrupt__"]
    assert len(built) == 1
    assert (await graph.ainvoke(Command(resume="approve"), CONFIG, context=context))["result"]
    assert len(built) == 2
