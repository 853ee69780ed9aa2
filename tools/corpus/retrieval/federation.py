"""Federated search: several corpora as one, with merged results.

It also collects facts over all indexes of a corpus: how many passages have vectors, and warnings about the embedding
model.
"""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Final

from weiwo.state.source_filter import ANY_SOURCE, SourceFilter
from weiwo.text.printable import one_line
from weiwo.tools.corpus.base import Corpus, DocumentNotFoundError, Problem
from weiwo.tools.corpus.index.catalog import count_vectors
from weiwo.tools.corpus.index.language_fit import read_fit
from weiwo.tools.corpus.index.store import STORE, Store
from weiwo.tools.corpus.retrieval.routed_corpus import RoutedCorpus

if TYPE_CHECKING:
    from weiwo.state import Evidence

_NAMED: Final = 4


class FederatedCorpus:
    """Corpora searched together, as a `Corpus`."""

    def __init__(self, corpora: Sequence[Corpus]) -> None:
        """Join several corpora."""
        self.corpora = tuple(corpora)

    @property
    def documents(self) -> tuple[str, ...]:
        """Return the sources of all documents, corpus by corpus. A file in two corpora is listed once."""
        return tuple(dict.fromkeys(source for corpus in self.corpora for source in corpus.documents))

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Return the files not indexed or indexed in part."""
        return tuple(dict.fromkeys(problem for corpus in self.corpora for problem in corpus.problems))

    @property
    def size(self) -> int:
        """Return the number of passages of all corpora together."""
        return sum(corpus.size for corpus in self.corpora)

    @property
    def version(self) -> str:
        """Return the versions of all corpora, or an empty string if any has no version."""
        versions = [corpus.version for corpus in self.corpora]
        return " ".join(versions) if all(versions) else ""

    async def search(self, query: str, k: int = 8, *, within: SourceFilter = ANY_SOURCE) -> "list[Evidence]":
        """Find the passages nearest to a question, as described in `Corpus.search`."""
        found = await asyncio.gather(*(corpus.search(query, k, within=within) for corpus in self.corpora))
        return merge_results(found, k)

    async def open(self, source: str, query: str = "", k: int = 8) -> "list[Evidence]":
        """Read a document. See `Corpus.open`.

        Raises:
            DocumentNotFoundError: No corpus has the document, or the name stands for different documents in several.
        """
        found: dict[str, list[Evidence]] = {}
        refusals: list[DocumentNotFoundError] = []
        for corpus in self.corpora:
            try:
                passages = await corpus.open(source, query, k)
            except DocumentNotFoundError as error:
                refusals.append(error)
                continue
            found.setdefault(passages[0].source if passages else source, passages)
        if source.strip() in found:
            return found[source.strip()]
        if len(found) > 1:
            names = ", ".join(list(found)[:_NAMED])
            raise DocumentNotFoundError(f"{one_line(source, 100)!r} names {len(found)} documents: {names}")
        if not found:
            raise next((refusal for refusal in refusals if " names " in str(refusal)), refusals[0])
        return next(iter(found.values()))


def merge_results(found: "Sequence[Sequence[Evidence]]", k: int) -> "list[Evidence]":
    """Merge the results of several corpora into the `k` best passages.

    Each score is divided by the best score of its corpus, because the scores of two indexes have no common scale. Equal
    passages are listed once.

    Args:
        found: The passages that each corpus found.
        k: Maximum number of passages.
    """
    best: dict[str, tuple[float, int, Evidence]] = {}
    for place, passages in enumerate(found):
        top = max((passage.score for passage in passages), default=0.0) or 1.0
        for passage in passages:
            scored = (passage.score / top, -place, passage)
            if passage.id not in best or scored[:2] > best[passage.id][:2]:
                best[passage.id] = scored
    order = sorted(best.values(), key=lambda value: (-value[0], -value[1], value[2].rank))[: max(k, 0)]
    return [
        passage.model_copy(update={"score": round(score, 4), "rank": rank})
        for rank, (score, _, passage) in enumerate(order, 1)
    ]


def count_embedded(corpus: Corpus) -> tuple[int, int]:
    """Return the number of passages of a corpus with a vector of the embedding model, and of all passages.

    Equal passages are counted once. Indexes without an embedding model are not counted. The model is called, to show
    whether it is reachable.

    Raises:
        EmbeddingError: The model does not answer.
        ImportError: A package that vectors need is not installed.
    """
    done = total = 0
    for part in list_indexes(corpus):
        if part.embedder is not None:
            part.embedder.embed_question("?")
            have, there = count_vectors(part.folder, part.embedder.name)
            done, total = done + have, total + there
    return done, total


def collect_warnings(corpus: Corpus, model: str) -> list[str]:
    """Return a warning line for each searched corpus with languages that the embedding model does not know."""
    lines = []
    for part in list_indexes(corpus):
        with closing(Store(part.folder / STORE)) as store:
            known = read_fit(store, model)
        lines += [known.warning] if known and known.warning else []
    return list(dict.fromkeys(lines))


def list_indexes(corpus: Corpus) -> Iterator[RoutedCorpus]:
    """Yield the indexes on disk that a corpus consists of. External stores are skipped."""
    for part in corpus.corpora if isinstance(corpus, FederatedCorpus) else (corpus,):
        if isinstance(part, RoutedCorpus):
            yield part
