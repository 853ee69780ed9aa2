"""The routed corpus: an index behind the router, which decides how to search, and telemetry of what came of it."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from weiwo.state.source_filter import ANY_SOURCE, SourceFilter
from weiwo.tools.calling.call_context import current_call
from weiwo.tools.corpus.base import Problem
from weiwo.tools.corpus.index import embedding_models
from weiwo.tools.corpus.retrieval.indexed_corpus import IndexedCorpus, report_notes
from weiwo.tools.corpus.retrieval.passage_search import SearchTrace
from weiwo.tools.corpus.retrieval.query_features import QueryFeatures, extract_features
from weiwo.tools.corpus.retrieval.router import RoutingDecision, route_query
from weiwo.tools.corpus.retrieval.routing_policy import PolicyFile, RoutingPolicy
from weiwo.tools.corpus.retrieval.score_fusion import SearchOptions, Strategy, rank_passages
from weiwo.tools.corpus.retrieval.telemetry import LONGEST_QUERY, TelemetryRecorder, get_recorder
from weiwo.tools.printable import one_line, redacted

if TYPE_CHECKING:
    from weiwo.state import Evidence
    from weiwo.state.settings import Settings

_FEATURES: Final = tuple(field.name for field in fields(QueryFeatures))
_OPTIONS: Final = SearchOptions()
_NOTED: Final = 10
"""The best passages of each arm that are noted."""


class RoutedSearchResult(NamedTuple):
    """Passages, best first, what was done for them, and why it was done so."""

    passages: "list[Evidence]"
    trace: SearchTrace
    decision: RoutingDecision


class RoutedCorpus:
    """An index behind its router, as a `Corpus`."""

    def __init__(
        self,
        corpus: IndexedCorpus,
        policy: Callable[[], RoutingPolicy] = RoutingPolicy,
        recorder: TelemetryRecorder | None = None,
    ) -> None:
        """Put a router before an index.

        Args:
            corpus: The index.
            policy: Gives the policy in force; asked for each search.
            recorder: Keeps telemetry, if any is to be kept.
        """
        self.corpus = corpus
        self._policy = policy
        self._recorder = recorder

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

    @property
    def version(self) -> str:
        """The identity of what it holds; see `Corpus.version`."""
        return self.corpus.version

    async def search(self, query: str, k: int = 8, *, within: SourceFilter = ANY_SOURCE) -> "list[Evidence]":
        """Find the passages nearest to a question; see `Corpus.search`. What a user should know of it is told."""
        found = await self.find(query, k, options=SearchOptions(within=within))
        report_notes(found.trace)
        return found.passages

    async def find(
        self, query: str, k: int = 8, *, strategy: Strategy | None = None, options: SearchOptions = _OPTIONS
    ) -> RoutedSearchResult:
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
        decided: list[tuple[RoutingDecision, float]] = []

        def choose_options() -> SearchOptions:
            decision = self._decide(query, strategy)
            decided.append((decision, time.perf_counter() - begun))
            return replace(options, strategy=decision.strategy)

        def record(found: "Sequence[Evidence]", more: Mapping[str, Any]) -> None:
            if self._recorder is not None and decided:
                told = {**_record_query(query, k, decided[0][0]), **more}
                told["seconds"] = round(time.perf_counter() - begun, 6)
                ids = tuple(passage.id for passage in found)
                self._recorder.record(started, told, ids, current_call().run)

        try:
            passages, trace = await self.corpus.find(query, k, options=choose_options)
        except Exception as error:
            record((), {"error": one_line(redacted(f"{type(error).__name__}: {error}"))})
            raise
        decision, taken = decided[0]
        trace.seconds = {"routing": taken, **trace.seconds}
        record(passages, _record_trace(trace))
        return RoutedSearchResult(passages, trace, decision)

    async def open(self, source: str, query: str = "", k: int = 8) -> "list[Evidence]":
        """Read one document; see `Corpus.open`."""
        return await self.corpus.open(source, query, k)

    def close(self) -> None:
        """Close what is open. The corpus may still be used."""
        self.corpus.close()

    def _decide(self, query: str, strategy: Strategy | None) -> RoutingDecision:
        """Decide how to search for a question; blocks for a moment."""
        return route_query(query, extract_features(query, self.corpus.snapshot()), self._policy(), strategy)


def open_routed(folder: Path, settings: "Settings") -> RoutedCorpus:
    """Open a corpus folder as the settings say: embedding model, policy, telemetry. Blocks.

    Raises:
        CorpusError: There is no corpus, or it cannot be read.
    """
    model = embedding_models.load_embedder(settings.embeddings) if settings.embeddings else None
    policy = PolicyFile(Path(settings.home), settings.embeddings or "")
    recorder = get_recorder(folder) if settings.telemetry else None
    return RoutedCorpus(IndexedCorpus(folder, embedder=model), policy.read_current, recorder)


def _record_query(query: str, k: int, decision: RoutingDecision) -> dict[str, Any]:
    """The telemetry of a question and its decision."""
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


def _record_trace(trace: SearchTrace) -> dict[str, Any]:
    """The telemetry of a search."""
    return {
        "done": trace.strategy,
        "generation": trace.generation,
        "notes": [one_line(note) for note in trace.notes],
        "stages": {stage: round(taken, 6) for stage, taken in trace.seconds.items()},
        "arms": {arm: rank_passages(scores)[:_NOTED] for arm, scores in trace.arms.items()},
        "coverage": list(trace.coverage or ()),
        "gap": _measure_gap(trace.arms.get("keyword", {})),
    }


def _measure_gap(scores: Mapping[int, float]) -> float:
    """The lead of the best keyword hit over the next, as a share of its score; 0 where there are not two."""
    best = sorted(scores.values(), reverse=True)[:2]
    return round((best[0] - best[1]) / best[0], 4) if len(best) == 2 and best[0] > 0 else 0.0
