"""Display of a call's arguments for a person asked to approve the call.

Each argument is a line. Every value is present, and long values are shortened.
"""

import json
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, Final

from weiwo.text.printable import printable

_LONGEST_VALUE: Final = 240
"""Characters of a value that is shown whole."""
_HEAD, _TAIL = 160, 60
"""Characters shown of the beginning and the end of a longer one."""
_MOST_PARTS: Final = 40
"""Values shown of one argument that is an object or a list."""


def list_arguments(args: Mapping[str, Any]) -> list[str]:
    r"""List arguments, a line each.

    A long object or list gets a line for each value inside, by path. Omitted parts are counted: characters of a text,
    values of a list. Characters that a terminal would hide are written as codes (`\u202e`).
    """
    lines: list[str] = []
    for name, value in args.items():
        whole = _as_json(value)
        if len(whole) <= _LONGEST_VALUE or not isinstance(value, Mapping | list | tuple):
            lines.append(f"{_escape(str(name))}: {_shorten(whole, value)}")
            continue
        parts = _leaves(str(name), value)
        lines += [f"{_escape(path)}: {_shorten(_as_json(leaf), leaf)}" for path, leaf in islice(parts, _MOST_PARTS)]
        if more := sum(1 for _ in parts):
            lines.append(f"{_escape(str(name))}: {more:,} more values")
    return lines


def _leaves(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the values within an object or a list, each with a path."""
    if isinstance(value, Mapping) and value:
        for name, inner in value.items():
            yield from _leaves(f"{path}.{name}", inner)
    elif isinstance(value, list | tuple) and value:
        for n, inner in enumerate(value):
            yield from _leaves(f"{path}[{n}]", inner)
    else:
        yield path, value


def _shorten(text: str, value: Any) -> str:
    if len(text) <= _LONGEST_VALUE:
        return text
    length = len(value) if isinstance(value, str) else len(text)
    return f"{text[:_HEAD]} … {text[-_TAIL:]} ({length:,} characters)"


def _as_json(value: Any) -> str:
    return _escape(json.dumps(value, ensure_ascii=False, default=str))


def _escape(text: str) -> str:
    """Return text on a single line with invisible characters written as codes."""
    if printable(text) == text and text.isprintable():
        return text
    return "".join(item if item.isprintable() and printable(item) == item else f"\\u{ord(item):04x}" for item in text)
