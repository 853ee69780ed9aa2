"""The planner's toolset: of a thousand tools the few that fit, more upon need, and what a plan may name."""

from dataclasses import replace
from typing import Any

import pytest
from langchain_core.tools import BaseTool, StructuredTool

from tests.support.fake_model import fake
from tests.support.run import search_tool, services
from tests.support.states import state_of
from weiwo.models.context_windows import text_tokens
from weiwo.nodes.planner.node import planner
from weiwo.nodes.planner.toolset import MOST_TOKENS, Toolset
from weiwo.tools.built_in import BUILT_IN

pytestmark = pytest.mark.long
QUESTION = "How warm is it in Oslo, what does a room cost there, and how much is that in yen?"
SCHEMA = {"type": "object", "properties": {"place": {"type": "string"}}, "required": ["place"]}
WANTED = {
    "oslo_weather": "How warm it is in a city, hour by hour.",
    "room_rates": "What a room in a hotel costs.",
    "yen_rates": "How much an amount is in yen.",
    "sonar_depth": "Water depth below a vessel by echo sounding.",
}
PLACES = (
    *("harbour mill", "school yard", "river bank", "town hall", "wood shed"),
    *("coal mine", "night market", "salt works", "post house", "corn field"),
)
THINGS = ("valve", "ledger", "galaxy", "enzyme", "tariff", "glacier", "turbine", "violin", "parcel", "orchard")


def remote(name: str, description: str) -> BaseTool:
    async def run(place: str) -> str:
        return place

    return StructuredTool(name=name, description=description, args_schema=SCHEMA, coroutine=run)


@pytest.fixture(scope="module")
def many() -> list[BaseTool]:
    others = [
        remote(
            f"{thing}_{number}", f"Lists {thing} records of the {PLACES[number % 10]}, newest first, with their owners."
        )
        for number in range(100)
        for thing in THINGS
    ]
    wanted = [remote(name, text) for name, text in WANTED.items()]
    return [*others[:500], *wanted, *others[500:-4]]


def vertex(tool: str) -> dict:
    return {
        "id": "task_1",
        "description": "How warm is Oslo?",
        "tool_binding": tool,
        "args": {"place": "Oslo"},
        "ret": "text",
    }


def setup(many, *replies):
    model = fake(PlanReply=list(replies))
    run = services(search_tool(lambda _: None), *many, model=model)
    return run, model


async def test_of_a_thousand_tools_the_prompt_has_sixteen_in_two_thousand_tokens(many):
    run, model = setup(many, {"vertices": [vertex("oslo_weather")], "edges": []})
    update = await planner(state_of(QUESTION, run), run)
    assert update["plan"].tasks[0].tool == "oslo_weather"
    shown = [name for name in run.registry.names() if f"- {name}(" in model.requests[0].text]
    assert len(run.registry.names()) == 1_003
    assert len(shown) == 16
    assert {"oslo_weather", "room_rates", "yen_rates", *(BUILT_IN & set(run.registry.names()))} <= set(shown)
    before = text_tokens(run.registry.describe(run.registry.names()))
    after = text_tokens(run.registry.describe(shown))
    assert after <= MOST_TOKENS < 10 * MOST_TOKENS < before
    assert "987 more tools" in model.requests[0].text


async def test_a_model_that_says_what_it_needs_sees_more(many):
    asks = {"need": "echo sounding of water depth", "vertices": [], "edges": []}
    run, model = setup(many, asks, {"vertices": [vertex("sonar_depth")], "edges": []})
    events: list[Any] = []
    run = replace(run, emit=lambda event: events.append(event.to_json()))
    update = await planner(state_of(QUESTION, run), run)
    assert update["plan"].tasks[0].tool == "sonar_depth"
    first, more = (event for event in events if event["type"] == "tools_found")
    assert (first["needs"], len(first["tools"]), first["pool"]) == ([QUESTION], 16, 1_003)
    assert (more["needs"], "sonar_depth" in more["tools"]) == (["echo sounding of water depth"], True)
    assert "sonar_depth(" not in model.requests[0].text
    assert "- sonar_depth(place: string)" in model.requests[1].text


async def test_a_plan_may_name_any_tool_of_the_pool_but_no_other(many):
    run, model = setup(many, {"vertices": [vertex("crystal_ball")]}, {"vertices": [vertex("valve_7")], "edges": []})
    update = await planner(state_of(QUESTION, run), run)
    assert update["plan"].tasks[0].tool == "valve_7"
    assert "unknown tool 'crystal_ball'" in model.requests[1].text
    assert len(model.requests[1].text) < 20_000  # the complaint names what was shown, not a thousand tools


async def test_few_tools_are_all_shown(many):
    run, model = setup(many[:10], {"vertices": [vertex(many[0].name)], "edges": []})
    await planner(state_of(QUESTION, run), run)
    assert all(f"- {name}(" in model.requests[0].text for name in run.registry.names())
    assert "more tools are not shown" not in model.requests[0].text


async def test_a_tool_of_endless_description_leaves_its_place_to_the_next(many):
    fields = {f"field_{number}": {"type": "string", "description": "oslo " * 40} for number in range(200)}
    endless = StructuredTool(
        name="oslo_everything",
        description="How warm it is in Oslo, what a room costs, how much that is in yen.",
        args_schema={"type": "object", "properties": fields, "required": []},
        coroutine=many[0].coroutine,  # type: ignore[attr-defined]
    )
    run, _ = setup([*many, endless], {"vertices": [], "edges": []})
    toolset = await Toolset.choose(run.registry.names(), [QUESTION], run)
    assert "oslo_everything" not in toolset.shown
    assert len(toolset.shown) == 16


async def test_past_plans_bring_tools_that_the_words_do_not(many, tmp_path):
    run, _ = setup(many, {"vertices": [], "edges": []})
    run = replace(run, settings=replace(run.settings, home=str(tmp_path)))
    past = '{"question": "Is the harbour safe for our ship?", "tools": ["sonar_depth", "valve_7"]}\n'
    (tmp_path / "tool_history.jsonl").write_text(past, encoding="utf-8")
    asked = ["Is the harbour safe for your ship today?"]
    toolset = await Toolset.choose(run.registry.names(), asked, run)
    assert {"sonar_depth", "valve_7"} <= set(toolset.shown)
    quiet = replace(run, settings=replace(run.settings, telemetry=False))
    assert "valve_7" not in (await Toolset.choose(run.registry.names(), asked, quiet)).shown
