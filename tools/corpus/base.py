"""The `Corpus` interface: a searchable collection of documents, and the errors it raises."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from weiwo.state.errors import WeiwoError
from weiwo.state.source_filter import ANY_SOURCE, SourceFilter
from weiwo.tools.corpus.losses import Loss, describe_losses

if TYPE_CHECKING:
    from weiwo.state import Evidence


class CorpusError(WeiwoError, ValueError):
    """A corpus that cannot be used at all. The message is one line: what, why, what to do."""


class NoPlaceError(CorpusError):
    """There is nowhere to keep an index: every disk is full or cannot be written. The message is one line."""


class DocumentNotFoundError(WeiwoError, LookupError):
    """A corpus has no document under the name asked for. The message is one line."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A file that was left out, or taken in part."""

    source: str  # the file, named as evidence would name it
    reason: str  # why, in one line
    losses: tuple[Loss, ...] = ()  # of a file taken in part: what was not; none where the whole file was left out

    @classmethod
    def in_part(cls, source: str, losses: tuple[Loss, ...]) -> "Problem":
        """The problem of a file that was taken in part."""
        return cls(source, describe_losses(losses), losses)


class Corpus(Protocol):
    """Documents cut into passages, searched by question. Safe to use from many tasks at once."""

    @property
    def documents(self) -> tuple[str, ...]:
        """The sources of all documents, in document order; `open` takes any of them."""
        ...

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The files that could not be taken in."""
        ...

    @property
    def size(self) -> int:
        """The number of passages."""
        ...

    @property
    def version(self) -> str:
        """The identity of all that it holds now; empty where nobody can tell, as of a store elsewhere."""
        ...

    async def search(self, query: str, k: int = 8, *, within: SourceFilter = ANY_SOURCE) -> "list[Evidence]":
        """Find the passages nearest to a question.

        Args:
            query: The question, or keywords, in any language.
            k: How many passages at most.
            within: The folders and dates of the documents to search.

        Returns:
            Passages, best first, ranked from 1, no text twice; none if nothing matches. Equal queries over equal
            documents give equal results. Scores are positive and comparable within one result only.
        """
        ...

    async def open(self, source: str, query: str = "", k: int = 8) -> "list[Evidence]":
        """Read one document.

        Args:
            source: The document, as `documents` or a passage's `source` names it.
            query: What to look for in it; without one, the passages come in document order from the start.
            k: How many passages at most.

        Returns:
            Its passages; those that match the query first, then the others in document order.

        Raises:
            DocumentNotFoundError: The corpus has no such document.
        """
        ...
