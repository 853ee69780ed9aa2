"""The official MCP servers from npm as Weiwo's tools: what they find, show and ask the user in mid-call.

Needs Node and, in the folder that `WEIWO_TEST_NODE` names, `npm install @modelcontextprotocol/server-everything
@modelcontextprotocol/server-filesystem`.
"""

import asyncio
import json
import os
import shutil
import subprocess
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from tests.support.fake_model import assessed, fake, found
from tests.support.ports import free_port
from weiwo.graph import build_graph
from weiwo.state.settings import Context
from weiwo.tools.calling.errors import ToolCallError
from weiwo.tools.calling.invoke import run_tool

pytest.importorskip("fastmcp", reason="needs the extra: pip install 'weiwo[mcp]'")

from weiwo.tools.mcp.loading import McpToolset, load_mcp_tools
from weiwo.tools.mcp.pool import mcp_pool
from weiwo.tools.mcp.servers import read_servers

NODE = Path(os.environ.get("WEIWO_TEST_NODE", "/nowhere")) / "node_modules/@modelcontextprotocol"
EVERYTHING, FILES = (NODE / name / "dist/index.js" for name in ("server-everything", "server-filesystem"))
pytestmark = [
    pytest.mark.integration,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.skipif(
        not (shutil.which("node") and EVERYTHING.is_file() and FILES.is_file()),
        reason="WEIWO_TEST_NODE names no folder with the MCP servers of npm",
    ),
]
PATIENT = 200.0
"""Seconds that a slow machine may take; nothing waits for them to be over."""


@pytest.fixture(autouse=True)
async def _ended(indexed_home) -> AsyncIterator[None]:  # noqa: ARG001 - documents are there
    """The processes of a test end with it."""
    yield
    await asyncio.to_thread(mcp_pool.close)


@pytest.fixture
def http_url() -> Iterator[str]:
    """The address of server-everything over Streamable HTTP."""
    port = str(free_port())
    command = ["node", str(EVERYTHING), "streamableHttp"]
    server = subprocess.Popen(command, env={**os.environ, "PORT": port}, stderr=subprocess.PIPE, text=True)
    try:
        assert server.stderr is not None
        while "listening" not in (line := server.stderr.readline()):
            assert line, "the server ended"
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        server.kill()
        server.communicate()


async def connect(folder: Path, **servers: Any) -> tuple[str, McpToolset]:
    file = folder / "servers.json"
    file.write_text(json.dumps({"mcpServers": servers}), encoding="utf-8")
    await mcp_pool.connections(read_servers(str(file)), PATIENT)
    return str(file), await load_mcp_tools(str(file))


def everything() -> dict[str, Any]:
    return {"command": "node", "args": [str(EVERYTHING), "stdio"]}


async def call(loaded: McpToolset, name: str, **args: Any) -> Any:
    (tool,) = (one for one in loaded.tools if one.name == name)
    return await run_tool(tool, args, seconds=PATIENT, max_bytes=1_000_000)


async def test_files_are_read_and_writing_them_is_said_to_act(tmp_path):
    (tmp_path / "notes.txt").write_text("The printer was replaced on 3 May 2024.", encoding="utf-8")
    server = {"command": "node", "args": [str(FILES), str(tmp_path)]}
    _, loaded = await connect(tmp_path, files=server)
    found = await call(loaded, "files_read_text_file", path=str(tmp_path / "notes.txt"))
    (passage,) = found.passages
    assert (passage.source, passage.text) == ("mcp://files/read_text_file", "The printer was replaced on 3 May 2024.")
    with pytest.raises(ToolCallError, match="outside allowed directories"):
        await call(loaded, "files_read_text_file", path="/etc/hosts")
    acts = {tool.name: (tool.metadata or {})["acts"] for tool in loaded.tools}
    assert acts["files_write_file"]
    assert acts["files_move_file"]
    assert not acts["files_directory_tree"]


@pytest.mark.parametrize("transport", ["stdio", "http"])
async def test_images_resources_and_structured_content_become_passages(tmp_path, transport, request):
    server = everything() if transport == "stdio" else {"url": request.getfixturevalue("http_url")}
    _, loaded = await connect(tmp_path, every=server)
    image = await call(loaded, "every_get-tiny-image")
    assert "[image, image/png," in image.content
    assert "iVBOR" not in image.content + "".join(one.text for one in image.passages)
    linked = await call(loaded, "every_get-resource-links", count=2)
    assert {one.source.partition("#")[0] for one in linked.passages} == {"mcp://every/get-resource-links"}
    assert len(linked.passages) == 3
    held = await call(loaded, "every_get-resource-reference", resourceType="Text", resourceId=1)
    assert any("demo://resource" in one.source for one in held.passages)
    weather = await call(loaded, "every_get-structured-content", location="Chicago")
    assert "temperature" in weather.passages[0].text
    with pytest.raises(ToolCallError, match="argument a"):
        await call(loaded, "every_get-sum", a="one", b=2)


def planning(tool: str, args: dict[str, Any], said: str) -> Any:
    question = "Ask the desk for my name and tell me what it made of it, then when it was asked."
    task = {"id": "task_1", "description": "What did the desk say?", "tool_binding": tool, "args": args, "ret": "text"}
    reply = {"thought": "", "vertices": [task], "edges": []}
    script = {"AssessmentReply": assessed(question, steps=1.0), "PlanReply": reply, "ReadReply": found(said, said)}
    return fake(**script, draft="The desk has it."), question


async def run(tool: str, args: dict[str, Any], path: str, said: str, *answers: Any) -> tuple[list[dict[str, Any]], Any]:
    """A run that is answered as often as it asks; what it asked, and what its task came to: words of the result."""
    model, question = planning(tool, args, said)
    graph, asked = build_graph(InMemorySaver(), models=model), []
    config: Any = {"configurable": {"thread_id": "t"}}
    given: Any = {"question": question}
    context = Context(mcp=path, allow_acting=True, max_replans=0, web=False)
    for answer in (*answers, None):
        values = await graph.ainvoke(given, config, context=context)
        if "__interrupt__" not in values:
            break
        (waiting,) = values["__interrupt__"]
        asked.append(waiting.value)
        given = Command(resume=answer)
    (outcome,) = values["outcomes"].values()
    return asked, outcome


@pytest.mark.parametrize("transport", ["stdio", "http"])
async def test_a_form_is_asked_about_and_the_call_made_again_with_what_was_filled_in(tmp_path, transport, request):
    server = everything() if transport == "stdio" else {"url": request.getfixturevalue("http_url")}
    path, _ = await connect(tmp_path, every=server)
    answers = {"reply": "integer=7"}, {"reply": "name=Ada; integer=7; check=yes"}
    said = "Favorite Integer: 7"
    (first, again), outcome = await run("every_trigger-elicitation-request", {}, path, said, *answers)
    assert (first["type"], first["mode"], first["server"], first["acts"]) == ("elicit", "form", "every", True)
    assert first["schema"]["required"] == ["name"]
    assert len(first["schema"]["properties"]) == 13
    assert again["complaints"] == ["'name' is missing"]
    assert outcome.status == "succeeded", outcome.failure
    assert "Favorite Integer: 7" in outcome.value


async def test_a_page_is_to_be_opened_first(tmp_path):
    path, _ = await connect(tmp_path, every=everything())
    args = {"url": "https://desk.example.org/sign"}
    (asked,), outcome = await run("every_trigger-url-elicitation", args, path, "URL elicitation flow", "accept")
    assert (asked["mode"], asked["url"], asked["host"]) == ("url", args["url"], "desk.example.org")
    assert outcome.status == "succeeded", outcome.failure


async def test_a_server_that_wants_a_page_opened_before_it_begins_is_called_again(tmp_path):
    path, _ = await connect(tmp_path, every=everything())
    args = {"url": "https://desk.example.org/sign", "errorPath": True}
    asked, outcome = await run("every_trigger-url-elicitation", args, path, "URL elicitation flow", *["accept"] * 3)
    before = "modelcontextprotocol.io"  # it wants that page at every other call
    assert [one["host"] for one in asked] == [before, "desk.example.org", before]
    assert outcome.status == "succeeded", outcome.failure


async def test_an_acting_call_is_not_made_again_to_say_no(tmp_path):
    path, _ = await connect(tmp_path, every=everything())
    asked, outcome = await run("every_trigger-elicitation-request", {}, path, "", "decline")
    assert len(asked) == 1
    assert "the user declined what its server asked" in outcome.failure.message
