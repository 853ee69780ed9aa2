"""Embedding coverage: how far the passages that a search goes through have vectors, and what speaks against them."""

from collections.abc import Iterator
from contextlib import closing

from weiwo.tools.corpus.base import Corpus
from weiwo.tools.corpus.index.catalog import count_vectors
from weiwo.tools.corpus.index.language_fit import read_fit
from weiwo.tools.corpus.index.schema import STORE
from weiwo.tools.corpus.index.store import Store
from weiwo.tools.corpus.retrieval.federation import FederatedCorpus
from weiwo.tools.corpus.retrieval.routed_corpus import RoutedCorpus


def count_embedded(corpus: Corpus) -> tuple[int, int]:
    """Count the passages of a corpus that have a vector of its embedding model, and all there are; equal ones once.

    Raises:
        EmbeddingError: The model does not answer.
        ImportError: A package that vectors need is not installed.
    """
    done = total = 0
    for part in _list_indexes(corpus):
        if part.corpus.embedder is not None:
            part.corpus.embedder.embed_question("?")
            have, there = count_vectors(part.corpus.folder, part.corpus.embedder.name)
            done, total = done + have, total + there
    return done, total


def collect_warnings(corpus: Corpus, model: str) -> list[str]:
    """Collect the warnings about a model in the corpora that a search goes through; a line each, none twice."""
    lines = []
    for part in _list_indexes(corpus):
        with closing(Store(part.corpus.folder / STORE)) as store:
            known = read_fit(store, model)
        lines += [known.warning] if known and known.warning else []
    return list(dict.fromkeys(lines))


def _list_indexes(corpus: Corpus) -> Iterator[RoutedCorpus]:
    """The indexes that a corpus is made of."""
    for part in corpus.corpora if isinstance(corpus, FederatedCorpus) else (corpus,):
        if isinstance(part, RoutedCorpus):
            yield part
