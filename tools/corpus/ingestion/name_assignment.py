"""Assignment of unique source names to files, and of titles where they state none."""

# Paths stay strings here, since there may be a million.
# ruff: noqa: PTH119, PTH120, PTH122

from collections.abc import Mapping
from functools import lru_cache
from os.path import basename, dirname, splitext
from pathlib import Path

from weiwo.tools.corpus.formats import find_format
from weiwo.tools.corpus.records import KnownFile
from weiwo.tools.corpus.source_names import mark_part, name_source, strip_part
from weiwo.tools.printable import one_line


class NameAssigner:
    """Names for sources, each given to one path only."""

    def __init__(self, known: Mapping[str, KnownFile]) -> None:
        self._known = known
        self._taken = {one.source: path for path, one in known.items()}

    def assign_name(self, path: str) -> str:
        """The name of a document: the one it had, else from the current folder if it is below that, else absolute.

        A part of a file is named after it and its first line, as in `data/log.jsonl#L2001`.
        """
        before = self._known.get(path)
        if before is not None:
            return before.source
        file = strip_part(path)
        mark = mark_part(path)
        name = f"{_name_folder(dirname(file))}{basename(file)}{mark}"
        if self._taken.setdefault(name, path) == path:
            return name
        return f"{file}{mark}"  # an index that was begun in another folder has that name already


def derive_title(path: str) -> str:
    """The title of a file that states none."""
    name = basename(path)
    kind = find_format(path)
    if kind and kind.type == "code":
        return one_line(name)
    stem = splitext(name)[0]
    return one_line(stem.replace("-", " ").replace("_", " ")) or one_line(name)


@lru_cache(maxsize=10_000)
def _name_folder(path: str) -> str:
    """The beginning of the names of what is in a folder."""
    name = name_source(Path(path, "x"))
    return name[:-1]
