"""Tools of the user's own modules: any LangChain tool, its factory run once, what the run injects, what it gives."""

import asyncio
import sys
from types import ModuleType
from typing import Annotated, Any

import pytest
from langchain_core.tools import BaseTool, InjectedToolCallId, StructuredTool, tool
from langgraph.graph import START, StateGraph
from langgraph.prebuilt import InjectedState, InjectedStore
from langgraph.prebuilt.tool_node import ToolRuntime
from langgraph.store.memory import InMemoryStore
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from weiwo.state.settings import SettingsError
from weiwo.tools.calling.arguments import schema_of
from weiwo.tools.calling.guarded_call import Caller
from weiwo.tools.calling.tool_calls import ToolCalls
from weiwo.tools.registry import Registry
from weiwo.tools.user_tools import load_named_tools


def made(name: str) -> BaseTool:
    async def run(query: str) -> str:
        return query

    return StructuredTool.from_function(coroutine=run, name=name, description="Finds things.")


@pytest.fixture
def module(monkeypatch):
    found = ModuleType("my_own_tools")
    monkeypatch.setitem(sys.modules, "my_own_tools", found)
    return found


async def test_a_factory_runs_once_for_the_process_however_many_runs_ask(module):
    calls = []

    def make() -> list[BaseTool]:
        calls.append(1)
        return [made("first"), made("second")]

    module.make = make
    loaded = await asyncio.gather(*(load_named_tools(["my_own_tools:make"]) for _ in range(4)))
    again = await load_named_tools(["my_own_tools:make"])
    assert len(calls) == 1
    assert all(tools[0] is again[0] for tools in loaded)
    assert [one.name for one in again] == ["first", "second"]


async def test_an_async_factory_is_awaited_on_the_loop_of_the_run(module):
    loops = []

    async def make() -> BaseTool:
        loops.append(asyncio.get_running_loop())
        return made("late")

    module.make = make
    assert [one.name for one in await load_named_tools(["my_own_tools:make"])] == ["late"]
    assert loops == [asyncio.get_running_loop()]


async def test_a_factory_that_fails_is_told_and_asked_again(module):
    calls = []

    async def make() -> BaseTool:
        calls.append(1)
        if len(calls) == 1:
            raise ConnectionError("no route")
        return made("late")

    module.make = make
    with pytest.raises(SettingsError, match="cannot be loaded: ConnectionError: no route"):
        await load_named_tools(["my_own_tools:make"])
    assert len(await load_named_tools(["my_own_tools:make"])) == 1


@tool
def whose(query: str, runtime: ToolRuntime) -> str:
    """Says on whose account it is called."""
    return f"{query}: {runtime.state['question']}; {type(runtime.store).__name__}"


@tool
async def asked(
    query: str,
    question: Annotated[str, InjectedState("question")],
    store: Annotated[Any, InjectedStore()],
    call: Annotated[str, InjectedToolCallId],
) -> str:
    """Says what was asked."""
    return f"{query}: {question}; {type(store).__name__}; {call[:5]}"


class Run(TypedDict):
    question: str
    said: list[str]


async def test_the_run_injects_what_tools_ask_for_and_their_results_are_of_that_run_alone():
    registry = Registry([whose, asked])

    async def node(state: Run) -> dict[str, list[str]]:
        calls = ToolCalls(state["question"], registry, InMemoryStore(), seconds=5, state=state)
        caller = Caller(asyncio.Semaphore(8), lambda: 60, lambda: True, lambda _: None)
        done = [await calls.call(name, {"query": "x"}, caller) for name in ("whose", "asked", "asked")]
        return {"said": [one.content for one in done]}

    graph = StateGraph(Run).add_node("node", node).add_edge(START, "node").compile(store=InMemoryStore())
    first, second = [(await graph.ainvoke({"question": question, "said": []}))["said"] for question in ("A?", "B?")]
    assert first == ["x: A?; InMemoryStore", *["x: A?; InMemoryStore; call_"] * 2]
    assert second == [one.replace("A?", "B?") for one in first]
    assert [info.injected for info in registry.infos()] == [True, True]
    assert list(schema_of(asked)["properties"]) == ["query"]


class Leg(BaseModel):
    origin: str
    day: int | None = None


class Trip(BaseModel):
    legs: list[Leg]
    then: "Trip | None" = Field(None, description="What follows.")


def test_nested_arguments_are_shown_to_a_planner_as_they_are():
    async def book(trip: Trip, mode: Annotated[str, "how"] = "rail") -> str:
        return f"{trip} {mode}"

    registry = Registry([StructuredTool.from_function(coroutine=book, name="book", description="Plans a trip.")])
    said = registry.describe(["book"])
    leg = "list of {origin: string, day?: integer}"
    assert said.startswith(f"- book(trip: {{legs: {leg}, then?: {{legs: list of object")
    assert 'mode?: string = "rail"): Plans a trip.' in said
    assert len(said) < 600  # a type that holds itself ends


async def test_rows_of_an_artifact_become_passages_beside_the_words_that_sum_them_up():
    rows = [{"title": "INC-7", "url": "https://desk.example.org/7", "text": "The printer was replaced."}]

    @tool(response_format="content_and_artifact")
    def desk(query: str) -> tuple[str, Any]:
        """Tickets."""
        return f"1 ticket for {query}", {"results": rows}

    calls = ToolCalls("run", Registry([desk]), seconds=5)
    caller = Caller(asyncio.Semaphore(8), lambda: 60, lambda: True, lambda _: None)
    found = await calls.call("desk", {"query": "printers"}, caller)
    assert [(one.text, one.source) for one in found.passages] == [
        ("1 ticket for printers", "tool:desk"),
        ("The printer was replaced.", "https://desk.example.org/7"),
    ]
