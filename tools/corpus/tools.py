"""Corpus tools: `corpus_search` finds passages, `open_document` reads a document.

Content is text for a model. The artifact is the same passages as a list of `Evidence` in JSON form.
"""

import asyncio
from typing import Any

from pydantic import BaseModel, Field

from weiwo.state import Evidence, JsonValue
from weiwo.state.source_filter import SourceFilter
from weiwo.tools.async_tool import AsyncTool, narrow
from weiwo.tools.calling.errors import ToolCallError
from weiwo.tools.corpus.base import Corpus, DocumentNotFoundError
from weiwo.tools.corpus.retrieval.reranker import passages_to_rank, rerank
from weiwo.tools.passages import as_artifact, as_text

_PassageAnswer = tuple[str, list[dict[str, JsonValue]]]

_OPENED = 12
"""Maximum number of passages shown of a document, some 2,000 words. A document of no more is shown whole."""

_BEFORE = 3
"""Passages shown before the requested position."""

_MATCHING = 3
"""Passages shown that match the query best, anywhere in the document."""

_SOUGHT = 2_000
"""Number of passages of a document among which the requested position is looked up."""


class CorpusSearchArguments(BaseModel):
    """Arguments of `corpus_search`."""

    query: str = Field(min_length=1, description="What to look for, in the words the documents would use.")
    k: int = Field(8, ge=1, le=50, description="How many passages at most.")
    folder: str = Field("", description="Only documents in this folder, such as docs/2025; empty for any.")
    since: str = Field("", description="Only documents since this year, month or day, such as 2025-01; empty for any.")


class OpenDocumentArguments(BaseModel):
    """Arguments of `open_document`."""

    source: str = Field(min_length=1, description="The document, named as the source of a passage found before.")
    query: str = Field("", description="What to look for in it; empty to read it from the start.")
    near: str = Field("", description="A place in it, as a passage's locator names it: read on around it.")


class CorpusSearch(AsyncTool):
    """Tool for searching the corpus."""

    name: str = "corpus_search"
    description: str = "Search the local documents (English and Chinese) for passages about something."
    args_schema: Any = CorpusSearchArguments
    corpus: Any = Field(exclude=True, repr=False)
    """The `Corpus` to search."""
    within: SourceFilter = Field(default_factory=SourceFilter, exclude=True, repr=False)
    """The folders and dates that every search is restricted to."""
    reranker: Any = Field(None, exclude=True, repr=False)
    """The `Reranker` for the results, if any."""

    async def _arun(self, query: str, k: int = 8, folder: str = "", since: str = "") -> _PassageAnswer:
        corpus: Corpus = self.corpus
        within = narrow(self.within, self.name, folder=folder, since=since)
        wanted = passages_to_rank(self.reranker, k)
        found = await (corpus.search(query, wanted, within=within) if within else corpus.search(query, wanted))
        found, _ = await rerank(self.reranker, query, found, k)
        return _format_answer(found, self.name, "Nothing in the local documents matches.")


class OpenDocument(AsyncTool):
    """Tool for reading a document of the corpus. Nothing outside the corpus can be opened."""

    name: str = "open_document"
    description: str = (
        "Read one local document: a short one whole; of a long one, around a place or what matches a query."
    )
    args_schema: Any = OpenDocumentArguments
    corpus: Any = Field(exclude=True, repr=False)
    """The `Corpus` to read from."""
    within: SourceFilter = Field(default_factory=SourceFilter, exclude=True, repr=False)
    """The folders and dates of the documents that may be opened."""

    async def _arun(self, source: str, query: str = "", near: str = "") -> _PassageAnswer:
        corpus: Corpus = self.corpus
        try:
            passages = await _read_on(corpus, source, query, near)
        except DocumentNotFoundError as error:
            raise ToolCallError("not_found", f"{self.name}: {error}") from None
        first = passages[0] if passages else None
        if first is not None and not await asyncio.to_thread(self.within.allows_passage, first.source, first.date):
            raise ToolCallError(
                "blocked", f"{self.name}: {source} is left out, because its folder or its date is excluded"
            )
        return _format_answer(passages, self.name, "The document is empty.")


async def _read_on(corpus: Corpus, source: str, query: str, near: str) -> list[Evidence]:
    """Return a short document whole, or `_OPENED` passages of a long document.

    If a passage has the locator `near`, these are the passages around it, then the best matches of the query. Otherwise
    they are the best matches, then the beginning of the document.

    Raises:
        DocumentNotFoundError: The corpus has no such document.
    """
    whole = await corpus.open(source, "", _SOUGHT)
    if len(whole) <= _OPENED:
        return whole
    at = next((n for n, passage in enumerate(whole) if near and passage.locator == near), None)
    if at is None:
        return await corpus.open(source, query, _OPENED)
    start = max(0, at - _BEFORE)
    around = whole[start : start + _OPENED - _MATCHING]
    shown = {passage.id for passage in around}
    matching = [item for item in await corpus.open(source, query, _OPENED) if item.score and item.id not in shown]
    ordered = [*around, *matching[:_MATCHING]]
    return [passage.model_copy(update={"rank": rank}) for rank, passage in enumerate(ordered, 1)]


def _format_answer(passages: list[Evidence], tool: str, nothing: str) -> _PassageAnswer:
    passages = [passage.model_copy(update={"tool": tool}) for passage in passages]
    return as_text(passages, nothing), as_artifact(passages)
