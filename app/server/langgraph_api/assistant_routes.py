"""LangGraph API routes on the server and the only assistant: graph, drawing and schemas."""

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from typing import Any, Final

from langgraph.graph.state import CompiledStateGraph
from pydantic import create_model
from starlette.requests import Request
from starlette.responses import Response

from weiwo.app.server.engine import engine_of
from weiwo.app.server.errors import RequestError, not_found
from weiwo.app.server.wire import ASSISTANT_ID, GRAPH_ID, read_json, read_object, read_text, reply

_BEGUN: Final = datetime.now(UTC).isoformat()
_DEEPEST: Final = 5


async def ok(_: Request) -> Response:
    """Report the server as alive."""
    return reply({"ok": True})


async def info(_: Request) -> Response:
    """Return the versions and features of the server."""
    flags = {"assistants": True, "crons": False, "langsmith": False}
    return reply({"version": version("weiwo"), "langgraph_py_version": version("langgraph"), "flags": flags})


async def search(request: Request) -> Response:
    """Return the assistants matching conditions: a list with the only assistant, or an empty list."""
    body = await read_json(request)
    fits = _fits(body)
    return reply(
        [_assistant()] if fits and not body.get("offset") else [], headers={"X-Pagination-Total": str(int(fits))}
    )


async def count(request: Request) -> Response:
    """Return the number of assistants matching conditions: 1 or 0."""
    return reply(int(_fits(await read_json(request))))


def _fits(body: Mapping[str, Any]) -> bool:
    """Report whether the only assistant matches the graph and the metadata of a search. Without conditions it does."""
    metadata = read_object(body, "metadata")
    known = all(key == "created_by" and value == "system" for key, value in metadata.items())
    return read_text(body, "graph_id") in {"", GRAPH_ID} and known


async def get(request: Request) -> Response:
    """The assistant."""
    _require_assistant(request.path_params["assistant_id"])
    return reply(_assistant())


async def versions(request: Request) -> Response:
    """Return the versions of the assistant. The assistant has a single version."""
    _require_assistant(request.path_params["assistant_id"])
    return reply([_assistant()])


async def graph(request: Request) -> Response:
    """The drawing of the graph."""
    _require_assistant(request.path_params["assistant_id"])
    return reply(await _draw(engine_of(request).graph, request.query_params.get("xray", "")))


async def get_schemas(request: Request) -> Response:
    """The JSON schemas of the graph."""
    _require_assistant(request.path_params["assistant_id"])
    return reply(_schemas(engine_of(request).graph))


async def subgraphs(request: Request) -> Response:
    """The JSON schemas of the subgraphs, by name."""
    _require_assistant(request.path_params["assistant_id"])
    deep = request.query_params.get("recurse", "").lower() in {"true", "1"}
    found: dict[str, Any] = {}
    async for name, item in engine_of(request).graph.aget_subgraphs(
        namespace=request.path_params.get("namespace"), recurse=deep
    ):
        found[name] = {**_schemas(item), "graph_id": name}
    return reply(found)


def _assistant() -> dict[str, Any]:
    """Describe the assistant in the form of LangGraph's server."""
    return {
        "assistant_id": ASSISTANT_ID,
        "graph_id": GRAPH_ID,
        "name": GRAPH_ID,
        "description": "Answers a question by planned search, every claim with its source.",
        "config": {},
        "context": {},
        "metadata": {"created_by": "system"},
        "version": 1,
        "created_at": _BEGUN,
        "updated_at": _BEGUN,
    }


def _require_assistant(assistant_id: str) -> None:
    """Require the id of the assistant.

    Raises:
        RequestError: The id is another.
    """
    if assistant_id not in {GRAPH_ID, ASSISTANT_ID}:
        raise not_found("assistant", assistant_id)


async def _draw(graph: CompiledStateGraph[Any, Any, Any, Any], xray: str) -> dict[str, Any]:
    """Return nodes and edges of the graph, with subgraphs as set by `xray`.

    `xray` is empty, `true`, `false` or the depth.

    Raises:
        RequestError: `xray` has another value.
    """
    deep: bool | int = xray.lower() == "true"
    if xray.isascii() and xray.isdecimal() and 0 < int(xray[:3]) <= _DEEPEST:
        deep = int(xray)
    elif xray.lower() not in {"", "true", "false"}:
        raise RequestError(422, f"xray must be true, false or a number from 1 to {_DEEPEST}")
    drawn: dict[str, Any] = (await graph.aget_graph(xray=deep)).to_json()
    return drawn


@cache
def _schemas(graph: CompiledStateGraph[Any, Any, Any, Any]) -> dict[str, Any]:
    """The JSON schemas of the graph's input, output, state and context."""
    fields: dict[str, Any] = dict.fromkeys(graph.stream_channels_list, (Any, None))
    return {
        "graph_id": GRAPH_ID,
        "input_schema": graph.get_input_jsonschema(),
        "output_schema": graph.get_output_jsonschema(),
        "state_schema": create_model("State", **fields).model_json_schema(),
        "config_schema": {},
        "context_schema": graph.get_context_jsonschema(),
    }
