"""Replies that would not end, or would end elsewhere: bounded by the run's limits, in size, and to one origin."""

import asyncio
import time

import pytest

from tests.support.openai_server import OpenAIServer, Recorded, Reply, always, error, in_turn, raw, text
from weiwo.models.attempt import _MOST_CHARACTERS
from weiwo.models.budget import Budget
from weiwo.models.errors import ModelCallError
from weiwo.models.gateway import ChatModels
from weiwo.state import Limits
from weiwo.state.settings import Settings

pytestmark = pytest.mark.integration
ASK = [("human", "Well?")]
ENDLESS = "".join(f"Tower {n} is tall. " for n in range(20_000))


@pytest.fixture
def serve(monkeypatch):
    def serving(handler):
        server = OpenAIServer(handler)
        for name, value in server.environment.items():
            monkeypatch.setenv(name, value)
        return server

    return serving


def chat(prices=None, **limits):
    settings = Settings(home="unused", models={"writer": "openai:scripted"}, prices=prices or {}, model_seconds=30)
    return ChatModels(settings, Budget(Limits(**limits)))


async def read(models):
    """What a stream gave, and why it ended."""
    came = []
    try:
        async for delta in models.stream("writer", "draft", ASK):
            came.append(delta)  # noqa: PERF401 - what came must be there when the stream then fails
    except ModelCallError as ended:
        return "".join(came), ended.reason
    return "".join(came), ""


def bound_of(request: Recorded):
    return request.body.get("max_tokens")


async def test_max_tokens_ends_a_stream_under_way_and_is_named(serve):
    with serve(always(text(ENDLESS, usage=None, piece=400))) as server:
        models = chat(max_tokens=3_000)
        came, why = await read(models)
    assert "max_tokens" in why
    assert 1_000 < len(came) < 15_000
    assert models.budget.find_curtailing_limit() == "max_tokens"
    assert 2_000 < bound_of(server.requests[0]) < 3_000
    spent = models.budget.delta()
    assert spent.input_tokens + spent.output_tokens < 4_000


async def test_max_cost_ends_a_stream_under_way_and_is_named(serve):
    with serve(always(text(ENDLESS, usage=None, piece=400))) as server:
        models = chat({"openai:scripted": (1.0, 10.0)}, max_cost=0.02)
        came, why = await read(models)
    assert "max_cost" in why
    assert len(came) < 10_000
    assert models.budget.find_curtailing_limit() == "max_cost"
    assert bound_of(server.requests[0]) < 2_000
    assert models.budget.delta().cost < 0.025


async def test_every_request_carries_a_bound(serve):
    with serve(always(text("Good."))) as server:
        assert await chat().text("writer", "note", ASK) == "Good."
        assert await read(chat()) == ("Good.", "")
    assert [bound_of(request) for request in server.requests] == [32_000, 32_000]


async def test_an_endpoint_that_refuses_the_bound_is_asked_by_another_name_and_then_without(serve):
    refused = error(400, "Unsupported parameter: 'max_tokens' is not supported with this model.")
    other = error(400, "max_completion_tokens is too large: 32000")
    with serve(in_turn(refused, other, text("Good."))) as server:
        assert await chat().text("writer", "note", ASK) == "Good."
        assert await chat().text("writer", "note", ASK) == "Good."
    carried = [request.body.keys() & {"max_tokens", "max_completion_tokens"} for request in server.requests]
    assert carried == [{"max_tokens"}, {"max_completion_tokens"}, set(), set()]


async def test_a_bound_beyond_the_models_window_is_left_out(serve):
    said = "maximum context length is 8192 tokens. However, you requested 32010 (10 in the messages, 32000 in the completion)"
    with serve(in_turn(error(400, said), text("Good."))) as server:
        assert await chat().text("writer", "note", ASK) == "Good."
    assert [bound_of(request) for request in server.requests] == [32_000, None]


@pytest.mark.parametrize("way", ["whole", "stream", "one event"])
async def test_ten_megabytes_do_not_pass_and_block_nothing(serve, way):
    huge = "".join(f"word{n} " for n in range(900_000))
    reply = text(huge, usage=None, piece=len(huge) if way == "one event" else 20_000)
    longest = 0.0

    async def watch():
        nonlocal longest
        while True:
            began = time.thread_time()  # work of this thread, whatever else the machine does
            await asyncio.sleep(0.005)
            longest = max(longest, time.thread_time() - began)

    with serve(always(reply)):
        watcher = asyncio.create_task(watch())
        models = chat()
        if way == "whole":
            with pytest.raises(ModelCallError, match="larger than any answer"):
                await models.text("writer", "note", ASK)
        else:
            came, why = await read(models)
            assert len(came) <= _MOST_CHARACTERS
            assert "longer than" in why or "larger than" in why
        watcher.cancel()
    assert longest < 1.0


@pytest.mark.parametrize("status", [301, 302, 307, 308])
async def test_a_redirect_to_another_origin_is_not_followed(serve, status):
    with OpenAIServer(always(text("stolen"))) as other:
        away = Reply(status=status, headers={"Location": f"{other.url}/chat/completions"}, body="")
        with serve(always(away)), pytest.raises(ModelCallError, match="redirects to another host"):
            await chat().text("writer", "note", ASK)
        assert not other.requests


async def test_a_compressed_reply_is_refused(serve):
    bomb = Reply(body="not really gzip", headers={"Content-Encoding": "gzip"})
    with serve(always(bomb)), pytest.raises(ModelCallError, match="compressed"):
        await chat().text("writer", "note", ASK)
    with serve(always(raw("{" * 3_000_000))), pytest.raises(ModelCallError, match="larger than any answer"):
        await chat().text("writer", "note", ASK)
