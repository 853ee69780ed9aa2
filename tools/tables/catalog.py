"""The tables of a corpus: known by name, columns and values, and asked in a process of their own."""

import atexit
import json
import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from typing import Any, Final

from weiwo.state.source_filter import ANY_SOURCE, SourceFilter
from weiwo.tools.corpus.base import Corpus
from weiwo.tools.corpus.retrieval.federation import list_indexes
from weiwo.tools.corpus.retrieval.indexed_corpus import IndexedCorpus
from weiwo.tools.corpus.retrieval.table_documents import TableDocument
from weiwo.tools.tables.request import RequestError, TableRequest
from weiwo.tools.worker_process import WorkerProcess

_COMMAND: Final = "from weiwo.tools.tables.engine import main; main()"
_LOAD_SECONDS: Final = 60.0
_QUERY_SECONDS: Final = 10.0
_MOST_CHARACTERS: Final = 200_000_000
"""Characters of the tables that are held at a time, and so of any one of them."""
_MOST_DOCUMENTS: Final = 200
_KEPT: Final = 4

_Description = Mapping[str, Any]
"""What is known of a table: name, source, rows, notes, and of each column name, type, unit, values and samples."""


class TableCatalog:
    """The tables of a corpus. Its methods block, and may be called from several threads."""

    def __init__(self, corpus: Corpus) -> None:
        self.follow(corpus)
        self._lock = threading.Lock()
        self._worker: WorkerProcess | None = None
        self._known: dict[str, list[dict[str, Any]]] = {}
        self._refused: list[str] = []
        self._broken: dict[str, str] = {}

    def follow(self, corpus: Corpus) -> None:
        """Take a corpus as it was opened last: an index that was made anew is another."""
        self._indexes = list(list_indexes(corpus))

    def has_tables(self) -> bool:
        """Whether any document may have a table."""
        return any(True for _ in self._list_documents(ANY_SOURCE))

    def describe(self, within: SourceFilter = ANY_SOURCE) -> list[_Description]:
        """The tables of the documents that may be used, read anew where a document has changed.

        Raises:
            RequestError: The process that holds them does not start.
        """
        with self._lock:
            return [table for key in self._load(within) for table in self._known[key]]

    def query(self, request: TableRequest, within: SourceFilter = ANY_SOURCE) -> dict[str, Any]:
        """Run a request.

        Raises:
            RequestError: It does not fit the tables, or takes too long.
        """
        with self._lock:
            keys = self._load(within)
            try:
                asked = {"op": "query", "request": request.model_dump(), "keys": keys}
                result: dict[str, Any] = self._exchange(asked, _QUERY_SECONDS)["result"]
            except RequestError as error:
                refused = [line for line in self._refused if request.table in line]
                raise RequestError("; ".join([*refused, str(error)])) from None
            return result

    def close(self) -> None:
        """End the process; the next request starts another."""
        worker, self._worker = self._worker, None
        self._known = {}
        if worker is not None:
            worker.kill()

    def _list_documents(self, within: SourceFilter) -> Iterator[tuple[IndexedCorpus, TableDocument]]:
        for index in self._indexes:
            for one in index.list_table_documents():
                if not within or within.allows_passage(one.source, one.date):
                    yield index, one

    def _load(self, within: SourceFilter) -> list[str]:
        """Have the process hold the tables of these documents and no others' that are gone; returns their keys."""
        documents = list(self._list_documents(within))
        self._refused, held = [], 0
        keys: list[str] = []
        if self._worker is None or not self._worker.alive:
            self.close()
        if not within:
            for gone in self._known.keys() - {_identify(*both) for both in documents}:
                del self._known[gone]
                self._exchange({"op": "drop", "key": gone}, _QUERY_SECONDS)
        for index, one in documents:
            key = _identify(index, one)
            if key in self._broken:
                self._refused.append(self._broken[key])
                continue
            if held + one.size > _MOST_CHARACTERS or len(keys) >= _MOST_DOCUMENTS:
                self._refused.append(f"{one.source} is too large to be asked ({one.size:,} characters)")
                continue
            if key not in self._known:
                asked: dict[str, Any] = {"op": "load", "key": key, "kind": one.kind, "source": one.source}
                asked["passages"] = index.read_table_passages(one)
                try:
                    self._known[key] = self._exchange(asked, _LOAD_SECONDS)["tables"]
                except RequestError as error:
                    self._broken[key] = f"{one.source}: {error}"
                    return self._load(within)  # a table that ended the process took the others with it
            held += one.size
            keys.append(key)
        return keys

    def _exchange(self, asked: dict[str, Any], seconds: float) -> dict[str, Any]:
        if self._worker is None:
            self._worker = WorkerProcess(_COMMAND)
        try:
            frame = json.dumps({**asked, "seconds": seconds}).encode("ascii")
            reply: dict[str, Any] = json.loads(self._worker.exchange([frame], seconds))
        except (OSError, EOFError, ValueError):
            late = self._worker.late
            self.close()
            why = f"took more than {seconds:g} seconds" if late else "took more than it may, and was ended"
            raise RequestError(f"the request {why}; ask of fewer rows") from None
        if "error" in reply:
            raise RequestError(reply["error"])
        return reply


def _identify(index: IndexedCorpus, document: TableDocument) -> str:
    """What identifies the content of a document: its index, and its numbers there."""
    return f"{index.version.partition('.')[0]}\0{document.key}"


_open: Final[OrderedDict[tuple[str, ...], TableCatalog]] = OrderedDict()
_guard: Final = threading.Lock()


def open_catalog(corpus: Corpus) -> TableCatalog:
    """The catalog of a corpus; one for all that load the same indexes."""
    key = tuple(str(index.folder) for index in list_indexes(corpus))
    with _guard:
        found = _open.get(key)
        if found is None:
            found = _open[key] = TableCatalog(corpus)
        found.follow(corpus)
        _open.move_to_end(key)
        while len(_open) > _KEPT:
            _open.popitem(last=False)[1].close()
    return found


def _close_catalogs() -> None:
    """End the processes of all catalogs; what is asked next starts others."""
    with _guard:
        while _open:
            _open.popitem()[1].close()


atexit.register(_close_catalogs)


def describe_tables(corpus: Corpus, within: SourceFilter = ANY_SOURCE) -> list[_Description]:
    """The tables of a corpus; none where there are none, or the engine is not installed. It blocks."""
    if find_spec("duckdb") is None:
        return []
    try:
        return open_catalog(corpus).describe(within)
    except RequestError:
        return []
