"""Routes of LangGraph's API on the server itself and on its one assistant."""

from importlib.metadata import version
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from weiwo.app.server.engine import engine_of
from weiwo.app.server.langgraph_api.assistant import GRAPH_ID, assistant, drawing, require_assistant, schemas
from weiwo.app.server.wire import read_json, reply


async def ok(_: Request) -> Response:
    """Whether the server answers."""
    return reply({"ok": True})


async def info(_: Request) -> Response:
    """What the server is."""
    flags = {"assistants": True, "crons": False, "langsmith": False}
    return reply({"version": version("weiwo"), "langgraph_py_version": version("langgraph"), "flags": flags})


async def search(request: Request) -> Response:
    """The assistants that meet conditions: the one there is, or none."""
    body = await read_json(request)
    metadata = body.get("metadata") or {}
    fits = body.get("graph_id") in {None, GRAPH_ID} and metadata.items() <= {"created_by": "system"}.items()
    return reply(
        [assistant()] if fits and not body.get("offset") else [], headers={"X-Pagination-Total": str(int(fits))}
    )


async def count(_: Request) -> Response:
    """How many assistants there are."""
    return reply(1)


async def get(request: Request) -> Response:
    """The assistant."""
    require_assistant(request.path_params["assistant_id"])
    return reply(assistant())


async def versions(request: Request) -> Response:
    """The versions of the assistant: there is one."""
    require_assistant(request.path_params["assistant_id"])
    return reply([assistant()])


async def graph(request: Request) -> Response:
    """The drawing of the graph."""
    require_assistant(request.path_params["assistant_id"])
    return reply(await drawing(engine_of(request).graph, request.query_params.get("xray", "")))


async def get_schemas(request: Request) -> Response:
    """The JSON schemas of the graph."""
    require_assistant(request.path_params["assistant_id"])
    return reply(schemas(engine_of(request).graph))


async def subgraphs(request: Request) -> Response:
    """The JSON schemas of the subgraphs, by name."""
    require_assistant(request.path_params["assistant_id"])
    deep = request.query_params.get("recurse", "").lower() in {"true", "1"}
    found: dict[str, Any] = {}
    async for name, one in engine_of(request).graph.aget_subgraphs(
        namespace=request.path_params.get("namespace"), recurse=deep
    ):
        found[name] = {**schemas(one), "graph_id": name}
    return reply(found)
