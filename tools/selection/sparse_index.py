"""In-memory inverted index over sparse vectors.

The score of every document is its dot product with the query. Made for some ten thousand short documents. Documents are
numbered from 0.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import log, sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float32]
"""Embeddings as rows, or a single embedding, normalized to length 1."""
Scores = NDArray[np.float64]
"""The score of each document, by number."""

_K1: Final = 1.2
_B: Final = 0.75


class SparseIndex:
    """Inverted index: postings by term. Immutable after creation and usable from any thread."""

    def __init__(self, vectors: Iterable[Mapping[str, float]]) -> None:
        """Index documents, given as weights by term. The first has number 0."""
        postings: dict[str, tuple[list[int], list[float]]] = {}
        self.size = 0
        for number, vector in enumerate(vectors):
            self.size = number + 1
            for term, weight in vector.items():
                numbers, weights = postings.setdefault(term, ([], []))
                numbers.append(number)
                weights.append(weight)
        self._postings = {term: (np.array(numbers), np.array(weights)) for term, (numbers, weights) in postings.items()}

    def score(self, query: Mapping[str, float]) -> Scores:
        """Return the score of each document, in time linear in the postings of the query's terms."""
        scores: Scores = np.zeros(self.size)
        for term, weight in query.items():
            if term in self._postings:
                numbers, weights = self._postings[term]
                scores[numbers] += weight * weights
        return scores


def bm25_vectors(documents: Sequence[Mapping[str, float]]) -> list[dict[str, float]]:
    """Return the BM25 weights (Robertson & Zaragoza, 2009) of the terms of each document.

    Args:
        documents: Frequency of each term, with occurrences weighted by field (BM25F with a single document length).
    """
    frequencies = Counter(term for document in documents for term in document)
    rarity = {term: _inverse_frequency(len(documents), n) for term, n in frequencies.items()}
    lengths = [sum(document.values()) for document in documents]
    mean = sum(lengths) / max(1, len(lengths)) or 1.0
    weighed = []
    for document, length in zip(documents, lengths, strict=True):
        norm = _K1 * (1 - _B + _B * length / mean)
        weighed.append({term: rarity[term] * n * (_K1 + 1) / (n + norm) for term, n in document.items()})
    return weighed


def bm25_bound(documents: int) -> float:
    """Return an upper bound for the BM25 weight of a term in an index of `documents` documents."""
    return _inverse_frequency(documents, 0) * (_K1 + 1)


def _inverse_frequency(documents: int, holding: int) -> float:
    return log(1 + (documents - holding + 0.5) / (holding + 0.5))


def unit_vector(vector: Mapping[str, float]) -> dict[str, float]:
    """Scale a vector to length 1. An empty vector stays empty."""
    length = sqrt(sum(weight * weight for weight in vector.values()))
    return {term: weight / length for term, weight in vector.items()} if length else {}


def scale(scores: Scores) -> Scores:
    """Divide scores by the best score. Returns the scores unchanged if no score is above 0."""
    best = float(scores.max(initial=0.0))
    return scores / best if best > 0 else scores
