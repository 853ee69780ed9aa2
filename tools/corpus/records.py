"""Index records: documents, passages, and the batches of changes in which ingestion hands them over."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from weiwo.tools.corpus.losses import Loss

READER: Final = 2
"""Goes up when readers find more in the same file; what an earlier one read is read again."""


@dataclass(frozen=True, slots=True)
class Document:
    """A document of a corpus, as it was when it was read."""

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


@dataclass(frozen=True, slots=True)
class KnownFile:
    """A file as the index knows it: enough to tell whether it must be read again."""

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
