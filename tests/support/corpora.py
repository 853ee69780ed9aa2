"""Documents and vectors for tests of the index."""

import hashlib
from collections.abc import Sequence

from langchain_core.embeddings import Embeddings

from weiwo.tools.corpus.index.writer import IndexWriter
from weiwo.tools.corpus.records import Changes, Document, Passage
from weiwo.tools.corpus.retrieval.indexed_corpus import IndexedCorpus


def document(
    name: str, *texts: str, title: str = "", kind: str = "markdown", language: str = "en", date: str | None = None
):
    """A document of the given passages, as `Changes.put` takes it."""
    whole = hashlib.sha256("\n".join(texts).encode()).hexdigest()
    head = Document(name, f"/docs/{name}", whole, 10, 1, title or name, kind, language, date)
    return head, [Passage(text, (), f"line {at}", at, at) for at, text in enumerate(texts, 1)]


def corpus_of(folder, *documents, **options):
    """A corpus of these documents."""
    with IndexWriter(folder) as writer:
        writer.apply(Changes(put=documents))
    return IndexedCorpus(folder, **options)


class LetterEmbeddings(Embeddings):
    """Counts letters: a real vector space without a model, in which anagrams are equal."""

    def __init__(self, dimension: int = 26) -> None:
        self.dimension = dimension
        self.calls: list[list[str]] = []
        self.down = False

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self.calls.append(list(texts))
        if self.down:
            raise ConnectionError("connection refused")
        return [self._vector(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return self.embed_documents([text])[0]

    def _vector(self, text: str) -> list[float]:
        counts = [0.01] * self.dimension
        for letter in text.casefold():
            counts[ord(letter) % self.dimension] += letter.isalpha()
        return counts

    def asked(self) -> Sequence[str]:
        return [text for call in self.calls for text in call]
