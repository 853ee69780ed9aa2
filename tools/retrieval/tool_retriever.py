"""Tool retrieval: the tools that a question needs, completed by what was used with them before.

Two rankings are blended: the tool index says which tools fit the words of the question, scenes say which tools
answered questions like it together. Where a question asks for what was asked before, scenes know the whole set; where
it does not, they know some of its tools at best, and the index decides. Which of the two it is must be told from the
question (`measure_trust`). Without any history, or a past question that shares a word, the index ranks alone.
"""

from functools import lru_cache
from math import exp
from typing import Final

import numpy as np

from weiwo.tools.retrieval.sparse_index import Matrix, Scores, scale
from weiwo.tools.retrieval.tool_index import ToolDocument, ToolIndex
from weiwo.tools.retrieval.tool_scenes import Scene, ToolScenes, ToolUse

_FAMILIAR: Final = 0.7
"""What scenes count for where they are trusted: their tools come first, and the index fills what is left."""
_UNFAMILIAR: Final = 0.6
"""What they count for where they are not, times the similarity of the nearest."""
_SHARPNESS: Final = 8
"""How much less a scene counts that is less near than the nearest."""
_NEVER_USED: Final = 1.6
"""What the index's score counts for of a tool that no past question used, since scenes can only lift the others."""


class ToolRetriever:
    """Ranks tools for a question. Safe to use from any thread."""

    def __init__(self, index: ToolIndex, scenes: ToolScenes | None = None) -> None:
        """Rank by an index and, where given, the scenes of a history."""
        self._index = index
        self._scenes = scenes
        used = scenes.tools if scenes is not None else frozenset()
        self._unused = np.array([name not in used for name in index.ids], bool)

    def rank(self, question: str, vector: Matrix | None = None) -> list[str]:
        """The ids of all tools, the most useful first; tools alike stay in their order.

        Args:
            question: What they are wanted for.
            vector: Its embedding, if there is one.
        """
        ids = self._index.ids
        scores, words = self._index.match(question, vector)
        scenes = self._scenes.rank(question, vector) if self._scenes is not None else []
        if scenes:
            trust = measure_trust(scenes[0].similarity, self._measure_novelty(scores), words)
            share = trust * _FAMILIAR + (1 - trust) * _UNFAMILIAR * scenes[0].similarity
            together = score_members(scenes)
            single = scale(np.where(self._unused, _NEVER_USED * scores, scores))
            scores = share * np.array([together.get(name, 0.0) for name in ids]) + (1 - share) * single
        return [ids[number] for number in np.argsort(-scores, kind="stable").tolist()]

    def _measure_novelty(self, scores: Scores) -> float:
        """How much better the best tool that was never used fits than the best of the others, -1 to 1."""
        never, used = scores[self._unused], scores[~self._unused]
        return float(never.max(initial=0.0) - used.max(initial=0.0))


def measure_trust(similarity: float, novelty: float, words: float) -> float:
    """How far the nearest scene can be trusted to be the set that a question needs, 0 to 1; a logistic function.

    Fitted on ToolLens, on sets in the history and sets that are not.

    Args:
        similarity: How near the nearest scene is, 0 to 1.
        novelty: How much better a tool fits that no scene has, -1 to 1.
        words: How well the question's words fit some tool, as the index counts it: they may say it all.
    """
    return 1 / (1 + exp(-15 * (similarity - 0.15 * novelty - 0.23 * words - 0.08)))


def score_members(scenes: list[Scene]) -> dict[str, float]:
    """The score of each tool that belongs to a scene, 0 to 1, as its nearest scene has it."""
    scores: dict[str, float] = {}
    for scene in scenes:  # nearest first
        for name in scene.tools:
            scores.setdefault(name, (scene.similarity / scenes[0].similarity) ** _SHARPNESS)
    return scores


@lru_cache(maxsize=4)
def build_retriever(tools: tuple[ToolDocument, ...], history: tuple[ToolUse, ...]) -> ToolRetriever:
    """The retriever over a pool, with what was learned of it; remembered, since building may take seconds."""
    pool = {tool.id for tool in tools}
    uses = [use for use in history if use.tools <= pool]
    return ToolRetriever(_build_index(tools), ToolScenes(uses) if uses else None)


@lru_cache(maxsize=4)
def _build_index(tools: tuple[ToolDocument, ...]) -> ToolIndex:
    """The index of a pool, which stays where only the history grows."""
    return ToolIndex(tools)
