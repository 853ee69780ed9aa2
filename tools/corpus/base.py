"""The `Corpus` interface: a searchable collection of documents, with errors."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from weiwo.state.errors import WeiwoError
from weiwo.state.source_filter import ANY_SOURCE, SourceFilter
from weiwo.tools.corpus.losses import Loss, describe_losses

if TYPE_CHECKING:
    from weiwo.state import Evidence


class CorpusError(WeiwoError, ValueError):
    """Error for an unusable corpus.

    The message is one line: the object, the cause, the fix.
    """


class NoPlaceError(CorpusError):
    """Error: the index of the given files cannot be stored, for example because the disk is full or read-only."""


class DocumentNotFoundError(WeiwoError, LookupError):
    """Error: a corpus has no document under the requested name, or several. The message, a single line, says which."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A file that is missing from the index, or indexed only in part."""

    source: str  # name of the file, as in citations
    reason: str  # why, in one line
    losses: tuple[Loss, ...] = ()  # the missing content of a file indexed in part; empty if the whole file is missing

    @classmethod
    def in_part(cls, source: str, losses: tuple[Loss, ...]) -> "Problem":
        """Create the problem of a file indexed in part. The reason is composed from the losses."""
        return cls(source, describe_losses(losses), losses)


class Corpus(Protocol):
    """Documents cut into passages, searched by question. Safe to use from many tasks at once."""

    @property
    def documents(self) -> tuple[str, ...]:
        """Return the sources of all documents. `open` accepts any of these."""
        ...

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Return the files not indexed or indexed in part."""
        ...

    @property
    def size(self) -> int:
        """Return the number of passages."""
        ...

    @property
    def version(self) -> str:
        """Return the version id of the current content, or an empty string if unknown.

        For a remote store, for example, it is unknown.
        """
        ...

    async def search(self, query: str, k: int = 8, *, within: SourceFilter = ANY_SOURCE) -> "list[Evidence]":
        """Find the passages nearest to a question.

        Args:
            query: The question, or keywords, in any language.
            k: Maximum number of passages.
            within: Filter on folders and dates of the documents.

        Returns:
            Passages, best first, ranked from 1, without duplicate texts. Empty if nothing matches. Equal queries over
            equal documents give equal results. Scores are positive and comparable within one result only.
        """
        ...

    async def open(self, source: str, query: str = "", k: int = 8) -> "list[Evidence]":
        """Read a document.

        Args:
            source: The document, as named by `documents` or a passage's `source`.
            query: The query within the document. Without one, the passages come in document order from the start.
            k: Maximum number of passages.

        Returns:
            The passages: matches of the query first, then the others in document order.

        Raises:
            DocumentNotFoundError: The corpus has no such document.
        """
        ...
