"""Weiwo as one of the agents of other people's supervisors: langgraph-supervisor and deepagents."""

from typing import Any

import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.types import Command
from pydantic import BaseModel, Field

from weiwo.graph import build_graph
from weiwo.graph.persistence.serializer import STATE_TYPES
from weiwo.state.settings import Context

pytestmark = [
    pytest.mark.usefixtures("indexed_home"),
    pytest.mark.filterwarnings("ignore:create_react_agent has been moved"),  # the supervisor's own
]
BURJ = "How tall is the Burj Khalifa?"
AT: Any = {"configurable": {"thread_id": "t"}}
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


class Theirs(BaseModel):
    """The context of the outer graph, whose fields have the names of ours and other meanings."""

    model: int = 7
    corpus: bool = True
    approve_plan: str = "never"


def supervised(context: Any = None) -> Any:
    supervisor = pytest.importorskip("langgraph_supervisor")
    boss = Boss(tool="transfer_to_weiwo")
    saver = InMemorySaver(serde=JsonPlusSerializer(allowed_msgpack_modules=STATE_TYPES))
    more = {"output_mode": "full_history", "context_schema": context}
    return supervisor.create_supervisor([build_graph()], model=boss, **more).compile(checkpointer=saver)


def told(values: dict[str, Any]) -> str:
    return "\n".join(message.text for message in values["messages"] if message.type == "ai")


async def test_a_supervisor_hands_over_and_follow_ups_know_what_was_said() -> None:
    boss = supervised()
    first = await boss.ainvoke({"messages": [("user", BURJ)]}, AT)
    assert "828" in told(first)
    second = await boss.ainvoke({"messages": [("user", "And the Eiffel Tower?")]}, AT)
    assert "330" in told(second)


async def test_a_run_that_was_interrupted_goes_on_through_the_supervisor() -> None:
    boss, context = supervised(), Context(approve_plan=True)  # the outer graph's
    await boss.ainvoke({"messages": [("user", COMPARED)]}, AT, context=context)
    (waiting,) = (await boss.aget_state(AT)).interrupts
    assert "plan" in str(waiting.value)
    done = await boss.ainvoke(Command(resume="approve"), AT, context=context)
    assert "Burj Khalifa" in told(done)
    assert not (await boss.aget_state(AT)).next


async def test_the_context_of_the_outer_graph_is_its_own_and_its_saver_knows_our_types(monkeypatch, caplog) -> None:
    boss = supervised(Theirs)
    monkeypatch.setenv("WEIWO_APPROVE_PLAN", "true")
    await boss.ainvoke({"messages": [("user", COMPARED)]}, AT, context=Theirs())
    waiting = await boss.aget_state(AT, subgraphs=True)
    assert type(waiting.tasks[0].state.values["plan"]).__name__ == "Plan"
    done = await boss.ainvoke(Command(resume={"decisions": [{"type": "approve"}]}), AT, context=Theirs())
    assert "Burj Khalifa" in told(done)
    assert "unregistered" not in caplog.text


def test_a_supervisor_may_be_called_synchronously() -> None:
    assert "828" in told(supervised().invoke({"messages": [("user", BURJ)]}, AT))


async def test_deepagents_has_it_as_a_subagent() -> None:
    deepagents = pytest.importorskip("deepagents")
    search = {"name": "search", "description": "Answers questions from documents.", "runnable": build_graph()}
    boss = Boss(tool="task", args={"description": "{}", "subagent_type": "search"})
    agent = deepagents.create_deep_agent(model=boss, subagents=[search])
    done = await agent.ainvoke({"messages": [("user", BURJ)]}, {"configurable": {"thread_id": "t"}})
    (answer,) = (message.text for message in done["messages"] if message.type == "tool")
    assert "828" in answer
