"""The gateway against a server that behaves as endpoints do, well and badly."""

import asyncio
import gc
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Annotated, Any, TypedDict

import pytest
from langgraph.graph import END, START, StateGraph
from pydantic import BaseModel, Field

from tests.support.openai_server import (
    Handler,
    OpenAIServer,
    Reply,
    always,
    asked_schema,
    call,
    cut,
    error,
    failing,
    fenced,
    ignoring_format,
    in_turn,
    last_message,
    raw,
    refusing_json_schema,
    refusing_tools,
    scripted,
    silent,
    structured,
    text,
    unfinished,
)
from weiwo.models.budget import Budget
from weiwo.models.endpoint import _forget_endpoints
from weiwo.models.errors import ModelCallError
from weiwo.models.gateway import ChatModels
from weiwo.state import Limits
from weiwo.state.settings import Settings

pytestmark = pytest.mark.integration


class Verdict(BaseModel):
    """A judgement of a question."""

    level: str = Field(description="simple or complex")
    score: float = Field(0.5, ge=0, le=1)


class Sketch(BaseModel):
    """A plan with free-form arguments."""

    vertices: list[dict[str, Any]]


GOOD = {"level": "simple", "score": 0.25}
ASK = [("system", "You are the master. THE-PROMPT"), ("human", "Who was older?")]
good = scripted({"Verdict": GOOD}, "Emperor Wu was older [1].")


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setattr("weiwo.models.session._PAUSE_SECONDS", 0.02)  # the pauses are not what is tested


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Callable[[Handler], Any]:
    @contextmanager
    def serving(handler: Handler) -> Iterator[OpenAIServer]:
        with OpenAIServer(handler) as server:
            for name, value in server.environment.items():
                monkeypatch.setenv(name, value)
            yield server

    return serving


def chat(seconds: float = 120, run_id: str = "", **limits: Any) -> ChatModels:
    settings = Settings(
        home="unused",
        models=dict.fromkeys(("master", "executor", "writer"), "openai:scripted"),
        model_seconds=seconds,
    )
    return ChatModels(settings, Budget(Limits(**limits)), run_id)


def judge(models: ChatModels, **more: Any) -> Any:
    return models.request_structured_reply("master", "assess", ASK, Verdict, **more)


async def collect(models: ChatModels, into: list[str]) -> str:
    async for delta in models.stream("writer", "draft", ASK):
        into.append(delta)  # noqa: PERF401 - what came must be there when the stream then fails
    return "".join(into)


# Personalities that end well


@pytest.mark.parametrize(
    ("handler", "asked"),
    [
        (good, ["json_schema"]),
        (fenced(good), ["json_schema"]),
        (refusing_json_schema(good), ["json_schema", "function_call"]),
        (refusing_json_schema(good, 404), ["json_schema", "function_call"]),
        (refusing_json_schema(good, 422), ["json_schema", "function_call"]),
        (refusing_json_schema(fenced(good)), ["json_schema", "function_call"]),
        (refusing_tools(refusing_json_schema(good)), ["json_schema", "function_call", "json_text"]),
        (refusing_tools(refusing_json_schema(fenced(good))), ["json_schema", "function_call", "json_text"]),
        (ignoring_format(good), ["json_schema", "function_call", "json_text"]),
        (ignoring_format(fenced(good)), ["json_schema", "function_call", "json_text"]),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
async def test_a_judgement_is_had_and_the_mode_remembered(serve: Any, handler: Handler, asked: list[str]) -> None:
    with serve(handler) as server:
        models = chat()
        assert await judge(models) == Verdict(**GOOD)
        assert server.modes == asked
        assert await judge(models) == Verdict(**GOOD)
        assert server.modes == [*asked, asked[-1]]
        assert await judge(chat()) == Verdict(**GOOD)  # another run knows too
        assert server.modes == [*asked, asked[-1], asked[-1]]
        assert {request.schema for request in server.requests if request.mode == asked[-1]} == {"Verdict"}
    usage = models.budget.delta()
    assert [entry.mode for entry in usage.calls] == [*asked, asked[-1]]
    assert usage.model_calls == len(asked) + 1
    assert usage.input_tokens >= 22


async def test_where_a_response_format_breaks_the_server_plain_text_is_asked_for(serve: Any) -> None:
    with serve(refusing_json_schema(good, 500)) as server:
        models = chat()
        assert await judge(models) == Verdict(**GOOD)
        assert await judge(models) == Verdict(**GOOD)
        assert server.modes == ["json_schema"] * 3 + ["json_text"] * 2


async def test_a_schema_is_strict_only_if_it_can_be(serve: Any) -> None:
    with serve(scripted({"Verdict": GOOD, "Sketch": {"vertices": [{"id": "a"}]}})) as server:
        models = chat()
        await judge(models)
        assert (await models.request_structured_reply("master", "plan", ASK, Sketch)).vertices == [{"id": "a"}]
    formats = [request.body["response_format"]["json_schema"] for request in server.requests]
    assert [one["strict"] for one in formats] == [True, False]
    assert formats[0]["schema"]["required"] == ["level", "score"]


async def test_what_is_sent(serve: Any) -> None:
    with serve(good) as server:
        await judge(chat())
        await collect(chat(), [])
    for request in server.requests:  # structured replies are streamed too: slow is told from dead
        assert request.path == "/v1/chat/completions"
        assert request.headers["authorization"] == f"Bearer {server.key}"
        assert request.body["stream"] is True
        assert request.body["stream_options"] == {"include_usage": True}
        assert "temperature" not in request.body


async def test_a_server_on_this_machine_needs_no_key(serve: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with serve(good):
        monkeypatch.delenv("OPENAI_API_KEY")
        assert await judge(chat()) == Verdict(**GOOD)


async def test_a_model_name_of_the_responses_api_stays_with_chat_completions(serve: Any) -> None:
    with serve(good) as server:
        settings = Settings(home="unused", models={"master": "openai:gpt-5-pro"})
        assert await judge(ChatModels(settings, Budget(Limits()))) == Verdict(**GOOD)
    assert server.requests[0].path == "/v1/chat/completions"


# Replies that are sent back once


def corrected(bad: Reply, complaint: str) -> Handler:
    """A model that replies badly until it reads the complaint."""

    def handler(request: dict[str, Any]) -> Reply:
        return structured(request, GOOD) if complaint in last_message(request) else bad

    return handler


@pytest.mark.parametrize(
    ("bad", "complaint"),
    [
        (text('{"level": "simple", "score": 7}'), "score: Input should be less than or equal to 1"),
        (text('{"score": 0.5}'), "level: Field required"),
        (text('{"level": {"is": "simple"}}'), "level: Input should be a valid string"),
        (text('{"level": "sim', finish="length"), "cut off|no JSON|level"),
        (text('{"level": "simple", "score": 0.5', finish="stop"), "$^"),
        (call("Verdict", '{"score": '), "no JSON"),
    ],
)
async def test_a_bad_reply_is_sent_back(serve: Any, bad: Reply, complaint: str) -> None:
    with serve(corrected(bad, "That cannot be used")) as server:
        models = chat()
        verdict = await judge(models)
    if complaint == "$^":  # what was cut can be closed, and is valid
        assert verdict == Verdict(level="simple")
        return
    assert verdict == Verdict(**GOOD)
    assert models.budget.delta().calls[-1].mode == "repair"
    sent_back = last_message(server.requests[-1].body)
    assert any(words in sent_back for words in complaint.split("|"))
    assert asked_schema(server.requests[-1].body) == "Verdict"


async def test_a_strict_schema_that_is_not_kept_is_not_relied_on_again(serve: Any) -> None:
    wrong = scripted({"Verdict": lambda request: GOOD if "response_format" not in request else {"grade": "A"}})
    with serve(wrong) as server:
        models = chat()
        assert await judge(models) == Verdict(**GOOD)
        assert await judge(models) == Verdict(**GOOD)
        assert server.modes == ["json_schema", "json_text", "json_text"]


# Malformed replies; every shape of theirs is in the tests of `weiwo.models.json_text` and `coercion`


@pytest.mark.parametrize(
    "content",
    [
        'Sure!\n```json\n{"level": "simple", "score": 0.25,}\n```\nAnything else?',
        '<think>{"level": "complex"}?</think>{"level": "simple", "score": 0.25}',
        '{"name": "Verdict", "arguments": {"level": "simple", "score": 0.25}}',
        '<tool_call>{"name": "Verdict", "arguments": {"level": "simple", "score": "0.25"}}</tool_call>',
    ],
)
async def test_json_in_an_odd_shape_takes_one_request(serve: Any, content: str) -> None:
    with serve(always(text(content))) as server:
        assert await judge(chat()) == Verdict(**GOOD)
        assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (raw(""), "not a chat completion"),
        (raw("null"), "not a chat completion"),
        (raw("<html><body>Bad gateway</body></html>"), "not a chat completion"),
        (raw("{}"), "not a chat completion"),
        (raw('{"choices": null}'), "not a chat completion"),
        (raw('{"choices": []}'), "not a chat completion"),
        (raw('{"choices": [{"index": 0, "finish_reason": "stop"}]}'), "not a chat completion"),
        (raw('{"error": {"message": "THE-PROMPT was too much", "code": 502}}'), "not a chat completion"),
        (cut("abc" * 9), "no connection"),
        (error(502), "HTTP 502"),
        (error(403), "HTTP 403"),
        (Reply(content=None, refusal="I will not."), "declined"),
        (text("", finish="content_filter"), "declined"),
    ],
)
async def test_a_reply_that_is_none(serve: Any, reply: Reply, words: str) -> None:
    with serve(always(reply)) as server:
        models = chat()
        with pytest.raises(ModelCallError, match=words) as failure:
            await judge(models)
        said = f"{failure.value.reason} {[entry.error for entry in models.budget.delta().calls]}"
        assert "THE-PROMPT" not in said
        assert server.key not in said
        assert "\n" not in failure.value.reason


@pytest.mark.parametrize("reply", [text(""), Reply(content=None), text("  \n ")])
async def test_an_empty_reply_steps_down_and_then_ends_it(serve: Any, reply: Reply) -> None:
    with serve(in_turn(reply, good)) as server:
        assert await judge(chat()) == Verdict(**GOOD)
        assert server.modes == ["json_schema", "function_call"]
    _forget_endpoints()
    with serve(always(reply)) as server:
        with pytest.raises(ModelCallError, match="the reply was empty"):
            await judge(chat())
        assert len(server.requests) == 2


async def test_prose_all_the_way_down_costs_four_requests_once_and_two_later(serve: Any) -> None:
    with serve(always(text("I would rather talk."))) as server:
        models = chat()
        for requests in (4, 6):
            with pytest.raises(ModelCallError, match="no JSON"):
                await judge(models)
            assert len(server.requests) == requests


# Outages


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that were to be waited; none is."""
    asked: list[float] = []
    sleep = asyncio.sleep

    async def note(seconds: float) -> None:
        asked.append(seconds)
        await sleep(0)

    monkeypatch.setattr(asyncio, "sleep", note)
    return asked


async def test_a_pause_the_server_asks_for_is_kept(serve: Any, pauses: list[float]) -> None:
    with serve(failing(429, 2, good, retry_after="3")) as server:
        assert await judge(chat()) == Verdict(**GOOD)
    assert len(server.requests) == 3
    assert len(pauses) == 2
    assert all(3 <= pause < 4 for pause in pauses)


async def test_a_pause_beyond_the_time_there_is_is_not_waited_for(serve: Any, pauses: list[float]) -> None:
    with serve(failing(429, retry_after="30")) as server:
        with pytest.raises(ModelCallError, match="HTTP 429, too many requests"):
            await judge(chat(seconds=5))
        assert len(server.requests) == 1
    assert not pauses


async def test_a_hiccup_is_ridden_out(serve: Any) -> None:
    with serve(failing(500, 1, good)):
        models = chat()
        assert await judge(models) == Verdict(**GOOD)
    usage = models.budget.delta()
    assert [entry.error for entry in usage.calls] == ["HTTP 500, server error", None]
    assert (usage.model_calls, usage.input_tokens, usage.output_tokens) == (2, 11, 7)  # a refusal takes no tokens


@pytest.mark.parametrize("calls", [1, 2])
async def test_attempts_count_as_calls(serve: Any, calls: int) -> None:
    with serve(failing(503)) as server:
        models = chat(max_model_calls=calls)
        with pytest.raises(ModelCallError, match="max_model_calls"):
            await models.text("master", "x", ASK)
        assert len(server.requests) == models.budget.delta().model_calls == calls


async def test_a_connection_that_breaks_is_tried_again(serve: Any) -> None:
    with serve(in_turn(cut("abc"), good)) as server:
        assert await judge(chat()) == Verdict(**GOOD)
        assert len(server.requests) == 2


async def test_a_stream_that_is_refused_is_tried_again_and_one_that_began_is_not(serve: Any) -> None:
    with serve(in_turn(error(503), good)) as server:
        assert await collect(chat(), []) == "Emperor Wu was older [1]."
        assert len(server.requests) == 2
    with serve(in_turn(cut("Emperor Wu was older", after=10), good)) as server:
        with pytest.raises(ModelCallError, match="no connection"):
            await collect(chat(), [])
        assert len(server.requests) == 1


async def test_an_endpoint_that_reports_no_usage_is_counted_by_estimate(serve: Any) -> None:
    with serve(lambda request: replace(good(request), usage=None)):
        models = chat()
        await judge(models)
        asked = models.budget.delta()
        await collect(models, [])
    assert asked.input_tokens > 50  # the schema is part of what is sent
    assert 5 < asked.output_tokens < 40
    drafted = models.budget.delta().calls[-1]
    assert 15 < drafted.input_tokens < 50
    assert 5 < drafted.output_tokens < 30


async def test_a_reply_that_never_came_is_counted_by_estimate(serve: Any) -> None:
    with serve(always(silent())):
        models = chat(seconds=0.3)
        with pytest.raises(ModelCallError, match="no reply within"):
            await models.text("master", "x", ASK)
    usage = models.budget.delta()
    assert usage.input_tokens > 15
    assert usage.output_tokens == 0


async def test_parallel_calls_do_not_overshoot_tokens(serve: Any) -> None:
    limit = 5_000
    with serve(lambda request: replace(good(request), usage=(40, 960), delay=0.2)) as server:
        models = chat(max_tokens=limit)
        asked = (models.with_budget(models.budget.child()).text("master", "x", ASK) for _ in range(20))
        results = await asyncio.gather(*asked, return_exceptions=True)
        assert len(server.requests) == 4  # a thousand for each reply, and some for the prompt
    assert sum(isinstance(result, str) for result in results) == 4
    usage = models.budget.delta()
    assert usage.input_tokens + usage.output_tokens == 4_000
    assert models.budget.find_curtailing_limit() == "max_tokens"


async def test_parallel_calls_do_not_overshoot_cost(serve: Any) -> None:
    settings = Settings(
        home="unused",
        models={"master": "openai:scripted"},
        prices={"openai:scripted": (1.0, 10.0)},
        limits=Limits(max_cost=0.035),
    )
    with serve(lambda request: replace(good(request), usage=(40, 900), delay=0.2)) as server:
        models = ChatModels(settings, Budget(settings.limits))
        asked = (models.with_budget(models.budget.child()).text("master", "x", ASK) for _ in range(20))
        await asyncio.gather(*asked, return_exceptions=True)
        assert len(server.requests) == 3
    usage = models.budget.delta()
    assert usage.cost == pytest.approx(3 * (40 + 9_000) / 1e6)
    assert models.budget.find_curtailing_limit() == "max_cost"


@pytest.mark.parametrize("status", [401, 404])
async def test_a_key_or_model_that_is_wrong_is_asked_about_once(serve: Any, status: int) -> None:
    with serve(failing(status)) as server:
        models = chat()
        with pytest.raises(ModelCallError, match=f"HTTP {status}.*check"):
            await judge(models)
        so_far = len(server.requests)
        with pytest.raises(ModelCallError, match=f"does not answer .HTTP {status}"):
            await models.text("writer", "draft", ASK)
        assert len(server.requests) == so_far


async def test_no_server_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    with OpenAIServer(good) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    with pytest.raises(ModelCallError, match="no connection to the model endpoint"):
        await judge(chat())


async def test_a_server_that_never_answers_is_not_asked_again(serve: Any) -> None:
    with serve(always(silent())) as server:
        models = chat(seconds=0.3, run_id="silent")
        results = await asyncio.gather(*(judge(models) for _ in range(4)), return_exceptions=True)
        assert all(isinstance(result, ModelCallError) and "no reply within 0.3 s" in str(result) for result in results)
        with pytest.raises(ModelCallError, match="does not answer"):
            await judge(models)
        assert len(server.requests) == 4
    assert models.budget.delta().model_calls == 4


async def test_a_call_is_broken_off_where_the_writers_time_begins(serve: Any) -> None:
    with serve(always(silent())):
        models, passed = chat(max_seconds=4), 3.3
        models.budget._clock, models.budget._started = lambda: passed, 0.0
        with pytest.raises(
            ModelCallError, match="stopped, because the run's limit max_seconds is near"
        ):  # 0.3 s of work are left
            await models.text("executor", "read", ASK)
        passed = 3.61  # and a tenth of the whole to write
        with pytest.raises(ModelCallError, match="max_seconds was reached"):
            await models.text("executor", "read", ASK)
        assert models.budget.reached == "max_seconds"
        with pytest.raises(ModelCallError, match="no reply within"):  # the writer may, and no breaker stops it
            await models.text("writer", "draft", ASK)


# Streams


@pytest.mark.parametrize(
    ("reply", "came", "words"),
    [
        (cut("Emperor Wu was older", after=10), "Emperor Wu", "no connection"),
        (unfinished("Emperor Wu"), "Emperor Wu", "broke off"),
        (text("Emperor Wu", finish="length"), "Emperor Wu", "length limit"),
        (text("Emperor Wu", finish="content_filter"), "Emperor Wu", "declined"),
        (text("Emperor Wu", pause=30.0), "", "no whole reply within"),
        (text(""), "", "the reply was empty"),
        (text("<think>only</think>"), "", "the reply was empty"),
        (raw(""), "", "not a chat completion|empty"),
        (raw('data: {"error": {"message": "THE-PROMPT"}}\n\n'), "", "reported an error"),
        (raw("data: {broken\n\n"), "", "not a chat completion"),
        (raw('data: {"choices": [{"index": 0}]}\n\ndata: [DONE]\n\n'), "", "not a chat completion|empty"),
        (error(500), "", "HTTP 500"),
        (error(429, retry_after="600"), "", "HTTP 429"),
        (silent(), "", "no whole reply within"),
    ],
)
async def test_a_stream_that_fails_gives_what_came(serve: Any, reply: Reply, came: str, words: str) -> None:
    with serve(always(reply)):
        models = chat(seconds=0.5 if reply.silent or reply.pause else 120)
        pieces: list[str] = []
        with pytest.raises(ModelCallError, match=words) as failure:
            await collect(models, pieces)
    assert "".join(pieces).startswith(came)
    assert "THE-PROMPT" not in failure.value.reason
    entries = models.budget.delta().calls
    assert len(entries) == (3 if reply.status == 500 else 1)
    assert entries[-1].error == failure.value.reason


async def test_a_whole_text(serve: Any) -> None:
    with serve(always(text("<think>hm</think>\n Good day.\n"))):
        assert await chat().text("writer", "greet", ASK) == "Good day."
    with serve(always(text("Good", finish="length"))), pytest.raises(ModelCallError, match="length limit"):
        await chat().text("writer", "greet", ASK)


# In LangGraph, and over event loops


class Flow(TypedDict):
    answer: Annotated[str, "what was written"]


async def test_no_reply_is_streamed_as_a_message(serve: Any) -> None:
    async def node(_: Flow) -> Flow:
        models = chat()
        await judge(models)
        await models.text("master", "aside", ASK)
        return {"answer": await collect(models, [])}

    graph = StateGraph(Flow).add_node("node", node).add_edge(START, "node").add_edge("node", END).compile()
    with serve(good) as server:
        streamed = [chunk.text async for chunk, _ in graph.astream({"answer": ""}, stream_mode="messages")]
    assert streamed == []
    assert [bool(request.body.get("stream")) for request in server.requests] == [True, False, True]


def test_several_event_loops_one_after_another(serve: Any) -> None:
    async def both() -> None:
        models = chat()
        assert await judge(models) == Verdict(**GOOD)
        assert await collect(models, [])

    with serve(good) as server:
        for _ in range(3):
            asyncio.run(both())
            gc.collect()  # a connection left open by a loop that is gone would warn here
        assert len(server.requests) == 6


def test_the_server_helper_knows_what_is_asked() -> None:
    named = {"messages": [{"role": "user", "content": 'It must fit the JSON schema "Plan":\n{}'}]}
    assert asked_schema(named) == "Plan"
    assert asked_schema({"messages": []}) is None
    tools = {"tools": [{"type": "function", "function": {"name": "Plan"}}], "messages": []}
    assert structured(tools, {"a": 1}).tool == ("Plan", '{"a": 1}')
    assert json.loads(structured(named, {"a": 1}).content or "") == {"a": 1}
    assert scripted({})(named).status == 500
