"""Argument validation: a tool's schema, and checks of calls against the schema."""

from collections.abc import Mapping
from typing import Any, Final
from weakref import WeakKeyDictionary

from langchain_core.tools import BaseTool, Tool
from pydantic import BaseModel, ValidationError

from weiwo.state import JsonValue
from weiwo.tools.calling.errors import ToolCallError, first_complaint

_KINDS: Final[dict[str, type | tuple[type, ...]]] = {
    "string": str,
    "boolean": bool,
    "integer": int,
    "number": (int, float),
    "array": (list, tuple),
    "object": Mapping,
    "null": type(None),
}

_known: Final[WeakKeyDictionary[type, tuple[dict[str, Any], Any]]] = WeakKeyDictionary()
"""Cache of the schema and validation model by the tools' arguments class. Deriving them takes milliseconds."""


def schema_of(tool: BaseTool) -> dict[str, Any]:
    """Return the JSON schema of the arguments that a caller may give, without injected ones.

    The schema always has `properties` and `required`.
    """
    return _schema_and_model(tool)[0]


def _schema_and_model(tool: BaseTool) -> tuple[dict[str, Any], Any]:
    """Return the schema and the validation model of a tool, cached by its arguments class.

    LangChain builds a new model on each access. The model is None for a tool that takes a single string.
    """
    declared = tool.args_schema
    if not isinstance(declared, type):
        return _derive_schema(tool), None if _takes_one(tool) else tool.tool_call_schema
    if declared not in _known:
        _known[declared] = _derive_schema(tool), tool.tool_call_schema
    return _known[declared]


def _derive_schema(tool: BaseTool) -> dict[str, Any]:
    if _takes_one(tool):
        return {"properties": dict(tool.args), "required": list(tool.args)}
    schema = tool.tool_call_schema
    known: Mapping[str, Any]
    if isinstance(schema, dict):
        known = schema
    else:
        known = schema.model_json_schema() if issubclass(schema, BaseModel) else schema.schema()
    properties = known.get("properties") or {}
    found: dict[str, Any] = {"properties": dict(properties), "required": list(known.get("required") or ())}
    found |= {key: known[key] for key in ("$defs", "additionalProperties") if key in known}
    if "definitions" in known:  # as drafts of JSON schema before 2019 have it
        found["$defs"] = {**known["definitions"], **found.get("$defs", {})}
    return found


def check_arguments(tool: BaseTool, args: Mapping[str, JsonValue]) -> None:
    """Check the arguments of a call against the tool's schema.

    Raises:
        ToolCallError: `bad_arguments`: an argument is missing, unknown or of the wrong type. The message names it.
    """
    schema, model = _schema_and_model(tool)
    properties: Mapping[str, Any] = schema["properties"]
    missing = [name for name in schema["required"] if name not in args]
    if missing:
        raise ToolCallError("bad_arguments", f"{tool.name}: argument {missing[0]} is missing")
    surplus = [name for name in args if name not in properties]
    if surplus and not schema.get("additionalProperties"):
        takes = ", ".join(properties) or "none"
        raise ToolCallError("bad_arguments", f"{tool.name}: unknown argument {surplus[0]}; it takes {takes}")
    if isinstance(model, type) and issubclass(model, BaseModel):
        try:
            model.model_validate(dict(args))
        except ValidationError as error:
            raise ToolCallError("bad_arguments", f"{tool.name}: {first_complaint(error)}") from None
        return
    for name, value in args.items():
        if wrong := argument_mismatch(value, properties.get(name) or {}):
            raise ToolCallError("bad_arguments", f"{tool.name}: argument {name}: {wrong}")


def is_default(value: JsonValue, schema: Any) -> bool:
    """Report whether a value equals the schema's default, with the same type."""
    if not isinstance(schema, Mapping) or "default" not in schema:
        return False
    return type(schema["default"]) is type(value) and bool(schema["default"] == value)


def arguments_fit(tool: BaseTool, args: Mapping[str, JsonValue]) -> bool:
    """Report whether the arguments of a call pass `check_arguments`."""
    try:
        check_arguments(tool, args)
    except ToolCallError:
        return False
    return True


def _takes_one(tool: BaseTool) -> bool:
    """Report whether a tool takes a single string.

    LangChain derives the schema of such a tool from the wrong function.
    """
    return isinstance(tool, Tool) and tool.args_schema is None


def argument_mismatch(value: JsonValue, schema: Mapping[str, Any]) -> str:
    """Return what is wrong with a value, like "expected integer" or "must be one of a, b", or an empty string.

    Only the schema's `type` and `enum` are checked. The tool checks deeper rules.
    """
    allowed = schema.get("enum")
    if allowed is not None and value not in allowed:
        return f"must be one of {', '.join(map(str, allowed))}"
    kinds = schema.get("type")
    names = [kinds] if isinstance(kinds, str) else list(kinds or ())
    types = [_KINDS[name] for name in names if name in _KINDS]
    if not types or (
        any(isinstance(value, kind) for kind in types) and not (isinstance(value, bool) and bool not in types)
    ):
        return ""
    return f"expected {' or '.join(names)}"
