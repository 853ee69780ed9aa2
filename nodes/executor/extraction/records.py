"""Records: a value given for a thing under a key, in `Key: value` lines, tables, definition lists and CSV rows.

A row "| Wren shuttle | 500 |" under "Weight (kg)" answers "What is the weight of the Wren shuttle?". The question must
name the record's thing and its key, and say nothing that record, title and headings do not. The key is named by its own
word, or by another word for the same relation ("How heavy").
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Final

from weiwo.nodes.executor.extraction.entity_matching import plain
from weiwo.nodes.executor.extraction.stated_value import StatedValue
from weiwo.state import Evidence
from weiwo.state.query import QueryFrame
from weiwo.text.data_files import data_pattern, data_words
from weiwo.text.dates import parse_date
from weiwo.text.language import HAN
from weiwo.text.numbers import find_numbers
from weiwo.text.patterns import lazy
from weiwo.text.records import NAME_KEYS, read_header, split_keyed, split_row
from weiwo.text.relations import relations
from weiwo.text.terms import terms
from weiwo.text.units import unit_after

_IDLE: Final = frozenset(term for word in data_words("extraction", "records", "idle") for term in terms(word))
_IDLE_HAN: Final = data_pattern("extraction", "records", "idle_zh")
_KEY_IDLE_HAN: Final = lazy(r"(?<=.)(?:日期|时间|名称|人数|数量)$")
_KEY_UNIT: Final = lazy(r"\s?[(（\[](?P<a>[^()（）\[\]]{1,12})[)）\]]$|_(?P<b>[a-z]{1,8})$")
_HEADING: Final = lazy(r"\s{0,3}#{1,6}\s+(.{1,200})")
_DEFINED: Final = lazy(r":\s{1,8}(\S.{0,160})")
_HAN: Final = lazy(f"[{HAN}]")
_LONGEST_VALUE: Final = 100
_LONGEST_TEXT: Final = 20_000
_RULE: Final = " \t|:=*_-"
"""Characters of lines without content, such as a rule or the line below a table's header."""
_ALIKE: Final = 0.8


@dataclass(frozen=True, slots=True)
class RecordedValue:
    """The value of a record that answers a question.

    Attributes:
        passage: The passage.
        line: The line.
        found: The value.
        label: Thing and key: "Wren shuttle – weight".
        fit: 2 if the question names the thing of a table row, plus 1 if it names the key by its own word.
    """

    passage: Evidence
    line: str
    found: StatedValue
    label: str
    fit: int


@dataclass(frozen=True, slots=True)
class _Record:
    """Value under a key in a line of a passage.

    Attributes:
        thing: Name in the row of a table. Empty for `Key: value` lines and definitions.
        key: The key, or the column's name.
        value: The value as written.
        line: The line.
        owner: What the whole passage is about: the value of a key like "Name", else the title.
        context: Title, names, and the latest heading above the line.
    """

    thing: str
    key: str
    value: str
    line: str
    owner: str
    context: str


class _Asked:
    """A question in the form that is matched with records."""

    def __init__(self, frame: QueryFrame) -> None:
        self._text = re.sub(r"\s+", "", plain(frame.question))
        self._spaced = f" {' '.join(plain(frame.question).split())} "
        self._words = frozenset(term for term in frame.terms if not _HAN.match(term)) - _IDLE
        self._han = "".join(re.findall(f"[{HAN}]", _IDLE_HAN.sub("", self._text)))

    def names(self, text: str) -> int:
        """Return the number of words in a text, or of Chinese characters, if the question has all of them, else 0."""
        if _HAN.search(text):
            bare = re.sub(r"\s+", "", plain(text))
            return len(bare) if bare in self._text else 0
        words = [word for word in terms(text) if word not in _IDLE] or terms(text)
        found = (f" {word} " in self._spaced or any(_is_alike(word, other) for other in self._words) for word in words)
        return len(words) if words and all(found) else 0

    def find_related_words(self, key: str) -> tuple[str, ...]:
        """Return the words of the question for the relation to which a key belongs: "weight" for the key "mass"."""
        found = [words for own, words in _relation_words() if key in own]
        return tuple(word for words in found for word in words if self._says(word))

    def _says(self, word: str) -> bool:
        return word in self._text if _HAN.match(word) else f" {word}" in self._spaced and len(word) > 2

    def left_by(self, *texts: str) -> bool:
        """Report whether the question has a content word that none of the texts has."""
        known = {term for text in texts for term in terms(text)}
        letters = {character for text in texts for character in plain(text)}
        words = any(not any(_is_alike(word, other) for other in known) for word in self._words)
        return words or not letters.issuperset(self._han)


@lru_cache(maxsize=1)
def _relation_words() -> tuple[tuple[frozenset[str], tuple[str, ...]], ...]:
    """Return, for each relation, the words that may be a record's key, and the words that ask for it in a question."""
    return tuple(
        (
            frozenset(w.lower() for both in (row.asks, row.says) for words in both.values() for w in words)
            | frozenset(noun.lower() for noun in row.noun.values()),
            tuple(w.lower() for words in row.asks.values() for w in words),
        )
        for row in relations().values()
    )


@lru_cache(maxsize=4096)
def _is_alike(text: str, other: str) -> bool:
    """Report whether two stems are equal, one begins the other, or both spell one word: "colour" and "color"."""
    if text == other or min(len(text), len(other)) < 5 or text[:4] != other[:4]:
        return text == other
    return text.startswith(other) or other.startswith(text) or SequenceMatcher(None, text, other).ratio() >= _ALIKE


def recorded_values(frame: QueryFrame, kind: str, passages: Sequence[Evidence]) -> list[RecordedValue]:
    """Return the values of the records that fit a question best. Empty if none fits.

    Args:
        frame: The parsed look-up.
        kind: The kind of value wanted: `date`, `quantity`, `name`, or `text` for any.
        passages: The passages.
    """
    asked = _Asked(frame)
    found = [
        value for passage in passages for record in _records(passage) for value in _match(record, asked, kind, passage)
    ]
    best = max((item.fit for item in found), default=0)
    return [item for item in found if item.fit == best]


def _records(passage: Evidence) -> Iterator[_Record]:
    """Yield the records of a passage, in order."""
    lines = [line for line in passage.text[:_LONGEST_TEXT].splitlines() if line.strip(_RULE)]
    keyed = [found for line in lines if (found := split_keyed(line))]
    named = [value for key, value in keyed if key.lower() in NAME_KEYS]
    owner = named[0] if named else passage.title
    context = " ".join([passage.title, *named])
    heading, before = "", ""
    header: list[str] = []  # the first row of the table that a line is in
    names: list[str] = []
    unnamed = 0  # rows of names that are still to come
    for at, line in enumerate(lines):
        around = f"{context} {heading}"
        cells = split_row(line, header, passage.source)
        if cells and not header:
            below = split_row(lines[at + 1], cells, passage.source) if at + 1 < len(lines) else []
            names, unnamed = read_header(cells, below)
        if cells and not unnamed:
            yield from _row(names or ["", ""], cells, line, owner, around)
        elif headed := _HEADING.fullmatch(line):
            heading = headed[1]
        elif defined := _DEFINED.fullmatch(line):
            yield _Record("", before.strip("*` "), defined[1], line.strip(), owner, around)
        elif pair := split_keyed(line):
            yield _Record("", *pair, line.strip(), owner, around)
        header = (header or cells) if cells else []
        unnamed = max(0, unnamed - 1)
        before = line


def _row(header: Sequence[str], cells: Sequence[str], line: str, owner: str, context: str) -> Iterator[_Record]:
    """Yield a record for each cell of a table row, except the cell with the name of the row's thing.

    A row of two cells also gives a record with the first cell as the key, for the thing that the passage is about.

    Args:
        header: Names of the columns.
        cells: The cells.
        line: The row as written.
        owner: What the whole passage is about.
        context: Title, names and heading above the row.
    """
    named = next((at for at, key in enumerate(header[: len(cells)]) if key.lower() in NAME_KEYS), 0)
    for at, (key, cell) in enumerate(zip(header, cells, strict=False)):
        if at != named:
            yield _Record(cells[named].strip("*` "), key, cell, line.strip(), owner, context)
    if len(cells) == 2:
        yield _Record("", cells[0].strip("*` "), cells[1], line.strip(), owner, context)


def _match(record: _Record, asked: _Asked, kind: str, passage: Evidence) -> Iterator[RecordedValue]:
    """Yield the value of a record if the question asks for exactly this value.

    Args:
        record: The record.
        asked: The question.
        kind: The kind of value wanted.
        passage: The passage of the record.
    """
    unit = _KEY_UNIT.search(record.key)
    key = (record.key[: unit.start()] if unit else record.key).replace("_", " ").strip("*` ").lower()
    bare = _KEY_IDLE_HAN.sub("", key)
    said = asked.find_related_words(bare)
    thing = asked.names(record.thing) if record.thing else 0
    named = asked.names(bare) if bare else 0
    if not (named or said) or (record.thing and not thing):
        return
    if asked.left_by(key, record.thing, record.context, *said):
        return
    value = record.value.strip("*` ")
    if (stated := _read_cell(value, kind, (unit["a"] or unit["b"] or "") if unit else "", record.line)) is not None:
        label = f"{record.thing or record.owner} – {record.key.strip('*` ')}"
        yield RecordedValue(passage, record.line, stated, label, 2 * bool(thing) + bool(named))


def _read_cell(value: str, kind: str, unit: str, line: str) -> StatedValue | None:
    """Return a cell as a value of the requested kind: "May 1900" as "1900-05", "500" under "Weight (kg)" as 500 kg.

    None if it holds another kind of value, more than a sentence, or over 100 characters.

    Args:
        value: The cell.
        kind: The kind of value wanted.
        unit: The unit in the name of the column, or "".
        line: The whole line.
    """
    if not any(map(str.isalnum, value)) or len(value) > _LONGEST_VALUE or re.search(r"[.!?。！？；;]\s", value):
        return None
    if kind == "date":
        try:
            return StatedValue(parse_date(value).iso(), value, 0, len(line))
        except ValueError:
            return None
    if kind == "quantity":
        found = find_numbers(value)
        if len(found) != 1:
            return None
        known = unit_after(f"1 {unit}", 1) if unit else None
        shown = f"{value} {unit}" if known and not found[0].unit else value
        return StatedValue(found[0].value, shown, 0, len(line), found[0].unit or (known[0] if known else ""))
    if kind == "name" and re.search(r"\d", value):
        return None
    return StatedValue(value, value, 0, len(line))
