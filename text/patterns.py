"""Regular expressions that are compiled when they are first used.

The rules of two languages are hundreds of patterns. Compiling them all takes a good part of a second at every start,
and an English question needs none of the Chinese ones.
"""

import re
from typing import Any, cast

_METHODS = ("search", "match", "fullmatch", "finditer", "findall", "sub", "subn", "split")


class _Lazy:
    """Stands for a compiled pattern until one of its methods is asked for, and then takes them over."""

    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern = pattern
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        compiled = re.compile(self.pattern, self._flags)
        for method in _METHODS:
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)


def lazy(pattern: str, flags: int | re.RegexFlag = 0) -> re.Pattern[str]:
    """A pattern for its methods; functions of `re` that take a pattern want a compiled one.

    Args:
        pattern: The regular expression. It is not looked at before its first use.
        flags: As for `re.compile`.
    """
    return cast("re.Pattern[str]", _Lazy(pattern, int(flags)))
