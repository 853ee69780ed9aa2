"""Around one tool call of a task: stand-ins, what was tried, what was really called, values of the wrong type."""

import asyncio
from typing import Any

import httpx
import pytest
from langchain_core.tools import BaseTool, StructuredTool

from tests.support.run import search_tool, services, work
from weiwo.nodes.executor import node as executor
from weiwo.nodes.executor.resources import Lease, TaskResources
from weiwo.nodes.executor.task_state import TaskState
from weiwo.state import Limits, Outcome, Task, Usage
from weiwo.tools.calling.errors import ToolCallError

ADA = "Ada Smith was born in 1815 in London."


def task(tool: str = "corpus_search", ret: Any = "date", **args: Any) -> Task:
    return Task(id="a", description="When was Ada Smith born?", tool=tool, args=args or {"query": "Ada"}, ret=ret)


async def ran(todo: Task, shared: TaskResources) -> TaskState:
    """A task to its end, step by step, as the task graph runs it."""
    state: TaskState = {"task": todo, "inputs": {}}
    usage, step, lease = Usage(), "act", Lease(shared.limiter)
    for _ in range(20):
        if step == "done":
            lease.end()
            return {**state, "usage": usage}
        update = await (executor.act if step == "act" else executor.read)(state, shared, lease)
        state = {**state, **update}  # type: ignore[typeddict-item]
        usage += update.get("usage", Usage())
        step = executor.route_after_act(state) if step == "act" else executor.route_after_read(state)
    raise AssertionError("the task does not end")


async def outcome(todo: Task, *tools: BaseTool, **more: Any) -> Outcome:
    return (await ran(todo, work(services(*tools, **more))))["outcome"]


def valued(value: Any, type_: str, name: str = "sensor", **metadata: Any) -> BaseTool:
    async def measure(place: str) -> tuple[str, dict[str, Any]]:
        return str(value), {"value": value, "type": type_, "place": place}

    return StructuredTool.from_function(
        coroutine=measure,
        name=name,
        description="Measures.",
        response_format="content_and_artifact",
        metadata=metadata,
    )


def http(status: int) -> httpx.HTTPStatusError:
    request = httpx.Request("GET", "https://example.org/")
    return httpx.HTTPStatusError("no", request=request, response=httpx.Response(status))


@pytest.mark.parametrize(
    ("error", "calls"),
    [(http(401), 1), (http(403), 1), (http(404), 1), (http(413), 1), (RuntimeError("boom"), 1), (http(503), 3)],
)
async def test_a_tool_that_fails_has_a_stand_in_and_costs_no_turn(error, calls):
    broken = search_tool(lambda _: error)
    found = await outcome(task(), broken, search_tool(lambda _: ADA, "web_search"), limits=Limits(max_turns=1))
    assert (found.status, found.value, found.tool) == ("succeeded", "1815", "web_search")
    assert (len(broken.metadata["calls"]), found.attempts) == (calls, calls + 1)


async def test_wrong_arguments_have_none():
    spare = search_tool(lambda _: ADA, "web_search")
    failed = await outcome(task(), search_tool(lambda _: http(422)), spare)
    assert (failed.status, failed.failure.kind, failed.tool) == ("failed", "bad_arguments", "corpus_search")
    assert spare.metadata["calls"] == []


async def test_a_stand_in_takes_the_arguments_under_its_own_names():
    seen = []

    async def seek(q: str, max_results: int = 3) -> str:
        seen.append((q, max_results))
        return ADA

    other = StructuredTool.from_function(coroutine=seek, name="other", description="d", metadata={"cluster": "search"})
    found = await outcome(task(query="Ada", k=4), search_tool(lambda _: http(403)), other)
    assert (found.value, found.tool, seen) == ("1815", "other", [("Ada", 4)])


async def test_a_tool_outside_the_team_is_no_stand_in():
    shared = work(services(search_tool(lambda _: http(403)), search_tool(lambda _: ADA, "web_search")))
    alone = TaskResources(shared.services, shared.limiter, shared.frame, ("corpus_search",))
    assert (await ran(task(), alone))["outcome"].failure.kind == "blocked"


async def test_the_last_failure_names_everything_that_was_tried():
    one, two = search_tool(lambda _: http(403)), search_tool(lambda _: ToolCallError("auth", "no key"), "web_search")
    failed = await outcome(task(), one, two)
    assert failed.failure.kind == "auth"
    assert failed.failure.message == "no key (before that: corpus_search: HTTP 403: no)"
    assert failed.attempts == 2


async def test_so_does_the_word_that_nothing_was_found():
    empty = await outcome(task(), search_tool(lambda _: http(403)), search_tool(lambda _: None, "web_search"))
    assert (empty.status, empty.tool) == ("empty", "web_search")
    assert "corpus_search: HTTP 403" in empty.failure.message


async def test_watchers_hear_of_warnings_and_of_the_tool_that_went_on():
    events: list[dict[str, Any]] = []
    await outcome(task(), search_tool(lambda _: http(503)), search_tool(lambda _: ADA, "web_search"), events=events)
    assert [(event["type"], event["tool"]) for event in events if "turn" in event] == [
        ("task_started", "corpus_search"),
        ("task_progress", "web_search"),
    ]
    notes = [event["note"] for event in events if event.get("note")]
    assert notes == ["corpus_search: warned, 1 of 3 failures in a row (corpus_search: HTTP 503: no)"]


async def test_a_kept_result_is_told_and_costs_nothing():
    async def look(query: str) -> str:
        return f"{query} Smith was born in 1815 in London."

    kept = StructuredTool.from_function(
        coroutine=look, name="corpus_search", description="d", metadata={"cache_seconds": 60}
    )
    events: list[dict[str, Any]] = []
    first = await ran(task(), work(services(kept)))
    shared = services(kept, events=events)
    second = await ran(task(), work(shared))
    assert (first["usage"].tool_calls, first["outcome"].attempts) == (1, 1)
    assert not first["outcome"].trace.cached
    assert (second["usage"].tool_calls, second["outcome"].attempts) == (0, 0)
    assert second["outcome"].value == first["outcome"].value == "1815"
    assert second["outcome"].trace.cached
    assert [event.get("cached") for event in events] == [None, True]
    work(shared).report_finished(second["outcome"])
    assert events[-1]["cached"] is True


async def test_calls_are_charged_as_often_as_they_are_made():
    state = await ran(task(), work(services(search_tool(lambda _: http(503)))))
    assert state["usage"].tool_calls == state["outcome"].attempts == 3


async def test_reading_and_calling_share_the_slots_and_leave_them_free():
    shared = work(services(search_tool(lambda _: ADA)), parallel=1)
    assert (await asyncio.wait_for(ran(task(), shared), 120))["outcome"].usable
    assert not shared.limiter.is_locked()


@pytest.mark.parametrize(
    ("value", "own", "planned", "result"),
    [
        (21.5, "number", "number", (21.5, "number")),
        ("21.5", "text", "number", (21.5, "number")),
        ("1912-06-23", "date", "number", ("1912-06-23", "date")),
        (1912, "number", "date", ("1912", "date")),
        (True, "boolean", "text", ("true", "text")),
    ],
)
async def test_a_value_is_read_as_the_type_that_was_planned(value, own, planned, result):
    found = await outcome(task("sensor", planned, place="Oslo"), valued(value, own))
    assert (found.value, found.type) == result


@pytest.mark.parametrize(
    ("value", "own", "planned", "named"),
    [
        ("rather warm", "text", "number", "'rather warm'"),
        ("some day", "text", "date", "'some day'"),
        (True, "boolean", "number", "True"),
        (21.5, "number", "boolean", "21.5"),
        ([1, 2], "list[number]", "number", "[1, 2]"),
        (["warm", "cold"], "list[text]", "list[number]", "'warm'"),
    ],
)
async def test_a_value_of_another_type_is_a_failure_that_names_it(value, own, planned, named):
    failed = await outcome(task("sensor", planned, place="Oslo"), valued(value, own))
    assert (failed.status, failed.value, failed.failure.kind) == ("failed", None, "incomplete")
    assert failed.failure.message.startswith("sensor: ")
    assert named in failed.failure.message
    assert (failed.type, failed.attempts) == (planned, 1)
