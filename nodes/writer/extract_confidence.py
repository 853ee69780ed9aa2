"""Confidence of passages shown: the probability that they hold the answer.

A logistic regression over a few features of the question and the passages. Its weights are data
(`extract_confidence.json`), with the sets they were fitted on and their calibration.
"""

import json
import math
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final

from weiwo.state.query import QueryFrame

FILE: Final = Path(__file__).with_name("extract_confidence.json")
FEATURES: Final = ("bias", "covered", "words", "broken_chain")
"""Names of the weighted features: 1; the share of the question, by rarity of its words, that the first passage speaks
of; the logarithm of how many words are asked; and whether one thing has to be found by way of another, and no passage
shown names another one's title."""


def extract_features(frame: QueryFrame, covered: float, words: int, *, linked: bool) -> dict[str, float]:
    """Return the features of passages shown, by name.

    Args:
        frame: The parsed question.
        covered: The share of the question that the first passage speaks of, 0 to 1.
        words: How many distinct content words the question has.
        linked: Whether a passage shown names the title of another one.
    """
    return {
        "bias": 1.0,
        "covered": covered,
        "words": math.log1p(words),
        "broken_chain": float(frame.shape == "chain" and not linked),
    }


def estimate_confidence(features: Mapping[str, float]) -> float:
    """Estimate the probability, 0 to 1, of an answer in passages with the given features."""
    odds = sum(weight * features[name] for name, weight in _weights().items())
    return round(1 / (1 + math.exp(-odds)), 3)


@cache
def _weights() -> dict[str, float]:
    kept = json.loads(FILE.read_text(encoding="utf-8"))
    return {name: float(kept["weights"][name]) for name in FEATURES}
