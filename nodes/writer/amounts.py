"""Typed values written out for sentences: units by name, circa, lists."""

from weiwo.state import JsonValue, Language, Outcome, ValueType
from weiwo.text.units import name_unit
from weiwo.text.values import render


def outcome_unit(outcome: Outcome) -> str:
    """The canonical unit of an outcome, "" where it has none."""
    unit = (outcome.detail.computation or {}).get("unit", outcome.detail.unit)
    return unit if isinstance(unit, str) else ""


def append_unit(written: str, amount: object, unit: str, language: Language) -> str:
    """A number with its unit: "828 metres", 828米, "15%"."""
    if not unit:
        return written
    name = name_unit(unit, amount, language)
    return f"{written}{name}" if language == "zh" or name in {"%", "‰"} else f"{written} {name}"


def write_amount(value: JsonValue, type_: ValueType, language: Language, unit: str = "") -> str:
    """A value as prose, with its unit; "" where it cannot be written."""
    try:
        text = render(value, type_, language)
    except ValueError:
        return ""
    return append_unit(text, value, unit, language) if type_ == "number" else text


def render_value(outcome: Outcome, language: Language) -> str:
    """The value of an outcome as prose, with its unit."""
    return write_amount(outcome.value, outcome.type, language, outcome_unit(outcome))
