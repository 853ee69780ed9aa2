"""Speculative reading: what passages seem to enumerate is looked up while the list is read; the list decides."""

from dataclasses import replace
from typing import Any

import pytest

from tests.support.fake_model import FakeModel, Request, ScriptedError, fake, found
from tests.support.run import search_tool, services, work
from tests.support.states import passage, search
from weiwo.graph.execution.fan_out import run_plan
from weiwo.nodes.executor.reading.speculation import guess_items
from weiwo.nodes.shared.question.parser import parse_question
from weiwo.state import Limits, Outcome, Plan

TOWNS = {"Alby": "1201", "Bryn": "1302", "Corve": "1403"}
LEAGUE = "The towns of the Ost League are Alby, Bryn and Corve."
QUESTION = "Which towns had the Ost League?"
PLAN = Plan(
    tasks=(
        search("t1", QUESTION, "Ost League", "list[text]"),
        search("t2", "In which year was {{item}} founded?", "{{item}} founded", for_each="{{t1.ret}}"),
    )
)


def look_up(query: str) -> str:
    return next((f"{town} was founded in {year}." for town, year in TOWNS.items() if town in query), LEAGUE)


def together(request: Request) -> dict[str, Any]:
    order = [line.split("was ")[1].split(" founded")[0] for line in request.text.splitlines() if line[:5] == "Task "]
    told = [(n, town, f"{town} was founded in {TOWNS[town]}") for n, town in enumerate(order, 1)]
    return {"answers": [{"task": n, "value": TOWNS[t], "quotes": [{"passage": 0, "text": q}]} for n, t, q in told]}


async def ran(
    listed: list[str], batch: Any = together, limits: Limits | None = None
) -> tuple[dict[str, Outcome], FakeModel, dict[str, Any]]:
    def read(request: Request) -> dict[str, Any]:
        asked = next((town for town in TOWNS if f"was {town} founded" in request.text), "")
        return found(TOWNS[asked], f"founded in {TOWNS[asked]}") if asked else found(listed, LEAGUE[:-1])

    model = fake(ReadReply=read, BatchReadReply=batch)
    run = services(search_tool(look_up), model=model, limits=limits)
    result = await run_plan(PLAN, {}, replace(work(run), plan=PLAN), {})
    return result["outcomes"], model, result["evidence"]


async def test_the_items_are_read_beside_their_list_and_travel_with_it():
    outcomes, model, evidence = await ran([*TOWNS])
    assert outcomes["t2"].value == [*TOWNS.values()]
    assert sorted(request.schema for request in model.requests) == ["BatchReadReply", "ReadReply"]
    assert [one.value for one in outcomes["t1"].detail.ahead] == [*TOWNS.values()]
    assert set(outcomes["t2"].evidence_ids) <= evidence.keys()


async def test_the_list_decides_what_is_in_it():
    outcomes, _, _ = await ran(["corve"])
    assert outcomes["t2"].value == ["1403"]
    assert len(outcomes["t1"].detail.ahead) == 1


async def test_a_guess_that_fails_leaves_each_item_to_itself():
    outcomes, model, _ = await ran([*TOWNS], ScriptedError("down"))
    assert outcomes["t2"].value == [*TOWNS.values()]
    assert len(model.asked("BatchReadReply")) == 1  # such a call is not tried again


async def test_where_calls_are_short_nothing_is_guessed():
    outcomes, _, _ = await ran([*TOWNS], limits=Limits(max_tool_calls=1))
    assert outcomes["t1"].detail.ahead == ()


@pytest.mark.parametrize(
    ("question", "texts", "items"),
    [
        (QUESTION, (LEAGUE,), ["Alby", "Bryn", "Corve"]),
        (QUESTION, ("# Ost League\n\n- Alby (1201)\n- Bryn: a port\n- Corve",), ["Alby", "Bryn", "Corve"]),
        (
            "星河社有哪些创始成员？",
            ("星河社1979年成立，创始成员有陈立安、周若兰和何敬之。",),
            ["陈立安", "周若兰", "何敬之"],
        ),
        (QUESTION, (LEAGUE, "Bryn lies inland."), ["Alby", "Corve"]),  # of which the reader is shown something
        (QUESTION, (f"{LEAGUE} Corve is the oldest.",), ["Alby", "Bryn"]),
        (QUESTION, ("The Ost League was rich, it had ships, and it was feared.",), []),
        (QUESTION, ("The members are Alby, Bryn and Corve.",), []),  # of what?
        (QUESTION, (f"The towns of the Ost League are {', '.join(f'Town{n}' for n in range(40))}.",), []),
    ],
)
def test_what_passages_seem_to_enumerate(question: str, texts: tuple[str, ...], items: list[str]):
    frame = parse_question(question, "zh" if "星" in question else "en")
    assert guess_items(frame, [passage(text, f"{n}.md") for n, text in enumerate(texts)], 30) == items
