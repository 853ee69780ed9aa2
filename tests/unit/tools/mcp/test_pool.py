"""Connections of the process: a failure of the task that keeps one is seen, and does not last."""

from collections.abc import Iterator

import pytest

from weiwo.tools.mcp.connection import Connection
from weiwo.tools.mcp.pool import McpPool
from weiwo.tools.mcp.servers import McpServer

DESK = McpServer(name="desk", transport="http", url="http://127.0.0.1:1/mcp")


@pytest.fixture
def pool() -> Iterator[McpPool]:
    made = McpPool()
    yield made
    made.close()


async def test_a_failure_of_the_task_that_keeps_a_connection_is_logged_and_does_not_last(pool, caplog, monkeypatch):
    async def fail(_: Connection) -> None:
        raise LookupError("no such key: hunter2")

    monkeypatch.setattr(Connection, "run", fail)
    (first,) = await pool.connections([DESK])
    assert (first.health, first.why) == ("down", {"en": "LookupError", "zh": "LookupError"})
    assert caplog.messages == ["the connection to MCP server desk has ended: LookupError"]
    assert "hunter2" not in caplog.text
    (second,) = await pool.connections([DESK])
    assert second is not first
