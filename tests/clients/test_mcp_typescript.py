"""The official TypeScript client against `weiwo mcp`, over standard input and output and over Streamable HTTP.

Needs Node and, in the folder that `WEIWO_TEST_NODE` names, `npm install @modelcontextprotocol/sdk`.
"""

import importlib.util
import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.support.command import search_path
from tests.support.node import needs_package, run_script
from tests.support.personas import WU_OR_CAESAR
from tests.support.ports import free_port, listens
from tests.support.waiting import wait_for

pytestmark = [
    pytest.mark.integration,
    needs_package("@modelcontextprotocol/sdk"),
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


@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_a_client_asks_waits_and_comes_back(environment, transport, request):
    target = SERVE if transport == "stdio" else (request.getfixturevalue("url"),)
    seen = run_script("mcp_client.mjs", WU_OR_CAESAR, *target, environment=environment)
    assert seen["server"] == "weiwo"
    assert sorted(seen["tools"]) == [[name, True, True] for name in ("ask", "get_answer", "read_document", "search")]
    assert "56 years" in seen["asked"]["answer"]
    assert seen["asked"]["status"] == "complete"
    assert seen["asked"]["citations"][0]["source"].endswith(".md")
    assert seen["bytes"] < 6_000
    steps = [message for _, message in seen["progress"]]
    assert steps[0] == "reading the question"
    assert [number for number, _ in seen["progress"]] == list(range(1, len(steps) + 1))
    assert seen["atOnce"]["status"] == "running"
    assert len(seen["atOnce"]["thread_id"]) == 32
    assert seen["later"]["answer"] == seen["asked"]["answer"]
    assert (seen["found"], seen["read"] > 0) == (2, True)
    assert "this thread_id does not exist" in seen["refused"]
