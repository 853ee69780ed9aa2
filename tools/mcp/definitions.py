"""Definitions of MCP tools: bounded and checked versions of a server's tool descriptions.

Descriptions are text from outside, never instructions. A description that addresses a model (for example by ordering a
call of another tool) is left out, and every call of the tool needs a person's approval. Annotations are claims: a tool
is assumed to act unless a trusted server declares it read-only.
"""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

from weiwo.text.data_files import data_pattern
from weiwo.text.injection import addresses_model
from weiwo.text.printable import one_line
from weiwo.tools.mcp.problems import ProblemLine, describe_problem, join_names
from weiwo.tools.mcp.servers import McpServer

MOST_TOOLS: Final = 2_000
"""Limit of the tools of a server."""
_LONGEST_NAME: Final = 64
"""Limit of a tool name in characters, accepted by every model endpoint."""
_LONGEST_DESCRIPTION: Final = 1_000
_LARGEST_SCHEMA: Final = 20_000
_DEEPEST_SCHEMA: Final = 20
_UNFIT: Final = re.compile(r"[^A-Za-z0-9_-]+")
_WITHHELD: Final = "(The server's description gives instructions to the model and is left out.)"

_CALL_ORDERS: Final = data_pattern("injection", "tool_descriptions", "orders")
_CALLS: Final = data_pattern("injection", "tool_descriptions", "calls")


@dataclass(frozen=True)
class ToolDefinition:
    """Definition of a single tool of an MCP server."""

    name: str  # local name, SERVER_TOOL in characters that model endpoints accept
    server: str  # name of the server
    own_name: str  # name at the server
    description: str  # the server's description on one line, or `_WITHHELD` if the tool is suspicious
    args_schema: dict[str, Any]
    read_only: bool = False  # whether a trusted server declares the tool read-only
    idempotent: bool = False  # whether a trusted server declares that repeated calls have no further effect
    annotations: tuple[tuple[str, bool], ...] = ()  # the server's hints, such as ("read_only_hint", True)
    suspicious: bool = False  # whether a text of the tool addresses the model

    @property
    def source(self) -> str:
        """Source of the tool's results, as `mcp://SERVER/TOOL`."""
        return f"mcp://{self.server}/{one_line(self.own_name, 100)}"

    @property
    def fingerprint(self) -> str:
        """Hash of the definition, which shows that the server changed the tool."""
        parts = [self.server, self.own_name, self.description, self.args_schema, self.read_only, self.annotations]
        return sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()[:16]


def define_tools(server: McpServer, tools: Sequence[Any]) -> tuple[dict[str, ToolDefinition], list[ProblemLine]]:
    """Build the definitions of the tools listed by a server.

    Returns:
        The definitions by their local names, and the problems found in the list, one line each.
    """
    found: dict[str, ToolDefinition] = {}
    twice: list[str] = []
    unfit: list[str] = []
    own = frozenset(_fold_name(str(tool.name)) for tool in tools[:MOST_TOOLS])
    for tool in tools[:MOST_TOOLS]:
        defined = _define(server, tool, own)
        if defined is None:
            unfit.append(one_line(str(tool.name), 60))
        elif defined.name in found:
            twice.append(one_line(tool.name, 60))
        else:
            found[defined.name] = defined
    problems = []
    if len(tools) > MOST_TOOLS:
        problems.append(describe_problem("many_tools", MOST_TOOLS, MOST_TOOLS))
    if twice:
        problems.append(describe_problem("twice", join_names(twice)))
    if unfit:
        problems.append(describe_problem("unfit", join_names(unfit)))
    if odd := [one_line(value.own_name, 60) for value in found.values() if value.suspicious]:
        problems.append(describe_problem("speaks", join_names(odd)))
    return found, problems


def _define(server: McpServer, tool: Any, siblings: frozenset[str]) -> ToolDefinition | None:
    own = str(tool.name)
    schema = _arguments(tool.input_schema)
    if schema is None or not own.strip():
        return None
    name = _UNFIT.sub("_", f"{server.name}_{own}").strip("_")
    if len(name) > _LONGEST_NAME:
        name = f"{name[: _LONGEST_NAME - 9]}_{sha256(own.encode()).hexdigest()[:8]}"
    claims = tool.annotations
    said = {
        key: value
        for key in ("read_only_hint", "destructive_hint", "idempotent_hint", "open_world_hint")
        if isinstance(value := getattr(claims, key, None), bool)
    }
    description = one_line(str(tool.description or tool.title or own), _LONGEST_DESCRIPTION)
    texts = (own, *_texts(schema), str(tool.description or "")[: 10 * _LONGEST_DESCRIPTION])
    suspicious = any(_speaks(text, siblings) for text in dict.fromkeys(texts))
    return ToolDefinition(
        name=name,
        server=server.name,
        own_name=own,
        description=_WITHHELD if suspicious else description,
        args_schema=_without_texts(schema) if suspicious else schema,
        read_only=server.trusted and not suspicious and said.get("read_only_hint") is True,
        idempotent=server.trusted and said.get("idempotent_hint") is True,
        annotations=tuple(sorted(said.items())),
        suspicious=suspicious,
    )


def _arguments(schema: Any) -> dict[str, Any] | None:
    """Return an argument schema with `type`, `properties` and `required`, or None if the schema is unusable.

    A usable schema describes an object and is within the limits of size and depth.
    """
    if not isinstance(schema, dict) or schema.get("type", "object") != "object" or _depth(schema) > _DEEPEST_SCHEMA:
        return None
    properties, required = schema.get("properties", {}), schema.get("required", [])
    if not isinstance(properties, dict) or not all(isinstance(item, dict) for item in properties.values()):
        return None
    if not isinstance(required, list) or len(json.dumps(schema, default=str)) > _LARGEST_SCHEMA:
        return None
    return {**schema, "type": "object", "properties": properties, "required": [str(item) for item in required]}


def _depth(schema: Any) -> int:
    """Return the nesting depth of a schema. Counting stops just past `_DEEPEST_SCHEMA`."""
    level, depth = [schema], 0
    while level and depth <= _DEEPEST_SCHEMA:
        depth += 1
        level = [
            inner
            for item in level
            for inner in (item.values() if isinstance(item, dict) else item)
            if isinstance(inner, dict | list)
        ]
    return depth


def _texts(schema: Any) -> Iterable[str]:
    """Yield all texts in a schema, including the names of arguments, since a model reads them too."""
    if isinstance(schema, dict):
        for key, value in schema.items():
            yield str(key)
            yield from [value] if isinstance(value, str) else _texts(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from [value] if isinstance(value, str) else _texts(value)


def _without_texts(schema: Any) -> Any:
    """Return a copy of a schema without descriptions, titles, examples and comments."""
    if isinstance(schema, list):
        return [_without_texts(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: _without_texts(value)
        for key, value in schema.items()
        if not (key in {"description", "title", "examples", "$comment"} and not isinstance(value, dict))
    }


def _speaks(text: str, siblings: frozenset[str]) -> bool:
    """Report whether a server's text addresses a model, or orders a call of another server's tool.

    `siblings` are the folded names of the server's own tools.
    """
    if _CALL_ORDERS.search(text) or addresses_model(text):
        return True
    called = (next(filter(None, found.groups())) for found in _CALLS.finditer(text))
    return any(("_" in name or "-" in name) and _fold_name(name) not in siblings for name in called)


def _fold_name(name: str) -> str:
    return _UNFIT.sub("_", name).strip("_.-").replace("-", "_").casefold()
