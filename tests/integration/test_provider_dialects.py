"""Replies and refusals as six providers send them, through their own LangChain classes, from a server on loopback.

The bodies are recorded from the providers' APIs, names and ids changed. A provider whose package is not installed is
left out; `pip install --group providers` brings them all.
"""

import gc
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from tests.support.loopback_server import on_loopback
from weiwo.models.endpoint import Endpoint
from weiwo.models.errors import classify_fault
from weiwo.models.model_cache import make_model
from weiwo.models.reply import finish_reason, message_text, parse_reply, reported_tokens

pytestmark = pytest.mark.filterwarnings(
    *("ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning"),  # connections left open
    "ignore::DeprecationWarning",
)
ASKED = "Who?"
_JSON = '{"value": "Ada Lovelace"}'


class Found(BaseModel):
    """What was found."""

    value: str


def _anthropic(stop: str = "end_turn") -> dict[str, Any]:
    thought = {"type": "thinking", "thinking": "The user asks {who}.", "signature": "EqQB"}
    content = [thought, {"type": "text", "text": _JSON}]
    usage = {"input_tokens": 21, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 9}
    head = {"id": "msg_01", "type": "message", "role": "assistant", "model": "claude-haiku-4-5"}
    return {**head, "content": content, "stop_reason": stop, "stop_sequence": None, "usage": usage}


def _gemini(stop: str = "STOP") -> dict[str, Any]:
    parts = [{"text": "The user asks {who}.", "thought": True}, {"text": _JSON}]
    usage = {"promptTokenCount": 21, "candidatesTokenCount": 9, "totalTokenCount": 30}
    candidate = {"content": {"parts": parts, "role": "model"}, "finishReason": stop, "index": 0}
    return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "gemini-2.5-flash", "responseId": "x"}


def _ollama(stop: str = "stop") -> dict[str, Any]:
    message = {"role": "assistant", "content": _JSON, "thinking": "The user asks {who}."}
    counts = {"total_duration": 5, "load_duration": 1, "prompt_eval_count": 21, "eval_count": 9}
    head = {"model": "qwen3:8b", "created_at": "2026-01-02T03:04:05.678Z"}
    return {**head, "message": message, "done": True, "done_reason": stop, **counts}


def _openai(stop: str = "stop", **more: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": _JSON, **more}
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": stop}
    usage = {"prompt_tokens": 21, "completion_tokens": 9, "total_tokens": 30}
    return {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": usage}


def _mistral(stop: str = "stop") -> dict[str, Any]:
    thought = {"type": "thinking", "thinking": [{"type": "text", "text": "The user asks {who}."}]}
    return _openai(stop, content=[thought, {"type": "text", "text": _JSON}], tool_calls=None)


def _deepseek(stop: str = "stop") -> dict[str, Any]:
    return _openai(stop, reasoning_content="The user asks {who}.")


PROVIDERS = {
    "anthropic": ("langchain_anthropic", "claude-haiku-4-5", {"base_url": "{}"}, _anthropic, "max_tokens"),
    "google_genai": ("langchain_google_genai", "gemini-2.5-flash", {"base_url": "{}"}, _gemini, "MAX_TOKENS"),
    "ollama": ("langchain_ollama", "qwen3:8b", {"base_url": "{}"}, _ollama, "length"),
    "mistralai": ("langchain_mistralai", "magistral-small", {"base_url": "{}/v1"}, _mistral, "length"),
    "deepseek": ("langchain_deepseek", "deepseek-reasoner", {"api_base": "{}"}, _deepseek, "length"),
    "openai": ("langchain_openai", "gpt-5-mini", {"base_url": "{}/v1"}, _openai, "length"),
}
"""Package, model, where the address goes, a reply, and the word for a reply cut at its limit."""

_REFUSALS = Path(__file__).parents[1] / "data" / "model_refusals.jsonl"
REFUSALS = [json.loads(row) for row in _REFUSALS.read_text(encoding="utf-8").splitlines()]
"""Provider, status and body of each, the kind of fault it is, and the window that it names."""


@pytest.fixture(autouse=True, scope="module")
def _collected() -> Iterator[None]:
    """Have clients that were not closed complain before another module begins, where it is ignored."""
    yield
    gc.collect()


async def _ask(provider: str, status: int, body: Any) -> Any:
    """What the provider's own class makes of a reply: a message, or the exception it raises."""
    package, name, place, _, _ = PROVIDERS[provider]
    pytest.importorskip(package, reason="pip install --group providers")
    sent = json.dumps(body).encode()

    async def app(_: Any, receive: Any, send: Any) -> None:
        while (await receive()).get("more_body"):
            pass
        headers = [(b"content-type", b"application/x-ndjson" if provider == "ollama" else b"application/json")]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": sent})

    with on_loopback(lambda _: app) as url:
        made = make_model(Endpoint(f"{provider}:{name}", "", api_key="k", own=provider != "ollama"), 20, None)
        options = {key: value.format(url) for key, value in place.items()}
        model = _aimed(type(made), name, options, provider)
        try:
            return await model.ainvoke(ASKED)
        except Exception as error:  # noqa: BLE001 - each provider raises its own
            return error


def _aimed(kind: Any, name: str, options: dict[str, str], provider: str) -> Any:
    """A model of the class that Weiwo makes, pointed at the server."""
    more = {} if provider == "ollama" else {"api_key": "k", "max_retries": 0 if provider != "google_genai" else 1}
    return kind(model=name, **options, **more)


@pytest.mark.parametrize(("provider", "status", "body", "kind", "window"), REFUSALS)
async def test_a_refusal_is_classified(provider: str, status: int, body: Any, kind: str, window: int | None) -> None:
    error = await _ask(provider, status, body)
    assert isinstance(error, Exception)
    fault = classify_fault(error)
    assert (fault.kind, fault.window) == (kind, window)
    assert fault.status == status or kind == "overflow"
    assert "Unauthorized" not in fault.words


async def test_the_pause_that_gemini_asks_for_is_kept() -> None:
    (busy,) = [body for provider, status, body, *_ in REFUSALS if (provider, status) == ("google_genai", 429)]
    assert classify_fault(await _ask("google_genai", 429, busy)).pause == 7


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_a_reply_is_read_without_its_thoughts(provider: str) -> None:
    message = await _ask(provider, 200, PROVIDERS[provider][3]())
    reading = parse_reply(message, Found, None)
    assert reading.value == Found(value="Ada Lovelace")
    assert "asks" not in message_text(message)
    assert reported_tokens(message) == (21, 9)


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_a_reply_cut_at_its_limit_is_known(provider: str) -> None:
    *_, make, stop = PROVIDERS[provider]
    message = await _ask(provider, 200, make(stop))
    assert finish_reason(message) == stop
    assert parse_reply(message, Found, None).verdict == "cut"
