"""ASGI application of `weiwo serve`: routes, lifespan and error responses."""

import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, Final

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response

from weiwo.app.server.access.auth import Auth
from weiwo.app.server.engine import open_engine
from weiwo.app.server.errors import RequestError, describe_outside
from weiwo.app.server.mcp_mount import mcp_routes
from weiwo.app.server.routes import LANGGRAPH_API, OPENAI_API, OPERATION, PAGE, WEIWO_API
from weiwo.app.server.wire import error_reply, reply
from weiwo.app.session.memory_listing import describe_left_watches
from weiwo.graph.persistence.thread_lock import OPERATOR
from weiwo.state.errors import WeiwoError
from weiwo.text.printable import one_line, redact_secrets

_log: Final = logging.getLogger(__name__)


def create_app(graph_options: Mapping[str, Any] | None = None, auth: Auth | None = None) -> Starlette:
    """Create the application, which the caller wraps in `Guard`. Without `auth` there is no login.

    The lifespan opens the databases.
    """
    mcp, serving_mcp = mcp_routes(lambda: application.state.engine)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            try:
                engine = await stack.enter_async_context(open_engine(logins=auth is not None, **(graph_options or {})))
            except WeiwoError as error:
                app.state.failure = error  # kept for `serve`, because uvicorn does not pass the error on
                raise
            await stack.enter_async_context(serving_mcp)  # later: its task group would wrap what the engine raises
            app.state.engine = engine
            app.state.auth = auth
            if auth is not None:
                auth.records = engine.records
            memory = engine.memory(OPERATOR)
            if memory is not None and (told := await describe_left_watches(memory, "en")):
                _log.warning(told)  # an earlier version left standing questions
            yield

    application = Starlette(
        routes=[*mcp, *LANGGRAPH_API, *OPERATION, *OPENAI_API, *WEIWO_API, *PAGE],
        exception_handlers={**ERRORS, 404: _refuse_unknown_route, 405: _refuse_unknown_route, Exception: _break},
        lifespan=lifespan,
    )
    return application


def _refuse(request: Request, error: Exception) -> Response:
    return error_reply(error if isinstance(error, RequestError) else RequestError(400, str(error)), request.headers)


def _fail(_: Request, error: Exception) -> Response:
    """Respond to an external failure, for example of a database. The log has the whole line."""
    _log.error("%s", redact_secrets(one_line(str(error), 500)))
    return reply({"detail": describe_outside(error)}, 500)


def _refuse_unknown_route(request: Request, _: Exception) -> Response:
    place = f"{request.method} {one_line(request.url.path, 200)}"
    return _refuse(request, RequestError(404, f"{place} is not a route of this server", f"{place}：没有这个地址"))


def _break(request: Request, error: Exception) -> Response:
    """Respond to an internal error. The log names the error, without the question."""
    _log.error("%s %s: %s", request.method, one_line(request.url.path, 200), redact_secrets(type(error).__name__))
    told = RequestError(500, "Internal server error; see the server's log", "服务器出错；详情见服务器日志")
    return _refuse(request, told)


ERRORS: Final[Mapping[Any, Any]] = {RequestError: _refuse, WeiwoError: _fail}
"""Handlers that turn Weiwo's own errors into responses."""
