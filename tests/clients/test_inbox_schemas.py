"""The interrupt, against the schemas of LangChain's human-in-the-loop middleware and of Agent Inbox."""

import warnings
from typing import get_args

import pytest
from langchain.agents.middleware.human_in_the_loop import DecisionType, HITLRequest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from pydantic import TypeAdapter

from tests.support.personas import WU_OR_CAESAR
from weiwo.graph import build_graph
from weiwo.state.settings import Context

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # LangGraph moved it to LangChain, which has no such schema
    from langgraph.prebuilt.interrupt import HumanInterrupt

AT = {"configurable": {"thread_id": "t"}}
CONTEXT = Context(approve_plan=True, web=False, telemetry=False)


@pytest.fixture
async def waiting(indexed_home):  # noqa: ARG001 - the sample is indexed
    graph = build_graph(InMemorySaver())
    values = await graph.ainvoke({"question": WU_OR_CAESAR}, AT, context=CONTEXT)
    return graph, values["__interrupt__"][0].value


async def test_the_interrupt_fits_both_schemas(waiting):
    _, request = waiting
    asked = TypeAdapter(HITLRequest).validate_python(request)
    assert set(asked["review_configs"][0]["allowed_decisions"]) <= set(get_args(DecisionType))
    assert [one["name"] for one in asked["action_requests"]] == [one["action_name"] for one in asked["review_configs"]]
    inbox = TypeAdapter(HumanInterrupt).validate_python(request)
    assert inbox["action_request"]["args"]["plan"]["vertices"]
    assert inbox["description"].startswith("1. ")


@pytest.mark.parametrize(
    "answer",
    [{"decisions": [{"type": "approve"}]}, [{"type": "accept", "args": None}], "Looks good, go ahead!", "同意，开始吧"],
)
async def test_an_approval_runs_the_plan(waiting, answer):
    graph, _ = waiting
    values = await graph.ainvoke(Command(resume=answer), AT, context=CONTEXT)
    assert values["result"]["status"] == "complete"


@pytest.mark.parametrize("inbox", [True, False])
async def test_an_edit_runs_the_edited_plan(waiting, inbox):
    graph, request = waiting
    plan = request["plan"]
    edited = {**plan, "vertices": [{**one, "description": one["description"] + " "} for one in plan["vertices"][:1]]}
    args = {"plan": {**edited, "edges": []}}
    answer = (
        [{"type": "edit", "args": {"action": request["action_request"]["action"], "args": args}}]
        if inbox
        else {"decisions": [{"type": "edit", "edited_action": {"name": "approve_plan", "args": args}}]}
    )
    values = await graph.ainvoke(Command(resume=answer), AT, context=CONTEXT)
    assert list(values["outcomes"]) == [plan["vertices"][0]["id"]]


@pytest.mark.parametrize(
    "answer",
    [
        {"decisions": [{"type": "reject", "message": "only the birth years"}]},
        [{"type": "response", "args": "only the birth years"}],
        "only the birth years",
    ],
)
async def test_other_words_are_for_the_planner(waiting, answer):
    graph, _ = waiting
    values = await graph.ainvoke(Command(resume=answer), AT, context=CONTEXT)
    assert values["__interrupt__"][0].value["note"], "it knows no other plan without a model, and says so"


async def test_an_ignored_plan_goes_on_waiting(waiting):
    graph, _ = waiting
    values = await graph.ainvoke(Command(resume=[{"type": "ignore", "args": None}]), AT, context=CONTEXT)
    assert "ignore" in values["__interrupt__"][0].value["complaints"][0]
