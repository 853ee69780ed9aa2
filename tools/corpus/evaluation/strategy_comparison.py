"""Strategy comparison: how well each finds what a set says it should, beside the router and the best choice there is.

The set is indexed and searched by the engine that users get, and a document counts at the rank of its best passage.
`auto` is what a user gets without choosing: the router. The oracle picks for each question the strategy that did best
on it, so that what is missing to it (regret) bounds what any router over these strategies could gain.
"""

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from statistics import fmean, median
from typing import Any, Final, NamedTuple

from weiwo.tools.corpus.evaluation.dataset import Dataset
from weiwo.tools.corpus.evaluation.dataset_index import StageListener
from weiwo.tools.corpus.evaluation.metrics import RankingMetrics, average_metrics, bootstrap_interval, score_ranking
from weiwo.tools.corpus.index.embedding_models import EmbeddingError
from weiwo.tools.corpus.retrieval.routed_corpus import RoutedCorpus, RoutedSearchResult
from weiwo.tools.corpus.retrieval.router import PRIOR, RoutingDecision, route_query
from weiwo.tools.corpus.retrieval.routing_policy import PolicyEvidence, RoutingPolicy, hash_to_share
from weiwo.tools.corpus.retrieval.score_fusion import STRATEGIES, Strategy

_AUTO: Final = "auto"
"""What a user gets without choosing."""
CHOICES: Final[dict[str, Strategy | None]] = {_AUTO: None, **{arm: arm for arm in STRATEGIES}}
"""What can be evaluated, by name; None lets the router decide."""
_DEPTH: Final = 10

_PER_DOCUMENT: Final = 3
"""Passages asked for per document wanted: several of a ranking may be of one document."""
_LEARNING: Final = 0.5
"""The share of a set's questions that policies learn from; the others are never learned from, so they are evidence."""


class _StrategyAttempt(NamedTuple):
    """The result of one strategy on one question."""

    scores: RankingMetrics  # how it did
    ms: float  # milliseconds it took, the embedding of the question included, whoever needed it first
    vector: bool  # whether the vector arm was searched


@dataclass(frozen=True, slots=True)
class _EvaluatedQuestion:
    """The results of all strategies on one question."""

    text: str  # what was asked
    attempts: Mapping[str, _StrategyAttempt]  # what each strategy came to, by name
    decision: RoutingDecision  # what the router decided

    @property
    def learning(self) -> bool:
        """Whether policies may learn from it; the same in every set and at any time."""
        return hash_to_share(f"learning {self.text}") < _LEARNING

    @property
    def candidate(self) -> _StrategyAttempt:
        """The result of the policy, were it in service, the rule on identifiers before it."""
        return self.attempts["keyword" if self.decision.features.by_words_alone else self.decision.candidate]

    @property
    def oracle(self) -> _StrategyAttempt:
        """The best strategy; of equal ones the cheaper."""
        return max(
            (self.attempts[arm] for arm in STRATEGIES),
            key=lambda one: (one.scores.recall, one.scores.ndcg10, not one.vector),
        )


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The result of a comparison."""

    dataset: str  # the set's name
    k: int  # how many documents count
    answered: Sequence[_EvaluatedQuestion]  # all questions
    names: Sequence[str]  # the strategies evaluated
    stopped: str = ""  # why questions are left unanswered, in one line; empty where none are

    @property
    def whole(self) -> bool:
        """Whether all strategies were evaluated, so that they can be compared."""
        return set(self.names) == set(CHOICES)

    def replay_policy(self, policy: RoutingPolicy) -> "Evaluation":
        """The same searches as another policy would have decided on them; what was served stays as it was."""
        again = [
            replace(one, decision=route_query(one.text, one.decision.features, policy, one.decision.strategy))
            for one in self.answered
        ]
        return replace(self, answered=again)

    def as_json(self) -> dict[str, Any]:
        """The figures as one object; `interval` is that of the router's recall above always-hybrid."""
        found: dict[str, Any] = {
            "dataset": self.dataset,
            "k": self.k,
            "queries": len(self.answered),
            "default": _AUTO,
            "strategies": {
                name: _summarize_attempts([one.attempts[name] for one in self.answered]) for name in self.names
            },
            "router": None,
            "oracle": None,
            **({"stopped": self.stopped} if self.stopped else {}),
        }
        if self.whole:
            oracle = _summarize_attempts([one.oracle for one in self.answered])
            router = found["strategies"][_AUTO]
            gains = [one.attempts[_AUTO].scores.recall - one.attempts[PRIOR].scores.recall for one in self.answered]
            low, high = bootstrap_interval(gains)
            found["router"] = {
                **router,
                "regret": round(oracle["recall"] - router["recall"], 4),
                "difference": round(fmean(gains), 4),
                "interval": [round(low, 4), round(high, 4)],
            }
            found["oracle"] = oracle
        return found

    def measure_policy(self) -> PolicyEvidence:
        """Compare the policy with always-hybrid on the questions that nobody learns from."""
        held = [one for one in self.answered if not one.learning]
        gains = [one.candidate.scores.recall - one.attempts[PRIOR].scores.recall for one in held]
        low, high = bootstrap_interval(gains)
        saved = [
            one.attempts[PRIOR].vector - one.candidate.vector
            for one in held
            if not one.decision.features.by_words_alone
        ]
        return PolicyEvidence(
            dataset=self.dataset,
            questions=len(held),
            difference=round(fmean(gains), 4) if gains else 0.0,
            low=round(low, 4),
            high=round(high, 4),
            saved=round(sum(saved) / len(held), 4) if held else 0.0,
        )

    def list_observations(self) -> list[tuple[str, dict[Strategy, float]]]:
        """The observations that policies may learn from: the kind of each question, and the recall of each strategy."""
        return [
            (one.decision.features.segment, {arm: one.attempts[arm].scores.recall for arm in STRATEGIES})
            for one in self.answered
            if one.learning
        ]


def _summarize_attempts(attempts: Sequence[_StrategyAttempt]) -> dict[str, float]:
    """Means over questions, the median of the times, and how often the vector arm was searched."""
    means = average_metrics([one.scores for one in attempts])
    return {
        **{name: round(value, 4) for name, value in asdict(means).items()},
        "p50_ms": round(median(one.ms for one in attempts), 3),
        "vector_calls": sum(one.vector for one in attempts),
    }


async def compare_strategies(
    dataset: Dataset,
    corpus: RoutedCorpus,
    k: int,
    names: Sequence[str] = tuple(CHOICES),
    watch: StageListener | None = None,
) -> Evaluation:
    """Ask every question of a set in every way.

    Args:
        dataset: The set.
        corpus: Its documents, indexed by `dataset_index.index_dataset`.
        k: How many documents count.
        names: The strategies, of `CHOICES`.
        watch: Told of the progress.

    Returns:
        The figures. Where the embedding model fails for good, those of the questions answered until then.

    Raises:
        EmbeddingError: It failed on the first question; figures without it would pass for figures with it.
    """
    answered: list[_EvaluatedQuestion] = []
    for question in dataset.questions:
        attempts, decisions, waited = {}, {}, 0.0
        try:
            for name in names:
                found, taken = await _search_timed(corpus, question.text, k, name)
                own = found.trace.seconds.get("embedding", 0.0)
                waited = max(waited, own)  # the second to need a vector finds it kept
                vector = bool({"vectors", "grams"} & found.trace.arms.keys())
                documents = list(dict.fromkeys(passage.source for passage in found.passages))[: max(k, _DEPTH)]
                spent = 1e3 * (taken - own + (waited if vector else 0.0))
                attempts[name] = _StrategyAttempt(score_ranking(documents, question.relevant, k), spent, vector)
                decisions[name] = found.decision
        except EmbeddingError as error:
            if not answered:
                raise
            stopped = f"stopped after {len(answered):,} of {len(dataset.questions):,} questions: {error}"
            return Evaluation(dataset.name, k, answered, tuple(names), stopped)
        answered.append(_EvaluatedQuestion(question.text, attempts, decisions.get(_AUTO, found.decision)))
        if watch is not None:
            watch("asking", len(answered), len(dataset.questions))
    return Evaluation(dataset.name, k, answered, tuple(names))


async def _search_timed(corpus: RoutedCorpus, question: str, k: int, name: str) -> tuple[RoutedSearchResult, float]:
    """A search and the seconds it took. One that went without the embedding model is made again once that answers."""
    asked, embedder = _PER_DOCUMENT * max(k, _DEPTH), corpus.embedder
    for patient in (False, True):
        if patient and embedder is not None:
            await asyncio.to_thread(embedder.embed_patiently, question)
        start = time.perf_counter()
        found = await corpus.find(question, asked, strategy=CHOICES[name])
        if not found.trace.notes:
            return found, time.perf_counter() - start
    raise EmbeddingError(found.trace.notes[0])
