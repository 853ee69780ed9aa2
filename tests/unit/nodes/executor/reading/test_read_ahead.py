"""Read-ahead: what a task's passages tell of tasks that wait for it, with quotes, is neither searched nor asked again."""

from dataclasses import replace
from typing import Any

import pytest

from tests.support.fake_model import FakeModel, fake, found
from tests.support.plan_runs import run_plan
from tests.support.run import search_tool, services, work
from tests.support.states import search
from weiwo.models.gateway import _given_endpoint
from weiwo.models.request_form import MODES, mode_memory
from weiwo.state import Outcome, Plan

TEXT = "The Ost League had two towns, Alby and Bryn. Alby was founded in 1201. Bryn was founded in 1302."
TOWNS = ["Alby", "Bryn"]
LISTED = search("t1", "Which towns had the Ost League?", "Ost League", "list[text]")
EACH = search("t2", "In which year was {{item}} founded?", "{{item}} founded", for_each="{{t1.ret}}")
PLAN = Plan(tasks=(LISTED, EACH))


def ahead(item: str, year: str, quote: str = "", **more: Any) -> dict[str, Any]:
    quotes = [{"passage": 1, "text": quote or f"{item} was founded in {year}"}]
    return {"task": "t2", "item": item, "value": year, "quotes": quotes, "confidence": 0.8, **more}


async def ran(
    *given: dict[str, Any], plan: Plan = PLAN, outcomes: dict[str, Outcome] | None = None, schemas: bool = True
) -> tuple[dict[str, Outcome], list[str], FakeModel]:
    """What the tasks came to, the queries that were sent, and the model."""
    listed = {**found(TOWNS, "two towns, Alby and Bryn"), "ahead": list(given)}
    model = fake(ReadReply=lambda r: listed if "Ost League?" in r.text else found("1302", "Bryn was founded in 1302"))
    tool = search_tool(lambda _: TEXT)
    run = services(tool, model=model)
    if not schemas:
        mode_memory.remember(_given_endpoint(model).identity, MODES[-1], certain=True)
    result = await run_plan(plan, outcomes or {}, replace(work(run), plan=plan), {})
    return result["outcomes"], tool.metadata["calls"], model


async def test_values_given_ahead_fill_the_tasks_that_wait():
    outcomes, queries, model = await ran(ahead("Alby", "1201"), ahead("bryn", "1302"))
    assert outcomes["t2"].value == ["1201", "1302"]
    assert [quote.text for quote in outcomes["t2"].quotes] == ["Alby was founded in 1201", "Bryn was founded in 1302"]
    assert (queries, len(model.requests)) == (["Ost League"], 1)
    assert "- t2, for each item: In which year was {{item}} founded? (wanted: date)" in model.requests[0].text


@pytest.mark.parametrize(
    "given",
    [
        ahead("Bryn", "1302", "Bryn is as old as 1302"),  # no such words
        ahead("Bryn", "long ago"),  # no date
        ahead("Corve", "1302"),  # no item
        {**ahead("Bryn", "1302"), "task": "t9"},
        ahead("Bryn", "1302", basis="implied"),
    ],
)
async def test_what_does_not_hold_is_looked_up(given):
    outcomes, queries, _ = await ran(ahead("Alby", "1201"), given)
    assert outcomes["t2"].value == ["1201", "1302"]
    assert queries == ["Ost League", "Bryn founded"]


async def test_a_task_that_builds_on_one_value_is_filled_too():
    first = search("t1", "Which was the largest town of the Ost League?", "Ost League", "text")
    plan = Plan(tasks=(first, search("t2", "In which year was {{t1.ret}} founded?", "{{t1.ret}} founded")))
    one = {**found("Alby", "two towns, Alby"), "ahead": [ahead("", "1201", "Alby was founded in 1201")]}
    model, tool = fake(ReadReply=one), search_tool(lambda _: TEXT)
    result = await run_plan(plan, {}, replace(work(services(tool, model=model)), plan=plan), {})
    assert result["outcomes"]["t2"].value == "1201"
    assert tool.metadata["calls"] == ["Ost League"]


async def test_a_task_of_several_look_ups_may_tell_ahead_too():
    first = search("t1", "Who was the founder of the town where Ada Roe was born?", "Ada Roe", "text")
    plan = Plan(tasks=(first, search("t2", "In which year was {{t1.ret}} founded?", "{{t1.ret}} founded")))
    one = {**found("Alby", "two towns, Alby"), "ahead": [ahead("", "1201", "Alby was founded in 1201")], "hops": []}
    model, tool = fake(ReadReply=one), search_tool(lambda _: TEXT)
    result = await run_plan(plan, {}, replace(work(services(tool, model=model)), plan=plan), {})
    assert "Give in `hops`" in model.requests[0].text
    assert (result["outcomes"]["t2"].value, tool.metadata["calls"]) == ("1201", ["Ada Roe"])


async def test_they_are_kept_with_the_value_they_came_with():
    outcomes, _, _ = await ran(ahead("Alby", "1201"), ahead("Bryn", "1302"))
    again, queries, model = await ran(outcomes={"t1": outcomes["t1"]})  # resumed between the two
    assert again["t2"].value == ["1201", "1302"]
    assert (queries, model.requests) == ([], [])


async def test_of_another_value_they_tell_nothing():
    outcomes, _, _ = await ran(ahead("Alby", "1201"), ahead("Bryn", "1302"))
    other = outcomes["t1"].model_copy(update={"value": ["Bryn", "Corve"]})
    _, queries, _ = await ran(outcomes={"t1": other})
    assert queries == ["Corve founded"]


async def test_a_model_that_takes_no_schemas_is_not_told_what_waits():
    _, _, model = await ran(schemas=False)
    assert model.requests
    assert all("Other tasks wait" not in request.text for request in model.requests)


async def test_a_task_that_waits_for_several_is_left_to_itself():
    other = search("t3", "Which league was older?", "league", "text")
    both = search("t2", "Was {{t1.ret}} of {{t3.ret}}?", "{{t1.ret}}", "text")
    _, _, model = await ran(plan=Plan(tasks=(LISTED, other, both)))
    assert all("Other tasks wait" not in request.text for request in model.requests)
