"""A server that takes few texts at once is asked for as many, from its first refusal on."""

import httpx
import pytest
from langchain_core.embeddings import Embeddings

from weiwo.tools.corpus.index.embedding_models import Embedder, EmbeddingError


class Small(Embeddings):
    """Takes so many texts at once; each text's vector is of its length."""

    def __init__(self, most: int, status: int = 400) -> None:
        self.most = most
        self.status = status
        self.asked: list[int] = []

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self.asked.append(len(texts))
        if len(texts) > self.most:
            reply = httpx.Response(self.status, request=httpx.Request("POST", "http://e"))
            raise httpx.HTTPStatusError("batch size is invalid, it should not be larger than 10", request=reply.request,
                                        response=reply)  # fmt: skip
        return [[1.0, float(len(text))] for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return self.embed_documents([text])[0]


@pytest.mark.parametrize(("most", "largest"), [(10, 8), (32, 32), (1, 1), (64, 64)])
def test_it_is_asked_by_halves_from_then_on(most, largest):
    server = Small(most)
    model = Embedder("x:small", server, sleep=lambda _: None)
    texts = ["a" * n for n in range(1, 61)]
    vectors = model.embed_texts(texts)
    assert [round(row[1] / row[0]) for row in vectors] == list(range(1, 61))
    server.asked.clear()
    model.embed_texts(texts)
    assert max(server.asked) <= largest
    assert sum(server.asked) == 60


@pytest.mark.parametrize(("status", "calls"), [(400, 3), (500, 3)])
def test_what_a_server_never_takes_is_an_error_with_its_own_reason(status, calls):
    server = Small(0, status)
    with pytest.raises(EmbeddingError, match="should not be larger than 10"):
        Embedder("x:none", server, sleep=lambda _: None).embed_texts(["a"])
    assert len(server.asked) == calls
