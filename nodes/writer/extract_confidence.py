"""Confidence of extracts: how probable it is that the passages shown hold the answer.

A logistic regression over four named features, whose weights are data (`extract_confidence.json`, with the sets they
were fitted on and how they do on questions that were kept out).
"""

import json
import math
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final

from weiwo.state.query import QueryFrame

FILE: Final = Path(__file__).with_suffix(".json")
FEATURES: Final = ("bias", "covered", "words", "broken_chain")
"""What a weight is of: 1; the share of the question, by rarity of its words, that the first passage speaks of; the
logarithm of how many words are asked; and whether one thing has to be found by way of another, and no passage shown
names another one's title."""

DOUBTED_BELOW: Final = 0.5
"""Extracts that hold the answer less probably than this are shown with words of doubt."""


def extract_features(frame: QueryFrame, covered: float, words: int, *, linked: bool) -> dict[str, float]:
    """The features of passages shown, by name.

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
    """The probability, 0 to 1, that passages of these features hold the answer."""
    odds = sum(weight * features[name] for name, weight in _weights().items())
    return round(1 / (1 + math.exp(-odds)), 3)


@cache
def _weights() -> dict[str, float]:
    kept = json.loads(FILE.read_text(encoding="utf-8"))
    return {name: float(kept["weights"][name]) for name in FEATURES}
