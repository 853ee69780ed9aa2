"""OpenID Connect: the authorization code flow with PKCE (extra `oidc`).

The ID token is verified by the issuer's keys. The secrets of a login (state, nonce, code verifier) are kept for ten
minutes in a cookie of the browser that began the login.
"""

import os
import secrets
import time
from base64 import urlsafe_b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from importlib.util import find_spec
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode, urlsplit

import httpx
import orjson

from weiwo.app.server.access.profiles import is_loopback
from weiwo.app.server.errors import RequestError
from weiwo.graph.persistence.thread_lock import OPERATOR
from weiwo.state.errors import WeiwoError
from weiwo.text.printable import one_line

CALLBACK: Final = "/weiwo/oidc/callback"
_ALGORITHMS: Final = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
"""Asymmetric algorithms only. `none` and HMAC would let a holder of the public key forge a token."""
_MOST_BYTES: Final = 1_000_000
_TIMEOUT: Final = httpx.Timeout(10)
_LONGEST_SUB: Final = 255
_LEEWAY_SECONDS: Final = 60
_KEYS_SECONDS: Final = 3_600.0
_RENEW_SECONDS: Final = 60.0
"""Least seconds between two fetches of the issuer's keys for the sake of an unknown key."""


class OidcError(WeiwoError):
    """OpenID Connect is set up incorrectly. The message is a line with problem, reason and remedy."""


@dataclass(frozen=True)
class OidcSettings:
    """Settings of this server as a client of an issuer."""

    issuer: str  # the issuer's address, as its ID tokens name it
    client_id: str
    client_secret: str = ""  # empty for a public client, which PKCE protects
    public_url: str = ""  # the address by which browsers reach this server
    operator: str = ""  # the operator's verified e-mail address if it has an @, else the operator's `sub` claim

    @classmethod
    def of(cls, env: Mapping[str, str] = os.environ) -> "OidcSettings":
        """Read the environment.

        Raises:
            OidcError: A variable is missing or malformed, or the library is not installed.
        """
        if find_spec("jwt") is None or find_spec("cryptography") is None:
            raise OidcError("WEIWO_AUTH=oidc needs more packages; run pip install 'weiwo[oidc]'")
        given = {name: env.get(f"WEIWO_OIDC_{name.upper()}", "").strip() for name in cls.__dataclass_fields__}
        for name in ("issuer", "client_id", "public_url"):
            if not given[name]:
                raise OidcError(f"WEIWO_AUTH=oidc needs WEIWO_OIDC_{name.upper()}, which is not set; see docs/serve.md")
        for name in ("issuer", "public_url"):
            if not _is_safe(given[name]):
                raise OidcError(f"WEIWO_OIDC_{name.upper()} must be an https address, not {given[name][:80]!a}")
        return cls(**{**given, "public_url": given["public_url"].rstrip("/")})


class Login(NamedTuple):
    """Secrets of a pending login, stored in the browser that began the login."""

    state: str
    nonce: str
    verifier: str

    def dump(self) -> str:
        """Serialize the login for a cookie."""
        return ".".join(self)

    @classmethod
    def load(cls, text: str) -> "Login | None":
        """Read a cookie. Returns None for a foreign cookie."""
        parts = text.split(".") if len(text) <= 300 else []
        return cls(*parts) if len(parts) == 3 and all(parts) else None


class Oidc:
    """OpenID Connect client for an issuer."""

    def __init__(
        self,
        settings: OidcSettings,
        transport: httpx.AsyncBaseTransport | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.settings = settings
        self._transport, self._clock = transport, clock
        self._found: dict[str, Any] = {}
        self._keys: Any = None
        self._read = 0.0

    @property
    def secure(self) -> bool:
        """Report whether browsers reach this server by https."""
        return self.settings.public_url.startswith("https:")

    async def begin(self) -> tuple[str, Login]:
        """Begin a login, and return the address for the browser and the login to remember.

        Raises:
            RequestError: The issuer cannot be asked.
        """
        login = Login(*(secrets.token_urlsafe(32) for _ in range(3)))
        asked = {
            "response_type": "code",
            "client_id": self.settings.client_id,
            "redirect_uri": self.settings.public_url + CALLBACK,
            "scope": "openid email",
            "state": login.state,
            "nonce": login.nonce,
            "code_challenge": urlsafe_b64encode(sha256(login.verifier.encode()).digest()).rstrip(b"=").decode(),
            "code_challenge_method": "S256",
        }
        address = (await self._discover_issuer())["authorization_endpoint"]
        return f"{address}{'&' if '?' in address else '?'}{urlencode(asked)}", login

    async def finish(self, login: Login | None, params: Mapping[str, str]) -> str:
        """Complete a login with the browser's cookie and the issuer's parameters, and return the user.

        Raises:
            RequestError: The login belongs to another browser, the issuer refused, or its answer cannot be trusted.
        """
        if login is None or not _equal(login.state, params.get("state", "")):
            raise RequestError(400, "this browser started no login, or the login took too long; start again")
        if "error" in params:
            raise RequestError(401, f"the issuer refused the login: {one_line(params['error'], 100)}")
        found = await self._discover_issuer()
        if "iss" in params and params["iss"] != self.settings.issuer:
            raise RequestError(401, "the login was answered by another issuer")
        form = {
            "grant_type": "authorization_code",
            "code": params.get("code", ""),
            "redirect_uri": self.settings.public_url + CALLBACK,
            "client_id": self.settings.client_id,
            "code_verifier": login.verifier,
        }
        if self.settings.client_secret:
            form["client_secret"] = self.settings.client_secret
        told = await self._ask("POST", found["token_endpoint"], data=form)
        claims = await self._verify_token(str(told.get("id_token") or ""), login.nonce)
        operator = self.settings.operator
        if "@" in operator:  # a `sub` never counts as an e-mail address
            is_operator = claims.get("email_verified") is True and operator == claims.get("email")
        else:
            is_operator = bool(operator) and operator == claims["sub"]
        return OPERATOR if is_operator else f"oidc:{claims['sub']}"

    async def _verify_token(self, token: str, nonce: str) -> dict[str, Any]:
        """Verify an ID token of this issuer for this client and this login, and return the claims.

        Raises:
            RequestError: The token is invalid, or belongs to another login or client.
        """
        import jwt  # noqa: PLC0415 - of an extra

        try:
            key = await self._key(jwt.get_unverified_header(token))
            claims: dict[str, Any] = jwt.decode(
                token,
                key,
                algorithms=list(_ALGORITHMS),
                audience=self.settings.client_id,
                issuer=self.settings.issuer,
                leeway=_LEEWAY_SECONDS,
                options={"require": ["iss", "aud", "exp", "iat", "sub"]},
            )
        except jwt.PyJWTError as error:
            raise RequestError(401, f"the issuer's token is not valid: {one_line(str(error), 100)}") from None
        if not _equal(nonce, str(claims.get("nonce") or "")):
            raise RequestError(401, "the issuer's token belongs to another login")
        sub = claims["sub"]
        if not isinstance(sub, str) or not sub.strip() or not sub.isprintable() or len(sub) > _LONGEST_SUB:
            raise RequestError(401, "the issuer's token has no user name")
        if claims.get("azp", self.settings.client_id) != self.settings.client_id:
            raise RequestError(401, "the issuer's token was made for another client")
        return claims

    async def _key(self, header: Mapping[str, Any]) -> Any:
        """Return the issuer's key behind a token. Keys are fetched again if no known key matches."""
        import jwt  # noqa: PLC0415 - of an extra

        for renew in (_KEYS_SECONDS, _RENEW_SECONDS):
            if self._keys is None or self._clock() - self._read > renew:
                found = await self._ask("GET", (await self._discover_issuer())["jwks_uri"])
                self._keys, self._read = jwt.PyJWKSet.from_dict(found), self._clock()
            signing = [key for key in self._keys.keys if key.public_key_use in {None, "sig"}]
            keys = [item for item in signing if header.get("kid") in {None, item.key_id}]
            if len(keys) == 1 or (keys and "kid" in header):
                return keys[0]
        raise jwt.InvalidTokenError("its key is not a key of the issuer")

    async def _discover_issuer(self) -> dict[str, Any]:
        """Return the issuer's metadata (OpenID Connect Discovery), fetched once.

        Raises:
            RequestError: The metadata cannot be fetched, or names another issuer or an unsafe address.
        """
        if not self._found:
            found = await self._ask("GET", f"{self.settings.issuer.rstrip('/')}/.well-known/openid-configuration")
            if found.get("issuer") != self.settings.issuer:
                raise RequestError(502, "the issuer's name differs from WEIWO_OIDC_ISSUER")
            for name in ("authorization_endpoint", "token_endpoint", "jwks_uri"):
                if not _is_safe(str(found.get(name) or "")):
                    raise RequestError(502, f"the issuer's {name} is not an https address")
            self._found = found
        return self._found

    async def _ask(self, method: str, url: str, data: Mapping[str, str] | None = None) -> dict[str, Any]:
        """Request a JSON object from the issuer.

        Raises:
            RequestError: The issuer cannot be reached, reports an error, or sends too much or no JSON object.
        """
        headers = {"accept": "application/json"}
        try:
            async with (
                httpx.AsyncClient(transport=self._transport, timeout=_TIMEOUT) as client,
                client.stream(method, url, data=data, headers=headers) as response,
            ):
                parts, size = [], 0
                async for part in response.aiter_bytes():
                    size += len(part)
                    if size > _MOST_BYTES:
                        raise RequestError(502, f"the issuer sent more than {_MOST_BYTES:,} bytes")
                    parts.append(part)
            told = orjson.loads(b"".join(parts))
        except httpx.HTTPError as error:
            raise RequestError(502, f"the issuer cannot be reached ({type(error).__name__}); try again") from None
        except orjson.JSONDecodeError:
            told = None
        if response.status_code != 200 or not isinstance(told, dict):
            said = one_line(str(told.get("error", "")), 60) if isinstance(told, dict) else "no JSON"
            raise RequestError(502, f"the issuer responded with {response.status_code} {said}".rstrip())
        return told


def _equal(known: str, given: str) -> bool:
    return secrets.compare_digest(known.encode(), given.encode("utf-8", "replace"))


def _is_safe(url: str) -> bool:
    """Report whether an address is safe from eavesdropping: https, or this machine."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    host = parts.hostname or ""
    return bool(host) and (parts.scheme == "https" or (parts.scheme == "http" and is_loopback(host)))
