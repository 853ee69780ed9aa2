"""Answers that come late: with an earlier checkpoint, after an edit, twice, or empty; never an earlier yes."""

from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.errors import EmptyInputError
from langgraph.types import Command

from tests.support.lovelace import OLDER, people
from tests.support.run import search_tool
from weiwo.app.session.waiting import AnswerError, read_waiting
from weiwo.graph import build_graph
from weiwo.graph.search_graph import SearchGraph
from weiwo.state.settings import Context

pytestmark = pytest.mark.integration

ASK = Context(approve_plan=True)


@pytest.fixture(autouse=True)
def _fresh(weiwo_home, index_sample):
    index_sample(weiwo_home)


def at(**place: Any) -> Any:
    return {"configurable": {"thread_id": "t", **place}}


async def waiting_graph(saver: Any) -> tuple[SearchGraph, str, Any]:
    """A graph whose plan waits, the checkpoint it waits at, and the tool."""
    tool = search_tool(people)
    graph = build_graph(saver, tools=[tool])
    await graph.ainvoke({"question": OLDER}, at(), context=ASK)
    snapshot = await graph.aget_state(at())
    assert snapshot.next == ("approval",)
    return graph, snapshot.config["configurable"]["checkpoint_id"], tool


async def test_a_reject_sent_with_an_old_checkpoint_rejects():
    graph, there, tool = await waiting_graph(InMemorySaver())
    await graph.ainvoke(Command(resume="approve"), at(), context=ASK)
    calls = len(tool.metadata["calls"])
    values = await graph.ainvoke(Command(resume={"reject": "only one source"}), at(checkpoint_id=there), context=ASK)
    assert len(tool.metadata["calls"]) == calls
    (asked,) = values["__interrupt__"]
    assert asked.value["type"] == "approve_plan"


async def test_an_approval_sent_with_an_old_checkpoint_answers_what_is_asked_there():
    graph, there, _ = await waiting_graph(InMemorySaver())
    await graph.ainvoke(Command(resume={"reject": "another way"}), at(), context=ASK)
    old = (await graph.aget_state(at(checkpoint_id=there))).interrupts
    values = await graph.ainvoke(Command(resume={old[0].id: "approve"}), at(checkpoint_id=there), context=ASK)
    assert "97 years" in values["result"]["answer"]
    assert "__interrupt__" not in values


async def test_an_answer_with_a_checkpoint_before_the_question_answers_nothing():
    graph, _, tool = await waiting_graph(InMemorySaver())
    await graph.ainvoke(Command(resume="approve"), at(), context=ASK)
    history = [one async for one in graph.aget_state_history(at())]
    earlier = next(one for one in history if one.next == ("planner",)).config["configurable"]["checkpoint_id"]
    calls = len(tool.metadata["calls"])
    values = await graph.ainvoke(Command(resume="approve"), at(checkpoint_id=earlier), context=ASK)
    assert values["__interrupt__"]
    assert len(tool.metadata["calls"]) == calls


async def test_an_empty_command_is_refused_and_nothing_is_lost():
    graph, _, _ = await waiting_graph(InMemorySaver())
    with pytest.raises(EmptyInputError, match="must not be null"):
        await graph.ainvoke(Command(resume=None), at(), context=ASK)
    assert read_waiting(await graph.aget_state(at())).status == "waiting"


async def test_what_a_thread_waits_for_is_read_from_next_tasks_and_interrupts():
    graph, _, _ = await waiting_graph(InMemorySaver())
    waiting = read_waiting(await graph.aget_state(at()))
    assert (waiting.status, waiting.asking, waiting.under_way) == ("waiting", "", ("approval",))
    assert waiting.address("approve") == {waiting.ids[0]: "approve"}
    with pytest.raises(AnswerError, match="is not waiting"):
        waiting.address({"0" * 32: "approve"})
    plan = (await graph.aget_state(at())).values["plan"]
    await graph.aupdate_state(at(), {"plan": plan}, as_node="planner")
    edited = read_waiting(await graph.aget_state(at()))
    assert (edited.status, edited.asking, edited.ids) == ("waiting", "approval", ())
    assert edited.address("approve") == "approve"
    await graph.ainvoke(Command(resume="approve"), at(), context=ASK)
    done = read_waiting(await graph.aget_state(at()))
    assert (done.status, done.under_way) == ("idle", ())
    with pytest.raises(AnswerError, match="continue with input null"):
        done.address("approve")


@pytest.mark.parametrize("checkpointer", [True, False, None])
async def test_the_graph_takes_what_compile_takes(checkpointer):
    graph = build_graph(checkpointer)
    assert graph.checkpointer is checkpointer
