"""Passages in tool results: formatting as text for a model and as JSON, and BM25 ranking for a query."""

import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from html import escape
from typing import Final, NamedTuple

from weiwo.state import Evidence, JsonValue
from weiwo.state.evidence import FILE_DATE, UNSCORED
from weiwo.text.analyzer import TERM_MARKS, query_terms, terms
from weiwo.text.printable import one_line


def as_text(passages: Sequence[Evidence], nothing: str) -> str:
    """Format passages as numbered `<passage>` elements with sources, or return `nothing` for no passages.

    The text of a passage cannot close its element.
    """
    shown: list[str] = []
    for number, passage in enumerate(passages, 1):
        place = f"{passage.source} ({passage.locator})" if passage.locator else passage.source
        known = {"n": str(number), "title": passage.title, "source": place, "date": own_date(passage)}
        attributes = "".join(f' {name}="{escape(one_line(value))}"' for name, value in known.items() if value)
        shown.append(f"<passage{attributes}>\n{passage.text.replace('</passage', '&lt;/passage')}\n</passage>")
    return "\n\n".join(shown) or nothing


def as_artifact(passages: Sequence[Evidence]) -> list[dict[str, JsonValue]]:
    """Convert passages to JSON data, which every checkpointer can store. `Evidence(**item)` reads a passage back."""
    return [passage.model_dump(mode="json") for passage in passages]


def own_date(passage: Evidence) -> str:
    """Return the date stated by the document, or an empty string if only its file has a date."""
    return passage.date if passage.date and FILE_DATE not in passage.flags else ""


def describe_score(passage: Evidence) -> str:
    """Format the score of a passage with two decimals, or return "no score" if its store gives none."""
    return "no score" if UNSCORED in passage.flags else f"{passage.score:.2f}"


_COLUMN_WEIGHTS: Final = "2.0, 1.0, 1.0"
_LONGEST_QUERY: Final = 4_000
_MOST_TERMS: Final = 128


class RankedText(NamedTuple):
    """Text fields of a passage used for ranking."""

    title: str  # title of the document
    headings: str  # headings above the passage
    body: str  # text of the passage


def rank_passages(entries: Iterable[RankedText], query: str, limit: int) -> list[int]:
    """Return the positions of up to `limit` passages that share a term with a query, best first.

    They are ranked by BM25, in which the title counts twice. Positions count from 0. Equal passages keep their order.
    Empty if no passage shares a term.

    Args:
        entries: The passages.
        query: The query.
        limit: Maximum number of passages.
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
