"""Logging in at an OpenID Connect issuer: the code flow with PKCE, and what is refused."""

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import httpx
import jwt
import pytest

from tests.support.oidc_issuer import CLIENT, ISSUER, Issuer
from tests.unit.app.server.conftest import running
from weiwo.app.server.access import oidc as oidc_module
from weiwo.app.server.access.auth import Auth
from weiwo.app.server.access.guard import Rules
from weiwo.app.server.access.oidc import Login, Oidc, OidcError, OidcSettings
from weiwo.app.server.application import create_app
from weiwo.app.server.errors import RequestError
from weiwo.app.server.serve import ServeError, _choose_auth

SETTINGS = OidcSettings(ISSUER, CLIENT, public_url="https://weiwo.example.org", operator="boss@example.org")
GIVEN = {
    "WEIWO_OIDC_ISSUER": ISSUER,
    "WEIWO_OIDC_CLIENT_ID": CLIENT,
    "WEIWO_OIDC_PUBLIC_URL": "https://weiwo.example.org/",
}


@pytest.fixture
def issuer() -> Issuer:
    return Issuer()


@pytest.fixture
async def browser(issuer: Issuer, indexed_home: None) -> AsyncIterator[httpx.AsyncClient]:  # noqa: ARG001 - it sets the home
    auth = Auth(Oidc(replace(SETTINGS, public_url="http://127.0.0.1:8300"), issuer.transport))
    async with running(create_app(auth=auth), Rules(), auth) as client:
        yield client


async def finished(oidc: Oidc, issuer: Issuer, **changed: str) -> str:
    address, login = await oidc.begin()
    return await oidc.finish(login, {**issuer.authorize(address), **changed})


async def test_a_browser_logs_in_at_the_issuer(browser: httpx.AsyncClient, issuer: Issuer):
    assert (await browser.get("/weiwo/info")).json()["auth"] == "oidc"
    assert (await browser.get("/")).headers["location"] == "/weiwo/oidc/login"
    sent = await browser.get("/weiwo/oidc/login")
    assert sent.headers["location"].startswith(f"{ISSUER}/authorize?response_type=code&")
    assert {"HttpOnly", "SameSite=lax", "Path=/weiwo/oidc/callback"} <= set(sent.headers["set-cookie"].split("; "))
    back = await browser.get("/weiwo/oidc/callback", params=issuer.authorize(sent.headers["location"]))
    assert back.status_code == 200
    assert "SameSite=strict" in back.headers["set-cookie"]
    assert (await browser.get("/")).status_code == 200
    assert (await browser.get("/weiwo/info")).json()["user"] == "oidc:7"
    assert (await browser.get("/weiwo/settings")).status_code == 404  # the operator's alone
    await browser.post("/weiwo/logout")
    assert (await browser.post("/threads")).status_code == 401


async def test_a_browser_that_began_no_login_is_refused(browser: httpx.AsyncClient, issuer: Issuer):
    sent = await browser.get("/weiwo/oidc/login")
    params = issuer.authorize(sent.headers["location"])
    assert (await browser.get("/weiwo/oidc/callback", params={**params, "state": "另一个"})).status_code == 400
    refused = await browser.get("/weiwo/oidc/callback", params=params)  # the cookie went with the first
    assert (refused.status_code, "weiwo_session" in refused.headers["set-cookie"]) == (400, False)
    assert "重新登录" in refused.text


async def test_the_operator_is_known_by_a_verified_address(issuer: Issuer):
    oidc = Oidc(SETTINGS, issuer.transport)
    issuer.claims = {"email": "boss@example.org", "email_verified": True}
    assert await finished(oidc, issuer) == "operator"
    for claims in ({"email": "boss@example.org"}, {"email": "boss@example.org", "email_verified": "true"}):
        issuer.claims = claims
        assert await finished(oidc, issuer) == "oidc:7"
    issuer.claims = {"sub": "boss@example.org"}
    assert await finished(oidc, issuer) == "oidc:boss@example.org"
    by_sub = Oidc(replace(SETTINGS, operator="boss"), issuer.transport)
    for claims, user in (
        ({"sub": "boss"}, "operator"),
        ({"email": "boss", "email_verified": True}, "oidc:7"),
        ({"sub": "operator"}, "oidc:operator"),
    ):
        issuer.claims = claims
        assert await finished(by_sub, issuer) == user


@pytest.mark.parametrize("sub", ["", " ", "\0", "a\nb", "x" * 256, 7, ["boss"], {"a": 1}], ids=repr)
async def test_a_token_without_a_usable_sub_is_nobodys(issuer: Issuer, sub: Any):
    for operator in ("", "boss@example.org", "x"):
        oidc = Oidc(replace(SETTINGS, operator=operator), issuer.transport)
        issuer.claims = {"sub": sub}
        with pytest.raises(RequestError) as raised:
            await finished(oidc, issuer)
        assert raised.value.status == 401


@pytest.mark.parametrize(
    ("claims", "said"),
    [
        ({"aud": "another"}, "Audience"),
        ({"iss": "https://evil.example.org"}, "issuer"),
        ({"exp": 1}, "expired"),
        ({"exp": None}, "exp"),
        ({"sub": None}, "sub"),
        ({"nonce": "replayed"}, "another login"),
        ({"nonce": None}, "another login"),
        ({"aud": [CLIENT, "another"], "azp": "another"}, "another client"),
    ],
    ids=str,
)
async def test_a_token_for_another_is_refused(issuer: Issuer, claims: dict[str, Any], said: str):
    issuer.claims = claims
    with pytest.raises(RequestError, match=said) as raised:
        await finished(Oidc(SETTINGS, issuer.transport), issuer)
    assert raised.value.status == 401


@pytest.mark.parametrize("algorithm", ["none", "HS256"])
async def test_a_token_that_anybody_could_make_is_refused(
    issuer: Issuer, monkeypatch: pytest.MonkeyPatch, algorithm: str
):
    key = None if algorithm == "none" else "a secret that the public knows, of 32 bytes"
    monkeypatch.setattr(issuer, "sign", lambda claims: jwt.encode(claims, key, algorithm, {"kid": "one"}))
    with pytest.raises(RequestError, match="not valid"):
        await finished(Oidc(SETTINGS, issuer.transport), issuer)


async def test_keys_are_read_again_where_the_issuer_changed_them(issuer: Issuer):
    now = [0.0]
    oidc = Oidc(SETTINGS, issuer.transport, lambda: now[0])
    await finished(oidc, issuer)
    await finished(oidc, issuer)
    assert issuer.asked == ["description", "keys"]
    issuer.rotate("two")
    with pytest.raises(RequestError, match="not a key of the issuer"):
        await finished(oidc, issuer)
    now[0] = 61.0
    assert await finished(oidc, issuer) == "oidc:7"


async def test_a_code_needs_the_verifier_of_the_browser(issuer: Issuer):
    oidc = Oidc(SETTINGS, issuer.transport)
    address, login = await oidc.begin()
    with pytest.raises(RequestError, match="invalid_grant"):
        await oidc.finish(login._replace(verifier="x" * 43), issuer.authorize(address))


@pytest.mark.parametrize(
    ("changed", "said"),
    [({"error": "access_denied"}, "access_denied"), ({"iss": "https://evil.org"}, "another issuer")],
)
async def test_what_the_issuer_sends_back_is_read(issuer: Issuer, changed: dict[str, str], said: str):
    with pytest.raises(RequestError, match=said):
        await finished(Oidc(SETTINGS, issuer.transport), issuer, **changed)


async def test_an_issuer_that_is_another_or_gone_is_told(issuer: Issuer):
    issuer.name = "https://another.example.org"
    with pytest.raises(RequestError, match="name differs"):
        await Oidc(SETTINGS, issuer.transport).begin()

    def gone(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("no route", request=request)

    answers: list[tuple[Any, str]] = [
        (gone, "ConnectError"),
        (lambda _: httpx.Response(503, text="<html>"), "503 no JSON"),
        (lambda _: httpx.Response(200, content=b"1" * 1_100_000), "more than"),
    ]
    for answer, said in answers:
        with pytest.raises(RequestError, match=said):
            await Oidc(SETTINGS, httpx.MockTransport(answer)).begin()


def test_what_is_missing_is_told_in_one_line(monkeypatch: pytest.MonkeyPatch):
    assert OidcSettings.of(GIVEN) == replace(SETTINGS, operator="")
    for name in GIVEN:
        with pytest.raises(OidcError, match=name):
            OidcSettings.of({**GIVEN, name: ""})
    for name, value in (("WEIWO_OIDC_ISSUER", "http://issuer.example.org"), ("WEIWO_OIDC_PUBLIC_URL", "weiwo")):
        with pytest.raises(OidcError, match="https address"):
            OidcSettings.of({**GIVEN, name: value})
    with pytest.raises(ServeError, match="WEIWO_OIDC_ISSUER"):
        _choose_auth("example.org", "oidc")
    monkeypatch.setattr(oidc_module, "find_spec", lambda _: None)
    with pytest.raises(OidcError, match=r"weiwo\[oidc\]"):
        OidcSettings.of(GIVEN)


@pytest.mark.parametrize("text", ["", "a.b", "a..c", "a.b.c.d", "x" * 400])
def test_a_cookie_that_is_none_of_ours_is_no_login(text: str):
    assert Login.load(text) is None
