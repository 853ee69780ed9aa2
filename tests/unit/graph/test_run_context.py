"""Settings and tools of a run: set up once for the nodes of an invocation, and anew where it is resumed."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import Command
from pydantic import BaseModel

from tests.support.run import search_tool
from weiwo.graph import build_graph, run_context
from weiwo.state.settings import Context

ADA = "Ada Lovelace was born in London in 1815."
CONFIG: Any = {"configurable": {"thread_id": "one"}}


@dataclass
class DataclassContext:
    model: str = "theirs"


class TypedDictContext(TypedDict):
    model: str


class PydanticContext(BaseModel):
    model: str = "theirs"
    corpus: int = 3


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


@pytest.mark.parametrize(
    ("schema", "context"),
    [
        (dict, {"model": "theirs"}),
        (DataclassContext, DataclassContext()),
        (TypedDictContext, {"model": "theirs"}),
        (PydanticContext, PydanticContext()),
    ],
)
async def test_as_a_node_of_a_graph_that_has_a_context_of_its_own_and_behind_a_handoff(schema, context, built):
    builder = StateGraph(MessagesState, context_schema=schema)
    builder.add_node("weiwo", build_graph(tools=[search_tool(lambda _: ADA)]))
    builder.add_edge(START, "weiwo")
    question = HumanMessage("When was Ada Lovelace born?")
    handoff = [
        AIMessage("", tool_calls=[{"id": "c", "name": "transfer_to_weiwo", "args": {}}]),
        ToolMessage("Successfully transferred to weiwo", tool_call_id="c"),
    ]
    parent = builder.compile()
    for messages in ([question], [question, *handoff]):
        values = await parent.ainvoke({"messages": messages}, context=context)
        assert "1815" in values["messages"][-1].text
    assert [settings.models for settings in built] == [{}, {}]


async def test_as_a_node_of_a_graph_that_has_our_context_it_counts(built):
    builder = StateGraph(MessagesState, context_schema=Context)
    builder.add_node("weiwo", build_graph(tools=[search_tool(lambda _: ADA)]))
    builder.add_edge(START, "weiwo")
    asked = {"messages": [HumanMessage("When was Ada Lovelace born?")]}
    await builder.compile().ainvoke(asked, context=Context(web=False, max_tasks=7))
    assert [settings.limits.max_tasks for settings in built] == [7]
