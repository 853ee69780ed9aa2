"""Index records: documents, passages, and the batches of changes from ingestion."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from weiwo.tools.corpus.losses import Loss

READER: Final = 4
"""Version of the file readers, raised when they extract more. Files read by another version are read again."""


@dataclass(frozen=True, slots=True)
class StoredTable:
    """A table of a document in the index, ready for queries."""

    name: str  # unique within the document
    facts: str  # metadata as JSON, written by `weiwo.tools.tables.table_store`
    data: bytes  # the typed columns as a Parquet file


@dataclass(frozen=True, slots=True)
class Document:
    """A document of a corpus, as of the last read."""

    source: str  # name in citations, unique in the corpus
    path: str  # absolute path; for a document from a loader, the path made by `source_names.make_loaded_path`
    sha256: str  # hash of the bytes, in hex: the identity across renames
    size: int  # bytes
    modified_ns: int  # time of the last change, in nanoseconds since 1970
    title: str  # the stated title, or the file name
    # Format: markdown, text, rst, html, pdf, docx, pptx, xlsx, csv, json, epub, code, or the file's ending. `loaded`
    # for a document from a loader.
    type: str
    language: str  # language code of most of the text, such as `en` or `zh`
    date: str | None = None  # the ISO date that the document states, if any
    losses: tuple[Loss, ...] = ()  # content that is missing from the passages
    tables: tuple[StoredTable, ...] = ()  # in document order


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a document's text: the unit that is indexed, found and cited."""

    text: str
    headings: tuple[str, ...]  # the headings above the passage, outermost first, without the document's title
    # Position for people, such as "lines 3-7", "page 2, lines 1-9", "slide 4" or "sheet Sales, rows 2-20".
    locator: str
    first_line: int  # first line within the file, or the page, slide or sheet, from 1
    last_line: int  # last line, inclusive
    page: int | None = None  # the page, slide, sheet or chapter, from 1; None if the file has none
    # Facts that are not in the text: the `caption` of a table or figure, and for a mail `sender`, `recipients`,
    # `copied` and `sent`. They are indexed, shown and given to models, but never quoted as the document's words.
    context: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class KnownFile:
    """A file known to the index, with the data for detecting changes."""

    path: str  # absolute path
    source: str  # name in citations
    sha256: str  # hash of the bytes when the file was read; empty if it must be read again
    size: int  # bytes
    modified_ns: int  # time of the last change, in nanoseconds since 1970; -1 if the file must be read again
    problem: str = ""  # why the file could not be read, in one line; empty if it was read
    losses: tuple[Loss, ...] = ()  # content that is missing from the passages


@dataclass(frozen=True, slots=True)
class Changes:
    """A batch of changes to the index, applied in a single transaction."""

    # Documents with their passages. Each replaces the indexed document of the same path.
    put: Sequence[tuple[Document, Sequence[Passage]]] = ()
    touched: Sequence[KnownFile] = ()  # files with unchanged bytes, whose recorded size, time or hash is updated
    failed: Sequence[KnownFile] = ()  # files that could not be read, each with `problem` set
    removed: Sequence[str] = ()  # paths to remove from the index


_BATCH_PASSAGES: Final = 4_000
"""Passages after which a batch is full. A document is never split, so a batch can hold more."""

_BATCH_DOCUMENTS: Final = 2_000
"""Changes after which a batch is full, however few passages they have."""

BATCH_SECONDS: Final = 2.0
"""Seconds after its first change at which a batch is written, so that a kill loses no more work than that."""


class ChangeBatch:
    """Collector of changes until they are written as a batch.

    A path has at most one document in a batch. Callers check `holds` before they add another.
    """

    def __init__(self) -> None:
        self._put: dict[str, tuple[Document, Sequence[Passage]]] = {}
        self._touched: dict[str, KnownFile] = {}
        self._failed: dict[str, KnownFile] = {}
        self._removed: list[str] = []
        self._passages = 0
        self._since: float | None = None

    def __bool__(self) -> bool:
        return self._since is not None

    @property
    def full(self) -> bool:
        """Report whether the batch is large enough to be written. See `wait` for its age."""
        documents = len(self._put) + len(self._touched) + len(self._failed) + len(self._removed)
        return self._passages >= _BATCH_PASSAGES or documents >= _BATCH_DOCUMENTS

    @property
    def wait(self) -> float | None:
        """Return the seconds until the batch is old enough to be written, or None if empty."""
        return None if self._since is None else max(0.0, BATCH_SECONDS - (time.monotonic() - self._since))

    def holds(self, path: str) -> bool:
        """Report whether the batch already holds a document of a path."""
        return path in self._put

    def add_document(self, document: Document, passages: Sequence[Passage]) -> None:
        """Add a document with its passages, replacing the indexed document of the same path."""
        self._begin()
        self._touched.pop(document.path, None)
        self._put[document.path] = (document, passages)
        self._passages += len(passages)

    def touch(self, known: KnownFile) -> None:
        """Update the recorded size, time or hash of a file. The indexed passages stay."""
        self._begin()
        self._touched[known.path] = known

    def fail(self, known: KnownFile) -> None:
        """Add a file that could not be read. Earlier changes of the same path are dropped from the batch."""
        self._begin()
        self._touched.pop(known.path, None)
        self._put.pop(known.path, None)
        self._failed[known.path] = known

    def remove(self, path: str) -> None:
        """Add the removal of a path. Earlier changes of the same path are dropped from the batch."""
        self._begin()
        self._touched.pop(path, None)
        self._put.pop(path, None)
        self._removed.append(path)

    def take(self) -> Changes:
        """Return the changes so far and empty the batch."""
        changes = Changes(
            put=list(self._put.values()),
            touched=list(self._touched.values()),
            failed=list(self._failed.values()),
            removed=self._removed,
        )
        self.__init__()  # type: ignore[misc]
        return changes

    def _begin(self) -> None:
        if self._since is None:
            self._since = time.monotonic()
