"""A tool asks the user in mid-call: the run waits in no process, and the call is made again with the answer, once."""

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
from weiwo.tools.calling.elicitation import Elicitation
from weiwo.tools.calling.errors import ElicitationError

pytestmark = pytest.mark.integration

QUESTION = "Close ticket 7 with the desk, then tell me when it was closed and by whom."
FORMS = {
    name: {"type": "object", "properties": {name: {"type": "string"}}, "required": [name]} for name in ("why", "who")
}
ASKED = {name: Elicitation("close_ticket", "desk", "form", f"{name}?", form) for name, form in FORMS.items()}


@pytest.fixture(autouse=True)
def _fresh(weiwo_home, index_sample):
    index_sample(weiwo_home)


class Desk:
    """A tool that asks why and by whom before it closes a ticket, and what it was called with."""

    def __init__(self, *, acts: bool = True, hangs: bool = False) -> None:
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.closed: list[str] = []
        self.inside = asyncio.Event()
        self.hangs = hangs
        self.tool: BaseTool = tool("close_ticket", description="Close a ticket of the desk.")(self.close)
        self.tool.metadata = {"acts": acts}

    async def close(self, number: str) -> str:
        call = current_call()
        given = {one["key"]: one for one in call.user.given}
        self.calls.append((call.idempotency_key, {key: one["content"] for key, one in given.items()}))
        for asked in ASKED.values():
            if asked.key not in given and call.user.may_ask:
                raise ElicitationError(asked)
        if self.hangs:
            self.inside.set()
            await asyncio.Event().wait()
        self.closed.append(number)
        return f"Ticket {number} was closed on 3 May 2024."


def planning() -> Any:
    task = {"id": "task_1", "description": "When was ticket 7 closed?", "tool_binding": "close_ticket", "ret": "date"}
    reply = {"thought": "", "vertices": [{**task, "args": {"number": "7"}}], "edges": []}
    return fake(AssessmentReply=assessed(QUESTION, steps=1.0), PlanReply=reply, draft="The ticket was closed.")


AT: Any = {"configurable": {"thread_id": "t"}}
ALLOWED = Context(max_replans=0, allow_acting=True, web=False)


def asked(values: dict[str, Any]) -> Any:
    (one,) = values["__interrupt__"]
    return one.value


async def outcome(graph: Any) -> Any:
    (one,) = (await graph.aget_state(AT)).values["outcomes"].values()
    return one


async def test_consent_then_each_request_then_the_call_once(saver):
    desk, store = Desk(), InMemoryStore()
    graph = build_graph(saver, store, tools=[desk.tool], models=planning())
    context = Context(max_replans=0, web=False)
    waits = asked(await graph.ainvoke({"question": QUESTION}, AT, context=context))
    assert (waits["type"], desk.calls) == ("allow_tool", [])
    waits = asked(await graph.ainvoke(Command(resume={"arguments": {"number": "8"}}), AT, context=context))
    assert (waits["type"], waits["message"], waits["acts"]) == ("elicit", "why?", True)
    graph = build_graph(saver, store, tools=[desk.tool], models=planning())
    waits = asked(await graph.ainvoke(Command(resume={"reply": "it works"}), AT, context=context))
    assert waits["message"] == "who?"
    values = await graph.ainvoke(Command(resume={"reply": "Ada"}), AT, context=context)
    assert "__interrupt__" not in values
    assert desk.closed == ["8"]
    assert len(desk.calls) == 3
    assert len({key for key, _ in desk.calls}) == 1
    assert desk.calls[-1][1] == {ASKED["why"].key: {"why": "it works"}, ASKED["who"].key: {"who": "Ada"}}


async def test_a_call_that_was_broken_off_after_the_answers_is_not_made_again():
    desk, saver, store = Desk(hangs=True), InMemorySaver(), InMemoryStore()
    graph = build_graph(saver, store, tools=[desk.tool], models=planning())
    await graph.ainvoke({"question": QUESTION}, AT, context=ALLOWED)
    await graph.ainvoke(Command(resume="it works"), AT, context=ALLOWED)
    run = asyncio.create_task(graph.ainvoke(Command(resume="Ada"), AT, context=ALLOWED, durability="sync"))
    await desk.inside.wait()
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    assert len(desk.calls) == 3
    await graph.ainvoke(None, AT, context=ALLOWED)
    assert len(desk.calls) == 3
    assert "it may have acted" in (await outcome(graph)).failure.message


@pytest.mark.parametrize(("reply", "said"), [("decline", "declined"), ({"action": "cancel"}, "broke off the call")])
async def test_what_acts_is_not_called_again_to_be_told_no(reply, said):
    desk = Desk()
    graph = build_graph(InMemorySaver(), tools=[desk.tool], models=planning())
    await graph.ainvoke({"question": QUESTION}, AT, context=ALLOWED)
    await graph.ainvoke(Command(resume=reply), AT, context=ALLOWED)
    assert (len(desk.calls), desk.closed) == (1, [])
    assert said in (await outcome(graph)).failure.message


async def test_what_only_reads_is_told_no_and_may_go_on():
    desk = Desk(acts=False)
    graph = build_graph(InMemorySaver(), tools=[desk.tool], models=planning())
    await graph.ainvoke({"question": QUESTION}, AT, context=ALLOWED)
    await graph.ainvoke(Command(resume="decline"), AT, context=ALLOWED)
    values = await graph.ainvoke(Command(resume="Ada"), AT, context=ALLOWED)
    assert "__interrupt__" not in values
    assert desk.closed == ["7"]


async def test_where_a_person_wants_no_questions_a_tool_may_ask_none():
    desk = Desk()
    graph = build_graph(InMemorySaver(), tools=[desk.tool], models=planning())
    context = ALLOWED.model_copy(update={"clarify": False})
    values = await graph.ainvoke({"question": QUESTION}, AT, context=context)
    assert "__interrupt__" not in values
    assert desk.closed == ["7"]
