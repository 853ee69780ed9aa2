"""Strategy comparison: how well each finds what a set says it should, beside the router and the best choice there is.

The set is indexed and searched by the engine that users get, and a document counts at the rank of its best passage.
`auto` is what a user gets without choosing: the router. The oracle picks for each question the strategy that did best
on it, so that what is missing to it (regret) bounds what any router over these strategies could gain.
"""

import asyncio
import hashlib
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from itertools import islice
from pathlib import Path
from statistics import fmean, median
from typing import Any, Final, NamedTuple

from weiwo.text.chunking import chunk_text
from weiwo.text.language import detect_language
from weiwo.tools.corpus.evaluation.dataset import Dataset, DatasetDocument
from weiwo.tools.corpus.evaluation.metrics import RankingMetrics, average_metrics, bootstrap_interval, score_ranking
from weiwo.tools.corpus.index.catalog import locate_by_name, record_roots
from weiwo.tools.corpus.index.embedding import embed_passages
from weiwo.tools.corpus.index.embedding_models import Embedder, EmbeddingError
from weiwo.tools.corpus.index.keyword_index import ANALYZER
from weiwo.tools.corpus.index.schema import VERSION
from weiwo.tools.corpus.index.writer import IndexWriter
from weiwo.tools.corpus.records import Changes, Document, Passage
from weiwo.tools.corpus.retrieval.routed_corpus import RoutedCorpus, RoutedSearchResult
from weiwo.tools.corpus.retrieval.router import ARMS, PRIOR, RoutingDecision, route_query
from weiwo.tools.corpus.retrieval.routing_policy import PolicyEvidence, RoutingPolicy, hash_to_share
from weiwo.tools.corpus.retrieval.score_fusion import Strategy
from weiwo.tools.printable import printable

AUTO: Final = "auto"
"""What a user gets without choosing."""
CHOICES: Final[dict[str, Strategy | None]] = {AUTO: None, **{arm: arm for arm in ARMS}}
"""What can be evaluated, by name; None lets the router decide."""
DEPTH: Final = 10

_BATCH: Final = 500
_PER_DOCUMENT: Final = 3
"""Passages asked for per document wanted: several of a ranking may be of one document."""
_LEARNING: Final = 0.5
"""The share of a set's questions that policies learn from; the others are never learned from, so they are evidence."""
_COMPLETE: Final = "complete"
_LOOKED_AT: Final = 500
"""Characters that tell the language of a document."""

StageListener = Callable[[str, int, int], None]
"""Told what is being done, how much of it is, and of how much; 0 if nobody knows."""


class StrategyAttempt(NamedTuple):
    """The result of one strategy on one question.

    Attributes:
        scores: How it did.
        ms: Milliseconds it took, the embedding of the question included, whoever needed it first.
        vector: Whether the vector arm was searched.
    """

    scores: RankingMetrics
    ms: float
    vector: bool


@dataclass(frozen=True, slots=True)
class EvaluatedQuestion:
    """The results of all strategies on one question.

    Attributes:
        text: What was asked.
        attempts: What each strategy came to, by name.
        decision: What the router decided.
    """

    text: str
    attempts: Mapping[str, StrategyAttempt]
    decision: RoutingDecision

    @property
    def learning(self) -> bool:
        """Whether policies may learn from it; the same in every set and at any time."""
        return hash_to_share(f"learning {self.text}") < _LEARNING

    @property
    def candidate(self) -> StrategyAttempt:
        """The result of the policy, were it in service, the rule on identifiers before it."""
        return self.attempts["keyword" if self.decision.features.exact else self.decision.candidate]

    @property
    def oracle(self) -> StrategyAttempt:
        """The best strategy; of equal ones the cheaper."""
        return max(
            (self.attempts[arm] for arm in ARMS), key=lambda one: (one.scores.recall, one.scores.ndcg10, not one.vector)
        )


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The result of a comparison.

    Attributes:
        dataset: The set's name.
        k: How many documents count.
        answered: All questions.
        names: The strategies evaluated.
        stopped: Why questions are left unanswered, in one line; empty where none are.
    """

    dataset: str
    k: int
    answered: Sequence[EvaluatedQuestion]
    names: Sequence[str]
    stopped: str = ""

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

    def list_attempts(self, name: str) -> list[StrategyAttempt]:
        """The results of one strategy, in the order of the questions."""
        return [one.attempts[name] for one in self.answered]

    def as_json(self) -> dict[str, Any]:
        """The figures as one object; `interval` is that of the router's recall above always-hybrid."""
        found: dict[str, Any] = {
            "dataset": self.dataset,
            "k": self.k,
            "queries": len(self.answered),
            "default": AUTO,
            "strategies": {name: summarize_attempts(self.list_attempts(name)) for name in self.names},
            "router": None,
            "oracle": None,
            **({"stopped": self.stopped} if self.stopped else {}),
        }
        if self.whole:
            oracle = summarize_attempts([one.oracle for one in self.answered])
            router = found["strategies"][AUTO]
            gains = [one.attempts[AUTO].scores.recall - one.attempts[PRIOR].scores.recall for one in self.answered]
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
        return PolicyEvidence(
            dataset=self.dataset,
            questions=len(held),
            difference=round(fmean(gains), 4) if gains else 0.0,
            low=round(low, 4),
            high=round(high, 4),
        )

    def list_observations(self) -> list[tuple[str, dict[Strategy, float]]]:
        """The observations that policies may learn from: the kind of each question, and the recall of each strategy."""
        return [
            (one.decision.features.segment, {arm: one.attempts[arm].scores.recall for arm in ARMS})
            for one in self.answered
            if one.learning
        ]


def summarize_attempts(attempts: Sequence[StrategyAttempt]) -> dict[str, float]:
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
        corpus: Its documents, indexed by `indexed`.
        k: How many documents count.
        names: The strategies, of `CHOICES`.
        watch: Told of the progress.

    Returns:
        The figures. Where the embedding model fails for good, those of the questions answered until then.

    Raises:
        EmbeddingError: It failed on the first question; figures without it would pass for figures with it.
    """
    answered: list[EvaluatedQuestion] = []
    for question in dataset.questions:
        attempts, decisions, waited = {}, {}, 0.0
        try:
            for name in names:
                found, taken = await _search_timed(corpus, question.text, k, name)
                own = found.trace.seconds.get("embedding", 0.0)
                waited = max(waited, own)  # the second to need a vector finds it kept
                vector = bool({"vectors", "grams"} & found.trace.arms.keys())
                documents = list(dict.fromkeys(passage.source for passage in found.passages))[: max(k, DEPTH)]
                spent = 1e3 * (taken - own + (waited if vector else 0.0))
                attempts[name] = StrategyAttempt(score_ranking(documents, question.relevant, k), spent, vector)
                decisions[name] = found.decision
        except EmbeddingError as error:
            if not answered:
                raise
            stopped = f"stopped after {len(answered):,} of {len(dataset.questions):,} questions: {error}"
            return Evaluation(dataset.name, k, answered, tuple(names), stopped)
        answered.append(EvaluatedQuestion(question.text, attempts, decisions.get(AUTO, found.decision)))
        if watch is not None:
            watch("asking", len(answered), len(dataset.questions))
    return Evaluation(dataset.name, k, answered, tuple(names))


async def _search_timed(corpus: RoutedCorpus, question: str, k: int, name: str) -> tuple[RoutedSearchResult, float]:
    """A search and the seconds it took. One that went without the embedding model is made again once that answers."""
    asked, embedder = _PER_DOCUMENT * max(k, DEPTH), corpus.corpus.embedder
    for patient in (False, True):
        if patient and embedder is not None:
            await asyncio.to_thread(embedder.embed_patiently, question)
        start = time.perf_counter()
        found = await corpus.find(question, asked, strategy=CHOICES[name])
        if not found.trace.notes:
            return found, time.perf_counter() - start
    raise EmbeddingError(found.trace.notes[0])


def index_dataset(
    dataset: Dataset, home: Path, model: Embedder | None, watch: StageListener | None = None, kept: int = 8
) -> Path:
    """Index a set's documents, or find them indexed from an earlier time. Blocks.

    Args:
        dataset: The set.
        home: The folder of Weiwo's own files; the index is kept in it by the hash of the documents.
        model: The embedding model, if any.
        watch: Told of the progress.
        kept: Indexes of sets that are kept for the next time; those not used for longest are deleted.

    Returns:
        The corpus folder.

    Raises:
        DatasetError: The documents are broken.
        EmbeddingError: The embedding model failed.
        CorpusError: The index cannot be written.
    """
    folder = home / "evaluation" / _make_key(dataset, model)
    _fill_index(dataset, folder, model, watch)
    _delete_unused(folder.parent, kept)
    return folder


def index_by_name(
    dataset: Dataset, home: Path, model: Embedder | None, watch: StageListener | None = None, kept: int = 8
) -> str:
    """Index a set's documents as a corpus that can be named, or find it from an earlier time. Blocks.

    Args:
        dataset: The set.
        home: The folder of Weiwo's own files.
        model: The embedding model, if any.
        watch: Told of the progress.
        kept: Corpora of sets that are kept for the next time; those not used for longest are deleted.

    Returns:
        The corpus's name.

    Raises:
        DatasetError: The documents are broken.
        EmbeddingError: The embedding model failed.
        CorpusError: The index cannot be written.
    """
    readable = "".join(one if one.isalnum() or one in "-." else "-" for one in dataset.name)[:40]
    name = f"eval-{readable}-{_make_key(dataset, model)[:8]}"
    folder = locate_by_name(home, name)
    _fill_index(dataset, folder, model, watch)
    record_roots(folder, ())  # nothing to bring it up to
    _delete_unused(folder.parent, kept)
    return name


def _make_key(dataset: Dataset, model: Embedder | None) -> str:
    key = f"{dataset.digest()}-{ANALYZER}-{VERSION}-{model.name if model else ''}"
    return hashlib.sha256(key.encode()).hexdigest()[:16]


def _fill_index(dataset: Dataset, folder: Path, model: Embedder | None, watch: StageListener | None) -> None:
    """Write what an index lacks of a set's documents and vectors."""
    complete = folder / _COMPLETE
    if not complete.exists() or model is not None:
        with IndexWriter(folder) as writer:
            if not complete.exists():
                documents, done = dataset.documents(), 0
                while batch := list(islice(documents, _BATCH)):
                    writer.apply(Changes(put=[(_make_document(one), _cut_passages(one)) for one in batch]))
                    done += len(batch)
                    if watch is not None:
                        watch("indexing", done, 0)
                complete.touch()
            if model is not None:
                embed_passages(
                    writer, model, None if watch is None else lambda now: watch("embedding", now.done, now.total)
                )
    complete.touch()


def count_languages(dataset: Dataset) -> Counter[str]:
    """Count the languages of a set's first documents."""
    return Counter(
        detect_language(f"{one.title} {one.text[:_LOOKED_AT]}") for one in islice(dataset.documents(), _BATCH)
    )


def _make_document(entry: DatasetDocument) -> Document:
    return Document(entry.id, f"/{entry.id}", "", len(entry.text), 0, _clean_title(entry), "markdown", "")


def _clean_title(entry: DatasetDocument) -> str:
    return " ".join(printable(entry.title).split())


def _cut_passages(entry: DatasetDocument) -> list[Passage]:
    _, pieces = chunk_text(f"# {_clean_title(entry)}\n\n{printable(entry.text)}\n", markdown=True)
    return [Passage(one.text, one.headings, f"line {one.first}", one.first, one.last) for one in pieces]


def _delete_unused(parent: Path, kept: int) -> None:
    """Delete the indexes of sets that have not been used for longest; no other folder has the mark of one."""
    for folder in islice(_list_by_use(parent), kept, None):
        shutil.rmtree(folder, ignore_errors=True)


def _list_by_use(parent: Path) -> Iterator[Path]:
    used: list[tuple[float, Path]] = []
    for folder in parent.iterdir():
        with suppress(OSError):
            used.append(((folder / _COMPLETE).stat().st_mtime, folder))
    yield from (folder for _, folder in sorted(used, reverse=True))
