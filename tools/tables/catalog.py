"""Catalog of a corpus's tables: names, columns, values and queries."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import PurePath
from typing import Any, Final

from weiwo.state.source_filter import ANY_SOURCE, SourceFilter
from weiwo.tools.corpus.base import Corpus
from weiwo.tools.corpus.retrieval.federation import list_indexes
from weiwo.tools.corpus.retrieval.indexed_corpus import IndexedCorpus
from weiwo.tools.corpus.retrieval.table_documents import TableEntry
from weiwo.tools.tables.columns import fold_value
from weiwo.tools.tables.engine_pool import EngineRequest, open_pool
from weiwo.tools.tables.name_check import find_table, find_wrong_names, names_file
from weiwo.tools.tables.request import TableRequest, TableRequestError

_MOST_TABLES: Final = 2_000
_MOST_DOCUMENTS: Final = 200
OUTDATED: Final = "was indexed by an earlier version; run `weiwo index` to use tables"

Description = Mapping[str, Any]
"""Description of a table (name, source, rows, notes, columns) or of a column (name, type, unit, values, samples)."""


@dataclass(frozen=True)
class _Part:
    """Stored table in an index."""

    index: IndexedCorpus
    entry: TableEntry

    @property
    def facts(self) -> Mapping[str, Any]:
        """Metadata stored with the table, e.g. `columns`, `rows` and `notes`.

        Empty if an earlier version of the program indexed the document.
        """
        return self.entry.facts or {}

    @property
    def key(self) -> str:
        """Key of the table's content in the query engine: index identity and table id, e.g. "ab12:7".

        The table gets a new key when its document is indexed again.
        """
        return f"{self.index.version.partition('.')[0]}:{self.entry.id}"

    def read(self) -> bytes:
        """Read the table as a Parquet file.

        Raises:
            TableRequestError: The document was indexed again in the meantime.
        """
        data = self.index.read_table(self.entry.id)
        if data is None:
            raise TableRequestError(f"{self.entry.source} was indexed again in the meantime; ask again")
        return data


@dataclass(frozen=True)
class _Table:
    """Queryable table: one stored table, or all sheets of a document with equal columns, read as one table."""

    name: str
    source: str
    parts: Sequence[_Part]

    def name_it(self) -> Description:
        """Return the names that a request may use for the table.

        Returns:
            `name` and `source`. For a stored table also `sheet` and `titles` (folded for comparison), for a joined
            table `parts`, the names of the sheets. The fields of the other kind are empty.
        """
        whole = self.parts[0] if len(self.parts) == 1 else None
        facts = whole.facts if whole else {}
        titles = (facts.get("title", ""), *facts.get("headings", ())[-1:], whole.entry.title if whole else "")
        return {
            "name": self.name,
            "source": self.source,
            "sheet": whole.entry.name if whole else "",
            "titles": {fold_value(title) for title in titles if title},
            "parts": [] if whole else [part.entry.name for part in self.parts],
        }

    def describe(self) -> Description:
        """Describe the table for users and planners.

        Returns:
            The fields of `name_it`, the number of rows, the columns, up to 10 notes, and as `torn` the number of rows
            that were not read because they have more cells than columns.
        """
        facts = [part.facts for part in self.parts]
        columns = [_merge_columns(alike) for alike in zip(*(fact["columns"] for fact in facts), strict=True)]
        return {
            **self.name_it(),
            "rows": sum(fact["rows"] for fact in facts),
            "columns": columns,
            "notes": [note for fact in facts for note in fact["notes"]][:10],
            "torn": sum(fact["torn"] for fact in facts),
        }

    def address(self) -> dict[str, Any]:
        """Return the part of an engine's message that names the table and the keys of its stored tables."""
        parts = [
            {"key": part.key, "name": part.entry.name, "source": part.entry.source, "facts": part.facts}
            for part in self.parts
        ]
        return {"name": self.name, "source": self.source, "parts": parts}


class TableCatalog:
    """Catalog of the tables of a corpus.

    All methods except `query` block, and may be called from several threads.
    """

    def __init__(self, corpus: Corpus) -> None:
        self._indexes = list(list_indexes(corpus))

    def has_tables(self) -> bool:
        """Report whether any document has a table."""
        return any(True for _ in self._list_entries(ANY_SOURCE))

    def list_outdated(self, within: SourceFilter = ANY_SOURCE) -> list[str]:
        """List the documents with tables that must be indexed again before the tables can be queried."""
        return list(dict.fromkeys(part.entry.source for part in self._list_entries(within) if not part.entry.facts))

    def describe(self, within: SourceFilter = ANY_SOURCE) -> list[Description]:
        """Describe the tables of the permitted documents.

        Tables of a document with equal columns are described singly, and again as one joined table.
        """
        return [table.describe() for table in self._list_tables(within)]

    async def query(self, request: TableRequest, within: SourceFilter = ANY_SOURCE, user: str = "") -> dict[str, Any]:
        """Run a request and return the result as built by `Query.run`.

        Args:
            request: The request.
            within: Folders and dates that the documents must match.
            user: User in whose queue the request waits.

        Raises:
            TableRequestError: The request does not fit the tables, takes too long or needs too much memory, a document
                must be indexed again, or the user has too many requests waiting.
            EngineError: The engine failed.
        """
        made = await asyncio.to_thread(self._make_request, request, within)
        return await asyncio.wrap_future(open_pool().submit(user, made))

    def _make_request(self, request: TableRequest, within: SourceFilter) -> EngineRequest:
        tables = list(self._list_tables(within))
        outdated = [part.entry for part in self._list_entries(within) if not part.entry.facts]
        if not outdated and (wrong := find_wrong_names(request, [table.describe() for table in tables])):
            raise TableRequestError("; ".join(wrong))
        main = _find_table(request.table, tables, outdated)
        joined = _find_table(request.join.table, tables, outdated) if request.join else None
        used = [table for table in (main, joined) if table is not None]
        message = {
            "request": request.model_dump(),
            "main": main.address(),
            "joined": joined.address() if joined else None,
        }
        sources: dict[str, tuple[Callable[[], bytes], int]] = {
            part.key: (part.read, part.entry.size) for table in used for part in table.parts
        }
        return EngineRequest(message, sources)

    def _list_entries(self, within: SourceFilter) -> Iterator[_Part]:
        for index in self._indexes:
            for entry in index.list_tables():
                if not within or within.allows_passage(entry.source, entry.date):
                    yield _Part(index, entry)

    def _list_tables(self, within: SourceFilter) -> Iterator[_Table]:
        """Yield the tables available for queries, with distinct names.

        After the single tables of a document follows the table that joins those with equal columns, if any.
        """
        parts = [part for part in self._list_entries(within) if part.entry.facts]
        documents = list(dict.fromkeys(part.entry.source for part in parts))[:_MOST_DOCUMENTS]
        names = Counter(_call(part, parts) for part in parts)
        for source in documents:
            own = [part for part in parts if part.entry.source == source]
            for part in own:
                name = _call(part, parts)
                yield _Table(f"{source} / {name}" if names[name] > 1 else name, source, (part,))
            if len(own) > 1:
                yield from _join_alike(source, own, _MOST_TABLES)


def _call(part: _Part, parts: Sequence[_Part]) -> str:
    """Return the name by which requests call a stored table: "sales / 2024", or "sales".

    The name is "document / sheet". It is the document's name alone if the sheet has no name or the same name, or if the
    document has no other table and its name contains the sheet's.

    Args:
        part: The table.
        parts: All tables that are available.
    """
    stem = PurePath(part.entry.source).stem
    alone = sum(other.entry.source == part.entry.source for other in parts) == 1
    own = part.entry.name
    if not own or own == stem:
        return stem
    return f"{stem} / {own}" if not alone or own.casefold() not in stem.casefold() else stem


def _join_alike(source: str, parts: Sequence[_Part], most: int) -> Iterator[_Table]:
    """Yield one table with the rows of all sheets that have equal columns, named after the document.

    Yields nothing if the sheets form no such group, or several. Two tables on one sheet are never joined, because costs
    below sales are not more sales.

    Args:
        source: The document.
        parts: The tables of the document.
        most: Maximum number of tables that are looked at.
    """
    alike: dict[tuple[Any, ...], list[_Part]] = {}
    for part in parts[:most]:
        columns = part.facts["columns"]
        if not any(column["doubt"] or column["mixed"] for column in columns):
            alike.setdefault(tuple((fold_value(c["name"]), c["type"], c["unit"]) for c in columns), []).append(part)
    groups = [group for group in alike.values() if len(group) > 1 and group[0].facts["unit"] == "row"]
    groups = [group for group in groups if len({part.facts["within"] for part in group}) == len(group)]
    if len(groups) == 1:
        yield _Table(PurePath(source).stem, source, tuple(groups[0]))


def _merge_columns(columns: Sequence[Description]) -> Description:
    """Merge the descriptions that several tables give of the same column: values, range and counts."""
    if len(columns) == 1:
        return columns[0]
    values = list(dict.fromkeys(value for column in columns for value in column["values"]))
    sums = {key: sum(column[key] for column in columns) for key in ("distinct", "empty", "unread")}
    spans = [column["range"] for column in columns if column.get("range")]
    span = [min(first for first, _ in spans), max(last for _, last in spans)] if spans else []
    return {**columns[0], "values": values, "range": span, **sums}


def _find_table(wanted: str, tables: Sequence[_Table], outdated: Sequence[TableEntry]) -> _Table:
    """Find the table of a name.

    Raises:
        TableRequestError: No table has the name, the document must be indexed again, or the table was too large to
            store.
    """
    try:
        return _require_columns(tables[find_table(wanted, [table.name_it() for table in tables])])
    except TableRequestError:
        stale = [entry for entry in outdated if entry.name == wanted or names_file(wanted, entry.source)]
        if stale or (outdated and not tables):
            raise TableRequestError(f"{(stale or outdated)[0].source} {OUTDATED}") from None
        raise


def _require_columns(table: _Table) -> _Table:
    refused = table.parts[0].facts.get("refused")
    if refused:
        raise TableRequestError(f"{table.name} has {refused}")
    return table


def open_catalog(corpus: Corpus) -> TableCatalog:
    """Return a catalog of the tables of a corpus."""
    return TableCatalog(corpus)


def describe_tables(corpus: Corpus, within: SourceFilter = ANY_SOURCE) -> list[Description]:
    """Describe the tables of a corpus. Blocks.

    Returns an empty list if the corpus has no tables or the engine is not installed.
    """
    return [] if find_spec("duckdb") is None else open_catalog(corpus).describe(within)
