"""Ranking the passages of one reply, in memory: SQLite FTS5 over our own analyzer's terms, by BM25.

Made for the passages of one page or one tool's answer, used once and thrown away; documents have an index of their own
(`corpus`). The terms come analyzed for both languages, so FTS5 only splits at blanks and stems English endings
(Porter).
"""

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from typing import Final, NamedTuple

from weiwo.text.analyzer import TERM_MARKS, query_terms, terms

_COLUMN_WEIGHTS: Final = "2.0, 1.0, 1.0"
_LONGEST_QUERY: Final = 4_000
_MOST_TERMS: Final = 128


class RankedText(NamedTuple):
    """What counts of a passage."""

    title: str  # the title of its document
    headings: str  # the headings it stands under
    body: str  # its text


def rank_passages(entries: Iterable[RankedText], query: str, limit: int) -> list[int]:
    """The passages that share a term with a question.

    Returns:
        Their places among the entries, from 0; best first, equal ones in their order.
    """
    asked = query_terms(query[:_LONGEST_QUERY])[:_MOST_TERMS]
    if not asked or limit < 1:
        return []
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.execute(
            "CREATE VIRTUAL TABLE passages USING fts5(title, headings, body, content='',"
            f" tokenize=\"porter ascii tokenchars '_{TERM_MARKS}'\")"
        )
        connection.execute("BEGIN")
        connection.executemany(
            "INSERT INTO passages(rowid, title, headings, body) VALUES (?, ?, ?, ?)",
            ((place, *(" ".join(terms(text)) for text in entry)) for place, entry in enumerate(entries)),
        )
        connection.execute("COMMIT")
        found = connection.execute(
            f"SELECT rowid FROM passages WHERE passages MATCH ? ORDER BY bm25(passages, {_COLUMN_WEIGHTS}), rowid LIMIT ?",  # noqa: E501, S608  # constants only
            (" OR ".join(f'"{term}"' for term in asked), limit),
        )
        return [place for (place,) in found]
