"""ASGI application for `http.app` of `langgraph.json`, extended by the host with routes and lifespan.

Every client of the host's API may use the routes here: the host is asked first, with the request's own credentials.
Routes for the operator alone (settings, corpora) and routes that need the graph itself (forks) stay with `weiwo serve`.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module
from importlib.util import find_spec
from typing import Final

from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from weiwo.app.server.access.guard import mark_response
from weiwo.app.server.access.profiles import USER
from weiwo.app.server.application import ERRORS
from weiwo.app.server.errors import RequestError
from weiwo.app.server.hosted.backend import HostBackend
from weiwo.app.server.routes import OPENAI_API, PAGE, WEIWO_API
from weiwo.app.server.wire import error_reply
from weiwo.state.settings import Settings

_SERVED: Final = frozenset(
    {
        "/weiwo/info",
        "/weiwo/corpora",
        "/weiwo/tools",
        "/weiwo/threads/{thread_id}",
        "/weiwo/threads/{thread_id}/passages/{n}",
        "/weiwo/threads/{thread_id}/export",
        "/weiwo/threads/{thread_id}/feedback",
        "/weiwo/threads/{thread_id}/plan/check",
    }
)
"""The routes of Weiwo's own API that a host's clients may use; a new one is not served unless it is named here."""
_CLIENT: Final = "client"
"""User name of every request. The host authenticates the sender, who never counts as the operator here."""


class _Guest:
    """Middleware of each hosted route: asks the host for permission, and sets security headers.

    Args:
        app: The route.
        free: Whether everybody may use the route, as for the page's files.
    """

    def __init__(self, app: ASGIApp, *, free: bool) -> None:
        self._app, self._free = app, free

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Admit or refuse a request."""
        scope[USER] = _CLIENT

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                mark_response(MutableHeaders(scope=message))
            await send(message)

        if not self._free:
            try:
                await scope["app"].state.engine.admit(Request(scope))
            except RequestError as error:
                await error_reply(error, Headers(scope=scope))(scope, receive, send_with_headers)
                return
        await self._app(scope, receive, send_with_headers)


def _guests() -> list[BaseRoute]:
    """Return the routes available here, each behind separate middleware.

    The routes of the host are not touched.
    """
    own = [*OPENAI_API, *(item for item in WEIWO_API if isinstance(item, Route) and item.path in _SERVED)]
    routes: list[BaseRoute] = [
        Route(item.path, item.endpoint, methods=[*(item.methods or ())], middleware=[Middleware(_Guest, free=False)])
        for item in own
        if isinstance(item, Route)
    ]
    for entry in PAGE:
        free = [Middleware(_Guest, free=True)]
        if isinstance(entry, Mount):
            routes.append(Mount(entry.path, entry.app, middleware=free))
        elif isinstance(entry, Route):
            routes.append(Route(entry.path, entry.endpoint, middleware=free))
    return routes


@asynccontextmanager
async def _lifespan(app: Starlette) -> AsyncIterator[None]:
    app.state.engine, app.state.auth = HostBackend(Settings.resolve()), None
    yield


def _application() -> type[Starlette]:
    """Return the application class: FastAPI if installed, else Starlette.

    Aegra, which brings FastAPI, accepts no other application.
    """
    if find_spec("fastapi") is None:
        return Starlette
    kind: type[Starlette] = import_module("fastapi").FastAPI
    return kind


app: Final = _application()(routes=_guests(), exception_handlers=ERRORS, lifespan=_lifespan)
