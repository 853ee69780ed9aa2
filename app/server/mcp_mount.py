"""`/mcp`: Weiwo as an MCP server over Streamable HTTP, where the extra `mcp` is installed."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from weiwo.app.mcp.runs import NOBODY_ASKED
from weiwo.app.server.access.profiles import run_defaults, user_of
from weiwo.app.server.engine import Engine
from weiwo.app.server.errors import RequestError
from weiwo.state.settings import Context


async def refuse_without_mcp(_: Request) -> Response:
    """Refuse every request, because the extra `mcp` is not installed.

    Raises:
        RequestError: Always, with status 501.
    """
    raise RequestError(501, "/mcp needs more packages; run pip install 'weiwo[mcp]'")


class _UserAccount:
    """Account of a server user: documents, limits and day budget, as for the user's further runs."""

    def __init__(self, user: str, engine: Engine) -> None:
        self.user, self._settings, self._runs = user, engine.settings, engine.runs

    @asynccontextmanager
    async def open(self, asked: Context, *, question: bool) -> AsyncIterator[None]:
        """Context manager to apply the user's settings and count the spending. A `question` counts towards the day.

        Raises:
            RequestError: Nothing is left of the user's day.
            SettingsError: The user's profile cannot be used.
        """
        if question:
            await self._runs.budgets.admit(self.user, asks=True)
        defaults = await asyncio.to_thread(run_defaults, Path(self._settings.home), self.user)
        async with self._runs.account(self.user, asked, defaults.model_copy(update=NOBODY_ASKED)):
            yield

    def hold_slot(self) -> AbstractAsyncContextManager[None]:
        """Context manager for a running request within the slots of the server and the user's share.

        Raises:
            RequestError: The user, or all users together, have too many requests in progress.
        """
        return self._runs.hold_slot(self.user)


def mcp_routes(engine: Callable[[], Engine]) -> tuple[list[BaseRoute], AbstractAsyncContextManager[Any]]:
    """Return the MCP routes, and the context manager to keep open while serving."""
    if find_spec("fastmcp") is None:
        return [Route("/mcp", refuse_without_mcp, methods=["GET", "POST", "DELETE"])], nullcontext()
    from fastmcp.server.dependencies import get_http_request

    from weiwo.app.mcp.server import build_server

    def account() -> _UserAccount:
        return _UserAccount(user_of(get_http_request()), engine())

    # Without sessions: each request says whose it is, and none leaves anything behind.
    app = build_server(Context(), account).http_app(path="/mcp", stateless_http=True)
    return [Route("/mcp", endpoint=app)], app.lifespan(app)
