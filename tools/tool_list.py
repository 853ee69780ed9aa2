"""The list of tools a run would have, and of MCP servers with their health, as JSON values."""

from typing import Any

from weiwo.state import Language
from weiwo.state.settings import Settings
from weiwo.tools.registry import build_registry
from weiwo.tools.tool_info import ToolInfo


async def list_tools(settings: Settings, language: Language = "en") -> dict[str, Any]:
    """The tools a run would have, and the MCP servers, what is wrong with these in a language."""
    registry = await build_registry(settings)
    servers = []
    if settings.mcp:
        from weiwo.tools.mcp.loading import load_mcp_tools  # noqa: PLC0415 - needs the extra

        servers = [_server(one, language) for one in (await load_mcp_tools(settings.mcp)).connections]
    asks = {one.name for one in registry.infos() if one.acts and _is_asked(one, settings)}
    tools = [_tool(one, registry, asks=one.name in asks) for one in registry.infos()]
    return {"tools": tools, "servers": servers, "problems": [one[language] for one in registry.problems]}


def _is_asked(info: ToolInfo, settings: Settings) -> bool:
    return info.always_ask or not (settings.allow_acting or info.name in settings.allow_tools)


def _tool(info: ToolInfo, registry: Any, *, asks: bool) -> dict[str, Any]:
    metadata = (registry.get(info.name).metadata or {}) if info.available else {}
    return {
        "name": info.name,
        "description": info.description,
        "arguments": info.args_schema,
        "cluster": info.cluster,
        "available": info.available,
        "why_not": info.why_not,
        "server": info.server,
        "acts": info.acts,
        "asks": asks,
        "annotations": metadata.get("annotations", {}),
    }


def _server(connection: Any, language: Language) -> dict[str, Any]:
    return {
        "name": connection.server.name,
        "transport": connection.server.transport,
        "address": connection.server.address,
        "trusted": connection.server.trusted,
        "health": connection.health,
        "why": connection.why[language] if connection.why else "",
        "protocol": connection.version,
        "starts": connection.starts,
        "tools": len(connection.definitions),
    }
