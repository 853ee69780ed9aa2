"""A keyword index in memory: SQLite FTS5 over our own analyzer's terms, ranked by BM25.

The terms come analyzed for both languages, so FTS5 only splits at blanks and stems English endings (Porter). The index
holds no text. The title bonus was chosen on 100 questions each of MuSiQue and HotpotQA (recall@5 .54 to .58 and .81 to
.83); the column weights made no difference beyond noise there. `benchmarks/retrieval.py` measures the whole.
"""

import re
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from threading import Lock
from typing import Final, NamedTuple

from text.analysis import STOP_WORDS, TERM_MARKS, query_terms, terms

_COLUMN_WEIGHTS: Final = (2.0, 1.0, 1.0)
_TITLE_BONUS: Final = 0.5
"""A passage whose whole title is in the question scores this much more."""

_LONGEST_QUERY: Final = 4_000
_MOST_TERMS: Final = 128
_QUALIFIER: Final = re.compile(r"\s*[(（][^()（）]*[)）]\s*$")


class Entry(NamedTuple):
    """What is indexed of a passage.

    Attributes:
        title: The title of its document.
        headings: The headings it stands under.
        body: Its text.
    """

    title: str
    headings: str
    body: str


class Index:
    """Passages by number, from 0, as given. Built once, then read from any thread."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._lock = Lock()
        self._titles: list[frozenset[str]] = []
        self._connection = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
        self._connection.execute(
            "CREATE VIRTUAL TABLE passages USING fts5(title, headings, body, content='',"
            f" tokenize=\"porter ascii tokenchars '_{TERM_MARKS}'\")"
        )
        known: dict[str, frozenset[str]] = {}
        self._connection.execute("BEGIN")
        for number, (title, headings, body) in enumerate(entries, 1):
            if title not in known:
                known[title] = _title_terms(title)
            self._titles.append(known[title])
            columns = (" ".join(terms(text)) for text in (title, headings, body))
            self._connection.execute(
                "INSERT INTO passages(rowid, title, headings, body) VALUES (?, ?, ?, ?)", (number, *columns)
            )
        self._connection.execute("COMMIT")

    def __len__(self) -> int:
        return len(self._titles)

    def search(self, query: str, limit: int, within: range | None = None) -> list[tuple[int, float]]:
        """Passages that share a term with a question.

        Args:
            query: The question; its first 4,000 characters count.
            limit: How many at most.
            within: The passages to look at, if not all.

        Returns:
            Their numbers and scores, best first; equal scores in passage order. Scores are positive.
        """
        asked = query_terms(query[:_LONGEST_QUERY])[:_MOST_TERMS]
        within = range(len(self)) if within is None else within
        if not asked or limit < 1 or not within:
            return []
        match = " OR ".join(f'"{term}"' for term in asked)
        weights = ", ".join(map(str, _COLUMN_WEIGHTS))
        statement = (
            f"SELECT rowid - 1, -bm25(passages, {weights}) AS score FROM passages"  # noqa: S608  # constants only
            " WHERE passages MATCH ? AND rowid BETWEEN ? AND ? ORDER BY score DESC, rowid LIMIT ?"
        )
        with self._lock, closing(self._connection.cursor()) as cursor:
            found = cursor.execute(statement, (match, within.start + 1, within.stop, limit)).fetchall()
        terms_asked = frozenset(asked)
        scored = [(number, score * self._bonus(number, terms_asked)) for number, score in found]
        return sorted(scored, key=lambda pair: (-pair[1], pair[0]))

    def _bonus(self, number: int, asked: frozenset[str]) -> float:
        title = self._titles[number]
        return 1 + _TITLE_BONUS if title and title <= asked else 1.0


def _title_terms(title: str) -> frozenset[str]:
    """The terms a question must have to name a title; a qualifier such as "(film)" may be left out."""
    return frozenset(terms(_QUALIFIER.sub("", title))) - STOP_WORDS
