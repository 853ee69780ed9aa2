"""What a chat client gets of an answer: citations, annotations, usage; and the graph as another agent's tool."""

import pytest
from langchain_core.messages import ToolCall
from langgraph.checkpoint.memory import InMemorySaver

from tests.support.openai_server import OpenAIServer
from tests.support.personas import good
from weiwo.graph import build_graph
from weiwo.state.settings import Context

BURJ = {"question": "How tall is the Burj Khalifa?"}
pytestmark = pytest.mark.usefixtures("indexed_home")


async def test_citations_travel_in_the_message():
    values = await build_graph().ainvoke(BURJ, context=Context(web=False, telemetry=False))
    message = values["messages"][-1]
    assert message.additional_kwargs["citations"] == values["result"]["citations"]
    assert message.additional_kwargs["citations"][0]["quote"]
    assert isinstance(message.content, str)
    assert message.usage_metadata["total_tokens"] == 0


async def test_standard_content_blocks_carry_them_as_annotations(monkeypatch):
    monkeypatch.setenv("LC_OUTPUT_VERSION", "v1")
    graph, at = build_graph(InMemorySaver()), {"configurable": {"thread_id": "t"}}
    context = Context(web=False, telemetry=False)
    values = await graph.ainvoke(BURJ, at, context=context)
    (block,) = values["messages"][-1].content_blocks
    cited = values["result"]["citations"]
    assert block["annotations"]
    for annotation in block["annotations"]:
        number = int(block["text"][annotation["start_index"] + 1 : annotation["end_index"] - 1])
        assert annotation["url"] == cited[number - 1]["source"]
        assert annotation["cited_text"] == cited[number - 1]["quote"]
        assert annotation["end_index"] <= len(values["result"]["answer"])
    again = await graph.ainvoke({"messages": [("user", "And how tall is K2?")]}, at, context=context)
    assert "8,611" in again["result"]["answer"]


async def test_usage_counts_the_tokens_of_the_whole_run(monkeypatch):
    with OpenAIServer(good) as endpoint:
        for name, value in endpoint.environment.items():
            monkeypatch.setenv(name, value)
        values = await build_graph().ainvoke(BURJ, context=Context(model="openai:scripted", web=False, telemetry=False))
    usage, spent = values["messages"][-1].usage_metadata, values["result"]["usage"]
    assert usage["input_tokens"] == spent["input_tokens"] > 0
    assert usage["total_tokens"] == spent["input_tokens"] + spent["output_tokens"]


async def test_the_graph_is_a_tool_that_takes_a_question(monkeypatch):
    monkeypatch.setenv("WEIWO_WEB", "false")
    tool = build_graph().as_tool()
    assert list(tool.args) == ["question"]
    assert len(tool.description) < 200
    assert "828" in await tool.ainvoke(BURJ)
    assert "828" in tool.invoke(BURJ)
    replied = await tool.ainvoke(ToolCall(name=tool.name, args=BURJ, id="1", type="tool_call"))
    assert replied.artifact["citations"]
