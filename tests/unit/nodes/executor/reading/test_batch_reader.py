"""Batched reading: one call for tasks that come to read together, and each alone where that does not hold."""

import asyncio
from typing import Any

import pytest

from tests.support.fake_model import FakeModel, ScriptedError, fake, found
from tests.support.plan_runs import run_plan
from tests.support.run import search_tool, services, work
from tests.support.states import passage, search
from weiwo.models.gateway import _given_endpoint
from weiwo.models.request_form import MODES, mode_memory
from weiwo.nodes.executor.reading.batch_reader import _LONGEST_PASSAGES, MOST_TASKS, ReadBatches, ReadRequest
from weiwo.nodes.shared.question.parser import parse_question
from weiwo.state import Outcome, Plan, Task

TOWNS = {"Alby": 1201, "Bryn": 1302, "Corve": 1403, "Dunmor": 1504}


def founded(town: str) -> str:
    return f"{town} was founded in {TOWNS[town]}."


def request(town: str, more: str = "") -> ReadRequest:
    texts = (passage(founded(town) + more, f"{town}.md", town), passage("No town is named here.", "x.md"))
    return ReadRequest(parse_question(f"In which year was {town} founded?", "en"), "date", texts)


def answer(task: int, town: str, quote: str | None = None) -> dict[str, Any]:
    quotes = [{"passage": 0, "text": quote or f"founded in {TOWNS[town]}"}]
    return {"task": task, "value": str(TOWNS[town]), "quotes": quotes, "confidence": 0.9}


async def together(model: FakeModel, *requests: ReadRequest, batches: ReadBatches | None = None) -> list[Any]:
    run, batches = services(search_tool(lambda _: None), model=model), batches or ReadBatches()
    tasks = [search(f"t{n}", "?") for n in range(len(requests))]
    for task in tasks:
        batches.expect(task, run)
    reads = (batches.read(task.id, one, run.models) for task, one in zip(tasks, requests, strict=True))
    given = await asyncio.wait_for(asyncio.gather(*reads), 120)
    return [None if one is None else one.reading.value for one in given]


async def test_tasks_that_read_at_the_same_time_are_read_in_one_call():
    model = fake(BatchReadReply={"answers": [answer(n, town) for n, town in enumerate(TOWNS, 1)]})
    values = await together(model, *map(request, TOWNS))
    assert values == ["1201", "1302", "1403", "1504"]
    assert len(model.requests) == 1
    said = model.requests[0].text
    assert [said.count(founded(town)) for town in TOWNS] == [1, 1, 1, 1]
    assert said.count("No town is named here.") == 1  # found four times


async def test_the_prompt_does_not_depend_on_which_task_comes_first():
    model = fake(BatchReadReply={"answers": [answer(n, town) for n, town in enumerate(TOWNS, 1)]})
    run, batches = services(search_tool(lambda _: None), model=model), ReadBatches()
    asked = {f"t{n}": request(town) for n, town in enumerate(TOWNS)}
    for name in asked:
        batches.expect(search(name, "?"), run)
    reads = [batches.read(name, asked[name], run.models) for name in reversed(asked)]
    given = await asyncio.wait_for(asyncio.gather(*reads), 120)
    assert [one.reading.value for one in reversed(given)] == ["1201", "1302", "1403", "1504"]


async def test_what_is_not_answered_with_words_of_a_passage_is_read_alone():
    invented, elsewhere = answer(2, "Bryn", "founded long ago"), answer(9, "Corve")
    model = fake(BatchReadReply={"answers": [answer(1, "Alby"), invented, elsewhere, answer(1, "Bryn")]})
    assert await together(model, *map(request, TOWNS)) == ["1201", None, None, None]


@pytest.mark.parametrize("count", [0, 1])
async def test_too_few_are_read_alone(count):
    model = fake(BatchReadReply={"answers": []})
    assert await together(model, *map(request, list(TOWNS)[:count])) == [None] * count
    assert model.requests == []


async def test_long_passages_are_read_alone_and_hold_nobody_up():
    model = fake(BatchReadReply={"answers": [answer(n, t) for n, t in enumerate(("Bryn", "Corve", "Dunmor"), 1)]})
    requests = [request("Alby", " x" * _LONGEST_PASSAGES), *map(request, ("Bryn", "Corve", "Dunmor"))]
    assert await together(model, *requests) == [None, "1302", "1403", "1504"]


async def test_after_a_call_that_failed_each_is_read_alone():
    model, batches = fake(BatchReadReply=ScriptedError("down")), ReadBatches()
    assert await together(model, *map(request, TOWNS), batches=batches) == [None] * 4
    calls = len(model.requests)
    assert await together(model, *map(request, TOWNS), batches=batches) == [None] * 4
    assert len(model.requests) == calls


async def test_a_full_batch_waits_for_nobody_and_one_that_is_left_waits_no_longer():
    model = fake(BatchReadReply={"answers": [answer(1, "Alby")]})
    run, batches = services(search_tool(lambda _: None), model=model), ReadBatches()
    for n in range(MOST_TASKS + 4):
        batches.expect(search(f"t{n}", "?"), run)
    full = [asyncio.create_task(batches.read(f"t{n}", request("Alby"), run.models)) for n in range(MOST_TASKS)]
    given = await asyncio.wait_for(asyncio.gather(*full), 120)
    assert [one is not None for one in given] == [True, *[False] * (MOST_TASKS - 1)]
    rest = [asyncio.create_task(batches.read(f"t{MOST_TASKS + n}", request("Alby"), run.models)) for n in range(3)]
    for _ in range(5):
        await asyncio.sleep(0)
    assert not any(one.done() for one in rest)
    batches.leave(f"t{MOST_TASKS + 3}")  # its search failed
    assert (await asyncio.wait_for(asyncio.gather(*rest), 120))[0] is not None


async def test_when_the_one_that_asks_is_cancelled_the_others_are_read_alone():
    asked = asyncio.Event()

    class Slow(FakeModel):
        async def _agenerate(self, *_: Any, **__: Any) -> Any:
            asked.set()
            await asyncio.Event().wait()

    run, batches = services(search_tool(lambda _: None), model=Slow(script={})), ReadBatches()
    for n in range(3):
        batches.expect(search(f"t{n}", "?"), run)
    reads = [asyncio.create_task(batches.read(f"t{n}", request("Alby"), run.models)) for n in range(3)]
    await asyncio.wait_for(asked.wait(), 120)
    reads[0].cancel()
    assert await asyncio.wait_for(asyncio.gather(*reads[1:]), 120) == [None, None]


async def test_when_the_one_that_is_to_ask_is_cancelled_first_the_others_are_read_alone():
    run, batches = services(search_tool(lambda _: None), model=fake()), ReadBatches()
    for n in range(4):
        batches.expect(search(f"t{n}", "?"), run)
    reads = [asyncio.create_task(batches.read(f"t{n}", request("Alby"), run.models)) for n in range(3)]
    await asyncio.sleep(0)
    batches.leave("t3")
    reads[0].cancel()  # before it could run again
    assert await asyncio.wait_for(asyncio.gather(*reads[1:]), 120) == [None, None]


async def test_words_of_a_passage_that_only_another_task_found_are_not_taken():
    model = fake(BatchReadReply={"answers": [answer(1, "Alby", "founded in 1302"), answer(2, "Bryn")]})
    assert await together(model, *map(request, list(TOWNS)[:3])) == [None, "1302", None]


@pytest.mark.parametrize("ret", ["list[text]", "passages"])
def test_lists_and_summaries_are_not_waited_for(ret):
    batches = ReadBatches()
    batches.expect(search("t", "?", ret=ret), services(search_tool(lambda _: None), model=fake()))
    assert batches.expected == set()


async def test_a_model_that_takes_no_schemas_reads_one_task_at_a_time():
    model = fake()
    run, batches = services(search_tool(lambda _: None), model=model), ReadBatches()
    batches.expect(search("t1", "?"), run)
    assert batches.expected == {"t1"}  # nothing is known of it yet
    mode_memory.remember(_given_endpoint(model).identity, MODES[-1], certain=True)
    batches.expect(search("t2", "?"), run)
    assert batches.expected == {"t1"}


async def test_the_items_of_a_for_each_are_read_together_and_what_is_left_alone():
    def look_up(query: str) -> str | None:
        return next((founded(town) for town in TOWNS if town in query), None)

    def batch(said: Any) -> dict[str, Any]:
        order = [line.split("was ")[1].split(" founded")[0] for line in said.text.splitlines() if line[:5] == "Task "]
        return {"answers": [answer(n, town) for n, town in enumerate(order, 1) if town != "Corve"]}

    model = fake(BatchReadReply=batch, ReadReply=found("1403", "founded in 1403"))
    each = Task(
        id="years",
        description="In which year was {{item}} founded?",
        tool="corpus_search",
        args={"query": "{{item}} founded"},
        ret="date",
        for_each="{{towns.ret}}",
    )
    towns = Outcome(task_id="towns", status="succeeded", value=list(TOWNS), type="list[text]")
    plan = Plan(tasks=(search("towns", "Which towns?", ret="list[text]"), each))
    shared = work(services(search_tool(look_up), model=model), parallel=2)  # fewer slots than tasks
    ran = await asyncio.wait_for(run_plan(plan, {"towns": towns}, shared, {}), 120)
    assert ran["outcomes"]["years"].value == ["1201", "1302", "1403", "1504"]
    assert sorted(one.schema for one in model.requests) == ["BatchReadReply", "ReadReply"]
    assert ran["usage"].model_calls == 2
    assert not shared.limiter.is_locked()
