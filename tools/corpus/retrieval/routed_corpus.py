"""Routed corpus: an index behind a router choosing the strategy, with telemetry."""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from weiwo.text.printable import one_line, redact_secrets
from weiwo.tools.calling.call_context import current_call
from weiwo.tools.corpus.index import embedding_models
from weiwo.tools.corpus.index.store import read_rows
from weiwo.tools.corpus.retrieval.indexed_corpus import IndexedCorpus, IndexSearchResult
from weiwo.tools.corpus.retrieval.passage_search import SearchTrace
from weiwo.tools.corpus.retrieval.router import QueryFeatures, RoutingDecision, extract_features, route_query
from weiwo.tools.corpus.retrieval.routing_policy import PolicyFile, RoutingPolicy
from weiwo.tools.corpus.retrieval.score_fusion import SearchOptions, Strategy, rank_passages
from weiwo.tools.corpus.retrieval.telemetry import LONGEST_QUERY, TelemetryRecorder, get_recorder

if TYPE_CHECKING:
    from weiwo.state import Evidence
    from weiwo.state.settings import Settings

_FEATURES: Final = tuple(field.name for field in fields(QueryFeatures))
_NOTED: Final = 10
"""Number of best passages recorded for each arm."""


@dataclass(frozen=True, slots=True)
class RoutedSearchResult(IndexSearchResult):
    """Passages, best first, with the trace and the routing decision."""

    decision: RoutingDecision


class RoutedCorpus(IndexedCorpus):
    """An index behind a router, as a `Corpus`."""

    def __init__(
        self,
        folder: Path,
        policy: Callable[[], RoutingPolicy] = RoutingPolicy,
        recorder: TelemetryRecorder | None = None,
        *,
        embedder: embedding_models.Embedder | None = None,
    ) -> None:
        """Open a corpus with a router.

        Args:
            folder: The corpus folder.
            policy: Returns the policy in force, called for each search.
            recorder: Stores telemetry, if any is wanted.
            embedder: The embedding model, if any.
        """
        super().__init__(folder, embedder=embedder)
        self._policy = policy
        self._recorder = recorder

    async def find(
        self, query: str, k: int = 8, *, options: SearchOptions | None = None, strategy: Strategy | None = None
    ) -> RoutedSearchResult:
        """Run `search` and return the trace and the routing decision with the passages.

        Args:
            query: The question.
            k: Maximum number of passages.
            options: Filter and further options. The strategy in it is ignored.
            strategy: The strategy, if the router is not to decide.

        Raises:
            CorpusError: The index cannot be read. This is recorded as an error, not as a miss.
        """
        started, begun = time.time(), time.perf_counter()
        decided: list[tuple[RoutingDecision, float]] = []

        def choose_options() -> SearchOptions:
            decision = self._decide(query, strategy)
            decided.append((decision, time.perf_counter() - begun))
            return replace(options or SearchOptions(), strategy=decision.strategy)

        def record(passages: "Sequence[Evidence]", more: Mapping[str, Any]) -> None:
            if self._recorder is not None and decided:
                told = {**_record_query(query, k, decided[0][0]), **more}
                told["seconds"] = round(time.perf_counter() - begun, 6)
                ids = tuple(passage.id for passage in passages)
                self._recorder.record(started, told, ids, current_call().run)

        try:
            found = await asyncio.to_thread(lambda: self._find(query, k, choose_options()))
        except Exception as error:
            record((), {"error": one_line(redact_secrets(f"{type(error).__name__}: {error}"))})
            raise
        decision, taken = decided[0]
        found.trace.seconds = {"routing": taken, **found.trace.seconds}
        record(found.passages, _record_trace(found.trace))
        return RoutedSearchResult(found.passages, found.trace, decision)

    def _decide(self, query: str, strategy: Strategy | None) -> RoutingDecision:
        """Decide on the search strategy for a question. Blocks for a moment."""
        snapshot = self.snapshot()
        features = extract_features(query, snapshot)
        if features.exact:
            held = [
                key for term in features.exact for key, _ in snapshot.search_words([term], snapshot.frequency(term))
            ]
            with self._store.read_transaction() as connection:
                documents = {row.document for row in read_rows(connection, held).values()}
            features = replace(features, one_document=len(documents) == 1)
        return route_query(query, features, self._policy(), strategy)


def open_routed(folder: Path, settings: "Settings") -> RoutedCorpus:
    """Open a corpus folder as the settings say: embedding model, policy, telemetry. Blocks.

    Raises:
        CorpusError: There is no corpus, or it cannot be read.
    """
    model = embedding_models.load_embedder(settings.embeddings) if settings.embeddings else None
    policy = PolicyFile(Path(settings.home), settings.embeddings or "")
    recorder = get_recorder(folder) if settings.telemetry else None
    return RoutedCorpus(folder, policy.read_current, recorder, embedder=model)


def _record_query(query: str, k: int, decision: RoutingDecision) -> dict[str, Any]:
    """Return the telemetry fields of a question and its routing decision."""
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
    """Return the telemetry fields of a finished search."""
    best = sorted(trace.arms.get("keyword", {}).values(), reverse=True)[:2]
    return {
        "done": trace.strategy,
        "generation": trace.generation,
        "notes": [one_line(note) for note in trace.notes],
        "stages": {stage: round(taken, 6) for stage, taken in trace.seconds.items()},
        "arms": {arm: rank_passages(scores)[:_NOTED] for arm, scores in trace.arms.items()},
        "coverage": list(trace.coverage or ()),
        # The relative lead of the best keyword hit over the next.
        "gap": round((best[0] - best[1]) / best[0], 4) if len(best) == 2 and best[0] > 0 else 0.0,
    }
