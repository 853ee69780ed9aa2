"""JSON schemas of pydantic models, adapted to chat model endpoints."""

import json
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from pydantic import BaseModel

_NOT_STRICT = ("patternProperties", "prefixItems", "allOf", "not", "if", "dependentRequired")
_DROPPED = frozenset({"title", "default", "examples", "discriminator", "minLength"})
BOUNDS = frozenset({"maxItems", "maxLength"})
"""Keywords of JSON schema that limit the length of lists and strings."""
_FORMATS = frozenset({"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"})


def schema_name(schema: type[BaseModel]) -> str:
    """Return the name of a schema in requests: its attribute `requested_as`, else the class name.

    Characters other than letters, digits, "_" and "-" become "_".
    """
    return re.sub(r"[^a-zA-Z0-9_-]", "_", getattr(schema, "requested_as", schema.__name__))[:64]


@lru_cache(maxsize=128)
def json_schema(
    schema: type[BaseModel], unbounded: frozenset[str] = frozenset({"maxLength"})
) -> tuple[dict[str, Any], bool]:
    """Return the JSON schema of a pydantic model, and whether it is in the form for `strict` decoding.

    Strict decoding needs every object closed and every property required (OpenAI, "Structured Outputs", supported
    schemas). If the schema can be brought into this form, properties with a default become required too. Otherwise
    (free-form objects, values of any type) the plain schema is returned. So is a schema with the attribute `sparse`,
    because a reply needs few of its many fields, and naming them all would cost tokens. The caller must not modify the
    result.

    Args:
        schema: The model.
        unbounded: Keywords of `BOUNDS` to leave out, because the endpoint does not support them.
    """
    plain = _drop_words(schema.model_json_schema(), unbounded)
    if getattr(schema, "sparse", False):
        return _describe(plain), False
    if plain.get("type") == "object" and plain.get("properties") and all(map(_fits_strict, _nodes(plain))):
        strict = _strict(plain)
        assert isinstance(strict, dict)  # noqa: S101 - an object stays an object
        return strict, True
    return plain, False


def _drop_words(node: Any, words: frozenset[str]) -> Any:
    """Remove keywords like "maxLength" from a schema at any depth, keeping properties with the same names."""
    if isinstance(node, list):
        return [_drop_words(inner, words) for inner in node]
    if not isinstance(node, Mapping):
        return node
    return {
        key: {name: _drop_words(inner, words) for name, inner in value.items()}
        if key in ("properties", "$defs")
        else _drop_words(value, words)
        for key, value in node.items()
        if key not in words
    }


def _nodes(node: Any) -> Iterator[Mapping[str, Any]]:
    """Yield a schema and every schema inside it."""
    if not isinstance(node, Mapping):
        return
    yield node
    for key in ("$defs", "properties"):
        for inner in node.get(key, {}).values():
            yield from _nodes(inner)
    for key in ("items", "additionalProperties"):
        yield from _nodes(node.get(key))
    for key in ("anyOf", "oneOf"):
        for inner in node.get(key, ()):
            yield from _nodes(inner)


def _fits_strict(node: Mapping[str, Any]) -> bool:
    if any(key in node for key in _NOT_STRICT):
        return False
    if node.get("type") == "object":
        return bool(node.get("properties")) and not node.get("additionalProperties")
    if node.get("type") == "array":
        return "items" in node
    return any(key in node for key in ("type", "enum", "const", "anyOf", "oneOf", "$ref"))


def _strict(node: Any) -> Any:
    """Return a schema node in strict form: closed, all required, without refused keywords."""
    if not isinstance(node, Mapping):
        return node
    if "$ref" in node:
        return {"$ref": node["$ref"]}
    found: dict[str, Any] = {}
    for key, value in node.items():
        if key in _DROPPED or (key == "format" and value not in _FORMATS):
            continue
        if key in ("properties", "$defs"):
            found[key] = {name: _strict(inner) for name, inner in value.items()}
        elif key in ("anyOf", "oneOf"):
            found["anyOf"] = [_strict(inner) for inner in value]
        else:
            found[key] = _strict(value) if key == "items" else value
    if found.get("type") == "object":
        found["required"] = list(found["properties"])
        found["additionalProperties"] = False
    return found


def schema_prompt(schema: type[BaseModel]) -> str:
    """Return the instruction to reply with JSON of a schema, for the mode "json_text"."""
    plain = _drop_words(schema.model_json_schema(), BOUNDS)
    body = json.dumps(_describe(plain), ensure_ascii=False, separators=(",", ":"))
    return (
        "Reply with one JSON object and nothing else: no explanation, no code fence. "
        f'It must be an instance of the JSON schema "{schema_name(schema)}":\n{body}'
    )


def _describe(node: Any, defined: Mapping[str, Any] | None = None) -> Any:
    """Remove titles, empty defaults and empty definitions from a schema node."""
    if isinstance(node, list):
        return [_describe(inner, defined) for inner in node]
    if not isinstance(node, Mapping):
        return node
    defined = node.get("$defs", {}) if defined is None else defined
    reference = str(node.get("$ref", "")).rpartition("/")[2]
    if reference and not defined.get(reference, {"type": ""}):
        return {}
    told: dict[str, Any] = {}
    for key, value in node.items():
        if key in ("properties", "$defs"):  # names here, not words of the schema
            named = {name: _describe(inner, defined) for name, inner in value.items() if inner or key == "properties"}
            if named:
                told[key] = named
        elif key != "title" and not (key == "default" and value in (None, "", 0)):
            told[key] = (
                value if key in ("enum", "const", "default", "required", "examples") else _describe(value, defined)
            )
    return told
