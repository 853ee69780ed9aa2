"""Passage selection: of a page, the passages that matter for a question."""

from typing import Final

from weiwo.state import Evidence, passage_id
from weiwo.text.chunking import Chunk, chunk_sections, chunk_text
from weiwo.tools.corpus.formats.pdf import format_page
from weiwo.tools.passage_ranking import RankedText, rank_passages
from weiwo.tools.web.fetching.page import PAGE_END, WebPage

MOST_PASSAGES: Final = 12
"""Passages given of a page: some 2,000 words."""
_BEST: Final = 4
"""Passages that bring their neighbours along."""


def select_passages(page: WebPage, query: str, tool: str) -> list[Evidence]:
    """The passages of a page that matter for a query, the best first, each of the very best before its neighbours.

    Args:
        page: The page.
        query: What is looked for; without it, or where nothing matches, the page from its start.
        tool: The tool that read it, for the evidence.
    """
    title, pieces = _chunk_page(page)
    order = _rank_chunks(title, [piece for piece, _ in pieces], query)[:MOST_PASSAGES]
    return [
        Evidence(
            id=passage_id(piece.words),
            text=piece.words,
            source=page.url,
            title=page.title or title,
            locator=place,
            date=page.date,
            tool=tool,
            rank=rank,
        )
        for rank, (piece, place) in enumerate((pieces[number] for number in order), 1)
    ]


def _chunk_page(page: WebPage) -> tuple[str, list[tuple[Chunk, str]]]:
    """The title of a page, and its passages, each with its place for people."""
    if page.paged:
        texts = page.text.split(PAGE_END)
        numbered = ((number, chunk_sections(text, ())[1]) for number, text in enumerate(texts, 1))
        return page.title, [(piece, format_page(number)) for number, pieces in numbered for piece in pieces]
    title, found = chunk_text(page.text, markdown=True, name=page.title)
    return title, [(piece, " › ".join(piece.headings[-2:])) for piece in found]


def _rank_chunks(title: str, chunks: list[Chunk], query: str) -> list[int]:
    entries = (RankedText(title, " ".join(piece.headings), piece.words) for piece in chunks)
    found = rank_passages(entries, query, len(chunks))
    near = [number for best in found[:_BEST] for number in (best, best + 1, best - 1) if 0 <= number < len(chunks)]
    return list(dict.fromkeys((*near, *found, *range(len(chunks)))))
