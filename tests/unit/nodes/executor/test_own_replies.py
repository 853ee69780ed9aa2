"""Tools whose replies do not repeat what they were asked: the call is context of the reply, for reader and check."""

import os
import re
from pathlib import Path
from typing import Any

import pytest
from langchain_core.tools import StructuredTool

from tests.support.fake_model import FakeModel, Request, assessed, fake, found
from tests.support.run import search_tool
from tests.support.schema import check_result
from weiwo.graph import build_graph
from weiwo.nodes.executor.evidence_merging import merge_passages
from weiwo.nodes.shared.prompting.passage_prompt import format_passage
from weiwo.nodes.writer.claims import ClaimSources, check_cited
from weiwo.state import Evidence, PassageCall, passage_id
from weiwo.state.settings import Context
from weiwo.text.language_detection import detect_language
from weiwo.tools.usage.task_log import read_history

pytestmark = pytest.mark.usefixtures("indexed_home")
TASK = {"en": "What is the temperature in {}?", "zh": "{}的气温是多少度？"}
CITIES = {"Tokyo": 21, "Oslo": 21, "东京": 21, "大阪": 21}


def weather_tool() -> StructuredTool:
    """A tool that tells the weather of a city, and not of which."""

    async def weather(city: str) -> dict[str, int]:
        return {"temperature_c": CITIES[city]}

    return StructuredTool.from_function(coroutine=weather, name="weather", description="Current weather of a city.")


async def ask(question: str, says: dict[str, str], search: Any = None) -> tuple[dict[str, Any], FakeModel]:
    """Ask of cities what each of them has a sentence for; each is looked up in a task of its own."""
    name, argument = ("corpus_search", "query") if search else ("weather", "city")
    tasks = [
        {
            "id": f"task_{n}",
            "description": TASK[detect_language(question)].format(city),
            "tool_binding": name,
            "args": {argument: city},
            "ret": "number",
            "is_answer": True,
        }
        for n, city in enumerate(says, 1)
    ]

    def read(request: Request) -> dict[str, Any]:
        task = next(line for line in request.text.splitlines() if line.startswith("Task: "))
        city = next(city for city in says if city in task)
        return found(21, '"temperature_c": 21', sentence=says[city])

    model = fake(
        AssessmentReply={**assessed(question, steps=1.0, form="list"), "vertices": tasks, "edges": []},
        ReadReply=read,
        draft="".join(f"- {said} [1]\n" for said in says.values()),
    )
    graph = build_graph(tools=[search or search_tool(lambda _: None), weather_tool()], models=model)
    result = (await graph.ainvoke({"question": question}, context=Context(web=False)))["result"]
    check_result(result)
    return result, model


@pytest.mark.parametrize(
    ("question", "says"),
    [
        (
            "What is the temperature in Tokyo and what is it in Oslo?",
            {"Tokyo": "The temperature in Tokyo is 21.", "Oslo": "The temperature in Oslo is 21."},
        ),
        ("东京和大阪的气温各是多少度？", {"东京": "东京：21。", "大阪": "大阪：21。"}),
    ],
)
async def test_a_tool_that_does_not_repeat_its_arguments_answers(question, says):
    result, model = await ask(question, says)
    read = [request.text for request in model.asked("ReadReply")]
    assert len(read) == len(says)
    assert all(any(f"weather(city: {city})" in text for text in read) for city in says)
    assert not [claim for claim in result["claims"] if claim["verdict"] in {"unsupported", "contradicted"}]
    assert result["status"] == "complete"
    assert min(outcome["confidence"] for outcome in result["outcomes"].values()) > 0.8


async def test_a_hit_of_a_search_has_no_words_of_its_query():
    tool = search_tool(lambda _: 'Osaka: "temperature_c": 21')
    _, model = await ask("What is the temperature in Tokyo now?", {"Tokyo": "It is 21 in Tokyo."}, tool)
    read = model.asked("ReadReply")
    assert "weather(" not in read[0].text
    assert "does not speak of Tokyo" in read[1].text


def reply(city: str, text: str = '{"temperature_c": 21}') -> Evidence:
    call = PassageCall(tool="weather", arguments={"city": city})
    return Evidence(id=passage_id(text), text=text, source="tool:weather", calls=(call,))


def test_calls_that_returned_the_same_are_all_context_of_it_and_others_are_not():
    (same,) = merge_passages([reply("Tokyo")], [reply("Oslo")])
    assert {call.arguments["city"] for call in same.calls} == {"Tokyo", "Oslo"}
    assert len(merge_passages([reply("Tokyo")], [reply("Oslo", '{"temperature_c": 22}')])) == 2
    longer = 'This is the reply of the weather service as it stands: {"temperature_c": 21}'
    assert all(len(one.calls) == 1 for one in merge_passages([reply("Tokyo")], [reply("Oslo", longer)]))


@pytest.mark.parametrize(("city", "claim"), [("Tokyo", "In Tokyo it is 21."), ("东京", "东京现在是21。")])
def test_arguments_of_a_call_carry_a_claim_and_stand_in_the_prompt(city, claim):
    passage = reply(city)
    given = ClaimSources({1: (passage,)}, {}, question=claim)
    assert check_cited(claim, (1,), given).verdict == "matched"
    assert f'call="weather(city: {city})"' in format_passage(1, passage)
    bare = passage.model_copy(update={"calls": ()})
    assert "calls" not in bare.model_dump(mode="json")
    assert Evidence.model_validate(bare.model_dump(mode="json")) == bare
    assert Evidence.model_validate(passage.model_dump(mode="json")) == passage


TRIP = {
    "weather": ({"city": "Tokyo"}, {"temperature_c": 21}, 21, "It is 21 degrees in Tokyo."),
    "hotel_rooms": ({"hotel": "Hotel Meridian"}, {"free_rooms": 3}, 3, "Hotel Meridian has 3 free rooms."),
    "train_fare": ({"to": "Kyoto"}, {"yen": 14170}, 14170, "The train to Kyoto costs 14,170 yen."),
    "museum_hours": ({"museum": "Mori Museum"}, {"opens": 10}, 10, "The Mori Museum opens at 10."),
}
"""Of each tool its arguments, its reply, the value in it and what is to be said of that."""


def plain_tool(name: str) -> StructuredTool:
    arguments, reply_, *_ = TRIP[name]

    async def run(**_: str) -> dict[str, int]:
        return reply_

    fields = {"type": "object", "properties": {one: {"type": "string"} for one in arguments}, "required": [*arguments]}
    return StructuredTool.from_function(coroutine=run, name=name, description=f"Tells {name}.", args_schema=fields)


@pytest.mark.parametrize("worded", [True, False])
async def test_a_trip_of_four_plain_tools_is_complete_and_teaches(worded):
    asks = {
        "weather": "What is the temperature in Tokyo?",
        "hotel_rooms": "How many rooms are free at Hotel Meridian?",
        "train_fare": "What does the train to Kyoto cost?",
        "museum_hours": "At what hour does the Mori Museum open?",
    }
    tasks = [
        {"id": f"task_{n}", "description": asks[name], "tool_binding": name, "args": told[0], "ret": "number"}
        | {"is_answer": worded}
        for n, (name, told) in enumerate(TRIP.items(), 1)
    ]

    def read(request: Request) -> dict[str, Any]:
        name = next(name for name in TRIP if f"{name}(" in request.text)
        _, said, value, sentence = TRIP[name]
        key = next(iter(said))
        return found(value, f'"{key}": {said[key]}', **({"sentence": sentence} if worded else {}))

    def judge(request: Request) -> dict[str, Any]:
        listed = request.text.split("\nClaims:\n")[-1]
        quotes = {str(value): f'"{next(iter(said))}": {value}' for _, said, value, _ in TRIP.values()}
        claims = re.findall(r"(?m)^(\d+)\. (.*)", listed)
        shown = [next((q for v, q in quotes.items() if v in c.replace(",", "")), "") for _, c in claims]
        return {
            "verdicts": [{"n": n, "verdict": "supported", "quote": q} for (n, _), q in zip(claims, shown, strict=True)]
        }

    question = "Plan my trip: weather in Tokyo, rooms in Hotel Meridian, the fare to Kyoto, hours of the Mori Museum?"
    model = fake(
        AssessmentReply={**assessed(question, steps=1.0, form="list"), "vertices": tasks, "edges": []},
        PlanReply={"vertices": tasks, "edges": []},
        ReadReply=read,
        EntailmentReply=judge,
        ReflectionReply={"reason": "all", "decision": "finish", "missing": []},
        RewriteReply={"sentences": []},
        draft="".join(f"- {told[3][:-1]} [{n}].\n" for n, told in enumerate(TRIP.values(), 1)),
    )
    graph = build_graph(tools=[search_tool(lambda _: None), *map(plain_tool, TRIP)], models=model)
    context = Context(web=False, telemetry=True)
    result = (await graph.ainvoke({"question": question}, context=context))["result"]
    assert (result["status"], result["checked"]) == ("complete", True)
    assert len(model.requests) <= 9
    assert "unverified" not in result["answer"]
    assert set(TRIP) <= {tool for use in read_history(Path(os.environ["WEIWO_HOME"])) for tool in use.tools}
