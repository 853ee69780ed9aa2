"""Tool retrieval: ranking of tools for a question, completed by earlier usage.

Two rankings are blended. The tool index ranks tools by the words of the question, and scenes (sets of tools that
answered past questions together) rank the tools of similar past questions. If a question resembles a past one, the
scene has all tools needed. Otherwise it has some of them at best, and the index must decide. `_measure_trust` estimates
from the question which case applies. Without a history, or without a past question that shares a word, the index ranks
alone.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from math import exp
from typing import Final, NamedTuple

import numpy as np

from weiwo.tools.selection.sparse_index import Matrix, scale
from weiwo.tools.selection.tool_index import ToolDocument, ToolIndex
from weiwo.tools.selection.tool_scenes import Scene, ToolScenes, ToolUse

Embed = Callable[[Sequence[str]], Matrix]

_FAMILIAR: Final = 0.7
"""Weight of trusted scenes against the index."""
_UNFAMILIAR: Final = 0.6
"""Weight of scenes that are not trusted, to be multiplied by the similarity of the nearest scene."""
_SHARPNESS: Final = 8
"""Exponent of a scene's similarity relative to the nearest: higher values discount other scenes more."""
_NEVER_USED: Final = 1.6
"""Factor for the index score of tools that no past question used. Scenes raise only the scores of the others."""


class _Gate(NamedTuple):
    """Parameters of the trust in the nearest scene.

    Fitted on ToolLens, on tool sets inside and outside the history.
    """

    lead: float  # weight of the lead of the nearest scene over the next
    words: float  # weight, against the scene, of the best match of the question's words with a tool
    bar: float  # threshold of the sum


_BY_WORDS: Final = _Gate(lead=0.0, words=0.23, bar=0.08)
_BY_VECTORS: Final = _Gate(lead=1.0, words=0.1, bar=0.3)
"""Parameters if scenes are also compared by embeddings, which are never entirely dissimilar."""


class ToolRetriever:
    """Ranks tools for a question. Safe to use from any thread."""

    def __init__(self, index: ToolIndex, scenes: ToolScenes | None = None) -> None:
        """Rank by an index and, if not None, the scenes of a history."""
        self._index = index
        self._scenes = scenes
        used = scenes.tools if scenes is not None else frozenset()
        self._unused = np.array([name not in used for name in index.ids], bool)

    def rank(self, question: str, vector: Matrix | None = None) -> list[str]:
        """Rank the ids of all tools, the most useful first. Tied tools keep their order."""
        ids = self._index.ids
        scores, words = self._index.match(question, vector)
        scenes = self._scenes.rank(question, vector) if self._scenes is not None else []
        if scenes:
            gate = _BY_WORDS if vector is None else _BY_VECTORS
            # How much better the best unused tool fits than the best tool of the history, -1 to 1.
            never, used = scores[self._unused], scores[~self._unused]
            novelty = float(never.max(initial=0.0) - used.max(initial=0.0))
            trust = _measure_trust(scenes, novelty, words, gate)
            share = trust * _FAMILIAR + (1 - trust) * _UNFAMILIAR * scenes[0].similarity
            together = _score_members(scenes)
            single = scale(np.where(self._unused, _NEVER_USED * scores, scores))
            scores = share * np.array([together.get(name, 0.0) for name in ids]) + (1 - share) * single
        return [ids[number] for number in np.argsort(-scores, kind="stable").tolist()]


def _measure_trust(scenes: list[Scene], novelty: float, words: float, gate: _Gate) -> float:
    """Estimate by a logistic function how likely the nearest scene is the set of tools needed, 0 to 1.

    Args:
        scenes: The scenes, nearest first.
        novelty: Index score of the best tool outside all scenes minus that of the best tool in a scene, -1 to 1.
        words: Best match of the question's words with a tool, `_IndexMatch.words`.
        gate: Parameters of the function.
    """
    nearest = scenes[0].similarity
    lead = nearest - scenes[1].similarity if len(scenes) > 1 else 0.0
    return 1 / (1 + exp(-15 * (nearest + gate.lead * lead - 0.15 * novelty - gate.words * words - gate.bar)))


def _score_members(scenes: list[Scene]) -> dict[str, float]:
    """Score each tool by the nearest scene that contains it, 0 to 1. Tools of the nearest scene have 1.

    `scenes` are ordered by similarity, nearest first. Tools in no scene are missing.
    """
    scores: dict[str, float] = {}
    for scene in scenes:  # nearest first
        for name in scene.tools:
            scores.setdefault(name, (scene.similarity / scenes[0].similarity) ** _SHARPNESS)
    return scores


@lru_cache(maxsize=4)
def build_retriever(
    tools: tuple[ToolDocument, ...], history: tuple[ToolUse, ...], embed: Embed | None = None
) -> ToolRetriever:
    """Build the retriever over a pool of tools and a history.

    The result is cached, since building may take seconds.

    Args:
        tools: The pool.
        history: Earlier questions with the tools that answered them.
        embed: Returns the embeddings of texts as rows. None means that there are no embeddings.

    Raises:
        Exception: The error raised by `embed`. Nothing is cached then.
    """
    pool = {tool.id for tool in tools}
    uses = [use for use in history if use.tools <= pool]
    if embed is not None and uses:
        vectors = embed([use.question for use in uses])
        uses = [use._replace(vector=vector) for use, vector in zip(uses, vectors, strict=True)]
    return ToolRetriever(_build_index(tools, embed), ToolScenes(uses) if uses else None)


@lru_cache(maxsize=4)
def _build_index(tools: tuple[ToolDocument, ...], embed: Embed | None) -> ToolIndex:
    """Build the index of a pool, cached apart from the retriever, because the history changes more often."""
    return ToolIndex(tools, None if embed is None else embed([tool.text() for tool in tools]))
