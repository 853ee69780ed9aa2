"""JSON records as text: what a record says, and under which title."""

from typing import Any, Final, NamedTuple

from weiwo.tools.corpus.formats.parts import choose_title, clean_text, find_date
from weiwo.tools.printable import one_line

_TEXT: Final = ("text", "content", "contents", "body", "passage", "abstract", "description")
_TITLE: Final = ("title", "name", "headline", "subject")
_DATE: Final = ("date", "published", "published_at", "created_at", "timestamp", "updated_at")
_ID: Final = ("_id", "id")
_LONGEST_ID: Final = 80
_MOST_DEPTH: Final = 40


class JsonRecord(NamedTuple):
    """A JSON object as a document would have it.

    Attributes:
        title: Its title, or nothing.
        text: Its text, then its other fields, one a line.
        date: Its ISO date, where it states one.
        id: What it is called by its author, where that is said.
    """

    title: str
    text: str
    date: str | None = None
    id: str = ""


def read_record(value: Any) -> JsonRecord:
    """Read a value as a record.

    Its title and its text are found by the names that such fields usually have, those of BEIR among them (`_id`,
    `title`, `text`). `_id` names the record and is no part of what it says.
    """
    if not isinstance(value, dict):
        return JsonRecord("", render_value(value))
    key = next((key for key in _TEXT if isinstance(value.get(key), str) and value[key].strip()), None)
    named = next((name for name in _TITLE if isinstance(value.get(name), str)), None)
    title = choose_title(value[named]) if named else ""
    if key is None:
        text = render_value({name: field for name, field in value.items() if name != "_id"})
        return JsonRecord(title, text, _find_date(value), _find_id(value))
    others = {name: field for name, field in value.items() if name not in {key, named, "_id"}}
    text = value[key] if value[key].isprintable() else clean_text(value[key])
    more = render_value(others) if others else ""
    return JsonRecord(title, f"{text}\n{more}" if more else text, _find_date(value), _find_id(value))


def render_value(value: Any, name: str = "") -> str:
    """A value in lines of `name: value`, nested names joined by a dot, empty values left out."""
    return "\n".join(_render_lines(value, name, 0))


def _render_lines(value: Any, name: str, depth: int) -> list[str]:
    if isinstance(value, dict) and depth < _MOST_DEPTH:
        return [
            line
            for key, below in value.items()
            for line in _render_lines(below, f"{name}.{key}" if name else key, depth + 1)
        ]
    if isinstance(value, list) and depth < _MOST_DEPTH:
        if any(isinstance(item, dict | list) for item in value):
            return [line for item in value for line in _render_lines(item, name, depth + 1)]
        value = ", ".join(_render_scalar(item) for item in value if item not in (None, ""))
    text = _render_scalar(value)
    return [clean_text(f"{name}: {text}" if name else text)] if text.strip() else []


def _render_scalar(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)


def _find_id(value: dict[str, Any]) -> str:
    named = (value.get(key) for key in _ID)
    ids = (one_line(str(one), _LONGEST_ID) for one in named if isinstance(one, str | int) and not isinstance(one, bool))
    return next((one for one in ids if any(c.isalnum() for c in one)), "")


def _find_date(value: dict[str, Any]) -> str | None:
    return next((date for key in _DATE if (date := find_date(value.get(key)))), None)
