"""Typed values written out for sentences: units by name, circa, lists."""

from typing import Final

from weiwo.state import JsonValue, Language, Outcome, ValueType
from weiwo.text.values import render

# unit: English singular, English plural, Chinese
_UNITS: Final = {
    "m": ("metre", "metres", "米"),
    "km": ("kilometre", "kilometres", "公里"),
    "cm": ("centimetre", "centimetres", "厘米"),
    "mm": ("millimetre", "millimetres", "毫米"),
    "ft": ("foot", "feet", "英尺"),
    "inch": ("inch", "inches", "英寸"),
    "yd": ("yard", "yards", "码"),
    "mi": ("mile", "miles", "英里"),
    "nmi": ("nautical mile", "nautical miles", "海里"),
    "kg": ("kilogram", "kilograms", "公斤"),
    "g": ("gram", "grams", "克"),
    "t": ("tonne", "tonnes", "吨"),
    "lb": ("pound", "pounds", "磅"),
    "m²": ("square metre", "square metres", "平方米"),
    "km²": ("square kilometre", "square kilometres", "平方公里"),
    "mi²": ("square mile", "square miles", "平方英里"),
    "ft²": ("square foot", "square feet", "平方英尺"),
    "ha": ("hectare", "hectares", "公顷"),
    "acre": ("acre", "acres", "英亩"),
    "m³": ("cubic metre", "cubic metres", "立方米"),
    "year": ("year", "years", "年"),
    "years": ("year", "years", "年"),
    "age": ("year", "years", "岁"),
    "months": ("month", "months", "个月"),
    "days": ("day", "days", "天"),
    "month": ("month", "months", "个月"),
    "week": ("week", "weeks", "周"),
    "day": ("day", "days", "天"),
    "hour": ("hour", "hours", "小时"),
    "minute": ("minute", "minutes", "分钟"),
    "second": ("second", "seconds", "秒"),
    "person": ("person", "people", "人"),
    "USD": ("US dollar", "US dollars", "美元"),
    "EUR": ("euro", "euros", "欧元"),
    "GBP": ("pound sterling", "pounds sterling", "英镑"),
    "JPY": ("yen", "yen", "日元"),
    "元": ("yuan", "yuan", "元"),
}


def name_unit(unit: str, amount: object, language: Language) -> str:
    """A unit by its name; an unknown one stays as it is."""
    if unit not in _UNITS:
        return unit
    singular, plural, chinese = _UNITS[unit]
    if language == "zh":
        return chinese
    return singular if amount in {1, "1"} else plural


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
