"""Names of documents as whoever asks would write them: from the current folder, wherever the corpus was made."""

import json
import sqlite3
from collections.abc import Iterable
from pathlib import Path
from typing import Final, TypeVar

from state import Evidence
from tools.corpus.compare import file_of
from tools.corpus.reading import named_from
from tools.corpus.shelf import roots_of

T = TypeVar("T")

_LIVE: Final = "SELECT source, path FROM documents WHERE died IS NULL"


class Names:
    """Names the documents of one corpus. Where they are not made of files, they are called what they were given."""

    def __init__(self, folder: Path) -> None:
        self._of_files = bool(roots_of(folder))

    def given(self, connection: sqlite3.Connection, passages: dict[int, Evidence]) -> dict[int, Evidence]:
        """Passages, each with the name of its document."""
        if not self._of_files:
            return passages
        sources = sorted({passage.source for passage in passages.values()})
        rows = connection.execute(f"{_LIVE} AND source IN (SELECT value FROM json_each(?))", (json.dumps(sources),))  # noqa: S608  # constants only
        names = _names(rows)
        return {
            number: passage
            if names.get(passage.source, passage.source) == passage.source
            else passage.model_copy(update={"source": names[passage.source]})
            for number, passage in passages.items()
        }

    def listed(self, connection: sqlite3.Connection, documents: dict[str, T]) -> dict[str, T]:
        """Documents by name, in that order."""
        if not self._of_files:
            return documents
        names = _names(connection.execute(_LIVE))
        named = {names.get(source, source): what for source, what in documents.items()}
        return {name: named[name] for name in sorted(named)}


def _names(rows: Iterable[tuple[str, str]]) -> dict[str, str]:
    here = str(Path.cwd())
    names = {}
    for source, path in rows:
        file = file_of(path)
        mark = f"#L{path[len(file) :].strip('/')}" if file != path else ""
        names[source] = named_from(file, here) + mark
    return names
