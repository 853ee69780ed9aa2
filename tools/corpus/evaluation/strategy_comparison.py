"""Strategy comparison: quality of each strategy beside the router and the oracle.

The set is indexed and searched by the same engine as for users, and a document counts at the rank of its best passage.
`auto` is the default of a user without a choice: the router. The oracle picks for each question the strategy that did
best on it. So the distance to it (regret) bounds the possible gain of any router over these strategies.
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
"""Name of the router among the choices. It is the default for users."""
CHOICES: Final[dict[str, Strategy | None]] = {_AUTO: None, **{arm: arm for arm in STRATEGIES}}
"""The strategies that can be evaluated, by name. None lets the router decide."""
_DEPTH: Final = 10

_PER_DOCUMENT: Final = 3
"""Passages requested for each wanted document, since several passages may be of the same document."""
_LEARNING: Final = 0.5
"""Share of a set's questions that policies learn from. The others are held out, as evidence for promotion."""


class _StrategyAttempt(NamedTuple):
    """The result of a strategy on a question."""

    scores: RankingMetrics
    ms: float  # milliseconds, including the embedding of the question even if an earlier attempt had cached it
    vector: bool  # whether vectors, or n-grams in their place, were searched


@dataclass(frozen=True, slots=True)
class _EvaluatedQuestion:
    """The results of all strategies on a question."""

    text: str  # the question
    attempts: Mapping[str, _StrategyAttempt]  # by name of the strategy, `auto` among them
    decision: RoutingDecision  # the router's decision

    @property
    def learning(self) -> bool:
        """Report whether policies learn from the question. If not, it is held out to test them.

        A hash of the text decides, so the result is the same in every set and at any time.
        """
        return hash_to_share(f"learning {self.text}") < _LEARNING

    @property
    def candidate(self) -> _StrategyAttempt:
        """Return the result that the question would have if the learned policy were in service.

        The rule for identifiers still comes first.
        """
        return self.attempts["keyword" if self.decision.features.by_words_alone else self.decision.candidate]

    @property
    def oracle(self) -> _StrategyAttempt:
        """Return the result of the best strategy, by recall and then NDCG. Keyword search wins ties."""
        return max(
            (self.attempts[arm] for arm in STRATEGIES),
            key=lambda item: (item.scores.recall, item.scores.ndcg10, not item.vector),
        )


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The result of a comparison."""

    dataset: str  # name of the set
    k: int  # number of documents that count for recall
    answered: Sequence[_EvaluatedQuestion]  # the evaluated questions; all, unless `stopped`
    names: Sequence[str]  # the evaluated strategies
    stopped: str = ""  # why the evaluation ended before the last question, in one line; else empty

    @property
    def whole(self) -> bool:
        """Report whether all strategies were evaluated and can be compared."""
        return set(self.names) == set(CHOICES)

    def replay_policy(self, policy: RoutingPolicy) -> "Evaluation":
        """Return a copy of the evaluation in which another policy names the candidate of each question.

        Nothing is searched again, so `decision.strategy` stays the strategy that was used.
        """
        again = [
            replace(
                question,
                decision=route_query(question.text, question.decision.features, policy, question.decision.strategy),
            )
            for question in self.answered
        ]
        return replace(self, answered=again)

    def as_json(self) -> dict[str, Any]:
        """Return the figures as an object for JSON.

        `interval` is the 95 % bootstrap interval of the router's recall minus that of always-hybrid. `router` and
        `oracle` are None unless all strategies were evaluated.
        """
        found: dict[str, Any] = {
            "dataset": self.dataset,
            "k": self.k,
            "queries": len(self.answered),
            "default": _AUTO,
            "strategies": {
                name: _summarize_attempts([question.attempts[name] for question in self.answered])
                for name in self.names
            },
            "router": None,
            "oracle": None,
            **({"stopped": self.stopped} if self.stopped else {}),
        }
        if self.whole:
            oracle = _summarize_attempts([question.oracle for question in self.answered])
            router = found["strategies"][_AUTO]
            gains = [
                question.attempts[_AUTO].scores.recall - question.attempts[PRIOR].scores.recall
                for question in self.answered
            ]
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
        """Compare the policy with always-hybrid on the held-out questions."""
        held = [question for question in self.answered if not question.learning]
        gains = [item.candidate.scores.recall - item.attempts[PRIOR].scores.recall for item in held]
        low, high = bootstrap_interval(gains)
        saved = [
            item.attempts[PRIOR].vector - item.candidate.vector
            for item in held
            if not item.decision.features.by_words_alone
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
        """Return the observations for policy learning: question kind, and recall of each strategy."""
        return [
            (question.decision.features.segment, {arm: question.attempts[arm].scores.recall for arm in STRATEGIES})
            for question in self.answered
            if question.learning
        ]


def _summarize_attempts(attempts: Sequence[_StrategyAttempt]) -> dict[str, float]:
    """Return the mean metrics, the median milliseconds, and the number of searches with vectors or n-grams."""
    means = average_metrics([attempt.scores for attempt in attempts])
    return {
        **{name: round(value, 4) for name, value in asdict(means).items()},
        "p50_ms": round(median(attempt.ms for attempt in attempts), 3),
        "vector_calls": sum(attempt.vector for attempt in attempts),
    }


async def compare_strategies(
    dataset: Dataset,
    corpus: RoutedCorpus,
    k: int,
    names: Sequence[str] = tuple(CHOICES),
    watch: StageListener | None = None,
) -> Evaluation:
    """Search for every question of a set with every strategy.

    Args:
        dataset: The set.
        corpus: Its documents, indexed by `dataset_index.index_dataset`.
        k: Number of documents that count for recall.
        names: Names of the strategies, from `CHOICES`.
        watch: Listener for progress.

    Returns:
        The results. If the embedding model fails for good, they cover the questions evaluated until then.

    Raises:
        EmbeddingError: The model failed on the first question. Results of a search without the model would mislead.
    """
    answered: list[_EvaluatedQuestion] = []
    for question in dataset.questions:
        attempts, decisions, waited = {}, {}, 0.0
        try:
            for name in names:
                found, taken = await _search_timed(corpus, question.text, k, name)
                own = found.trace.seconds.get("embedding", 0.0)
                # Only the first strategy embeds the question. Later ones find the vector in the cache.
                waited = max(waited, own)
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
    """Run a search and return the result with the elapsed seconds.

    A search that ran without the embedding model is repeated once the model answers. Only the last search is timed.

    Raises:
        EmbeddingError: The model does not answer.
    """
    asked, embedder = _PER_DOCUMENT * max(k, _DEPTH), corpus.embedder
    for patient in (False, True):
        if patient and embedder is not None:
            await asyncio.to_thread(embedder.embed_patiently, question)
        start = time.perf_counter()
        found = await corpus.find(question, asked, strategy=CHOICES[name])
        if not found.trace.notes:
            return found, time.perf_counter() - start
    raise EmbeddingError(found.trace.notes[0])
