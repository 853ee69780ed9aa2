"""Documents that are kept elsewhere: any LangChain vector store or retriever, as a corpus.

An entry `@module.attribute` names one, or a function that makes one: Postgres with pgvector, Qdrant, OpenSearch and
whatever else has a LangChain integration. How it searches is its own affair; what it finds becomes passages with the
places that their metadata tell. Its blocking side is used, in threads: every integration has that one.
"""

import asyncio
import re
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import PurePath
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from state import Evidence, passage_id
from tools.corpus.base import CorpusError, DocumentNotFoundError, Problem
from tools.failures import redacted
from tools.imports import import_object
from tools.printable import one_line, printable

if TYPE_CHECKING:
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.vectorstores import VectorStore

MARK: Final = "@"
"""What an entry that names one begins with."""
SECONDS: Final = 30.0
"""How long one search may take."""
LONGEST: Final = 8_000
"""Characters of a passage that are taken; longer ones are cut."""

_KEPT_SOURCES: Final = 1_000
_KEPT_PASSAGES: Final = 100
_NAMES: Final = {
    "source": ("source", "url", "uri", "link", "file_path", "path", "filename", "file_name", "file", "doc_id"),
    "title": ("title", "name", "document_title", "subject"),
    "date": ("date", "published", "published_at", "publish_date", "created_at", "creationdate", "last_modified"),
}
"""What loaders and splitters call things in metadata, the likeliest first."""
_HEADINGS: Final = re.compile(r"(?:header|h)[ _]?[1-6]", re.IGNORECASE)
_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d")


class OutsideCorpus:
    """A LangChain vector store or retriever, as a `Corpus`."""

    def __init__(self, name: str, inner: "VectorStore | BaseRetriever") -> None:
        """Take one.

        Args:
            name: What it is called in messages, and in the source of a passage whose metadata name none.
            inner: It.
        """
        self.name = name
        self.inner = inner
        self._seen: OrderedDict[str, dict[str, Evidence]] = OrderedDict()
        self._lock = Lock()

    @property
    def documents(self) -> tuple[str, ...]:
        """The sources of documents found so far: what is elsewhere cannot be listed."""
        with self._lock:
            return tuple(self._seen)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """None: others have filled it."""
        return ()

    @property
    def size(self) -> int:
        """The number of passages found so far, and one at least, so that it is searched."""
        with self._lock:
            return max(1, sum(map(len, self._seen.values())))

    async def search(self, query: str, k: int = 8) -> list[Evidence]:
        """Find the passages nearest to a question, in the order of the store; see `Corpus.search`.

        Raises:
            CorpusError: It does not answer; one line.
        """
        if k < 1 or not query.strip():
            return []
        try:
            found = await asyncio.wait_for(asyncio.to_thread(self._asked, query, k), SECONDS)
        except TimeoutError:
            raise CorpusError(f"corpus {self.name}: no reply within {SECONDS:.0f} s; see if it is up") from None
        except Exception as error:  # each integration raises its own
            said = one_line(redacted(f"{type(error).__name__}: {error}"), 200)
            raise CorpusError(f"corpus {self.name}: {said}; see if it is up and holds documents") from error
        distinct: dict[str, Evidence] = {}
        for one in (evidence(self.name, document) for document in found):
            if one.text:
                distinct.setdefault(one.id, one)
        passages = list(distinct.values())[:k]
        self._remember(passages)
        return [one.model_copy(update={"rank": n, "score": round(1 / n, 4)}) for n, one in enumerate(passages, 1)]

    async def open(self, source: str, query: str = "", k: int = 8) -> list[Evidence]:
        """Read what was found of one document, and what more a search for it brings; see `Corpus.open`."""
        name = source.strip()
        with self._lock:
            known = dict(self._seen.get(name, {}))
        if not known:
            raise DocumentNotFoundError(f"no document {one_line(name, 100)!r} was found in {self.name}; search first")
        title = next(iter(known.values())).title
        more = {one.id: one for one in await self.search(query or title or name, 4 * k) if one.source == name}
        first = more if query else {}
        passages = list({**first, **known, **more}.values())[: max(k, 0)]
        return [one.model_copy(update={"rank": n, "score": 0.0}) for n, one in enumerate(passages, 1)]

    def _asked(self, query: str, k: int) -> "Sequence[Document]":
        from langchain_core.vectorstores import VectorStore  # noqa: PLC0415  # heavy

        if isinstance(self.inner, VectorStore):
            return self.inner.similarity_search(query, k=k)
        return self.inner.invoke(query)

    def _remember(self, passages: Sequence[Evidence]) -> None:
        with self._lock:
            for one in passages:
                known = self._seen.setdefault(one.source, {})
                self._seen.move_to_end(one.source)
                if len(known) < _KEPT_PASSAGES:
                    known.setdefault(one.id, one)
            while len(self._seen) > _KEPT_SOURCES:
                self._seen.popitem(last=False)


@cache
def outside(entry: str) -> OutsideCorpus:
    """The corpus of an entry `@module.attribute`; made once in a process. Imports the module, and blocks.

    Raises:
        CorpusError: There is no such thing, or it is neither a vector store nor a retriever; one line.
    """
    from langchain_core.retrievers import BaseRetriever  # noqa: PLC0415  # heavy
    from langchain_core.vectorstores import VectorStore  # noqa: PLC0415  # the same

    path = entry.removeprefix(MARK).strip()
    module, _, attribute = path.rpartition(".")
    if not (module and attribute):
        raise CorpusError(f"corpus {one_line(entry, 100)}: not @module.attribute; write it so, as in @my_stores.papers")
    try:
        found = import_object(module, attribute)
        if not isinstance(found, VectorStore | BaseRetriever) and callable(found):
            found = found()
    except (Exception, SystemExit) as error:  # whatever the user's module does wrong
        said = one_line(redacted(f"{type(error).__name__}: {error}"), 200)
        raise CorpusError(
            f"corpus {one_line(entry, 100)}: it cannot be loaded ({said}); see docs/documents.md"
        ) from error
    if not isinstance(found, VectorStore | BaseRetriever):
        raise CorpusError(
            f"corpus {one_line(entry, 100)}: a {type(found).__name__}; it must be a LangChain vector store or retriever"
        )
    return OutsideCorpus(entry, found)


def evidence(name: str, document: "Document") -> Evidence:
    """A LangChain document as a passage."""
    text = printable(document.page_content).strip()[:LONGEST]
    stated: Mapping[str, Any] = document.metadata or {}
    identity = passage_id(text)
    source = _first(stated, "source") or f"{name}#{document.id or identity}"
    day = _DAY.match(_first(stated, "date"))
    return Evidence(
        id=identity,
        text=text,
        source=source,
        title=_first(stated, "title") or PurePath(source).stem,
        locator=_place(stated),
        date=day[0] if day else None,
    )


def _first(stated: Mapping[str, Any], what: str) -> str:
    return next((said for key in _NAMES[what] if (said := _said(stated.get(key)))), "")


def _said(value: object) -> str:
    return one_line(str(value), 500) if isinstance(value, str | int | float) and not isinstance(value, bool) else ""


def _place(stated: Mapping[str, Any]) -> str:
    """Where in the document it is, by the metadata: as it says itself, or page, lines and headings."""
    if whole := _said(stated.get("locator")):
        return whole
    parts = []
    page = _said(stated.get("page_label")) or _said(stated.get("page_number"))
    if not page and isinstance(stated.get("page"), int):
        page = str(stated["page"] + ("total_pages" in stated))  # PyPDFLoader, which says so, counts from 0
    if page:
        parts.append(f"page {page}")
    loc = stated.get("loc")
    lines = loc.get("lines") if isinstance(loc, Mapping) else None
    begin, end = (lines.get("from"), lines.get("to")) if isinstance(lines, Mapping) else (None, None)
    begin, end = _said(begin or stated.get("start_line")), _said(end or stated.get("end_line"))
    if begin:
        parts.append(f"lines {begin}-{end}" if end and end != begin else f"line {begin}")
    headings = [_said(stated[key]) for key in sorted(stated) if _HEADINGS.fullmatch(key)]
    if not headings and (section := _said(stated.get("section"))):
        headings = [section]
    return ", ".join(filter(None, [*parts, " › ".join(filter(None, headings))]))
