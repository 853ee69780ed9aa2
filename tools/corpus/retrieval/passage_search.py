"""Passage search over one generation of a corpus: from a question to scored passages."""

import json
import sqlite3
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, TypeVar

from weiwo.state.errors import WeiwoError
from weiwo.text.analyzer import query_terms
from weiwo.text.identifiers import identifiers
from weiwo.text.mentions import Naming, possible_titles
from weiwo.text.ngrams import query_grams
from weiwo.tools.corpus.index.embedding_models import EmbeddingError
from weiwo.tools.corpus.index.keyword_index import KeywordSnapshot
from weiwo.tools.corpus.index.store_reads import PassageRow, file_date, find_titles, read_rows
from weiwo.tools.corpus.index.vector_index import VectorIndex, find_living
from weiwo.tools.corpus.retrieval.query_features import find_exact_identifiers
from weiwo.tools.corpus.retrieval.score_fusion import (
    KEYWORD_SHARE,
    KEYWORD_SHARE_BESIDE_GRAMS,
    TITLE_BONUS,
    DocumentFilter,
    PassageScores,
    SearchOptions,
    Strategy,
    blend_scores,
    favour_recent,
    fuse_partial,
    lift_linked,
    normalize_scores,
    rank_passages,
)
from weiwo.tools.corpus.retrieval.title_hop import find_links

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_T = TypeVar("_T")

LONGEST_QUERY: Final = 4_000
"""Characters of a question that count."""

_MOST_TERMS: Final = 128
_MOST_GRAMS: Final = 24
"""The rarest n-grams of a question say nearly all there is to say, and the others cost most."""
_MOST_NAMESAKES: Final = 8
_IDENTIFIER_WEIGHT: Final = 3.0


@dataclass(slots=True)
class SearchTrace:
    """The trace of a search, for telemetry and for people who ask.

    Attributes:
        strategy: What was done in the end, which may be less than was asked for.
        exact: The identifiers in the question that the corpus holds; such a question is answered by keyword alone.
        notes: What a user should know, such as an embedding model that is down; a line each.
        arms: The scores of each search, before they were joined: `keyword`, `grams`, `vectors`.
        seconds: The time of each stage.
        generation: The generation that was searched.
        coverage: Passages that have a vector, and all there are, equal ones once; None where no vectors were searched.
    """

    strategy: Strategy = "hybrid"
    exact: tuple[str, ...] = ()
    notes: list[str] = field(default_factory=list)
    arms: dict[str, dict[int, float]] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    generation: int = 0
    coverage: tuple[int, int] | None = None

    def time_stage(self, stage: str, work: Callable[[], _T]) -> _T:
        """Do something, and note how long it took."""
        start = time.perf_counter()
        try:
            return work()
        finally:
            self.seconds[stage] = self.seconds.get(stage, 0.0) + time.perf_counter() - start


class GenerationBuriedError(WeiwoError):
    """Passages of this generation are gone; search a newer one."""


class PassageSearch:
    """The search for one question in one generation."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        snapshot: KeywordSnapshot,
        question: str,
        options: SearchOptions,
        nearest: "Callable[[str], tuple[VectorIndex, NDArray[np.float32]] | None]",
        trace: SearchTrace,
        *,
        coverage: Callable[[sqlite3.Connection], tuple[int, int]] | None = None,
    ) -> None:
        """Prepare a search.

        Args:
            connection: Reads one state of the store, no older than the snapshot.
            snapshot: The keyword index.
            question: The question; its first 4,000 characters count.
            options: How to search.
            nearest: Gives the vectors, and the question's own; None where there is no embedding model.
            trace: Takes notes.
            coverage: Counts the passages that have a vector, and all there are; all have one where it is not given.
        """
        self._connection = connection
        self._snapshot = snapshot
        self._question = question[:LONGEST_QUERY]
        self._options = options
        self._nearest = nearest
        self._coverage = coverage
        self._trace = trace
        self._known: dict[int, PassageRow] = {}
        self._within = filter_documents(connection, options.filter, snapshot.generation) if options.filter else None
        trace.generation = snapshot.generation

    def score_passages(self, limit: int) -> tuple[dict[int, float], dict[int, PassageRow]]:
        """The scores of the passages found, and what is known of them. `limit` bounds each search, not their union.

        Raises:
            GenerationBuriedError: The generation is gone.
        """
        trace, options = self._trace, self._options
        terms = query_terms(self._question)[:_MOST_TERMS]
        trace.exact = find_exact_identifiers(identifiers(self._question), self._snapshot)
        alone = trace.exact and options.exact_alone and options.strategy == "hybrid"
        trace.strategy = "keyword" if alone else options.strategy
        found: PassageScores = {}
        if trace.strategy != "vector":
            weights = dict.fromkeys(trace.exact, _IDENTIFIER_WEIGHT)
            hits = trace.time_stage("keyword", lambda: self._snapshot.search_words(terms, limit, self._within, weights))
            found = trace.time_stage("titles", lambda: self._lift_titles(dict(hits)))
            trace.arms["keyword"] = dict(found)
        if trace.strategy != "keyword":
            found = self._join_second_arm(found, limit)
        self._look_up(found)
        if options.linked and found and not trace.exact:
            found = trace.time_stage("linked", lambda: self._lift_linked(found))
        if options.half_life_days is not None:
            dates = {key: self._known[key].date for key in found}
            found = favour_recent(found, dates, datetime.now(UTC).date(), options.half_life_days)
        return {key: found[key] for key in rank_passages(found)}, self._known

    def _join_second_arm(self, keyword: PassageScores, limit: int) -> dict[int, float]:
        """The keyword arm joined with the vectors, or with the n-grams in their place; for `vector`, these alone."""
        hybrid = self._trace.strategy == "hybrid"
        try:
            given = self._trace.time_stage("embedding", lambda: self._nearest(self._question))
        except EmbeddingError as error:
            self._trace.notes.append(f"{error}; searched without it")
            given = None
        if given is None:
            grams = self._search_grams(limit)
            return blend_scores(keyword, grams, KEYWORD_SHARE_BESIDE_GRAMS) if hybrid else normalize_scores(grams)
        vectors = self._trace.time_stage("vectors", lambda: self._search_vectors(*given, limit))
        self._trace.arms["vectors"] = vectors
        if not self._is_partial():
            return blend_scores(keyword, vectors, KEYWORD_SHARE) if hybrid else normalize_scores(vectors)
        grams = self._search_grams(limit)
        without = self._find_without_vector({*keyword, *grams}, given[0])
        shares = (KEYWORD_SHARE, KEYWORD_SHARE_BESIDE_GRAMS) if hybrid else (0.0, 0.0)
        return fuse_partial(keyword, vectors, grams, without, shares)

    def _search_grams(self, limit: int) -> dict[int, float]:
        wanted = query_grams(self._question)
        hits = self._trace.time_stage(
            "grams", lambda: self._snapshot.search_grams(wanted, _MOST_GRAMS, limit, self._within)
        )
        self._trace.arms["grams"] = dict(hits)
        return dict(hits)

    def _is_partial(self) -> bool:
        """Whether passages are left that have no vector, so that vectors alone would sink them."""
        if self._coverage is None:
            return False
        self._trace.coverage = self._trace.time_stage("coverage", lambda: self._coverage(self._connection))  # type: ignore[misc]
        return self._trace.coverage[0] < self._trace.coverage[1]

    def _find_without_vector(self, passages: Iterable[int], nearest: VectorIndex) -> set[int]:
        rows = self._connection.execute(
            "SELECT passages.id FROM json_each(?) CROSS JOIN passages ON passages.id = value WHERE NOT EXISTS"
            " (SELECT 1 FROM vectors WHERE model = ? AND vectors.key = passages.key)",
            (json.dumps(list(passages)), nearest.model.id),
        )
        return {row[0] for row in rows}

    def _search_vectors(self, nearest: VectorIndex, vector: "NDArray[np.float32]", limit: int) -> dict[int, float]:
        nearest.refresh(self._connection)
        among = None if self._within is None else self._list_vector_numbers(nearest)
        wanted = limit
        while True:
            found = (
                nearest.search(self._connection, vector, wanted)
                if among is None
                else nearest.search_among(self._connection, vector, wanted, among)
            )
            living = find_living(self._connection, list(found), self._snapshot.generation)
            if len(living) >= limit // 2 or len(found) < wanted:
                return {passage: max(found[number], 1e-6) for passage, number in living}
            wanted *= 4  # many are of passages that are gone

    def _list_vector_numbers(self, nearest: VectorIndex) -> list[int]:
        rows = self._connection.execute(
            "SELECT number FROM json_each(?) CROSS JOIN documents ON documents.id = value CROSS JOIN passages"
            " ON passages.id BETWEEN first AND first + count - 1 CROSS JOIN vectors"
            " ON model = ? AND vectors.key = passages.key",
            (json.dumps(list(self._within or ())), nearest.model.id),
        )
        return [row[0] for row in rows]

    def _look_up(self, passages: Iterable[int]) -> None:
        unknown = [passage for passage in passages if passage not in self._known]
        if unknown:
            self._known |= self._trace.time_stage("look up", lambda: read_rows(self._connection, unknown))
        if any(passage not in self._known for passage in unknown):
            raise GenerationBuriedError

    def _lift_titles(self, scores: dict[int, float]) -> dict[int, float]:
        """Lift the passages of documents that the question names, found by their words or not."""
        named = Naming(self._question)
        titles = find_titles(
            self._connection, possible_titles(self._question), self._snapshot.generation, _MOST_NAMESAKES
        )
        self._look_up(scores)
        lifted = {
            passage: score * (1 + TITLE_BONUS) if self._known[passage].title_key in named else score
            for passage, score in scores.items()
        }
        known = {self._known[passage].document for passage in scores}
        allowed = None if self._within is None else set(self._within)
        for found in titles.values():
            for number, passages in found:
                if number not in known and len(passages) and (allowed is None or number in allowed):
                    lifted[passages.start] = min(scores.values(), default=1.0)
        return lifted

    def _lift_linked(self, scores: PassageScores) -> dict[int, float]:
        documents = {passage: self._known[passage].document for passage in scores}
        generation = self._snapshot.generation
        lifted = lift_linked(scores, find_links(self._connection, generation, scores, documents, self._within))
        self._look_up(lifted)
        return lifted


def filter_documents(connection: sqlite3.Connection, wanted: DocumentFilter, at: int) -> Sequence[int]:
    """The documents that a filter lets through."""
    rows = connection.execute(
        "SELECT id, path, source, type, date, modified_ns FROM documents"
        " WHERE born <= ? AND (died IS NULL OR died > ?)",
        (at, at),
    )
    return [
        number
        for number, path, source, kind, day, modified in rows
        if (not wanted.types or kind in wanted.types)
        and (not wanted.since or (day is not None and day >= wanted.since))
        and (not wanted.until or (day is not None and day[: len(wanted.until)] <= wanted.until))
        and wanted.within.allows_document(source, path)
        and wanted.within.allows_date(day or file_date(modified))
    ]
