"""A person is asked before a tool acts: the run waits, acts once, and never again, killed or retried."""

import asyncio
from typing import Any

import pytest
from langchain_core.tools import BaseTool, tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.memory import InMemoryStore
from langgraph.types import Command

from tests.support.fake_model import assessed, fake
from weiwo.graph import build_graph
from weiwo.state.settings import Context
from weiwo.tools.calling.call_context import current_call

pytestmark = pytest.mark.integration

QUESTION = "Close ticket 7 and ticket 8, then tell me when each was closed and by whom."


@pytest.fixture(autouse=True)
def _fresh(weiwo_home, index_sample):
    index_sample(weiwo_home)


def closing(*, acts: bool | None = True, **metadata: Any) -> tuple[BaseTool, list[tuple[str, str]]]:
    """A tool that acts, and the list of what it did: number and idempotency key."""
    done: list[tuple[str, str]] = []

    @tool
    async def close_ticket(number: str) -> str:
        """Close a ticket."""
        done.append((number, current_call().idempotency_key))
        return f"Ticket {number} was closed on 3 May 2024."

    close_ticket.metadata = {**({} if acts is None else {"acts": acts}), **metadata}
    return close_ticket, done


def planning(*numbers: str) -> Any:
    vertices = [
        {
            "id": f"task_{place}",
            "description": f"When was ticket {number} closed?",
            "tool_binding": "close_ticket",
            "args": {"number": number},
            "ret": "date",
        }
        for place, number in enumerate(numbers, 1)
    ]
    return fake(
        AssessmentReply=assessed(QUESTION, steps=1.0),
        PlanReply={"thought": "", "vertices": vertices, "edges": []},
        draft="The tickets were closed.",
    )


def at(thread_id: str) -> Any:
    return {"configurable": {"thread_id": thread_id}}


def waiting(values: dict[str, Any]) -> list[Any]:
    return list(values.get("__interrupt__", ()))


async def test_an_acting_tool_waits_for_a_person_and_acts_once_it_is_allowed(saver):
    close, done = closing()
    graph = build_graph(saver, InMemoryStore(), tools=[close], models=planning("7"))
    (one,) = waiting(await graph.ainvoke({"question": QUESTION}, at("t")))
    assert done == []
    payload = one.value
    assert (payload["type"], payload["tool"], payload["arguments"]) == ("allow_tool", "close_ticket", {"number": "7"})
    assert payload["action_request"] == {"action": "close_ticket", "args": {"number": "7"}}
    assert payload["review_configs"][0]["allowed_decisions"] == ["approve", "edit", "reject"]
    values = await graph.ainvoke(Command(resume={one.id: "approve"}), at("t"))
    assert [number for number, _ in done] == ["7"]
    assert done[0][1]
    assert values["result"]["status"]


@pytest.mark.parametrize(
    "answer",
    [
        "no",
        False,
        "不",
        {"reject": "too risky"},
        {"decisions": [{"type": "reject"}]},
        [{"type": "ignore", "args": None}],
    ],
)
async def test_what_a_person_refuses_is_not_done(answer):
    close, done = closing()
    graph = build_graph(InMemorySaver(), tools=[close], models=planning("7"))
    await graph.ainvoke({"question": QUESTION}, at("t"), context=Context(max_replans=0))
    values = await graph.ainvoke(Command(resume=answer), at("t"), context=Context(max_replans=0))
    assert done == []
    assert "__interrupt__" not in values
    (outcome,) = (await graph.aget_state(at("t"))).values["outcomes"].values()
    assert (outcome.status, outcome.failure.kind) == ("failed", "blocked")


async def test_a_person_changes_the_arguments_and_a_wrong_change_is_asked_about_again():
    close, done = closing()
    graph = build_graph(InMemorySaver(), tools=[close], models=planning("7"))
    await graph.ainvoke({"question": QUESTION}, at("t"))
    (again,) = waiting(await graph.ainvoke(Command(resume={"arguments": {"numero": "9"}}), at("t")))
    assert "argument number is missing" in again.value["complaints"][0]
    await graph.ainvoke(
        Command(resume={"decisions": [{"type": "edit", "edited_action": {"args": {"number": "9"}}}]}), at("t")
    )
    assert [number for number, _ in done] == ["9"]


async def test_each_of_several_calls_is_asked_about_by_itself():
    close, done = closing()
    graph = build_graph(InMemorySaver(), tools=[close], models=planning("7", "8"))
    asked = waiting(await graph.ainvoke({"question": QUESTION}, at("t")))
    assert sorted(one.value["arguments"]["number"] for one in asked) == ["7", "8"]
    first = next(one for one in asked if one.value["arguments"]["number"] == "8")
    (left,) = waiting(await graph.ainvoke(Command(resume={first.id: "approve"}), at("t")))
    assert [number for number, _ in done] == ["8"]
    await graph.ainvoke(Command(resume={left.id: "approve"}), at("t"))
    assert [number for number, _ in done] == ["8", "7"]


@pytest.mark.parametrize(
    ("acts", "context", "more", "asks"),
    [
        (True, Context(allow_tools=["close_ticket"]), {}, False),
        (True, Context(allow_acting=True), {}, False),
        (True, Context(allow_tools=["another"]), {}, True),
        (True, Context(allow_acting=True, allow_tools=["close_ticket"]), {"always_ask": True}, True),
        (None, Context(), {}, False),
        (None, Context(), {"read_only": False}, True),
        (None, Context(), {"mcp": {"tool": {"annotations": {"read_only_hint": True}}}}, False),
        (None, Context(), {"mcp": {"tool": {"annotations": None}}}, True),
    ],
)
async def test_who_is_asked_about(acts, context, more, asks):
    close, done = closing(acts=acts, **more)
    graph = build_graph(InMemorySaver(), tools=[close], models=planning("7"))
    values = await graph.ainvoke({"question": QUESTION}, at("t"), context=context)
    assert bool(waiting(values)) is asks
    assert bool(done) is not asks


async def test_a_call_that_broke_off_is_neither_made_again_nor_stood_in_for():
    done: list[str] = []

    @tool
    async def close_ticket(number: str) -> str:
        """Close a ticket."""
        done.append(number)
        raise ConnectionError("the line broke")

    close_ticket.metadata = {"acts": True, "cluster": "close"}
    other, stood_in = closing()
    other.name = "shut_ticket"
    graph = build_graph(InMemorySaver(), tools=[close_ticket, other], models=planning("7"))
    values = await graph.ainvoke({"question": QUESTION}, at("t"), context=Context(allow_acting=True))
    assert done == ["7"]
    assert stood_in == []
    assert values["result"]["status"] != "complete"


async def test_what_an_interrupted_run_may_have_done_is_not_done_again():
    """The run ends inside the call: the ledger says begun, and the run that goes on leaves it alone."""
    store, saver = InMemoryStore(), InMemorySaver()
    done: list[str] = []
    inside = asyncio.Event()

    @tool
    async def close_ticket(number: str) -> str:
        """Close a ticket."""
        done.append(number)
        inside.set()
        await asyncio.Event().wait()
        raise AssertionError("nobody sets it")

    close_ticket.metadata = {"acts": True}
    graph = build_graph(saver, store, tools=[close_ticket], models=planning("7"))
    allowed = Context(allow_acting=True, max_replans=0)
    run = asyncio.create_task(graph.ainvoke({"question": QUESTION}, at("t"), context=allowed, durability="sync"))
    await inside.wait()
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    assert done == ["7"]
    await graph.ainvoke(None, at("t"), context=allowed)
    assert done == ["7"]
    (outcome,) = (await graph.aget_state(at("t"))).values["outcomes"].values()
    assert "it may have made its change" in outcome.failure.message
