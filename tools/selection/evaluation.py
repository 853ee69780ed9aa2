"""Evaluation of tool retrieval on labelled questions: recall, complete sets, nDCG and time, with and without history.

Questions are also measured in two groups: `known` if their set of tools occurs in the history, and `new` if not, since
a history helps only the former.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from math import log2
from statistics import fmean, median
from typing import Any, Final, NamedTuple

from weiwo.tools.selection.sparse_index import Matrix
from weiwo.tools.selection.tool_index import ToolIndex
from weiwo.tools.selection.tool_retriever import ToolRetriever
from weiwo.tools.selection.tool_scenes import ToolScenes, ToolUse

_DEPTH: Final = 5


class LabelledQuestion(NamedTuple):
    """Question labelled with the required tools."""

    text: str
    gains: Mapping[str, int]  # relevance of each required tool, above 0
    vector: Matrix | None = None  # embedding of the question


@dataclass(frozen=True, slots=True)
class _ToolMetrics:
    """Metrics of a ranking, for a question or as means over questions."""

    recall3: float  # share of the required tools among the first three
    recall5: float  # share of the required tools among the first five
    complete3: float  # share of the questions with all required tools among the first three
    complete5: float  # share of the questions with all required tools among the first five
    ndcg5: float  # nDCG of the first five
    p50_ms: float  # median time of a retrieval in milliseconds, without embedding


def evaluate_tools(
    index: ToolIndex, questions: Sequence[LabelledQuestion], history: Sequence[ToolUse]
) -> dict[str, Any]:
    """Measure retrieval by the index alone (`hybrid`) and with a history (`history`), over the same questions.

    Returns:
        The counts `tools`, `questions`, `history` (uses) and `scenes` (distinct sets of tools). Then for each group of
        questions (`all`, and with a history `known` and `new`) their number as `questions` and the metrics of each
        ranking. Empty groups are left out.
    """
    sets = {use.tools for use in history}
    groups = {"all": list(questions)}
    rankings = {"hybrid": ToolRetriever(index)}
    if history:
        groups["known"] = [question for question in questions if frozenset(question.gains) in sets]
        groups["new"] = [question for question in questions if frozenset(question.gains) not in sets]
        rankings["history"] = ToolRetriever(index, ToolScenes(history))
    measured = {
        name: {id(question): _measure(ranking, question) for question in questions}
        for name, ranking in rankings.items()
    }
    found: dict[str, Any] = {
        "tools": len(index.ids),
        "questions": len(questions),
        "history": len(history),
        "scenes": len(sets),
    }
    for group, members in groups.items():
        if members:
            means = {name: asdict(_average([of[id(member)] for member in members])) for name, of in measured.items()}
            found[group] = {"questions": len(members), **means}
    return found


def _measure(retriever: ToolRetriever, question: LabelledQuestion) -> _ToolMetrics:
    started = time.perf_counter()
    ranked = retriever.rank(question.text, question.vector)
    milliseconds = (time.perf_counter() - started) * 1e3
    three, five = (len(question.gains.keys() & set(ranked[:cut])) / len(question.gains) for cut in (3, _DEPTH))
    ideal = _discount(sorted(question.gains.values(), reverse=True))
    gained = _discount([question.gains.get(name, 0) for name in ranked])
    return _ToolMetrics(three, five, float(three == 1), float(five == 1), gained / ideal, milliseconds)


def _discount(gains: Sequence[int]) -> float:
    return sum(gain / log2(rank + 1) for rank, gain in enumerate(gains[:_DEPTH], 1))


def _average(scores: Sequence[_ToolMetrics]) -> _ToolMetrics:
    rows = [asdict(score) for score in scores]
    means = {name: fmean(row[name] for row in rows) for name in rows[0] if name != "p50_ms"}
    return _ToolMetrics(**means, p50_ms=median(row["p50_ms"] for row in rows))
