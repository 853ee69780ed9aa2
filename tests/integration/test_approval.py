"""A person approves the plan: over every saver, with and without a model; answers of every kind, late or twice."""

from typing import Any, TypedDict

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, interrupt

from tests.support.fake_model import assessed, fake, found
from tests.support.lovelace import FACT, OLDER, birth, people
from tests.support.run import search_tool
from weiwo.graph import build_graph
from weiwo.graph.persistence.threads import list_threads
from weiwo.state.settings import Context

pytestmark = pytest.mark.integration

ASK = Context(approve_plan=True)


@pytest.fixture(autouse=True)
def _fresh(weiwo_home, index_sample):
    index_sample(weiwo_home)


def at(thread_id: str) -> Any:
    return {"configurable": {"thread_id": thread_id}}


def asked(values: dict[str, Any]) -> dict[str, Any]:
    """What the run waits for."""
    (one,) = values["__interrupt__"]
    return one.value


@pytest.mark.parametrize("saver", ["sqlite", "postgres"], indirect=True)
async def test_a_plan_waits_and_runs_once_it_is_approved(saver):
    tool = search_tool(people)
    graph = build_graph(saver, tools=[tool])
    values = await graph.ainvoke({"question": OLDER}, at("t"), context=ASK)
    payload = asked(values)
    assert (payload["type"], payload["question"], payload["complaints"]) == ("approve_plan", OLDER, [])
    assert len(payload["plan"]["vertices"]) == 3
    assert payload["mermaid"].startswith("flowchart TD")
    assert tool.metadata["calls"] == []
    assert [one.status for one in await list_threads(saver)] == ["waiting"]
    values = await graph.ainvoke(Command(resume="approve"), at("t"))
    assert "97" in values["result"]["answer"]
    assert [one.status for one in await list_threads(saver)] == ["complete"]


@pytest.mark.parametrize("answer", ["approve", True, {"decision": "approve"}, " OK. ", "同意", '"approve"'])
async def test_approval_has_several_forms(answer):
    graph = build_graph(InMemorySaver(), tools=[search_tool(people)])
    await graph.ainvoke({"question": FACT}, at("t"), context=ASK)
    values = await graph.ainvoke(Command(resume=answer), at("t"))
    assert "1815" in values["result"]["answer"]


async def test_a_single_look_up_is_asked_about_too_and_small_talk_is_not(memory):
    graph = build_graph(memory, tools=[search_tool(people)])
    values = await graph.ainvoke({"question": FACT}, at("t"), context=ASK)
    assert [one["description"] for one in asked(values)["plan"]["vertices"]] == [FACT]
    values = await graph.ainvoke({"question": "Hello, who are you?"}, at("t"), context=ASK)
    assert values["result"]["level"] == "simple"


async def test_nobody_is_asked_and_no_step_is_spent_without_the_setting(memory):
    graph = build_graph(memory, tools=[search_tool(people)])
    await graph.ainvoke({"question": OLDER}, at("t"))
    ran = [one.next async for one in graph.aget_state_history(at("t"))]
    assert ran[::-1] == [
        ("__start__",),
        ("master",),
        ("planner",),
        ("executor",),
        ("reflection",),
        ("writer",),
        (),
    ]


async def test_an_edited_plan_runs_in_place_of_the_planners(memory):
    tool = search_tool(people)
    graph = build_graph(memory, tools=[tool])
    await graph.ainvoke({"question": OLDER}, at("t"), context=ASK)
    edited = {"vertices": [birth("alan", "Alan Turing")]}
    values = await graph.ainvoke(Command(resume={"plan": edited}), at("t"))
    result = values["result"]
    assert [one["id"] for one in result["plan"]["vertices"]] == ["alan"]
    assert result["plan"]["revision"] == 1
    assert tool.metadata["calls"] == ["Alan Turing birth"]
    state = (await graph.aget_state(at("t"))).values
    assert [len(plan.tasks) for plan in state["revisions"]] == [3]
    assert state["approved"] == 1


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ({"vertices": [{**birth("a", "A"), "tool_binding": "telepathy"}]}, "unknown tool 'telepathy'"),
        ({"plan": {"vertices": []}}, "at least one task"),
        ({"plan": 3}, "expected an object"),
        ('{"vertices": [', "not valid JSON"),
        ({"reject": " "}, "say what to change"),
        (False, "say what to change"),
        ("no", "say what to change"),
        (7, "7 is neither"),
        (["approve"], "neither"),
    ],
)
async def test_what_cannot_be_taken_is_asked_again_with_the_complaint(answer, says):
    graph = build_graph(InMemorySaver(), tools=[search_tool(people)])
    first = asked(await graph.ainvoke({"question": OLDER}, at("t"), context=ASK))
    payload = asked(await graph.ainvoke(Command(resume=answer), at("t")))
    assert any(says in complaint for complaint in payload["complaints"])
    assert payload["plan"] == first["plan"]
    values = await graph.ainvoke(Command(resume="approve"), at("t"))
    assert "97" in values["result"]["answer"]


def planning_model(*plans: Any) -> Any:
    return fake(
        AssessmentReply=assessed(OLDER, steps=1.0),
        PlanReply=list(plans),
        ReadReply=found("1815", "born in London in 1815"),
        draft="Ada Lovelace was born in 1815 [1].",
    )


async def test_a_rejection_goes_to_the_planner_and_its_next_plan_is_asked_about(memory):
    model = planning_model(
        {"vertices": [birth("ada", "Ada Lovelace"), birth("alan", "Alan Turing")]},
        {"vertices": [birth("only_ada", "Ada Lovelace")]},
    )
    graph = build_graph(memory, tools=[search_tool(people)], models=model)
    await graph.ainvoke({"question": OLDER}, at("t"), context=ASK)
    payload = asked(await graph.ainvoke(Command(resume={"reject": "leave Alan Turing out"}), at("t")))
    assert "leave Alan Turing out" in model.asked("PlanReply")[-1].text
    assert len(payload["plan"]["vertices"]) == 1
    assert payload["plan"]["revision"] == 1
    values = await graph.ainvoke(Command(resume="approve"), at("t"))
    assert "1815" in values["result"]["answer"]


async def test_a_planner_that_knows_no_other_plan_says_so(memory):
    graph = build_graph(memory, tools=[search_tool(people)])
    await graph.ainvoke({"question": OLDER}, at("t"), context=ASK)
    payload = asked(await graph.ainvoke(Command(resume="do it in another way"), at("t")))
    assert "the planner has no other" in payload["note"]
    values = await graph.ainvoke(Command(resume=True), at("t"))
    assert "97" in values["result"]["answer"]


async def test_a_replan_is_asked_about_and_a_retry_is_not(saver):
    seen: list[str] = []

    def find(query: str) -> Any:
        seen.append(query)
        return TimeoutError("slow") if len(seen) == 1 else people(query) if "died" in query else None

    model = fake(
        AssessmentReply=assessed(OLDER, steps=1.0),
        PlanReply=[
            {"vertices": [birth("ada", "Ada Lovelace")]},
            {"vertices": [{**birth("b", "Ada Lovelace"), "args": {"query": "Ada Lovelace died"}}]},
        ],
        ReadReply=found("1852", "27 November 1852"),
        ReflectionReply={"decision": "replan", "reason": "other words", "missing": []},
        draft="Ada Lovelace died in 1852 [1].",
    )
    graph = build_graph(saver, tools=[search_tool(find)], models=model)
    asked(await graph.ainvoke({"question": OLDER}, at("t"), context=Context(approve_plan=True, max_turns=1)))
    values = await graph.ainvoke(Command(resume="approve"), at("t"), context=Context(max_turns=1))
    assert asked(values)["plan"]["revision"] == 1
    state = await graph.aget_state(at("t"))
    assert state.next == ("approval",)
    assert [past.decision for past in state.values["reflections"]][-1] == "replan"
    values = await graph.ainvoke(Command(resume="approve"), at("t"), context=Context(max_turns=1))
    assert "1852" in values["result"]["answer"]


async def test_a_second_approval_is_harmless(memory):
    tool = search_tool(people)
    graph = build_graph(memory, tools=[tool])
    await graph.ainvoke({"question": OLDER}, at("t"), context=ASK)
    once = await graph.ainvoke(Command(resume="approve"), at("t"))
    calls = list(tool.metadata["calls"])
    await graph.ainvoke(Command(resume="approve"), at("t"))
    state = await graph.aget_state(at("t"))
    assert state.values["result"] == once["result"]
    assert tool.metadata["calls"] == calls
    assert state.next == ()


async def test_an_approval_given_twice_in_mid_run_does_not_approve_what_comes_later(memory):
    model = fake(
        AssessmentReply=assessed(OLDER, steps=1.0),
        PlanReply=[{"vertices": [birth("ada", "Ada Lovelace")]}, {"vertices": [birth("b", "Alan Turing")]}],
        ReadReply=found("1912", "born in Maida Vale in 1912"),
        ReflectionReply={"decision": "replan", "reason": "other words", "missing": []},
        draft="Alan Turing was born in 1912 [1].",
    )
    graph = build_graph(
        memory, tools=[search_tool(lambda query: people(query) if "Turing" in query else None)], models=model
    )
    await graph.ainvoke({"question": OLDER}, at("t"), context=Context(approve_plan=True, max_turns=1))
    await graph.ainvoke(Command(resume="approve"), at("t"), interrupt_before=["executor"])
    assert (await graph.aget_state(at("t"))).next == ("executor",)
    values = await graph.ainvoke(Command(resume="approve"), at("t"), context=Context(max_turns=1))
    assert asked(values)["plan"]["revision"] == 1
    values = await graph.ainvoke(Command(resume="approve"), at("t"), context=Context(max_turns=1))
    assert "1912" in values["result"]["answer"]


class Answer(TypedDict, total=False):
    said: str


async def test_an_answer_to_somebody_elses_question_reaches_them(saver):
    """The graph as a part of another one, whose own node asks, too."""
    inner = build_graph(tools=[search_tool(people)])

    async def search(_: Answer) -> Answer:
        values = await inner.ainvoke({"question": FACT}, context=ASK)
        return {"said": values["result"]["answer"]}

    async def confirm(state: Answer) -> Answer:
        return {"said": f"{interrupt('send it?')}: {state['said']}"}

    builder = StateGraph(Answer)
    builder.add_node("search", search)
    builder.add_node("confirm", confirm)
    builder.add_edge(START, "search")
    builder.add_edge("search", "confirm")
    builder.add_edge("confirm", END)
    graph = builder.compile(checkpointer=saver)
    values = await graph.ainvoke({"said": ""}, at("t"))
    assert asked(values)["type"] == "approve_plan"
    values = await graph.ainvoke(Command(resume="approve"), at("t"))
    assert asked(values) == "send it?"
    values = await graph.ainvoke(Command(resume="yes"), at("t"))
    assert values["said"].startswith("yes: ")
    assert "1815" in values["said"]
