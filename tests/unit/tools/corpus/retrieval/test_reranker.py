"""Reranking: endpoints of each form, compressors, and the search's own order where one fails."""

import asyncio
import json
import sys
from types import ModuleType

import httpx
import pytest
from langchain_core.documents import BaseDocumentCompressor

from weiwo.state import Evidence
from weiwo.tools.corpus.base import CorpusError
from weiwo.tools.corpus.retrieval import reranker as module
from weiwo.tools.corpus.retrieval.reranker import (
    EndpointReranker,
    load_reranker,
    passages_to_rank,
    rerank,
    reranker_of,
)
from weiwo.tools.corpus.tools import CorpusSearch

PASSAGES = [Evidence(id=str(n), text=f"text {n}", source=f"{n}.md", rank=n + 1, score=1 / (n + 1)) for n in range(4)]
JINA = {
    "results": [
        {"index": 2, "relevance_score": 0.9},
        {"index": 0, "relevance_score": 0.4},
        {"index": 1, "relevance_score": 0.1},
    ]
}
TEI = [{"index": 2, "score": 5.2}, {"index": 0, "score": 0.1}, {"index": 1, "score": -3.0}]


def endpoint(answer):
    asked = []

    def handler(request):
        asked.append((request, json.loads(request.content)))
        return answer(asked[-1][1])

    return EndpointReranker("m", "http://r.test/rerank", "key", httpx.MockTransport(handler)), asked


async def order(model, k=4):
    best, told = await rerank(model, "which?", PASSAGES, k)
    return [one.id for one in best], told


async def test_an_endpoint_of_the_common_form():
    model, asked = endpoint(lambda _: httpx.Response(200, json=JINA))
    assert await order(model, 3) == (["2", "0", "1"], "ranked by m at r.test")
    ((request, body),) = asked
    assert request.headers["authorization"] == "Bearer key"
    assert body == {"query": "which?", "model": "m", "top_n": 4, "return_documents": False} | {
        "documents": [f"\ntext {n}" for n in range(4)]
    }
    best, _ = await rerank(model, "which?", PASSAGES, 4)
    assert [(one.id, one.rank) for one in best] == [("2", 1), ("0", 2), ("1", 3), ("3", 4)]  # none is lost


async def test_the_form_of_tei_is_learned():
    model, asked = endpoint(lambda body: httpx.Response(200, json=TEI) if "texts" in body else httpx.Response(422))
    for _ in range(2):
        assert (await order(model))[0] == ["2", "0", "1", "3"]
    assert [sorted(body) for _, body in asked][1:] == [["query", "texts"]] * 2


@pytest.mark.parametrize(
    "reply",
    [
        httpx.Response(500),
        httpx.Response(302, headers={"location": "http://elsewhere.test"}),
        httpx.Response(200, text="<html>"),
        httpx.Response(200, json={"results": [{"index": "x"}]}),
        httpx.Response(200, json={"results": [{"index": 1, "relevance_score": None}]}),
        httpx.Response(200, json={}),
        httpx.Response(200, content=b" " * 1_100_000),
    ],
)
async def test_where_it_fails_the_order_is_that_of_the_search(reply):
    model, _ = endpoint(lambda _: reply)
    ids, told = await order(model, 2)
    assert ids == ["0", "1"]
    assert told.startswith("reranker m at r.test: ")
    assert told.endswith("the search order is kept")
    assert "\n" not in told


async def test_one_that_does_not_answer_is_not_waited_for(monkeypatch):
    monkeypatch.setattr(module, "_SECONDS", 0.01)

    class Slow:
        name = "slow"

        async def rank(self, *_):
            await asyncio.Event().wait()

    assert (await order(Slow()))[0] == ["0", "1", "2", "3"]


class Backwards(BaseDocumentCompressor):
    def compress_documents(self, documents, query, callbacks=None):  # noqa: ARG002 - LangChain's names
        return list(reversed(documents))


async def test_a_compressor_of_langchain(monkeypatch):
    made = ModuleType("my_rankers")
    made.backwards, made.number = Backwards(), 7
    monkeypatch.setitem(sys.modules, "my_rankers", made)
    load_reranker.cache_clear()
    assert await order(load_reranker("@my_rankers.backwards"), 2) == (["3", "2"], "ranked by @my_rankers.backwards")
    with pytest.raises(CorpusError, match="not a LangChain document compressor"):
        load_reranker("@my_rankers.number")
    with pytest.raises(CorpusError, match="cannot be loaded"):
        load_reranker("@my_rankers.missing")


@pytest.mark.parametrize("entry", ["m", "m@", "@", "m@ftp://a.b", "@http://a.b", "m@http://[x"])
def test_what_names_none_is_refused_in_one_line(entry):
    with pytest.raises(CorpusError) as refused:
        load_reranker(entry)
    assert "\n" not in str(refused.value)


def test_without_one_nothing_more_is_searched_for():
    assert reranker_of(None) is None
    assert passages_to_rank(None, 8) == 8
    assert passages_to_rank(reranker_of("m@http://a.b/rerank", {}), 8) == 32


async def test_the_search_tool_ranks_more_than_it_gives():
    asked = []

    class Found:
        async def search(self, query, k):  # noqa: ARG002 - a corpus
            asked.append(k)
            return PASSAGES[:k]

    model, _ = endpoint(lambda _: httpx.Response(200, json=JINA))
    call = {"type": "tool_call", "id": "1", "name": "corpus_search", "args": {"query": "which?", "k": 2}}
    found = (await CorpusSearch(corpus=Found(), reranker=model).ainvoke(call)).artifact
    assert [one["id"] for one in found] == ["2", "0"]
    assert asked == [8]
