"""The commands that set Weiwo up and tell what there is: models, trust, tools, servers."""

from typing import Annotated, Any

import typer

from weiwo.app.cli.errors import UsageError
from weiwo.app.cli.options import Json, takes_context
from weiwo.app.cli.text_parameters import TextCommand

setups = typer.Typer()


@setups.command(cls=TextCommand)
def trust(
    *,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    listed: Annotated[bool, typer.Option("--list", help="List the trusted folders.")] = False,
    revoke: Annotated[
        str | None, typer.Option("--revoke", metavar="FOLDER", help="Trust this folder no longer.")
    ] = None,
) -> None:
    """Show what settings of this folder's .env would do, and use them from now on."""
    from weiwo.app.cli.setup.trust import trust_command  # noqa: PLC0415 - upon need

    raise typer.Exit(trust_command(revoke, yes=yes, listed=listed))


@setups.command(cls=TextCommand)
def setup(
    *,
    model: Annotated[
        str | None, typer.Option("--model", metavar="NAME", help="The model to set up. Default: the best one found.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Look and choose; write nothing, ask nothing.")] = False,
    json: Json = False,
) -> None:
    """Find a model (Ollama, LM Studio, llama.cpp, vLLM, keys), try it with one question, and set it up."""
    from weiwo.app.cli.setup.setup import setup_command  # noqa: PLC0415 - heavy

    raise typer.Exit(setup_command(model, yes=yes, dry_run=dry_run, as_json=json))


@setups.command(cls=TextCommand)
def doctor(*, json: Json = False) -> None:
    """Tell what is set up, what is missing, and what it would add."""
    from weiwo.app.cli.setup.doctor import doctor_command  # noqa: PLC0415 - heavy

    raise typer.Exit(doctor_command(as_json=json))


@setups.command(cls=TextCommand)
@takes_context("mcp")
def tools(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="Show one tool, and what its calls taught.")
    ] = None,
    *,
    reset: Annotated[bool, typer.Option("--reset", help="Forget what the calls of NAME taught.")] = False,
    login: Annotated[
        str | None, typer.Option("--login", metavar="SERVER", help="Log in to this MCP server (OAuth) in a browser.")
    ] = None,
    json: Json = False,
    context: Any,
) -> None:
    """List the tools there are, MCP servers and their health, which may act, and how often each was used and failed."""
    from weiwo.app.cli.tools import login_command, tool_command, tools_command  # noqa: PLC0415 - heavy

    if login is not None:
        login_command(context, login)
    elif name is not None:
        tool_command(context, name, reset=reset, as_json=json)
    elif reset:
        raise UsageError("--reset needs the NAME of a tool")
    else:
        tools_command(context, as_json=json)


@setups.command(cls=TextCommand)
@takes_context("corpus", "web")
def mcp(
    *,
    http: Annotated[
        bool, typer.Option("--http", help="Serve Streamable HTTP on loopback instead of standard input and output.")
    ] = False,
    port: Annotated[int, typer.Option("--port", metavar="N", min=1, max=65535, help="With --http: the port.")] = 8765,
    context: Any,
) -> None:
    """Serve Weiwo as an MCP server: the tools ask, search and read_document."""
    from weiwo.app.cli.mcp import mcp_command  # noqa: PLC0415 - heavy

    raise typer.Exit(mcp_command(context, port=port if http else None))
