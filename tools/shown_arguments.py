"""A call's arguments as lines for a person who is to allow it: every value is there, a long one shortened."""

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
    r"""List arguments, a line each; of a long object or list a line for each value in it, by its path.

    What does not fit is counted: characters of a text, values of a list. What a terminal would hide is written as its
    code (`\u202e`).
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
    """The values within an object or a list, each with its path."""
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
    """Text on one line whose invisible characters are written as codes."""
    if printable(text) == text and text.isprintable():
        return text
    return "".join(one if one.isprintable() and printable(one) == one else f"\\u{ord(one):04x}" for one in text)
