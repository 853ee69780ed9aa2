"""`weiwo tools`: the tools of a run, MCP servers and server health, and the tools with side effects."""

import logging
import webbrowser
from collections.abc import Mapping
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from rich.text import Text

from weiwo.app.cli.errors import CommandError, UsageError
from weiwo.app.cli.event_loop import run_to_end
from weiwo.app.cli.help_command import PanelCommand
from weiwo.app.cli.options import Json, takes_context
from weiwo.app.cli.output import hint, page, write_json
from weiwo.app.render.labels import system_language
from weiwo.app.render.text_wrapping import Flow
from weiwo.nodes.memory.memory_store import local_user
from weiwo.state import Language
from weiwo.state.settings import Settings
from weiwo.text.localization import localized_section
from weiwo.text.printable import one_line, redact_secrets
from weiwo.tools.tool_info import TypeNames
from weiwo.tools.usage.tool_notes import ToolUsage
from weiwo.tools.usage.usage_log import UsageLog

app = typer.Typer()

_LONGEST_LINE: Final = 200
_WORDS: Final = localized_section("cli.tools")
"""Words of the list. Descriptions by tools and servers are not translated."""


@app.command(cls=PanelCommand)
@takes_context("mcp")
def tools(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="Show one tool and the notes from its calls.")
    ] = None,
    *,
    reset: Annotated[bool, typer.Option("--reset", help="Forget the notes from the calls of NAME.")] = False,
    login: Annotated[
        str | None, typer.Option("--login", metavar="SERVER", help="Log in to this MCP server (OAuth) in a browser.")
    ] = None,
    json: Json = False,
    context: Any,
) -> None:
    """List tools and MCP servers with health, use and failures."""
    settings = Settings.resolve(context)
    if login is not None:
        _log_in(settings, login)
    elif name is not None:
        _show_tool(settings, name, reset=reset, as_json=json)
    elif reset:
        raise UsageError("--reset needs the NAME of a tool")
    else:
        found = _gather(settings, "en" if json else system_language())
        write_json(found) if json else _print(found)


def _show_tool(settings: Settings, name: str, *, reset: bool, as_json: bool) -> None:
    """Show a tool and the lessons from past calls, or forget the lessons.

    Raises:
        UsageError: There is no such tool.
        CommandError: The lessons cannot be forgotten.
    """
    found = {tool["name"]: tool for tool in _gather(settings)["tools"]}
    if name not in found:
        raise UsageError(f"there is no tool {one_line(name, 60)!r}; weiwo tools lists all tools")
    if reset:
        if not _usage_log(settings).reset(name):
            raise CommandError(f"the notes of {name} cannot be reset, because {settings.home} is not writable")
        found = {tool["name"]: tool for tool in _gather(settings)["tools"]}
    if as_json:
        write_json(found[name])
    else:
        _print_one(found[name])


def _log_in(settings: Settings, name: str) -> None:
    """Log in to an MCP server in a browser. The tokens are kept for later runs.

    Raises:
        SettingsError: The file of servers cannot be used.
        UsageError: The file has no server with this name, or the server needs no login.
        CommandError: The login failed.
    """
    if not settings.mcp or find_spec("fastmcp") is None:
        raise UsageError("--login needs --mcp FILE (or WEIWO_MCP), and the package extra: pip install 'weiwo[mcp]'")
    from weiwo.tools.mcp.oauth import log_in
    from weiwo.tools.mcp.servers import read_servers
    from weiwo.tools.mcp.transport import make_transport

    server = next((item for item in read_servers(settings.mcp) if item.name == name), None)
    if server is None or server.oauth is None:
        raise UsageError(f'{settings.mcp} has no server {one_line(name, 60)!r} with "auth": "oauth"')

    for logger in ("fastmcp", "mcp"):
        logging.getLogger(logger).setLevel(logging.CRITICAL + 1)  # what fails is told in a line

    def show(url: str) -> None:
        hint(f"log in to {name} at {url}")
        webbrowser.open(url)

    try:
        tools = run_to_end(log_in(server, make_transport(server, show)))
    except Exception as error:  # whatever the client or the server does wrong
        raise CommandError(
            f"the login to {name} failed: {one_line(redact_secrets(str(error), server.secrets), 200)}"
        ) from error
    hint(f"logged in to {name}: {tools} tools")


def _usage_log(settings: Settings) -> UsageLog:
    return UsageLog(Path(settings.home), local_user(settings))


def _gather(settings: Settings, language: Language = "en") -> dict[str, Any]:
    """Collect the tools and servers, with the successes and failures of this user's calls.

    Clients of a server are not shown these.
    """
    from weiwo.tools.registry import list_tools

    found = run_to_end(list_tools(settings, language))
    usage = _usage_log(settings).read()
    for tool in found["tools"]:
        known = usage.get(tool["name"], ToolUsage())
        notes = [asdict(version) for version in known.versions]
        tool["usage"] = {"calls": known.calls, "failures": dict(known.failures), "notes": notes}
    return found


def _print(found: dict[str, Any]) -> None:
    console, words = page(), _WORDS[system_language()]
    for server in found["servers"]:
        line = Text(f"{server['name']} ", "bold").append(f"{server['transport']} {server['address']} · ", "not bold")
        line.append(words[server["health"]], "green" if server["health"] == "up" else "red")
        more = words["tools"].format(server["tools"]) if server["health"] == "up" else one_line(server["why"], 200)
        console.print(Flow(line.append(f" · {more}", "not bold")))
    for tool in found["tools"]:
        mark = "missing" if not tool["available"] else "asks" if tool["asks"] else "acts" if tool["acts"] else ""
        line = Text(tool["name"], "bold").append(words.get(mark, "") + words["colon"], "yellow" if mark else "not bold")
        said = tool["why_not"] or tool["description"]
        line.append(one_line(said, _LONGEST_LINE), "not bold").append(
            _describe_usage(tool["usage"], words), "not bold dim"
        )
        console.print(Flow(line))
    for problem in found["problems"]:
        console.print(Flow(Text(problem, "yellow")))


def _describe_usage(usage: dict[str, Any], words: Mapping[str, str]) -> str:
    """Describe the use and the failures of a tool. Returns an empty string for an unused tool."""
    failures = ", ".join(f"{count} {kind}" for kind, count in usage["failures"].items())
    used = words["used"].format(f"{usage['calls']:,}") + (words["failed"].format(failures) if failures else "")
    return used if usage["calls"] else ""


def _print_one(tool: dict[str, Any]) -> None:
    console, words = page(), _WORDS[system_language()]
    said = tool["why_not"] or one_line(tool["description"], 2_000)
    line = f"{words['colon']}{said}{_describe_usage(tool['usage'], words)}"
    console.print(Flow(Text(tool["name"], "bold").append(line, "not bold")))
    types = TypeNames(tool["arguments"].get("$defs"))
    for line in types.describe_fields(tool["arguments"]["properties"], tool["arguments"]["required"], 0):
        console.print(Flow(Text(f"  {line}")))
    for note in tool["usage"]["notes"]:
        state = words["note"].format(note["number"], words[note["state"]], note["calls"], note["refused"])
        console.print(Flow(Text(f"  {state}", "yellow").append(note["text"], "not bold default")))
