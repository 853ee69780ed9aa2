"""The one assistant: what the graph is, its drawing, its schemas."""

from datetime import UTC, datetime
from functools import cache
from typing import Any, Final
from uuid import UUID, uuid5

from langgraph.graph.state import CompiledStateGraph
from pydantic import create_model

from weiwo.app.server.errors import RequestError, not_found

GRAPH_ID: Final = "weiwo"
ASSISTANT_ID: Final = str(uuid5(UUID("6ba7b821-9dad-11d1-80b4-00c04fd430c8"), GRAPH_ID))
"""As LangGraph's server derives the id of a graph's default assistant."""
_BEGUN: Final = datetime.now(UTC).isoformat()
_DEEPEST: Final = 5


def assistant() -> dict[str, Any]:
    """The assistant, as LangGraph's server shows it."""
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


def require_assistant(assistant_id: str) -> None:
    """See that an id is the assistant's.

    Raises:
        RequestError: It is not.
    """
    if assistant_id not in {GRAPH_ID, ASSISTANT_ID}:
        raise not_found("assistant", assistant_id)


async def drawing(graph: CompiledStateGraph[Any, Any, Any, Any], xray: str) -> dict[str, Any]:
    """Nodes and edges of the graph.

    Args:
        graph: The graph.
        xray: Whether its subgraphs are drawn: empty, `true`, `false` or how deep.

    Raises:
        RequestError: `xray` is none of these.
    """
    deep: bool | int = xray.lower() == "true"
    if xray.isascii() and xray.isdecimal() and 0 < int(xray[:3]) <= _DEEPEST:
        deep = int(xray)
    elif xray.lower() not in {"", "true", "false"}:
        raise RequestError(422, f"xray; it is neither true nor false nor 1 to {_DEEPEST}; give one of these")
    drawn: dict[str, Any] = (await graph.aget_graph(xray=deep)).to_json()
    return drawn


@cache
def schemas(graph: CompiledStateGraph[Any, Any, Any, Any]) -> dict[str, Any]:
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
