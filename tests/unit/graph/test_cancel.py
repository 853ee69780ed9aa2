"""A run that is cancelled stops at once, leaves nothing running, and goes on where it was when resumed."""

import asyncio
import gc
from collections import Counter
from collections.abc import Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from langchain_core.tools import BaseTool, StructuredTool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.config import get_config
from langgraph.graph import END, START, StateGraph

from tests.support.plan_runs import run_plan
from tests.support.run import services, work
from tests.support.waiting import until
from weiwo.graph.persistence.checkpointer import open_checkpointer, serializer
from weiwo.nodes.executor.task_calls import isolation as leash
from weiwo.state import Outcome, Plan, Task
from weiwo.state.search import SearchState
from weiwo.state.settings import Settings

THREAD: Any = {"configurable": {"thread_id": "one"}}


class Bureau:
    """Searches that each wait until they may go on, and a log of what started and what was done."""

    def __init__(self) -> None:
        self.started: list[str] = []
        self.done: list[str] = []
        self.held: set[str] = set()
        self.stubborn = False
        self.released = asyncio.Event()

    def tool(self) -> BaseTool:
        async def find(query: str) -> str:
            self.started.append(query)
            while query in self.held and not self.released.is_set():
                try:
                    await self.released.wait()
                except asyncio.CancelledError:
                    if not self.stubborn:
                        raise
            self.done.append(query)
            return f"{query.split(maxsplit=1)[0]} Smith was born in 1900 in London."

        return StructuredTool.from_function(coroutine=find, name="corpus_search", description="Finds.")

    async def busy_with(self, *queries: str) -> None:
        """Wait until these are being looked for."""
        await until(lambda: set(queries) <= set(self.started))

    async def through_with(self, *queries: str) -> None:
        """Wait until these have been found."""
        await until(lambda: set(queries) <= set(self.done))


def ask(task_id: str, query: str, **more: Any) -> Task:
    name = query.split(maxsplit=1)[0]
    args = {"query": query}
    return Task(
        id=task_id, description=f"When was {name} Smith born?", tool="corpus_search", args=args, ret="date", **more
    )


def graph_of(plan: Plan, bureau: Bureau, saver: Any = None) -> Any:
    async def executor(state: SearchState) -> Any:
        return await run_plan(plan, state.get("outcomes", {}), work(services(bureau.tool())), get_config())

    builder = StateGraph(SearchState)
    builder.add_node("executor", executor)
    builder.add_edge(START, "executor")
    builder.add_edge("executor", END)
    return builder.compile(checkpointer=saver)


@asynccontextmanager
async def sqlite(folder: Path):
    async with open_checkpointer(Settings(home=str(folder))) as saver:
        yield saver


@asynccontextmanager
async def memory(_: Path):
    yield InMemorySaver(serde=serializer())


PLAN = Plan(
    tasks=(
        ask("c", "Cy {{b.ret}}"),
        ask("a", "Ada"),
        ask("b", "Bea {{a.ret}}"),
        ask("x", "Xi"),
        ask("people", "who"),
        ask("each", "{{item}} {{a.ret}}", for_each="{{people.ret}}"),
        ask("z", "Zoe {{each.ret}} {{c.ret}}"),
    )
)
LISTED = ("Pia 1900", "Quin 1900", "Ren 1900")
PEOPLE = Outcome(task_id="people", status="succeeded", value=["Pia", "Quin", "Ren"], type="list[text]")
START_WITH: Any = {"question": "?", "outcomes": {"people": PEOPLE}}


async def cancelled(running: asyncio.Task[Any]) -> None:
    running.cancel()
    async with asyncio.timeout(120):
        with pytest.raises(asyncio.CancelledError):
            await running


async def saved(saver: Any, queries: Iterable[str]) -> None:
    """Wait until what the tool gave for these is in a checkpoint: only then is the call finished."""
    given = [f"{query.split(maxsplit=1)[0]} Smith was born" for query in queries]
    async with asyncio.timeout(120):
        while True:
            kept = repr([item async for item in saver.alist(None)])
            if all(words in kept for words in given):
                return
            await asyncio.sleep(0.005)


def others() -> set[asyncio.Task[Any]]:
    return asyncio.all_tasks() - {asyncio.current_task()}  # type: ignore[arg-type]


async def alone_again(before: set[asyncio.Task[Any]]) -> None:
    """Nothing that was started is running; the database may take a moment to note who was cancelled."""
    await until(lambda: not others() - before)


@pytest.mark.parametrize("kept", [memory, sqlite])
@pytest.mark.parametrize(
    ("held", "others_done"),
    [
        ({"Ada"}, {"Xi"}),
        ({"Bea 1900"}, {"Ada", "Xi", *LISTED}),
        ({"Xi", "Bea 1900"}, {"Ada", *LISTED}),
        ({"Quin 1900"}, {"Ada", "Xi", "Bea 1900", "Cy 1900", *LISTED} - {"Quin 1900"}),
        ({"Ren 1900", "Cy 1900", "Xi"}, {"Ada", "Bea 1900", "Pia 1900", "Quin 1900"}),
    ],
)
async def test_what_had_finished_is_not_repeated_after_a_cancellation(kept, held, others_done, tmp_path):
    bureau = Bureau()
    bureau.held = held
    async with kept(tmp_path) as saver:
        before = others()
        graph = graph_of(PLAN, bureau, saver)
        running = asyncio.create_task(graph.ainvoke(START_WITH, THREAD, durability="sync"))
        await bureau.busy_with(*held)
        await bureau.through_with(*others_done)
        await saved(saver, others_done)
        await cancelled(running)
        await alone_again(before)
        assert (await graph.aget_state(THREAD)).next == ("executor",)
        bureau.released.set()
        values = await graph.ainvoke(None, THREAD, durability="sync")
        assert {key: outcome.failure for key, outcome in values["outcomes"].items() if not outcome.usable} == {}
        assert set(values["outcomes"]) == set(PLAN.ids)
        assert values["outcomes"]["each"].value == ["1900"] * 3
        assert {query for query, times in Counter(bureau.started).items() if times > 1} == held
        assert max(Counter(bureau.done).values()) == 1
        await alone_again(before)


async def test_a_tool_that_ignores_cancellation_does_not_hold_the_run():
    bureau = Bureau()
    bureau.held, bureau.stubborn = {"Ada", "Xi"}, True
    graph = graph_of(PLAN, bureau, InMemorySaver(serde=serializer()))
    before = others()
    running = asyncio.create_task(graph.ainvoke(START_WITH, THREAD, durability="sync"))
    await bureau.busy_with("Ada", "Xi")
    await cancelled(running)
    assert bureau.done == []  # the two calls, which nothing can stop
    assert others() > before
    bureau.released.set()
    await alone_again(before)
    await asyncio.sleep(0)  # what a task that has ended calls back is called in the next round of the loop
    assert not leash._left_behind


async def test_a_run_without_a_checkpointer_is_cancelled_as_well():
    bureau = Bureau()
    bureau.held = {"Ada"}
    before = others()
    running = asyncio.create_task(graph_of(PLAN, bureau).ainvoke(START_WITH))
    await bureau.busy_with("Ada")
    await cancelled(running)
    await alone_again(before)
    assert not [query for query in bureau.done if query.startswith("Ada")]


@pytest.mark.filterwarnings("error")
async def test_at_whatever_moment_a_run_is_cancelled_no_coroutine_is_left_unawaited():
    plan, moment, ended = Plan(tasks=(ask("a", "Ada"), ask("b", "Bea {{a.ret}}"))), 0, False
    while not ended:
        graph, moment = graph_of(plan, Bureau(), InMemorySaver(serde=serializer())), moment + 2
        running = asyncio.create_task(graph.ainvoke({"question": "?"}, THREAD, durability="sync"))
        for _ in range(moment):
            await asyncio.sleep(0)
        ended = running.done()
        running.cancel()
        await asyncio.wait({running})
    assert moment > 20
    gc.collect()  # a coroutine says so when it goes, and pytest fails the test


class DiedError(Exception):
    """Stands for a process that is gone."""


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("nth", [1, 2, 3])
async def test_a_run_that_died_at_any_checkpoint_of_its_plan_goes_on(nth, when):
    saver, bureau, saves = InMemorySaver(serde=serializer()), Bureau(), []
    put = saver.aput

    async def aput(config: Any, *args: Any) -> Any:
        of_plan = config["configurable"]["checkpoint_ns"].count(":") == 1
        saves.append(of_plan)
        dies = of_plan and sum(saves) == nth
        if dies and when == "before":
            raise DiedError
        saved = await put(config, *args)
        if dies:
            raise DiedError
        return saved

    saver.aput = aput  # type: ignore[method-assign]
    graph = graph_of(PLAN, bureau, saver)
    with pytest.raises(DiedError):
        await graph.ainvoke(START_WITH, THREAD, durability="sync")
    values = await graph.ainvoke(None, THREAD, durability="sync")
    assert {key: outcome.failure for key, outcome in values["outcomes"].items() if not outcome.usable} == {}
    assert set(values["outcomes"]) == set(PLAN.ids)
    assert max(Counter(bureau.started).values()) == 1
