"""`weiwo setup` finds an embedding model beside the chat model, and says what it brings."""

import gc
import json
from typing import Any

import pytest

from tests.support.loopback_server import on_loopback
from weiwo.app.cli.setup.embedding_probe import _EmbeddingGain, find_embeddings, probe_embeddings
from weiwo.models.local_servers import FoundServer, LocalModel, _listed_model

pytestmark = [
    pytest.mark.integration,
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning"),
]
_AXES = (("penicillin", "青霉素"), ("sydney opera", "悉尼歌剧院"))


def _server(*names: str) -> FoundServer:
    return FoundServer("vLLM", "http://127.0.0.1:8000", tuple(_listed_model({"id": name}, {}) for name in names))


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (("qwen3-8b", "nomic-embed-text"), "openai:nomic-embed-text"),
        (("BAAI/bge-m3", "qwen3-8b"), "openai:BAAI/bge-m3"),
        (("qwen3-8b", "bge-reranker-v2", "whisper-1"), None),
        (("qwen3-8b",), None),
    ],
)
def test_an_embedding_model_is_found_by_its_name(names, found):
    settings = find_embeddings(_server(*names), {})
    assert settings.get("WEIWO_EMBEDDINGS") == found
    assert find_embeddings(_server(*names), {"WEIWO_EMBEDDINGS": "ollama:mine"}) == {}
    assert find_embeddings(None, {}) == {}
    assert not LocalModel("qwen3-embed", chats=True).embeds


def _vector(text: str) -> list[float]:
    axes = [float(any(word in text.lower() for word in words)) for words in _AXES]
    return [*axes, 0.05]


@pytest.mark.parametrize(("status", "gain"), [(200, _EmbeddingGain(2, 0, 2)), (500, None)])
async def test_what_it_brings_is_measured_on_the_sample(monkeypatch, tmp_path, status, gain):
    async def app(_: Any, receive: Any, send: Any) -> None:
        body = b""
        while True:
            message = await receive()
            body += message.get("body", b"")
            if not message.get("more_body"):
                break
        texts = json.loads(body)["input"]
        rows = [{"object": "embedding", "index": n, "embedding": _vector(text)} for n, text in enumerate(texts)]
        sent = {"object": "list", "data": rows, "model": "e", "usage": {"prompt_tokens": 1, "total_tokens": 1}}
        await send(
            {
                "type": "http.response.start",
                "status": status,
                "headers": [(b"content-type", b"application/json"), (b"connection", b"close")],
            }
        )
        await send({"type": "http.response.body", "body": json.dumps(sent).encode()})

    monkeypatch.setenv("WEIWO_HOME", str(tmp_path))
    monkeypatch.setattr("weiwo.tools.corpus.index.embedding_models.time.sleep", lambda _: None)
    with on_loopback(lambda _: app) as url:
        settings = {"OPENAI_BASE_URL": f"{url}/v1", "OPENAI_API_KEY": "k"}
        assert await probe_embeddings("openai:toy-embed", settings) == gain
    gc.collect()  # the client of embeddings leaves its connections open
