"""From a model's name to a model: what is missing is said in one line, and never with a key in it."""

import asyncio
from typing import Any

import pytest
from langchain_core.language_models import FakeListChatModel

from weiwo.models import model_cache
from weiwo.models.endpoint import _PLACEHOLDER_KEY, resolve_endpoint
from weiwo.models.errors import ModelUnavailableError

SECRET = "sk-very-secret-0123456789"  # noqa: S105 - it opens nothing


def test_the_key_is_never_shown() -> None:
    found = resolve_endpoint(
        "openai:m", {"OPENAI_API_KEY": SECRET, "OPENAI_BASE_URL": f"https://user:{SECRET}@host.example/v1"}
    )
    assert found.api_key == SECRET
    assert found.identity == "openai:m host.example:/v1"
    assert SECRET not in repr(found).replace(found.base_url, "") + found.identity + found.key_hash


@pytest.mark.parametrize(
    "url",
    [
        "http://localhost:1/v1",
        "http://127.0.0.1:1/v1",
        "http://[::1]:1/v1",
        "http://10.0.0.8/v1",
        "http://vllm:8000/v1",
    ],
)
def test_a_local_server_needs_no_key(url: str) -> None:
    assert resolve_endpoint("openai:m", {"OPENAI_BASE_URL": url}).api_key == _PLACEHOLDER_KEY


@pytest.mark.parametrize(
    ("name", "env", "words"),
    [
        ("gpt-5", {}, "use provider:model"),
        ("openai:", {}, "use provider:model"),
        (":m", {}, "use provider:model"),
        ("openai:m", {}, "OPENAI_API_KEY is not set"),
        ("openai:m", {"OPENAI_BASE_URL": "https://api.example.com/v1"}, "OPENAI_API_KEY is not set"),
        ("openai:m", {"OPENAI_BASE_URL": "localhost:8000", "OPENAI_API_KEY": SECRET}, "not an http"),
        ("openai:m", {"OPENAI_BASE_URL": "http://h:port/v1", "OPENAI_API_KEY": SECRET}, "not an http"),
        ("openai:m", {"OPENAI_BASE_URL": f"ftp://{SECRET}@h/", "OPENAI_API_KEY": SECRET}, "not an http"),
    ],
)
def test_what_cannot_be_used_is_said_in_one_line(name: str, env: dict[str, str], words: str) -> None:
    with pytest.raises(ModelUnavailableError, match=words) as failure:
        resolve_endpoint(name, env)
    assert "\n" not in failure.value.reason
    assert SECRET not in failure.value.reason


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (
            ImportError("requires langchain-acme. Please install it with `pip install langchain-acme`"),
            "pip install langchain-acme",
        ),
        (ModuleNotFoundError("No module named 'langchain_acme'"), "pip install langchain-acme"),
        (ValueError("Unable to infer model provider for model='acme:m'. Please specify …"), "unknown"),
        (ValueError("Unsupported provider='acme'.\n\nSupported model providers are: …"), "unknown"),
        (RuntimeError(f"bad key {SECRET}"), r"RuntimeError.*ACME_API_KEY"),
    ],
)
async def test_a_provider_that_cannot_be_set_up(monkeypatch: pytest.MonkeyPatch, error: Exception, words: str) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise error

    monkeypatch.setattr("langchain.chat_models.init_chat_model", fail)
    with pytest.raises(ModelUnavailableError, match=words) as failure:
        await model_cache.get_chat_model(resolve_endpoint("acme:m", {}), 5)
    assert "\n" not in failure.value.reason
    assert SECRET not in failure.value.reason


async def test_a_provider_that_knows_no_timeout_is_made_without(monkeypatch: pytest.MonkeyPatch) -> None:
    def make(_: str, **options: Any) -> FakeListChatModel:
        if options:
            raise TypeError("unexpected keyword argument 'timeout'")
        return FakeListChatModel(responses=["hi"])

    monkeypatch.setattr("langchain.chat_models.init_chat_model", make)
    assert (await model_cache.get_chat_model(resolve_endpoint("acme:m", {}), 5)).invoke("x").content == "hi"


def test_a_model_is_made_once_per_loop_key_and_url(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []

    def make(name: str, **_: Any) -> FakeListChatModel:
        made.append(name)
        return FakeListChatModel(responses=["hi"])

    monkeypatch.setattr("langchain.chat_models.init_chat_model", make)
    one = resolve_endpoint("openai:m", {"OPENAI_API_KEY": "1"})
    other = resolve_endpoint("openai:m", {"OPENAI_API_KEY": "2"})

    async def several() -> None:
        first, second = await asyncio.gather(model_cache.get_chat_model(one, 5), model_cache.get_chat_model(one, 5))
        assert first is second
        assert await model_cache.get_chat_model(other, 5) is not first

    asyncio.run(several())
    assert len(made) == 2
    assert not model_cache._by_loop
    asyncio.run(several())
    assert len(made) == 4


async def test_requests_of_an_openai_model_are_as_decided() -> None:
    model: Any = await model_cache.get_chat_model(
        resolve_endpoint("openai:gpt-5-pro", {"OPENAI_BASE_URL": "http://localhost:1/v1"}), 5
    )
    assert model.use_responses_api is False
    assert model.stream_usage is True
    assert model.max_retries == 0  # the line asks again itself, at the expense of the budget
    assert model.temperature is None
    payload = model._get_request_payload([("human", "hi")])
    assert "temperature" not in payload
    await (await model_cache._clients_of_this_loop()).closer.aclose()
    assert model.http_async_client.is_closed
