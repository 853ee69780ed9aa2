"""References of a task, filled with the values of the tasks it builds on.

This makes a plan worth more than its questions asked side by side: the answer of one task becomes a word in the next
task's query, or a number in its formula. A reference that is the whole argument passes the typed value. A reference
inside a longer string is written out as prose in the question's language, or, inside an arithmetic expression, as a
literal.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from weiwo.state import REFERENCE, JsonValue, Language, Outcome, Task, ValueType
from weiwo.text.dates import PartialDate
from weiwo.text.values import coerce, render

FORMULA_TOOLS: Final = frozenset({"calculator"})
"""Tools with arithmetic in their strings, so that a date becomes `date(-156)` and a list `[1, 2]`."""


_Schema = Mapping[str, Any]


def fill_text(text: str, inputs: Mapping[str, Outcome], language: Language) -> str:
    """Return a text with every known reference written out as prose, each value on one line.

    "What happened in {{task_1.ret}}?" becomes "What happened in May 1900?". References without an outcome stay.
    """

    def write(match: re.Match[str]) -> str:
        outcome = inputs.get(match[1])
        if outcome is None:
            said = match[0]
        elif outcome.type == "passages":
            said = " ".join(str(passage) for passage in outcome.value) if isinstance(outcome.value, list) else ""
        else:
            said = render(outcome.value, outcome.type, language)
        return " ".join(said.split()) if "\n" in said else said

    return REFERENCE.sub(write, text)


def fill_args(
    task: Task, inputs: Mapping[str, Outcome], language: Language, schema: Mapping[str, Any]
) -> dict[str, JsonValue]:
    """Return a task's arguments with every reference filled.

    Args:
        task: The task.
        inputs: Usable outcomes of the tasks it builds on, by id. In a `for_each` instance also the item.
        language: The language of the prose.
        schema: JSON schema of the tool's arguments, which tells a string from a typed argument.

    Raises:
        ValueError: A value cannot be read as the type required by its argument or an arithmetic expression. The message
            names it.
    """
    properties = schema.get("properties", {})
    if task.tool in FORMULA_TOOLS:

        def write(match: re.Match[str]) -> str:
            outcome = inputs.get(match[1])
            return match[0] if outcome is None else _arithmetic(outcome.value, outcome.type)

        return {
            name: REFERENCE.sub(write, value) if isinstance(value, str) else value for name, value in task.args.items()
        }
    return {name: _fill(value, inputs, language, properties.get(name, {}), schema) for name, value in task.args.items()}


def _fill(
    value: JsonValue, inputs: Mapping[str, Outcome], language: Language, part: _Schema, schema: _Schema
) -> JsonValue:
    part = resolve_schema_reference(part, schema)
    if isinstance(value, dict):
        properties = part.get("properties", {})
        return {key: _fill(inner, inputs, language, properties.get(key, {}), schema) for key, inner in value.items()}
    if isinstance(value, list):
        return [_fill(inner, inputs, language, part.get("items", {}), schema) for inner in value]
    if not isinstance(value, str):
        return value
    whole, kinds = REFERENCE.fullmatch(value.strip()), list_json_types(part, schema)
    if whole and whole[1] in inputs:
        # An argument takes a value in words if it takes strings, and no type that the value already has.
        given = inputs[whole[1]]
        if "string" not in kinds or not kinds.isdisjoint(_NATIVE.get(type(given.value), frozenset())):
            return _convert_value(given, kinds)
    return fill_text(value, inputs, language)


_NATIVE: Mapping[type, frozenset[str]] = {
    bool: frozenset({"boolean"}),
    int: frozenset({"number", "integer"}),
    float: frozenset({"number"}),
    list: frozenset({"array"}),
}


def _convert_value(outcome: Outcome, kinds: frozenset[str]) -> JsonValue:
    """Return a value in the only type that an argument accepts. Unchanged if it accepts several.

    A number in words is parsed, and a date gives its year: "1900-05" becomes 1900.

    Raises:
        ValueError: The value cannot be read as that type.
    """
    value, wanted = outcome.value, kinds - {"null"}
    if wanted == {"array"}:
        return value if isinstance(value, list) else [value]
    if not wanted or isinstance(value, list | dict):
        return value
    if wanted <= {"number", "integer"} and not isinstance(value, int | float):
        date = outcome.type == "date" and isinstance(value, str)
        value = PartialDate.from_iso(str(value)).year if date else coerce(value, "number")
    if wanted == {"integer"} and isinstance(value, float):
        if not value.is_integer():
            raise ValueError(f"{value!r} is not a whole number")
        return int(value)
    return coerce(value, "boolean") if wanted == {"boolean"} else value


def resolve_schema_reference(expected: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the schema of an argument, with a `$ref` resolved in `schema`. Empty if the definition is missing."""
    reference = expected.get("$ref")
    if isinstance(reference, str):
        found = schema.get("$defs", {}).get(reference.rsplit("/", 1)[-1], {})
        return found if isinstance(found, Mapping) else {}
    return expected


def list_json_types(expected: Mapping[str, Any], schema: Mapping[str, Any]) -> frozenset[str]:
    """Return the JSON types accepted by an argument. Empty if the schema does not say."""
    expected = resolve_schema_reference(expected, schema)
    kind = expected.get("type")
    if kind:
        return frozenset([kind] if isinstance(kind, str) else kind)
    options = [option for key in ("anyOf", "oneOf", "allOf") for option in expected.get(key, ())]
    if options:
        inner = [list_json_types(option, schema) for option in options]
        return frozenset().union(*inner) if all(inner) else frozenset()
    return (
        frozenset({"string"})
        if "enum" in expected and all(isinstance(v, str) for v in expected["enum"])
        else frozenset()
    )


def _arithmetic(value: JsonValue, type_: ValueType) -> str:
    if isinstance(value, list):
        inner: ValueType = "date" if "date" in type_ else "number"
        return "[" + ", ".join(_arithmetic(item, inner) for item in value) + "]"
    if type_ == "date" and isinstance(value, str):
        date = PartialDate.from_iso(value)
        return "date(" + ", ".join(str(part) for part in (date.year, date.month, date.day) if part is not None) + ")"
    if isinstance(value, bool):
        return str(value)
    try:
        number = coerce(value, "number")
    except ValueError as error:
        raise ValueError(f"{error}, so it cannot be calculated with") from None
    return f"({number})" if str(number).startswith("-") else str(number)
