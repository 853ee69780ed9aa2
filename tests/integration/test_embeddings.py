"""Embeddings from an OpenAI-compatible server on loopback: through LangChain's own client."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.support.corpora import LetterEmbeddings, document
from weiwo.tools.corpus.index.embedding_models import EmbeddingError, load_embedder
from weiwo.tools.corpus.index.vector_index import embed_passages
from weiwo.tools.corpus.index.writer import IndexWriter
from weiwo.tools.corpus.records import Changes
from weiwo.tools.corpus.retrieval.indexed_corpus import IndexedCorpus

pytestmark = pytest.mark.integration


class Server(ThreadingHTTPServer):
    """Answers with letter counts; fails as often as `failures` says."""

    failures = 0
    requests: list[list[str]]
    keys: list[str | None]


class Handler(BaseHTTPRequestHandler):
    server: Server

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
        assert all(isinstance(text, str) for text in texts)
        self.server.requests.append(texts)
        self.server.keys.append(self.headers["Authorization"])
        status, reply = 200, {}
        if self.server.failures:
            self.server.failures -= 1
            status, reply = 500, {"error": {"message": "overloaded, key sk-secret123456789"}}
        else:
            vectors = LetterEmbeddings().embed_documents(texts)
            data = [{"object": "embedding", "index": at, "embedding": one} for at, one in enumerate(vectors)]
            reply = {
                "object": "list",
                "model": body["model"],
                "data": data,
                "usage": {"prompt_tokens": 1, "total_tokens": 1},
            }
        raw = json.dumps(reply).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)


@pytest.fixture
def server():
    server = Server(("127.0.0.1", 0), Handler)
    server.requests, server.keys = [], []
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    thread.join(10)
    server.server_close()


@pytest.fixture
def env(server):
    return {"OPENAI_BASE_URL": f"http://127.0.0.1:{server.server_port}/v1"}


async def test_passages_are_embedded_and_found_and_the_server_may_go_down(tmp_path, server, env):
    model = load_embedder("openai:letters", env)
    with IndexWriter(tmp_path) as writer:
        writer.apply(Changes(put=[document(f"{n}.md", f"passage {n} " + "aeiou"[n % 5] * 9) for n in range(150)]))
        server.failures = 1  # of the probe; it is tried again
        assert embed_passages(writer, model).done == 150
    assert sum(len(texts) for texts in server.requests) == 152
    corpus = IndexedCorpus(tmp_path, embedder=model)
    found = await corpus.find("eeeeeeeee passage")
    assert set(found.trace.arms) == {"keyword", "vectors"}
    assert "eeee" in found.passages[0].text
    asked = len(server.requests)
    await corpus.find("eeeeeeeee passage")
    assert len(server.requests) == asked  # a question is embedded once
    server.failures = 9
    found = await corpus.find("passage 7")
    assert found.passages
    (note,) = found.trace.notes
    assert "searched without it" in note
    assert "sk-secret" not in note
    assert "\n" not in note


def test_nobody_answering_is_one_clear_line():
    model = load_embedder("openai:letters", {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1"})
    with pytest.raises(EmbeddingError, match="check that it is running") as caught:
        model.embed_question("hello")
    assert "\n" not in str(caught.value)


def test_embeddings_have_an_address_and_a_key_of_their_own(server, env):
    chat = {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1", "OPENAI_API_KEY": "sk-of-the-chat-model"}
    own = {"WEIWO_EMBEDDINGS_BASE_URL": env["OPENAI_BASE_URL"]}
    assert len(load_embedder("openai:letters", {**chat, **own}).embed_question("hello")) == 26
    load_embedder("openai:letters", {**chat, **own, "WEIWO_EMBEDDINGS_API_KEY": "of-these"}).embed_question("hello")
    assert server.keys == ["Bearer none", "Bearer of-these"], "the chat model's key is not for this address"


def test_an_address_that_is_none_is_named():
    with pytest.raises(EmbeddingError, match="WEIWO_EMBEDDINGS_BASE_URL is not"):
        load_embedder("openai:letters", {"WEIWO_EMBEDDINGS_BASE_URL": "localhost:8000"})
