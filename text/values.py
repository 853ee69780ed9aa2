"""Typed values between tasks: parsed from model and tool output, rendered for prose."""

import datetime as dt
import json
import math
import re
from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Final

from weiwo.state.kinds import Language, ValueType, item_type
from weiwo.text.dates import PartialDate, find_dates, format_date, parse_date
from weiwo.text.lists import join_items, split_items
from weiwo.text.numbers import format_number, parse_number
from weiwo.text.patterns import lazy

if TYPE_CHECKING:
    from weiwo.state.values import JsonValue

_YES: Final = frozenset(
    {"yes", "y", "true", "correct", "right", "是", "是的", "对", "對", "对的", "真", "正确", "没错"}
)
_NO: Final = frozenset(
    {"no", "n", "false", "incorrect", "wrong", "否", "不", "不是", "不对", "不對", "假", "错", "没有"}
)
_NONE: Final = frozenset({"none", "无", "無"})
_CLAUSE_END: Final = lazy(r"[,，;；。!！—–]|\s-\s|\.\s")
_BETWEEN_DATES: Final = lazy(r"(?:[\s,，;；、.。*•·-]|\b(?:and|or)\b|以及|[和与及])*", re.IGNORECASE)
_EMPTY_LINE: Final = lazy(r"\n[ \t\r]*\n+")
_LARGEST: Final = 2**63
_SHOWN: Final = 80


def coerce(value: object, type_: ValueType) -> "JsonValue":
    """Convert the output of a model, a reader or a tool to the data form of a type.

    Text is stripped. A number is an int or a float, and "156 BC" read as a number is -156. A date is an ISO string
    ("-156"), a boolean is a bool, and passages are a list of texts. Lists keep order and duplicates, and lose their
    empty items. A list of one item is read as the item if no list is asked for (["Rome"] as text → "Rome"), and an item
    as a list of one ("Rome" as list[text] → ["Rome"]).

    Args:
        value: A JSON value, a `PartialDate` or a `datetime.date`.
        type_: The type to read it as.

    Returns:
        The value as data. Whole numbers beyond 64 bits become floats, since a checkpoint cannot hold them.

    Raises:
        ValueError: The value cannot be read as that type without guessing. The message names the text.
    """
    if item_type(type_) != type_:
        read = _READERS[item_type(type_)]
        return [read(item) for item in _items(value, type_) if not _blank(item)]
    if isinstance(value, list | tuple):
        filled = [item for item in value if not _blank(item)]
        if len(filled) != 1:
            raise ValueError(f"{_shorten_repr(value)} is a list of {len(filled)}, not one {type_}")
        value = filled[0]
    return _READERS[type_](value)


def render(value: object, type_: ValueType, language: Language) -> str:
    """Render a value for prose. `coerce` reads the result back, numbers to the written digits.

    Args:
        value: A value of that type, as data.
        type_: The type.
        language: The language of the prose.

    Returns:
        "156 BC", "6,300", "yes" or 是. Lists as "A, B and C" or 甲、乙和丙, with quotation marks round an item that
        could be read as several, or as JSON if even these would mislead. Passages with an empty line between them.

    Raises:
        ValueError: The value is not of that type. The message names it.
    """
    data = coerce(value, type_)
    if not isinstance(data, list):
        return _format_item(data, type_, language)
    items = [_format_item(item, item_type(type_), language) for item in data]
    forms: Iterable[str] = ["\n\n".join(items)] if type_ == "passages" else join_items(items, language)
    if type_ == "list[number]":
        forms = (*islice(forms, 1), ", ".join(items))  # 1、2和3 begins like the first line of a numbered list
    expected = coerce(items, type_)
    return next((form for form in forms if _reads_as(form, type_, expected)), json.dumps(data, ensure_ascii=False))


def _reads_as(form: str, type_: ValueType, expected: "JsonValue") -> bool:
    try:
        return coerce(form, type_) == expected
    except ValueError:
        return False


def _format_item(data: "JsonValue", type_: ValueType, language: Language) -> str:
    if type_ == "date":
        return format_date(PartialDate.from_iso(str(data)), language)
    if isinstance(data, bool):
        return (("否", "是") if language == "zh" else ("no", "yes"))[data]
    if isinstance(data, int | float):
        return format_number(data, language)
    return str(data)


def _items(value: object, type_: ValueType) -> list[object]:
    if isinstance(value, str):
        text = value.strip()
        if not text:
            raise ValueError(f"{_shorten_repr(value)} is no list")
        return _json_items(text, type_) if text.startswith("[") else _written_items(text, type_)
    if isinstance(value, list | tuple):
        return list(value)
    if value is None or (isinstance(value, Mapping) and type_ != "passages"):
        raise ValueError(f"{_shorten_repr(value)} is no list")
    return [value]


def _json_items(text: str, type_: ValueType) -> list[object]:
    try:
        parsed = json.loads(text)
    except (ValueError, RecursionError):
        parsed = None
    if isinstance(parsed, list):
        return parsed
    if type_ == "passages":
        return _written_items(text, type_)
    if not text.endswith("]"):
        raise ValueError(f"{_shorten_repr(text)} is an incomplete list; add the closing ]")
    return list(split_items(text[1:-1]))


def _written_items(text: str, type_: ValueType) -> list[object]:
    if type_ == "passages":
        return list(_EMPTY_LINE.split(text))
    if text.strip(" .。").lower() in _NONE:
        return []
    if type_ == "list[date]" and (dates := _all_dates(text)):
        return list(dates)
    return list(split_items(text))


def _all_dates(text: str) -> list[PartialDate]:
    """Return the dates of a text that holds only dates, or an empty list: "1969, 1970" → both years.

    A comma inside "July 12, 1969" separates nothing. A single range gives both its ends. A range beside other dates
    gives no dates at all.
    """
    spans = find_dates(text)
    starts = [0, *(span.end for span in spans)]
    ends = [*(span.start for span in spans), len(text)]
    rest = all(_BETWEEN_DATES.fullmatch(text, start, end) for start, end in zip(starts, ends, strict=True))
    if not rest or (len(spans) > 1 and any(span.until for span in spans)):
        return []
    return [date for span in spans for date in (span.date, span.until) if date is not None]


def _text(value: object) -> "JsonValue":
    if isinstance(value, Mapping) and isinstance(value.get("text"), str):
        value = value["text"]
    if isinstance(value, str) and value.strip():
        return value.strip()
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float) and math.isfinite(value):
        return format_number(value, "zh")
    if isinstance(value, PartialDate | dt.date):
        return _date(value)
    raise ValueError(f"{_shorten_repr(value)} is no text")


def _number(value: object) -> "JsonValue":
    if isinstance(value, str):
        number = parse_number(value)
        # A year BC is written without a sign.
        value = -number if [span.date.year for span in find_dates(value)] == [-number] else number
    if isinstance(value, bool) or not isinstance(value, int | float) or not _finite(value):
        raise ValueError(f"{_shorten_repr(value)} is not a number")
    return value if isinstance(value, float) or -_LARGEST <= value < _LARGEST else float(value)


def _finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def _date(value: object) -> "JsonValue":
    if isinstance(value, PartialDate):
        return value.iso()
    if isinstance(value, dt.date):
        return PartialDate(value.year, value.month, value.day).iso()
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return PartialDate(value).iso()
    if isinstance(value, str):
        return parse_date(value).iso()
    raise ValueError(f"{_shorten_repr(value)} is not a date")


def _boolean(value: object) -> "JsonValue":
    if isinstance(value, bool):
        return value
    if isinstance(value, int) and value in {0, 1}:
        return bool(value)
    if isinstance(value, str):
        clauses = (value, _CLAUSE_END.split(value, maxsplit=1)[0])
        for clause in (clause.strip(" \t\r\n.。!！\"'“”").lower() for clause in clauses):
            if clause in _YES or clause in _NO:
                return clause in _YES
    raise ValueError(f"{_shorten_repr(value)} is neither yes nor no")


_READERS: Final[dict[ValueType, "Callable[[object], JsonValue]"]] = {
    "text": _text,
    "number": _number,
    "date": _date,
    "boolean": _boolean,
}


def _blank(item: object) -> bool:
    return item is None or (isinstance(item, str) and not item.strip())


def _shorten_repr(value: object) -> str:
    shown = repr(value[:_SHOWN] if isinstance(value, str) else value)
    return shown if len(shown) <= _SHOWN + 2 else shown[:_SHOWN] + "…"
