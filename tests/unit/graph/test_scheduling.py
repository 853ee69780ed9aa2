"""Scheduling, over random plans and whatever tasks may do: every task ends, nothing waits for ever, nothing is left."""

import asyncio
import threading
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from langchain_core.tools import BaseTool, StructuredTool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.config import get_config
from langgraph.graph import END, START, StateGraph

from tests.support.examples import examples
from tests.support.plan_runs import run_plan
from tests.support.run import services, work
from tests.support.waiting import until
from weiwo.graph.persistence.checkpointer import serializer
from weiwo.state import Limits, Outcome, Plan, Task
from weiwo.state.search import SearchState

PEOPLE = Outcome(task_id="people", status="succeeded", value=["P1", "P2", "P3"], type="list[text]")


class Ending(BaseException):
    """Not an ordinary exception, as some extensions raise them."""


def ask(task_id: str, behaviour: str, sources: list[str], *, each: bool = False) -> Task:
    known = "".join(f" {{{{{source}.ret}}}}" for source in sources)
    return Task(
        id=task_id,
        description="When was X Smith born?",
        tool=f"find_{task_id}",
        args={"query": f"{task_id}:{behaviour}:{'{{item}}' if each else ''}{known}"},
        ret="date",
        for_each="{{people.ret}}" if each else None,
    )


class Stage:
    """Tools, one for each task, that do what their query says, and what they were seen to do."""

    def __init__(self) -> None:
        self.order: list[str] = []
        self.running = 0
        self.most = 0

    def tools(self, plan: Plan) -> list[BaseTool]:
        return [self.tool(task.tool) for task in plan.tasks]

    def tool(self, name: str) -> BaseTool:
        async def find(query: str) -> str:
            if ":" not in query:  # asked again in other words
                return "nothing of note"
            name, behaviour, _ = query.split(":", 2)
            self.order.append(name)
            self.running += 1
            self.most = max(self.most, self.running)
            try:
                await asyncio.sleep(0)
                return self.play(behaviour) if behaviour != "hang" else await asyncio.Event().wait()  # type: ignore[return-value]
            finally:
                self.running -= 1

        return StructuredTool.from_function(coroutine=find, name=name, description="Finds.")

    @staticmethod
    def play(behaviour: str) -> str:
        if behaviour == "crash":
            raise RuntimeError("boom")
        if behaviour == "cancel":
            raise asyncio.CancelledError
        if behaviour == "base":
            raise Ending
        return "nothing of note" if behaviour == "empty" else "X Smith was born in 1900."


class Case(NamedTuple):
    plan: Plan
    behaviours: dict[str, str]
    parallel: int
    saved: bool
    concurrency: int | None


FAILING = ("crash", "cancel", "base", "empty")


@st.composite
def cases(draw: st.DrawFn, behaviours: tuple[str, ...] = ("good", "good", "good", *FAILING)) -> Case:
    count = draw(st.integers(1, 9))
    names = [f"t{n}" for n in range(count)]
    tasks, played = [], {}
    for n, name in enumerate(names):
        sources = draw(st.lists(st.sampled_from(names[:n]), max_size=3, unique=True)) if n else []
        played[name] = draw(st.sampled_from(behaviours))
        tasks.append(ask(name, played[name], sources, each=draw(st.integers(0, 4)) == 0))
    people = Task(id="people", description="Who?", tool="corpus_search", args={"query": "q"}, ret="list[text]")
    order = draw(st.permutations([people, *tasks]))
    return Case(
        Plan(tasks=tuple(order)),
        played,
        draw(st.integers(1, 4)),
        draw(st.booleans()),
        draw(st.sampled_from([None, None, 1, 2])),
    )


async def play(case: Case, stage: Stage, limits: Limits | None = None) -> dict[str, Outcome]:
    before = asyncio.all_tasks()

    async def executor(_: SearchState) -> Any:
        shared = work(
            services(*stage.tools(case.plan), limits=limits or Limits(max_parallel=case.parallel)),
            parallel=case.parallel,
        )
        return await run_plan(case.plan, {"people": PEOPLE}, shared, get_config())

    builder = StateGraph(SearchState)
    builder.add_node("executor", executor)
    builder.add_edge(START, "executor")
    builder.add_edge("executor", END)
    graph = builder.compile(checkpointer=InMemorySaver(serde=serializer()) if case.saved else None)
    config: Any = {"configurable": {"thread_id": "one"}}
    if case.concurrency:
        config["max_concurrency"] = case.concurrency
    async with asyncio.timeout(120):
        values = await graph.ainvoke({"question": "?"}, config)
    for _ in range(3):
        await asyncio.sleep(0)
    assert asyncio.all_tasks() == before
    return dict(values["outcomes"])


def expected(case: Case) -> dict[str, str]:
    """What each task must come to."""
    found: dict[str, str] = {"people": "succeeded"}
    for task_id in case.plan.order():
        if task_id not in found:
            if any(found[source] != "succeeded" for source in case.plan.upstream(task_id)):
                found[task_id] = "blocked"
            else:
                behaviour = case.behaviours[task_id]
                found[task_id] = {"good": "succeeded", "empty": "empty"}.get(behaviour, "failed")
    return {task_id: status for task_id, status in found.items() if task_id != "people"}


CAREFUL = examples(40, suppress_health_check=[HealthCheck.too_slow])


@CAREFUL
@given(cases())
def test_every_task_ends_as_it_must(case):
    stage = Stage()
    outcomes = asyncio.run(play(case, stage))
    assert {task_id: outcome.status for task_id, outcome in outcomes.items()} == expected(case), outcomes
    assert stage.most <= min(case.parallel, case.concurrency or case.parallel)
    for task_id in case.plan.ids:  # nobody started before what it builds on
        for source in set(case.plan.upstream(task_id)) - {"people"}:
            if task_id in stage.order:
                assert max(n for n, name in enumerate(stage.order) if name == source) < stage.order.index(task_id)


@examples(15, suppress_health_check=[HealthCheck.too_slow])
@given(cases(behaviours=("good", "hang", "crash", "empty")))
def test_whatever_hangs_ends_with_the_runs_seconds(case):
    outcomes = asyncio.run(play(case, Stage(), Limits(max_seconds=0.3)))
    assert set(outcomes) == set(case.plan.ids) - {"people"}
    for task_id, outcome in outcomes.items():
        assert outcome.usable or outcome.failure is not None
        if case.behaviours[task_id] == "hang":
            assert not outcome.usable


@pytest.mark.parametrize("behaviour", ["crash", "cancel", "base"])
def test_however_a_tool_breaks_off_is_a_failure_that_says_so(behaviour):
    plan = Plan(tasks=(ask("a", behaviour, []), ask("b", "good", [])))
    outcomes = asyncio.run(play(Case(plan, {}, 2, saved=True, concurrency=None), Stage()))
    assert outcomes["b"].usable
    assert outcomes["a"].failure is not None
    assert outcomes["a"].failure.kind == "crash"


def test_descendants_of_a_failed_task_are_told_while_others_still_work():
    gate = threading.Event()
    told: list[str] = []

    class Watch(list[Any]):
        def append(self, event: Any) -> None:
            if event["type"] == "task_finished":
                told.append(event["task_id"])
                if {"b", "c"} <= set(told):
                    gate.set()

    async def find(query: str) -> str:
        if query.startswith("slow"):
            await until(gate.is_set)
        return Stage.play("crash" if query.startswith("a:") else "good")

    tools = [
        StructuredTool.from_function(coroutine=find, name=f"find_{name}", description="Finds.")
        for name in ("slow", "a", "b", "c")
    ]
    plan = Plan(
        tasks=(ask("slow", "good", []), ask("c", "good", ["b", "slow"]), ask("b", "good", ["a"]), ask("a", "crash", []))
    )

    async def go() -> Any:
        return await run_plan(plan, {}, work(services(*tools, events=Watch())), {})

    outcomes = asyncio.run(go())["outcomes"]
    assert told[-1] == "slow"
    assert outcomes["slow"].usable
    assert (outcomes["b"].trace.blocked_by, outcomes["c"].trace.blocked_by) == ("a", "b")


def odd_plans() -> Iterator[tuple[str, Plan, dict[str, str]]]:
    yield (
        "a cycle",
        Plan(tasks=(ask("a", "good", ["b"]), ask("b", "good", ["a"]), ask("x", "good", []))),
        {"x": "succeeded"},
    )
    yield "itself", Plan(tasks=(ask("a", "good", ["a"]), ask("b", "good", ["a"]))), {}
    yield (
        "nobody",
        Plan(tasks=(ask("a", "good", ["ghost"]), ask("b", "good", ["a"]), ask("x", "good", []))),
        {"x": "succeeded"},
    )
    yield "a link to nobody", Plan(tasks=(ask("x", "good", []),), links=(("x", "ghost"),)), {"x": "succeeded"}


@pytest.mark.parametrize(("plan", "ends"), [pytest.param(plan, ends, id=name) for name, plan, ends in odd_plans()])
async def test_a_plan_that_no_validator_has_seen_leaves_no_waiter_behind(plan, ends):
    async with asyncio.timeout(120):
        outcomes = (await run_plan(plan, {}, work(services(*Stage().tools(plan))), {}))["outcomes"]
    assert {key: outcome.status for key, outcome in outcomes.items()} == {
        key: ends.get(key, "blocked") for key in plan.ids
    }


@pytest.mark.parametrize("concurrency", [1, 2])
async def test_a_callers_bound_on_concurrency_bounds_work_not_waiting(concurrency):
    chain = [ask("t0", "good", [])] + [ask(f"t{n}", "good", [f"t{n - 1}"]) for n in range(1, 6)]
    wide = [ask(f"w{n}", "good", []) for n in range(6)]
    case = Case(Plan(tasks=(*reversed(chain), *wide)), {}, 4, saved=True, concurrency=concurrency)
    stage = Stage()
    outcomes = await play(case, stage)
    assert all(outcome.usable for outcome in outcomes.values())
    assert stage.most == concurrency


async def test_a_join_of_many_starts_when_the_last_is_there():
    many = [ask(f"t{n}", "good", []) for n in range(60)]
    plan = Plan(tasks=(ask("last", "good", [task.id for task in many]), *many))
    stage = Stage()
    outcomes = (await run_plan(plan, {}, work(services(*stage.tools(plan))), {}))["outcomes"]
    assert outcomes["last"].usable
    assert stage.order[-1] == "last"
