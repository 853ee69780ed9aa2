"""Attacks on `weiwo serve` by its own users: ids of others, limits, quotas, shares, and requests that break a route."""

import asyncio
import random
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
from starlette.routing import Route

from tests.attack.report import Attack, Report
from weiwo.app.server.access.auth import Auth, new_token
from weiwo.app.server.access.guard import Guard, Rules
from weiwo.app.server.application import create_app
from weiwo.app.server.routes import LANGGRAPH_API, OPENAI_API, PAGE, WEIWO_API
from weiwo.app.server.storage.records import Records
from weiwo.state.settings import Settings

ASKED = {"input": {"question": "What is 6 times 7?"}}
_DEEP: Any = []
for _ in range(900):
    _DEEP = [_DEEP]
HOSTILE: tuple[Any, ...] = (
    *("", "x", '"', "'; DROP TABLE threads; --", 'a"b', "\0", "%00", "../../etc/passwd", "a" * 5_000, "‮\u200b", "🦊"),
    *(0, -1, 1, 2**63, -(2**63), 1e308, True, False, None, [], {}, [[]], [{}], [None], ["x"], {"": ""}, {'a"b': 1}),
    *({"$a": {"b": [1]}}, {"a.b": None}, {"x": {"y": {"z": "\0"}}}, _DEEP, {"configurable": {"thread_id": "other"}}),
    *({"checkpoint_id": {"a": 1}}, {"checkpoint_id": "\0"}, {"__overwrite__": _DEEP}, {"type": "__overwrite__"}),
)
FIELDS = (
    *("thread_id", "metadata", "if_exists", "limit", "offset", "status", "ids", "query", "select", "sort_order", "before"),
    *("checkpoint", "checkpoint_id", "values", "as_node", "input", "command", "context", "config", "stream_mode"),
    *("multitask_strategy", "interrupt_before", "interrupt_after", "on_completion", "on_disconnect", "if_not_exists"),
    *("assistant_id", "graph_id", "subgraphs", "stream_subgraphs", "webhook", "channels", "namespaces", "since", "depth"),
    *("id", "method", "params", "model", "messages", "stream", "stream_options", "store", "previous_response_id"),
    *("background", "good", "words", "plan", "outcomes", "text", "message", "token", "key", "supersteps"),
)
QUERIES = ("limit", "offset", "status", "stream_mode", "xray", "recurse", "subgraphs", "select", "after", "action", "wait")
QUERIES = (*QUERIES, "format", "filename", "code", "state", "error", "iss", "cancel_on_disconnect")
HEADERS = (
    *({"origin": value} for value in ("http://[", "null", "", "http://127.0.0.1:x", "http://a@[::1", "https://" + "a" * 9_000)),
    *({"host": value} for value in ("[", "a:b:c", "\t", "127.0.0.1:99999999", "[::1")),
    *({"content-length": value} for value in ("x", "-1", "٣", "1e3")),
    *({"last-event-id": value} for value in ("9" * 30, "1-", "-1", "a:1-1", "\t")),
    *({"authorization": value} for value in ("Bearer", "Bearer \t", "Basic x", "Bearer " + "x" * 9_000)),
    *({"cookie": value} for value in ("weiwo_session=", "weiwo_session=" + "x" * 9_000, "weiwo_oidc=a.b.c; =;;", "\x01")),
    *({"accept-language": "zh" * 3_000}, {"sec-fetch-site": "\t"}, {"transfer-encoding": "chunked"}),
)


@asynccontextmanager
async def served(folder: Path, **graph_options: Any) -> AsyncIterator[tuple[httpx.AsyncClient, dict[str, str]]]:
    """A client of a server with three users, and their tokens."""
    home = folder / "home"
    settings = Settings.resolve()
    assert Path(settings.home)  # the table of attacks sets it
    async with Records.open(settings.home) as records:
        tokens = {user: await new_token(records, user) for user in ("operator", "ann", "bob")}
    auth = Auth()
    app = create_app(graph_options, auth)
    transport = httpx.ASGITransport(Guard(app, Rules(frozenset()), auth), raise_app_exceptions=False)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8300", timeout=60) as client,
    ):
        yield client, {user: f"Bearer {token}" for user, token in tokens.items()}
    del home


def _routes() -> Iterator[tuple[str, str]]:
    for one in (*LANGGRAPH_API, *OPENAI_API, *WEIWO_API, *PAGE):
        if isinstance(one, Route):
            yield from ((method, one.path) for method in sorted(one.methods or ()) if method != "HEAD")


def _filled(path: str, value: str) -> str:
    parts = path.split("/")
    return "/".join(quote(value, safe="") if part.startswith("{") else part for part in parts)
