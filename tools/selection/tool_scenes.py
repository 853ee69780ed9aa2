"""Scenes: sets of tools used together, found by the questions that they answered.

After COLT (arXiv 2405.16089), which leads from queries over scenes to complete sets of tools, but without training. A
scene is represented by the centroid of the questions that its set of tools answered, as TF-IDF vectors and, if present,
as embeddings. Stop words count, because the wording of a question shows its kind.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from math import log, sqrt
from typing import Final, NamedTuple

import numpy as np

from weiwo.text.analyzer import terms
from weiwo.tools.selection.sparse_index import Matrix, SparseIndex, unit_vector

_LONGEST_QUERY: Final = 2_000
"""Limit of a question in characters. The rest is ignored."""
_NEAREST: Final = 60
"""Limit of the scenes considered for a question."""
_VECTORS: Final = 0.3


class ToolUse(NamedTuple):
    """Question with the tools used together for the answer."""

    question: str
    tools: frozenset[str]  # names of the tools
    vector: Matrix | None = None  # embedding of the question


class Scene(NamedTuple):
    """Set of tools with the similarity to a question."""

    tools: frozenset[str]  # names of the tools
    similarity: float  # of the question to the questions that the tools answered, 0 to 1


class ToolScenes:
    """Scenes of a history. Immutable after creation and safe to use from any thread."""

    def __init__(self, history: Iterable[ToolUse]) -> None:
        """Build the scenes of a history. Uses without tools are skipped."""
        uses = [use for use in history if use.tools]
        counted = [_count(use.question) for use in uses]
        frequencies = Counter(term for found in counted for term in found)
        self._rarity = {term: sqrt(log(1 + len(uses) / n)) for term, n in frequencies.items()}
        self._unknown = sqrt(log(1 + len(uses)))
        sums: dict[frozenset[str], defaultdict[str, float]] = {}
        for use, found in zip(uses, counted, strict=True):
            centroid = sums.setdefault(use.tools, defaultdict(float))
            for term, weight in self._weigh(found).items():
                centroid[term] += weight
        self._tools = tuple(sums)
        self.tools = frozenset[str]().union(*sums)
        """Names of all tools in the history."""
        self._index = SparseIndex(map(unit_vector, sums.values()))
        self._vectors = _average_vectors(uses, self._tools)

    def rank(self, question: str, vector: Matrix | None = None) -> list[Scene]:
        """Return the scenes most similar to a question, most similar first. Empty if none is similar at all."""
        query = self._weigh(_count(question))
        scores = self._index.score(query)
        if self._vectors is not None and vector is not None:
            scores = (1 - _VECTORS) * scores + _VECTORS * np.maximum(self._vectors @ vector, 0.0)
        nearest = np.argsort(-scores, kind="stable")[:_NEAREST].tolist()
        return [Scene(self._tools[number], float(scores[number])) for number in nearest if scores[number] > 0]

    def _weigh(self, counted: Mapping[str, int]) -> dict[str, float]:
        """Return the TF-IDF vector of a question.

        Words missing from all past questions are part of the vector, and lower the similarity to every scene.
        """
        return unit_vector({term: (1 + log(n)) * self._rarity.get(term, self._unknown) for term, n in counted.items()})


def _count(question: str) -> Counter[str]:
    return Counter(terms(question[:_LONGEST_QUERY]))


def _average_vectors(uses: Sequence[ToolUse], sets: Sequence[frozenset[str]]) -> Matrix | None:
    """Return the mean question embedding of each tool set, scaled to length 1.

    Returns None unless every use has an embedding.
    """
    vectors = [use.vector for use in uses if use.vector is not None]
    if not uses or len(vectors) < len(uses):
        return None
    numbers = {tools: number for number, tools in enumerate(sets)}
    sums: Matrix = np.zeros((len(sets), len(vectors[0])), np.float32)
    np.add.at(sums, [numbers[use.tools] for use in uses], np.stack(vectors))
    unit: Matrix = sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-9)
    return unit
