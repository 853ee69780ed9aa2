"""Clarification: asked once and before any search where a question can mean several things, else assumed and said."""

import json
import os
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from tests.support.fake_model import FakeModel, assessed, fake, found
from tests.support.run import search_tool
from weiwo.app.cli.questions.requests import CLARIFICATION
from weiwo.app.session.session import RunEnd
from weiwo.graph import build_graph
from weiwo.nodes.master.clarify import _read_reply
from weiwo.state import Clarification
from weiwo.state.settings import Context, Settings, SettingsError

QUESTION = "How fast is Mercury?"
ASKED = Clarification(question="Which Mercury do you mean?", choices=("the planet", "the web server"))
CLARIFY = {"question": ASKED.question, "choices": list(ASKED.choices), "default": ""}
PLANET = "Mercury, the planet, moves at 47 km per second around the Sun."
THREAD: Any = {"configurable": {"thread_id": "one"}}


@pytest.fixture(autouse=True)
def _fresh(index_sample: Any) -> None:
    index_sample(Path(os.environ["WEIWO_HOME"]))


def model_of(clarify: Any = CLARIFY, question: str = QUESTION) -> FakeModel:
    return fake(
        AssessmentReply=assessed(question, clarify=clarify),
        ReadReply=found("47 km per second", "47 km per second"),
        EntailmentReply={"verdicts": []},
        RewriteReply={"sentences": []},
        draft="Mercury, the planet, moves at 47 km per second [1].",
    )


def graph_of(model: FakeModel) -> tuple[Any, list[str]]:
    tool = search_tool(lambda _: PLANET)
    return build_graph(InMemorySaver(), tools=[tool], models=model), tool.metadata["calls"]


async def ask(model: FakeModel, *, clarify: bool | None = True, messages: Any = None) -> tuple[Any, Any, list[str]]:
    graph, calls = graph_of(model)
    given = {"messages": messages} if messages else {"question": QUESTION}
    context = Context(clarify=clarify, web=False)
    return graph, await graph.ainvoke(given, THREAD, context=context), calls


async def test_it_asks_before_any_search_and_the_reply_becomes_part_of_the_question():
    model = model_of()
    graph, values, calls = await ask(model)
    request = values["__interrupt__"][0].value
    assert (request["type"], request["asks"], request["choices"]) == ("clarify", ASKED.question, list(ASKED.choices))
    assert request["action_requests"][0]["name"] == "clarify"  # as LangChain's middleware has it
    assert request["config"]["allow_respond"]  # as Agent Inbox has it
    assert "1. the planet" in request["description"]
    assert values["messages"][-1].text.endswith("1. the planet\n2. the web server")  # a chat client shows it
    assert calls == []
    assert len(model.requests) == 1
    done = await graph.ainvoke(Command(resume="1"), THREAD, context=Context(clarify=True, web=False))
    assert done["assessment"].question == f"{QUESTION} (the planet)"
    assert done["assessment"].clarification is None
    assert len(model.asked("AssessmentReply")) == 1
    assert [type(message).__name__ for message in done["messages"]] == [
        "HumanMessage",
        "AIMessage",
        "HumanMessage",
        "AIMessage",
    ]
    assert "Assumed" not in done["result"]["answer"]
    assert done["result"]["question"] == QUESTION


async def test_what_is_meant_as_a_rule_is_assumed_and_said():
    _, values, _ = await ask(model_of({**CLARIFY, "default": "the planet"}))
    assert "__interrupt__" not in values
    assert values["assessment"].question == f"{QUESTION} (the planet)"
    assert values["result"]["answer"].endswith("Assumed: the planet.")


async def test_where_nobody_is_asked_the_first_choice_is_assumed_and_said():
    _, values, _ = await ask(model_of(), clarify=None)
    assert values["result"]["answer"].endswith("Assumed: the planet.")


@pytest.mark.parametrize(
    "clarify",
    [None, "", "no", {}, {"question": "Which?", "choices": []}, {**CLARIFY, "choices": ["a planet", "A planet"]}],
)
async def test_a_question_back_that_is_none_changes_nothing(clarify: Any):
    _, values, _ = await ask(model_of(clarify))
    assert values["assessment"].question == QUESTION
    assert "Assumed" not in values["result"]["answer"]


async def test_a_person_who_answers_in_the_chat_is_not_asked_twice_in_a_row():
    back = AIMessage("Which Mercury do you mean?", additional_kwargs={"asks": "clarify"})
    _, values, _ = await ask(
        model_of(), messages=[HumanMessage(QUESTION), back, HumanMessage("How fast is the planet?")]
    )
    assert "__interrupt__" not in values
    assert values["result"]["answer"]


async def test_an_unclear_reply_is_asked_for_again():
    graph, _, calls = await ask(model_of())
    context = Context(clarify=True, web=False)
    values = await graph.ainvoke(Command(resume="9"), THREAD, context=context)
    assert values["__interrupt__"][0].value["complaints"]
    assert calls == []
    values = await graph.ainvoke(Command(resume={"reply": "a car"}), THREAD, context=context)
    assert values["assessment"].question == f"{QUESTION} (a car)"


@pytest.mark.parametrize(
    ("answer", "meaning"),
    [
        ("1", "the planet"),
        (" (2). ", "the web server"),
        ("第二个", "the web server"),
        (2, "the web server"),
        ("the car", "the car"),
        ({"reply": "2"}, "the web server"),
        ({"decisions": [{"type": "approve"}]}, "the planet"),
        ({"decisions": [{"type": "respond", "message": "2"}]}, "the web server"),
        ({"decisions": [{"type": "edit", "edited_action": {"name": "clarify", "args": {"reply": "x-ray"}}}]}, "x-ray"),
        ([{"type": "response", "args": "the car"}], "the car"),
        ([{"type": "accept", "args": None}], "the planet"),
        ([{"type": "edit", "args": {"action": "clarify", "args": {"reply": "2"}}}], "the web server"),
        ("3", None),
        ("…", None),
        ({}, None),
        (None, None),
        (False, None),
        ([{"type": "ignore", "args": None}], None),
    ],
)
def test_replies_are_read_in_every_form_that_clients_send(answer: Any, meaning: str | None):
    assert _read_reply(answer, ASKED) == meaning


def test_who_is_asked_by_default():
    assert not Settings.resolve(Context(), {}).clarify  # Python, which may have nobody to ask
    assert Settings.resolve(Context(), {}, from_client=True).clarify
    assert not Settings.resolve(Context(clarify=False), {}, from_client=True).clarify
    assert Settings.resolve(Context(), {"WEIWO_CLARIFY": "on"}).clarify
    with pytest.raises(SettingsError, match="WEIWO_CLARIFY"):
        Settings.resolve(Context(), {"WEIWO_CLARIFY": "perhaps"})


def test_what_waits_is_one_object_of_the_published_schema():
    request = {"type": "clarify", "question": QUESTION, "asks": ASKED.question, "choices": list(ASKED.choices)}
    schema = json.loads((Path(__file__).parents[4] / "app" / "result.schema.json").read_text("utf-8"))
    shown = CLARIFICATION.as_json(RunEnd("t1", {}, request))
    jsonschema.validate(shown, {**schema["$defs"]["waiting_for_reply"], "$defs": schema["$defs"]})
    assert shown["how"] == 'weiwo resume t1 --reply "NUMBER or text"'
