"""Weiwo as one of the agents of other people's supervisors: langgraph-supervisor and deepagents."""

from typing import Any

import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from pydantic import Field

from weiwo.graph import build_graph
from weiwo.graph.persistence.serializer import STATE_TYPES, StateSerializer
from weiwo.state.settings import Context

pytestmark = [
    pytest.mark.usefixtures("indexed_home"),
    pytest.mark.filterwarnings("ignore:create_react_agent has been moved"),  # the supervisor's own
]
BURJ = "How tall is the Burj Khalifa?"
COMPARED = "Which is taller, the Burj Khalifa or the Eiffel Tower?"


class Boss(BaseChatModel):
    """Hands each question over by the tool it is given, and ends once there is an answer."""

    tool: str
    args: dict[str, Any] = Field(default_factory=dict)

    @property
    def _llm_type(self) -> str:
        return "boss"

    def bind_tools(self, tools: Any, **_: Any) -> "Boss":  # noqa: ARG002 - it knows its tool
        return self

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        asked = next(at for at in range(len(messages) - 1, -1, -1) if isinstance(messages[at], HumanMessage))
        since = messages[asked + 1 :]
        if any(isinstance(one, ToolMessage) for one in since):
            message = AIMessage("Done.")
        else:
            args = {key: value.format(messages[asked].text) for key, value in self.args.items()}
            message = AIMessage("", tool_calls=[{"id": f"call-{asked}", "name": self.tool, "args": args}])
        return ChatResult(generations=[ChatGeneration(message=message)])


def supervised(**built: Any) -> Any:
    supervisor = pytest.importorskip("langgraph_supervisor")
    boss = Boss(tool="transfer_to_weiwo")
    saver = InMemorySaver(serde=StateSerializer())
    workflow = supervisor.create_supervisor([build_graph(**built)], model=boss, output_mode="full_history")
    return workflow.compile(checkpointer=saver)


def config(**context: Any) -> dict[str, Any]:
    return {"configurable": {"thread_id": "t", **context}}


def told(values: dict[str, Any]) -> str:
    return "\n".join(message.text for message in values["messages"] if message.type == "ai")


async def test_a_supervisor_hands_over_and_follow_ups_know_what_was_said() -> None:
    boss = supervised()
    first = await boss.ainvoke({"messages": [("user", BURJ)]}, config())
    assert "828" in told(first)
    second = await boss.ainvoke({"messages": [("user", "And the Eiffel Tower?")]}, config())
    assert "330" in told(second)


async def test_a_run_that_was_interrupted_goes_on_through_the_supervisor() -> None:
    boss, context = supervised(), Context(approve_plan=True)  # the outer graph's
    await boss.ainvoke({"messages": [("user", COMPARED)]}, config(), context=context)
    (waiting,) = (await boss.aget_state(config())).interrupts
    assert "plan" in str(waiting.value)
    done = await boss.ainvoke(Command(resume="approve"), config(), context=context)
    assert "Burj Khalifa" in told(done)
    assert not (await boss.aget_state(config())).next


def test_a_supervisor_may_be_called_synchronously() -> None:
    assert "828" in told(supervised().invoke({"messages": [("user", BURJ)]}, config()))


async def test_deepagents_has_it_as_a_subagent() -> None:
    deepagents = pytest.importorskip("deepagents")
    search = {"name": "search", "description": "Answers questions from documents.", "runnable": build_graph()}
    boss = Boss(tool="task", args={"description": "{}", "subagent_type": "search"})
    agent = deepagents.create_deep_agent(model=boss, subagents=[search])
    done = await agent.ainvoke({"messages": [("user", BURJ)]}, {"configurable": {"thread_id": "t"}})
    (answer,) = (message.text for message in done["messages"] if message.type == "tool")
    assert "828" in answer


def test_the_types_of_a_state_can_be_allowed_elsewhere() -> None:
    assert ("weiwo.state.plan", "Plan") in STATE_TYPES
