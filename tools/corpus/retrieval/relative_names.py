"""Relative source names: documents named from the current folder, wherever their corpus was made."""

import json
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from weiwo.tools.corpus.index.catalog import read_note
from weiwo.tools.corpus.source_names import LOADED, is_loaded, mark_part, name_relative_to, strip_part

if TYPE_CHECKING:
    from weiwo.state import Evidence

T = TypeVar("T")

_LIVE: Final = "SELECT source, path FROM documents WHERE died IS NULL"


class RelativeNames:
    """Names the documents of one corpus. What is made of no files is called what it was given."""

    def __init__(self, folder: Path) -> None:
        self._of_files = bool(read_note(folder).roots)

    def rename_passages(self, connection: sqlite3.Connection, passages: "dict[int, Evidence]") -> "dict[int, Evidence]":
        """Passages, each with the name of its document."""
        if not self._of_files:
            return passages
        sources = sorted({passage.source for passage in passages.values()})
        rows = connection.execute(
            f"{_LIVE} AND source IN (SELECT value FROM json_each(?))",  # noqa: S608  # constants only
            (json.dumps(sources),),
        )
        names = _name_sources(connection, rows.fetchall())
        return {
            number: passage
            if names.get(passage.source, passage.source) == passage.source
            else passage.model_copy(update={"source": names[passage.source]})
            for number, passage in passages.items()
        }

    def rename_documents(self, connection: sqlite3.Connection, documents: dict[str, T]) -> dict[str, T]:
        """Documents by name, in that order."""
        if not self._of_files:
            return documents
        names = _name_sources(connection, connection.execute(_LIVE).fetchall())
        named = {names.get(source, source): what for source, what in documents.items()}
        return {name: named[name] for name in sorted(named)}


def _name_sources(connection: sqlite3.Connection, rows: Sequence[tuple[str, str]]) -> dict[str, str]:
    """The relative name of each source; its own where that is a name which a loader gave to another document."""
    here = str(Path.cwd())
    names = {
        source: name_relative_to(strip_part(path), here) + mark_part(path)
        for source, path in rows
        if not is_loaded(path)
    }
    loaded = connection.execute(
        f"{_LIVE} AND path >= ? AND path < ? AND source IN (SELECT value FROM json_each(?))",  # noqa: S608  # the same
        (LOADED, f"{LOADED}\U0010ffff", json.dumps(list(names.values()))),
    )
    taken = {source for source, _ in loaded}
    return {source: source if name in taken else name for source, name in names.items()}
