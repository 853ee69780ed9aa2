"""Tools as a prompt describes them: a signature with the types of its arguments, nested ones included."""

import json
from collections.abc import Mapping
from typing import Any, Final

from weiwo.tools.printable import one_line
from weiwo.tools.tool_info import ToolInfo

LONGEST: Final = 400
"""Characters of what is said of a tool, or of one of its arguments."""
_LONGEST_TYPE: Final = 300
_DEEPEST: Final = 3
"""How deep the fields of objects are named; what is deeper is \"object\", and a type that holds itself ends there."""


def describe_tool(info: ToolInfo) -> str:
    """A tool in a few lines: its signature, what it does, and what is said of its arguments."""
    properties: Mapping[str, Any] = info.args_schema["properties"]
    types = TypeNames(info.args_schema.get("$defs"))
    signature = ", ".join(types.describe_fields(properties, info.args_schema["required"], 0))
    lines = [f"- {info.name}({signature}): {one_line(info.description, LONGEST)}"]
    lines += [
        f"    {name}: {one_line(str(schema['description']), LONGEST)}"
        for name, schema in properties.items()
        if isinstance(schema, Mapping) and schema.get("description")
    ]
    return "\n".join([*lines, f"    earlier calls: {info.note}"] if info.note else lines)


class TypeNames:
    """Types of JSON schemas in a few words.

    Args:
        definitions: What `$ref` refers to.
    """

    def __init__(self, definitions: Any) -> None:
        self._definitions = definitions if isinstance(definitions, Mapping) else {}

    def describe_fields(self, properties: Mapping[str, Any], required: Any, depth: int) -> list[str]:
        """Each field with its type; one that may be left out has a question mark, and its default."""
        needed = set(required) if isinstance(required, list | tuple) else set()
        return [self._describe_field(name, schema, depth, name in needed) for name, schema in properties.items()]

    def _describe_field(self, name: str, schema: Any, depth: int, required: bool) -> str:  # noqa: FBT001  # private, one caller
        kind = one_line(self.name(schema, depth), _LONGEST_TYPE)
        if required:
            return f"{name}: {kind}"
        default = schema.get("default") if isinstance(schema, Mapping) else None
        return f"{name}?: {kind}" + ("" if default in (None, "") else f" = {json.dumps(default, ensure_ascii=False)}")

    def name(self, schema: Any, depth: int = 0) -> str:
        """A schema's type.

        Args:
            schema: The schema.
            depth: How many objects it is in.
        """
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
        """The definition that a schema refers to, alone or as the one part of an `allOf`."""
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
