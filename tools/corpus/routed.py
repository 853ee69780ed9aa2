"""A corpus as users search it: the router decides how, and telemetry notes what came of it."""

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, Final, NamedTuple

from state import Evidence
from state.settings import Settings
from tools.corpus.base import Problem
from tools.corpus.features import Features, observe
from tools.corpus.indexed import IndexedCorpus
from tools.corpus.policy import Policy, PolicyFile
from tools.corpus.router import Decision, route
from tools.corpus.search import Trace
from tools.corpus.strategies import Options, Strategy, ranked
from tools.corpus.telemetry import LONGEST_QUERY, Recorder, Retrieval, recorder_of, run
from tools.failures import redacted
from tools.printable import one_line

_log: Final = logging.getLogger(__name__)

_FEATURES: Final = tuple(field.name for field in fields(Features))
_NOTED: Final = 10
"""The best passages of each arm that are noted."""


class Routed(NamedTuple):
    """What a search came to.

    Attributes:
        passages: The passages, best first.
        trace: What was done for it.
        decision: Why it was done so.
    """

    passages: list[Evidence]
    trace: Trace
    decision: Decision


class RoutedCorpus:
    """An index behind its router, as a `Corpus`."""

    def __init__(
        self,
        corpus: IndexedCorpus,
        policy: Callable[[], Policy] = Policy,
        recorder: Recorder | None = None,
        options: Options | None = None,
    ) -> None:
        """Put a router before an index.

        Args:
            corpus: The index.
            policy: Gives the policy in force; asked for each search.
            recorder: Keeps telemetry, if any is to be kept.
            options: How to search where a call does not say; the router sets its strategy.
        """
        self.corpus = corpus
        self._policy = policy
        self._recorder = recorder
        self._options = options or Options()

    @property
    def documents(self) -> tuple[str, ...]:
        """The sources of all documents; see `Corpus.documents`."""
        return self.corpus.documents

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The files that could not be taken in."""
        return self.corpus.problems

    @property
    def size(self) -> int:
        """The number of passages."""
        return self.corpus.size

    async def search(self, query: str, k: int = 8) -> list[Evidence]:
        """Find the passages nearest to a question; see `Corpus.search`. What a user should know of it is logged."""
        found = await self.find(query, k)
        for note in found.trace.notes:
            _log.warning("%s", note)
        return found.passages

    async def find(
        self, query: str, k: int = 8, *, strategy: Strategy | None = None, options: Options | None = None
    ) -> Routed:
        """`search`, with what was done and why.

        Args:
            query: The question.
            k: How many passages at most.
            strategy: How to search, if the router is not to decide.
            options: Filter and the like; its strategy does not count.

        Raises:
            CorpusError: The index cannot be read; noted as an error, not as a miss.
        """
        started, begun = time.time(), time.perf_counter()
        decided: list[tuple[Decision, float]] = []

        def options_of_choice() -> Options:
            decision = self.decide(query, strategy)
            decided.append((decision, time.perf_counter() - begun))
            return _with_strategy(options or self._options, decision.strategy)

        try:
            passages, trace = await self.corpus.find(query, k, options=options_of_choice)
        except Exception as error:
            if decided:
                what = {"error": one_line(redacted(f"{type(error).__name__}: {error}"))}
                self._keep(started, time.perf_counter() - begun, {**_asked(query, k, decided[0][0]), **what}, ())
            raise
        decision, taken = decided[0]
        trace.seconds = {"routing": taken, **trace.seconds}
        if self._recorder is not None:
            self._keep(started, time.perf_counter() - begun, {**_asked(query, k, decision), **_done(trace)}, passages)
        return Routed(passages, trace, decision)

    async def open(self, source: str, query: str = "", k: int = 8) -> list[Evidence]:
        """Read one document; see `Corpus.open`."""
        return await self.corpus.open(source, query, k)

    def close(self) -> None:
        """Close what is open. The corpus may still be used."""
        self.corpus.close()

    def decide(self, query: str, strategy: Strategy | None = None) -> Decision:
        """What the router does with a question; blocks for a moment."""
        return route(query, observe(query, self.corpus.snapshot()), self._policy(), strategy)

    def _keep(self, at: float, seconds: float, record: Mapping[str, Any], passages: Sequence[Evidence]) -> None:
        if self._recorder is not None:
            ids = tuple(passage.id for passage in passages)
            self._recorder.record(Retrieval(at, {**record, "seconds": round(seconds, 6)}, ids, run.get()))


def open_routed(folder: Path, settings: Settings, options: Options | None = None) -> RoutedCorpus:
    """Open a corpus folder as the settings say: embedding model, policy, telemetry. Blocks.

    Raises:
        CorpusError: There is no corpus, or it cannot be read.
    """
    model = None
    if settings.embeddings:
        from tools.corpus.embeddings import embedder  # noqa: PLC0415  # upon need

        model = embedder(settings.embeddings)
    policies = PolicyFile(Path(settings.home), settings.embeddings or "")
    recorder = recorder_of(folder) if settings.telemetry else None
    return RoutedCorpus(IndexedCorpus(folder, embedder=model, options=options), policies.now, recorder, options)


def _with_strategy(options: Options, strategy: Strategy) -> Options:
    return replace(options, strategy=strategy, exact_alone=False)  # whether it is was decided


def _asked(query: str, k: int, decision: Decision) -> dict[str, Any]:
    """What is kept of a question."""
    features = decision.features
    return {
        "query": query[:LONGEST_QUERY],
        "k": k,
        "segment": features.segment,
        "features": {**{name: getattr(features, name) for name in _FEATURES}, "exact": len(features.exact)},
        "scores": dict(decision.scores),
        "choice": decision.strategy,
        "by": decision.by,
        "candidate": decision.candidate,
        "policy": decision.policy,
        "stage": decision.stage,
        "error": "",
    }


def _done(trace: Trace) -> dict[str, Any]:
    """What is kept of a search."""
    return {
        "done": trace.strategy,
        "generation": trace.generation,
        "notes": [one_line(note) for note in trace.notes],
        "stages": {stage: round(taken, 6) for stage, taken in trace.seconds.items()},
        "arms": {arm: ranked(scores)[:_NOTED] for arm, scores in trace.arms.items()},
        "gap": _gap(trace.arms.get("keyword", {})),
    }


def _gap(scores: Mapping[int, float]) -> float:
    """How far the best keyword hit is ahead of the next, as a share of its score; 0 where there are not two."""
    best = sorted(scores.values(), reverse=True)[:2]
    return round((best[0] - best[1]) / best[0], 4) if len(best) == 2 and best[0] > 0 else 0.0
