"""Confidence of passages shown: the probability that they have the answer.

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
"""Names of the weighted features.

bias: Always 1.
covered: The share of the question's words, weighted by rarity, that the first passage has.
words: The logarithm of the number of words in the question.
broken_chain: 1 if the answer has to be found by way of another thing, and no shown passage names the title of another.
"""


def extract_features(frame: QueryFrame, covered: float, words: int, *, linked: bool) -> dict[str, float]:
    """Return the features (`FEATURES`) of passages shown, by name.

    Args:
        frame: The parsed question.
        covered: The share of the question's words, weighted by rarity, that the first passage has, 0 to 1.
        words: Number of distinct content words in the question.
        linked: Whether a passage shown names the title of another one.
    """
    return {
        "bias": 1.0,
        "covered": covered,
        "words": math.log1p(words),
        "broken_chain": float(frame.shape == "chain" and not linked),
    }


def estimate_confidence(features: Mapping[str, float]) -> float:
    """Return the probability, 0 to 1, that passages with the given features have the answer."""
    odds = sum(weight * features[name] for name, weight in _weights().items())
    return round(1 / (1 + math.exp(-odds)), 3)


@cache
def _weights() -> dict[str, float]:
    kept = json.loads(FILE.read_text(encoding="utf-8"))
    return {name: float(kept["weights"][name]) for name in FEATURES}
