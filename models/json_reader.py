"""Lenient JSON parser, and extraction of the JSON value from a reply with arbitrary wrapping.

The parser tolerates trailing and missing commas, comments, unquoted and single-quoted keys, Python literals, raw line
breaks, bad escapes and unescaped quotes inside strings, full-width punctuation, and a missing end. It does not guess
content. If a text breaks off, a scalar that may be incomplete is dropped, never completed ("19" of "1969" would be a
wrong year), and only the brackets around it are closed.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

from weiwo.models.reasoning_filter import strip_reasoning
from weiwo.text.patterns import lazy

_MAX_DEPTH = 100
"""Limit of the nesting, which bounds the recursion."""

_BLANK = lazy(r"(?:[\s\ufeff]++|//[^\n]*|/\*.*?(?:\*/|\Z)|#[^\n]*)++", re.DOTALL)
_NUMBER = lazy(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?")
_WORD = lazy(r"[A-Za-z_$][\w$-]*")
_TAIL = lazy(r"[-+.\w]*\Z")
_AFTER_STRING = lazy(
    r"""\s*(?:[}\]:：]|\Z                            # the end, or a key's colon
        |[,，]\s*(?:["'“‘{\[}\]\d.+-]|//|/\*|\#     # a comma with a value or key behind it
            |\w+\s*[:：]|\w*\Z|(?:true|false|null|None|True|False|NaN)\b))
        |[^\S\n]*\n\s*["'“]                         # a forgotten comma at the end of a line
    """,
    re.VERBOSE,
)
_PLAIN = {quote: lazy(rf"[^{quote}\\]+") for quote in "\"'”’"}
_CLOSING = {'"': '"', "'": "'", "“": "”", "‘": "’", "”": "”"}
_LITERALS: dict[str, Any] = {
    "true": True,
    "false": False,
    "null": None,
    "True": True,
    "False": False,
    "None": None,
    "undefined": None,
    "NaN": None,
    "Infinity": None,
}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", '"': '"', "\\": "\\", "/": "/", "'": "'"}
_LOW = lazy(r"\\u([dD][c-fC-F][0-9a-fA-F]{2})")
_COMMAS, _COLONS = ",，", ":："
_MISSING: Any = object()


class _JsonReader:
    """Lenient parser of a single JSON value in a text. The time is linear in the length of the text.

    Attributes:
        text: The text.
        at: Position of the next character to read.
        broken_off: Whether the end of the value was missing.
    """

    def __init__(self, text: str, start: int = 0) -> None:
        self.text = text
        self.at = start
        self.broken_off = False

    def read(self) -> Any:
        """Parse and return the value at the current position.

        Raises:
            ValueError: The text is not JSON, even leniently read, or ends before a value is complete.
        """
        value = self._value(0)
        if value is _MISSING:
            raise ValueError("the text breaks off before a value is complete")
        return value

    def _blank(self) -> str:
        """Skip blanks and comments, and return the next character, or an empty string at the end."""
        if match := _BLANK.match(self.text, self.at):
            self.at = match.end()
        if self.at < len(self.text):
            return self.text[self.at]
        self.broken_off = True
        return ""

    def _value(self, depth: int) -> Any:
        char = self._blank()
        if char == "":
            return _MISSING
        if char == "{":
            return self._object(depth + 1)
        if char == "[":
            return self._array(depth + 1)
        if char in _CLOSING:
            return self._string(char)
        return self._scalar()

    def _enter(self, depth: int) -> None:
        if depth > _MAX_DEPTH:
            raise ValueError(f"nested deeper than {_MAX_DEPTH}")
        self.at += 1

    def _object(self, depth: int) -> dict[str, Any]:
        self._enter(depth)
        found: dict[str, Any] = {}
        while True:
            char = self._blank()
            if char == "":
                return found
            if char == "}":
                self.at += 1
                return found
            if char in _COMMAS:
                self.at += 1
                continue
            key = self._key(char)
            if self._blank() == "" or key is _MISSING:
                return found
            if self.text[self.at] not in _COLONS:
                raise ValueError(f"no colon after a key at {self.at}")
            self.at += 1
            value = self._value(depth)
            if value is _MISSING:
                return found
            found[key] = value

    def _array(self, depth: int) -> list[Any]:
        self._enter(depth)
        found: list[Any] = []
        while True:
            char = self._blank()
            if char == "":
                return found
            if char == "]":
                self.at += 1
                return found
            if char in _COMMAS:
                self.at += 1
                continue
            value = self._value(depth)
            if value is _MISSING:
                return found
            found.append(value)

    def _key(self, char: str) -> Any:
        if char in _CLOSING:
            return self._string(char)
        if match := _WORD.match(self.text, self.at):
            self.at = match.end()
            return match[0]
        raise ValueError(f"no key at {self.at}")

    def _scalar(self) -> Any:
        if _TAIL.match(self.text, self.at):
            self.at = len(self.text)
            self.broken_off = True
            return _MISSING
        match = _NUMBER.match(self.text, self.at) or _WORD.match(self.text, self.at)
        if match is None:
            raise ValueError(f"no value at {self.at}")
        word = match[0]
        self.at = match.end()
        if word[0].isalpha() or word[0] in "_$":
            if word not in _LITERALS:
                raise ValueError(f"a bare word at {match.start()}")
            return _LITERALS[word]
        if self.text[self.at].isalnum():
            raise ValueError(f"no number at {match.start()}")
        return float(word) if any(mark in word for mark in ".eE") else int(word)

    def _string(self, opening: str) -> Any:
        closing = _CLOSING[opening]
        self.at += 1
        parts: list[str] = []
        while self.at < len(self.text):
            if plain := _PLAIN[closing].match(self.text, self.at):
                parts.append(plain[0])
                self.at = plain.end()
                continue
            char = self.text[self.at]
            self.at += 1
            if char == "\\":
                parts.append(self._escape())
            elif _AFTER_STRING.match(self.text, self.at):
                return "".join(parts)
            else:
                parts.append(char)
        self.broken_off = True
        return _MISSING

    def _escape(self) -> str:
        char = self.text[self.at : self.at + 1]
        self.at += 1
        if char != "u":
            return _ESCAPES.get(char, "\\" + char)
        digits = self.text[self.at : self.at + 4]
        if not re.fullmatch("[0-9a-fA-F]{4}", digits):
            return "\\u"
        self.at += 4
        unit = int(digits, 16)
        # In UTF-16, a high surrogate and a following low one are a single character.
        if 0xD800 <= unit < 0xDC00 and (low := _LOW.match(self.text, self.at)):
            self.at += 6
            return chr(0x10000 + ((unit - 0xD800) << 10) + int(low[1], 16) - 0xDC00)
        return chr(unit)


_MAX_ATTEMPTS = 64
"""Limit of the brackets at which a value is looked for, which bounds the time on a text full of brackets."""

_FENCE = lazy(r"```[ \t]*+[\w+-]*+[ \t]*+\r?\n?(.*?)```", re.DOTALL)
_BRACKET = lazy(r"[{\[]")
_DECODER = json.JSONDecoder(strict=False, parse_constant=lambda _: None)


def parse_json(text: str) -> Any:
    """Return the JSON value in a text: alone, in a code fence, or among prose.

    If the whole text is JSON, its value is returned. Otherwise the value is that of the longest code fence with valid
    JSON, else the longest object or list in the text, leniently parsed (see the module). `Here: {a: 1,}` gives
    `{"a": 1}`. A value that breaks off is closed after its last complete part. JSON outside the model's reasoning takes
    precedence. NaN and infinities become null.

    Takes well under a second for 100 kB of any text.

    Raises:
        ValueError: There is no JSON object or list in the text.
    """
    found = _strict(text.strip().removeprefix("\ufeff"))
    if found:
        return found[0]
    for part in (strip_reasoning(text), text):
        if value := _find_fenced_json(part) or _longest(part):
            return value[0]
    raise ValueError("there is no JSON in the text")


def is_json(text: str) -> bool:
    """Report whether a text is a single whole JSON value."""
    return _strict(text.strip()) is not None


def _strict(text: str) -> tuple[Any] | None:
    """Parse the whole text as JSON. Returns the value in a tuple, as it may be None, or None for other text."""
    try:
        value, end = _DECODER.raw_decode(text)
    except (ValueError, RecursionError):
        return None
    return (value,) if not text[end:].strip() else None


def _find_fenced_json(text: str) -> tuple[Any] | None:
    """Return the value of the longest code fence with valid JSON in a tuple, or None."""
    bodies = sorted((match[1].strip() for match in _FENCE.finditer(text)), key=len, reverse=True)
    for body in bodies[:_MAX_ATTEMPTS]:
        if found := _strict(body):
            return found
    return None


def _longest(text: str) -> tuple[Any] | None:
    """Return the object or list spanning most of the text in a tuple, or None."""
    best: tuple[int, Any] | None = None
    for start, end, value in _values(text):
        if best is None or end - start > best[0]:
            best = end - start, value
    return best[1:] if best else None


def _values(text: str) -> Iterator[tuple[int, int, Any]]:
    """Yield start, end and value of the outermost objects and lists in the text, leniently parsed."""
    at = 0
    for _ in range(_MAX_ATTEMPTS):
        match = _BRACKET.search(text, at)
        if match is None:
            return
        start = match.start()
        try:
            value, at = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            reader = _JsonReader(text, start)
            try:
                value, at = reader.read(), reader.at
            except ValueError:
                at = start + 1
                continue
            if reader.broken_off and not value:
                # Any later value lies inside the broken value and is not the whole reply.
                return
        yield start, at, value
