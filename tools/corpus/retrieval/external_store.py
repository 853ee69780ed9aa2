"""External stores: any LangChain vector store or retriever, as a corpus.

An entry `@module.attribute` names a store, or a function that makes one: Postgres with pgvector, Qdrant, OpenSearch and
whatever else has a LangChain integration. The store searches in its own way. Its documents become passages, with
source, title and locator from the metadata. The synchronous methods are called in threads, since every integration has
those.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from functools import cache
from threading import Lock
from typing import Final

from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.vectorstores import VectorStore

from weiwo.state import Evidence, passage_id
from weiwo.state.evidence import UNSCORED
from weiwo.state.source_filter import ANY_SOURCE, SourceFilter
from weiwo.text.printable import one_line, printable, redact_secrets
from weiwo.tools.corpus.base import CorpusError, DocumentNotFoundError, Problem
from weiwo.tools.corpus.formats.langchain_metadata import derive_source_title, read_metadata
from weiwo.tools.corpus.source_names import EXTERNAL_MARK
from weiwo.tools.named_objects import import_object, make_object
from weiwo.tools.passages import RankedText, rank_passages

_SECONDS: Final = 30.0
"""Time limit of a search."""
_LONGEST: Final = 8_000
"""Characters after which the text of a passage is cut."""

_MORE: Final = 4
"""Factor by which more passages are requested if a filter may drop some."""
_BY_WORDS: Final = frozenset({"BM25Retriever", "TFIDFRetriever"})
"""Keyword retrievers of langchain-community that return a fixed number of documents, even without a shared word."""
_KEPT_SOURCES: Final = 1_000
_KEPT_PASSAGES: Final = 100


class ExternalCorpus:
    """A LangChain vector store or retriever, as a `Corpus`."""

    def __init__(self, name: str, inner: VectorStore | BaseRetriever) -> None:
        """Wrap a vector store or retriever.

        The name is used in messages, and in the source of passages whose metadata name no source.
        """
        self.name = name
        self.inner = inner
        self._seen: OrderedDict[str, dict[str, Evidence]] = OrderedDict()
        self._lock = Lock()

    @property
    def documents(self) -> tuple[str, ...]:
        """Return the sources of documents found so far, because a remote store cannot be listed."""
        with self._lock:
            return tuple(self._seen)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Return no problems, because the store is filled elsewhere."""
        return ()

    @property
    def size(self) -> int:
        """Return the number of passages found so far, at least 1.

        Otherwise the corpus would not be searched.
        """
        with self._lock:
            return max(1, sum(map(len, self._seen.values())))

    @property
    def _looks_for_words(self) -> bool:
        return not {cls.__name__ for cls in type(self.inner).__mro__}.isdisjoint(_BY_WORDS)

    @property
    def version(self) -> str:
        """Return an empty string, because changes made elsewhere are unknown."""
        return ""

    async def search(self, query: str, k: int = 8, *, within: SourceFilter = ANY_SOURCE) -> list[Evidence]:
        """Find the passages nearest to a question, in the order of the store. See `Corpus.search`.

        Stores have no common way to state a restriction. So more passages are requested, and the fitting ones are kept.

        Raises:
            CorpusError: The store does not answer. The message is one line.
        """
        if k < 1 or not query.strip():
            return []
        wanted = k * _MORE if within else k
        try:
            found = await asyncio.wait_for(asyncio.to_thread(self._query_store, query, wanted), _SECONDS)
        except TimeoutError:
            raise CorpusError(
                f"corpus {self.name}: no reply within {_SECONDS:.0f} s; check that it is running"
            ) from None
        except Exception as error:  # each integration raises its own
            said = one_line(redact_secrets(f"{type(error).__name__}: {error}"), 200)
            advice = "check that it is running and contains documents"
            if isinstance(error, NotImplementedError):
                advice = "it gives no scores; use a retriever that needs none, such as search_type='similarity'"
            raise CorpusError(f"corpus {self.name}: {said}; {advice}") from error
        found = self._drop_unrelated(found, query)
        distinct: dict[str, Evidence] = {}
        for item in (_convert_document(self.name, document) for document in found):
            if item.text and within.allows_passage(item.source, item.date):
                distinct.setdefault(item.id, item)
        passages = list(distinct.values())[:k]
        self._remember(passages)
        flags = () if self._looks_for_words else (UNSCORED,)
        return [
            passage.model_copy(update={"rank": n, "score": round(1 / n, 4), "flags": flags})
            for n, passage in enumerate(passages, 1)
        ]

    async def open(self, source: str, query: str = "", k: int = 8) -> list[Evidence]:
        """Return up to `k` passages of a document: the hits of the query, then those found so far.

        Without a query, the store is searched for the document's title, and the passages come in the order in which
        they were found, not in the document's order.

        Raises:
            DocumentNotFoundError: No search has found the document yet.
            CorpusError: The store does not answer.
        """
        name = source.strip()
        with self._lock:
            known = dict(self._seen.get(name, {}))
        if not known:
            raise DocumentNotFoundError(f"no document {one_line(name, 100)!r} was found in {self.name}; search first")
        title = next(iter(known.values())).title
        more = {item.id: item for item in await self.search(query or title or name, 4 * k) if item.source == name}
        first = more if query else {}
        passages = list({**first, **known, **more}.values())[: max(k, 0)]
        return [passage.model_copy(update={"rank": n, "score": 0.0}) for n, passage in enumerate(passages, 1)]

    def _query_store(self, query: str, k: int) -> Sequence[Document]:
        if isinstance(self.inner, VectorStore):
            return self.inner.similarity_search(query, k=k)
        return self.inner.invoke(query)

    def _drop_unrelated(self, found: Sequence[Document], query: str) -> Sequence[Document]:
        """Return the documents that share a word with the question, if the retriever is one of `_BY_WORDS`, else all.

        Keyword retrievers return a fixed number of documents, even without a shared word.
        """
        if not self._looks_for_words:
            return found
        entries = [RankedText("", "", document.page_content[:_LONGEST]) for document in found]
        shared = set(rank_passages(entries, query, len(entries)))
        return [document for number, document in enumerate(found) if number in shared]

    def _remember(self, passages: Sequence[Evidence]) -> None:
        with self._lock:
            for passage in passages:
                known = self._seen.setdefault(passage.source, {})
                self._seen.move_to_end(passage.source)
                if len(known) < _KEPT_PASSAGES:
                    known.setdefault(passage.id, passage)
            while len(self._seen) > _KEPT_SOURCES:
                self._seen.popitem(last=False)


@cache
def open_external(entry: str) -> ExternalCorpus:
    """Open the corpus of an entry `@module.attribute`, once per process. Imports the module and blocks.

    Raises:
        CorpusError: There is no such object, or it is neither a vector store nor a retriever. The message is one line.
    """
    path = entry.removeprefix(EXTERNAL_MARK).strip()
    module, _, attribute = path.rpartition(".")
    if not (module and attribute):
        raise CorpusError(f"corpus {one_line(entry, 100)}: not @module.attribute; use the form @my_stores.papers")
    try:
        found = make_object(import_object(module, attribute), (VectorStore, BaseRetriever))
    except (Exception, SystemExit) as error:  # whatever the user's module does wrong
        said = one_line(redact_secrets(f"{type(error).__name__}: {error}"), 200)
        raise CorpusError(f"corpus {one_line(entry, 100)}: cannot be loaded ({said}); see docs/documents.md") from error
    if not isinstance(found, VectorStore | BaseRetriever):
        raise CorpusError(
            f"corpus {one_line(entry, 100)} is a {type(found).__name__}; it must be a LangChain vector "
            "store, a retriever, or a function annotated to return one"
        )
    return ExternalCorpus(entry, found)


def _convert_document(name: str, document: Document) -> Evidence:
    """Convert a LangChain document to a passage."""
    text = printable(document.page_content).strip()[:_LONGEST]
    stated = read_metadata(document.metadata or {})
    identity = passage_id(text)
    source = stated.source or f"{name}#{document.id or identity}"
    return Evidence(
        id=identity,
        text=text,
        source=source,
        title=stated.title or derive_source_title(source, text),
        headings=stated.headings,
        locator=stated.locator,
        date=stated.date,
    )
