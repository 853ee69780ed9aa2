"""Incremental ingestion of what a document loader gives: documents by source, read again only where they changed.

A loader gives pages, rows or whole texts, each with metadata. Those of one source are one document of the corpus, and
each is a passage or more with its own place. A document without a source is known by its words, so that it, too, is
taken over but once.
"""

import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from weiwo.text.chunking import chunk_sections
from weiwo.tools.corpus.base import Problem
from weiwo.tools.corpus.formats.langchain_metadata import DocumentMetadata, derive_source_title, read_metadata
from weiwo.tools.corpus.formats.parts import Part, clean_text, detect_part_language
from weiwo.tools.corpus.index.writer import IndexWriter
from weiwo.tools.corpus.ingestion.change_batch import ChangeBatch
from weiwo.tools.corpus.ingestion.ingestion_report import IngestReport
from weiwo.tools.corpus.ingestion.langchain_loader import LoadedDocuments, LoaderSpec
from weiwo.tools.corpus.records import Document, KnownFile, Passage
from weiwo.tools.corpus.source_names import make_loaded_path, make_loaded_prefix

if TYPE_CHECKING:
    from langchain_core.documents import Document as LangChainDocument

_TYPE: Final = "loaded"


@dataclass(slots=True)
class _Source:
    """The documents of one source, in the order they came."""

    name: str
    title: str = ""
    date: str | None = None
    pieces: list[tuple[str, DocumentMetadata]] = field(default_factory=list)

    def hash_content(self) -> str:
        """Hash what the index would hold of it."""
        digest = sha256(repr((self.title, self.date)).encode("utf-8", "surrogatepass"))
        for text, stated in self.pieces:
            digest.update(repr((text, stated.title, stated.place, stated.headings)).encode("utf-8", "surrogatepass"))
        return digest.hexdigest()


def ingest_loaded(spec: LoaderSpec, loaded: LoadedDocuments, writer: IndexWriter) -> IngestReport:
    """Bring an index up to what a loader gave; what others gave, and files, stay. Blocks.

    What the loader gave before and does not give now leaves the index, unless it was stopped on its way.

    Returns:
        What was done; its seconds are those of loading and writing together.
    """
    started = time.monotonic()
    known = writer.read_known()
    run = _LoaderRun(spec, known, writer)
    for source in _group_by_source(spec, loaded.documents):
        run.add(source)
    if not loaded.stopped:
        run.remove_missing()
    run.finish()
    problems = run.report.left_out
    for one in loaded.too_long:
        problems.append(Problem(read_metadata(one).source or spec.label, "too long; split it first"))
    if loaded.stopped:
        problems.append(Problem(spec.label, loaded.stopped))
    problems.sort(key=lambda problem: problem.source)
    run.report.seconds = loaded.seconds + time.monotonic() - started
    return run.report


class _LoaderRun:
    """A run over the documents of one loader."""

    def __init__(self, spec: LoaderSpec, known: Mapping[str, KnownFile], writer: IndexWriter) -> None:
        self.report = IngestReport(documents=sum(not one.problem for one in known.values()))
        self._spec, self._known, self._writer = spec, known, writer
        self._taken = {one.source: path for path, one in known.items()}
        self._seen: set[str] = set()
        self._batch = ChangeBatch()

    def add(self, source: _Source) -> None:
        """Put a document, unless the index has it as it is."""
        path = make_loaded_path(self._spec.label, self._spec.key, source.name)
        passages = list(_cut_passages(source))
        if not passages:
            self.report.left_out.append(Problem(source.name, "empty"))
            return
        self._seen.add(path)
        content = source.hash_content()
        before = self._known.get(path)
        if before is not None and before.sha256 == content:
            self.report.unchanged += 1
            return
        title = source.title or derive_source_title(source.name)
        size = sum(len(text) for text, _ in source.pieces)
        language = detect_part_language(Part(title, passages))
        taken_over = before is None and self._take_over(source.name)
        name = before.source if before else self._choose_name(source.name, path)
        self._batch.put(Document(name, path, content, size, 0, title, _TYPE, language, source.date), passages)
        self.report.passages += len(passages)
        new = before is None and not taken_over
        self.report.added += new
        self.report.changed += not new
        self.report.documents += new
        if self._batch.full:
            self.finish()

    def remove_missing(self) -> None:
        """Remove what the loader does not give any more."""
        prefix = make_loaded_prefix(self._spec.label, self._spec.key)
        for path in [path for path in self._known if path.startswith(prefix) and path not in self._seen]:
            self._batch.remove(path)
            self.report.removed += 1
            self.report.documents -= 1

    def finish(self) -> None:
        """Write what has come together."""
        if self._batch:
            self._writer.apply(self._batch.take())

    def _take_over(self, name: str) -> bool:
        """Remove the document that the same loader gave under that source with other arguments, a new key, say."""
        other = self._taken.get(name, "")
        if not other.startswith(make_loaded_prefix(self._spec.label)) or other in self._seen:
            return False
        self._batch.remove(other)
        del self._taken[name]
        return True

    def _choose_name(self, name: str, path: str) -> str:
        """The source as the loader names it; where a file, say, has that name already, with the loader beside it."""
        for candidate in (name, f"{name} ({self._spec.name})", f"{name} ({self._spec.name} {self._spec.key})"):
            if self._taken.setdefault(candidate, path) == path:
                return candidate
        return path


def _group_by_source(spec: LoaderSpec, documents: "Iterable[LangChainDocument]") -> Iterator[_Source]:
    sources: dict[str, _Source] = {}
    for document in documents:
        stated = read_metadata(document.metadata or {})
        text = clean_text(document.page_content).strip()
        name = stated.source or f"{spec.name}#{document.id or _hash_text(text)}"
        source = sources.setdefault(name, _Source(name))
        source.title = source.title or stated.title
        source.date = source.date or stated.date
        source.pieces.append((text, stated))
    yield from sources.values()


def _hash_text(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def _cut_passages(source: _Source) -> Iterator[Passage]:
    for text, stated in source.pieces:
        _, chunks = chunk_sections(text, ())
        for number, chunk in enumerate(chunks, 1):
            part = f"part {number} of {len(chunks)}" if len(chunks) > 1 else ""
            place = ", ".join(filter(None, (stated.place, part)))
            yield Passage(chunk.words, _own_headings(stated, source), place, chunk.first, chunk.last, stated.page)


def _own_headings(stated: DocumentMetadata, source: _Source) -> tuple[str, ...]:
    """The headings of a piece, and above them its title where that is another than the document's."""
    above = (stated.title,) if stated.title and stated.title != source.title else ()
    return (*above, *stated.headings)
