"""The indexed corpus: a corpus folder on disk as a `Corpus`.

A search reads a single generation of the corpus throughout: that of the keyword index, which may be a moment behind the
store. Queries to SQLite state this generation. If passages of it are deleted meanwhile, the search starts again with a
newer one.
"""

import asyncio
import json
import logging
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Final, TypeVar

from weiwo.state.source_filter import ANY_SOURCE, SourceFilter
from weiwo.text.analyzer import query_terms
from weiwo.text.language import fold
from weiwo.text.patterns import lazy
from weiwo.text.printable import one_line
from weiwo.tools.calling.call_context import find_call
from weiwo.tools.corpus.base import CorpusError, DocumentNotFoundError, Problem
from weiwo.tools.corpus.index import store as rows
from weiwo.tools.corpus.index.catalog import count_embedded_passages, read_note
from weiwo.tools.corpus.index.embedding_models import Embedder, EmbeddingError
from weiwo.tools.corpus.index.keyword_index import KeywordIndex, KeywordSnapshot
from weiwo.tools.corpus.index.store import STORE, Store
from weiwo.tools.corpus.index.vector_index import VectorIndex, find_model
from weiwo.tools.corpus.index.writer import catch_up_index
from weiwo.tools.corpus.retrieval.passage_search import LONGEST_QUERY, GenerationBuriedError, PassageSearch, SearchTrace
from weiwo.tools.corpus.retrieval.score_fusion import SearchOptions, rank_passages
from weiwo.tools.corpus.retrieval.superseded import mark_superseded
from weiwo.tools.corpus.retrieval.table_documents import TableEntry, list_tables, read_table
from weiwo.tools.corpus.source_names import LOADED, is_loaded, mark_part, name_relative_to, name_source, strip_part

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from weiwo.state import Evidence

_T = TypeVar("_T")
_log: Final = logging.getLogger(__name__)

_CANDIDATES: Final = 100
"""Minimum number of passages looked up by a search, so that scores are comparable and equal texts can be merged."""
_TRIES: Final = 5
_FIRST_BATCH_SECONDS: Final = 5.0
"""How long to wait for another process to commit the first batch of a corpus."""
_ENGLISH: Final = lazy(r"(?i)\b(?:the|and|with|this|that|from|its|are)\b")
"""Frequent English words. Text without any may be in another language that the index takes for English."""
_LIVE: Final = "SELECT source, path FROM documents WHERE died IS NULL"


@dataclass(frozen=True, slots=True)
class IndexSearchResult:
    """Passages, best first, with the trace of the search."""

    passages: "list[Evidence]"
    trace: SearchTrace


class IndexedCorpus:
    """A corpus folder as a read-only `Corpus`. Other processes may write to the folder meanwhile."""

    def __init__(self, folder: Path, *, embedder: Embedder | None = None) -> None:
        """Open a corpus.

        Args:
            folder: The corpus folder, as `IndexWriter` made it.
            embedder: The embedding model, if any. Passages get their vectors by `vector_index.embed_passages`.

        Raises:
            CorpusError: There is no corpus, or it cannot be read.
        """
        if not (folder / STORE).is_file():
            raise CorpusError(f"index {folder} does not exist; run weiwo index first")
        self.folder = folder
        """The corpus folder."""
        self.embedder = embedder
        """The embedding model, if any."""
        self.left_out: tuple[Problem, ...] | None = None
        """Problems of the latest file listing, which replace those recorded in the store. None without a listing."""
        self._names = _RelativeNames(folder)
        self._store = Store(folder / STORE)
        self._identity = self._store.read_identity()
        self._lock = Lock()
        self._nearest: VectorIndex | None = None
        self._covered: tuple[tuple[int, int], tuple[int, int]] = ((-1, -1), (0, 0))
        self._counted = (-1, 0)
        self._tables: tuple[tuple[int, str], list[TableEntry]] = ((-1, ""), [])
        self._listed: tuple[tuple[int, str], dict[str, tuple[int, str, range]]] = ((-1, ""), {})
        try:
            self._keyword = KeywordIndex(folder, self._identity)
        except (ValueError, OSError):  # the index is broken, and a writer rebuilds it
            catch_up_index(folder)
            self._keyword = KeywordIndex(folder, self._identity)
        generation = self._store.read_generation()
        if (shown := self._keyword.snapshot(generation).generation) < generation:
            # A new corpus would look empty until its first batch is committed, so wait for that.
            catch_up_index(folder, wait_seconds=0.0 if shown else _FIRST_BATCH_SECONDS)

    @property
    def documents(self) -> tuple[str, ...]:
        """Return the sources of all documents, sorted by name."""
        return tuple(self._list_documents(self.snapshot().generation))

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Return the files not indexed or indexed in part."""
        return self._store.read_problems() if self.left_out is None else self.left_out

    @property
    def size(self) -> int:
        """Return the number of passages."""
        generation = self.snapshot().generation
        if self._counted[0] != generation:
            with self._store.read_transaction() as connection:
                self._counted = (generation, rows.count_passages(connection, generation))
        return self._counted[1]

    @property
    def generation(self) -> int:
        """Return the generation: the number of applied batches."""
        return self._store.read_generation()

    @property
    def version(self) -> str:
        """Return the version of the content: corpus identity and number of applied batches."""
        return f"{self._identity}.{self.generation}"

    async def search(
        self, query: str, k: int = 8, *, within: SourceFilter = ANY_SOURCE, options: SearchOptions | None = None
    ) -> "list[Evidence]":
        """Find the passages nearest to a question. See `Corpus.search`.

        Notes for the user, such as a failing embedding model, are added to the current tool call, or logged.
        """
        if within:
            options = replace(options or SearchOptions(), within=within)
        found = await self.find(query, k, options=options)
        if (call := find_call()) is not None:
            call.notes += found.trace.notes
        else:
            for note in found.trace.notes:
                _log.warning("%s", note)
        return found.passages

    async def find(self, query: str, k: int = 8, *, options: SearchOptions | None = None) -> IndexSearchResult:
        """Run `search` and return the trace with the passages."""
        return await asyncio.to_thread(self._find, query, k, options or SearchOptions())

    async def open(self, source: str, query: str = "", k: int = 8) -> "list[Evidence]":
        """Read a document. See `Corpus.open`.

        A file name or a title also works if only one document has it. If several have it, `DocumentNotFoundError` is
        raised.
        """
        return await asyncio.to_thread(self._read_document, source, query, k)

    def sample_documents(self, most: int, within: SourceFilter = ANY_SOURCE) -> list[tuple[str, str]]:
        """Return the title and language code of at most `most` documents, spread over the corpus. Blocks.

        Documents that the filter excludes are left out afterwards. The language is empty if it is doubtful.
        """
        with self._store.read_transaction() as connection:
            sampled = rows.sample_documents(connection, most)
        return [
            (title, "" if language == "en" and not _ENGLISH.search(beginning) else language)
            for title, language, source, path, beginning in sampled
            if within.allows_document(source, path)
        ]

    def list_tables(self) -> list[TableEntry]:
        """List the tables of all documents, under citation names. Blocks.

        The list is computed once per generation.
        """
        state = (self.generation, str(Path.cwd()))
        if self._tables[0] != state:
            with self._store.read_transaction() as connection:
                found = list_tables(connection, state[0])
                sources = {item.source: item.source for item in found}
                names = {old: new for new, old in self._names.rename_documents(connection, sources).items()}
            self._tables = (state, [replace(item, source=names.get(item.source, item.source)) for item in found])
        return self._tables[1]

    def read_table(self, number: int) -> bytes | None:
        """Return the Parquet data of a table by number, or None if deleted meanwhile. Blocks."""
        with self._store.read_transaction() as connection:
            return read_table(connection, number)

    def close(self) -> None:
        """Close open connections. The corpus may still be used."""
        self._store.close()

    def snapshot(self) -> KeywordSnapshot:
        """Return the current keyword index snapshot, with the term statistics. Blocks for a moment."""
        return self._keyword.snapshot(self._store.read_generation())

    def _find(self, query: str, k: int, options: SearchOptions) -> IndexSearchResult:
        limit = max(_CANDIDATES, 4 * k)
        buried = 0
        while True:
            trace = SearchTrace()
            try:
                passages = self._search_generation(query, k, options, limit, trace)
            except GenerationBuriedError:
                buried += 1
                if buried == _TRIES:
                    raise CorpusError(f"index {self.folder} changes too fast to be read; try again") from None
                continue
            if passages is not None:
                return IndexSearchResult(passages, trace)
            limit *= 8

    def _search_generation(
        self, query: str, k: int, options: SearchOptions, limit: int, trace: SearchTrace
    ) -> "list[Evidence] | None":
        """Return the `k` best passages of the current generation, without duplicate texts.

        Returns None if `limit` passages were too few to find them.
        """
        snapshot = self.snapshot()
        with self._store.read_transaction() as connection:
            search = PassageSearch(
                connection, snapshot, query, options, self._prepare_vectors, trace, coverage=self._count_embedded
            )
            scores, known = search.score_passages(limit)
            distinct: dict[str, int] = {}
            for passage in _order_passages(scores, known):
                distinct.setdefault(known[passage].hash, passage)
                if len(distinct) >= k:
                    break
            if len(distinct) < k and len(scores) >= limit:
                return None
            chosen = list(distinct.values())[: max(k, 0)]
            passages = self._read_passages(connection, chosen, snapshot.generation)
            found = _rank([passages[item] for item in chosen], [scores[item] for item in chosen])
            return [passage.model_copy(update={"strategy": trace.strategy}) for passage in found]

    def _read_passages(
        self, connection: sqlite3.Connection, numbers: Sequence[int], generation: int
    ) -> "dict[int, Evidence]":
        """Return passages by number, marked if superseded, with sources relative to the current folder."""
        found = rows.read_evidence(connection, numbers)
        return self._names.rename_passages(connection, mark_superseded(connection, found, generation))

    def _prepare_vectors(self, question: str) -> "tuple[VectorIndex, NDArray[np.float32]] | None":
        """Return the vector index and the question's vector, or None without an embedding model.

        Raises:
            EmbeddingError: The model does not answer, its dimension has changed, or it has embedded no passage yet.
        """
        if self.embedder is None:
            return None
        with self._lock:
            with self._store.read_transaction() as connection:
                model = find_model(connection, self.embedder.name)
            if model is None:
                raise EmbeddingError(
                    f"embeddings {self.embedder.name}: no passage has vectors of this model yet; run weiwo index"
                )
            if self._nearest is None or self._nearest.model != model:
                self._nearest = VectorIndex(model)
            nearest = self._nearest
        vector = self.embedder.embed_question(question)
        if len(vector) != model.dimension:
            raise EmbeddingError(
                f"embeddings {model.name}: its vectors now have {len(vector)} numbers, but {model.dimension} "
                "in the index; run weiwo index to embed the passages again"
            )
        return nearest, vector

    def _count_embedded(self, connection: sqlite3.Connection) -> tuple[int, int]:
        """Return the number of passages with a vector, and of all passages. Cached until either changes."""
        state = connection.execute(
            "SELECT (SELECT value FROM meta WHERE name = 'generation'), (SELECT coalesce(max(number), 0) FROM vectors)"
        ).fetchone()
        if self._covered[0] != state and self.embedder is not None:
            self._covered = (state, count_embedded_passages(connection, self.embedder.name))
        return self._covered[1]

    def _list_documents(self, generation: int) -> dict[str, tuple[int, str, range]]:
        state, listed = self._listed
        here = (generation, str(Path.cwd()))
        if state != here:
            with self._store.read_transaction() as connection:
                listed = self._names.rename_documents(connection, rows.list_documents(connection, generation))
            self._listed = (here, listed)
        return listed

    def _read_document(self, source: str, query: str, k: int) -> "list[Evidence]":
        snapshot = self.snapshot()
        documents = self._list_documents(snapshot.generation)
        number, _, passages = documents[_resolve_name(source, documents)]
        terms = query_terms(query[:LONGEST_QUERY])
        hits = dict(snapshot.search_words(terms, len(passages), [number])) if terms else {}
        order = [*rank_passages(hits), *(passage for passage in passages if passage not in hits)]
        with self._store.read_transaction() as connection:
            found = self._read_passages(connection, order, snapshot.generation)
        distinct: dict[str, tuple[Evidence, float]] = {}
        for passage in order:
            if passage in found:
                distinct.setdefault(found[passage].id, (found[passage], hits.get(passage, 0.0)))
        chosen = list(distinct.values())[: max(k, 0)]
        return _rank([passage for passage, _ in chosen], [score for _, score in chosen])


def _order_passages(scores: Mapping[int, float], known: Mapping[int, rows.PassageRow]) -> Iterator[int]:
    """Yield passages, best first, with equal scores ordered by document name.

    The order thus does not depend on which was indexed first.
    """
    for _, equal in groupby(scores, scores.__getitem__):
        yield from sorted(equal, key=lambda passage: (known[passage].source, passage))


def _rank(passages: "Sequence[Evidence]", scores: Sequence[float]) -> "list[Evidence]":
    return [
        passage.model_copy(update={"rank": rank, "score": round(max(score, 1e-4), 4) if score else 0.0})
        for rank, (passage, score) in enumerate(zip(passages, scores, strict=True), 1)
    ]


def _resolve_name(source: str, documents: dict[str, tuple[int, str, range]]) -> str:
    """Resolve a path, file name or title to the source name of a document.

    Raises:
        DocumentNotFoundError: The name fits no document, or several.
    """
    name = source.strip()
    if name in documents:
        return name
    if "\x00" not in name and (path := name_source(Path(name))) in documents:
        return path
    wanted = fold(name[:1_000])
    alike = [
        document
        for document, (_, title, _) in documents.items()
        if wanted in {fold(Path(document).name), fold(Path(document).stem), fold(title)}
    ]
    if len(alike) == 1:
        return alike[0]
    if alike:
        raise DocumentNotFoundError(
            f"{one_line(name, 100)!r} names {len(alike)} documents: {', '.join(alike[:4])}; use the path of one"
        )
    raise DocumentNotFoundError(
        f"the corpus has no document {one_line(name, 100)!r} ({len(documents)} documents); "
        "use a path, file name or title"
    )


class _RelativeNames:
    """Translator from the names of documents in the store to paths relative to the current folder.

    A corpus that is not made of files keeps its names.
    """

    def __init__(self, folder: Path) -> None:
        self._of_files = bool(read_note(folder).roots)

    def rename_passages(self, connection: sqlite3.Connection, passages: "dict[int, Evidence]") -> "dict[int, Evidence]":
        """Return passages with renamed sources."""
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

    def rename_documents(self, connection: sqlite3.Connection, documents: dict[str, _T]) -> dict[str, _T]:
        """Return documents under the new names, sorted by name."""
        if not self._of_files:
            return documents
        names = _name_sources(connection, connection.execute(_LIVE).fetchall())
        named = {names.get(source, source): what for source, what in documents.items()}
        return {name: named[name] for name in sorted(named)}


def _name_sources(connection: sqlite3.Connection, rows: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Return the path relative to the current folder for each source: "docs/a.md" for the file /home/me/docs/a.md.

    A source keeps its name in the store if a loader gave the relative name to another document.

    Args:
        connection: Connection to the store.
        rows: Source and path of each document.
    """
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
