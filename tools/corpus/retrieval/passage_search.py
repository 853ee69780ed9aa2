"""Passage search over a generation of a corpus: from a question to scored passages.

The steps are keyword search with a bonus for named titles, the second arm (embeddings, or character n-grams), score
fusion, and one hop along title mentions. A question such as "where was the director of X born?" shares words with the
page on X alone, and that page names the director, whose own page has the answer. The hop gave +.07 to +.12 recall@5 on
MuSiQue and HotpotQA.
"""

import json
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from weiwo.state.errors import WeiwoError
from weiwo.state.source_filter import SourceFilter
from weiwo.text.analyzer import identifiers, query_terms
from weiwo.text.mentions import Naming, mentions, possible_titles
from weiwo.text.ngrams import query_grams
from weiwo.tools.corpus.index.embedding_models import EmbeddingError
from weiwo.tools.corpus.index.keyword_index import KeywordSnapshot
from weiwo.tools.corpus.index.store import PassageRow, file_date, find_titles, read_rows, read_texts
from weiwo.tools.corpus.index.vector_index import VectorIndex, find_living
from weiwo.tools.corpus.retrieval.score_fusion import (
    KEYWORD_SHARE,
    KEYWORD_SHARE_BESIDE_GRAMS,
    LINK_SEEDS,
    TITLE_BONUS,
    PassageScores,
    SearchOptions,
    Strategy,
    blend_scores,
    fuse_partial,
    lift_linked,
    normalize_scores,
    rank_passages,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    QuestionVector = tuple[VectorIndex, NDArray[np.float32]]

LONGEST_QUERY: Final = 4_000
"""Characters of a question that count."""
MOST_TERMS: Final = 128
_EXACT_SHARE: Final = 0.01
"""Share of the passages above which an identifier is treated as an ordinary word."""
_FEWEST_EXACT: Final = 10
_MOST_GRAMS: Final = 24
"""Only the rarest n-grams of a question are searched: they tell passages apart best, and common ones cost most."""
_MOST_NAMESAKES: Final = 8
_MOST_NAMESAKES_LINKED: Final = 2
"""Documents with the same title above which mentions of the title are not followed, such as "Overview"."""
_MOST_MENTIONS: Final = 2_000
_IDENTIFIER_WEIGHT: Final = 3.0


def find_exact_identifiers(named: Sequence[str], statistics: KeywordSnapshot) -> tuple[str, ...]:
    """Return those of the identifiers that are rare in the corpus: in at most 1 % of the passages, or in at most ten.

    An identifier that occurs in no passage is left out.
    """
    most = max(_FEWEST_EXACT, _EXACT_SHARE * statistics.size)
    return tuple(term for term in named if 0 < statistics.frequency(term) <= most)


@dataclass(slots=True)
class SearchTrace:
    """The trace of a search, for telemetry and for people who ask."""

    strategy: Strategy = "hybrid"  # the strategy of the options; `arms` tells which searches took place
    exact: tuple[str, ...] = ()  # identifiers of the question found in few passages
    # messages for the user, such as an embedding model that does not answer; a line each
    notes: list[str] = field(default_factory=list)
    # scores of the single searches before fusion, by arm (`keyword`, `grams`, `vectors`) and passage
    arms: dict[str, dict[int, float]] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)  # duration of each stage
    generation: int = 0  # the generation that was searched
    # passages with a vector, and all passages, equal ones counted once; None if no vectors were searched
    coverage: tuple[int, int] | None = None

    @contextmanager
    def time_stage(self, stage: str) -> Iterator[None]:
        """Context manager adding the duration of a stage to the trace."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[stage] = self.seconds.get(stage, 0.0) + time.perf_counter() - start


class GenerationBuriedError(WeiwoError):
    """Error: passages of this generation are deleted. Search a newer generation."""


class PassageSearch:
    """The search for a question in a generation."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        snapshot: KeywordSnapshot,
        question: str,
        options: SearchOptions,
        nearest: "Callable[[str], QuestionVector | None]",
        trace: SearchTrace,
        *,
        coverage: Callable[[sqlite3.Connection], tuple[int, int]],
    ) -> None:
        """Prepare a search.

        Args:
            connection: Read transaction on the store, no older than the snapshot.
            snapshot: The keyword index.
            question: The question. Its first 4,000 characters count.
            options: The search options.
            nearest: Embeds the question. Returns the vector index and the question's vector, or None without a model.
            trace: Receives scores, times and notes.
            coverage: Returns the number of passages with a vector, and of all passages.
        """
        self._connection = connection
        self._snapshot = snapshot
        self._question = question[:LONGEST_QUERY]
        self._options = options
        self._nearest = nearest
        self._coverage = coverage
        self._trace = trace
        self._known: dict[int, PassageRow] = {}
        self._within = _filter_documents(connection, options.within, snapshot.generation) if options.within else None
        self._allowed = None if self._within is None else frozenset(self._within)
        trace.generation = snapshot.generation

    def score_passages(self, limit: int) -> tuple[dict[int, float], dict[int, PassageRow]]:
        """Return the scores of the found passages, best first, and their rows, both by passage number.

        `limit` bounds each search, not their union.

        Raises:
            GenerationBuriedError: Passages of the generation were deleted meanwhile.
        """
        trace, options = self._trace, self._options
        terms = query_terms(self._question)[:MOST_TERMS]
        trace.exact = find_exact_identifiers(identifiers(self._question), self._snapshot)
        trace.strategy = options.strategy
        found: PassageScores = {}
        if trace.strategy != "vector":
            weights = dict.fromkeys(trace.exact, _IDENTIFIER_WEIGHT)
            with trace.time_stage("keyword"):
                hits = dict(self._snapshot.search_words(terms, limit, self._within, weights))
            with trace.time_stage("titles"):
                found = self._lift_titles(hits)
            trace.arms["keyword"] = dict(found)
        if trace.strategy != "keyword":
            found = self._join_second_arm(found, limit)
        self._look_up(found)
        if options.linked and found and not trace.exact:
            with trace.time_stage("linked"):
                found = lift_linked(found, self._find_links(found))
                self._look_up(found)
        return {key: found[key] for key in rank_passages(found)}, self._known

    def _join_second_arm(self, keyword: PassageScores, limit: int) -> PassageScores:
        """Add a second search to the keyword search: vectors, or character n-grams as a substitute.

        Without an embedding model, n-grams are used. If only some passages have a vector, n-grams are used for the
        others. With the strategy `vector`, the keyword scores do not count.
        """
        hybrid = self._trace.strategy == "hybrid"
        if (given := self._embed_question()) is None:
            grams = self._search_grams(limit)
            return blend_scores(keyword, grams, KEYWORD_SHARE_BESIDE_GRAMS) if hybrid else normalize_scores(grams)
        with self._trace.time_stage("vectors"):
            vectors = self._search_vectors(*given, limit)
        self._trace.arms["vectors"] = vectors
        with self._trace.time_stage("coverage"):
            embedded, total = self._trace.coverage = self._coverage(self._connection)
        # Vectors alone would rank passages without a vector too low.
        if embedded >= total:
            return blend_scores(keyword, vectors, KEYWORD_SHARE) if hybrid else normalize_scores(vectors)
        grams = self._search_grams(limit)
        without = self._find_without_vector({*keyword, *grams}, given[0])
        shares = (KEYWORD_SHARE, KEYWORD_SHARE_BESIDE_GRAMS) if hybrid else (0.0, 0.0)
        return fuse_partial(keyword, vectors, grams, without, shares)

    def _embed_question(self) -> "QuestionVector | None":
        """Return the vector index and the question's vector, or None without a model or if the model fails.

        A failure is noted in the trace.
        """
        try:
            with self._trace.time_stage("embedding"):
                return self._nearest(self._question)
        except EmbeddingError as error:
            self._trace.notes.append(f"{error}; searched without it")
            return None

    def _search_grams(self, limit: int) -> dict[int, float]:
        with self._trace.time_stage("grams"):
            hits = dict(self._snapshot.search_grams(query_grams(self._question), _MOST_GRAMS, limit, self._within))
        self._trace.arms["grams"] = hits
        return hits

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
                nearest.search(vector, wanted)
                if among is None
                else nearest.search_among(self._connection, vector, wanted, among)
            )
            living = find_living(self._connection, list(found), self._snapshot.generation)
            if len(living) >= limit // 2 or len(found) < wanted:
                return {passage: max(found[number], 1e-6) for passage, number in living}
            wanted *= 4  # many of these vectors belong to deleted passages

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
            with self._trace.time_stage("look up"):
                self._known |= read_rows(self._connection, unknown)
        if any(passage not in self._known for passage in unknown):
            raise GenerationBuriedError

    def _lift_titles(self, scores: dict[int, float]) -> dict[int, float]:
        """Raise the scores of passages in documents that the question names by title.

        If keyword search found no passage of a named document, its first passage is added.
        """
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
        for found in titles.values():
            for number, passages in found:
                if number not in known and len(passages) and self._allows(number):
                    lifted[passages.start] = min(scores.values(), default=1.0)
        return lifted

    def _find_links(self, scores: PassageScores) -> Mapping[int, set[int]]:
        """Return, for each of the `LINK_SEEDS` best passages, the passages of documents that it mentions by title.

        Of each mentioned document this is the best passage found, or the first passage if none was found.
        """
        ranked = rank_passages(scores)
        seeds = ranked[:LINK_SEEDS]
        mentioned = {seed: mentions(text) for seed, text in read_texts(self._connection, seeds).items()}
        keys = sorted(set().union(*mentioned.values()))[:_MOST_MENTIONS]
        documents = {passage: self._known[passage].document for passage in ranked}
        best: dict[int, int] = {}
        for passage in ranked:
            best.setdefault(documents[passage], passage)
        targets = {
            key: {best.get(number, passages.start) for number, passages in found if self._allows(number)}
            for key, found in find_titles(
                self._connection, keys, self._snapshot.generation, _MOST_NAMESAKES_LINKED
            ).items()
        }
        return {
            seed: {
                target for key in those for target in targets.get(key, ()) if documents.get(target) != documents[seed]
            }
            for seed, those in mentioned.items()
        }

    def _allows(self, document: int) -> bool:
        """Report whether the search may return passages of a document."""
        return self._allowed is None or document in self._allowed


def _filter_documents(connection: sqlite3.Connection, within: SourceFilter, at: int) -> Sequence[int]:
    """Return the numbers of the documents that a filter accepts.

    A document without a stated date has the day of its file as the date.
    """
    rows = connection.execute(
        "SELECT id, path, source, date, modified_ns FROM documents WHERE born <= ? AND (died IS NULL OR died > ?)",
        (at, at),
    )
    return [
        number
        for number, path, source, day, modified in rows
        if within.allows_document(source, path) and within.allows_date(day or file_date(modified))
    ]
