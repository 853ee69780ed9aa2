"""The table in docs/serve.md of what `weiwo serve` has of the SDK, made from the SDK's own methods."""

import inspect
from pathlib import Path
from typing import Any

import httpx
import pytest
from langgraph_sdk.client import LangGraphClient
from starlette.routing import Match

from weiwo.app.server.routes import LANGGRAPH_API

DOCS = Path(__file__).parents[5] / "docs" / "serve.md"
ID = "6ba7b811-9dad-11d1-80b4-00c04fd430c8"
ARGUMENTS = {"payloads": [{"assistant_id": "weiwo"}], "namespace": ["a"], "namespace_prefix": ["a"]}
OPENED_LATER = {"threads.stream": ("POST", f"/threads/{ID}/stream/events")}
"""Methods that send nothing until what they return is used."""


def refuse(request: httpx.Request) -> httpx.Response:
    """Send nothing, and tell what was to be sent."""
    raise ConnectionError(request.method, request.url.path)


async def requested(method: Any) -> tuple[str, str]:
    """The request that a method of the SDK makes."""
    given = [
        p for p in inspect.signature(method).parameters.values() if p.default is p.empty and p.kind < p.VAR_KEYWORD
    ]
    values = {p.name: ARGUMENTS.get(p.name, ID) for p in given if p.kind is not p.VAR_POSITIONAL}
    placed = [values.pop(p.name) for p in given if p.kind is p.POSITIONAL_ONLY]
    try:
        made = method(*placed, **values)
        made = await made if inspect.isawaitable(made) else made
        _ = [one async for one in made]
    except ConnectionError as told:
        return told.args[0], told.args[1]
    raise AssertionError(f"{method} sent nothing")


async def served(name: str, method: Any) -> bool:
    """Whether a route of ours takes what a method sends."""
    verb, path = OPENED_LATER.get(name) or await requested(method)
    scope = {"type": "http", "method": verb, "path": path, "root_path": ""}
    return any(route.matches(scope)[0] is Match.FULL for route in LANGGRAPH_API)


@pytest.mark.parametrize("room", ["assistants", "threads", "runs", "crons", "store"])
async def test_the_table_of_the_sdks_methods_is_as_they_are(room: str):
    client = LangGraphClient(httpx.AsyncClient(transport=httpx.MockTransport(refuse), base_url="http://weiwo"))
    methods = inspect.getmembers(getattr(client, room), inspect.ismethod)
    rows: dict[bool, list[str]] = {True: [], False: []}
    for name, method in methods:
        if not name.startswith("_"):
            rows[await served(f"{room}.{name}", method)].append(f"`{name}`")
    assert f"| `{room}` | {' '.join(rows[True])} | {' '.join(rows[False])} |" in DOCS.read_text(encoding="utf-8")
