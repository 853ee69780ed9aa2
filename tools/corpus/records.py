"""Index records: documents, passages, and the batches of changes from ingestion."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from weiwo.tools.corpus.losses import Loss

READER: Final = 4
"""Goes up when readers find more in the same file; what an earlier one read is read again."""


@dataclass(frozen=True, slots=True)
class StoredTable:
    """A table of a document in the index, ready for queries."""

    name: str  # its name, apart from those of the document's other tables
    facts: str  # what is known of it, as `weiwo.tools.tables.table_store` writes it: JSON
    data: bytes  # its typed columns: a Parquet file


@dataclass(frozen=True, slots=True)
class Document:
    """A document of a corpus, as of the last read."""

    source: str  # the name that citations give it; unique in its corpus
    path: str  # where it lies, absolute; of a document that is no file, a name that its loader gave rise to
    sha256: str  # hash of its bytes, in hex: its identity across renames
    size: int  # bytes
    modified_ns: int  # its time of change, in nanoseconds since 1970
    title: str  # its title, or its file name
    # The kind of file: markdown, text, rst, html, pdf, docx, pptx, xlsx, csv, json, epub, code, or its ending; or
    # `loaded`, by a document loader.
    type: str
    language: str  # `en`, `zh` or another language's code, of most of its text
    date: str | None = None  # the ISO date that it states for itself, where it does
    losses: tuple[Loss, ...] = ()  # what of it is in no passage
    tables: tuple[StoredTable, ...] = ()  # its tables, in order


@dataclass(frozen=True, slots=True)
class Passage:
    """A run of a document's own words, in document order."""

    text: str  # the words
    headings: tuple[str, ...]  # the headings it stands under, outermost first, without the document's title
    # Its place for people, such as "lines 3-7", "page 2, lines 1-9", "slide 4" or "sheet Sales, rows 2-20".
    locator: str
    first_line: int  # its first line within the file, or the page, slide or sheet, from 1
    last_line: int  # its last line
    page: int | None = None  # the page, slide, sheet or chapter, from 1; None where the file has none
    # What is known of it that its own words do not say: `caption` of its table or figure, and of a mail `sender`,
    # `recipients`, `copied` and `sent`. Indexed and shown with it, and given to models; never quoted as its words.
    context: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class KnownFile:
    """A file known to the index, with the data for detecting changes."""

    path: str  # where it lies, absolute
    source: str  # the name that citations give it
    sha256: str  # hash of its bytes when it was read
    size: int  # bytes
    modified_ns: int  # its time of change
    problem: str = ""  # why it could not be read, in one line; empty where it was
    losses: tuple[Loss, ...] = ()  # what of it is in no passage


@dataclass(frozen=True, slots=True)
class Changes:
    """A batch of changes, taken over whole or not at all."""

    # Documents read, each with its passages; what the index had under that path is replaced.
    put: Sequence[tuple[Document, Sequence[Passage]]] = ()
    touched: Sequence[KnownFile] = ()  # files whose bytes are unchanged but not their size or time of change
    failed: Sequence[KnownFile] = ()  # files that could not be read, each with `problem` set
    removed: Sequence[str] = ()  # paths that are gone


_BATCH_PASSAGES: Final = 4_000
"""Passages after which a batch is written; a longer document is a batch of its own."""

_BATCH_DOCUMENTS: Final = 2_000
"""Changes after which it is, however few passages they have."""

BATCH_SECONDS: Final = 2.0
"""Seconds after which it is, however few they are: a kill loses no more."""


class ChangeBatch:
    """Collector of changes. Each path occurs once in a batch, so the order does not matter."""

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
        """Report whether the batch is large enough to be written."""
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
        """A document was read."""
        self._begin()
        self._touched.pop(document.path, None)
        self._put[document.path] = (document, passages)
        self._passages += len(passages)

    def touch(self, known: KnownFile) -> None:
        """A file has another time, or size, but the same bytes."""
        self._begin()
        self._touched[known.path] = known

    def fail(self, known: KnownFile) -> None:
        """A file could not be read."""
        self._begin()
        self._touched.pop(known.path, None)
        self._put.pop(known.path, None)
        self._failed[known.path] = known

    def remove(self, path: str) -> None:
        """A document is gone."""
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
