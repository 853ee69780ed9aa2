"""Metadata of a tool, and its description for a planner."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from weiwo.state import ValueType
from weiwo.text.printable import one_line


@dataclass(frozen=True, slots=True)
class ToolInfo:
    """Metadata of a tool, known without calling it."""

    name: str  # name by which tasks refer to the tool
    description: str  # for a planner
    args_schema: dict[str, Any]  # JSON schema of the arguments: `properties` and `required`
    # Tools with the same cluster have the same function: "search", "open", "compute", "dates", a cluster stated in the
    # tool's metadata, or "other:NAME" with the first of similar tools.
    cluster: str
    available: bool  # whether the tool can be called
    why_not: str  # reason why not, and the remedy; empty if available
    returns: tuple[ValueType, ...]  # types of value that a task can get from the tool
    cache_seconds: float = 0.0  # lifetime of a cached result; 0: no caching
    # Whether a call may change something. Then a person is asked first, and calls are not merged, cached, retried or
    # replaced by a substitute.
    acts: bool = False
    server: str = ""  # MCP server of the tool, if any
    idempotent: bool = False  # whether repeating an acting call has no further effect
    always_ask: bool = False  # whether a person is asked even if acting tools are allowed
    injected: bool = False  # whether the run injects arguments, so that calls are not merged or cached
    note: str = ""  # advice for a planner on calling the tool, learned from earlier calls


_LONGEST: Final = 400
"""Limit of a tool's or argument's description in characters."""
_LONGEST_TYPE: Final = 300
_DEEPEST: Final = 3
"""Nesting depth up to which fields of objects are described. Deeper ones are "object", which ends recursive types."""


def describe_tool(info: ToolInfo) -> str:
    """Describe a tool in a few lines: signature, description, arguments and the note on earlier calls, if any."""
    properties: Mapping[str, Any] = info.args_schema["properties"]
    types = TypeNames(info.args_schema.get("$defs"))
    signature = ", ".join(types.describe_fields(properties, info.args_schema["required"], 0))
    lines = [f"- {info.name}({signature}): {one_line(info.description, _LONGEST)}"]
    lines += [
        f"    {name}: {one_line(str(schema['description']), _LONGEST)}"
        for name, schema in properties.items()
        if isinstance(schema, Mapping) and schema.get("description")
    ]
    return "\n".join([*lines, f"    earlier calls: {info.note}"] if info.note else lines)


class TypeNames:
    """Short notation for types of JSON schemas, with references resolved: `list of string`."""

    def __init__(self, definitions: Any) -> None:
        self._definitions = definitions if isinstance(definitions, Mapping) else {}

    def describe_fields(self, properties: Mapping[str, Any], required: Any, depth: int) -> list[str]:
        """Describe each field with its type: "city: string", or "k?: integer = 6" for an optional field."""
        needed = set(required) if isinstance(required, list | tuple) else set()
        described: list[str] = []
        for name, schema in properties.items():
            kind = one_line(self.name(schema, depth), _LONGEST_TYPE)
            if name in needed:
                described.append(f"{name}: {kind}")
                continue
            default = schema.get("default") if isinstance(schema, Mapping) else None
            shown = "" if default in (None, "") else f" = {json.dumps(default, ensure_ascii=False)}"
            described.append(f"{name}?: {kind}{shown}")
        return described

    def name(self, schema: Any, depth: int = 0) -> str:
        """Return a short name for the type of a schema, e.g. "string", "list of string" or "{x: number}"."""
        schema = self._resolve(schema)
        if not isinstance(schema, Mapping):
            return "any"
        if "enum" in schema:
            return "|".join(json.dumps(choice, ensure_ascii=False) for choice in schema["enum"])
        if "const" in schema:
            return json.dumps(schema["const"], ensure_ascii=False)
        if isinstance(options := schema.get("anyOf") or schema.get("oneOf"), list) and depth <= _DEEPEST:
            kinds = (self.name(option, depth + 1) for option in options if self._resolve(option) != {"type": "null"})
            return "|".join(dict.fromkeys(kinds))
        if schema.get("type") == "array":
            return f"list of {self.name(schema.get('items', {}), depth + 1)}" if depth <= _DEEPEST else "list"
        if isinstance(fields := schema.get("properties"), Mapping) and fields and depth < _DEEPEST:
            return "{" + ", ".join(self.describe_fields(fields, schema.get("required"), depth + 1)) + "}"
        kind = schema.get("type", "any")
        return "|".join(map(str, kind)) if isinstance(kind, list) else str(kind)

    def _resolve(self, schema: Any) -> Any:
        """Return the definition that a schema refers to by `$ref`, also if the `$ref` is the only entry of an `allOf`.

        A schema without reference is returned unchanged, and an unknown reference gives an empty schema.
        """
        for _ in range(_DEEPEST):
            if not isinstance(schema, Mapping):
                return schema
            parts = schema.get("allOf")
            if isinstance(parts, list) and len(parts) == 1:
                schema = parts[0]
            elif isinstance(reference := schema.get("$ref"), str):
                schema = self._definitions.get(reference.rpartition("/")[2], {})
            else:
                return schema
        return schema
