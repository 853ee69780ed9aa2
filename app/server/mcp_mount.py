"""`/mcp`: Weiwo as an MCP server over Streamable HTTP, where the extra `mcp` is installed."""

from contextlib import AbstractAsyncContextManager, nullcontext
from importlib.util import find_spec
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from weiwo.app.server.errors import RequestError
from weiwo.state.settings import Context


async def missing(_: Request) -> Response:
    """What is said where the extra is not installed."""
    raise RequestError(501, "/mcp; its packages are not installed; pip install 'weiwo[mcp]'")


def mcp_routes() -> tuple[list[BaseRoute], AbstractAsyncContextManager[Any]]:
    """The routes, and what is to be open while they are served."""
    if find_spec("fastmcp") is None:
        return [Route("/mcp", missing, methods=["GET", "POST", "DELETE"])], nullcontext()
    from weiwo.app.mcp.server import build_server  # noqa: PLC0415 - heavy, and needs the extra

    app = build_server(Context()).http_app(path="/mcp")
    return [Route("/mcp", endpoint=app)], app.lifespan(app)
