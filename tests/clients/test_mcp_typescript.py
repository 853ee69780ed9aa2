"""The official TypeScript client against `weiwo mcp`, over standard input and output and over Streamable HTTP.

Needs Node and, in the folder that `WEIWO_TEST_NODE` names, `npm install @modelcontextprotocol/sdk`.
"""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import search_path
from tests.support.personas import WU_OR_CAESAR
from tests.support.ports import free_port, listens
from tests.support.waiting import wait_for

NODE = Path(os.environ.get("WEIWO_TEST_NODE", "/nowhere"))
pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(
        not (shutil.which("node") and (NODE / "node_modules/@modelcontextprotocol/sdk").is_dir()),
        reason="WEIWO_TEST_NODE names no folder with the TypeScript SDK of MCP",
    ),
    pytest.mark.skipif(importlib.util.find_spec("fastmcp") is None, reason="needs the extra: pip install 'weiwo[mcp]'"),
]
SERVE = (sys.executable, "-m", "weiwo", "mcp")


@pytest.fixture
def environment(indexed_home, tmp_path) -> dict[str, str]:  # noqa: ARG001 - documents are there
    return {**os.environ, "PYTHONPATH": search_path(tmp_path), "WEIWO_HOME": str(tmp_path / "home"), "WEIWO_WEB": "no"}


@pytest.fixture
def url(environment) -> Iterator[str]:
    """`weiwo mcp --http`, once it listens."""
    port = free_port()
    command = [*SERVE, "--http", "--port", str(port)]
    with subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL) as server:
        try:
            wait_for(lambda: listens(port), server)
            yield f"http://127.0.0.1:{port}/mcp/"
        finally:
            server.terminate()


def drive(environment: dict[str, str], *target: str) -> Any:
    script = NODE / f"weiwo-mcp-{os.getpid()}.mjs"  # Node looks for packages beside the script
    shutil.copy(Path(__file__).parent / "js" / "mcp_client.mjs", script)
    try:
        command = ["node", str(script), WU_OR_CAESAR, *target]
        ran = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)
    finally:
        script.unlink()
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout.splitlines()[-1])


@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_a_client_asks_waits_and_comes_back(environment, transport, request):
    target = SERVE if transport == "stdio" else (request.getfixturevalue("url"),)
    seen = drive(environment, *target)
    assert seen["server"] == "weiwo"
    assert sorted(seen["tools"]) == [[name, True, True] for name in ("ask", "get_answer", "read_document", "search")]
    assert "56 years" in seen["asked"]["answer"]
    assert seen["asked"]["status"] == "complete"
    assert seen["asked"]["citations"][0]["source"].endswith(".md")
    assert seen["bytes"] < 6_000
    steps = [message for _, message in seen["progress"]]
    assert steps[0] == "the question is read"
    assert [number for number, _ in seen["progress"]] == list(range(1, len(steps) + 1))
    assert seen["atOnce"]["status"] == "running"
    assert len(seen["atOnce"]["thread_id"]) == 32
    assert seen["later"]["answer"] == seen["asked"]["answer"]
    assert (seen["found"], seen["read"] > 0) == (2, True)
    assert "no such thread_id" in seen["refused"]
