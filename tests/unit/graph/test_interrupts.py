"""A tool may ask a person. The run stops for the answer, not the task: what can go on does, and nothing is repeated."""

from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.config import get_config
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, interrupt

from tests.support.plan_runs import run_plan
from tests.support.run import search_tool, services, work
from weiwo.graph.persistence.checkpointer import serializer
from weiwo.nodes.executor import node as executor
from weiwo.state import Outcome, Plan, Task
from weiwo.state.search import SearchState

THREAD: Any = {"configurable": {"thread_id": "one"}}


def ask(task_id: str, query: str, **more: Any) -> Task:
    args = {"query": query}
    return Task(
        id=task_id,
        description="When was {{item}} Smith born?" if more else f"When was {query.split(maxsplit=1)[0]} Smith born?",
        tool="corpus_search",
        args=args,
        ret="date",
        **more,
    )


@pytest.fixture
def asking(monkeypatch):
    """Calls of these queries ask first; the answer becomes the query."""
    act = executor.act
    queries: set[str] = set()

    async def asks(state: Any, shared: Any, turn: Any) -> Any:
        query = executor.fill_text(state["task"].args["query"], state["inputs"], "en")
        if query in queries:
            answer = interrupt(f"who is {query}?")
            state = {**state, "calls": [{"tool": "corpus_search", "args": {"query": answer}}]}
        return await act(state, shared, turn)

    monkeypatch.setattr(executor, "act", asks)
    return queries


def graph_of(plan: Plan, tool: Any) -> Any:
    async def node(state: SearchState) -> Any:
        return await run_plan(plan, state.get("outcomes", {}), work(services(tool)), get_config())

    builder = StateGraph(SearchState)
    builder.add_node("executor", node)
    builder.add_edge(START, "executor")
    builder.add_edge("executor", END)
    return builder.compile(checkpointer=InMemorySaver(serde=serializer()))


def born(query: str) -> str:
    return f"{query.split(maxsplit=1)[0]} Smith was born in 1900."


async def test_the_run_waits_for_the_answer_and_everything_else_goes_on(asking):
    asking.add("Ada")
    tool = search_tool(born)
    plan = Plan(
        tasks=(
            ask("c", "Cy {{b.ret}}"),
            ask("b", "Bea {{a.ret}}"),
            ask("a", "Ada"),
            ask("x", "Xi"),
            ask("y", "Yo {{x.ret}}"),
        )
    )
    graph = graph_of(plan, tool)
    stopped = await graph.ainvoke({"question": "?"}, THREAD)
    assert [one.value for one in stopped["__interrupt__"]] == ["who is Ada?"]
    assert tool.metadata["calls"] == ["Xi", "Yo 1900"]
    values = await graph.ainvoke(Command(resume="Ada L"), THREAD)
    assert {key: outcome.failure for key, outcome in values["outcomes"].items()} == dict.fromkeys("abcxy")
    assert tool.metadata["calls"] == ["Xi", "Yo 1900", "Ada L", "Bea 1900", "Cy 1900"]


async def test_one_item_of_a_list_may_ask(asking):
    asking.add("Bea")
    tool = search_tool(born)
    people = Outcome(task_id="people", status="succeeded", value=["Ada", "Bea", "Cy"], type="list[text]")
    plan = Plan(
        tasks=(ask("people", "who"), ask("each", "{{item}}", for_each="{{people.ret}}"), ask("z", "Zoe {{each.ret}}"))
    )
    graph = graph_of(plan, tool)
    stopped = await graph.ainvoke({"question": "?", "outcomes": {"people": people}}, THREAD)
    assert [one.value for one in stopped["__interrupt__"]] == ["who is Bea?"]
    assert sorted(tool.metadata["calls"]) == ["Ada", "Cy"]
    values = await graph.ainvoke(Command(resume="Bea B"), THREAD)
    assert values["outcomes"]["each"].value == ["1900"] * 3
    assert values["outcomes"]["z"].usable
    assert sorted(tool.metadata["calls"])[:3] == ["Ada", "Bea B", "Cy"]
    assert len(tool.metadata["calls"]) == 4


async def test_two_may_ask_at_once_and_be_answered_one_by_one(asking):
    asking |= {"Ada", "Xi"}
    tool = search_tool(born)
    graph = graph_of(Plan(tasks=(ask("a", "Ada"), ask("x", "Xi"), ask("z", "Zoe {{a.ret}} {{x.ret}}"))), tool)
    stopped = await graph.ainvoke({"question": "?"}, THREAD)
    ids = {one.value: one.id for one in stopped["__interrupt__"]}
    assert set(ids) == {"who is Ada?", "who is Xi?"}
    stopped = await graph.ainvoke(Command(resume={ids["who is Xi?"]: "Xi X"}), THREAD)
    assert {one.value for one in stopped["__interrupt__"]} == {"who is Ada?"}
    values = await graph.ainvoke(Command(resume={ids["who is Ada?"]: "Ada A"}), THREAD)
    assert all(outcome.usable for outcome in values["outcomes"].values())
    assert tool.metadata["calls"] == ["Xi X", "Ada A", "Zoe 1900 1900"]
