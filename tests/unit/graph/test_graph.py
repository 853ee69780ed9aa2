"""The whole graph over tools and models made for the test: routes, turns, threads, streams."""

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.memory import InMemorySaver

from tests.support.fake_model import FakeModel, Request, ScriptedError, assessed, fake, found
from tests.support.lovelace import ADA, FACT, OLDER, YEARS, birth, people
from tests.support.run import search_tool, services
from tests.support.schema import check_result
from tests.support.states import state_of
from weiwo.graph import build_graph
from weiwo.graph.builder import _by_decision, by_level
from weiwo.nodes.shared.question.validation import QuestionError
from weiwo.state import Reflection
from weiwo.state.events import parse_event
from weiwo.state.settings import Context


@pytest.fixture(autouse=True)
def _fresh(index_sample):
    index_sample(Path(os.environ["WEIWO_HOME"]))


def reading(request: Request) -> dict[str, Any]:
    """A model that reads births off the two passages."""
    task = request.text.split("Task: ")[-1].splitlines()[0]
    return found("1815", "born in London in 1815") if "Ada" in task else found("1912", "born in Maida Vale in 1912")


def good_model(**other: Any) -> FakeModel:
    script: dict[str, Any] = {
        "AssessmentReply": assessed(OLDER, steps=1.0),
        "PlanReply": {"vertices": [birth("ada", "Ada Lovelace"), birth("alan", "Alan Turing"), YEARS]},
        "ReadReply": reading,
        "ReflectionReply": {"reason": "all is found", "decision": "finish", "missing": []},
        "EntailmentReply": {"verdicts": [{"n": 1, "verdict": "supported"}]},
        "draft": "Ada Lovelace was older than Alan Turing, by 97 years [3]. Ada Lovelace was born in 1815 [1].",
    }
    return fake(**{**script, **other})


def thread(name: str) -> dict[str, Any]:
    return {"configurable": {"thread_id": name}}


async def asked(
    question: str, find: Any = people, model: Any = None, context: Any = None, **more: Any
) -> dict[str, Any]:
    tool = find if hasattr(find, "ainvoke") else search_tool(find)
    values = await build_graph(tools=[tool], models=model, **more).ainvoke({"question": question}, context=context)
    check_result(values["result"])
    return values


# Routes


@pytest.mark.parametrize(("level", "node"), [("simple", "writer"), ("moderate", "executor"), ("complex", "planner")])
def test_the_level_says_who_comes_next(level, node):
    assert by_level(state_of("?", services(), level=level)) == node


@pytest.mark.parametrize(
    ("decision", "node"),
    [("finish", "writer"), ("abort", "writer"), ("retry", "executor"), ("replan", "planner"), ("deepen", "planner")],
)
def test_the_last_reflection_says_who_comes_next(decision, node):
    state = state_of("?", services())
    earlier = Reflection(decision="finish", reason="", decided_by="rule")
    state["reflections"] = [earlier, Reflection(decision=decision, reason="", decided_by="rule")]
    assert _by_decision(state) == node


def test_a_copy_knows_which_types_may_be_read_back():
    graph = build_graph()
    graph._serde_allowlist = {("weiwo.state.plan", "Plan")}
    assert graph.copy({"name": "another"})._serde_allowlist == graph._serde_allowlist


def test_all_five_agents_are_drawn():
    drawn = build_graph().get_graph()
    assert {"master", "planner", "executor", "reflection", "writer"} <= set(drawn.nodes)


# Runs


async def test_a_question_for_one_fact_without_a_model():
    tool = search_tool(people)
    result = (await asked(FACT, tool))["result"]
    assert "1815" in result["answer"]
    assert (result["level"], result["status"], result["stop_reason"]) == ("moderate", "complete", "finished")
    assert tool.metadata["calls"] != []
    assert [citation["source"] for citation in result["citations"]] == ["s.md"]
    assert result["usage"]["model_calls"] == 0
    assert len(result["reflections"]) == 1


async def test_a_question_that_needs_a_plan_without_a_model():
    result = (await asked(OLDER))["result"]
    assert "97" in result["answer"]
    assert len(result["plan"]["vertices"]) == 3
    assert result["plan"]["decided_by"] == "rule"
    assert {claim["verdict"] for claim in result["claims"]} <= {"quoted", "matched", "supported", "computed"}


async def test_small_talk_runs_no_tool():
    tool = search_tool(people)
    result = (await asked("Hello, who are you?", tool))["result"]
    assert (result["level"], result["status"], result["plan"]) == ("simple", "complete", None)
    assert tool.metadata["calls"] == []


async def test_one_model_may_play_every_part():
    model = good_model()
    result = (await asked(OLDER, model=model))["result"]
    assert result["answer"].startswith("Ada Lovelace was older than Alan Turing, by 97 years [1].")
    assert result["plan"]["decided_by"] == "model"
    assert {outcome["decided_by"] for key, outcome in result["outcomes"].items() if key != "years"} == {"model"}
    assert [r.schema for r in model.requests] == [
        *("AssessmentReply", "PlanReply", "BatchReadReply", "ReadReply", "ReadReply", "draft", "EntailmentReply")
    ]
    calls = result["usage"]["calls"]
    assert result["usage"]["model_calls"] == len(calls) == 7  # the script answers no batch
    assert [call["role"] for call in calls] == [
        *("master", "planner", "executor", "executor", "executor", "writer", "verifier")
    ]
    assert [claim["verdict"] for claim in result["claims"]] == ["computed", "supported"]


async def test_a_model_may_play_some_parts_and_the_rules_the_others():
    judged = {"verdicts": [{"n": 1, "verdict": "supported"}]}
    model = fake(draft="Ada Lovelace was born in 1815 [1].", EntailmentReply=judged)
    result = (await asked(FACT, model={"writer": model}))["result"]
    assert result["answer"] == "Ada Lovelace was born in 1815 [1]."
    assert {outcome["decided_by"] for outcome in result["outcomes"].values()} == {"rule"}
    assert [(call["role"], call["purpose"]) for call in result["usage"]["calls"]] == [
        *(("writer", "draft"), ("writer", "verify"))
    ]


def single_fact(sentence: str) -> FakeModel:
    return good_model(
        AssessmentReply=assessed(FACT),
        ReadReply={**found("1815", "born in London in 1815"), "sentence": sentence},
        draft="A draft: Ada Lovelace was born in 1815 [1].",
    )


async def test_the_answer_to_one_question_comes_with_the_reading():
    model = single_fact("Ada Lovelace was born in London in 1815.")
    result = (await asked(FACT, model=model))["result"]
    assert result["answer"] == "Ada Lovelace was born in London in 1815 [1]."
    assert (result["status"], result["level"]) == ("complete", "moderate")
    assert [request.schema for request in model.requests] == ["AssessmentReply", "ReadReply"]


async def test_a_sentence_that_its_quotes_do_not_carry_is_written_anew():
    model = single_fact("Ada Lovelace was born in London in 1851.")
    result = (await asked(FACT, model=model))["result"]
    assert result["answer"] == "A draft: Ada Lovelace was born in 1815 [1]."
    assert "draft" in [request.schema for request in model.requests]


async def test_another_form_than_a_sentence_is_drafted():
    model = single_fact("Ada Lovelace was born in London in 1815.")
    result = (await asked(FACT, model=model, context={"form": "list"}))["result"]
    assert result["answer"].startswith("A draft")
    assert "the answer to the user" not in model.asked("ReadReply")[0].text


async def test_a_model_that_always_fails_leaves_a_complete_answer_by_rule():
    broken = fake(**dict.fromkeys(["AssessmentReply", "PlanReply", "ReadReply", "draft"], ScriptedError("down")))
    by_rule, result = (await asked(OLDER))["result"], (await asked(OLDER, model=broken))["result"]
    assert result["answer"] == by_rule["answer"]
    assert (result["status"], result["plan"]["decided_by"]) == ("complete", "rule")
    assert result["usage"]["calls"]
    assert all(call["error"] for call in result["usage"]["calls"])


async def test_a_tool_of_ones_own_is_used_under_its_own_name():
    plan = [{**birth("ada", "Ada Lovelace"), "tool_binding": "people_search"}]
    model = good_model(PlanReply={"vertices": plan}, draft="Ada Lovelace was born in 1815 [1].")
    tool = search_tool(people, name="people_search")
    result = (await asked(FACT, tool, model))["result"]
    assert tool.metadata["calls"] == ["Ada Lovelace birth"]
    assert result["outcomes"]["ada"]["tool"] == "people_search"
    assert "people_search(query: string" in model.asked("PlanReply")[0].text


async def test_a_passing_failure_is_retried():
    failures = [RuntimeError("boom")]
    tool = search_tool(lambda query: failures.pop() if failures else people(query))
    result = (await asked(FACT, tool))["result"]
    assert [past["decision"] for past in result["reflections"]] == ["retry", "finish"]
    assert result["status"] == "complete"
    assert "1815" in result["answer"]


async def test_what_was_not_found_is_planned_anew_and_finished_tasks_do_not_run_again():
    def find(query: str) -> str | None:
        return people(query) if "Ada" in query or "mathematician" in query else None

    second = [{**birth("turing", "Alan Turing"), "args": {"query": "Turing mathematician"}}]
    again = {**YEARS, "id": "gap", "args": {"start": "{{ada.ret}}", "end": "{{turing.ret}}"}}
    model = good_model(
        PlanReply=[good_model().script["PlanReply"][0], {"vertices": [*second, again]}],
        ReflectionReply=[
            {"reason": "another wording may find it", "decision": "replan", "missing": ["Turing's birth"]},
            {"reason": "all is found", "decision": "finish", "missing": []},
        ],
    )
    tool = search_tool(find)
    values = await asked(OLDER, tool, model)
    result = values["result"]
    assert [past["decision"] for past in result["reflections"]] == ["replan", "finish"]
    assert [v["id"] for v in result["plan"]["vertices"]] == ["ada", "turing", "gap"]
    assert result["plan"]["revision"] == 1
    assert result["outcomes"]["gap"]["value"] == 97
    assert tool.metadata["calls"].count("Ada Lovelace birth") == 1


@pytest.mark.parametrize("rounds", [0, 1, 2])
async def test_rounds_end_with_an_answer_that_says_so(rounds):
    result = (await asked(OLDER, lambda _: None, context=Context(max_replans=rounds)))["result"]
    assert (result["status"], result["stop_reason"]) == ("partial", "not_found")
    assert result["answer"]
    assert len(result["reflections"]) <= rounds + 1


async def test_a_stubborn_model_ends_as_well():
    model = good_model(
        ReadReply={"next": "give_up"},
        ReflectionReply={"reason": "again", "decision": "replan", "missing": []},
        PlanReply=[{"vertices": [birth(f"t{n}", "Ada Lovelace")]} for n in range(10)],
    )
    result = (await asked(OLDER, lambda _: "Ada Lovelace and Alan Turing were born in London.", model=model))["result"]
    assert [past["decision"] for past in result["reflections"]] == ["replan", "replan", "abort"]
    assert result["plan"]["revision"] == 2
    assert result["status"] == "extracts"


async def test_the_limit_on_model_calls_is_a_stop_reason():
    model = good_model()
    result = (await asked(OLDER, model=model, context={"max_model_calls": 2}))["result"]
    assert len(model.requests) == 2
    assert "97" in result["answer"]
    assert (result["status"], result["stop_reason"]) == ("partial", "max_model_calls")


async def test_the_limit_on_time_is_a_stop_reason():
    result = (await asked(FACT, search_tool(people, delay=5), context={"max_seconds": 0.3}))["result"]
    assert (result["status"], result["stop_reason"]) == ("partial", "max_seconds")
    assert result["answer"]


@pytest.mark.parametrize("question", ["", "  \x00 ", "long " * 20_000])
async def test_what_cannot_be_asked_is_one_clear_error(question):
    with pytest.raises(QuestionError) as error:
        await build_graph().ainvoke({"question": question})
    assert len(str(error.value)) < 300


async def test_questions_at_the_same_time_do_not_mix():
    graph = build_graph(tools=[search_tool(people, delay=0.02)])
    questions = ["When was Ada Lovelace born?", "When was Alan Turing born?"] * 5
    results = await asyncio.gather(*(graph.ainvoke({"question": question}) for question in questions))
    for question, values in zip(questions, results, strict=True):
        expected, other = ("1815", "1912") if "Ada" in question else ("1912", "1815")
        assert expected in values["result"]["answer"]
        assert other not in values["result"]["answer"]


# Conversations


async def test_messages_in_messages_out():
    graph = build_graph(tools=[search_tool(people)])
    values = await graph.ainvoke({"messages": [HumanMessage(FACT, id="mine")]})
    human, answer = values["messages"]
    assert (human.id, human.text) == ("mine", FACT)
    assert isinstance(answer, AIMessage)
    assert answer.text.startswith(values["result"]["answer"])
    assert values["result"]["question"] == FACT
    as_dicts = await graph.ainvoke({"messages": [{"role": "user", "content": FACT}]})
    assert as_dicts["result"]["answer"] == values["result"]["answer"]


async def test_by_question_the_conversation_is_the_same():
    values = await asked(FACT)
    assert [message.type for message in values["messages"]] == ["human", "ai"]
    assert values["messages"][0].text == FACT


async def test_an_earlier_conversation_may_come_along():
    said = [HumanMessage(FACT), AIMessage("Ada Lovelace was born in 1815."), HumanMessage("And when did she die?")]
    values = await build_graph(tools=[search_tool(people)]).ainvoke({"messages": said})
    assert values["result"]["plan"]["vertices"][0]["description"] == "When did Ada Lovelace die?"
    assert "1852" in values["result"]["answer"]


async def test_turns_of_one_thread_follow_each_other_and_leave_nothing_behind():
    graph = build_graph(InMemorySaver(), tools=[search_tool(people)])
    config = thread("turns")
    await graph.ainvoke({"question": OLDER}, config)
    first = (await graph.aget_state(config)).values
    assert len(first["outcomes"]) == 3
    await graph.ainvoke({"question": FACT}, config)
    values = await graph.ainvoke({"question": "And when did she die?"}, config)
    assert "1852" in values["result"]["answer"]
    assert [message.type for message in values["messages"]] == ["human", "ai"] * 3
    state = (await graph.aget_state(config)).values
    assert state["assessment"].question == "When did Ada Lovelace die?"
    assert state["run"] != first["run"]
    assert list(state["outcomes"]) == ["task_1"]
    assert [p.text for p in state["evidence"].values()] == [ADA]
    assert len(state["reflections"]) == 1
    assert state["revisions"] == []
    assert state["usage"].tool_calls == values["result"]["usage"]["tool_calls"] == 1
    assert values["result"]["thread_id"] == "turns"


async def test_a_greeting_after_a_question_shows_none_of_it():
    graph = build_graph(InMemorySaver(), tools=[search_tool(people)])
    await graph.ainvoke({"question": OLDER}, thread("t"))
    result = (await graph.ainvoke({"messages": [HumanMessage("Thanks!")]}, thread("t")))["result"]
    assert (result["plan"], result["outcomes"], result["evidence"], result["citations"]) == (None, {}, [], [])


async def test_questions_and_messages_may_take_turns_in_one_thread():
    graph = build_graph(InMemorySaver(), tools=[search_tool(people)])
    config = thread("mixed")
    await graph.ainvoke({"messages": [HumanMessage(FACT)]}, config)
    by_question = await graph.ainvoke({"question": "When was Alan Turing born?"}, config)
    assert "1912" in by_question["result"]["answer"]
    by_message = await graph.ainvoke({"messages": [HumanMessage("And when did he die?")]}, config)
    assert by_message["result"]["question"] == "And when did he die?"
    assert "1954" in by_message["result"]["answer"]
    assert [message.type for message in by_message["messages"]] == ["human", "ai"] * 3


async def test_the_same_question_may_be_asked_again():
    tool = search_tool(people)
    graph = build_graph(InMemorySaver(), tools=[tool])
    one = await graph.ainvoke({"question": FACT}, thread("t"))
    two = await graph.ainvoke({"question": FACT}, thread("t"))
    assert two["result"]["answer"] == one["result"]["answer"]
    assert len(tool.metadata["calls"]) == 2
    assert len(two["messages"]) == 4


async def test_a_question_after_an_interrupted_turn_by_messages():
    graph = build_graph(InMemorySaver(), tools=[search_tool(people)])
    config = thread("cut")
    await graph.ainvoke({"messages": [HumanMessage(FACT)]}, config, interrupt_before=["executor"])
    assert (await graph.aget_state(config)).next == ("executor",)
    values = await graph.ainvoke({"question": "When was Alan Turing born?"}, config)
    assert values["result"]["question"] == "When was Alan Turing born?"
    assert "1912" in values["result"]["answer"]
    assert [message.type for message in values["messages"]] == ["human", "human", "ai"]
    assert (await graph.aget_state(config)).next == ()


async def test_a_message_after_an_interrupted_turn_by_question():
    graph = build_graph(InMemorySaver(), tools=[search_tool(people)])
    config = thread("cut")
    await graph.ainvoke({"question": FACT}, config, interrupt_before=["executor"])
    values = await graph.ainvoke({"messages": [HumanMessage("When was Alan Turing born?")]}, config)
    assert "1912" in values["result"]["answer"]


async def test_an_interrupted_turn_can_be_resumed():
    tool = search_tool(people)
    graph = build_graph(InMemorySaver(), tools=[tool])
    config = thread("cut")
    await graph.ainvoke({"question": OLDER}, config, interrupt_before=["writer"])
    calls = list(tool.metadata["calls"])
    values = await graph.ainvoke(None, config)
    assert "97" in values["result"]["answer"]
    assert tool.metadata["calls"] == calls


@pytest.mark.parametrize("refused", [{"question": "  "}, {"messages": [HumanMessage("?!")]}])
async def test_a_refused_question_leaves_the_thread_usable(refused):
    graph = build_graph(InMemorySaver(), tools=[search_tool(people)])
    config = thread("t")
    await graph.ainvoke({"question": FACT}, config)
    with pytest.raises(QuestionError):
        await graph.ainvoke(refused, config)
    values = await graph.ainvoke({"question": "And when did she die?"}, config)
    assert "1852" in values["result"]["answer"]


# What watchers see


async def test_events_tell_the_run_in_order():
    graph = build_graph(tools=[search_tool(people)], models=good_model())
    events = [event async for event in graph.astream({"question": OLDER}, stream_mode="custom")]
    assert [event["role"] for event in events if event["type"] == "model_called"][:2] == ["master", "planner"]
    kinds = [event["type"] for event in events if event["type"] != "model_called"]
    assert kinds[:2] == ["assessed", "planned"]
    assert kinds[-3:] == ["reflected", "answer_started", "finished"]
    assert kinds.count("task_finished") == 3
    assert {event["decided_by"] for event in events if event["type"] in {"assessed", "planned"}} == {"model"}
    json.dumps(events)


@pytest.mark.parametrize("question", [OLDER, FACT, "Hello!", "What is the shoe size of Ada Lovelace?"])
@pytest.mark.parametrize("with_model", [True, False])
async def test_every_event_of_a_run_is_one_of_the_models(question, with_model):
    graph = build_graph(tools=[search_tool(people)], models=good_model() if with_model else None)
    events = [event async for event in graph.astream({"question": question}, stream_mode="custom")]
    assert [parse_event(event).to_json() for event in events] == events
    assert next(event["type"] for event in events if event["type"] != "model_called") == "assessed"
    assert events[-1]["type"] == "finished"


@pytest.mark.parametrize("with_model", [True, False])
async def test_a_chat_client_sees_the_answer_alone_and_all_of_it(with_model):
    graph = build_graph(tools=[search_tool(people)], models=good_model() if with_model else None)
    streamed, values = "", {}
    async for mode, part in graph.astream({"question": OLDER}, stream_mode=["messages", "values"]):
        if mode == "values":
            values = part
        elif part[0].type != "human":
            streamed += part[0].text
    assert streamed == values["messages"][-1].text
    assert streamed.startswith(values["result"]["answer"])
    assert "97 years" in streamed
    assert "vertices" not in streamed


def test_the_drawing_goes_down_to_the_steps_of_a_task():
    graph = build_graph()
    assert [name for name, _ in graph.get_subgraphs(recurse=True)] == [
        "executor",
        "executor|task",
        "executor|for_each",
        "executor|for_each|instance",
        "writer",
    ]
    whole = graph.get_graph(xray=True)
    drawn = set(whole.nodes)
    assert {"executor:task:act", "executor:task:read", "executor:for_each:instance:act"} <= drawn
    assert {"writer:outline", "writer:section", "writer:summary"} <= drawn
    ways = {(edge.source, edge.target): edge.data for edge in whole.edges}
    assert ways["writer:__start__", "writer:__end__"] == "one draft"
    steps = [line for line in whole.draw_mermaid().splitlines() if "for_each" in line]
    assert any("instance" in line and "(read)" in line for line in steps), "Mermaid leaves out what it cannot nest"
    assert {"executor:task", "executor:for_each"} <= set(graph.get_graph(xray=1).nodes)


def test_every_subgraph_has_schemas_that_a_server_can_show():
    for _, subgraph in build_graph().get_subgraphs(recurse=True):
        assert subgraph.get_input_jsonschema()["properties"]
        assert subgraph.get_output_jsonschema()["properties"]
        assert subgraph.get_context_jsonschema() is None
