"""Who may: hosts, origins, tokens, logins, rates, and what browsers are told."""

import asyncio
import os
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from starlette.requests import HTTPConnection

from tests.support.waiting import until
from tests.unit.app.server.conftest import running
from weiwo.app.records import Records
from weiwo.app.server.access import guard
from weiwo.app.server.access.auth import Auth, new_token
from weiwo.app.server.access.guard import _CSP, Guard, Rules, _Buckets, read_origins
from weiwo.app.server.access.profiles import LOOPBACK, is_loopback
from weiwo.app.server.application import create_app
from weiwo.app.server.errors import RequestError
from weiwo.app.server.serve import ServeError, _choose_auth

OWN = "http://127.0.0.1:8300"
STUDIO = "https://smith.langchain.com"


@pytest.fixture
async def local(indexed_home: None) -> AsyncIterator[httpx.AsyncClient]:  # noqa: ARG001 - a first question need not index
    async with running(create_app(), Rules(LOOPBACK, frozenset({STUDIO}))) as client:
        yield client


async def test_only_our_own_hosts_are_served(local: httpx.AsyncClient):
    foreign = ("evil.com", "evil.com:8300", "127.0.0.1.evil.com", "", "[::2]", "localhost.", "[", "a@b:c")
    own = ("127.0.0.1", "localhost:9", "[::1]:8300", "LOCALHOST")
    for host, status in (*((one, 421) for one in foreign), *((one, 200) for one in own)):
        assert (host, (await local.get("/ok", headers={"host": host})).status_code) == (host, status)


async def test_a_foreign_page_is_refused(local: httpx.AsyncClient):
    foreign = (
        "http://evil.com",
        "null",
        f"{OWN}.evil.com",
        "http://127.0.0.1:8301",
        "http://localhost:8300",
        "file://",
    )
    for origin in foreign:
        for method in ("POST", "GET", "DELETE", "OPTIONS"):
            answer = await local.request(method, "/threads", headers={"origin": origin})
            assert (origin, method, answer.status_code) == (origin, method, 403)
            assert "access-control-allow-origin" not in answer.headers


async def test_a_change_is_for_our_own_page_and_for_programs(local: httpx.AsyncClient):
    assert (await local.post("/threads", headers={"origin": OWN, "sec-fetch-site": "same-origin"})).status_code == 200
    assert (await local.post("/threads", headers={"sec-fetch-site": "cross-site"})).status_code == 403
    assert (await local.post("/threads", headers={"sec-fetch-site": "same-site"})).status_code == 403
    assert (await local.post("/threads")).status_code == 200
    assert (await local.get("/ok", headers={"sec-fetch-site": "cross-site"})).status_code == 200  # a link to the page


async def test_an_origin_that_the_operator_names_may(local: httpx.AsyncClient):
    asked = {
        "origin": STUDIO,
        "access-control-request-method": "POST",
        "access-control-request-headers": "content-type",
    }
    before = await local.options("/threads", headers=asked)
    assert before.status_code == 204
    assert before.headers["access-control-allow-origin"] == STUDIO
    assert before.headers["access-control-allow-headers"] == "content-type"
    made = await local.post("/threads", headers={"origin": STUDIO, "sec-fetch-site": "cross-site"})
    assert made.status_code == 200
    assert made.headers["access-control-allow-origin"] == STUDIO
    assert "access-control-allow-credentials" not in made.headers


async def test_every_response_binds_the_browser(local: httpx.AsyncClient):
    for path in ("/", "/ok", "/threads/none", "/page/none.js", "/nowhere"):
        headers = (await local.get(path)).headers
        assert headers["content-security-policy"] == _CSP
        assert headers["x-content-type-options"] == "nosniff"
        assert "cache-control" in headers
    assert (await local.get("/ok")).headers["cross-origin-resource-policy"] == "same-origin"


async def test_a_long_body_is_refused(local: httpx.AsyncClient):
    assert (await local.post("/threads", content=b"x" * 8_000_001)).status_code == 413
    assert (await local.post("/threads", headers={"content-length": "1" * 30}, content=b"x")).status_code == 413
    assert (await local.post("/threads", content=b"[" * 3_000)).status_code == 422
    assert (await local.post("/threads", content=b"[]")).status_code == 422


async def test_without_a_token_only_the_page_is_shown(public: httpx.AsyncClient):
    for path in ("/threads/x", "/weiwo/settings", "/v1/models", "/assistants/weiwo", "/mcp"):
        answer = await public.get(path)
        assert (path, answer.status_code) == (path, 401)
    assert (await public.get("/ok")).status_code == 200
    assert (await public.get("/")).status_code in {200, 404}
    info = (await public.get("/weiwo/info")).json()
    assert (info["auth"], info["user"]) == ("token", None)
    assert "models" not in info
    for wrong in ("", "weiwo_x", "x" * 10_000):
        assert (await public.get("/threads/x", headers={"authorization": f"Bearer {wrong}"})).status_code == 401


async def test_threads_are_their_users(public: httpx.AsyncClient, tokens: dict[str, str]):
    ann, operator = {"x-api-key": tokens["ann"]}, {"authorization": f"Bearer {tokens['operator']}"}
    assert (await public.get("/weiwo/info", headers=ann)).json()["user"] == "ann"
    made = (await public.post("/threads", json={"thread_id": "hers"}, headers=ann)).json()["thread_id"]
    await public.post("/threads", json={"thread_id": "mine"}, headers=operator)
    for hers in ("hers", made):
        for path in (f"/threads/{hers}{more}" for more in ("", "/state", "/runs", "/stream")):
            assert (path, (await public.get(path, headers=operator)).status_code) == (path, 404)
        assert (await public.get(f"/weiwo/threads/{hers}", headers=operator)).status_code == 404
        for path in (f"/threads/{hers}/{more}" for more in ("runs", "state", "copy", "history")):
            asked = await public.post(path, json={"input": {"question": "x"}}, headers=operator)
            assert (path, asked.status_code) == (path, 404)
    assert (await public.delete("/threads/mine", headers=ann)).status_code == 404
    listed = (await public.post("/threads/search", json={}, headers=ann)).json()
    assert [one["thread_id"] for one in listed] == [made]
    assert (await public.get("/weiwo/settings", headers=ann)).status_code == 404
    assert (await public.get("/weiwo/corpora", headers=ann)).json() == []


async def test_a_thread_of_the_command_is_the_operators(public: httpx.AsyncClient, tokens: dict[str, str]):
    ann, operator = {"x-api-key": tokens["ann"]}, {"x-api-key": tokens["operator"]}
    run = {"input": {"question": "How long is the Yangtze?"}, "if_not_exists": "create"}
    await public.post("/threads/t/runs/wait", json=run, headers=operator)
    async with Records.open(os.environ["WEIWO_HOME"]) as records:
        await records.delete_thread("t")  # as the command leaves it: checkpoints, and no record
    assert (await public.get("/threads/t", headers=operator)).json()["metadata"]["answer"] == "complete"
    assert [one["thread_id"] for one in (await public.post("/threads/search", headers=operator)).json()] == ["t"]
    assert (await public.get("/threads/t", headers=ann)).status_code == 404
    assert (await public.post("/threads/t/runs/wait", json=run, headers=ann)).status_code == 200
    assert (await public.post("/threads/search", json={"ids": ["t"]}, headers=ann)).json() == []


async def test_the_page_logs_in_and_out(public: httpx.AsyncClient, tokens: dict[str, str]):
    assert (await public.post("/weiwo/login", json={"token": "weiwo_wrong"})).status_code == 401
    answer = await public.post("/weiwo/login", json={"token": tokens["ann"]})
    cookie = answer.headers["set-cookie"]
    assert {"HttpOnly", "SameSite=strict", "Path=/"} <= set(cookie.split("; "))
    assert tokens["ann"] not in cookie
    assert (await public.get("/weiwo/info")).json()["user"] == "ann"
    session = cookie.partition(";")[0]
    assert (await public.post("/weiwo/logout")).status_code == 204
    assert (await public.get("/weiwo/info", headers={"cookie": session})).json()["user"] is None


async def test_a_new_token_ends_the_old(public: httpx.AsyncClient, tokens: dict[str, str]):
    await public.post("/weiwo/login", json={"token": tokens["ann"]})
    async with Records.open(os.environ["WEIWO_HOME"]) as records:
        fresh = await new_token(records, "ann")
    assert (await public.get("/weiwo/info")).json()["user"] is None
    assert (await public.get("/weiwo/info", headers={"x-api-key": tokens["ann"]})).json()["user"] is None
    assert (await public.get("/weiwo/info", headers={"x-api-key": fresh})).json()["user"] == "ann"
    with open(f"{os.environ['WEIWO_HOME']}/server.sqlite", "rb") as file:  # noqa: ASYNC230, PTH123 - a test's own file
        kept = file.read()
    assert fresh.encode() not in kept


async def test_guessing_is_slowed_down(indexed_home: None, monkeypatch: pytest.MonkeyPatch):  # noqa: ARG001 - as above
    monkeypatch.setattr(guard, "_LOGIN_SECONDS", 1e9)
    auth = Auth()
    async with running(create_app(auth=auth), Rules(frozenset()), auth) as client:
        codes = [(await client.post("/weiwo/login", json={"token": "x"})).status_code for _ in range(7)]
    assert codes == [401] * 5 + [429] * 2


def test_a_bucket_empties():
    bucket = _Buckets(3, 1e6)
    assert [bucket.take("a") for _ in range(5)] == [True, True, True, False, False]
    assert bucket.take("b")


@pytest.mark.parametrize(
    ("host", "alone"),
    [
        ("127.0.0.1", True),
        ("::1", True),
        ("localhost", True),
        ("127.8.8.8", True),
        ("0.0.0.0", False),  # noqa: S104 - what is refused
        ("::", False),
        ("10.0.0.1", False),
        ("example.com", False),
    ],
)
def test_only_loopback_needs_no_login(host: str, alone: bool):  # noqa: FBT001 - a parameter of the test
    assert is_loopback(host) is alone
    if alone:
        assert _choose_auth(host, "") is None
    else:
        with pytest.raises(ServeError, match="WEIWO_AUTH=token"):
            _choose_auth(host, "")
    assert isinstance(_choose_auth(host, "token"), Auth)
    with pytest.raises(ServeError, match="is not a login method"):
        _choose_auth(host, "saml")


def test_origins_are_read():
    assert read_origins(" https://a.b , http://localhost:3000/ ,") == {"https://a.b", "http://localhost:3000"}
    for wrong in ("*", "a.b", "https://a.b/c", "null"):
        with pytest.raises(RequestError):
            read_origins(wrong)


async def test_nobody_holds_all_requests_open(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(guard, "_MOST_OPEN", 3)
    end, users = asyncio.Event(), {"x": "ann", "y": "bob"}

    async def wait(_scope: Any, _receive: Any, send: Any) -> None:
        await end.wait()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    class Known(Auth):
        async def user(self, request: HTTPConnection) -> str | None:
            return users[request.headers["x-api-key"]]

    front = Guard(wait, Rules(frozenset()), Known())
    async with httpx.AsyncClient(transport=httpx.ASGITransport(front), base_url=OWN) as client:
        open_ = [asyncio.create_task(client.get("/", headers={"x-api-key": "x"})) for _ in range(3)]
        await until(lambda: front._open.total() == 3)
        assert (await client.get("/", headers={"x-api-key": "x"})).status_code == 429
        open_.append(asyncio.create_task(client.get("/", headers={"x-api-key": "y"})))
        await until(lambda: front._open.total() == 4)
        end.set()
        assert [one.status_code for one in await asyncio.gather(*open_)] == [200] * 4
        assert (await client.get("/", headers={"x-api-key": "x"})).status_code == 200
    assert not front._open
