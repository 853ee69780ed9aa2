"""Access guard: checks of host, origin, login and rate before any route, and security headers.

On loopback nobody logs in, so two things that a browser does must be refused: requests from a foreign page (recognised
by the Origin) and requests to a foreign name that was made to point here (recognised by the Host: DNS rebinding).
Elsewhere every request identifies its sender, by a cookie that only our own page's requests carry, or by a token in a
header.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from weiwo.app.server.access.auth import OIDC_LOGIN, Auth
from weiwo.app.server.access.oidc import CALLBACK
from weiwo.app.server.access.profiles import LOOPBACK, USER
from weiwo.app.server.errors import RequestError
from weiwo.app.server.wire import error_reply
from weiwo.graph.persistence.thread_lock import OPERATOR

_CSP: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self';"
    " connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
_HEADERS: Final = {
    "content-security-policy": _CSP,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "x-frame-options": "DENY",
}
_READS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_OPEN: Final = ("/ok", "/ready", "/weiwo/info", "/weiwo/login", OIDC_LOGIN, CALLBACK, "/", "/page/", "/favicon.ico")
"""Paths that need no login: the page, the login itself, and the probes."""
_EXPOSED: Final = "Content-Location, Location, X-Pagination-Total, X-Pagination-Next"
_MOST_BYTES: Final = 200_000_000
_LOGIN_SECONDS: Final = 6.0
_FEEDBACK_SECONDS: Final = 30.0
"""Seconds per feedback after a burst. The rate is low because feedback is appended to a file and never deleted."""
_MOST_OPEN: Final = 200
"""Concurrent requests of a user, including open streams, on a server with logins."""
_BODY_SECONDS: Final = 30.0
_BODY_RATE: Final = 20_000
"""Bytes of a body a second that are waited for, after the seconds above."""


@dataclass(frozen=True)
class Rules:
    """Allowed hosts and origins."""

    hosts: frozenset[str] = LOOPBACK  # names by which requests may reach the server, without port; empty: any
    # Origins of other sites' pages that may use it, such as `https://smith.langchain.com`.
    origins: frozenset[str] = frozenset()


@dataclass
class _Buckets:
    """Token buckets: each client may send `burst` requests at once, and then another every `seconds` seconds."""

    burst: int  # requests at once
    seconds: float  # seconds after which one more is allowed
    _left: MutableMapping[str, tuple[float, float]] = field(default_factory=dict)

    def take(self, who: str) -> bool:
        """Count a request of a client, and report whether it is allowed."""
        now = time.monotonic()
        left, since = self._left.pop(who, (float(self.burst), now))
        left = min(float(self.burst), left + (now - since) / self.seconds)
        self._left[who] = (max(0.0, left - 1), now)
        if len(self._left) > 10_000:
            self._left.pop(next(iter(self._left)))  # the client that has been idle longest
        return left >= 1


class Guard:
    """Access middleware. Without `auth`, every request is the operator's."""

    def __init__(self, app: ASGIApp, rules: Rules, auth: Auth | None = None) -> None:
        self._app, self._rules, self._auth = app, rules, auth
        self._changes = _Buckets(200, 0.05)
        self._logins = _Buckets(5, _LOGIN_SECONDS)
        self._feedback = _Buckets(20, _FEEDBACK_SECONDS)
        self._open: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Admit or refuse a request."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return  # no route speaks WebSocket
        headers = Headers(scope=scope)
        foreign = headers.get("origin", "") in self._rules.origins

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                answered = MutableHeaders(scope=message)
                mark_response(answered)
                if foreign:
                    answered["access-control-allow-origin"] = headers["origin"]
                    answered["access-control-expose-headers"] = _EXPOSED
                    answered.add_vary_header("Origin")
                else:
                    answered["cross-origin-resource-policy"] = "same-origin"
            await send(message)

        try:
            self._check_host(headers)
            self._check_origin(scope, headers, foreign=foreign)
            if scope["method"] == "OPTIONS" and foreign:
                await _preflight(headers)(scope, receive, send_with_headers)
                return
            scope[USER] = await self._user(scope)
            self._check_rate(scope)
        except RequestError as error:
            await error_reply(error, headers)(scope, receive, send_with_headers)
            return
        who = scope[USER] or (scope.get("client") or ("", 0))[0]
        self._open[who] += 1
        try:
            await self._app(scope, _limit_body_time(receive), send_with_headers)
        finally:
            self._open[who] -= 1
            if not self._open[who]:
                del self._open[who]

    def _check_host(self, headers: Mapping[str, str]) -> None:
        host = headers.get("host", "")
        if self._rules.hosts and _host_of(f"//{host}") not in self._rules.hosts:
            raise RequestError(
                421,
                f"host {host[:80]!a} is not allowed, because this server only answers to localhost; use its "
                "own address",
            )
        size = headers.get("content-length", "0")
        if not (size.isascii() and size.isdecimal()) or int(size[:15]) > _MOST_BYTES:
            raise RequestError(413, f"the request body is larger than {_MOST_BYTES:,} bytes; send less")

    def _check_origin(self, scope: Scope, headers: Mapping[str, str], *, foreign: bool) -> None:
        origin, host = headers.get("origin"), headers.get("host", "")
        if foreign:
            return
        if origin is not None and not (origin.startswith(("http://", "https://")) and _netloc_of(origin) == host):
            raise RequestError(403, f"origin {origin[:80]!a} is not allowed; to allow it, set WEIWO_ORIGINS")
        if scope["method"] not in _READS and headers.get("sec-fetch-site", "none") not in {"same-origin", "none"}:
            raise RequestError(403, "requests from pages of other sites are not allowed; open the page of this server")

    async def _user(self, scope: Scope) -> str:
        if self._auth is None:
            return OPERATOR
        user = await self._auth.user(HTTPConnection(scope))
        if user is not None:
            return user
        path = scope["path"]
        if path in _OPEN or path.startswith("/page/"):
            return ""
        raise RequestError(401, "not logged in; log in on the page, or send Authorization: Bearer")

    def _check_rate(self, scope: Scope) -> None:
        client = (scope.get("client") or ("", 0))[0]
        if self._auth is not None and self._open[scope[USER] or client] >= _MOST_OPEN:
            told = f"you already have {_MOST_OPEN} open requests; close some of them"
            raise RequestError(429, told, f"您已有 {_MOST_OPEN} 个打开的请求；请先结束一些")
        if scope["path"] in {"/weiwo/login", CALLBACK}:
            if not self._logins.take(client):
                raise RequestError(429, "too many login attempts; wait a minute", "登录次数过多；请一分钟后再试")
        elif scope["method"] not in _READS and scope["path"].endswith("/feedback"):
            if not self._feedback.take(scope[USER] or client):
                raise RequestError(429, "too much feedback; wait a minute", "反馈过于频繁；请一分钟后再试")
        elif scope["method"] not in _READS and not self._changes.take(scope[USER] or client):
            raise RequestError(429, "too many requests; wait a moment", "请求过于频繁；请稍后再试")


def _limit_body_time(receive: Receive) -> Receive:
    """Wrap `receive` with a time limit on the request body.

    The limit grows with the size of the body. A client that sends slowly cannot hold a connection.
    """
    waited, received, more = 0.0, 0, True

    async def receive_within_time() -> Message:
        nonlocal waited, received, more
        if not more:
            return await receive()
        began = time.monotonic()
        try:
            async with asyncio.timeout(_BODY_SECONDS + received / _BODY_RATE - waited):
                message = await receive()
        except TimeoutError:
            told = "the request body arrived too slowly; send it again"
            raise RequestError(408, told, "请求内容传得太慢；请重新发送") from None
        waited += time.monotonic() - began
        received += len(message.get("body", b""))
        more = bool(message.get("more_body")) and message["type"] == "http.request"
        return message

    return receive_within_time


def mark_response(headers: MutableHeaders) -> None:
    """Set the security headers of a response, to allow browsers nothing but our own content."""
    for name, value in _HEADERS.items():
        headers.setdefault(name, value)
    headers.setdefault("cache-control", "no-store")


def read_origins(text: str) -> frozenset[str]:
    """Parse the comma-separated origins of `WEIWO_ORIGINS`.

    Raises:
        RequestError: An entry is no origin.
    """
    origins = [part.strip().rstrip("/") for part in text.split(",") if part.strip()]
    for origin in origins:
        scheme, _, place = origin.partition("://")
        if scheme not in {"http", "https"} or not place or _netloc_of(origin) != place:
            raise RequestError(
                400, f"WEIWO_ORIGINS: {origin[:80]!a} is not an origin; use the form http://localhost:3000"
            )
    return frozenset(origins)


def _host_of(url: str) -> str:
    try:
        return (urlsplit(url).hostname or "").lower()
    except ValueError:
        return ""


def _netloc_of(url: str) -> str | None:
    try:
        return urlsplit(url).netloc
    except ValueError:
        return None


def _preflight(headers: Mapping[str, str]) -> Response:
    """Return the response to a CORS preflight request from an allowed origin."""
    asked = headers.get("access-control-request-headers", "")
    allowed = {
        "access-control-allow-methods": "GET, POST, PUT, PATCH, DELETE",
        "access-control-allow-headers": asked if asked.isprintable() else "",
        "access-control-allow-private-network": "true",
        "access-control-max-age": "600",
    }
    return Response(status_code=204, headers=allowed)
