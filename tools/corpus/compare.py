"""What a corpus must read again: the files on disk beside what the index knows of them.

A long file of records is several documents to the index: the file itself, which holds its beginning, and its further
parts, whose paths are the file's, two slashes and a key. No path on disk has two slashes inside.
"""

# Paths stay strings here, since there may be a million.
# ruff: noqa: PTH118

import os
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from os.path import join
from typing import Final

from tools.corpus.formats import kind_of
from tools.corpus.records import Known
from tools.corpus.walk import File, Listing

_PART: Final = "//"


def part_path(path: str, key: str) -> str:
    """The path under which the index knows a part of a file."""
    return f"{path}{_PART}{key}" if key else path


def file_of(path: str) -> str:
    """The file that a document or a part of one is in."""
    at = path.find(_PART, 1)
    return path if at < 0 else path[:at]


@dataclass(slots=True)
class Gone:
    """Documents whose files are gone, so that a file with the same bytes can take over their passages.

    Each is taken over once.
    """

    _by_hash: dict[tuple[str, str], list[str]] = field(default_factory=lambda: defaultdict(list))
    _by_size: dict[int, set[str]] = field(default_factory=lambda: defaultdict(set))

    def add(self, one: Known, size: int) -> None:
        """Take in a document that is in the index and whose file, of that size, is gone."""
        self._by_hash[one.sha256, _kind(one.path)].append(one.path)
        self._by_size[size].add(one.sha256)

    def hashes(self, file: File) -> set[str]:
        """The hashes of documents that a file may turn out to be."""
        return self._by_size.get(file.size, set())

    def claim(self, sha256: str, path: str) -> str | None:
        """The path of a document of that hash, of the same kind as that path; it is taken then."""
        paths = self._by_hash.get((sha256, _kind(path)))
        return paths.pop() if paths else None

    def rest(self) -> list[str]:
        """What nobody took over."""
        return [path for paths in self._by_hash.values() for path in paths]


@dataclass(slots=True)
class Comparison:
    """What is to be done.

    Attributes:
        read: Files that are new or may have changed.
        unchanged: Files as the index knows them.
        failing: Files as they were when they could not be read, which they then cannot be now.
        gone: Documents whose files are no longer part of the corpus.
        dropped: Files that could not be read and are gone now, too.
        known: What the index knows, by path; parts under the path of their file.
        parts: The further parts of each file.
        documents: How many documents the index holds.
    """

    read: list[File] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    failing: list[Known] = field(default_factory=list)
    gone: Gone = field(default_factory=Gone)
    dropped: list[str] = field(default_factory=list)
    known: Mapping[str, Known] = field(default_factory=dict)
    parts: dict[str, dict[str, Known]] = field(default_factory=dict)
    documents: int = 0


def compare(listing: Listing, known: Mapping[str, Known], roots: Iterable[str]) -> Comparison:
    """Compare the files found below some roots with an index.

    Files that the index knows from elsewhere stay, unless they are gone from the disk. So does what is below a folder
    that could not be listed.
    """
    found = Comparison(known=known)
    tops = list(roots)
    for path, one in known.items():
        found.documents += not one.problem
        base = file_of(path)
        if base != path:
            found.parts.setdefault(base, {})[path] = one
        if base in listing.files or _stays(base, tops, listing):
            continue
        if one.problem:
            found.dropped.append(path)
        else:
            found.gone.add(one, known.get(base, one).size)
    for path, file in listing.files.items():
        before = known.get(path)
        if before is None or (before.size, before.modified_ns) != (file.size, file.modified_ns):
            found.read.append(file)
        elif before.problem:
            found.failing.append(before)
        else:
            found.unchanged.append(path)
    return found


def _stays(path: str, tops: list[str], listing: Listing) -> bool:
    """Whether what is not among the files found stays in the index all the same."""
    if any(_within(path, folder) for folder in listing.unlisted):
        return True
    if any(_within(path, top) for top in tops):
        return False
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
    return True


def _within(path: str, top: str) -> bool:
    return path == top or path.startswith(join(top, ""))


def _kind(path: str) -> str:
    kind = kind_of(file_of(path))
    return kind.module if kind else ""
