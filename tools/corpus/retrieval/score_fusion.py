"""Score fusion: combine the scores of several searches into a single ranking.

The functions are small and pure, over scores by passage. Each search scores its passages on a scale of its own, so two
are brought to the same scale (min-max) and then added. The weights were chosen on MuSiQue and HotpotQA together, and
`benchmarks/retrieval.py` measures them.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal, get_args

from weiwo.state.source_filter import ANY_SOURCE, SourceFilter

PassageScores = Mapping[int, float]
Strategy = Literal["hybrid", "keyword", "vector"]
STRATEGIES: Final[tuple[Strategy, ...]] = get_args(Strategy)
"""The strategies that the router chooses from. Of equal scores, the strategy that comes first here wins."""

KEYWORD_SHARE: Final = 0.4
"""Weight of the keyword search beside embeddings."""
KEYWORD_SHARE_BESIDE_GRAMS: Final = 0.7
"""Weight of the keyword search beside character n-grams, which find misspelt words at no measurable loss."""
TITLE_BONUS: Final = 0.5
"""Share by which the score of a passage is raised if the question names its document."""
_LINK_SHARE: Final = 0.5
"""Share of a passage's score that is added to the passages it links to."""
LINK_SEEDS: Final = 5
"""Number of best passages whose mentions are followed."""


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """Search options, with the defaults for users without a choice."""

    # `keyword`, `vector` (embeddings, or character n-grams without an embedding model), or `hybrid` for both
    strategy: Strategy = "hybrid"
    linked: bool = True  # whether documents mentioned in the best passages are ranked higher (one hop)
    within: SourceFilter = ANY_SOURCE  # filter on folders and dates


def rank_passages(scores: PassageScores) -> list[int]:
    """Return the passage numbers by score, best first. Equal scores are ordered by passage number."""
    return sorted(scores, key=lambda passage: (-scores[passage], passage))


def normalize_scores(scores: PassageScores) -> dict[int, float]:
    """Scale scores linearly, the lowest to 0 and the highest to 1: {1: 2.0, 2: 4.0, 3: 3.0} → {1: 0.0, 2: 1.0, 3: 0.5}.

    Equal scores all become 1.
    """
    if not scores:
        return {}
    low, high = min(scores.values()), max(scores.values())
    spread = high - low
    return {passage: (score - low) / spread if spread > 0 else 1.0 for passage, score in scores.items()}


def blend_scores(first: PassageScores, second: PassageScores, share: float) -> dict[int, float]:
    """Return `share` times the normalized scores of `first` plus (1 - `share`) times those of `second`, by passage.

    A passage that one search did not find has the score 0 there.
    """
    item, other = normalize_scores(first), normalize_scores(second)
    return {key: share * item.get(key, 0.0) + (1 - share) * other.get(key, 0.0) for key in {**item, **other}}


def fuse_partial(
    keyword: PassageScores,
    vectors: PassageScores,
    grams: PassageScores,
    without: Collection[int],
    shares: tuple[float, float],
) -> dict[int, float]:
    """Fuse keyword search and vectors for a corpus with missing vectors.

    Passages without a vector are weighed by their n-gram scores.

    Args:
        keyword: The keyword search.
        vectors: The vector search.
        grams: The search by character n-grams, a substitute for passages without vectors.
        without: The passages without a vector.
        shares: The keyword search's weight beside vectors, and beside n-grams.
    """
    words, beside, meaning = normalize_scores(keyword), normalize_scores(grams), normalize_scores(vectors)
    joined: dict[int, float] = {}
    for passage in {*keyword, *vectors, *(gram for gram in grams if gram in without)}:
        other, share = (beside, shares[1]) if passage in without else (meaning, shares[0])
        joined[passage] = share * words.get(passage, 0.0) + (1 - share) * other.get(passage, 0.0)
    return joined


def lift_linked(scores: PassageScores, links: Mapping[int, Iterable[int]]) -> dict[int, float]:
    """Return the scores with those raised that belong to passages linked from the best passages.

    Args:
        scores: The scores so far.
        links: The linked passages of each of the best passages.

    Returns:
        The scores, with `_LINK_SHARE` of the best linking score added to each linked passage. No sum reaches the best
        score, so that the best passage stays first.
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
