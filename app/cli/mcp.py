"""`weiwo mcp`: Weiwo as an MCP server, over standard input and output or Streamable HTTP on loopback."""

import logging
from importlib.util import find_spec
from typing import Annotated, Any, Final

import typer
import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.routing import Mount

from weiwo.app.cli.errors import USAGE, CommandError
from weiwo.app.cli.event_loop import run_to_end
from weiwo.app.cli.help_command import PanelCommand
from weiwo.app.cli.options import takes_context
from weiwo.app.cli.output import hint
from weiwo.state.settings import Settings

app = typer.Typer()
_IDLE_SECONDS: Final = 900.0
"""Seconds after which the session of an idle client ends."""
_HOST: Final = "127.0.0.1"
_NAMES: Final = (_HOST, "localhost", "[::1]")


@app.command(cls=PanelCommand)
@takes_context("corpus", "web")
def mcp(
    *,
    http: Annotated[
        bool, typer.Option("--http", help="Serve Streamable HTTP on loopback instead of standard input and output.")
    ] = False,
    port: Annotated[int, typer.Option("--port", metavar="N", min=1, max=65535, help="With --http: the port.")] = 8765,
    context: Any,
) -> None:
    """Serve Weiwo as an MCP server: ask, search and read_document."""
    if find_spec("fastmcp") is None:
        raise CommandError("weiwo mcp needs more packages; run pip install 'weiwo[mcp]'", USAGE)
    Settings.resolve(context)  # what is wrong with the settings is said before a client waits
    logging.getLogger("fastmcp").setLevel(logging.CRITICAL + 1)  # clients are told what fails; standard error is ours
    from weiwo.app.mcp.server import build_server

    server = build_server(context)
    if not http:
        run_to_end(server.run_stdio_async(show_banner=False))
        return
    hint(f"MCP on http://{_HOST}:{port}/mcp; press Ctrl-C to stop")
    run_to_end(_serve_http(server, port))


async def _serve_http(server: object, port: int) -> None:
    """Serve on loopback, only for requests with a loopback host name.

    A web page in a browser therefore cannot reach the server through another host's name.
    """
    from weiwo.app.mcp.server import refuse_foreign_origins

    inner = server.http_app(path="/", session_idle_timeout=_IDLE_SECONDS)  # type: ignore[attr-defined]
    outer = Starlette(
        routes=[Mount("/mcp", app=refuse_foreign_origins(inner, _NAMES))],
        middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=[*_NAMES], www_redirect=False)],
        lifespan=inner.lifespan,
    )
    config = uvicorn.Config(outer, host=_HOST, port=port, log_level="critical", lifespan="on")
    listening = uvicorn.Server(config)
    try:
        await listening.serve()
    except SystemExit:
        raise CommandError(f"weiwo mcp cannot use port {port}; choose another with --port") from None
    if not listening.started:
        raise CommandError(f"weiwo mcp cannot use port {port}; choose another with --port")
