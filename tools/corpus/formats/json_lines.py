"""JSON Lines reader: a record per line, each with a title and text.

A record with a title or an id is a document of its own: it is found, linked and cited like a file. A record without a
title is named after the file and its id. Records with neither are passages of the file. In a file of over 100 MB, all
records are passages of the file, with their titles as headings, because so many documents would cost too much.
"""

import json
from array import array
from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import Any, BinaryIO, Final, NamedTuple

from weiwo.state.table import Table
from weiwo.text.chunking import LARGEST, chunk_text
from weiwo.text.printable import one_line
from weiwo.tools.corpus.formats.delimited_text import MOST_CHARACTERS
from weiwo.tools.corpus.formats.encodings import UnreadableError
from weiwo.tools.corpus.formats.parts import Part, choose_title, clean_text, find_date, read_lines, split_parts
from weiwo.tools.corpus.formats.record_tables import RecordKeys, RecordLines
from weiwo.tools.corpus.losses import Loss
from weiwo.tools.corpus.records import Passage

_TEXT: Final = ("text", "content", "contents", "body", "passage", "abstract", "description")
_TITLE: Final = ("title", "name", "headline", "subject")
_DATE: Final = ("date", "published", "published_at", "created_at", "timestamp", "updated_at")
_ID: Final = ("_id", "id")
_LONGEST_ID: Final = 80
_MOST_DEPTH: Final = 40


class _JsonRecord(NamedTuple):
    """A JSON object as a document record."""

    title: str  # may be empty
    text: str  # the text, then the other fields, a line each
    date: str | None = None  # the ISO date that the record states, if any
    id: str = ""  # value of the field `_id` or `id`; empty without one


def read_record(value: Any) -> _JsonRecord:
    """Convert a JSON value to a record.

    `{"title": "Rome", "text": "A city.", "year": 1861}` has the title "Rome" and the text "A city.", then a line "year:
    1861". Title, text and date are found by usual field names, among them those of BEIR (`_id`, `title`, `text`). `_id`
    is not part of the text. A value that is no object is rendered as text.
    """
    if not isinstance(value, dict):
        return _JsonRecord("", render_value(value))
    key = next((key for key in _TEXT if isinstance(value.get(key), str) and value[key].strip()), None)
    named = next((name for name in _TITLE if isinstance(value.get(name), str)), None)
    title = choose_title(value[named]) if named else ""
    if key is None:
        text = render_value({name: field for name, field in value.items() if name != "_id"})
        return _JsonRecord(title, text, _find_date(value), _find_id(value))
    others = {name: field for name, field in value.items() if name not in {key, named, "_id"}}
    text = value[key] if value[key].isprintable() else clean_text(value[key])
    more = render_value(others) if others else ""
    return _JsonRecord(title, f"{text}\n{more}" if more else text, _find_date(value), _find_id(value))


def render_value(value: Any, name: str = "") -> str:
    """Render a JSON value as lines of `name: value`: `{"a": {"b": 1, "c": ""}}` → "a.b: 1".

    Names of nested fields are joined by a dot. Empty values are left out.
    """
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
    ids = (
        one_line(str(item), _LONGEST_ID) for item in named if isinstance(item, str | int) and not isinstance(item, bool)
    )
    return next((name for name in ids if any(c.isalnum() for c in name)), "")


def _find_date(value: dict[str, Any]) -> str | None:
    return next((date for key in _DATE if (date := find_date(value.get(key)))), None)


_SINGLY_BYTES: Final = 100_000_000
"""Size of a file in bytes up to which each record with a title or id is a document."""

_SURELY_SMALL: Final = 2 * LARGEST  # characters: a word takes one and a blank
_HOPELESS: Final = 1_000


def read(file: BinaryIO, name: str) -> Iterator[Part]:
    """Read the records. Invalid lines are left out and reported as losses.

    Raises:
        UnreadableError: The file holds no record.
    """
    size = file.seek(0, 2)
    file.seek(0)
    losses: list[Loss] = []
    tables: list[Table] = []
    records = _read_records(read_lines(file), losses, tables)
    if size > _SINGLY_BYTES:
        passages = (piece for number, found in records for piece in _make_passages(number, found, headed=True))
        yield from split_parts(passages, name, losses=losses, tables=tables)
        return
    rest: list[Passage] = []
    titled = False
    for number, found in records:
        pieces = _make_passages(number, found, headed=False)
        if (found.title or found.id) and pieces:
            titled = True
            title = found.title or f"{name} {found.id}"
            digest = sha256(f"{number} {found.date} {title}\n{found.text}".encode()).hexdigest()
            yield Part(title, pieces, found.date, str(number), digest)
        else:
            rest += pieces
    yield from split_parts(rest, name, losses=losses, tables=tables, more=titled)


def _read_records(
    numbered: Iterable[tuple[int, str]], losses: list[Loss], tables: list[Table]
) -> Iterator[tuple[int, _JsonRecord]]:
    """Yield line number and record of each line. After the last, append one table of all records to `tables`.

    Invalid lines, and a file that is too large for a table, are appended to `losses`.

    Raises:
        UnreadableError: No line is JSON.
    """
    bad, good, first_bad, size = 0, 0, 0, 0
    keys, texts, lines = RecordKeys(), list[str](), array("q", [0])
    for number, line in numbered:
        if not line or line.isspace():
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            bad, first_bad = bad + 1, first_bad or number
            if bad >= _HOPELESS and not good:
                break
            continue
        good += 1
        size += len(line)
        if size <= MOST_CHARACTERS and isinstance(value, dict):
            keys.add(value)
            texts.append(line)
            lines.append(number)
        yield number, read_record(value)
    if bad and not good:
        raise UnreadableError(f"not JSON Lines: line {first_bad} is not JSON, nor is any other")
    if bad:
        losses.append(Loss("lines_no_json", bad, (str(first_bad),)))
    if size > MOST_CHARACTERS:
        losses.append(Loss("other", 1, (f"over {MOST_CHARACTERS:,} characters: too large to be queried as a table",)))
    elif len(texts) == good and (columns := keys.choose()):
        tables.append(Table("", RecordLines(columns, texts), lines, "line", header_rows=1))


def _make_passages(number: int, found: _JsonRecord, *, headed: bool) -> list[Passage]:
    text = found.text.strip()
    headings = (found.title,) if headed and found.title and text else ()
    locator = f"line {number}, id {found.id}" if found.id else f"line {number}"
    if len(text) < _SURELY_SMALL:
        text = text or found.title
        return [Passage(text, headings, locator, number, number)] if text else []
    pieces = chunk_text(text, markdown=False)[1]
    return [Passage(piece.words, (*headings, *piece.headings), locator, number, number) for piece in pieces]
