"""Finding model servers: four protocols, and what is slow, empty, wrong or half broken."""

import json
from pathlib import Path

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weiwo.models.local_servers import _MOST_MODELS, MOST_BYTES, ServerProblem, _list_places, find_servers, widen_ollama

OLLAMA = "http://127.0.0.1:11434"
STUDIO = "http://127.0.0.1:1234"
LLAMA = "http://127.0.0.1:8080"
VLLM = "http://127.0.0.1:8000"
REPLIES = json.loads((Path(__file__).parents[2] / "data" / "model_servers.json").read_text(encoding="utf-8"))
SHOWN = REPLIES[f"{OLLAMA}/api/show"]


def world(replies):
    """A network in which some addresses answer: with JSON, bytes, a status, or an error."""

    def handle(request: httpx.Request) -> httpx.Response:
        reply = replies.get(str(request.url))
        if reply is None:
            if any(url.startswith(f"{request.url.scheme}://{request.url.netloc.decode()}/") for url in replies):
                return httpx.Response(404, text="not found")
            raise httpx.ConnectError("refused")
        if isinstance(reply, Exception):
            raise reply
        if isinstance(reply, int):
            return httpx.Response(reply)
        return httpx.Response(200, content=reply if isinstance(reply, bytes) else json.dumps(reply))

    return httpx.MockTransport(handle)


async def found(replies, env=None):
    return {server.root: server for server in await find_servers(env or {}, world(replies))}


async def test_four_servers_by_their_own_protocols():
    servers = await found(REPLIES)
    assert {root: server.kind for root, server in servers.items()} == {
        OLLAMA: "Ollama",
        STUDIO: "LM Studio",
        LLAMA: "llama.cpp",
        VLLM: "vLLM",
    }
    (qwen,) = servers[OLLAMA].models
    assert (qwen.name, qwen.billions, qwen.trained, qwen.served, qwen.tools) == ("qwen3:8b", 8.2, 40960, 8192, True)
    gemma, embedder = servers[STUDIO].models
    assert (gemma.billions, gemma.trained, gemma.served, gemma.chats, embedder.chats) == (4, 131072, 4096, True, False)
    (llama,) = servers[LLAMA].models
    assert (round(llama.billions, 1), llama.trained, llama.served) == (1.2, 131072, 4096)
    (big,) = servers[VLLM].models
    assert (big.billions, big.served) == (32, 32768)


async def test_ollama_gives_little_context_unless_told():
    servers = await found({**REPLIES, f"{OLLAMA}/api/show": {**SHOWN, "parameters": ""}})
    assert servers[OLLAMA].models[0].served == 4_096


async def test_nobody_answers():
    assert await found({}) == {}


@pytest.mark.parametrize(
    "reply",
    [
        500,
        b"<html>hello</html>",
        b"[" * 100_000,
        b" " * (MOST_BYTES + 1),
        {"models": None},
        {"models": [None]},
        {"data": 5},
        [],
    ],
)
async def test_whoever_is_no_model_server_is_passed_over_unless_named(reply):
    replies = {f"{OLLAMA}/api/tags": reply, f"{OLLAMA}/v1/models": reply}
    assert await found(replies) == {}
    named = await found(replies, {"OLLAMA_HOST": "0.0.0.0:11434"})
    assert named[OLLAMA].problem
    assert named[OLLAMA].models == ()


@pytest.mark.parametrize(
    ("error", "kind"), [(httpx.ReadTimeout("slow"), "silent"), (httpx.RemoteProtocolError("cut"), "broken_off")]
)
async def test_a_server_that_breaks_off_is_reported(error, kind):
    assert (await found({f"{OLLAMA}/api/tags": error}))[OLLAMA].problem == ServerProblem(kind, type(error).__name__)


async def test_a_server_without_models_says_so():
    assert (await found({f"{OLLAMA}/api/tags": {"models": []}}))[OLLAMA].problem == ServerProblem("no_model")


async def test_a_model_that_cannot_be_shown_is_listed_all_the_same():
    servers = await found({**REPLIES, f"{OLLAMA}/api/show": 500})
    assert servers[OLLAMA].models[0].billions == 8.2


async def test_many_models_are_cut():
    rows = [{"id": f"m{n}"} for n in range(500)]
    assert len((await found({f"{VLLM}/v1/models": {"data": rows}}))[VLLM].models) == _MOST_MODELS


async def test_the_address_that_the_environment_names_is_asked_with_its_key():
    asked = []

    def handle(request: httpx.Request) -> httpx.Response:
        if request.url.host == "models.lan":
            asked.append((str(request.url), request.headers.get("authorization")))
            if request.url.path == "/v1/models":
                return httpx.Response(200, json={"data": [{"id": "m"}]})
            return httpx.Response(404)
        raise httpx.ConnectError("refused")

    env = {"OPENAI_BASE_URL": "http://models.lan/v1/", "OPENAI_API_KEY": "k"}
    (server,) = await find_servers(env, httpx.MockTransport(handle))
    assert (server.kind, server.base_url) == ("OpenAI-compatible", "http://models.lan/v1")
    assert {key for _, key in asked} == {"Bearer k"}


@pytest.mark.parametrize(
    ("named", "root"),
    [
        ("0.0.0.0", "http://127.0.0.1:11434"),  # noqa: S104 - where Ollama listens
        ("box:9000", "http://box:9000"),
        ("https://box", "https://box:11434"),
        ("[::1]:5", "http://[::1]:5"),
        ("box:port", "http://box:11434"),
    ],
)
def test_what_ollama_host_may_say(named, root):
    assert _list_places({"OLLAMA_HOST": named})[0].root == root


async def test_a_variant_with_a_wider_window_is_made():
    bodies = []

    def handle(request: httpx.Request) -> httpx.Response:
        bodies.append(json.loads(request.content))
        return httpx.Response(200, json={"status": "success"})

    name = await widen_ollama(OLLAMA, "lib/qwen3:8b", 16_384, httpx.MockTransport(handle))
    assert name == "weiwo-qwen3:8b"
    assert bodies == [
        {"model": name, "from": "lib/qwen3:8b", "parameters": {"num_ctx": 16_384}, "stream": False},
    ]


@pytest.mark.long
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=8),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from(["models", "data", "id", "name", "model", "details", "meta"]), inner)
        ),
        max_leaves=12,
    )
)
async def test_no_reply_breaks_the_search(reply):
    replies = {f"{root}{path}": reply for root in (OLLAMA, STUDIO, LLAMA, VLLM) for path in ("/api/tags", "/api/show", "/api/v0/models", "/props", "/v1/models")}  # fmt: skip
    for server in (await found(replies)).values():
        assert all(model.name for model in server.models)
