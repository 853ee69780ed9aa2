"""Hedged calls: a second one beside a call far beyond its tool's usual time, on a virtual clock."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from langchain_core.tools import BaseTool, StructuredTool
from langgraph.errors import GraphInterrupt

from tests.support.run import services
from tests.support.virtual_time import now, virtual_time
from weiwo.nodes.executor.concurrency import Lease, PriorityLimiter
from weiwo.nodes.executor.outcome_note import note_for_people
from weiwo.nodes.executor.task_calls.tool_calls import CallBatch, make_calls
from weiwo.nodes.executor.task_state import Call
from weiwo.nodes.shared.run_context import RunContext
from weiwo.state import Limits, Outcome, OutcomeDetail
from weiwo.tools.calling.errors import ToolCallError
from weiwo.tools.calling.tool_calls import MOST_HEDGES
from weiwo.tools.usage.call_times import UsualTime

USUAL = UsualTime(1.0, 2.0, 50)
"""So that a call is overdue after four seconds."""
Find = Callable[[int], Any]
"""From the number of the call, from 1, to the seconds it takes, or what it raises."""


def tool(name: str, takes: Find, says: str = "Ada was born in 1815.", **metadata: Any) -> BaseTool:
    """A tool that takes a while. Its `log` metadata lists what became of its calls."""
    log: list[str] = []

    async def run(query: str) -> str:  # noqa: ARG001 - a search has a query
        log.append("begun")
        seconds = takes(log.count("begun"))
        try:
            if isinstance(seconds, BaseException):
                raise seconds
            await asyncio.sleep(seconds)
        except asyncio.CancelledError:
            log.append("cancelled")
            raise
        log.append("ended")
        return f"{name}: {says}" if says else ""

    made = StructuredTool.from_function(coroutine=run, name=name, description="Finds.")
    made.metadata = {"cluster": "people", "cache_seconds": 0, "log": log, **metadata}
    return made


def log_of(one: BaseTool) -> list[str]:
    return (one.metadata or {})["log"]


def hedging(*tools: BaseTool, **more: Any) -> RunContext:
    return services(*tools, usual_times={"lookup": USUAL, "mailer": USUAL}, **more)


async def called(run: RunContext, name: str = "lookup", *others: str) -> CallBatch:
    calls: list[Call] = [{"tool": name, "args": {"query": "Ada"}}]
    stand_ins: list[Call | None] = [{"tool": other, "args": {"query": "Ada"}} for other in others] or [None]
    return await make_calls(calls, "a", run, Lease(PriorityLimiter(1)), stand_ins)


def told(batch: CallBatch) -> list[tuple[str, str]]:
    return [
        (call["tool"], done.kind if isinstance(done, ToolCallError) else done.content.partition(":")[0])
        for call, done in zip(batch.calls, batch.done, strict=True)
    ]


@virtual_time
async def test_a_stand_in_is_called_beside_what_is_overdue_and_the_first_usable_reply_counts():
    events: list[dict[str, Any]] = []
    kept: list[tuple[str, str, float | None]] = []

    async def record(info: Any, _: Any, failure: Any, seconds: float | None) -> None:
        kept.append((info.name, failure.kind if failure else "", seconds))

    lookup, registry = tool("lookup", lambda _: 60), tool("registry", lambda _: 1)
    run = hedging(lookup, registry, events=events, record=record)
    batch = await called(run, "lookup", "registry")
    assert told(batch) == [("registry", "registry")]
    assert (batch.attempts, batch.slow) == (2, ("lookup",))
    assert batch.seconds == pytest.approx(5)
    assert now() == pytest.approx(5)
    assert (log_of(lookup), log_of(registry)) == (["begun", "cancelled"], ["begun", "ended"])
    assert run.budget.delta().tool_calls == 2
    assert [(one["task_id"], one["tool"]) for one in events] == [("a", "lookup")]
    assert "registry is called beside it" in events[0]["note"]
    assert kept == [("registry", "", pytest.approx(1)), ("lookup", "slow", pytest.approx(5))]


@virtual_time
async def test_the_first_call_counts_where_it_comes_first_after_all():
    lookup, registry = tool("lookup", lambda _: 4.5), tool("registry", lambda _: 60)
    batch = await called(hedging(lookup, registry), "lookup", "registry")
    assert told(batch) == [("lookup", "lookup")]
    assert (batch.attempts, batch.slow) == (2, ("lookup",))
    assert log_of(registry) == ["begun", "cancelled"]


@virtual_time
async def test_without_a_stand_in_the_same_tool_is_called_once_more():
    lookup = tool("lookup", lambda number: 60 if number == 1 else 1)
    batch = await called(hedging(lookup))
    assert told(batch) == [("lookup", "lookup")]
    assert (batch.attempts, log_of(lookup)) == (2, ["begun", "begun", "ended", "cancelled"])


@virtual_time
async def test_a_second_reply_that_is_of_no_use_is_not_taken_for_the_first():
    lookup, registry = tool("lookup", lambda _: 9), tool("registry", lambda _: 1, says="")
    batch = await called(hedging(lookup, registry), "lookup", "registry")
    assert told(batch)[0] == ("lookup", "lookup")
    assert now() == pytest.approx(9)
    failing = tool("registry", lambda _: ToolCallError("not_found", "registry: none"))
    assert told(await called(hedging(lookup, failing), "lookup", "registry")) == [
        ("lookup", "lookup"),
        ("registry", "not_found"),
    ]


@virtual_time
async def test_where_both_fail_both_failures_are_known():
    lookup = tool("lookup", lambda _: 60)
    run = hedging(lookup, tool("registry", lambda _: ToolCallError("auth", "no key")), limits=Limits(tool_seconds=20))
    assert told(await called(run, "lookup", "registry")) == [("lookup", "timeout"), ("registry", "auth")]


@virtual_time
async def test_a_second_call_that_would_ask_a_person_is_given_up():
    lookup, asking = tool("lookup", lambda _: 9), tool("registry", lambda _: GraphInterrupt())
    assert told(await called(hedging(lookup, asking), "lookup", "registry")) == [("lookup", "lookup")]


@pytest.mark.parametrize(
    ("name", "others", "limits"),
    [
        ("mailer", (), Limits()),
        ("lookup", ("mailer",), Limits()),
        ("registry", ("lookup",), Limits()),
        ("lookup", ("registry",), Limits(max_tool_calls=3)),
        ("opener", (), Limits()),
    ],
    ids=["it acts", "its stand-in acts", "no usual time is known", "few calls are left", "any site"],
)
def test_there_is_no_second_call_where_none_may_be(name, others, limits):
    @virtual_time
    async def run() -> None:
        tools = [tool(one, lambda _: 9) for one in ("lookup", "registry")]
        tools += [tool("mailer", lambda _: 9, acts=True), tool("opener", lambda _: 9, any_site=True)]
        batch = await called(
            services(*tools, limits=limits, usual_times=dict.fromkeys(["lookup", "mailer", "opener"], USUAL)),
            name,
            *others,
        )
        assert told(batch) == [(name, name)]
        assert (batch.attempts, batch.slow) == (1, ())

    run()


@virtual_time
async def test_a_usual_call_and_one_that_waits_for_its_slot_are_left_alone():
    lookup = tool("lookup", lambda _: 3)
    run = hedging(lookup, tool("registry", lambda _: 1))
    limiter = PriorityLimiter(1)
    await limiter.acquire()
    call: Call = {"tool": "lookup", "args": {"query": "Ada"}}
    waiting = asyncio.create_task(
        make_calls([call], "a", run, Lease(limiter), [{"tool": "registry", "args": call["args"]}])
    )
    await asyncio.sleep(50)
    assert log_of(lookup) == []
    limiter.release()
    assert (await waiting).slow == ()
    assert now() == pytest.approx(53)


@virtual_time
async def test_second_calls_are_few_in_one_execution():
    lookup = tool("lookup", lambda _: 20)
    registry = tool("registry", lambda _: 1)
    run = hedging(lookup, registry)
    slow = [(await called(run, "lookup", "registry")).slow for _ in range(MOST_HEDGES + 1)]
    assert slow == [("lookup",)] * MOST_HEDGES + [()]


@virtual_time
async def test_both_calls_end_with_the_run():
    lookup, registry = tool("lookup", lambda _: 60), tool("registry", lambda _: 60)
    running = asyncio.create_task(called(hedging(lookup, registry), "lookup", "registry"))
    await asyncio.sleep(10)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert log_of(lookup) == log_of(registry) == ["begun", "cancelled"]


def test_an_outcome_tells_of_it_in_both_languages():
    outcome = Outcome(task_id="a", status="succeeded", detail=OutcomeDetail(slow=("lookup",)))
    assert note_for_people(outcome, "en").startswith("lookup took far longer")
    assert note_for_people(outcome, "zh").startswith("lookup 所用时间")
    assert note_for_people(Outcome(task_id="a", status="succeeded"), "en") == ""
