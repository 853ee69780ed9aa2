"""Tool retrieval: the tools that a question needs, completed by what was used with them before.

Two rankings are blended: the tool index says which tools fit the words of the question, scenes say which tools
answered questions like it together. How much scenes count depends on how near the nearest past question is, and how
clearly it is nearer than the next; where neither is so, and without any history, the index ranks alone.
"""

from functools import lru_cache

import numpy as np

from weiwo.tools.retrieval.sparse_index import Matrix
from weiwo.tools.retrieval.tool_index import ToolDocument, ToolIndex
from weiwo.tools.retrieval.tool_scenes import Scene, ToolScenes, ToolUse

_UNSURE, _SURE = 0.3, 0.65
"""Similarity of the nearest scene plus its lead on the next, between which trust in scenes rises."""
_LEAST, _MOST = 0.4, 0.98
"""What scenes count for there."""


class ToolRetriever:
    """Ranks tools for a question. Safe to use from any thread."""

    def __init__(self, index: ToolIndex, scenes: ToolScenes | None = None) -> None:
        """Rank by an index and, where given, the scenes of a history."""
        self._index = index
        self._scenes = scenes

    def rank(self, question: str, vector: Matrix | None = None) -> list[str]:
        """The ids of all tools, the most useful first; tools alike stay in their order.

        Args:
            question: What they are wanted for.
            vector: Its embedding, if there is one.
        """
        ids = self._index.ids
        scores = self._index.score(question, vector)
        scenes = self._scenes.rank(question, vector) if self._scenes is not None else []
        if (trust := scene_trust(scenes)) > 0:
            share = _LEAST + (_MOST - _LEAST) * trust
            together = complete_sets(scenes, 1 + trust)
            scores = share * np.array([together.get(name, 0.0) for name in ids]) + (1 - share) * scores
        return [ids[number] for number in np.argsort(-scores, kind="stable").tolist()]


def scene_trust(scenes: list[Scene]) -> float:
    """How far scenes can be trusted, 0 to 1: whether the nearest is near, and clearly nearer than the next."""
    if not scenes:
        return 0.0
    lead = 1 - scenes[1].similarity / scenes[0].similarity if len(scenes) > 1 else 0.0
    return min(1.0, max(0.0, (scenes[0].similarity + lead - _UNSURE) / (_SURE - _UNSURE)))


def complete_sets(scenes: list[Scene], sharpness: float) -> dict[str, float]:
    """The score of each tool that belongs to a scene, 0 to 1, as its nearest scene has it."""
    scores: dict[str, float] = {}
    for scene in scenes:  # nearest first
        for name in scene.tools:
            scores.setdefault(name, (scene.similarity / scenes[0].similarity) ** sharpness)
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
