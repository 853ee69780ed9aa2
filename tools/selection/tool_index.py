"""The tool index: search by words, character n-grams and, if present, embeddings.

Tools are indexed by fields, and a tool's name weighs more than the format of its reply. Words and n-grams are weighted
by BM25F, and n-grams find misspelt or compound words. The scores of each method are scaled to its best score and
blended. No model is called.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, NamedTuple, Self

from weiwo.text.analyzer import STOP_WORDS, query_terms, terms
from weiwo.text.ngrams import Indexer, query_grams
from weiwo.tools.selection.clusters import stem
from weiwo.tools.selection.sparse_index import Matrix, Scores, SparseIndex, bm25_bound, bm25_vectors, scale
from weiwo.tools.tool_info import ToolInfo

_LONGEST_FIELD: Final = 4_000
"""Limit of a field in characters. The rest is not indexed."""
_LONGEST_QUERY: Final = 2_000
"""Limit of a question in characters. The rest is ignored."""
_WEIGHTS: Final = {"name": 3.0, "description": 2.0, "cluster": 1.0, "parameters": 1.0, "returns": 0.5}
_GRAMS: Final = 0.4
_VECTORS: Final = 0.6


class ToolDocument(NamedTuple):
    """Indexed text of a tool."""

    id: str  # name used in rankings
    name: str  # name as searchable text
    description: str
    parameters: str = ""  # names and descriptions of the arguments
    returns: str = ""  # description of the reply
    cluster: str = ""  # server or functional cluster of the tool

    @classmethod
    def of_info(cls, info: ToolInfo) -> Self:
        """Build the document of a tool from its metadata."""
        properties = info.args_schema.get("properties")
        arguments = [
            f"{name} {schema.get('description') or ''}" if isinstance(schema, Mapping) else str(name)
            for name, schema in (properties.items() if isinstance(properties, Mapping) else ())
        ]
        return cls(info.name, info.name, info.description, "\n".join(arguments), " ".join(info.returns), info.cluster)

    def fields(self) -> dict[str, str]:
        """Return the text of each field, cut to the indexed length."""
        return {field: getattr(self, field)[:_LONGEST_FIELD].replace("_", " ") for field in _WEIGHTS}

    def text(self) -> str:
        """Return the text of the tool for embedding."""
        return f"{self.cluster} {self.name}: {self.description}"[:_LONGEST_FIELD]


class _IndexMatch(NamedTuple):
    """Match scores of all tools for a question."""

    scores: Scores  # score of each tool, 0 to 1; the best tool has 1, unless no tool matches
    words: float  # best BM25 score by words, divided by the upper bound of a single word's weight


class ToolIndex:
    """Index of tools. Immutable after creation and safe to use from any thread."""

    def __init__(self, tools: Sequence[ToolDocument], vectors: Matrix | None = None) -> None:
        """Index tools.

        Args:
            tools: The tools.
            vectors: The embedding of each tool's `text()` as a row. None to rank without embeddings.
        """
        self.ids = tuple(tool.id for tool in tools)
        self._vectors = vectors
        fields, indexer = [tool.fields() for tool in tools], Indexer()
        grams = [_count(field, lambda text: indexer(text).grams.split()) for field in fields]
        self._words = SparseIndex(bm25_vectors([_count(field, _stems) for field in fields]))
        self._grams = SparseIndex(bm25_vectors(grams))

    def match(self, question: str, vector: Matrix | None = None) -> _IndexMatch:
        """Return the score of each tool for a question, from 0 to 1. `vector` is the question's embedding, if any."""
        question = question[:_LONGEST_QUERY].replace("_", " ")
        by_word = self._words.score(dict.fromkeys(map(stem, query_terms(question)), 1.0))
        by_gram = self._grams.score(dict.fromkeys(query_grams(question), 1.0))
        scores = (1 - _GRAMS) * scale(by_word) + _GRAMS * scale(by_gram)
        if self._vectors is not None and vector is not None and self.ids:
            near: Scores = (self._vectors @ vector).astype(float)
            scores = (1 - _VECTORS) * scale(scores) + _VECTORS * scale(near - near.min())
        return _IndexMatch(scale(scores), float(by_word.max(initial=0.0)) / bm25_bound(len(self.ids)))


def _stems(text: str) -> list[str]:
    return [stem(term) for term in terms(text) if term not in STOP_WORDS]


def _count(fields: Mapping[str, str], split: Callable[[str], Iterable[str]]) -> dict[str, float]:
    """Return the frequency of each term, weighted by the field in which it occurs."""
    found: dict[str, float] = {}
    for field, text in fields.items():
        for term, count in Counter(split(text)).items():
            found[term] = found.get(term, 0.0) + count * _WEIGHTS[field]
    return found
