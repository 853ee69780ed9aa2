"""Ranking metrics and the paired bootstrap for the significance of differences.

Recall, NDCG (Järvelin & Kekäläinen, TOIS 2002, with linear gains, as trec_eval has them) and reciprocal rank, for one
question each, and the paired bootstrap (Sakai, SIGIR 2006) over many.
"""

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass
from math import log2
from statistics import fmean
from typing import Final

import numpy as np

_NDCG_DEPTH: Final = 10
_RESAMPLES: Final = 2_000
_CONFIDENCE: Final = 0.95


@dataclass(frozen=True, slots=True)
class RankingMetrics:
    """Ranking metrics of a question, or means over many questions, each 0 to 1."""

    recall: float  # share of the relevant documents that are among the first k
    all: float  # 1 if all relevant documents are among the first k, else 0
    hit: float  # 1 if any relevant document is among the first k, else 0
    ndcg10: float  # NDCG@10: discounted gain of the first ten, divided by that of the ideal order
    mrr: float  # 1 / rank of the first relevant document; 0 if none was found


def score_ranking(found: Sequence[str], relevant: Mapping[str, int], k: int) -> RankingMetrics:
    """Score a ranking of documents for a question.

    Args:
        found: The ids of the found documents, best first, without duplicates.
        relevant: The gain of each relevant document.
        k: Number of documents that count for recall, `all` and `hit`.
    """
    hits = sum(document in relevant for document in found[:k])
    first = next((rank for rank, document in enumerate(found, 1) if document in relevant), 0)
    ideal = _discount_gains(sorted(relevant.values(), reverse=True))
    return RankingMetrics(
        recall=hits / len(relevant),
        all=float(hits == len(relevant)),
        hit=float(hits > 0),
        ndcg10=_discount_gains([relevant.get(document, 0) for document in found]) / ideal,
        mrr=1 / first if first else 0.0,
    )


def _discount_gains(gains: Sequence[int]) -> float:
    """Return the discounted cumulative gain of the first ten gains: each divided by log2(rank + 1)."""
    return sum(gain / log2(rank + 1) for rank, gain in enumerate(gains[:_NDCG_DEPTH], 1))


def average_metrics(scores: Sequence[RankingMetrics]) -> RankingMetrics:
    """Return the mean of each metric over the questions, at least one."""
    return RankingMetrics(*map(fmean, zip(*map(astuple, scores), strict=True)))


def bootstrap_interval(differences: Sequence[float]) -> tuple[float, float]:
    """Return the 95 % bootstrap interval (low, high) of the mean of paired differences.

    It is (0, 0) if all differences are zero or there are none. The random generator has a fixed seed, so equal input
    gives equal results.
    """
    if not any(differences):
        return 0.0, 0.0
    values, chance = np.asarray(differences), np.random.default_rng(1)
    means = [float(chance.choice(values, len(values)).mean()) for _ in range(_RESAMPLES)]
    low, high = np.quantile(means, [(1 - _CONFIDENCE) / 2, (1 + _CONFIDENCE) / 2])
    return float(low), float(high)
