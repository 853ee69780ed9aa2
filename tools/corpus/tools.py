"""The corpus tools: `corpus_search` finds passages, `open_document` reads one document.

Content is text for a model; the artifact is the same passages as a list of `Evidence` in JSON form.
"""

from typing import Any, Literal

from langchain_core.tools import BaseTool
from pydantic import BaseModel, Field

from weiwo.state import Evidence, JsonValue
from weiwo.tools.calling.errors import ToolCallError
from weiwo.tools.corpus.base import Corpus, DocumentNotFoundError
from weiwo.tools.passages import as_artifact, as_text
from weiwo.tools.sync import run_sync

PassageAnswer = tuple[str, list[dict[str, JsonValue]]]

_OPENED = 12
"""Passages given of an opened document: some 2,000 words."""


class CorpusSearchArguments(BaseModel):
    """Arguments of `corpus_search`."""

    query: str = Field(min_length=1, description="What to look for, in the words the documents would use.")
    k: int = Field(8, ge=1, le=50, description="How many passages at most.")


class OpenDocumentArguments(BaseModel):
    """Arguments of `open_document`."""

    source: str = Field(min_length=1, description="The document, named as the source of a passage found before.")
    query: str = Field("", description="What to look for in it; empty to read it from the start.")


class CorpusSearch(BaseTool):
    """Searches the corpus."""

    name: str = "corpus_search"
    description: str = "Search the local documents (English and Chinese) for passages about something."
    args_schema: Any = CorpusSearchArguments
    response_format: Literal["content", "content_and_artifact"] = "content_and_artifact"
    corpus: Any = Field(exclude=True, repr=False)
    """The `Corpus` to search."""

    async def _arun(self, query: str, k: int = 8) -> PassageAnswer:
        corpus: Corpus = self.corpus
        return _format_answer(await corpus.search(query, k), self.name, "Nothing in the local documents matches.")

    def _run(self, query: str, k: int = 8) -> PassageAnswer:
        return run_sync(self._arun(query, k))


class OpenDocument(BaseTool):
    """Reads one document of the corpus. Nothing outside the corpus can be opened."""

    name: str = "open_document"
    description: str = "Read one local document, the passages that match a query first."
    args_schema: Any = OpenDocumentArguments
    response_format: Literal["content", "content_and_artifact"] = "content_and_artifact"
    corpus: Any = Field(exclude=True, repr=False)
    """The `Corpus` to read from."""

    async def _arun(self, source: str, query: str = "") -> PassageAnswer:
        corpus: Corpus = self.corpus
        try:
            passages = await corpus.open(source, query, _OPENED)
        except DocumentNotFoundError as error:
            raise ToolCallError("not_found", f"{self.name}: {error}") from None
        return _format_answer(passages, self.name, "The document is empty.")

    def _run(self, source: str, query: str = "") -> PassageAnswer:
        return run_sync(self._arun(source, query))


def _format_answer(passages: list[Evidence], tool: str, nothing: str) -> PassageAnswer:
    passages = [passage.model_copy(update={"tool": tool}) for passage in passages]
    return as_text(passages, nothing), as_artifact(passages)
