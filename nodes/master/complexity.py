"""Static complexity: how much work a question needs, scored by rules from the parsed question.

The parsed question is turned into features, each 0 to 1, and the features into one score. Three things matter: whether
facts from outside are needed at all, whether one look-up is enough, and what makes it more than one: comparing,
calculating, several things or steps, or a chain, in which the question for one look-up is only known after another.

Features, weighted sum and thresholds follow the Master of the AI Search Paradigm (arXiv 2506.17188). Chain and listing
are added, and the sum counts only as far as facts are needed.
"""

import re
from typing import Final

from weiwo.state.assessment import Level
from weiwo.state.query import QueryFrame
from weiwo.text.language import word_count
from weiwo.text.patterns import lazy

SIMPLE_BELOW: Final = 0.3
COMPLEX_FROM: Final = 0.7

_LISTING: Final = lazy(r"\b(?:each|every|all|list)\b|每|各|所有|列出|分别", re.IGNORECASE)

_ONE_FACT: Final = 0.42
"""Score of a question that needs a single fact and has no other feature."""

_WEIGHTS: Final = {
    "length": 0.12,
    "entities": 0.1,
    "comparison": 0.3,
    "calculation": 0.3,
    "multi_step": 0.3,
    "chain": 0.3,
}
"""What each feature adds to `_ONE_FACT`.

A single clear sign of more than one look-up crosses 0.7 alone; length and entities together stay below it, so that a
long or name-laden question for one fact is moderate. No weight is negative: more signs never lower the score.
`python benchmarks/complexity.py` prints what they achieve on labelled questions.
"""


def extract_static_features(frame: QueryFrame) -> dict[str, float]:
    """Return the features of a parsed question by name, each 0 to 1.

    These are the features of `_WEIGHTS`, features of questions without facts (`small_talk`, `writing`), features that
    need facts for certain (`freshness`, `local`, `value_asked`), `arithmetic`, `facts` (whether the question needs
    facts at all), and `listing`, a request for something of each of many things, which tells a wide chain from a narrow
    one.
    """
    shape = frame.shape
    talk = shape in {"small_talk", "writing"}
    # A value is asked for, not an explanation.
    value = bool(frame.relation) or frame.answer_type != "text" or shape not in {"look_up", "open"}
    found = {
        "length": min(1.0, word_count(frame.question) / 50),
        "entities": min(1.0, len(frame.subjects) / 5),
        "comparison": float(shape in {"comparison", "same"}),
        "calculation": float(shape == "difference" or (shape == "comparison" and frame.wants_difference)),
        "multi_step": float(shape == "several"),
        "chain": float(shape == "chain"),
        "listing": float(_LISTING.search(frame.question) is not None),
        "arithmetic": float(shape == "calculation"),
        "small_talk": float(shape == "small_talk"),
        "writing": float(shape == "writing"),
        "freshness": float(frame.fresh),
        "local": float(frame.local),
        "facts": float(not talk),
        "value_asked": float(not talk and value),
    }
    return dict(sorted(found.items()))


def compute_static_score(features: dict[str, float]) -> float:
    """Return the complexity, 0 to 1, from features. It is never below `minimum_score(features)`."""
    weighed = _ONE_FACT + sum(weight * features.get(name, 0.0) for name, weight in _WEIGHTS.items())
    return max(minimum_score(features), min(1.0, features.get("facts", 0.0) * weighed))


def minimum_score(features: dict[str, float]) -> float:
    """Return the least score that hard facts require, regardless of a model's judgement: 0.3 (moderate), or 0.

    Fresh and local facts must be looked up, and so must every value, which a model that scores a question low would
    give from memory.
    """
    looked_up = ("freshness", "local", "value_asked")
    return SIMPLE_BELOW if max(features.get(name, 0.0) for name in looked_up) >= 0.5 else 0.0


def classify_level(score: float) -> Level:
    """Return the level of a score: `simple` below 0.3, `moderate` below 0.7, else `complex`."""
    if score < SIMPLE_BELOW:
        return "simple"
    return "moderate" if score < COMPLEX_FROM else "complex"
