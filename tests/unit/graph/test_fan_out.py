"""The fan-out: hand-off along edges, no barrier, no waiter left behind, `for_each`."""

import asyncio
from types import SimpleNamespace

import pytest
from langchain_core.tools import StructuredTool

from tests.support.plan_runs import run_plan
from tests.support.run import search_tool, services, work
from weiwo.graph.builder import build_graph, send_tasks
from weiwo.graph.execution import fan_out
from weiwo.graph.execution.fan_out import PlanState
from weiwo.state import Limits, Outcome, Plan, Task

BIRTHS = {"Ada": "1815", "Alan": "1912", "Grace": "1906"}


def ask(task_id: str, description: str, query: str, ret: str = "date", for_each: str | None = None) -> Task:
    return Task(
        id=task_id, description=description, tool="corpus_search", args={"query": query}, ret=ret, for_each=for_each
    )


def births(query: str) -> str | None:
    for name, year in BIRTHS.items():
        if name in query:
            return f"{name} Smith was born in {year} in London."
    return None


async def run(plan: Plan, *tools, parallel: int = 8, outcomes=None, **more) -> dict[str, Outcome]:
    shared = work(services(*tools, **more), parallel=parallel)
    result = await asyncio.wait_for(run_plan(plan, outcomes or {}, shared, {}), 120)
    return result["outcomes"]


async def test_values_flow_along_the_edges():
    plan = Plan(
        tasks=(
            ask("a", "When was Ada Smith born?", "Ada born"),
            ask("b", "When was Alan Smith born?", "Alan born"),
            Task(
                id="c",
                description="Years between",
                tool="date_difference",
                args={"start": "{{a.ret}}", "end": "{{b.ret}}"},
                ret="number",
            ),
            Task(id="d", description="Sum", tool="calculator", args={"expression": "{{c.ret}} * 2 + 1"}, ret="number"),
        )
    )
    outcomes = await run(plan, search_tool(births))
    assert outcomes["a"].value == "1815"
    assert outcomes["c"].value == 97
    assert outcomes["d"].value == 195
    assert set(outcomes["c"].evidence_ids) == {*outcomes["a"].evidence_ids, *outcomes["b"].evidence_ids}


def waiting_tool(gate: asyncio.Event):
    """A search that does not return before the gate opens."""

    async def find(query: str) -> str:
        await asyncio.wait_for(gate.wait(), 120)
        return f"{query} Smith was born in 1900."

    return StructuredTool.from_function(coroutine=find, name="slow_search", description="Finds, slowly.")


async def test_a_task_starts_when_its_own_inputs_exist_not_when_a_wave_ends():
    gate = asyncio.Event()

    def find(query: str) -> str:
        name = query.split(maxsplit=1)[0]
        if name == "Cy":
            gate.set()
        return f"{name} Smith was born in 1900."

    plan = Plan(
        tasks=(
            Task(id="slow", description="When was X Smith born?", tool="slow_search", args={"query": "X"}, ret="date"),
            ask("a", "When was Ada Smith born?", "Ada"),
            ask("b", "When was Bea Smith born?", "Bea after {{a.ret}}"),
            ask("c", "When was Cy Smith born?", "Cy after {{b.ret}}"),
        )
    )
    outcomes = await run(plan, search_tool(find), waiting_tool(gate))
    assert all(outcome.usable for outcome in outcomes.values())


async def test_a_failed_task_blocks_its_descendants_and_nothing_else():
    plan = Plan(
        tasks=(
            ask("a", "When was Nobody Smith born?", "Nobody"),
            ask("b", "When was {{a.ret}} born?", "{{a.ret}}"),
            ask("c", "When was {{b.ret}} born?", "{{b.ret}}"),
            ask("d", "When was Ada Smith born?", "Ada born"),
        )
    )
    outcomes = await run(plan, search_tool(births))
    assert [outcomes[key].status for key in "abcd"] == ["empty", "blocked", "blocked", "succeeded"]
    assert "depends on a" in outcomes["b"].failure.message


async def test_a_blocked_task_does_not_wait_for_its_other_inputs():
    plan = Plan(
        tasks=(
            ask("bad", "When was Nobody Smith born?", "Nobody"),
            Task(id="slow", description="When was X Smith born?", tool="slow_search", args={"query": "X"}, ret="date"),
            ask("c", "{{bad.ret}} and {{slow.ret}}", "{{bad.ret}}"),
        )
    )
    gate = asyncio.Event()

    class Watch(list):
        def append(self, event):
            if event["type"] == "task_finished" and event["task_id"] == "c":
                gate.set()
            super().append(event)

    outcomes = await run(plan, search_tool(births), waiting_tool(gate), events=Watch())
    assert [outcomes[key].status for key in ("bad", "slow", "c")] == ["empty", "succeeded", "blocked"]


@pytest.mark.parametrize("parallel", [1, 2])
async def test_the_bound_on_work_does_not_bound_waiting(parallel):
    chain = [ask("t0", "When was Ada Smith born?", "Ada")]
    chain += [ask(f"t{n}", "When was Ada Smith born?", f"Ada {{{{t{n - 1}.ret}}}}") for n in range(1, 12)]
    outcomes = await run(Plan(tasks=tuple(reversed(chain))), search_tool(births), parallel=parallel)
    assert all(outcome.usable for outcome in outcomes.values())


async def test_no_more_than_max_parallel_calls_run_at_once():
    running, most = 0, 0
    full = asyncio.Event()

    async def find(query: str) -> str:
        nonlocal running, most
        running += 1
        most = max(most, running)
        if running == 3:
            full.set()
        await full.wait()
        await asyncio.sleep(0.02)  # one more than may come has time to
        running -= 1
        return f"{query} Smith was born in 1900."

    tool = StructuredTool.from_function(coroutine=find, name="corpus_search", description="Finds.")
    tasks = tuple(ask(f"t{n}", f"When was P{n} Smith born?", f"P{n}") for n in range(10))
    await run(Plan(tasks=tasks), tool, parallel=3)
    assert most == 3


async def test_finished_tasks_are_not_run_again():
    tool = search_tool(births)
    plan = Plan(tasks=(ask("a", "When was Ada Smith born?", "Ada"), ask("b", "When was Alan Smith born?", "Alan")))
    known = Outcome(task_id="a", status="succeeded", value="1815", type="date")
    outcomes = await run(plan, tool, outcomes={"a": known})
    assert set(outcomes) == {"b"}
    assert tool.metadata["calls"] == ["Alan"]


async def test_for_each_runs_once_per_item_and_joins_in_item_order():
    people = Outcome(
        task_id="people", status="succeeded", value=["Grace", "Ada", " ", "Ada", "Alan"], type="list[text]"
    )
    plan = Plan(
        tasks=(
            ask("people", "Who?", "who", "list[text]"),
            ask("births", "When was {{item}} Smith born?", "{{item}} born", for_each="{{people.ret}}"),
            Task(
                id="first",
                description="First",
                tool="calculator",
                args={"expression": "min({{births.ret}})"},
                ret="date",
            ),
        )
    )
    tool = search_tool(births)
    outcomes = await run(plan, tool, outcomes={"people": people})
    assert outcomes["births"].value == ["1906", "1815", "1912"]
    assert outcomes["births"].detail.items == ("Grace", "Ada", "Alan")
    assert outcomes["first"].value == "1815"
    assert sorted(tool.metadata["calls"]) == ["Ada born", "Alan born", "Grace born"]


async def test_for_each_takes_the_time_of_instances_side_by_side_and_not_their_sum(monkeypatch):
    monkeypatch.setattr(fan_out, "time", SimpleNamespace(monotonic=lambda: 0.0))
    events: list[dict] = []
    tool = search_tool(births, delay=0.01)
    each = ask("births", "When was {{item}} Smith born?", "{{item}} born", for_each="{{people.ret}}")
    given = {"people": Outcome(task_id="people", status="succeeded", value=[*BIRTHS], type="list[text]")}
    plan = Plan(tasks=(ask("people", "Who?", "who", "list[text]"), each))
    outcomes = (await run_plan(plan, given, work(services(tool, events=events)), {}))["outcomes"]
    took = [one["seconds"] for one in events if one["type"] == "task_finished" and "[" in one["task_id"]]
    assert len(took) == 3
    assert outcomes["births"].seconds == pytest.approx(max(took), abs=0.001)


async def test_for_each_reports_what_it_lacks_and_what_was_cut():
    people = Outcome(task_id="people", status="succeeded", value=["Ada", "Nobody", "Alan"], type="list[text]")
    plan = Plan(
        tasks=(
            ask("people", "Who?", "who", "list[text]"),
            ask("births", "When was {{people.ret}} Smith born?", "{{people.ret}}", for_each="{{people.ret}}"),
        )
    )
    outcomes = await run(plan, search_tool(births), outcomes={"people": people}, limits=Limits(max_items=2))
    assert outcomes["births"].value == ["1815"]
    assert outcomes["births"].detail.missing == ("Nobody",)
    assert "1 more items were skipped" in outcomes["births"].note


@pytest.mark.parametrize(("items", "values"), [([], []), (["Ada"], ["1815"])])
async def test_for_each_over_short_lists(items, values):
    people = Outcome(task_id="people", status="succeeded", value=items, type="list[text]")
    plan = Plan(
        tasks=(
            ask("people", "Who?", "who", "list[text]"),
            ask("births", "When was {{item}} Smith born?", "{{item}}", for_each="{{people.ret}}"),
        )
    )
    outcomes = await run(plan, search_tool(births), outcomes={"people": people})
    assert outcomes["births"].value == values
    assert outcomes["births"].usable


async def test_a_broken_tool_has_a_substitute():
    broken = search_tool(lambda _: RuntimeError("boom"))
    plan = Plan(tasks=(ask("a", "When was Ada Smith born?", "Ada"),))
    outcomes = await run(plan, broken, search_tool(births, name="web_search"))
    assert outcomes["a"].value == "1815"
    assert outcomes["a"].tool == "web_search"
    assert outcomes["a"].attempts == 2


async def test_a_task_that_finds_nothing_asks_in_other_words_but_never_the_same_twice():
    tool = search_tool(lambda _: None)
    plan = Plan(tasks=(ask("a", "When was Ada Smith born?", "Ada"), ask("b", "Ada", "Ada")))
    outcomes = await run(plan, tool)
    assert {outcome.status for outcome in outcomes.values()} == {"empty"}
    calls = tool.metadata["calls"]
    assert set(calls) == {"Ada", "When was Ada Smith born?"}
    assert calls.count("Ada") <= 2  # once for each task, or for both where their calls meet
    assert calls.count("When was Ada Smith born?") == 1


async def test_what_cannot_be_calculated_is_a_failure_that_names_it():
    text = Outcome(task_id="a", status="succeeded", value="about noon", type="text")
    plan = Plan(
        tasks=(
            ask("a", "When?", "q", "text"),
            Task(id="b", description="Sum", tool="calculator", args={"expression": "{{a.ret}} + 1"}, ret="number"),
        )
    )
    outcomes = await run(plan, search_tool(births), outcomes={"a": text})
    assert outcomes["b"].status == "failed"
    assert outcomes["b"].failure.kind == "bad_arguments"
    assert "about noon" in outcomes["b"].failure.message


async def test_out_of_time_is_an_outcome():
    shared = services(search_tool(births), limits=Limits(max_seconds=0.001))
    await asyncio.sleep(0.01)
    result = await run_plan(Plan(tasks=(ask("a", "When was Ada Smith born?", "Ada"),)), {}, work(shared), {})
    assert result["outcomes"]["a"].failure.kind == "limit"


def test_every_task_of_a_plan_is_sent_at_once():
    sent = send_tasks(PlanState(todo=["a", "b", "c"], each=["b"]))
    assert [(one.node, one.arg) for one in sent] == [
        ("task", {"task_id": "a"}),
        ("for_each", {"task_id": "b"}),
        ("task", {"task_id": "c"}),
    ]
    drawn = build_graph().get_graph(xray=True).nodes
    assert {"executor:task:act", "executor:task:read", "executor:task:reflect"} <= drawn.keys()
