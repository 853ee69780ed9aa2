"""Routes for logging in and out, with a token or at an OpenID Connect issuer; and for a user's own model key.

The key goes to the endpoint that the operator set, in place of the operator's, for its user's runs; it is shown by its
last characters alone. It is kept in the server's database, which only the server's account may read, and stands in no
thread, event, log or error.
"""

import re
from html import escape
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from weiwo.app.server.access.auth import Auth
from weiwo.app.server.access.oidc import CALLBACK, Login
from weiwo.app.server.access.profiles import user_of
from weiwo.app.server.engine import engine_of
from weiwo.app.server.errors import RequestError
from weiwo.app.server.storage.records import Records
from weiwo.app.server.wire import read_json, reply

OIDC_LOGIN: Final = "/weiwo/oidc/login"
_COOKIE: Final = "weiwo_oidc"
_SECONDS: Final = 600
_MODEL_KEY: Final = re.compile(r"[!-~]{8,500}")
_SHOWN: Final = 4


async def log_in(request: Request) -> Response:
    """Log in with a token."""
    auth: Auth | None = request.app.state.auth
    body = await read_json(request)
    response = Response(status_code=204)
    if auth is not None:
        secure = request.url.scheme == "https" or request.headers.get("x-forwarded-proto") == "https"
        user = await auth.log_in(str(body.get("token") or ""), response, secure=secure)
        if user is None:
            raise RequestError(401, "the token; it is nobody's; see weiwo serve --new-token")
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
        return _told(error)
    response = RedirectResponse(address, 302)
    response.set_cookie(_COOKIE, login.dump(), max_age=_SECONDS, path=CALLBACK, **_flags(secure=oidc.secure))
    return response


async def finish_oidc(request: Request) -> Response:
    """Take the browser that the issuer sent back, and log its user in.

    The page is opened from here and not by a redirect: a navigation that another site began carries no strict cookie.
    """
    auth = _auth(request)
    try:
        user = await auth.oidc.finish(Login.load(request.cookies.get(_COOKIE, "")), request.query_params)
        response: Response = HTMLResponse(
            '<!doctype html><meta http-equiv="refresh" content="0;url=/"><title>Weiwo</title>'
        )
        await auth.open_session(user, response, secure=auth.oidc.secure)
    except RequestError as error:
        response = _told(error)
    response.delete_cookie(_COOKIE, path=CALLBACK, **_flags(secure=auth.oidc.secure))
    return response


def sends_to_issuer(request: Request) -> bool:
    """Whether whoever opens the page is to log in at the issuer first."""
    auth: Auth | None = request.app.state.auth
    return auth is not None and auth.oidc is not None and not user_of(request)


def _auth(request: Request) -> Any:
    auth: Auth | None = request.app.state.auth
    if auth is None or auth.oidc is None:
        raise RequestError(404, "the route; this server has no OpenID Connect")
    return auth


def _flags(*, secure: bool) -> Any:
    """The cookie is read after a navigation that the issuer's site began, so that it cannot be strict."""
    return {"httponly": True, "samesite": "lax", "secure": secure}


def _told(error: RequestError) -> Response:
    """An error, for a person who came by a link."""
    again = f'<p>{escape(error.detail)}</p><p><a href="{OIDC_LOGIN}">Log in again · 重新登录</a></p>'
    return HTMLResponse(f'<!doctype html><meta charset="utf-8"><title>Weiwo</title>{again}', error.status)


async def show_key(request: Request) -> Response:
    """The last characters of the user's key; null where he has none."""
    key = await _records(request).model_key(user_of(request))
    return reply({"key": f"…{key[-_SHOWN:]}" if key else None})


async def put_key(request: Request) -> Response:
    """Keep the user's key: his runs ask models with it from now on."""
    key = str((await read_json(request)).get("key") or "").strip()
    if not _MODEL_KEY.fullmatch(key):
        told = "key; it is none; give 8 to 500 letters, digits and signs without blanks"
        raise RequestError(422, told, "这不是密钥；应为 8 至 500 个不含空格的字母、数字或符号")
    await _records(request).put_model_key(user_of(request), key)
    return await show_key(request)


async def delete_key(request: Request) -> Response:
    """Forget the user's key: his runs ask with the operator's again."""
    await _records(request).delete_model_key(user_of(request))
    return await show_key(request)


def _records(request: Request) -> Records:
    """The database, where users log in; without logins, the key is that of the environment."""
    if request.app.state.auth is None:
        told = "the route; nobody logs in here; set the key in the server's environment"
        raise RequestError(404, told, "这里无需登录；请在服务器的环境变量中设置密钥")
    return engine_of(request).records
