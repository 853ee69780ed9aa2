"""The graph behind AG-UI, as CopilotKit and other pages use it: `ag-ui-langgraph` runs it and tells its events."""

import json
import warnings

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from tests.support.personas import WU_OR_CAESAR
from weiwo.graph import build_graph

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # foreign imports
    pytest.importorskip("ag_ui_langgraph", reason="not installed: pip install ag-ui-langgraph fastapi")
    from ag_ui.core import EventType, RunAgentInput, UserMessage
    from ag_ui_langgraph import LangGraphAgent

pytestmark = [pytest.mark.usefixtures("indexed_home"), pytest.mark.filterwarnings("ignore")]


@pytest.fixture
def agent(monkeypatch):
    monkeypatch.setenv("WEIWO_WEB", "false")
    return LangGraphAgent(name="weiwo", graph=build_graph(InMemorySaver()))


async def run(agent, question, **props):
    given = RunAgentInput(
        thread_id="t-1",
        run_id="r",
        state={},
        messages=[UserMessage(id="m1", role="user", content=question)],
        tools=[],
        context=[],
        forwarded_props=props,
    )
    return [event async for event in agent.run(given)]


async def test_an_answer_streams_and_the_state_is_shown(agent):
    events = await run(agent, WU_OR_CAESAR)
    kinds = [event.type for event in events]
    assert EventType.RUN_ERROR not in kinds
    assert (kinds[0], kinds[-1]) == (EventType.RUN_STARTED, EventType.RUN_FINISHED)
    words = "".join(event.delta for event in events if event.type == EventType.TEXT_MESSAGE_CONTENT)
    assert "56 years" in words
    steps = [event.step_name for event in events if event.type == EventType.STEP_STARTED]
    assert {"master", "planner", "executor", "reflection", "writer"} <= set(steps)
    snapshots = [event for event in events if event.type == EventType.STATE_SNAPSHOT]
    state = json.loads(snapshots[-1].model_dump_json())["snapshot"]  # as it goes over the wire
    assert state["assessment"]["level"] == "complex"
    assert len(state["plan"]["tasks"]) == len(state["outcomes"]) == 3
    assert state["result"]["status"] == "complete"
    message = [event.messages for event in events if event.type == EventType.MESSAGES_SNAPSHOT][-1][-1]
    assert (message.role, "56 years" in message.content) == ("assistant", True)


async def test_a_plan_waits_and_an_answer_in_words_goes_on(agent, monkeypatch):
    monkeypatch.setenv("WEIWO_APPROVE_PLAN", "true")
    events = await run(agent, WU_OR_CAESAR)
    asked = [event.value for event in events if event.type == EventType.CUSTOM and event.name == "on_interrupt"]
    assert "action_requests" in str(asked[0])
    events = await run(agent, WU_OR_CAESAR, command={"resume": "Looks good, go ahead"})
    words = "".join(event.delta for event in events if event.type == EventType.TEXT_MESSAGE_CONTENT)
    assert "56 years" in words
