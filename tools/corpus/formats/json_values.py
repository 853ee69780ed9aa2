"""JSON as text: what a record says, and under which title."""

from typing import Any, Final, NamedTuple

from tools.corpus.formats.base import date_of, tidy, title_of

_TEXT: Final = ("text", "content", "contents", "body", "passage", "abstract", "description")
_TITLE: Final = ("title", "name", "headline", "subject")
_DATE: Final = ("date", "published", "published_at", "created_at", "timestamp", "updated_at")
_MOST_DEPTH: Final = 40


class Record(NamedTuple):
    """A JSON object as a document would have it.

    Attributes:
        title: Its title, or nothing.
        text: Its text, then its other fields, one a line.
        date: Its ISO date, where it states one.
    """

    title: str
    text: str
    date: str | None = None


def record(value: Any) -> Record:
    """Read a value as a record.

    Its title and its text are found by the names that such fields usually have, those of BEIR among them (`_id`,
    `title`, `text`). `_id` names the record and is no part of what it says.
    """
    if not isinstance(value, dict):
        return Record("", rendered(value))
    key = next((key for key in _TEXT if isinstance(value.get(key), str) and value[key].strip()), None)
    named = next((name for name in _TITLE if isinstance(value.get(name), str)), None)
    title = title_of(value[named]) if named else ""
    if key is None:
        return Record(title, rendered({name: field for name, field in value.items() if name != "_id"}), _date(value))
    others = {name: field for name, field in value.items() if name not in {key, named, "_id"}}
    text = value[key] if value[key].isprintable() else tidy(value[key])
    more = rendered(others) if others else ""
    return Record(title, f"{text}\n{more}" if more else text, _date(value))


def rendered(value: Any, name: str = "") -> str:
    """A value in lines of `name: value`, nested names joined by a dot, empty values left out."""
    return "\n".join(_lines(value, name, 0))


def _lines(value: Any, name: str, depth: int) -> list[str]:
    if isinstance(value, dict) and depth < _MOST_DEPTH:
        return [
            line for key, below in value.items() for line in _lines(below, f"{name}.{key}" if name else key, depth + 1)
        ]
    if isinstance(value, list) and depth < _MOST_DEPTH:
        if any(isinstance(item, dict | list) for item in value):
            return [line for item in value for line in _lines(item, name, depth + 1)]
        value = ", ".join(_scalar(item) for item in value if item not in (None, ""))
    text = _scalar(value)
    return [tidy(f"{name}: {text}" if name else text)] if text.strip() else []


def _scalar(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)


def _date(value: dict[str, Any]) -> str | None:
    return next((date for key in _DATE if (date := date_of(value.get(key)))), None)
