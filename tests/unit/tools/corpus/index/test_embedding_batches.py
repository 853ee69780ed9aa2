"""A server that takes few texts at once is asked for as many, from its first refusal on."""

import httpx
import pytest
from langchain_core.embeddings import Embeddings

from weiwo.tools.corpus.index.embedding_models import Embedder, EmbeddingError, embed_in_parallel


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


class Picky(Embeddings):
    """Fails on some texts, in a way of its own."""

    def __init__(self, how: str, *bad: str) -> None:
        self.how = how
        self.bad = set(bad)
        self.asked = 0

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self.asked += 1
        vectors = [[1.0, float(len(text))] for text in texts]
        hit = [number for number, text in enumerate(texts) if text in self.bad]
        if hit and self.how.isdecimal():
            reply = httpx.Response(int(self.how), request=httpx.Request("POST", "http://e"))
            raise httpx.HTTPStatusError("unsupported value: NaN", request=reply.request, response=reply)
        for number in hit:
            vectors[number] = {"zeros": [0.0, 0.0], "nan": [float("nan")] * 2}.get(self.how, vectors[number])
        return vectors[: -1 if hit and self.how == "fewer" else None]

    def embed_query(self, text: str) -> list[float]:
        return self.embed_documents([text])[0]


def embed_all(server, texts):
    model, without = Embedder("x:picky", server, sleep=lambda _: None), []
    wanted = ((text.encode(), text) for text in texts)
    keys = [key.decode() for batch, _ in embed_in_parallel(model, wanted, without) for key in batch]
    return keys, without


@pytest.mark.parametrize("how", ["500", "400", "zeros", "nan", "fewer"])
@pytest.mark.parametrize("bad", [("a" * 7,), ("a",), ("a" * 31,), ("a" * 3, "a" * 29)])
def test_one_bad_text_costs_its_own_vector_alone_and_is_named(how, bad):
    texts = ["a" * n for n in range(1, 32)]
    server = Picky(how, *bad)
    keys, without = embed_all(server, texts)
    assert sorted(keys, key=len) == [text for text in texts if text not in bad]
    assert sorted(without, key=len) == sorted(bad, key=len)
    assert server.asked < 100  # a refusal is taken for one of so many texts first


@pytest.mark.parametrize("how", ["500", "zeros"])
def test_a_model_that_takes_nothing_is_not_asked_for_each_text(how):
    texts = ["a" * n for n in range(1, 65)]
    server = Picky(how, *texts)
    with pytest.raises(EmbeddingError):
        embed_all(server, texts)
    assert server.asked <= 10
