"""Split file names into words for search and matching."""

from pathlib import PurePosixPath
from typing import Final
from urllib.parse import unquote, urlsplit

from weiwo.text.patterns import lazy

_BETWEEN: Final = lazy(r"[\W_]+")
_LETTERS: Final = lazy(r"[^\W\d_]{2}")
_LONGEST: Final = 300
_LEVELS: Final = 2


def name_words(source: str, title: str = "") -> str:
    """Return the words of a file name and of its folder's name, joined by blanks, without the words of the title.

    "/data/reports/annual_report-2023.pdf" with the title "Report" → "reports annual 2023". The result is empty if the
    names hold no two letters in a row.

    Args:
        source: A path or a URL.
        title: The document's title, whose words the caller already has.
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
