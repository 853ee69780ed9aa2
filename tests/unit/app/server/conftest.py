"""The server of `weiwo serve` in the test's own process, and clients that reach it without sockets."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest
from langgraph_sdk.client import LangGraphClient
from starlette.applications import Starlette

from weiwo.app.server.application import create_app


@asynccontextmanager
async def running(app: Starlette) -> AsyncIterator[httpx.AsyncClient]:
    """A client of an application, from its start to its end."""
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://127.0.0.1:8300") as client,
    ):
        yield client


@pytest.fixture
async def http(indexed_home: None, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[httpx.AsyncClient]:  # noqa: ARG001 - a first question need not index
    monkeypatch.setenv("WEIWO_WEB", "off")
    async with running(create_app()) as client:
        yield client


@pytest.fixture
def sdk(http: httpx.AsyncClient) -> LangGraphClient:
    return LangGraphClient(http)
