"""Change detection: compares files on disk with the index, and assigns source names."""

# Paths stay strings here, since there may be a million.
# ruff: noqa: PTH118, PTH119, PTH120, PTH122

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from os.path import basename, dirname, join, splitext
from pathlib import Path

from weiwo.text.printable import one_line
from weiwo.tools.corpus.base import Problem
from weiwo.tools.corpus.formats import find_format
from weiwo.tools.corpus.ingestion.file_walk import FileListing, SourceFile
from weiwo.tools.corpus.records import KnownFile
from weiwo.tools.corpus.source_names import is_loaded, mark_part, name_source, strip_part


@dataclass(slots=True)
class FileChanges:
    """Result of a comparison: the work to do."""

    read: list[SourceFile] = field(default_factory=list)  # files to read: new, or with another size or time
    unchanged: list[str] = field(default_factory=list)  # paths of files with the indexed size and time
    in_part: list[Problem] = field(default_factory=list)  # problems of the unchanged files that are indexed in part
    # Files that could not be read and have not changed since. They are not tried again.
    failing: list[KnownFile] = field(default_factory=list)
    # Hashes of the documents to remove, by path: their files are no longer part of the corpus.
    gone: dict[str, str] = field(default_factory=dict)
    dropped: list[str] = field(default_factory=list)  # paths of files that could not be read and no longer exist
    known: Mapping[str, KnownFile] = field(default_factory=dict)  # all files and parts in the index, by path
    # The further parts of each file in the index, by the file's path and the part's path.
    parts: dict[str, dict[str, KnownFile]] = field(default_factory=dict)
    documents: int = 0  # number of documents in the index


def compare_files(listing: FileListing, known: Mapping[str, KnownFile], roots: Iterable[str]) -> FileChanges:
    """Compare the files found below the roots with an index.

    Indexed files outside the roots stay if they still exist on disk. Files below a folder that could not be listed
    stay, too, and so do documents from a document loader.
    """
    found = FileChanges(known=known)
    tops = list(roots)
    for path, item in known.items():
        found.documents += not item.problem
        if is_loaded(path):  # only its loader can tell whether it is gone
            continue
        base = strip_part(path)
        if base != path:
            found.parts.setdefault(base, {})[path] = item
        if base in listing.files or _is_kept(base, tops, listing):
            continue
        if item.problem:
            found.dropped.append(path)
        else:
            found.gone[path] = item.sha256
    for path, file in listing.files.items():
        before = known.get(path)
        if before is None or (before.size, before.modified_ns) != (file.size, file.modified_ns):
            found.read.append(file)
        elif before.problem:
            found.failing.append(before)
        else:
            found.unchanged.append(path)
            found.in_part += [Problem.in_part(before.source, before.losses)] if before.losses else []
    return found


def _is_kept(path: str, tops: list[str], listing: FileListing) -> bool:
    """Report whether an indexed path that the walk did not find stays in the index.

    It stays if its folder could not be listed, or if it is outside the searched folders and still exists on disk.

    Args:
        path: The path.
        tops: The searched files and folders.
        listing: The result of the walk.
    """
    if any(_is_below(path, folder) for folder in listing.unlisted):
        return True
    if any(_is_below(path, top) for top in tops):
        return False
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
    return True


def _is_below(path: str, top: str) -> bool:
    return path == top or path.startswith(join(top, ""))


class NameAssigner:
    """Assigner of source names, each unique to a path."""

    def __init__(self, known: Mapping[str, KnownFile]) -> None:
        self._known = known
        self._taken = {file.source: path for path, file in known.items()}

    def assign_name(self, path: str) -> str:
        """Return the name of a document in citations.

        "docs/a.md" for the file /home/me/docs/a.md in the current folder /home/me. A document that is in the index
        keeps its name. A file outside the current folder has its absolute path. A part of a file is named after the
        file and the part's first line, as in `data/log.jsonl#L2001`.
        """
        before = self._known.get(path)
        if before is not None:
            return before.source
        file = strip_part(path)
        mark = mark_part(path)
        name = f"{_name_folder(dirname(file))}{basename(file)}{mark}"
        if self._taken.setdefault(name, path) == path:
            return name
        return f"{file}{mark}"  # the name is taken, in an index made from another folder


def derive_title(path: str) -> str:
    """Derive a title from a file's name: "annual_report-2023.pdf" → "annual report 2023".

    A source code file keeps its name, with the ending.
    """
    name = basename(path)
    kind = find_format(path)
    if kind and kind.type == "code":
        return one_line(name)
    stem = splitext(name)[0]
    return one_line(stem.replace("-", " ").replace("_", " ")) or one_line(name)


@lru_cache(maxsize=10_000)
def _name_folder(path: str) -> str:
    """Return the prefix of the source names of all files in a folder."""
    name = name_source(Path(path, "x"))
    return name[:-1]
