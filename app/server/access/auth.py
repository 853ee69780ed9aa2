"""Tokens and logins: a token is shown once, when it is made; what is kept is its hash.

A client sends a token as `Authorization: Bearer` or `x-api-key`. The page logs in with it once and has a cookie, which
no script can read and no other site's request carries.
"""

import secrets
import time
from hashlib import sha256
from typing import Final

from starlette.requests import HTTPConnection
from starlette.responses import Response

from weiwo.app.server.access.oidc import Oidc
from weiwo.app.server.storage.records import Records
from weiwo.graph.persistence.thread_lock import OPERATOR

_COOKIE: Final = "weiwo_session"
_PREFIX: Final = "weiwo_"
_LOGIN_SECONDS: Final = 30 * 86_400.0
_OIDC_LOGIN_SECONDS: Final = 86_400.0
"""Whom an issuer knows no more is out within a day."""
_FOREVER: Final = 1e12
_LONGEST: Final = 200


class Auth:
    """The tokens and logins of a server.

    Args:
        oidc: Where users log in, if not with tokens alone.

    Attributes:
        records: Where they are kept; set when the server has started.
    """

    def __init__(self, oidc: Oidc | None = None) -> None:
        self.records: Records | None = None
        self.oidc = oidc

    async def user(self, request: HTTPConnection) -> str | None:
        """Who sends a request; None: nobody that is known."""
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
        """The user whose token it is."""
        if self.records is None or len(token) > _LONGEST:
            return None
        return await self.records.secret_owner(_digest(token), "token")

    async def log_in(self, token: str, response: Response, *, secure: bool) -> str | None:
        """Give a response the cookie of a login; the user, or None where the token is nobody's."""
        user = await self.token_owner(token)
        if user is not None:
            await self.open_session(user, response, secure=secure)
        return user

    async def open_session(self, user: str, response: Response, *, secure: bool) -> None:
        """Give a response the cookie of a login."""
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
    """Make a user's token, in place of any earlier one; it is not kept, so it is to be shown now."""
    await records.delete_secrets(user=user)
    token = _PREFIX + secrets.token_urlsafe(32)
    await records.put_secret(_digest(token), "token", user, _FOREVER)
    return token


def _digest(secret: str) -> str:
    """The hash of a secret; it is random and long, so that one round is enough."""
    return sha256(secret.encode()).hexdigest()
