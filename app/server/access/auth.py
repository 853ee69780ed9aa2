"""Logins: tokens and sessions, and the routes for logging in and out and for personal model keys."""

import re
import secrets
import time
from hashlib import sha256
from html import escape
from typing import Any, Final

from starlette.requests import HTTPConnection, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from weiwo.app.records import Records
from weiwo.app.server.access.oidc import CALLBACK, Login, Oidc
from weiwo.app.server.access.profiles import user_of
from weiwo.app.server.engine import engine_of
from weiwo.app.server.errors import RequestError
from weiwo.app.server.wire import read_json, reply
from weiwo.graph.persistence.thread_lock import OPERATOR

_COOKIE: Final = "weiwo_session"
_PREFIX: Final = "weiwo_"
_LOGIN_SECONDS: Final = 30 * 86_400.0
_OIDC_LOGIN_SECONDS: Final = 86_400.0
"""A user removed at the issuer is logged out within a day."""
_FOREVER: Final = 1e12
_LONGEST: Final = 200


class Auth:
    """Tokens and logins of a server. `records`, the database, is set when the server has started."""

    def __init__(self, oidc: Oidc | None = None) -> None:
        self.records: Records | None = None
        self.oidc = oidc

    async def user(self, request: HTTPConnection) -> str | None:
        """Return the user behind a request, or None if unknown."""
        if self.records is None:
            return None
        scheme, _, bearer = request.headers.get("authorization", "").partition(" ")
        token = bearer.strip() if scheme.lower() == "bearer" else request.headers.get("x-api-key", "")
        if token:
            return await self.token_owner(token)
        if session := request.cookies.get(_COOKIE, ""):
            return await self.records.secret_owner(_digest(session), "login")
        return None

    async def token_owner(self, token: str) -> str | None:
        """Return the owner of a token, or None if the token is unknown."""
        if self.records is None or len(token) > _LONGEST:
            return None
        return await self.records.secret_owner(_digest(token), "token")

    async def open_session(self, user: str, response: Response, *, secure: bool) -> None:
        """Log a user in: store a session, and set the session cookie on the response."""
        if self.records is None:
            return
        session, seconds = secrets.token_urlsafe(32), _LOGIN_SECONDS if self.oidc is None else _OIDC_LOGIN_SECONDS
        await self.records.put_secret(_digest(session), "login", user, time.time() + seconds)
        response.set_cookie(
            _COOKIE, session, max_age=int(seconds), httponly=True, samesite="strict", secure=secure, path="/"
        )

    async def log_out(self, request: HTTPConnection, response: Response) -> None:
        """End the login of a request."""
        if self.records is not None and (session := request.cookies.get(_COOKIE, "")):
            await self.records.delete_secrets(digest=_digest(session))
        response.delete_cookie(_COOKIE, path="/")


async def new_token(records: Records, user: str = OPERATOR) -> str:
    """Create a user's token, replacing all earlier tokens and logins.

    The token itself is not stored, so it has to be shown now.
    """
    await records.delete_secrets(user=user)
    token = _PREFIX + secrets.token_urlsafe(32)
    await records.put_secret(_digest(token), "token", user, _FOREVER)
    return token


def _digest(secret: str) -> str:
    """Return the hash of a secret. The secret is random and long, so a single round is enough."""
    return sha256(secret.encode()).hexdigest()


OIDC_LOGIN: Final = "/weiwo/oidc/login"
_LOGIN_COOKIE: Final = "weiwo_oidc"
_SECONDS: Final = 600
_MODEL_KEY: Final = re.compile(r"[!-~]{8,500}")
_SHOWN: Final = 4


async def log_in(request: Request) -> Response:
    """Log in with the token in the request body. Does nothing on a server without logins.

    Raises:
        RequestError: The token is unknown.
    """
    auth: Auth | None = request.app.state.auth
    body = await read_json(request)
    response = Response(status_code=204)
    if auth is not None:
        secure = request.url.scheme == "https" or request.headers.get("x-forwarded-proto") == "https"
        user = await auth.token_owner(str(body.get("token") or ""))
        if user is None:
            raise RequestError(401, "unknown token; create one with weiwo serve --new-token")
        await auth.open_session(user, response, secure=secure)
    return response


async def log_out(request: Request) -> Response:
    """End a login."""
    auth: Auth | None = request.app.state.auth
    response = Response(status_code=204)
    if auth is not None:
        await auth.log_out(request, response)
    return response


async def begin_oidc(request: Request) -> Response:
    """Send the browser to the issuer."""
    oidc = _auth(request).oidc
    try:
        address, login = await oidc.begin()
    except RequestError as error:
        return _render_error(error)
    response = RedirectResponse(address, 302)
    response.set_cookie(_LOGIN_COOKIE, login.dump(), max_age=_SECONDS, path=CALLBACK, **_flags(secure=oidc.secure))
    return response


async def finish_oidc(request: Request) -> Response:
    """Complete the login of a browser returning from the issuer.

    The page is opened from here and not by a redirect: a navigation that another site began carries no strict cookie.
    """
    auth = _auth(request)
    try:
        user = await auth.oidc.finish(Login.load(request.cookies.get(_LOGIN_COOKIE, "")), request.query_params)
        response: Response = HTMLResponse(
            '<!doctype html><meta http-equiv="refresh" content="0;url=/"><title>Weiwo</title>'
        )
        await auth.open_session(user, response, secure=auth.oidc.secure)
    except RequestError as error:
        response = _render_error(error)
    response.delete_cookie(_LOGIN_COOKIE, path=CALLBACK, **_flags(secure=auth.oidc.secure))
    return response


def sends_to_issuer(request: Request) -> bool:
    """Report whether a visitor of the page has to log in at the issuer first."""
    auth: Auth | None = request.app.state.auth
    return auth is not None and auth.oidc is not None and not user_of(request)


def _auth(request: Request) -> Any:
    """Return the server's logins by OpenID Connect.

    Raises:
        RequestError: The server has none.
    """
    auth: Auth | None = request.app.state.auth
    if auth is None or auth.oidc is None:
        raise RequestError(404, "this server has no OpenID Connect")
    return auth


def _flags(*, secure: bool) -> Any:
    """Return the flags of the login cookie.

    The cookie is read after a navigation that the issuer's site began, so that it cannot be strict.
    """
    return {"httponly": True, "samesite": "lax", "secure": secure}


def _render_error(error: RequestError) -> Response:
    """Render a login error as an HTML page with a link for logging in again."""
    again = f'<p>{escape(error.detail)}</p><p><a href="{OIDC_LOGIN}">Log in again · 重新登录</a></p>'
    return HTMLResponse(f'<!doctype html><meta charset="utf-8"><title>Weiwo</title>{again}', error.status)


async def show_key(request: Request) -> Response:
    """Return the last characters of the user's own model key, or null without a key."""
    key = await _records(request).model_key(user_of(request))
    return reply({"key": f"…{key[-_SHOWN:]}" if key else None})


async def put_key(request: Request) -> Response:
    """Store the user's model key. The user's runs call models with the key from now on."""
    key = str((await read_json(request)).get("key") or "").strip()
    if not _MODEL_KEY.fullmatch(key):
        told = "key must have 8 to 500 letters, digits and symbols without spaces"
        raise RequestError(422, told, "密钥应为 8 至 500 个字母、数字或符号，不含空格")
    await _records(request).put_model_key(user_of(request), key)
    return await show_key(request)


async def delete_key(request: Request) -> Response:
    """Delete the user's model key. The user's runs call models with the operator's key again."""
    await _records(request).delete_model_key(user_of(request))
    return await show_key(request)


def _records(request: Request) -> Records:
    """Return the database if users log in.

    Without logins the key is that of the environment, and the route is not found.
    """
    if request.app.state.auth is None:
        told = (
            "model keys cannot be set here, because this server has no logins; set the key in the server's environment"
        )
        raise RequestError(404, told, "这里无需登录；请在服务器的环境变量中设置密钥")
    return engine_of(request).records
