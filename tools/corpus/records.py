"""Index records: documents, passages, and the batches of changes in which ingestion hands them over."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Document:
    """A document of a corpus, as it was when it was read.

    Attributes:
        source: The name that citations give it; unique in its corpus.
        path: Where it lies, absolute; of a document that is no file, a name that its loader gave rise to.
        sha256: Hash of its bytes, in hex: its identity across renames.
        size: Bytes.
        modified_ns: Its time of change, in nanoseconds since 1970.
        title: Its title, or its file name.
        type: The kind of file: markdown, text, rst, html, pdf, docx, pptx, xlsx, csv, json, epub or code; or `loaded`,
            by a document loader.
        language: `en`, `zh` or another language's code, of most of its text.
        date: The ISO date that it states for itself, where it does.
    """

    source: str
    path: str
    sha256: str
    size: int
    modified_ns: int
    title: str
    type: str
    language: str
    date: str | None = None


@dataclass(frozen=True, slots=True)
class Passage:
    """A run of a document's own words, in document order.

    Attributes:
        text: The words.
        headings: The headings it stands under, outermost first, without the document's title.
        locator: Its place for people, such as "lines 3-7", "page 2, lines 1-9", "slide 4" or "sheet Sales, rows 2-20".
        first_line: Its first line within the file, or the page, slide or sheet, from 1.
        last_line: Its last line.
        page: The page, slide, sheet or chapter, from 1; None where the file has none.
    """

    text: str
    headings: tuple[str, ...]
    locator: str
    first_line: int
    last_line: int
    page: int | None = None


@dataclass(frozen=True, slots=True)
class KnownFile:
    """A file as the index knows it: enough to tell whether it must be read again.

    Attributes:
        path: Where it lies, absolute.
        source: The name that citations give it.
        sha256: Hash of its bytes when it was read.
        size: Bytes.
        modified_ns: Its time of change.
        problem: Why it could not be read, in one line; empty where it was.
    """

    path: str
    source: str
    sha256: str
    size: int
    modified_ns: int
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Changes:
    """A batch of changes, taken over whole or not at all.

    Attributes:
        put: Documents read, each with its passages; what the index had under that path is replaced.
        moved: Files whose bytes are known under a path that is gone, as they are now, by the old path. Passages stay.
        touched: Files whose bytes are unchanged but not their size or time of change.
        failed: Files that could not be read, each with `problem` set.
        removed: Paths that are gone.
    """

    put: Sequence[tuple[Document, Sequence[Passage]]] = ()
    moved: Mapping[str, Document] | None = None
    touched: Sequence[KnownFile] = ()
    failed: Sequence[KnownFile] = ()
    removed: Sequence[str] = ()
