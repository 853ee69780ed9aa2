"""An OpenID Connect issuer in the test's own process, with an elliptic-curve key."""

import time
from base64 import urlsafe_b64encode
from hashlib import sha256
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx
import jwt
from cryptography.hazmat.primitives.asymmetric import ec
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

ISSUER = "https://issuer.example.org"
CLIENT = "weiwo"


class Issuer:
    """The issuer.

    Args:
        address: Where it is.

    Attributes:
        address: Where it is.
        app: Its application.
        transport: By which it is asked without a socket.
        claims: Claims that its tokens have in place of the right ones.
        asked: What was asked for.
        name: What it calls itself.
    """

    def __init__(self, address: str = ISSUER) -> None:
        self.address = address
        self.claims: dict[str, Any] = {}
        self.asked: list[str] = []
        self.name = address
        self._codes: dict[str, dict[str, str]] = {}
        self.rotate("one")
        routes = [
            Route("/.well-known/openid-configuration", self._describe),
            Route("/authorize", self._agree),
            Route("/keys", self._list_keys),
            Route("/token", self._exchange, methods=["POST"]),
        ]
        self.app = Starlette(routes=routes)
        self.transport = httpx.ASGITransport(self.app)

    def rotate(self, key_id: str) -> None:
        """Sign with a new key, and know no other."""
        self.key_id, self.key = key_id, ec.generate_private_key(ec.SECP256R1())

    def authorize(self, address: str) -> dict[str, str]:
        """What the browser comes back with whose user agreed to the login at an address."""
        asked = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
        code = f"code-{len(self._codes)}"
        self._codes[code] = asked
        return {"code": code, "state": asked["state"]}

    def sign(self, claims: dict[str, Any]) -> str:
        """A token."""
        return jwt.encode(claims, self.key, "ES256", {"kid": self.key_id})

    async def _agree(self, request: Request) -> Response:
        """Send a browser back, whose user is known and agrees."""
        back = request.query_params["redirect_uri"]
        return RedirectResponse(f"{back}?{urlencode(self.authorize(str(request.url)))}", 302)

    async def _describe(self, _: Request) -> Response:
        self.asked.append("description")
        paths = {"authorization_endpoint": "authorize", "token_endpoint": "token", "jwks_uri": "keys"}
        return JSONResponse({"issuer": self.name, **{name: f"{self.address}/{path}" for name, path in paths.items()}})

    async def _list_keys(self, _: Request) -> Response:
        self.asked.append("keys")
        key = jwt.algorithms.ECAlgorithm.to_jwk(self.key.public_key(), as_dict=True)
        return JSONResponse({"keys": [{**key, "kid": self.key_id, "alg": "ES256", "use": "sig"}]})

    async def _exchange(self, request: Request) -> Response:
        form = {name: values[0] for name, values in parse_qs((await request.body()).decode()).items()}
        asked = self._codes.pop(form["code"], None)
        proof = urlsafe_b64encode(sha256(form["code_verifier"].encode()).digest()).rstrip(b"=").decode()
        if asked is None or asked["code_challenge"] != proof or asked["redirect_uri"] != form["redirect_uri"]:
            return JSONResponse({"error": "invalid_grant"}, 400)
        now = int(time.time())
        claims = {"iss": self.name, "aud": CLIENT, "sub": "7", "iat": now, "exp": now + 60, "nonce": asked["nonce"]}
        token = self.sign({name: value for name, value in (claims | self.claims).items() if value is not None})
        return JSONResponse({"id_token": token, "access_token": "unused", "token_type": "Bearer"})
