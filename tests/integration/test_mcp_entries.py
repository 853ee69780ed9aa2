"""MCP servers that are hostile when they are met: entries that are no tools, and no word at all."""

import asyncio
import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from weiwo.state.settings import Context, Settings
from weiwo.tools.mcp import pool
from weiwo.tools.mcp.pool import mcp_pool
from weiwo.tools.mcp.toolset import load_mcp_tools
from weiwo.tools.registry import build_registry

pytestmark = pytest.mark.integration
SERVER = """
import json, sys
TOOLS = [
    {"name": "find", "inputSchema": {"type": "object"}},
    {"name": 7}, "none", None, {"name": "half"}, {"name": "wrong", "inputSchema": []},
    {"name": "last", "inputSchema": {"type": "object"}},
]
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    said = {"jsonrpc": "2.0", "id": asked["id"]}
    if asked["method"] == "initialize":
        version = asked["params"]["protocolVersion"]
        said["result"] = {"protocolVersion": version, "capabilities": {"tools": {}},
                          "serverInfo": {"name": "x", "version": "1"}}
    elif asked["method"] == "tools/list":
        said["result"] = {"tools": TOOLS}
    else:
        said["error"] = {"code": -32601, "message": "no such method"}
    print(json.dumps(said), flush=True)
"""


async def test_an_entry_that_is_no_tool_costs_itself(tmp_path: Path) -> None:
    (tmp_path / "server.py").write_text(SERVER)
    path = tmp_path / "servers.json"
    entry = {"command": sys.executable, "args": [str(tmp_path / "server.py")]}
    path.write_text(json.dumps({"mcpServers": {"desk": entry}}))
    try:
        loaded = await load_mcp_tools(str(path))
    finally:
        mcp_pool.close()
    assert [tool.name for tool in loaded.tools] == ["desk_find", "desk_last"], loaded.problems


async def test_a_mute_server_is_waited_for_no_longer_than_the_run_allows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "FIRST_SECONDS", 600.0)
    path = tmp_path / "servers.json"
    entry = {"command": sys.executable, "args": ["-c", "import time; time.sleep(1000)"]}
    path.write_text(json.dumps({"mcpServers": {"mute": entry}}))
    try:
        async with asyncio.timeout(120):  # by itself it would get more
            registry = await build_registry(replace(Settings.resolve(Context(max_seconds=4)), mcp=str(path)))
    finally:
        mcp_pool.close()
    assert not [name for name in registry.names() if name.startswith("mute_")]
