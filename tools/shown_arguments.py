"""Display of a call's arguments for a person asked to approve the call.

Long values and lists are shortened, with the length of the omitted part.
"""

import json
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, Final

from weiwo.text.printable import printable

_LONGEST_VALUE: Final = 240
"""Longest value in characters that is shown whole."""
_HEAD, _TAIL = 160, 60
"""Characters shown of the beginning and the end of a longer value."""
_FIRST, _LAST = 15, 5
"""Number of values shown of the beginning and the end of a longer list."""
_MOST_PARTS: Final = 500
"""Limit of the lines for a single argument."""


def list_arguments(args: Mapping[str, Any]) -> list[str]:
    r"""Return lines for the arguments of a call: `name: value`.

    A long object or list gets a line for each value inside, by path (`rows[0].city: "Oslo"`). Omitted characters and
    values are counted. Characters that a terminal would hide are written as codes (`\u202e`).
    """
    lines: list[str] = []
    for name, value in args.items():
        whole = _as_json(value)
        if len(whole) <= _LONGEST_VALUE or not isinstance(value, Mapping | list | tuple):
            lines.append(f"{_escape(str(name))}: {_shorten(whole, value)}")
            continue
        parts = _list_values(str(name), value)
        lines += islice(parts, _MOST_PARTS)
        if more := sum(1 for _ in parts):
            lines.append(f"{_escape(str(name))}: {more:,} more values")
    return lines


def _list_values(path: str, value: Any) -> Iterator[str]:
    """Yield a line for each value inside an object or a list: `rows[0].city: "Oslo"`.

    Of a long list, only the first and last values are shown, with a line that counts the others. `path` is the path of
    the object or list.
    """
    if isinstance(value, Mapping) and value:
        for name, inner in value.items():
            yield from _list_values(f"{path}.{name}", inner)
    elif isinstance(value, list | tuple) and value:
        hidden = range(_FIRST, len(value) - _LAST)
        for n, inner in enumerate(value):
            if n not in hidden:
                yield from _list_values(f"{path}[{n}]", inner)
            elif n == _FIRST:
                yield f"{_escape(path)}: {len(hidden):,} of {len(value):,} values left out"
    else:
        yield f"{_escape(path)}: {_shorten(_as_json(value), value)}"


def _shorten(text: str, value: Any) -> str:
    if len(text) <= _LONGEST_VALUE:
        return text
    length = len(value) if isinstance(value, str) else len(text)
    return f"{text[:_HEAD]} … {text[-_TAIL:]} ({length:,} characters)"


def _as_json(value: Any) -> str:
    return _escape(json.dumps(value, ensure_ascii=False, default=str))


def _escape(text: str) -> str:
    """Return text on a single line, with invisible characters written as codes."""
    if printable(text) == text and text.isprintable():
        return text
    return "".join(item if item.isprintable() and printable(item) == item else f"\\u{ord(item):04x}" for item in text)
