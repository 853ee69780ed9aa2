"""Tools of the MCP servers in a configuration file.

If a server is down, only its tools are missing, and the run goes on.
"""

import asyncio
from collections.abc import Collection
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING

from weiwo.state.environment import SettingsError
from weiwo.tools.mcp.problems import ProblemLine, describe_problem
from weiwo.tools.mcp.servers import read_servers

if TYPE_CHECKING:  # they need the extra
    from langchain_core.tools import BaseTool

    from weiwo.tools.mcp.connection import Connection


@dataclass(frozen=True)
class _McpToolset:
    """Tools of all servers of a file."""

    tools: "tuple[BaseTool, ...]" = ()  # including those last listed by a server that is down now
    problems: tuple[ProblemLine, ...] = ()  # servers that are down, and tools that were left out
    connections: "tuple[Connection, ...]" = ()


async def load_mcp_tools(path: str, taken: Collection[str] = (), run_seconds: float | None = None) -> _McpToolset:
    """Load the tools of the servers in a configuration file.

    Args:
        path: The configuration file.
        taken: Names of other tools. A tool of the same name is left out and reported as a problem.
        run_seconds: Time limit of the run. Servers that are new get a quarter of it, at most 20 seconds, to connect.

    Raises:
        SettingsError: The file cannot be used, or the packages for MCP are not installed.
    """
    if find_spec("fastmcp") is None:
        raise SettingsError("mcp: the packages for MCP servers are not installed; run pip install 'weiwo[mcp]'")
    servers = await asyncio.to_thread(read_servers, path)
    from weiwo.tools.mcp.pool import FIRST_SECONDS, mcp_pool  # noqa: PLC0415 - needs the extra
    from weiwo.tools.mcp.tool import McpTool  # noqa: PLC0415 - the same

    seconds = None if run_seconds is None else min(FIRST_SECONDS, run_seconds / 4)
    connections = await mcp_pool.connections(servers, seconds)
    tools: dict[str, BaseTool] = {}
    problems: list[ProblemLine] = []
    for connection in connections:
        name = connection.server.name
        if connection.health != "up":
            problems.append(describe_problem("down", name, connection.why or describe_problem("unanswered")))
        problems += [describe_problem("listed", name, problem) for problem in connection.problems]
        for definition in connection.definitions.values():
            if definition.name in taken or definition.name in tools:
                problems.append(describe_problem("taken", name, definition.name))
            else:
                tools[definition.name] = McpTool(definition, connection, mcp_pool)
    return _McpToolset(tuple(tools.values()), tuple(problems), tuple(connections))
