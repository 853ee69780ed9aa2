"""A tool of an MCP server as a LangChain tool, callable from any event loop."""

from typing import Any

from pydantic import PrivateAttr

from weiwo.tools.calling.call_context import find_call
from weiwo.tools.calling.elicitation import NOBODY
from weiwo.tools.calling.errors import ToolCallError
from weiwo.tools.mcp.connection import Connection
from weiwo.tools.mcp.content import error_text, read_result
from weiwo.tools.mcp.definitions import ToolDefinition
from weiwo.tools.mcp.elicitation import Elicitor
from weiwo.tools.mcp.pool import McpPool
from weiwo.tools.passages import as_artifact
from weiwo.tools.sync import AsyncTool


class McpTool(AsyncTool):
    """One tool of a server; its passages have the source `mcp://SERVER/TOOL`.

    Args:
        definition: What is known of it.
        connection: Its server.
        pool: Where the connection lives.
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
        elicitor = Elicitor(definition, NOBODY if call is None else call.user)
        try:
            result = await self._pool.submit(self._connection.call(definition, arguments, elicitor, key=key))
        except ToolCallError as error:
            raise elicitor.explain(error) from None
        asks = elicitor.ends_with()
        if asks is not None and (result.is_error or definition.read_only):
            raise asks
        if result.is_error:
            again = elicitor.unclear and definition.read_only
            failure = ToolCallError("crash", f"{definition.name}: {error_text(result)}", transient=again)
            raise elicitor.explain(failure)
        if asks is not None:  # it has acted; asked again, it would act twice
            elicitor.notes.append(f"{definition.name} asked the user something, and went on without an answer")
        if call is not None:
            call.notes += elicitor.notes
        text, passages = read_result(result, definition, arguments)
        return text, as_artifact(passages)
