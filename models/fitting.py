"""Makes a pydantic model of the JSON a language model sent, forgiving its shape but not its content."""

import re
from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from models.json_text import parse_json
from models.schema import json_schema

T = TypeVar("T", bound=BaseModel)

_WRAPPED_ARGUMENTS = ("arguments", "parameters", "input", "args")
_CONTAINERS = frozenset({"list_type", "dict_type", "tuple_type", "set_type", "model_type", "model_attributes_type"})
_MAX_COMPLAINTS = 6


class MisfitError(ValueError):
    """JSON that does not fit the schema.

    Attributes:
        words: What is wrong, for the model to correct: field and rule, without the values.
        structural: A field is missing, unknown or of another type; what a
            schema-constrained endpoint could not have sent.
    """

    def __init__(self, error: ValidationError) -> None:
        details = error.errors(include_url=False, include_input=False, include_context=False)
        lines = [
            f"{'.'.join(map(str, detail['loc'])) or 'the whole'}: {' '.join(detail['msg'].split())[:200]}"
            for detail in details[:_MAX_COMPLAINTS]
        ]
        self.words = "; ".join(lines)
        self.structural = any(
            detail["type"] in {"missing", "extra_forbidden"} or detail["type"].endswith("_type") for detail in details
        )
        super().__init__(self.words)


def fit(value: Any, schema: type[T]) -> T:
    """An instance of `schema` from a JSON value as models send it.

    Tolerated: the object inside a list of one, inside a wrapper (`{"Plan": {…}}`,
    `{"name": …, "arguments": {…}}`, `{"properties": {…}}`), or as a string of JSON;
    a bare list where the object has one list field; field names in another
    spelling (`nextStep`, `Next Step`); fields the schema does not know; a list or
    object inside the value given as a string of JSON.

    Raises:
        MisfitError: No such reading is valid; the words are about the value as it was sent.
    """
    first: ValidationError | None = None
    for shape in _shapes(value, schema):
        candidate = shape
        for _ in range(3):  # mending one thing can uncover another
            try:
                return schema.model_validate(candidate)
            except ValidationError as error:
                first = first or error
                mended = _mend(candidate, error)
                if mended is None:
                    break
                candidate = mended
    assert first is not None  # noqa: S101 - the value itself was tried
    raise MisfitError(first)


def _shapes(value: Any, schema: type[BaseModel]) -> Iterator[Any]:
    """The value, then the ways it may be wrapped, likeliest first."""
    yield value
    fields = json_schema(schema)[0].get("properties", {})
    if isinstance(value, str):
        try:
            value = parse_json(value)
        except ValueError:
            return
        yield value
    if isinstance(value, list):
        lists = [name for name, field in fields.items() if _is_list(field)]
        if len(lists) == 1:
            yield {lists[0]: value}
        if len(value) == 1:
            value = value[0]
            yield value
    if isinstance(value, Mapping):
        yield _renamed(value, fields)
        yield from _unwrapped(value, schema, fields)


def _unwrapped(value: Mapping[str, Any], schema: type[BaseModel], fields: Mapping[str, Any]) -> Iterator[Any]:
    """What an object holds that may be a wrapper around the wanted one."""
    for key, inner in value.items():
        if key in fields:
            continue
        if isinstance(inner, str) and key in _WRAPPED_ARGUMENTS:
            yield from _shapes(inner, schema)
        elif isinstance(inner, Mapping | list) and (
            len(value) == 1 or key in _WRAPPED_ARGUMENTS or (key == "properties" and "type" in value)
        ):
            yield inner
            if isinstance(inner, Mapping):
                yield _renamed(inner, fields)


def _is_list(field: Mapping[str, Any]) -> bool:
    return field.get("type") == "array" or any(option.get("type") == "array" for option in field.get("anyOf", ()))


def _renamed(value: Mapping[str, Any], fields: Mapping[str, Any]) -> dict[str, Any]:
    """The object with keys that only differ in case and separators spelled as the schema spells them."""
    known = {_folded(name): name for name in fields}
    return {key if key in fields else known.get(_folded(key), key): inner for key, inner in value.items()}


def _folded(name: str) -> str:
    return re.sub(r"[\W_]+", "", name).lower()


def _mend(value: Any, error: ValidationError) -> Any | None:
    """The value without the fields the schema does not know and with strings of JSON read; None if neither helps."""
    mended, changed = deepcopy(value), False
    for detail in error.errors(include_url=False, include_context=False):
        kind = detail["type"]
        if kind != "extra_forbidden" and kind not in _CONTAINERS:
            continue
        parent: Any = mended
        *path, last = detail["loc"] or (None,)
        try:
            for step in path:
                parent = parent[step]
            if kind == "extra_forbidden":
                del parent[last]
            elif isinstance(parent[last], str):
                parent[last] = parse_json(parent[last])
            else:
                continue
        except (LookupError, TypeError, ValueError):
            continue  # a union's tag stands in the path, or the string is no JSON
        changed = True
    return mended if changed else None
