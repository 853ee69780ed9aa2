"""`weiwo tools`: the tools a run would have, MCP servers and their health, and which of them may act."""

from typing import Any

from rich.text import Text

from weiwo.app.cli.event_loop import run_to_end
from weiwo.app.cli.output import page, write_json
from weiwo.app.render.text_wrapping import Flow
from weiwo.state.settings import Context, Settings
from weiwo.tools.printable import one_line
from weiwo.tools.tool_info import ToolInfo

_LONGEST_LINE = 200


def tools_command(context: Context, *, as_json: bool) -> int:
    """List tools and servers; returns the exit code.

    Raises:
        SettingsError: The tools, or the file of servers, cannot be used.
    """
    settings = Settings.resolve(context)
    found = run_to_end(gather_tools(settings))
    if as_json:
        write_json(found)
    else:
        _print(found)
    return 0


async def gather_tools(settings: Settings) -> dict[str, Any]:
    """The tools a run would have, and the MCP servers, as `weiwo tools --json` prints them."""
    from weiwo.tools.registry import build_registry  # noqa: PLC0415 - heavy

    registry = await build_registry(settings)
    servers = []
    if settings.mcp:
        from weiwo.tools.mcp.loading import load_mcp_tools  # noqa: PLC0415 - needs the extra

        servers = [_server(one) for one in (await load_mcp_tools(settings.mcp)).connections]
    asks = {one.name for one in registry.infos() if one.acts and _is_asked(one, settings)}
    tools = [_tool(one, registry, asks=one.name in asks) for one in registry.infos()]
    return {"tools": tools, "servers": servers, "problems": list(registry.problems)}


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


def _server(connection: Any) -> dict[str, Any]:
    return {
        "name": connection.server.name,
        "transport": connection.server.transport,
        "address": connection.server.address,
        "trusted": connection.server.trusted,
        "health": connection.health,
        "why": connection.why,
        "protocol": connection.version,
        "starts": connection.starts,
        "tools": len(connection.definitions),
    }


def _print(found: dict[str, Any]) -> None:
    console = page()
    for server in found["servers"]:
        line = Text(f"{server['name']} ", "bold").append(f"{server['transport']} {server['address']} · ", "not bold")
        line.append(server["health"], "green" if server["health"] == "up" else "red")
        more = f" · {server['tools']} tools" if server["health"] == "up" else f" · {one_line(server['why'], 200)}"
        console.print(Flow(line.append(more, "not bold")))
    for tool in found["tools"]:
        mark = " (not available)" if not tool["available"] else " (acts, asks first)" if tool["asks"] else ""
        mark = mark or (" (acts)" if tool["acts"] else "")
        line = Text(tool["name"], "bold").append(f"{mark}: ", "yellow" if mark else "not bold")
        said = tool["why_not"] or tool["description"]
        console.print(Flow(line.append(one_line(said, _LONGEST_LINE), "not bold")))
    for problem in found["problems"]:
        console.print(Flow(Text(problem, "yellow")))
