"""When the run's seconds are used up: what is at work ends, what waits does not start, and there is an answer."""

import asyncio
import threading
from typing import Any

import pytest
from langchain_core.tools import BaseTool, StructuredTool

from tests.support.late_clock import count_from
from tests.support.plan_runs import run_plan
from tests.support.run import search_tool, services, work
from tests.support.virtual_time import virtual_time
from tests.support.waiting import until
from weiwo.graph import build_graph
from weiwo.graph.execution.task_graph import _GRACE_SECONDS, _seconds_for_task
from weiwo.models.budget import _WRITER_SHARE, Budget
from weiwo.nodes.executor.task_calls import isolation as leash
from weiwo.state import Limits, Outcome, Plan, Task, Usage
from weiwo.state.settings import Context

pytestmark = pytest.mark.usefixtures("indexed_home")

SHORT = Limits(max_seconds=0.5)
MODES: Any = ["custom", "values"]
SHORT_OF_HANDS = Limits(max_seconds=2.0, max_parallel=2)


def ask(task_id: str, query: str, tool: str = "corpus_search", **more: Any) -> Task:
    name = "{{item}}" if more else query.split(maxsplit=1)[0]
    return Task(
        id=task_id, description=f"When was {name} Smith born?", tool=tool, args={"query": query}, ret="date", **more
    )


def born(query: str) -> str:
    return f"{query.split(maxsplit=1)[0]} Smith was born in 1900."


class Slow:
    """Tools that take for ever, each in its own way, until they are let go."""

    def __init__(self) -> None:
        self.over = asyncio.Event()
        self.thread_over = threading.Event()
        self.calls: list[str] = []

    def tools(self) -> list[BaseTool]:
        async def waits(query: str) -> str:
            self.calls.append(query)
            await self.over.wait()
            return born(query)

        async def ignores(query: str) -> str:
            self.calls.append(query)
            while not self.over.is_set():
                try:
                    await self.over.wait()
                except asyncio.CancelledError:
                    continue
            return born(query)

        def blocks(query: str) -> str:
            self.calls.append(query)
            self.thread_over.wait(600)
            return born(query)

        return [
            StructuredTool.from_function(coroutine=waits, name="waits", description="Waits."),
            StructuredTool.from_function(coroutine=ignores, name="ignores", description="Ignores cancellation."),
            StructuredTool.from_function(blocks, name="blocks", description="Blocks a thread."),
        ]

    async def let_go(self) -> None:
        self.over.set()
        self.thread_over.set()
        await until(lambda: not leash._left_behind)


@pytest.fixture
async def slow():
    one = Slow()
    yield one
    await one.let_go()


async def run(plan: Plan, *tools: BaseTool, parallel: int = 8, limits: Limits = SHORT, outcomes: Any = None) -> Any:
    shared = work(services(*tools, limits=limits), parallel=parallel)
    async with asyncio.timeout(120):  # far more than it takes; a run that is held never ends
        return (await run_plan(plan, outcomes or {}, shared, {}))["outcomes"]


@pytest.mark.parametrize("tool", ["waits", "ignores", "blocks"])
@pytest.mark.parametrize("parallel", [1, 8])
async def test_work_is_broken_off_and_what_waits_does_not_start(tool, parallel, slow):
    plan = Plan(
        tasks=(
            ask("after", "After {{slow.ret}}", tool),
            ask("last", "Last {{after.ret}} {{quick.ret}}", tool),
            ask("quick", "Ada"),
            ask("slow", "Slow", tool),
            *(ask(f"more{n}", f"More{n}", tool) for n in range(3)),
        )
    )
    outcomes = await run(plan, search_tool(born), *slow.tools(), parallel=parallel)
    assert set(outcomes) == set(plan.ids)
    assert outcomes["slow"].failure.kind == "limit"
    assert "max_seconds" in outcomes["slow"].failure.message
    assert all(outcomes[f"more{n}"].failure.kind == "limit" for n in range(3))
    assert {outcomes[key].failure.kind for key in ("after", "last")} <= {"limit", "incomplete"}
    assert not [query for query in slow.calls if query.startswith(("After", "Last"))]


@virtual_time
async def test_of_a_list_what_was_found_is_kept():
    never = asyncio.Event()
    everyone = [f"P{n}" for n in range(20)]
    people = Outcome(task_id="people", status="succeeded", value=everyone, type="list[text]")
    held = everyone[5:]

    async def some(query: str) -> str:
        if query in held:
            await never.wait()
        return born(query)

    tool = StructuredTool.from_function(coroutine=some, name="corpus_search", description="Finds.")
    plan = Plan(tasks=(ask("people", "who"), ask("each", "{{item}}", for_each="{{people.ret}}")))
    own = services(tool, limits=SHORT_OF_HANDS)
    object.__setattr__(own, "budget", Budget(SHORT_OF_HANDS, Usage(), clock=asyncio.get_running_loop().time))
    shared = work(own, parallel=2)
    outcomes = (await run_plan(plan, {"people": people}, shared, {}))["outcomes"]
    found = list(outcomes["each"].detail.items or ())
    assert len(found) >= 3
    assert outcomes["each"].value == ["1900"] * len(found)
    assert (found, list(outcomes["each"].detail.missing)) == (everyone[: len(found)], everyone[len(found) :])
    assert outcomes["each"].trace.limited


async def test_when_no_time_is_left_nothing_is_called():
    tool = search_tool(born)
    shared = services(tool, limits=Limits(max_seconds=0.001))
    await asyncio.sleep(0.01)
    people = Outcome(task_id="people", status="succeeded", value=["Ada", "Bea"], type="list[text]")
    plan = Plan(tasks=(ask("people", "who"), ask("each", "{{item}}", for_each="{{people.ret}}"), ask("a", "Ada")))
    outcomes = (await run_plan(plan, {"people": people}, work(shared), {}))["outcomes"]
    assert {key: outcome.failure.kind for key, outcome in outcomes.items()} == {"each": "limit", "a": "limit"}
    assert tool.metadata["calls"] == []


@pytest.mark.parametrize(("passed", "left"), [(0, 109), (100, 9), (107, 2), (108.5, 0), (500, 0)])
def test_the_grace_comes_out_of_the_writers_share(passed, left):
    limits = Limits(max_seconds=120)
    now = 0.0
    shared = services(limits=limits)
    object.__setattr__(shared, "budget", Budget(limits, Usage(), clock=lambda: now))
    now = passed
    assert _WRITER_SHARE * limits.max_seconds > _GRACE_SECONDS
    assert _seconds_for_task(work(shared)) == pytest.approx(left)


@pytest.mark.parametrize("seconds", [0.1, 1, 10])
def test_the_grace_leaves_the_writer_at_least_half_of_its_share(seconds):
    limits = Limits(max_seconds=seconds)
    shared = services(limits=limits)
    object.__setattr__(shared, "budget", Budget(limits, Usage(), clock=lambda: 0.0))
    assert _seconds_for_task(work(shared)) <= seconds * (1 - _WRITER_SHARE / 2) + 1e-9


@pytest.mark.parametrize("tool", ["waits", "ignores"])
async def test_the_writer_answers_from_what_there_is(tool, slow, monkeypatch):
    held = next(one for one in slow.tools() if one.name == tool)

    async def find(query: str) -> str:
        if "Turing" in query:
            return str(await held.ainvoke({"query": query}))
        return "Ada Lovelace was born in 1815 in London."

    search = StructuredTool.from_function(coroutine=find, name="corpus_search", description="Finds.")
    graph = build_graph(tools=[search])
    question = "Who was born earlier, Ada Lovelace or Alan Turing?"
    finished: list[str] = []
    count_from(lambda: finished, monkeypatch)
    stream = graph.astream({"question": question}, context=Context(max_seconds=1.5, web=False), stream_mode=MODES)
    async with asyncio.timeout(120):
        async for mode, part in stream:
            if mode == "values":
                values = part
            elif part["type"] == "task_finished":
                finished.append(part["task_id"])
    result = values["result"]
    assert (result["status"], result["stop_reason"]) == ("partial", "max_seconds")
    assert "1815" in result["answer"]
