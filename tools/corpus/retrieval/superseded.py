"""Superseded documents: detect older versions of documents within a folder.

Two documents are versions of one if their names differ in nothing but a version, a date, or a word such as "old" or
"final". The later version is current, else the later date. Periodic documents (minutes, weekly reports) have dates in
their names too, and none of them supersedes the others.
"""

import re
import sqlite3
from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from weiwo.text.language import fold
from weiwo.text.patterns import lazy

if TYPE_CHECKING:
    from weiwo.state import Evidence

_VERSION: Final = lazy(
    r"(?:(?<![a-z])(?:v|ver|version|rev|revision)[ ._-]?|第)(\d{1,4}(?:\.\d{1,4}){0,3})版?", re.IGNORECASE
)
_DATE: Final = lazy(r"(?<!\d)(\d{4})[-_.年]?(0[1-9]|1[0-2])?[-_.月]?(0[1-9]|[12]\d|3[01])?日?(?!\d)")
_OLD: Final = lazy(
    r"(?<![a-z])(?:old|obsolete|superseded|deprecated|outdated|draft)(?![a-z])|旧版?|废止|作废|草案", re.IGNORECASE
)
_NEW: Final = lazy(r"(?<![a-z])(?:new|final|current|latest)(?![a-z])|新版|现行|最终版?", re.IGNORECASE)
_PERIODIC: Final = lazy(
    r"minutes|meeting|report|notes?|log|invoice|newsletter|weekly|monthly|quarter|daily|annual|journal|diary|statement|"
    r"summary|release|news|纪要|会议|报告|周报|月报|季报|年报|日报|日志|发票|通讯|新闻|总结",
    re.IGNORECASE,
)
_AROUND: Final = lazy(r"[\W_]+")
_MOST: Final = 200
"""Maximum number of documents with the same name prefix that are compared."""


class _FileVersion(NamedTuple):
    """Version information in a file name."""

    series: str  # folder and name without version, date and words such as "old"; empty if nothing is left
    standing: int  # -1 for a name with a word such as "old", 1 for one such as "final", else 0
    version: tuple[int, ...]  # parts of the version number; empty without one
    date: str  # the date in the name, as digits; empty without one


_Family = dict[str, tuple[_FileVersion, str]]
"""Documents that differ only in version or date, by source: version information and date of each."""


@lru_cache(maxsize=8192)
def read_version(source: str) -> _FileVersion:
    """Extract the version information from a file's name.

    "docs/Policy v2 final.pdf" → series "docs/policy", standing 1 ("final"), version (2,).
    """
    folder, _, name = source.rpartition("/")
    stem, _, ending = name.rpartition(".")
    stem = fold(stem or ending)
    version = _VERSION.search(stem)
    rest = _VERSION.sub(" ", stem)
    date = _DATE.search(rest)
    rest = _DATE.sub(" ", rest)
    standing = -1 if _OLD.search(rest) else 1 if _NEW.search(rest) else 0
    rest = _AROUND.sub(" ", _NEW.sub(" ", _OLD.sub(" ", rest))).strip()
    numbers = tuple(int(part) for part in version[1].split(".")) if version else ()
    return _FileVersion(
        f"{folder}/{rest}" if rest else "", standing, numbers, "".join(filter(None, date.groups())) if date else ""
    )


def _find_superseded(connection: sqlite3.Connection, sources: Iterable[str], at: int) -> dict[str, str]:
    """Return, for each document of which a later version exists, the source of the latest version.

    Args:
        connection: Connection to the store.
        sources: Documents, as named in the store. Parts of files are skipped.
        at: The generation to read.
    """
    found: dict[str, str] = {}
    series: dict[str, dict[str, _Family]] = {}  # series by name prefix, so that each prefix is read once
    for source in {source for source in sources if "#" not in source}:
        own = read_version(source)
        if not own.series:
            continue
        folder = source.rpartition("/")[0] + "/" if "/" in source else ""
        # The name's first word stands before any version or date.
        word = re.match(r"[^\W\d_]+", source[len(folder) :])
        beginning = folder + (word[0][:12] if word else "")
        if beginning not in series:
            series[beginning] = _read_series(connection, beginning, at)
        family = series[beginning].get(own.series, {})
        current = max(family, key=lambda name: (_age(*family[name]), name), default=source)
        if source in family and _supersedes(family[current], family[source]):
            found[source] = current
    return found


def _read_series(connection: sqlite3.Connection, beginning: str, at: int) -> dict[str, _Family]:
    """Return the documents with names that start with `beginning`, grouped by `_FileVersion.series`.

    At most `_MOST` documents are read.
    """
    rows = connection.execute(
        "SELECT source, date FROM documents WHERE source >= ? AND source < ? AND born <= ? AND"
        " (died IS NULL OR died > ?) LIMIT ?",
        (beginning, beginning + "\U0010ffff", at, at, _MOST),
    )
    series: dict[str, _Family] = defaultdict(dict)
    for name, date in rows:
        version = read_version(name)
        series[version.series][name] = (version, date or "")
    return series


def mark_superseded(connection: sqlite3.Connection, passages: "dict[int, Evidence]", at: int) -> "dict[int, Evidence]":
    """Return the passages, with `superseded_by` set to the current version's file name for older versions."""
    newer = _find_superseded(connection, (passage.source for passage in passages.values()), at)
    return {
        number: passage.model_copy(update={"superseded_by": newer[passage.source].rpartition("/")[2]})
        if passage.source in newer
        else passage
        for number, passage in passages.items()
    }


def _age(name: _FileVersion, date: str) -> tuple[int, tuple[int, ...], str]:
    """Return the sort key of a version: words and number in the name, then the date."""
    return min(name.standing, 0), name.version, name.date or date.replace("-", "")


def _supersedes(newer: tuple[_FileVersion, str], older: tuple[_FileVersion, str]) -> bool:
    """Report whether the first document is a later version of the second. Both are given as version and date.

    A later date alone is not enough for a periodic document, like the minutes of a meeting.
    """
    new, old = _age(*newer), _age(*older)
    if new[:2] != old[:2]:
        return new[:2] > old[:2] and (new[0] > old[0] or bool(new[1] and old[1]) or not old[1])
    return new[2] > old[2] and bool(new[2] and old[2]) and not _PERIODIC.search(newer[0].series)
