"""Lazily compiled regular expressions. Classes of Han characters are compiled only for text that may hold them.

The rules of two languages are hundreds of patterns. Compiling them all takes a good part of a second at every start,
and an English question needs none of the Chinese patterns. Each class of all Han characters takes 3 ms.
"""

import re
from typing import Any, Final, cast

from weiwo.state.cached_property import cached_property

HAN_RANGES: Final = "\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
"""Han characters, for use inside a character class."""

UNSPACED_RANGES: Final = (
    HAN_RANGES + r"\u3041-\u3096\u30a1-\u30fa\u30fc\uac00-\ud7a3"
    r"\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ebd\u0ec0-\u0ece\u1000-\u103f\u1780-\u17d3"
)
"""Characters whose words have no blanks between them, or (Hangul) endings behind them; inside a character class."""

JOINED_RANGES: Final = (
    r"\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    r"\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u0711\u0730-\u074a\u07a6-\u07b0\u0900-\u0963\u0966-\u0dff\u0e01-\u0e3a"
    r"\u0e40-\u0e4e\u0e81-\u0ece\u0f71-\u0f84\u0f86-\u0fbc\u1000-\u1049\u1780-\u17d3\u200c\u200d"
)
"""Letters and marks of scripts whose words hold combining marks, which `\\w` leaves out; inside a character class."""

_LONGEST_READ: Final = 2_000
"""Maximum length of a text that is searched for characters from U+3000 on."""
_NARROW_BYTES: Final = bytes(range(0xE3))
"""Bytes that UTF-8 uses for characters below U+3000."""
_METHODS: Final = ("search", "match", "fullmatch", "finditer", "findall", "sub", "subn", "split")


class _Lazy:
    """Pattern that is compiled on the first call of a method. Its methods are then those of the compiled pattern."""

    def __init__(self, pattern: str, flags: int, costly: str) -> None:
        self.pattern = pattern
        self._flags = flags
        self._costly = costly

    @cached_property
    def compiled_pattern(self) -> re.Pattern[str]:
        """Return the compiled pattern, and replace the methods of this object by the compiled methods."""
        compiled = re.compile(self.pattern, self._flags)
        for method in _METHODS:
            setattr(self, method, getattr(compiled, method))
        return compiled

    def __getattr__(self, name: str) -> Any:
        if name not in _METHODS or self._costly not in self.pattern:
            return getattr(self.compiled_pattern, name)
        without = getattr(re.compile(self.pattern.replace(self._costly, self._costly[0]), self._flags), name)
        place = 1 if name in {"sub", "subn"} else 0

        def choose(*args: Any, **options: Any) -> Any:
            """Match without the costly character ranges, until a text may contain costly characters."""
            return (without if _is_narrow(args[place]) else getattr(self.compiled_pattern, name))(*args, **options)

        setattr(self, name, choose)
        return choose


def _is_narrow(text: str) -> bool:
    """Report whether a text has no characters from U+3000 on.

    A long text is only checked for ASCII, because a loop over its positions would otherwise be quadratic.
    """
    if text.isascii() or len(text) > _LONGEST_READ:
        return text.isascii()
    return not text.encode("utf-8", "surrogatepass").translate(None, _NARROW_BYTES)


def lazy(pattern: str, flags: int | re.RegexFlag = 0, *, costly: str = HAN_RANGES) -> re.Pattern[str]:
    """Return a lazily compiled pattern.

    It supports the methods of a pattern. Functions of `re` that take a pattern need a compiled one.

    Args:
        pattern: The regular expression. It is not parsed before its first use.
        flags: As for `re.compile`.
        costly: Ranges in its classes that take long to compile, from U+3000 on. They are compiled when a text may
            have some.
    """
    return cast("re.Pattern[str]", _Lazy(pattern, int(flags), costly))


def whole_word(text: str) -> str:
    """Return a regular expression that finds a text as a separate word.

    `whole_word("14")` finds "14" in "14 weeks", and not in "2014" or "1.14". An end of the text that is no ASCII letter
    or digit needs no boundary, because words of Chinese have none.
    """
    before, after = (r"(?a:\b)" if end.isascii() and end.isalnum() else "" for end in (text[0], text[-1]))
    before += r"(?<!\d[.,])" * text[0].isdigit()
    after += r"(?![.,]\d)" * text[-1].isdigit()
    return f"{before}{re.escape(text)}{after}"
