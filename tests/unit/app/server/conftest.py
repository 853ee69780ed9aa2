"""The server of `weiwo serve` in the test's own process, and clients that reach it without sockets."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from langchain_core.outputs import ChatResult
from langgraph_sdk.client import LangGraphClient
from pydantic import Field
from starlette.applications import Starlette

from tests.support.fake_model import FakeModel
from weiwo.app.records import Records
from weiwo.app.server.access.auth import Auth, new_token
from weiwo.app.server.access.guard import Guard, Rules
from weiwo.app.server.application import create_app


@asynccontextmanager
async def running(
    app: Starlette, rules: Rules | None = None, auth: Auth | None = None
) -> AsyncIterator[httpx.AsyncClient]:
    """A client of an application, from its start to its end; behind the guard, if there are rules."""
    outer: Any = app if rules is None else Guard(app, rules, auth)
    started, stop = asyncio.Event(), asyncio.Event()

    async def live() -> None:  # in a task of its own: a fixture's end runs in another than its beginning
        async with app.router.lifespan_context(app):
            started.set()
            await stop.wait()

    living = asyncio.create_task(live())
    beginning = asyncio.create_task(started.wait())
    await asyncio.wait([living, beginning], return_when=asyncio.FIRST_COMPLETED)
    beginning.cancel()
    try:
        transport = httpx.ASGITransport(outer)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8300") as client:
            yield client
    finally:
        stop.set()
        await living


@pytest.fixture
async def http(indexed_home: None, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[httpx.AsyncClient]:  # noqa: ARG001 - a first question need not index
    monkeypatch.setenv("WEIWO_WEB", "off")
    async with running(create_app()) as client:
        yield client


class HeldModel(FakeModel):
    """A model that answers nothing, and that only once it is let go: the rules then decide."""

    script: dict[str, list[Any]] = Field(default_factory=dict)
    asked_for: Any = Field(default_factory=asyncio.Event)
    let_go: Any = Field(default_factory=asyncio.Event)

    async def _agenerate(self, *args: Any, **kwargs: Any) -> ChatResult:
        self.asked_for.set()
        await self.let_go.wait()
        return await super()._agenerate(*args, **kwargs)


@pytest.fixture
def held() -> HeldModel:
    return HeldModel()


@pytest.fixture
async def slow_http(indexed_home: None, held: HeldModel) -> AsyncIterator[httpx.AsyncClient]:  # noqa: ARG001 - as above
    """A client of a server whose runs are held."""
    async with running(create_app({"models": held})) as client:
        yield client
        held.let_go.set()


@pytest.fixture
def sdk(http: httpx.AsyncClient) -> LangGraphClient:
    return LangGraphClient(http)


@pytest.fixture
async def tokens(clean_environment: None) -> dict[str, str]:  # noqa: ARG001 - it sets the home
    async with Records.open(os.environ["WEIWO_HOME"]) as records:
        return {user: await new_token(records, user) for user in ("operator", "ann", "bob")}


@pytest.fixture
async def public(indexed_home: None, tokens: dict[str, str]) -> AsyncIterator[httpx.AsyncClient]:  # noqa: ARG001 - as above
    auth = Auth()
    async with running(create_app(auth=auth), Rules(frozenset()), auth) as client:
        yield client
