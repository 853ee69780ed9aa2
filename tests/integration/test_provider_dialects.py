"""Replies, errors and limits of seven wire forms, through each provider's own LangChain class and Weiwo's gateway.

The server is on loopback. A provider whose package is not installed is left out; `pip install --group providers` brings
them all.
"""

import gc
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from tests.support.openai_server import (
    Handler,
    OpenAIServer,
    Reply,
    always,
    asked_mode,
    cut,
    in_turn,
    raw,
    structured,
    text,
)
from tests.support.providers.catalog import DIALECTS, provider_server
from tests.support.providers.gemini import BLOCKED
from tests.support.providers.ollama import LOADING
from weiwo.models import session
from weiwo.models.budget import Budget
from weiwo.models.endpoint import resolve_endpoint
from weiwo.models.errors import ModelCallError, classify_fault
from weiwo.models.gateway import ChatModels
from weiwo.models.model_cache import _http_client, make_model
from weiwo.state import Limits
from weiwo.state.settings import Settings

pytestmark = [
    pytest.mark.integration,
    pytest.mark.filterwarnings(
        "ignore::pytest.PytestUnraisableExceptionWarning",  # connections left open
        "ignore::ResourceWarning",
        "ignore::DeprecationWarning",
    ),
]
ASK = [("system", "Be brief."), ("human", "Who wrote the first program?")]
GOOD = {"value": "Ada Lovelace"}
WORDS = "It cost 4,200 pounds, and the ferry sails at noon."
DATA = Path(__file__).parents[1] / "data"
REFUSALS = [json.loads(row) for row in (DATA / "model_refusals.jsonl").read_text(encoding="utf-8").splitlines()]
"""Provider, status and body of each, the kind of fault it is, and the window that it names."""
STREAMED = [json.loads(row) for row in (DATA / "model_stream_errors.jsonl").read_text(encoding="utf-8").splitlines()]
"""Provider, an error told inside a stream, the kind of fault it is, and whether it is worth trying again."""


class Found(BaseModel):
    """What was found."""

    value: str


@pytest.fixture(autouse=True, scope="module")
def _collected() -> Iterator[None]:
    """Have clients that were not closed complain before another module begins, where it is ignored."""
    yield
    gc.collect()


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that were to be waited before a further attempt; none is."""
    waited: list[float] = []

    async def note(seconds: float) -> None:
        waited.append(seconds)

    monkeypatch.setattr(session.asyncio, "sleep", note)
    return waited


class Provider:
    """A provider's form on loopback, and Weiwo's gateway to it."""

    def __init__(self, name: str, handler: Handler) -> None:
        self.dialect = DIALECTS[name]
        self.server = provider_server(name, handler)
        self.name = f"{'openai' if name == 'openai_responses' else name}:{self.dialect.model}"

    def chat(self, *, prices: dict[str, tuple[float, float]] | None = None, **limits: Any) -> ChatModels:
        settings = Settings(
            home="unused", models={"writer": self.name}, prices=prices or {}, limits=Limits(**limits), model_seconds=20
        )
        return ChatModels(settings, Budget(settings.limits), make=self._make)

    async def _make(self, _: Any, seconds: float) -> Any:
        if self.dialect.name == "openai_responses":
            from langchain_openai import ChatOpenAI  # noqa: PLC0415 - heavy

            more = {"stream_usage": True, "use_responses_api": True, "http_async_client": _http_client(seconds)}
            return ChatOpenAI(model=self.dialect.model, max_retries=0, **more)
        return make_model(resolve_endpoint(self.name), seconds, _http_client(seconds))

    @property
    def requests(self) -> list[Any]:
        return self.server.requests


@pytest.fixture
def play(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Provider]]:
    """Serve a provider's form, and point its package there."""
    servers: list[OpenAIServer] = []

    def playing(name: str, *replies: Reply | Handler) -> Provider:
        pytest.importorskip(DIALECTS[name].package, reason="pip install --group providers")
        provider = Provider(name, in_turn(*replies))
        servers.append(provider.server.__enter__())
        for variable, value in provider.server.environment.items():
            monkeypatch.setenv(variable, value)
        return provider

    yield playing
    for server in servers:
        server.__exit__(None, None, None)


async def collect(models: ChatModels) -> tuple[str, str]:
    """What a stream gave, and why it failed."""
    came = []
    try:
        async for delta in models.stream("writer", "draft", ASK):
            came.append(delta)  # noqa: PERF401 - what came must be there when the stream then fails
    except ModelCallError as ended:
        return "".join(came), ended.reason
    return "".join(came), ""


async def judge(models: ChatModels) -> Found | str:
    """The value of a structured call, or why there is none."""
    try:
        return await models.request_structured_reply("writer", "read", ASK, Found)
    except ModelCallError as ended:
        return ended.reason


def fault_of(models: ChatModels) -> str | None:
    return models.budget.delta().calls[-1].fault


def found(request: Any) -> Reply:
    return structured(request, GOOD)


each = pytest.mark.parametrize("name", DIALECTS)


# Whole replies


@each
async def test_a_whole_reply_is_whole(play: Any, name: str) -> None:
    provider = play(name, text(WORDS, thoughts="The user asks."))
    assert await collect(provider.chat()) == (WORDS, "")
    assert await provider.chat().text("writer", "note", ASK) == WORDS
    models = provider.chat()
    await collect(models)
    (call,) = models.budget.delta().calls
    assert (call.error, call.input_tokens, call.output_tokens) == (None, 11, 7)


@each
async def test_a_structured_reply_is_read_without_thoughts(play: Any, name: str) -> None:
    provider = play(name, lambda request: structured(request, GOOD, thoughts='{"value": "nobody"}'))
    models = provider.chat()
    assert await judge(models) == Found(**GOOD)
    (call,) = models.budget.delta().calls
    assert (call.mode, call.input_tokens, call.output_tokens) == ("json_schema", 11, 7)


@each
async def test_the_ladder_goes_from_schema_to_function_call(play: Any, name: str) -> None:
    def without_schemas(request: Any) -> Reply:
        return Reply(status=400, message="no such format") if "response_format" in request else found(request)

    models = play(name, without_schemas).chat()
    assert await judge(models) == Found(**GOOD)
    assert [call.mode for call in models.budget.delta().calls] == ["json_schema", "function_call"]


# Replies that are not whole


ENDED = {
    "anthropic": ["end_turn", "stop_sequence"],
    "google_genai": ["STOP"],
    "mistralai": ["stop"],
    "ollama": ["stop"],
    "deepseek": ["stop"],
    "openai": ["stop"],
    "openai_responses": ["completed"],
}
CUT = {
    "anthropic": ["max_tokens", "model_context_window_exceeded"],
    "google_genai": ["MAX_TOKENS"],
    "mistralai": ["length", "model_length"],
    "ollama": ["length"],
    "deepseek": ["length"],
    "openai": ["length"],
    "openai_responses": ["max_output_tokens"],
}
DECLINED = {
    "anthropic": ["refusal"],
    "google_genai": ["SAFETY", "PROHIBITED_CONTENT", "RECITATION", "SPII", "BLOCKLIST"],
    "deepseek": ["content_filter"],
    "openai": ["content_filter"],
    "openai_responses": ["content_filter"],
}
ODD = {
    "anthropic": ["pause_turn", "compaction"],
    "google_genai": ["OTHER", "MALFORMED_RESPONSE", "FINISH_REASON_UNSPECIFIED"],
    "mistralai": ["error"],
    "ollama": ["unload"],
    "deepseek": ["insufficient_system_resource"],
    "openai": ["something_new"],
    "openai_responses": ["cancelled", "failed"],
}


def reasons(table: dict[str, list[str]]) -> list[tuple[str, str]]:
    return [(name, word) for name, words in table.items() for word in words]


@pytest.mark.parametrize(("name", "word"), reasons(ENDED))
async def test_a_good_end(play: Any, name: str, word: str) -> None:
    assert await collect(play(name, text(WORDS, finish=word)).chat()) == (WORDS, "")


@pytest.mark.parametrize(("name", "word"), reasons(CUT))
async def test_a_reply_cut_by_length_is_not_whole(play: Any, name: str, word: str) -> None:
    provider = play(name, text(WORDS, finish=word))
    assert await collect(provider.chat()) == (WORDS, "the reply was cut off at the model's length limit")
    with pytest.raises(ModelCallError, match="length limit"):
        await provider.chat().text("writer", "note", ASK)


@pytest.mark.parametrize(("name", "word"), reasons(CUT))
async def test_a_structured_reply_cut_by_length_is_asked_for_again(play: Any, name: str, word: str) -> None:
    provider = play(name, text('{"value": "Ada Lo', finish=word), found)
    models = provider.chat()
    assert await judge(models) == Found(**GOOD)
    assert [call.mode for call in models.budget.delta().calls] == ["json_schema", "repair"]


@pytest.mark.parametrize(("name", "word"), reasons(DECLINED))
async def test_a_declined_reply_is_a_fault_of_its_request(play: Any, name: str, word: str, pauses: list[float]) -> None:
    provider = play(name, *[text("", finish=word)] * 6, text(WORDS), found)
    models = provider.chat()
    for _ in range(3):
        assert "declined" in (await collect(models))[1]
        assert fault_of(models) == "declined"
    for _ in range(3):
        assert "declined" in str(await judge(models))
    assert await collect(models) == (WORDS, "")
    assert await judge(models) == Found(**GOOD)
    assert len(provider.requests) == 8
    assert pauses == []


@pytest.mark.parametrize(("name", "word"), reasons(DECLINED))
async def test_half_an_answer_that_is_then_declined_is_not_whole(play: Any, name: str, word: str) -> None:
    came, why = await collect(play(name, text(WORDS, finish=word)).chat())
    assert (came, "declined" in why) == (WORDS, True)


@pytest.mark.parametrize(("name", "word"), reasons(ODD))
async def test_any_other_end_is_no_good_one(play: Any, name: str, word: str) -> None:
    provider = play(name, text(WORDS, finish=word))
    came, why = await collect(provider.chat())
    assert why
    assert came in {WORDS, ""}
    with pytest.raises(ModelCallError):
        await provider.chat().text("writer", "note", ASK)


@each
async def test_a_stream_without_a_stop_event_is_not_whole(play: Any, name: str) -> None:
    models = play(name, text(WORDS, finish=None)).chat()
    assert await collect(models) == (WORDS, "the reply broke off")
    assert fault_of(models) == "incomplete"


@each
async def test_a_connection_that_breaks_is_not_whole(play: Any, name: str) -> None:
    came, why = await collect(play(name, cut(WORDS, after=20)).chat())
    assert WORDS.startswith(came)
    assert came != WORDS
    assert why


@each
async def test_a_structured_stream_without_a_stop_event_is_not_whole(play: Any, name: str) -> None:
    provider = play(name, text('{"value": "Ada Lo', finish=None))
    assert await judge(provider.chat()) != Found(value="Ada Lo")


async def test_a_local_server_that_never_reports_a_reason_is_learned(play: Any) -> None:
    provider = play("openai", text(WORDS, finish=None))
    ends = [(await collect(provider.chat()))[1] for _ in range(4)]
    assert ends == ["the reply broke off", "the reply broke off", "", ""]


async def test_a_local_server_that_has_reported_a_reason_is_held_to_it(play: Any) -> None:
    provider = play("openai", text(WORDS), text(WORDS, finish=None))
    ends = [(await collect(provider.chat()))[1] for _ in range(5)]
    assert ends == ["", *["the reply broke off"] * 4]


@pytest.mark.parametrize("reason", ["SAFETY", "PROHIBITED_CONTENT", "OTHER", "BLOCKLIST"])
async def test_a_prompt_that_gemini_blocks_is_declined(play: Any, reason: str, pauses: list[float]) -> None:
    provider = play("google_genai", *[text("", finish=f"{BLOCKED}{reason}")] * 4, text(WORDS))
    models = provider.chat()
    for _ in range(2):
        assert "declined" in (await collect(models))[1]
        assert "declined" in str(await judge(models))
    assert await collect(models) == (WORDS, "")
    assert pauses == []


@pytest.mark.parametrize("name", ["openai", "openai_responses"])
async def test_a_refusal_is_no_outage(play: Any, name: str) -> None:
    provider = play(name, Reply(content=None, refusal="I will not."))
    models = provider.chat()
    for _ in range(2):  # LangChain drops a refusal that is streamed in OpenAI's first form
        assert ("empty" if name == "openai" else "declined") in (await collect(models))[1]
        assert "declined" in str(await judge(models))
    provider.server.handler = always(text(WORDS))
    assert await collect(models) == (WORDS, "")


# Errors


@pytest.mark.parametrize(("name", "status", "body", "kind", "window"), REFUSALS)
async def test_a_refusal_is_classified(
    play: Any, name: str, status: int, body: Any, kind: str, window: int | None
) -> None:
    provider = play(name, raw(json.dumps(body), status))
    model = await provider._make(None, 20)
    for ask in (lambda: model.ainvoke("Who?"), lambda: anext(aiter(model.astream("Who?")))):
        with pytest.raises(Exception) as raised:  # noqa: PT011 - each provider raises its own
            await ask()
        fault = classify_fault(raised.value)
        assert (fault.kind, fault.window) == (kind, window)
        assert fault.status == status or kind == "overflow"
        assert "Unauthorized" not in fault.words


@pytest.mark.parametrize(("code", "kind"), [(502, "server"), (429, "busy")])
async def test_an_error_told_with_status_200_is_tried_again(
    play: Any, code: int, kind: str, pauses: list[float]
) -> None:
    provider = play("openai", raw(json.dumps({"error": {"code": code, "message": "Provider returned error"}})), found)
    models = provider.chat()
    assert await models.text("writer", "note", ASK)
    assert [call.fault for call in models.budget.delta().calls] == [kind, None]
    assert len(pauses) == 1


@pytest.mark.parametrize(("name", "body", "kind", "again"), STREAMED)
@pytest.mark.usefixtures("pauses")
async def test_an_error_told_inside_a_stream(play: Any, name: str, body: Any, kind: str, again: object) -> None:
    for failing in (Reply(content=WORDS, failure=body), Reply(content=WORDS, failure=body, cut=0)):
        provider = play(name, failing, text(WORDS))
        models = provider.chat()
        came, why = await collect(models)
        assert models.budget.delta().calls[0].fault == kind
        assert (came == WORDS and not why) is again
        assert len(provider.requests) == (2 if again else 1)


@each
async def test_an_error_after_the_first_word_is_told_and_not_tried_again(play: Any, name: str) -> None:
    bodies = {row[0]: row[1] for row in STREAMED}
    provider = play(name, Reply(content=WORDS, failure=bodies[name], cut=20), text(WORDS))
    came, why = await collect(provider.chat())
    assert 0 < len(came) < len(WORDS)
    assert why
    assert len(provider.requests) == 1


@each
@pytest.mark.parametrize("status", [429, 503])
async def test_the_pause_asked_for_is_kept(play: Any, name: str, status: int, pauses: list[float]) -> None:
    busy = Reply(status=status, message="try later", headers={"retry-after": "3"})
    provider = play(name, busy, text(WORDS), busy, found)
    models = provider.chat()
    assert await collect(models) == (WORDS, "")
    assert await judge(models) == Found(**GOOD)
    assert pauses == [3, 3]


async def test_the_pause_that_gemini_asks_for_in_its_error_is_kept(play: Any, pauses: list[float]) -> None:
    (busy,) = [body for name, status, body, *_ in REFUSALS if (name, status) == ("google_genai", 429)]
    assert (await collect(play("google_genai", raw(json.dumps(busy), 429), text(WORDS)).chat()))[0] == WORDS
    assert pauses == [7]


async def test_a_cold_start_of_ollama_is_waited_for(play: Any, pauses: list[float]) -> None:
    cold = text("", finish=LOADING)
    provider = play("ollama", cold, cold, text(WORDS), cold, found, *[cold] * 9, text(WORDS))
    models = provider.chat()
    assert await collect(models) == (WORDS, "")
    assert await judge(models) == Found(**GOOD)
    for _ in range(3):
        assert (await collect(models))[1]  # three attempts each
    assert await collect(models) == (WORDS, "")  # and no breaker in the way
    assert len(pauses) == 3 + 6


# Limits


BOUNDS = {
    "anthropic": lambda body: body["max_tokens"],
    "google_genai": lambda body: body["generationConfig"].get("maxOutputTokens"),
    "mistralai": lambda body: body.get("max_tokens"),
    "ollama": lambda body: body["options"].get("num_predict"),
    "deepseek": lambda body: body.get("max_tokens") or body.get("max_completion_tokens"),
    "openai": lambda body: body.get("max_tokens"),
    "openai_responses": lambda body: body.get("max_output_tokens"),
}
SAMPLING = {"temperature", "top_p", "topP", "top_k", "topK", "random_seed", "frequency_penalty"}


@each
@pytest.mark.parametrize("mode", ["text", "stream", "json_schema", "function_call"])
async def test_every_request_carries_the_bound_of_the_run(play: Any, name: str, mode: str) -> None:
    def reply(request: Any) -> Reply:
        if asked_mode(request) == "text":
            return text(WORDS)
        if mode == "function_call" and "response_format" in request:
            return Reply(status=400, message="no such format")
        return found(request)

    provider = play(name, reply)
    models = provider.chat(max_tokens=3_000)
    if mode in {"text", "stream"}:
        await (collect(models) if mode == "stream" else models.text("writer", "note", ASK))
    else:
        assert await judge(models) == Found(**GOOD)
    sent = provider.requests[-1].body
    assert 100 < BOUNDS[name](sent) < 3_000
    config = {**sent, **sent.get("generationConfig", {}), **sent.get("options", {})}
    assert not SAMPLING & config.keys()


ENDLESS = " ".join(f"Tower {n} is tall." for n in range(9_000))


@each
@pytest.mark.parametrize("kind", ["stream", "structured"])
async def test_a_limit_of_the_run_ends_a_reply_under_way(play: Any, name: str, kind: str) -> None:
    endless = text(ENDLESS if kind == "stream" else json.dumps({"value": ENDLESS}), usage=None, piece=400)
    provider = play(name, endless)
    models = provider.chat(prices={provider.name: (1.0, 10.0)}, max_cost=0.01)
    why = (await collect(models))[1] if kind == "stream" else await judge(models)
    assert "max_cost" in str(why)
    assert models.budget.find_curtailing_limit() == "max_cost"
    assert models.budget.delta().cost < 0.015


@each
async def test_tokens_of_a_structured_call_are_booked_once(play: Any, name: str) -> None:
    models = play(name, lambda request: structured(request, GOOD, usage=(900, 70), cached=400)).chat()
    assert await judge(models) == Found(**GOOD)
    usage = models.budget.delta()
    assert (usage.input_tokens, usage.output_tokens) == (900, 70)
    told = {"anthropic", "google_genai", "deepseek", "openai", "openai_responses"}
    assert usage.calls[0].cached_tokens == (400 if name in told else 0)


@each
async def test_no_client_sleeps_or_tries_again_by_itself(play: Any, name: str) -> None:
    provider = play(name, always(Reply(status=500)))
    model = await provider._make(None, 20)
    with pytest.raises(Exception):  # noqa: B017, PT011 - each provider raises its own
        await model.ainvoke("Who?")
    assert len(provider.requests) == 1
