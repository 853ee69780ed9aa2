"""Score fusion: the scores of several searches become one ranking, by small pure functions over scores by passage.

A search gives each passage it finds a score of its own making, so two are brought to the same scale (min-max) and then
added. The weights were chosen on MuSiQue and HotpotQA together; `benchmarks/retrieval.py` measures them.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal, get_args

from weiwo.state.source_filter import ANY_SOURCE, SourceFilter

PassageScores = Mapping[int, float]
Strategy = Literal["hybrid", "keyword", "vector"]
STRATEGIES: Final[tuple[Strategy, ...]] = get_args(Strategy)
"""The arms that the router chooses from; of equal scores the first wins."""

KEYWORD_SHARE: Final = 0.4
"""Weight of the keyword search beside embeddings."""
KEYWORD_SHARE_BESIDE_GRAMS: Final = 0.7
"""Weight of the keyword search beside character n-grams: costs nothing measurable, and finds what is misspelt."""
TITLE_BONUS: Final = 0.5
"""A passage whose document is named in the question scores this much more."""
_LINK_SHARE: Final = 0.5
"""What a passage gets of the score of one that mentions its document."""
LINK_SEEDS: Final = 5
"""The best passages whose mentions are followed."""


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """Search options. The defaults are what a user gets without choosing."""

    # `keyword`; `vector`, by embeddings, or by character n-grams where there are none; `hybrid`, both
    strategy: Strategy = "hybrid"
    linked: bool = True  # whether to follow mentions: a document named in one of the best passages is lifted (one hop)
    within: SourceFilter = ANY_SOURCE  # folders and a date that a user restricts the search to


def rank_passages(scores: PassageScores) -> list[int]:
    """Passages, best first; equal scores in the order of passages."""
    return sorted(scores, key=lambda passage: (-scores[passage], passage))


def normalize_scores(scores: PassageScores) -> dict[int, float]:
    """Scores from 0, the lowest, to 1, the highest; all 1 where they are equal."""
    if not scores:
        return {}
    low, high = min(scores.values()), max(scores.values())
    spread = high - low
    return {passage: (score - low) / spread if spread > 0 else 1.0 for passage, score in scores.items()}


def blend_scores(first: PassageScores, second: PassageScores, share: float) -> dict[int, float]:
    """The weighted sum of two searches, each normalized; the first has weight `share`, the second what is left."""
    one, other = normalize_scores(first), normalize_scores(second)
    return {key: share * one.get(key, 0.0) + (1 - share) * other.get(key, 0.0) for key in {**one, **other}}


def fuse_partial(
    keyword: PassageScores,
    vectors: PassageScores,
    grams: PassageScores,
    without: Collection[int],
    shares: tuple[float, float],
) -> dict[int, float]:
    """Keyword search and vectors joined where some passages have no vector: these are weighed by what they have.

    Args:
        keyword: The keyword search.
        vectors: The vector search.
        grams: The search by character n-grams, which stands in for the vectors of those that have none.
        without: The passages without a vector.
        shares: The keyword search's weight beside vectors, and beside n-grams.
    """
    words, beside, meaning = normalize_scores(keyword), normalize_scores(grams), normalize_scores(vectors)
    joined: dict[int, float] = {}
    for passage in {*keyword, *vectors, *(one for one in grams if one in without)}:
        other, share = (beside, shares[1]) if passage in without else (meaning, shares[0])
        joined[passage] = share * words.get(passage, 0.0) + (1 - share) * other.get(passage, 0.0)
    return joined


def lift_linked(scores: PassageScores, links: Mapping[int, Iterable[int]]) -> dict[int, float]:
    """Lift the passages that good passages lead to.

    Args:
        scores: The scores so far.
        links: For each of the best passages, those it leads to.

    Returns:
        The scores, with `_LINK_SHARE` of the best score that leads to a passage added to its own; none above the best,
        so that what answered best stays first.
    """
    gained: dict[int, float] = {}
    for seed, targets in links.items():
        for target in targets:
            if target != seed:
                gained[target] = max(gained.get(target, 0.0), _LINK_SHARE * scores[seed])
    top = max(scores.values(), default=0.0)
    below = top * (1 - 1e-6)
    lifted = {key: min(scores.get(key, 0.0) + gain, max(below, scores.get(key, 0.0))) for key, gain in gained.items()}
    return {**scores, **lifted}
