"""`weiwo search`: retrieval alone, without a plan or an answer."""

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from app.flow import Flow
from app.session import open_corpus
from state import Evidence
from state.settings import Settings
from tools.printable import one_line, printable

_LONGEST_PASSAGE = 400


async def search(settings: Settings, query: str, k: int) -> list[Evidence]:
    """The passages nearest to a query, best first.

    Raises:
        UsageError: The corpus cannot be used.
    """
    corpus = await open_corpus(settings)
    return await corpus.search(query, k)


def as_json(query: str, passages: Sequence[Evidence]) -> dict[str, Any]:
    """The result as one object."""
    kept = {"id", "source", "title", "text", "score", "rank", "locator", "date"}
    return {"query": query, "results": [passage.model_dump(mode="json", include=kept) for passage in passages]}


def print_results(console: Console, passages: Sequence[Evidence]) -> None:
    """Print the passages on a terminal."""
    for passage in passages:
        head = Text.assemble((f"{passage.rank}. ", "cyan"), (one_line(passage.title), "bold"))
        console.print(Flow(head, indent=3))
        console.print(Flow(Text(f"   {_place(passage)} · {passage.score:.2f}", "dim"), indent=3))
        console.print(Flow(Text(f"   {_excerpt(passage)}"), indent=3))


def plain_results(passages: Sequence[Evidence]) -> str:
    """The passages as plain text, for a pipe."""
    return "".join(
        f"{passage.rank}. {one_line(passage.title)}\n   {_place(passage)} · {passage.score:.2f}\n"
        f"   {_excerpt(passage)}\n"
        for passage in passages
    )


def _place(passage: Evidence) -> str:
    return one_line(", ".join(part for part in (passage.source, passage.locator) if part), 500)


def _excerpt(passage: Evidence) -> str:
    return one_line(printable(passage.text), _LONGEST_PASSAGE)
