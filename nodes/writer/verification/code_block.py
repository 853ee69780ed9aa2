"""Fenced code: the flags, addresses, packages and interfaces in it that stand in no source.

Names that a programmer may choose, and what every language has, are not looked up.
"""

import re
import sys
from collections.abc import Iterable, Iterator
from typing import Final

from weiwo.nodes.writer.verification.particulars import fold_letters
from weiwo.text.patterns import lazy

LONGEST_CODE: Final = 20_000
"""Characters of a block that are read."""
MOST_NAMED: Final = 4

_FLAG: Final = lazy(r"(?<![\w-])--[a-zA-Z][\w-]{1,40}")
_ADDRESS: Final = lazy(r"https?://(?!localhost|127\.|0\.0\.0\.0|(?:[\w-]+\.)?example\.)[^\s\"'<>()\[\]{}`,;]{3,200}")
_INSTALLED: Final = lazy(
    r"\b(?:pip3?|pipx|uv|poetry|npm|pnpm|yarn|brew|cargo|gem|conda|apt(?:-get)?) (?:install|add|i) ([^\n#;&|]{1,200})"
)
_PACKAGE: Final = lazy(r"(?<!\S)['\"]?@?([A-Za-z][\w./-]{0,60})")
_IMPORT: Final = lazy(r"(?m)^[ \t]*import ([\w.]{1,80})(?: as (\w{1,40}))?")
_FROM: Final = lazy(r"(?m)^[ \t]*from ([A-Za-z][\w.]{0,80}) import \(?([\w, ]{1,200})")
_REQUIRED: Final = lazy(r"\b(?:from|require\() ?['\"]([@\w][\w@/.-]{0,80})['\"]")


def find_unknown_code(code: str, sources: Iterable[str]) -> list[str]:
    """The distinctive words of a block of code that no source has, in order.

    Args:
        code: The block.
        sources: The texts of the sources.
    """
    known = [fold_letters(text) for text in sources]
    words = dict.fromkeys(_distinctive(code[:LONGEST_CODE]))
    return [word for word in words if not any(_stands_in(word, text) for text in known)][:MOST_NAMED]


def _stands_in(word: str, text: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(fold_letters(word))}(?![\w-])", text) is not None


def _distinctive(code: str) -> Iterator[str]:
    yield from (found[0] for found in _FLAG.finditer(code))
    yield from (found[0].rstrip(".:/") for found in _ADDRESS.finditer(code))
    for installed in _INSTALLED.finditer(code):
        yield from (found[1] for found in _PACKAGE.finditer(installed[1]))
    yield from (found[1] for found in _REQUIRED.finditer(code) if not found[1].startswith("."))
    for found in _IMPORT.finditer(code):
        if not _is_standard(found[1]):
            yield from found[1].split(".")
            yield from _attributes(code, found[2] or found[1])
    for found in _FROM.finditer(code):
        if not _is_standard(found[1]):
            imported = [name.split()[0] for name in found[2].split(",") if name.strip()]
            yield from (*found[1].split("."), *imported)
            for name in imported:
                yield from _attributes(code, name)


def _attributes(code: str, name: str) -> Iterator[str]:
    """What code takes of an imported name: `get` of `httpx.get`."""
    yield from (found[1] for found in re.finditer(rf"(?<![\w.]){re.escape(name)}\.([A-Za-z]\w{{0,60}})", code))


def _is_standard(module: str) -> bool:
    return module.split(".", maxsplit=1)[0] in sys.stdlib_module_names
