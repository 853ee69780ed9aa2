"""Extraction of the JSON value from a model's reply, whatever it is wrapped in."""

import json
import re
from collections.abc import Iterator
from typing import Any

from weiwo.models.json_reader import JsonReader
from weiwo.text.patterns import lazy

MAX_ATTEMPTS = 64
"""Brackets at which a value is looked for. Bounds the time on text that is all brackets."""

_FENCE = lazy(r"```[ \t]*[\w+-]*[ \t]*\r?\n?(.*?)```", re.DOTALL)
_BRACKET = lazy(r"[{\[]")
_DECODER = json.JSONDecoder(strict=False, parse_constant=lambda _: None)


def parse_json(text: str) -> Any:
    """The JSON value in a text: alone, in a code fence, or among prose.

    A text that is JSON is read as such. Otherwise the value is taken from a code
    fence that holds one, else it is the longest object or list found between the
    prose, read forgivingly (see `weiwo.models.json_reader`); one that breaks off is
    closed where its last complete value ends. Reasoning before `</think>` is
    passed over when JSON follows it. NaN and infinities, which JSON lacks, become null.

    Takes well under a second for 100 kB of anything.

    Raises:
        ValueError: There is no JSON object or list in the text.
    """
    found = _strict(text.strip().removeprefix("\ufeff"))
    if found:
        return found[0]
    for part in (_spoken(text), text):
        if value := _fenced(part) or _longest(part):
            return value[0]
    raise ValueError("there is no JSON in the text")


def _spoken(text: str) -> str:
    """What follows the reasoning. Some servers send the closing tag alone."""
    if text.lstrip().startswith("<think>") or "<think>" not in text:
        return text.rpartition("</think>")[2]
    return text


def _strict(text: str) -> tuple[Any] | None:
    """The value, boxed so that null is told from nothing, if all of the text is JSON."""
    try:
        value, end = _DECODER.raw_decode(text)
    except (ValueError, RecursionError):
        return None
    return (value,) if not text[end:].strip() else None


def _fenced(text: str) -> tuple[Any] | None:
    """The value of the longest code fence that holds JSON."""
    bodies = sorted((match[1].strip() for match in _FENCE.finditer(text)), key=len, reverse=True)
    for body in bodies[:MAX_ATTEMPTS]:
        if found := _strict(body):
            return found
    return None


def _longest(text: str) -> tuple[Any] | None:
    """The object or list that spans most of the text; the first of equals."""
    best: tuple[int, Any] | None = None
    for start, end, value in _values(text):
        if best is None or end - start > best[0]:
            best = end - start, value
    return best[1:] if best else None


def _values(text: str) -> Iterator[tuple[int, int, Any]]:
    """Objects and lists in the text that do not lie in one another, with where each starts and ends."""
    at = 0
    for _ in range(MAX_ATTEMPTS):
        match = _BRACKET.search(text, at)
        if match is None:
            return
        start = match.start()
        try:
            value, at = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            reader = JsonReader(text, start)
            try:
                value, at = reader.read(), reader.at
            except ValueError:
                at = start + 1
                continue
            if reader.broken_off and not value:
                return  # what follows lies inside the value that broke off, and is not the whole of it
        yield start, at, value
