"""Forks over every saver: from answers, plans that wait and executions cut short; only what depends on it runs again."""

import asyncio
from collections import Counter
from contextlib import suppress
from typing import Any

import pytest
from langchain_core.tools import StructuredTool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from tests.support.lovelace import ADA, FACT, OLDER, people
from tests.support.run import search_tool
from weiwo.app.session.checkpoint_events import finished_tasks
from weiwo.graph import build_graph
from weiwo.graph.persistence.forks import ForkError, branch, fork
from weiwo.graph.persistence.storage import StorageError
from weiwo.graph.persistence.threads import find_checkpoint, list_threads
from weiwo.state import Evidence, Plan, passage_id
from weiwo.state.settings import Context

pytestmark = pytest.mark.integration

ASK = Context(approve_plan=True)


@pytest.fixture(autouse=True)
def _fresh(weiwo_home, index_sample):
    index_sample(weiwo_home)


def at(thread_id: str = "t") -> Any:
    return {"configurable": {"thread_id": thread_id}}


async def moments(graph: Any) -> list[tuple[str, tuple[str, ...]]]:
    """Ids and what comes next, newest first."""
    return [(one.config["configurable"]["checkpoint_id"], one.next) async for one in graph.aget_state_history(at())]


async def before(graph: Any, *nodes: str) -> str:
    """The newest checkpoint with this to come."""
    return next(one for one, next_ in await moments(graph) if next_ == nodes)


@pytest.mark.parametrize("saver", ["sqlite", "postgres"], indirect=True)
async def test_a_value_set_after_the_answer_runs_what_depends_on_it_and_nothing_else(saver):
    tool = search_tool(people)
    graph = build_graph(saver, tools=[tool])
    first = (await graph.ainvoke({"question": OLDER}, at()))["result"]
    calls, there = list(tool.metadata["calls"]), (await moments(graph))[0][0]
    config = await fork(graph, "t", there, outcomes={"task_1": "1800"})
    assert (await graph.aget_state(config)).next == ("executor",)
    assert [one.status for one in await list_threads(saver)] == ["interrupted"]
    values = await graph.ainvoke(None, config)
    result = values["result"]
    assert tool.metadata["calls"] == calls
    assert "112" in result["answer"]
    assert "(assuming 1800, set by you)" in result["answer"]
    assert (result["status"], result["stop_reason"]) == ("partial", "assumed_value")
    assert {"assumed"} <= {part["outcome"] for part in result["parts"]}
    assert (result["outcomes"]["task_1"]["value"], result["outcomes"]["task_1"]["tool"]) == ("1800", "person")
    assert result["outcomes"]["task_1"]["detail"] == {"set_by_person": True}
    assert result["outcomes"]["task_2"] == first["outcomes"]["task_2"]
    assert result["outcomes"]["task_3"]["value"] == 112
    assert "The user" in {one["title"] for one in result["citations"]}
    assert {one["verdict"] for one in result["claims"]} <= {"quoted", "matched", "supported", "computed"}
    assert len(result["reflections"]) == 1
    assert result["usage"]["tool_calls"] == 1
    assert [message.type for message in values["messages"]] == ["human", "ai"]
    old = await graph.aget_state({"configurable": {"thread_id": "t", "checkpoint_id": there}})
    assert old.values["result"] == first


async def test_the_branch_that_was_left_can_be_forked_in_its_turn(memory):
    graph = build_graph(memory, tools=[search_tool(people)])
    await graph.ainvoke({"question": OLDER}, at())
    there = (await moments(graph))[0][0]
    for year, years in (("1800", "112"), ("1810", "102")):
        values = await graph.ainvoke(None, await fork(graph, "t", there, outcomes={"task_1": year}))
        assert years in values["result"]["answer"]
    assert sum(next_ == () for _, next_ in await moments(graph)) == 3


async def test_a_plan_put_in_place_keeps_what_is_the_same_under_another_name(memory):
    tool = search_tool(people)
    graph = build_graph(memory, tools=[tool])
    first = (await graph.ainvoke({"question": OLDER}, at()))["result"]
    ada, alan, years = first["plan"]["vertices"]
    edited = {
        "vertices": [
            {**alan, "id": "turing"},
            {
                **ada,
                "id": "lovelace",
                "description": "When did Ada Lovelace die?",
                "args": {"query": "Ada Lovelace died"},
            },
            {**years, "id": "gap", "args": {"start": "{{lovelace.ret}}", "end": "{{turing.ret}}", "unit": "years"}},
        ]
    }
    tool.metadata["calls"].clear()
    there = await before(graph, "reflection")
    result = (await graph.ainvoke(None, await fork(graph, "t", there, plan=edited)))["result"]
    assert set(tool.metadata["calls"]) == {"Ada Lovelace died"}
    assert set(result["outcomes"]) == {"turing", "lovelace", "gap"}
    assert (result["outcomes"]["turing"]["value"], result["outcomes"]["gap"]["value"]) == ("1912", 60)
    assert result["plan"]["revision"] == 1
    known = {"turing", "lovelace", "gap"}
    assert all(set(passage["task_ids"]) <= known for passage in result["evidence"])
    state = (await graph.aget_state(at())).values
    assert [plan.ids for plan in state["revisions"]] == [("task_1", "task_2", "task_3")]


async def test_a_plan_and_a_value_in_one_fork(memory):
    tool = search_tool(people)
    graph = build_graph(memory, tools=[tool])
    await graph.ainvoke({"question": FACT}, at())
    tool.metadata["calls"].clear()
    plan = {
        "vertices": [
            {
                "id": "a",
                "description": "How many?",
                "tool_binding": "corpus_search",
                "args": {"query": "x"},
                "ret": "number",
            },
            {
                "id": "b",
                "description": "2000 - ?",
                "tool_binding": "calculator",
                "args": {"expression": "2000 - {{a.ret}}"},
                "ret": "number",
            },
        ]
    }
    there = await before(graph, "executor")
    result = (await graph.ainvoke(None, await fork(graph, "t", there, plan=plan, outcomes={"a": 1900})))["result"]
    assert result["outcomes"]["b"]["value"] == 100
    assert tool.metadata["calls"] == []


async def test_going_on_from_a_checkpoint_without_a_change(memory):
    tool = search_tool(people)
    graph = build_graph(memory, tools=[tool])
    first = (await graph.ainvoke({"question": OLDER}, at()))["result"]
    calls = list(tool.metadata["calls"])
    values = await graph.ainvoke(None, await fork(graph, "t", await before(graph, "writer")))
    assert values["result"]["answer"] == first["answer"]
    assert tool.metadata["calls"] == calls
    values = await graph.ainvoke(None, await fork(graph, "t", await before(graph, "planner")))
    assert values["result"]["answer"] == first["answer"]
    assert Counter(tool.metadata["calls"]) == Counter(calls * 2)


async def test_another_question_at_an_earlier_moment_continues_that_conversation(memory):
    graph = build_graph(memory, tools=[search_tool(people)])
    await graph.ainvoke({"question": FACT}, at())
    there = (await moments(graph))[0][0]
    await graph.ainvoke({"question": "When was Alan Turing born?"}, at())
    config = await branch(graph, "t", there)
    values = await graph.ainvoke({"question": "And when did she die?"}, config)
    assert "1852" in values["result"]["answer"]
    assert [message.type for message in values["messages"]] == ["human", "ai", "human", "ai"]


async def cut_short(graph: Any, tool: Any) -> None:
    """Break the run off while one of its two look-ups has finished and the other hangs."""
    running = asyncio.create_task(graph.ainvoke({"question": OLDER}, at(), durability="sync"))
    while True:
        begun = any("Turing" in query for query in tool.metadata["calls"])
        if begun and await finished_tasks(graph.checkpointer, await graph.aget_state(at())):
            break
        await asyncio.sleep(0.01)
        assert not running.done()
    running.cancel()
    with suppress(asyncio.CancelledError):
        await running
    assert len([query for query in tool.metadata["calls"] if "Turing" in query]) == 1


async def hanging_on_turing(query: str) -> str | None:
    if HANGS["now"] and "Turing" in query:
        await asyncio.sleep(10_000)
    return people(query)


HANGS = {"now": ""}


def slow_tool() -> Any:
    calls: list[str] = []

    async def run(query: str, k: int = 8) -> tuple[str, list[dict[str, Any]]]:  # noqa: ARG001 - the interface has it
        calls.append(query)
        text = await hanging_on_turing(query)
        found = [Evidence(id=passage_id(text), text=text, source="s.md").model_dump(mode="json")] if text else []
        return text or "nothing", found

    tool = StructuredTool.from_function(
        coroutine=run, name="corpus_search", description="Finds.", response_format="content_and_artifact"
    )
    tool.metadata = {"calls": calls, "cluster": "search"}
    return tool


@pytest.mark.parametrize("outcomes", [{}, {"task_2": "1912"}, {"task_2": "1915", "task_1": "1800"}])
async def test_a_fork_in_mid_execution_keeps_what_had_finished(saver, outcomes, monkeypatch):
    tool = slow_tool()
    graph = build_graph(saver, tools=[tool])
    monkeypatch.setitem(HANGS, "now", "yes")
    await cut_short(graph, tool)
    monkeypatch.setitem(HANGS, "now", "")
    there, next_ = (await moments(graph))[0]
    assert next_ == ("executor",)
    tool.metadata["calls"].clear()
    config = await fork(graph, "t", there, outcomes=outcomes)
    assert set((await graph.aget_state(config)).values["outcomes"]) == {"task_1", *outcomes}
    result = (await graph.ainvoke(None, config))["result"]
    assert result["status"] == ("partial" if outcomes else "complete")
    assert {"": "97", "task_2": "97", "task_2task_1": "115"}["".join(outcomes)] in result["answer"]
    assert not [query for query in tool.metadata["calls"] if "Lovelace" in query]
    assert len(tool.metadata["calls"]) == (0 if outcomes else 1)
    assert ADA in {passage["text"] for passage in result["evidence"]} or "task_1" in outcomes


async def test_a_fork_where_a_plan_waits(memory):
    tool = search_tool(people)
    graph = build_graph(memory, tools=[tool])
    await graph.ainvoke({"question": OLDER}, at(), context=ASK)
    there = await before(graph, "approval")
    values = await graph.ainvoke(None, await fork(graph, "t", there))
    assert values["__interrupt__"][0].value["plan"]["revision"] == 0
    values = await graph.ainvoke(None, await fork(graph, "t", there, outcomes={"task_1": "1800"}))
    assert values["__interrupt__"][0].value["finished"] == {"task_1": "1800"}  # the plan itself is not approved yet
    values = await graph.ainvoke(Command(resume="approve"), at())
    assert "112" in values["result"]["answer"]
    plan = Plan.from_json(
        {
            "vertices": [
                {
                    "id": "x",
                    "description": FACT,
                    "tool_binding": "corpus_search",
                    "args": {"query": "Ada Lovelace"},
                    "ret": "date",
                }
            ]
        }
    )
    values = await graph.ainvoke(None, await fork(graph, "t", there, plan=plan))  # who gives a plan has approved it
    assert "1815" in values["result"]["answer"]


async def test_a_fork_may_ask_where_the_run_did_not(memory):
    graph = build_graph(memory, tools=[search_tool(people)])
    await graph.ainvoke({"question": OLDER}, at())
    config = await fork(graph, "t", await before(graph, "executor"), context=ASK)
    values = await graph.ainvoke(None, config)
    assert values["__interrupt__"][0].value["type"] == "approve_plan"


@pytest.mark.parametrize(
    ("nodes", "changes", "says"),
    [
        ((), {}, "nothing was changed"),
        (("master",), {"outcomes": {"task_1": "1"}}, "not assessed yet"),
        (("planner",), {"outcomes": {"task_1": "1"}}, "no plan yet"),
        (("writer",), {"outcomes": {"task_9": "1"}}, "no such task; its tasks are task_1, task_2, task_3"),
        (("writer",), {"outcomes": {"task_1": "soon"}}, "task_1: 'soon'"),
        (("writer",), {"outcomes": {"task_3": "many"}}, "task_3: 'many' is not a number"),
        (("writer",), {"plan": {"vertices": []}}, "at least one task"),
        (("writer",), {"plan": "{"}, "not JSON"),
        (
            ("writer",),
            {"plan": {"vertices": [{"id": "a", "description": "b", "tool_binding": "telepathy"}]}},
            "unknown tool",
        ),
    ],
)
async def test_what_cannot_be_forked_is_said_and_nothing_is_written(nodes, changes, says):
    graph = build_graph(InMemorySaver(), tools=[search_tool(people)])
    await graph.ainvoke({"question": OLDER}, at())
    known = await moments(graph)
    with pytest.raises(ForkError, match=says) as raised:
        await fork(graph, "t", await before(graph, *nodes), **changes)
    assert "\n" not in str(raised.value)
    assert await moments(graph) == known


async def test_no_such_checkpoint_and_no_checkpointer():
    graph = build_graph(InMemorySaver(), tools=[search_tool(people)])
    await graph.ainvoke({"question": "Hello, who are you?"}, at())
    with pytest.raises(StorageError, match="InMemorySaver cannot list threads"):
        await list_threads(graph.checkpointer)
    with pytest.raises(ForkError, match="does not exist in thread t"):
        await fork(graph, "t", "1f0e5a3c-0000-6000-8000-000000000000")
    bare = build_graph(tools=[search_tool(people)])
    with pytest.raises(ForkError, match="the graph has no checkpointer"):
        await fork(bare, "t", "1f0e5a3c")
    with pytest.raises(ForkError, match="has no plan"):
        await fork(graph, "t", (await moments(graph))[0][0], plan={"vertices": []})


async def test_checkpoints_are_found_by_the_beginning_of_their_ids(saver):
    graph = build_graph(saver, tools=[search_tool(people)])
    await graph.ainvoke({"question": FACT}, at("t"))
    await graph.ainvoke({"question": FACT}, at("u"))
    newest = (await moments(graph))[0][0]
    assert await find_checkpoint(saver, newest) == ("t", newest)
    assert await find_checkpoint(saver, newest[:18].upper(), "t") == ("t", newest)
    with pytest.raises(ValueError, match="does not exist in thread u"):
        await find_checkpoint(saver, newest, "u")
    with pytest.raises(ValueError, match="checkpoints, such as t@"):
        await find_checkpoint(saver, newest[:4])
    for nonsense in ("", "xyz", "%", "1f_", "1f0e%"):
        with pytest.raises(ValueError, match="hexadecimal"):
            await find_checkpoint(saver, nonsense)


@pytest.mark.parametrize("saver", ["sqlite"], indirect=True)
@pytest.mark.parametrize("change", [{"value": "1800"}, {"value": "1800", "digest": ""}])
async def test_a_value_edited_in_the_state_is_the_persons_and_what_builds_on_it_runs_again(saver, change):
    graph = build_graph(saver, tools=[search_tool(people)])
    first = (await graph.ainvoke({"question": OLDER}, at()))["result"]
    assert "97" in first["answer"]
    state = (await graph.aget_state(at())).values
    edited = state["outcomes"]["task_1"].model_copy(update=change)
    place = await graph.aupdate_state(at(), {"outcomes": {"task_1": edited}, "result": {}}, as_node="planner")
    result = (await graph.ainvoke(None, place))["result"]
    assert result["outcomes"]["task_3"]["value"] == 112
    assert (result["outcomes"]["task_1"]["tool"], result["outcomes"]["task_1"]["detail"]) == (
        "person",
        {"set_by_person": True},
    )
    assert "(assuming 1800, set by you)" in result["answer"]
    assert (result["status"], result["stop_reason"]) == ("partial", "assumed_value")


@pytest.mark.parametrize("saver", ["sqlite"], indirect=True)
async def test_a_value_edited_before_the_answer_leaves_nothing_that_was_worked_out_from_the_old_one(saver):
    graph = build_graph(saver, tools=[search_tool(people)])
    await graph.ainvoke({"question": OLDER}, at())
    state = (await graph.aget_state(at())).values
    edited = state["outcomes"]["task_1"].model_copy(update={"value": "1800"})
    place = await graph.aupdate_state(at(), {"outcomes": {"task_1": edited}, "result": {}}, as_node="reflection")
    result = (await graph.ainvoke(None, place))["result"]
    assert "97 years" not in result["answer"]
    assert (result["status"] != "complete", result["outcomes"]["task_3"]["status"]) == (True, "blocked")
