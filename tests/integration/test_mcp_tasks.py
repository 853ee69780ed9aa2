"""`ask` as a task of MCP's tasks extension, for clients that have it; without, as any call."""

import pytest

pytest.importorskip("fastmcp_tasks", reason="needs pip install fastmcp-tasks")

from fastmcp import Client

from tests.support.personas import WU_OR_CAESAR
from weiwo.app.mcp.server import build_server
from weiwo.state.settings import Context

pytestmark = [pytest.mark.integration, pytest.mark.filterwarnings("ignore::DeprecationWarning")]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_client_with_the_extension_waits_for_a_task_and_any_other_for_the_call(weiwo_home, index_sample, mode):
    index_sample(weiwo_home)
    server = build_server(Context(web=False, telemetry=False))
    async with Client(server, mode=mode) as client:
        told = await client.call_tool("ask", {"question": WU_OR_CAESAR, "wait": 0})
    assert told.structured_content is not None
    assert told.structured_content["status"] == ("running" if mode == "legacy" else "complete")
