"""Coercion of a model's JSON to a pydantic model, lenient on shape but not on content."""

import re
from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from weiwo.models.json_reader import parse_json
from weiwo.models.schema import json_schema
from weiwo.state.errors import WeiwoError

T = TypeVar("T", bound=BaseModel)

_WRAPPED_ARGUMENTS = ("arguments", "parameters", "input", "args")
_CONTAINERS = frozenset({"list_type", "dict_type", "tuple_type", "set_type", "model_type", "model_attributes_type"})
_MAX_COMPLAINTS = 6


class SchemaMismatchError(WeiwoError, ValueError):
    """Error raised if no reading of a JSON value fits the schema.

    Attributes:
        words: Up to six errors for the model to correct, as "field: rule" without the values.
        structural: Whether a field is missing, unknown or of another type, which an endpoint that enforces the schema
            would not have sent.
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


def coerce_reply(value: Any, schema: type[T]) -> T:
    """Build an instance of `schema` from a JSON value as sent by models.

    The following variations are accepted:

    - the object inside a list of one, inside a wrapper (`{"Plan": {…}}`, `{"name": …, "arguments": {…}}`,
      `{"properties": {…}}`), or as a string of JSON
    - a bare list if the object has one list field
    - field names in another spelling (`nextStep`, `Next Step`)
    - fields the schema does not know
    - a list or object inside the value given as a string of JSON
    - null for a field that may be left out
    - a value instead of a list, and a list of one instead of a value
    - a number instead of a string
    - a literal in another spelling (`Give up` for `give_up`)

    Raises:
        SchemaMismatchError: No variation is valid. The message describes the value as sent, with keys in the schema's
            spelling.
    """
    first: ValidationError | None = None
    for shape in _shapes(value, schema):
        candidate = shape
        # A repair can reveal another error, so validation is repeated.
        for _ in range(4):
            try:
                return schema.model_validate(candidate)
            except ValidationError as error:
                first = first or error
                mended = _repair_value(candidate, error)
                if mended is None:
                    break
                candidate = mended
    assert first is not None  # noqa: S101 - the value itself was tried
    raise SchemaMismatchError(first)


def _shapes(value: Any, schema: type[BaseModel]) -> Iterator[Any]:
    """Yield the possible readings of a value, likeliest first.

    An object with keys renamed to the fields of the schema comes first, then the value as given, then unwrapped forms.
    For a schema with the field `items`, `[1, 2]` gives `[1, 2]` and `{"items": [1, 2]}`.
    """
    fields = json_schema(schema)[0].get("properties", {})
    renamed = _rename_keys(value, fields) if isinstance(value, Mapping) else value
    yield renamed  # first of all: a field that may be left out would be lost under another spelling
    if renamed != value:
        yield value
    sent = value
    if isinstance(value, str):
        try:
            value = parse_json(value)
        except ValueError:
            return
        yield value
    if isinstance(value, list):
        lists = [
            name
            for name, field in fields.items()
            if any(option.get("type") == "array" for option in (field, *field.get("anyOf", ())))
        ]
        known = schema.model_fields
        lists = [name for name in lists if name in known and known[name].is_required()] or lists
        if len(lists) == 1:
            yield {lists[0]: value}
        if len(value) == 1:
            value = value[0]
            yield value
    if isinstance(value, Mapping):
        if value is not sent:
            yield _rename_keys(value, fields)
        yield from _unwrap_object(value, schema, fields)


def _unwrap_object(value: Mapping[str, Any], schema: type[BaseModel], fields: Mapping[str, Any]) -> Iterator[Any]:
    """Yield the contents of a possible wrapper object.

    `{"arguments": {"city": "Rome"}}` gives `{"city": "Rome"}`. Yields nothing if all keys are fields of the schema.
    """
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
                yield _rename_keys(inner, fields)
        elif isinstance(inner, Mapping):
            # The reply put one part of the object into an object of its own.
            yield _rename_keys({**value, **inner}, fields)


def _rename_keys(value: Mapping[str, Any], fields: Mapping[str, Any]) -> dict[str, Any]:
    """Rename keys to the schema's spelling if only case and separators differ: `nextStep` becomes `next_step`."""
    known = {_fold_key(name): name for name in fields if name not in value}
    return {key if key in fields else known.get(_fold_key(key), key): inner for key, inner in value.items()}


def _fold_key(name: str) -> str:
    return re.sub(r"[\W_]+", "", name).lower()


_NO_VALUE = object()
"""Marks a field to be removed."""


def _repair_value(value: Any, error: ValidationError) -> Any | None:
    """Return a copy of a value with its invalid parts in another form, or None if nothing could be repaired.

    Unknown fields and nulls are removed, so that the default applies or the field is reported as missing. The other
    repairs are those of `coerce_reply`.

    Args:
        value: The value.
        error: The errors of its validation.
    """
    mended, changed = deepcopy(value), False
    # Deletions are made from the back, so that the positions of earlier errors stay valid.
    for detail in reversed(error.errors(include_url=False)):
        parent: Any = mended
        *path, last = detail["loc"] or (None,)
        try:
            for step in path:
                parent = parent[step]
            better = _NO_VALUE if detail["type"] == "extra_forbidden" else _reshape(parent[last], detail)
            if better is _NO_VALUE:
                del parent[last]
            else:
                parent[last] = better
        except (LookupError, TypeError, ValueError, StopIteration):
            # The path may contain the tag of a union, or the value may have no other form.
            continue
        changed = True
    return mended if changed else None


def _reshape(value: Any, detail: Mapping[str, Any]) -> Any:
    """Convert an invalid value to the expected form, or return `_NO_VALUE` to remove it.

    `5` where a string is expected gives `"5"`, `"a"` where a list is expected gives `["a"]`, and null gives
    `_NO_VALUE`.

    Args:
        value: The value.
        detail: The error of the value, as given by pydantic.

    Raises:
        ValueError: The value cannot be converted without guessing. StopIteration for an unknown literal.
    """
    kind: str = detail["type"]
    if value is None and kind != "missing":
        return _NO_VALUE
    if kind in _CONTAINERS:
        if isinstance(value, str) and value.strip():
            try:
                return parse_json(value)
            except ValueError:
                if kind != "list_type":
                    raise
        if kind == "list_type":
            return [] if value == "" else [value]
        if kind == "dict_type" and value in ([], ""):
            return {}
    if isinstance(value, list) and len(value) == 1 and kind.endswith(("_type", "_parsing", "_error")):
        return value[0]
    if kind == "string_type" and isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    if kind == "literal_error" and isinstance(value, str):
        choices = re.findall(r"'([^']*)'", str(detail.get("ctx", {}).get("expected", "")))
        return next(choice for choice in choices if _fold_key(choice) == _fold_key(value))
    raise ValueError(kind)
