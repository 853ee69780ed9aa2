"""How well each strategy finds what a set says it should, beside the router and the best choice there is per question.

The set is indexed and searched by the engine that users get, and a document counts at the rank of its best passage.
`auto` is what a user gets without choosing: the router. The oracle picks for each question the strategy that did best
on it, so that what is missing to it (regret) bounds what any router over these strategies could gain.
"""

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

from text.language import detect_language
from tools.corpus.chunks import chunk
from tools.corpus.dataset import Dataset, Entry
from tools.corpus.embed import embed
from tools.corpus.embeddings import Embedder, EmbeddingError
from tools.corpus.keyword import ANALYZER
from tools.corpus.metrics import Scores, interval, mean, score
from tools.corpus.policy import Evidence, Policy, part
from tools.corpus.records import Changes, Document, Passage
from tools.corpus.routed import RoutedCorpus
from tools.corpus.router import ARMS, PRIOR, Decision, route
from tools.corpus.schema import VERSION
from tools.corpus.strategies import Strategy
from tools.corpus.writing import IndexWriter
from tools.printable import printable

AUTO: Final = "auto"
"""What a user gets without choosing."""
CHOICES: Final[dict[str, Strategy | None]] = {AUTO: None, **{arm: arm for arm in ARMS}}
"""What can be evaluated, by name; None lets the router decide."""
DEPTH: Final = 10

_BATCH: Final = 500
_PER_DOCUMENT: Final = 3
"""Passages asked for per document wanted: several of a ranking may be of one document."""
_KEPT: Final = 8
"""Indexes of sets that are kept for the next time."""
_LEARNING: Final = 0.5
"""The share of a set's questions that policies learn from; the others are never learned from, so they are evidence."""
_COMPLETE: Final = "complete"
_LOOKED_AT: Final = 500
"""Characters that tell the language of a document."""

Watch = Callable[[str, int, int], None]
"""Told what is being done, how much of it is, and of how much; 0 if nobody knows."""


class Attempt(NamedTuple):
    """One question, one strategy.

    Attributes:
        scores: How it did.
        ms: Milliseconds it took, the embedding of the question included, whoever needed it first.
        vector: Whether the vector arm was searched.
    """

    scores: Scores
    ms: float
    vector: bool


@dataclass(frozen=True, slots=True)
class Answered:
    """One question.

    Attributes:
        text: What was asked.
        attempts: What each strategy came to, by name.
        decision: What the router decided.
    """

    text: str
    attempts: Mapping[str, Attempt]
    decision: Decision

    @property
    def learning(self) -> bool:
        """Whether policies may learn from it; the same in every set and at any time."""
        return part(f"learning {self.text}") < _LEARNING

    @property
    def candidate(self) -> Attempt:
        """What the policy would come to in service, the rule on identifiers before it."""
        return self.attempts["keyword" if self.decision.features.exact else self.decision.candidate]

    @property
    def oracle(self) -> Attempt:
        """The best strategy; of equal ones the cheaper."""
        return max(
            (self.attempts[arm] for arm in ARMS), key=lambda one: (one.scores.recall, one.scores.ndcg10, not one.vector)
        )


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What came out.

    Attributes:
        dataset: The set's name.
        k: How many documents count.
        answered: All questions.
        names: The strategies evaluated.
    """

    dataset: str
    k: int
    answered: Sequence[Answered]
    names: Sequence[str]

    @property
    def whole(self) -> bool:
        """Whether all strategies were evaluated, so that they can be compared."""
        return set(self.names) == set(CHOICES)

    def under(self, policy: Policy) -> "Evaluation":
        """The same searches as another policy would have decided on them; what was served stays as it was."""
        again = [
            replace(one, decision=route(one.text, one.decision.features, policy, one.decision.strategy))
            for one in self.answered
        ]
        return replace(self, answered=again)

    def of(self, name: str) -> list[Attempt]:
        """What one strategy came to."""
        return [one.attempts[name] for one in self.answered]

    def as_json(self) -> dict[str, Any]:
        """The figures as one object; `interval` is that of the router's recall above always-hybrid."""
        found: dict[str, Any] = {
            "dataset": self.dataset,
            "k": self.k,
            "queries": len(self.answered),
            "default": AUTO,
            "strategies": {name: figures(self.of(name)) for name in self.names},
            "router": None,
            "oracle": None,
        }
        if self.whole:
            oracle = figures([one.oracle for one in self.answered])
            router = found["strategies"][AUTO]
            gains = [one.attempts[AUTO].scores.recall - one.attempts[PRIOR].scores.recall for one in self.answered]
            low, high = interval(gains)
            found["router"] = {
                **router,
                "regret": round(oracle["recall"] - router["recall"], 4),
                "difference": round(fmean(gains), 4),
                "interval": [round(low, 4), round(high, 4)],
            }
            found["oracle"] = oracle
        return found

    def evidence(self) -> Evidence:
        """How the policy did against always-hybrid on the questions that nobody learns from."""
        held = [one for one in self.answered if not one.learning]
        gains = [one.candidate.scores.recall - one.attempts[PRIOR].scores.recall for one in held]
        low, high = interval(gains)
        return Evidence(
            dataset=self.dataset,
            questions=len(held),
            difference=round(fmean(gains), 4) if gains else 0.0,
            low=round(low, 4),
            high=round(high, 4),
        )

    def lessons(self) -> list[tuple[str, dict[Strategy, float]]]:
        """What policies may learn from: the kind of each question, and the recall of each strategy."""
        return [
            (one.decision.features.segment, {arm: one.attempts[arm].scores.recall for arm in ARMS})
            for one in self.answered
            if one.learning
        ]


def figures(attempts: Sequence[Attempt]) -> dict[str, float]:
    """Means over questions, the median of the times, and how often the vector arm was searched."""
    means = mean([one.scores for one in attempts])
    return {
        **{name: round(value, 4) for name, value in asdict(means).items()},
        "p50_ms": round(median(one.ms for one in attempts), 3),
        "vector_calls": sum(one.vector for one in attempts),
    }


async def evaluate(
    dataset: Dataset, corpus: RoutedCorpus, k: int, names: Sequence[str] = tuple(CHOICES), watch: Watch | None = None
) -> Evaluation:
    """Ask every question of a set in every way.

    Args:
        dataset: The set.
        corpus: Its documents, indexed by `indexed`.
        k: How many documents count.
        names: The strategies, of `CHOICES`.
        watch: Told of the progress.

    Raises:
        EmbeddingError: The embedding model failed; figures without it would pass for figures with it.
    """
    answered: list[Answered] = []
    for question in dataset.questions:
        attempts, decisions, waited = {}, {}, 0.0
        for name in names:
            start = time.perf_counter()
            found = await corpus.find(question.text, _PER_DOCUMENT * max(k, DEPTH), strategy=CHOICES[name])
            taken = time.perf_counter() - start
            if found.trace.notes:
                raise EmbeddingError(found.trace.notes[0])
            own = found.trace.seconds.get("embedding", 0.0)
            waited = max(waited, own)  # the second to need a vector finds it kept
            vector = bool({"vectors", "grams"} & found.trace.arms.keys())
            documents = list(dict.fromkeys(passage.source for passage in found.passages))[: max(k, DEPTH)]
            spent = 1e3 * (taken - own + (waited if vector else 0.0))
            attempts[name] = Attempt(score(documents, question.relevant, k), spent, vector)
            decisions[name] = found.decision
        answered.append(Answered(question.text, attempts, decisions.get(AUTO, found.decision)))
        if watch is not None:
            watch("asking", len(answered), len(dataset.questions))
    return Evaluation(dataset.name, k, answered, tuple(names))


def indexed(dataset: Dataset, home: Path, model: Embedder | None, watch: Watch | None = None) -> Path:
    """Index a set's documents, or find them indexed from an earlier time. Blocks.

    Args:
        dataset: The set.
        home: The folder of Weiwo's own files; the index is kept in it by the hash of the documents.
        model: The embedding model, if any.
        watch: Told of the progress.

    Returns:
        The corpus folder.

    Raises:
        DatasetError: The documents are broken.
        EmbeddingError: The embedding model failed.
        CorpusError: The index cannot be written.
    """
    key = f"{dataset.digest()}-{ANALYZER}-{VERSION}-{model.name if model else ''}"
    folder = home / "evaluation" / hashlib.sha256(key.encode()).hexdigest()[:16]
    complete = folder / _COMPLETE
    if not complete.exists() or model is not None:
        with IndexWriter(folder) as writer:
            if not complete.exists():
                documents, done = dataset.documents(), 0
                while batch := list(islice(documents, _BATCH)):
                    writer.apply(Changes(put=[(_document(one), _passages(one)) for one in batch]))
                    done += len(batch)
                    if watch is not None:
                        watch("indexing", done, 0)
                complete.touch()
            if model is not None:
                embed(writer, model, None if watch is None else lambda now: watch("embedding", now.done, now.total))
    complete.touch()
    _tidy(folder.parent)
    return folder


def languages(dataset: Dataset) -> Counter[str]:
    """How many of a set's first documents are in which language."""
    return Counter(
        detect_language(f"{one.title} {one.text[:_LOOKED_AT]}") for one in islice(dataset.documents(), _BATCH)
    )


def _document(entry: Entry) -> Document:
    return Document(entry.id, f"/{entry.id}", "", len(entry.text), 0, _title(entry), "markdown", "")


def _title(entry: Entry) -> str:
    return " ".join(printable(entry.title).split())


def _passages(entry: Entry) -> list[Passage]:
    _, pieces = chunk(f"# {_title(entry)}\n\n{printable(entry.text)}\n", markdown=True)
    return [Passage(one.text, one.headings, f"line {one.first}", one.first, one.last) for one in pieces]


def _tidy(parent: Path) -> None:
    """Delete the indexes that have not been used for longest."""
    for folder in islice(_by_use(parent), _KEPT, None):
        shutil.rmtree(folder, ignore_errors=True)


def _by_use(parent: Path) -> Iterator[Path]:
    used: list[tuple[float, Path]] = []
    for folder in parent.iterdir():
        with suppress(OSError):
            used.append(((folder / _COMPLETE).stat().st_mtime, folder))
    yield from (folder for _, folder in sorted(used, reverse=True))
