"""A tool of an MCP server as a LangChain tool, callable from any event loop."""

from typing import Any

from pydantic import PrivateAttr

from weiwo.tools.async_tool import AsyncTool
from weiwo.tools.calling.call_context import find_call
from weiwo.tools.mcp.connection import Connection
from weiwo.tools.mcp.definitions import ToolDefinition
from weiwo.tools.mcp.pool import McpPool
from weiwo.tools.mcp.results import read_result
from weiwo.tools.passages import as_artifact


class McpTool(AsyncTool):
    """Tool of an MCP server.

    Passages have the source `mcp://SERVER/TOOL`, unless the reply names a page. Acting calls send an idempotency key.
    """

    _definition: ToolDefinition = PrivateAttr()
    _connection: Connection = PrivateAttr()
    _pool: McpPool = PrivateAttr()

    def __init__(self, definition: ToolDefinition, connection: Connection, pool: McpPool) -> None:
        metadata = {
            "acts": not definition.read_only,
            "server": definition.server,
            "idempotent": definition.idempotent,
            "always_ask": definition.suspicious or not connection.server.trusted,
            "annotations": dict(definition.annotations),
            "identity": f"mcp:{connection.server.identity}:{definition.fingerprint}",
        }
        super().__init__(
            name=definition.name,
            description=definition.description,
            args_schema=definition.args_schema,
            metadata=metadata,
        )
        self._definition, self._connection, self._pool = definition, connection, pool

    async def _arun(self, /, **arguments: Any) -> tuple[str, list[dict[str, Any]]]:
        definition, call = self._definition, find_call()
        key = call.idempotency_key if call is not None and not definition.read_only else ""
        result, note = await self._pool.submit(self._connection.call(definition, arguments, key=key))
        if call is not None and note:
            call.notes.append(note)
        text, passages = read_result(result, definition, arguments)
        return text, as_artifact(passages)
