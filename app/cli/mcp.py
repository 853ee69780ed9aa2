"""`weiwo mcp`: Weiwo as an MCP server, over standard input and output or Streamable HTTP on loopback."""

import logging
from importlib.util import find_spec
from typing import Final

from weiwo.app.cli.errors import USAGE, CommandError
from weiwo.app.cli.event_loop import run_to_end
from weiwo.app.cli.output import hint
from weiwo.state.settings import Context, Settings

HOST: Final = "127.0.0.1"
_NAMES: Final = (HOST, "localhost", "[::1]")


def mcp_command(context: Context, *, port: int | None) -> int:
    """Serve until the client leaves, or a signal comes.

    Args:
        context: What every run of this server is given.
        port: Serve HTTP there; None: standard input and output.

    Raises:
        CommandError: The packages for it are not installed.
    """
    if find_spec("fastmcp") is None:
        raise CommandError("weiwo mcp; its packages are not installed; pip install 'weiwo[mcp]'", USAGE)
    Settings.resolve(context)  # what is wrong with the settings is said before a client waits
    logging.getLogger("fastmcp").setLevel(logging.CRITICAL + 1)  # clients are told what fails; standard error is ours
    from weiwo.app.mcp.server import build_server  # noqa: PLC0415 - heavy, and needs the extra

    server = build_server(context)
    if port is None:
        run_to_end(server.run_stdio_async(show_banner=False))
        return 0
    hint(f"MCP on http://{HOST}:{port}/mcp; Ctrl-C ends it")
    run_to_end(_serve_http(server, port))
    return 0


async def _serve_http(server: object, port: int) -> None:
    """Serve on loopback, to requests that name it: a page in a browser may not reach it by another host's name."""
    import uvicorn  # noqa: PLC0415 - needs the extra
    from starlette.applications import Starlette  # noqa: PLC0415 - the same
    from starlette.middleware import Middleware  # noqa: PLC0415 - the same
    from starlette.middleware.trustedhost import TrustedHostMiddleware  # noqa: PLC0415 - the same
    from starlette.routing import Mount  # noqa: PLC0415 - the same

    from weiwo.app.mcp.server import refuse_foreign_origins  # noqa: PLC0415 - the same

    app = server.http_app(path="/")  # type: ignore[attr-defined]
    outer = Starlette(
        routes=[Mount("/mcp", app=refuse_foreign_origins(app, _NAMES))],
        middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=[*_NAMES], www_redirect=False)],
        lifespan=app.lifespan,
    )
    config = uvicorn.Config(outer, host=HOST, port=port, log_level="critical", lifespan="on")
    listening = uvicorn.Server(config)
    try:
        await listening.serve()
    except SystemExit:
        raise CommandError(f"weiwo mcp; port {port} cannot be used; name another with --port") from None
    if not listening.started:
        raise CommandError(f"weiwo mcp; port {port} cannot be used; name another with --port")
