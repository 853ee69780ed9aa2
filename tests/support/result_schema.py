"""Generate the JSON schema, the page's types and the `TypedDict` of a result from its model: `make result-schema`.

A field is required unless the model leaves it out where it is empty (`exclude_if`). Descriptions are the attribute
sections of the classes' docstrings, so they are written once.
"""

import inspect
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, models_json_schema

from weiwo.state.result import INTERNAL, ConsentRequest, PlanRequest, ReplyRequest, Result

ROOT: Final = Path(__file__).parents[2]
SCHEMA: Final = ROOT / "app" / "result.schema.json"
TYPES: Final = ROOT / "app" / "page" / "src" / "result.ts"
TYPED_DICT: Final = ROOT / "state" / "result_json.py"
_REQUESTS: Final = {"waiting": PlanRequest, "waiting_for_reply": ReplyRequest, "waiting_for_consent": ConsentRequest}
"""What is printed in place of a result, by its name in the schema."""
_WIDTH: Final = 120


class _Generator(GenerateJsonSchema):
    """Pydantic's generator, with the descriptions of docstrings and without titles."""

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002 - as pydantic calls it
        return False

    def field_is_required(self, field: Any, total: bool) -> bool:  # noqa: FBT001, ARG002 - as pydantic calls it
        return "serialization_exclude_if" not in field

    def model_schema(self, schema: Any) -> dict[str, Any]:
        made = super().model_schema(schema)
        return describe(schema["cls"], made)


def describe(model: type[BaseModel], made: dict[str, Any]) -> dict[str, Any]:
    """Put the words of a class's docstring into its schema."""
    summary, attributes = read_docstring(model)
    made.pop("title", None)
    made["description"] = summary
    names = {field.serialization_alias or name: name for name, field in model.model_fields.items()}
    for shown, of in made["properties"].items():
        if text := attributes.get(names[shown]):
            of["description"] = text
    return made


def read_docstring(model: type[BaseModel]) -> tuple[str, dict[str, str]]:
    """The first paragraph of a class's docstring, and its attributes with those of its base classes."""
    attributes: dict[str, str] = {}
    for base in reversed(model.__mro__):
        section = inspect.cleandoc(base.__dict__.get("__doc__") or "").partition("Attributes:\n")[2]
        for name, text in re.findall(r"^    (\w+): (.+(?:\n {5,}.+)*)", section, re.MULTILINE):
            attributes[name] = " ".join(text.split())
    return " ".join(inspect.cleandoc(model.__doc__ or "").partition("\n\n")[0].split()), attributes


def build_schema() -> dict[str, Any]:
    """The JSON schema of a result; `$defs` also has what is printed in its place while a person is waited for."""
    models = [(model, "serialization") for model in (Result, *_REQUESTS.values())]
    for model, _ in models:
        model.model_rebuild()
    _, made = models_json_schema(models, by_alias=True, schema_generator=_Generator)  # type: ignore[arg-type]
    defs = made["$defs"]
    for field, names in INTERNAL.items():
        properties = defs["Result"]["properties"][field]
        of = defs[(properties.get("items") or properties["additionalProperties"])["$ref"].rpartition("/")[2]]
        for name in names:
            del of["properties"][name]
        of["required"] = [name for name in of.get("required", ()) if name not in names]
    # What an outcome's particulars and its work are may change from version to version.
    properties = defs["Outcome"]["properties"]
    for name in ("detail", "trace"):
        properties[name] = {"type": "object", "description": properties[name]["description"]}
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "urn:weiwo:result", "title": "Result"}
    defs |= {name: defs.pop(model.__name__) for name, model in _REQUESTS.items()}
    whole = defs.pop("Result")
    used = _find_references(whole, defs, set(_REQUESTS))
    return {**head, **whole, "$defs": {name: defs[name] for name in sorted(used)}}


def _find_references(whole: Any, defs: dict[str, Any], names: set[str]) -> set[str]:
    """The definitions that a schema and those named use, those named included."""
    found: set[str] = set()
    new = {*names, *re.findall(r'"#/\$defs/(\w+)"', json.dumps(whole))}
    while new := new - found:
        found |= new
        new = {name for one in new for name in re.findall(r'"#/\$defs/(\w+)"', json.dumps(defs[one]))}
    return found


def write_types(schema: dict[str, Any]) -> str:
    """The schema as TypeScript interfaces."""
    defs = {name: of for name, of in schema["$defs"].items() if name not in _REQUESTS and name != "JsonValue"}
    named = {"Result": schema, **defs}
    lines = ["// Generated from state/result.py by `make result-schema`. Do not edit.", ""]
    lines += ["export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };", ""]
    for name in sorted(named):
        lines += [*_write_definition(name, named[name]), ""]
    return "\n".join(lines)


def _write_definition(name: str, schema: dict[str, Any]) -> Iterator[str]:
    if "properties" not in schema:
        yield f"export type {name} = {_write_type(schema)};"
        return
    if said := schema.get("description"):
        yield f"/** {said} */"
    yield f"export interface {name} {{"
    required = schema.get("required", ())
    for field, of in schema["properties"].items():
        if said := of.get("description"):
            yield f"  /** {said} */"
        yield f"  {field}{'' if field in required else '?'}: {_write_type(of)};"
    yield "}"


def _write_type(schema: dict[str, Any]) -> str:
    """The type of a value."""
    match schema:
        case {"$ref": str(path)}:
            written = path.rpartition("/")[2].replace("JsonValue", "Json")
        case {"const": constant}:
            written = json.dumps(constant)
        case {"enum": words}:
            written = " | ".join(map(json.dumps, words))
        case {"anyOf": options}:
            written = " | ".join(map(_write_type, options))
        case {"prefixItems": items}:
            written = f"[{', '.join(map(_write_type, items))}]"
        case {"type": "array", "items": items}:
            written = f"Array<{_write_type(items)}>"
        case {"type": "object", "additionalProperties": dict(items)}:
            written = f"Record<string, {_write_type(items)}>"
        case {"type": "object"}:
            written = "Record<string, Json>"
        case {"type": "integer"}:
            written = "number"
        case {"type": str(simple)}:
            written = simple
        case _:
            written = "Json"
    return written


_TYPED_DICT_HEAD: Final = '''"""A result as JSON values. Generated from state/result.py by `make result-schema`; do not edit."""

from typing import Any, Literal

from typing_extensions import TypedDict  # pydantic reads no other before Python 3.12


class ResultJson(TypedDict, total=False):
    """An answer and everything behind it; `weiwo.state.result.Result` says what each field is."""

'''


def write_typed_dict(schema: dict[str, Any]) -> str:
    """The fields of a result as a `TypedDict`, for users whose type checker reads `graph.invoke(…)["result"]`."""
    return _TYPED_DICT_HEAD + "".join(
        f"    {field}: {_write_python_type(of)}\n" for field, of in schema["properties"].items()
    )


def _write_python_type(schema: dict[str, Any]) -> str:
    """The type of a value in Python; of an object only that it is one."""
    match schema:
        case {"enum": words}:
            written = f"Literal[{', '.join(map(json.dumps, words))}]"
        case {"anyOf": options}:
            written = " | ".join(map(_write_python_type, options))
        case {"type": "array", "items": items}:
            written = f"list[{_write_python_type(items)}]"
        case {"type": "object", "additionalProperties": dict(items)}:
            written = f"dict[str, {_write_python_type(items)}]"
        case {"type": str(simple)}:
            written = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}[simple]
        case _:
            written = "dict[str, Any]"
    return written


def generate() -> dict[Path, str]:
    """The generated files, by path."""
    schema = build_schema()
    published = json.dumps(schema, indent=1, ensure_ascii=False) + "\n"
    return {SCHEMA: published, TYPES: write_types(schema), TYPED_DICT: write_typed_dict(schema)}


if __name__ == "__main__":
    for path, text in generate().items():
        path.write_text(text, "utf-8")
