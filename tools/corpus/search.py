"""One search over one generation of a corpus: from a question to scored passages."""

import json
import sqlite3
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Final, TypeVar

from text.analysis import query_terms
from text.grams import query_grams
from text.identifiers import identifiers
from text.mentions import Naming, possible_titles
from tools.corpus.embeddings import EmbeddingError
from tools.corpus.features import exact
from tools.corpus.keyword import Snapshot
from tools.corpus.linked import links
from tools.corpus.rows import Candidate, candidates, titled
from tools.corpus.strategies import (
    KEYWORD_SHARE,
    KEYWORD_SHARE_BESIDE_GRAMS,
    TITLE_BONUS,
    Filter,
    Options,
    Scores,
    Strategy,
    fused,
    linked,
    normalized,
    ranked,
    recent,
)
from tools.corpus.vectors import Nearest, alive

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
class Trace:
    """What a search did, for telemetry and for people who ask.

    Attributes:
        strategy: What was done in the end, which may be less than was asked for.
        exact: The identifiers in the question that the corpus holds; such a question is answered by keyword alone.
        notes: What a user should know, such as an embedding model that is down; a line each.
        arms: The scores of each search, before they were joined: `keyword`, `grams`, `vectors`.
        seconds: The time of each stage.
        generation: The generation that was searched.
    """

    strategy: Strategy = "hybrid"
    exact: tuple[str, ...] = ()
    notes: list[str] = field(default_factory=list)
    arms: dict[str, dict[int, float]] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    generation: int = 0

    def timed(self, stage: str, work: Callable[[], _T]) -> _T:
        """Do something, and note how long it took."""
        start = time.perf_counter()
        try:
            return work()
        finally:
            self.seconds[stage] = self.seconds.get(stage, 0.0) + time.perf_counter() - start


class Buried(Exception):  # noqa: N818  # a signal between this module and its caller
    """Passages of this generation are gone; search a newer one."""


class Search:
    """A question put to one generation."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        snapshot: Snapshot,
        question: str,
        options: Options,
        nearest: "Callable[[str], tuple[Nearest, NDArray[np.float32]] | None]",
        trace: Trace,
    ) -> None:
        """Prepare a search.

        Args:
            connection: Reads one state of the store, no older than the snapshot.
            snapshot: The keyword index.
            question: The question; its first 4,000 characters count.
            options: How to search.
            nearest: Gives the vectors, and the question's own; None where there is no embedding model.
            trace: Takes notes.
        """
        self._connection = connection
        self._snapshot = snapshot
        self._question = question[:LONGEST_QUERY]
        self._options = options
        self._nearest = nearest
        self._trace = trace
        self._known: dict[int, Candidate] = {}
        self._within = within(connection, options.filter, snapshot.generation) if options.filter else None
        trace.generation = snapshot.generation

    def scores(self, limit: int) -> tuple[dict[int, float], dict[int, Candidate]]:
        """The scores of the passages found, and what is known of them. `limit` bounds each search, not their union.

        Raises:
            Buried: The generation is gone.
        """
        trace, options = self._trace, self._options
        terms = query_terms(self._question)[:_MOST_TERMS]
        trace.exact = exact(identifiers(self._question), self._snapshot)
        alone = trace.exact and options.exact_alone and options.strategy == "hybrid"
        trace.strategy = "keyword" if alone else options.strategy
        found: Scores = {}
        if trace.strategy != "vector":
            weights = dict.fromkeys(trace.exact, _IDENTIFIER_WEIGHT)
            hits = trace.timed("keyword", lambda: self._snapshot.words(terms, limit, self._within, weights))
            found = trace.timed("titles", lambda: self._with_titles(dict(hits)))
            trace.arms["keyword"] = dict(found)
        if trace.strategy != "keyword":
            other, share = self._other(limit)
            share = share if options.keyword_share is None else options.keyword_share
            found = fused(found, other, options.fusion, share) if trace.strategy == "hybrid" else normalized(other)
        self._look_up(found)
        if options.linked and found and not trace.exact:
            found = trace.timed("linked", lambda: self._linked(found))
        if options.half_life_days is not None:
            dates = {key: self._known[key].date for key in found}
            found = recent(found, dates, datetime.now(UTC).date(), options.half_life_days)
        return {key: found[key] for key in ranked(found)}, self._known

    def _other(self, limit: int) -> tuple[dict[int, float], float]:
        """The vector arm, or the n-grams in its place; and the keyword arm's weight beside it."""
        try:
            given = self._trace.timed("embedding", lambda: self._nearest(self._question))
        except EmbeddingError as error:
            self._trace.notes.append(f"{error}; searched without it")
            given = None
        if given is not None:
            scores = self._trace.timed("vectors", lambda: self._vectors(*given, limit))
            self._trace.arms["vectors"] = scores
            return scores, KEYWORD_SHARE
        grams = query_grams(self._question)
        hits = self._trace.timed("grams", lambda: self._snapshot.grams(grams, _MOST_GRAMS, limit, self._within))
        self._trace.arms["grams"] = dict(hits)
        return dict(hits), KEYWORD_SHARE_BESIDE_GRAMS

    def _vectors(self, nearest: Nearest, vector: "NDArray[np.float32]", limit: int) -> dict[int, float]:
        nearest.refresh(self._connection)
        among = None if self._within is None else self._numbers(nearest)
        wanted = limit
        while True:
            found = (
                nearest.search(self._connection, vector, wanted)
                if among is None
                else nearest.search_among(self._connection, vector, wanted, among)
            )
            living = alive(self._connection, list(found), self._snapshot.generation)
            if len(living) >= limit // 2 or len(found) < wanted:
                return {passage: max(found[number], 1e-6) for passage, number in living}
            wanted *= 4  # many are of passages that are gone

    def _numbers(self, nearest: Nearest) -> list[int]:
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
            self._known |= self._trace.timed("look up", lambda: candidates(self._connection, unknown))
        if any(passage not in self._known for passage in unknown):
            raise Buried

    def _with_titles(self, scores: dict[int, float]) -> dict[int, float]:
        """Lift the passages of documents that the question names, found by their words or not."""
        named = Naming(self._question)
        titles = titled(self._connection, possible_titles(self._question), self._snapshot.generation, _MOST_NAMESAKES)
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

    def _linked(self, scores: Scores) -> dict[int, float]:
        documents = {passage: self._known[passage].document for passage in scores}
        generation = self._snapshot.generation
        lifted = linked(scores, links(self._connection, generation, scores, documents, self._within))
        self._look_up(lifted)
        return lifted


def within(connection: sqlite3.Connection, wanted: Filter, at: int) -> Sequence[int]:
    """The documents that a filter lets through."""
    rows = connection.execute(
        "SELECT id, source, type, language, date FROM documents WHERE born <= ? AND (died IS NULL OR died > ?)",
        (at, at),
    )
    return [
        number
        for number, source, kind, language, day in rows
        if (not wanted.path or fnmatchcase(source, wanted.path))
        and (not wanted.types or kind in wanted.types)
        and (not wanted.languages or language in wanted.languages)
        and (not wanted.since or (day is not None and day >= wanted.since))
        and (not wanted.until or (day is not None and day[: len(wanted.until)] <= wanted.until))
    ]
