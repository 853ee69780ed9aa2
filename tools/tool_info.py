"""Static information about a tool, available without a call."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from weiwo.state import ValueType
from weiwo.text.printable import one_line


@dataclass(frozen=True, slots=True)
class ToolInfo:
    """Static information about a tool, available without a call."""

    name: str  # its name, by which tasks bind to it
    description: str  # what it does, for a planner
    args_schema: dict[str, Any]  # its arguments as JSON schema: `properties` and `required`
    # Tools of one cluster do the same kind of thing: "search", "open", "compute", "dates", what a tool's metadata say
    # (`cluster`), or "other:NAME" after the first of those that `clusters` finds alike.
    cluster: str
    available: bool  # whether it can be called
    why_not: str  # why it cannot, and what would change that; empty if it can
    returns: tuple[ValueType, ...]  # the types of value a task can get from it
    cache_seconds: float = 0.0  # how long a result may be used again; 0: not at all
    # Whether it may change something, so that a person is asked before, and no call of it is merged, kept, made again
    # or stood in for.
    acts: bool = False
    server: str = ""  # the MCP server it is of; empty for any other
    idempotent: bool = False  # whether an acting tool's call, made twice, changes no more than made once
    always_ask: bool = False  # whether a person is asked whatever is allowed in general
    # Whether the run gives it something beside its arguments, so that no call of it is merged or kept.
    injected: bool = False
    note: str = ""  # what its calls have taught of how to call it, for a planner; empty where nothing


_LONGEST: Final = 400
"""Characters of what is said of a tool, or of one of its arguments."""
_LONGEST_TYPE: Final = 300
_DEEPEST: Final = 3
"""How deep the fields of objects are named; what is deeper is \"object\", and a type that holds itself ends there."""


def describe_tool(info: ToolInfo) -> str:
    """Describe a tool in a few lines: signature, description and argument descriptions."""
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
        """Describe each field with a type.

        An optional field gets a question mark and its default.
        """
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
        """A schema's type."""
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
        """Resolve the definition referenced by a schema.

        The reference may stand alone or as the only part of an `allOf`.
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
