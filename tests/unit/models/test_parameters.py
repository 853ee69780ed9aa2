"""How large a model is: by its name, by what its server says, and by its first replies where neither tells."""

from typing import Any

import httpx
import pytest

from weiwo.models.endpoint import Endpoint, _forget_endpoints
from weiwo.models.parameters import is_small, learn_size, note_reply, parse_billions


@pytest.fixture(autouse=True)
def _fresh() -> None:
    _forget_endpoints()


@pytest.mark.parametrize(
    ("name", "billions"),
    [
        ("qwen2.5-coder-1.5b-instruct", 1.5),
        ("Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF:Q4_K_M", 1.5),
        ("llama3.2:3b", 3),
        ("gemma-3-270m-it", 0.27),
        ("gemma3n:e2b", 2),
        ("qwen3:8b", 8),
        ("mixtral-8x7b", 56),
        ("qwen3-30b-a3b", 30),
        ("gpt-5-mini", None),
        ("claude-haiku-4-5", None),
        ("some-4bit-quant", None),
        ("", None),
    ],
)
def test_a_name_tells_the_size(name: str, billions: float | None) -> None:
    assert parse_billions(name) == billions


@pytest.mark.parametrize(("name", "small"), [("openai:qwen3:1.7b", True), ("openai:phi-3-3.8b", False), ("openai:gpt-5-mini", False)])  # fmt: skip
async def test_up_to_three_billion_is_small(name: str, *, small: bool) -> None:
    where = Endpoint(name, "openai")
    await learn_size(where)
    assert is_small(where) is small


def _serving(monkeypatch: pytest.MonkeyPatch, replies: dict[str, Any]) -> list[str]:
    asked: list[str] = []
    client = httpx.AsyncClient

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request.url.path)
        reply = replies.get(request.url.path)
        if isinstance(reply, Exception):
            raise reply
        return httpx.Response(404) if reply is None else httpx.Response(200, json=reply)

    def make(**options: Any) -> httpx.AsyncClient:
        return client(**options, transport=httpx.MockTransport(answer))

    monkeypatch.setattr(httpx, "AsyncClient", make)
    return asked


LOCAL = Endpoint("openai:my-model", "openai", "http://127.0.0.1:8080/v1", "none")


async def test_llama_cpp_tells_how_many_parameters_it_serves(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = _serving(monkeypatch, {"/v1/models": {"data": [{"id": "my-model", "meta": {"n_params": 1_543_714_304}}]}})
    await learn_size(LOCAL)
    await learn_size(LOCAL)
    assert is_small(LOCAL)
    assert asked == ["/v1/models"]  # once for the process


async def test_ollama_tells_the_size_of_a_name_that_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    replies = {
        "/v1/models": {"data": [{"id": "my-model", "owned_by": "library"}, {"id": "other", "owned_by": "library"}]},
        "/api/show": {"details": {"parameter_size": "7.6B"}},
    }
    _serving(monkeypatch, replies)
    await learn_size(LOCAL)
    assert not is_small(LOCAL)
    replies["/api/show"] = {"details": {"parameter_size": "1.2B"}}
    _forget_endpoints()
    await learn_size(LOCAL)
    assert is_small(LOCAL)


@pytest.mark.parametrize("reply", [{"data": None}, {"data": [1, {"id": 3}]}, [], httpx.ConnectError("down"), {"data": [{"id": "my-model", "meta": "x"}]}])  # fmt: skip
async def test_a_server_that_tells_nothing_leaves_the_size_unknown(monkeypatch: pytest.MonkeyPatch, reply: Any) -> None:
    _serving(monkeypatch, {"/v1/models": reply})
    await learn_size(LOCAL)
    assert not is_small(LOCAL)


async def test_a_server_elsewhere_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = _serving(monkeypatch, {})
    await learn_size(Endpoint("openai:my-model", "openai", "https://api.example.com/v1", "key"))
    assert asked == []


def test_two_of_three_first_replies_that_nothing_can_be_done_with_make_a_small_model() -> None:
    note_reply(LOCAL, usable=False)
    assert not is_small(LOCAL)
    note_reply(LOCAL, usable=True)
    note_reply(LOCAL, usable=False)
    assert is_small(LOCAL)
    good = Endpoint("openai:other", "openai", "http://127.0.0.1:8080/v1", "none")
    for usable in (True, True, False, False, False):
        note_reply(good, usable=usable)
    assert not is_small(good)


def test_replies_of_a_model_elsewhere_or_of_a_known_size_change_nothing() -> None:
    hosted = Endpoint("openai:gpt-5-mini", "openai", "", "key")
    known = Endpoint("openai:qwen3:8b", "openai", "http://127.0.0.1:8080/v1", "none")
    for where in (hosted, known):
        for _ in range(3):
            note_reply(where, usable=False)
        assert not is_small(where)
