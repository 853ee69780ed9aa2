"""The official MCP servers from npm as Weiwo's tools: what they find, show and ask the user in mid-call.

Needs Node and, in the folder that `WEIWO_TEST_NODE` names, `npm install @modelcontextprotocol/server-everything
@modelcontextprotocol/server-filesystem`.
"""

import asyncio
import json
import os
import subprocess
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.node import needs_package
from tests.support.ports import free_port
from weiwo.tools.calling.call_context import CallContext, current_call, set_current_call
from weiwo.tools.calling.errors import ToolCallError
from weiwo.tools.calling.invoke import run_tool

pytest.importorskip("fastmcp", reason="needs the extra: pip install 'weiwo[mcp]'")

from weiwo.tools.mcp.pool import mcp_pool
from weiwo.tools.mcp.servers import read_servers
from weiwo.tools.mcp.toolset import _McpToolset, load_mcp_tools

NODE = Path(os.environ.get("WEIWO_TEST_NODE", "/nowhere")) / "node_modules/@modelcontextprotocol"
EVERYTHING, FILES = (NODE / name / "dist/index.js" for name in ("server-everything", "server-filesystem"))
pytestmark = [
    pytest.mark.integration,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    needs_package("@modelcontextprotocol/server-everything"),
    needs_package("@modelcontextprotocol/server-filesystem"),
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


async def connect(folder: Path, **servers: Any) -> tuple[str, _McpToolset]:
    file = folder / "servers.json"
    file.write_text(json.dumps({"mcpServers": servers}), encoding="utf-8")
    await mcp_pool.connections(read_servers(str(file)), PATIENT)
    return str(file), await load_mcp_tools(str(file))


def everything() -> dict[str, Any]:
    return {"command": "node", "args": [str(EVERYTHING), "stdio"]}


async def call(loaded: _McpToolset, name: str, **args: Any) -> Any:
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


@pytest.mark.parametrize("transport", ["stdio", "http"])
@pytest.mark.parametrize("tool", ["every_trigger-elicitation-request", "every_trigger-url-elicitation"])
async def test_what_a_server_asks_in_mid_call_is_declined_and_said(tmp_path, transport, tool, request):
    server = everything() if transport == "stdio" else {"url": request.getfixturevalue("http_url")}
    _, loaded = await connect(tmp_path, every=server)
    set_current_call(CallContext("run"))
    try:
        await call(loaded, tool, **({"url": "https://desk.example.org/sign"} if "url" in tool else {}))
        said = current_call().notes
    except ToolCallError as failure:
        said = [failure.message]
    assert "which Weiwo does not support" in said[0]
