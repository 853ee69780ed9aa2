"""File names as words: what a name tells of a document, for search and for matching."""

from pathlib import PurePosixPath
from typing import Final
from urllib.parse import unquote, urlsplit

from weiwo.text.patterns import lazy

_BETWEEN: Final = lazy(r"[\W_]+")
_LETTERS: Final = lazy(r"[^\W\d_]{2}")
_LONGEST: Final = 300
_LEVELS: Final = 2


def name_words(source: str, title: str = "") -> str:
    """The words of a file's name and of its folder's, without those of the title.

    Args:
        source: A path or an address.
        title: The document's title, whose words the caller has already.
    """
    path = unquote(urlsplit(source).path) if "://" in source else source.replace("\\", "/")
    parts = PurePosixPath(path[-_LONGEST:]).parts[-_LEVELS:]
    if not parts:
        return ""
    words = _BETWEEN.split(" ".join((*parts[:-1], PurePosixPath(parts[-1]).stem)))
    known = set(_BETWEEN.split(title.casefold()))
    if not any(map(_LETTERS.search, words)):  # a number tells nothing
        return ""
    return " ".join(dict.fromkeys(word for word in words if word and word.casefold() not in known))
