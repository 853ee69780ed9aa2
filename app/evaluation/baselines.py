"""The baseline that needs no model, and the search that all baselines share."""

import time
from collections.abc import Sequence
from typing import Final

from weiwo.app.evaluation.answer import SystemAnswer
from weiwo.app.evaluation.question_set import Question
from weiwo.state import Evidence
from weiwo.text.language import sentences
from weiwo.text.terms import terms
from weiwo.tools.registry import Registry

SHOWN: Final = 3
"""Passages that `extracts` shows, as many as Weiwo does without a model."""


class ExtractsBaseline:
    """One search, and of each of its best passages the sentence that shares most words with the question."""

    def __init__(self, search: "BaselineSearch") -> None:
        self._search = search

    async def __call__(self, question: Question) -> SystemAnswer:
        """Show what is nearest to a question."""
        started = time.perf_counter()
        found = (await self._search(question.text))[:SHOWN]
        best = _pick_sentences(question.text, found)
        return SystemAnswer(
            text=" ".join(best),
            highlighted=tuple(best),
            shown=tuple(passage.text for passage in found),
            cited=tuple(dict.fromkeys(passage.source for passage in found)),
            tool_calls=1,
            seconds=time.perf_counter() - started,
        )


def _pick_sentences(question: str, passages: Sequence[Evidence]) -> list[str]:
    wanted = set(terms(question))
    said = [[one.text[start:end] for start, end in sentences(one.text)] for one in passages]
    return [max(those, key=lambda one: len(wanted & set(terms(one))), default="") for those in said]


class BaselineSearch:
    """The search tool that Weiwo itself uses: the documents, or the web where that is asked."""

    def __init__(self, registry: Registry, name: str) -> None:
        self._tool = registry.get(name)

    async def __call__(self, query: str) -> list[Evidence]:
        """Passages for a query, best first."""
        call = {"type": "tool_call", "id": "1", "name": self._tool.name, "args": {"query": query}}
        message = await self._tool.ainvoke(call)
        return [Evidence(**one) for one in message.artifact or ()]
