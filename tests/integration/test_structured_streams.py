"""Structured replies come as streams: loops are cut, slow is told from dead, what came in time is used."""

import json

import pytest

from tests.integration.test_models import GOOD, Verdict, chat, judge, serve
from tests.support.openai_server import always, in_turn, structured, text
from weiwo.models.attempt import _repeats
from weiwo.models.errors import ModelCallError
from weiwo.models.speed import speed_memory

pytestmark = pytest.mark.integration
__all__ = ["serve"]

SLOW = json.dumps({"level": "simple", "score": 0.25, "why": "because " + "so it is, and more of it " * 9})


@pytest.mark.parametrize(
    ("said", "loops"),
    [
        ('{"queries": [' + '"birth year of Ada Lovelace", ' * 30, True),
        ('{"queries": [' + ", ".join(f'"birth year of person {n}"' for n in range(90)), False),
        ("爱达·洛夫莱斯的出生年份是什么？" * 40, True),
        ('{"value": "x"' + "\n" * 400, True),
        ("| --- " * 200, False),
        ('{"rows": [' + "0, " * 300, False),
        ("It is so. " * 3, False),
        ("a long text that says each thing once, and goes on about others. " * 1, False),
    ],
)
def test_a_loop_is_told_from_a_long_reply(said, loops):
    assert _repeats(said) is loops


async def test_a_loop_is_cut_and_what_came_before_it_is_used(serve):
    looping = '{"level": "simple", "score": 0.25, "more": [' + '"the same query again", ' * 4_000
    with serve(always(text(looping, piece=40, pause=0.001))) as server:
        models = chat()
        assert await judge(models) == Verdict(**GOOD)
        assert len(server.requests) == 1
    assert models.budget.delta().output_tokens < 2_000


async def test_a_loop_with_nothing_in_it_is_no_reply_and_not_asked_again(serve):
    with serve(always(text('{"other": [' + '"the same query again", ' * 4_000, piece=40, pause=0.001))) as server:
        with pytest.raises(ModelCallError, match="repeated itself"):
            await judge(chat())
        assert len(server.requests) == 1


async def test_a_whole_prefix_is_used_at_the_deadline(serve):
    with serve(always(text(SLOW, piece=60, pause=0.7))) as server:  # the first piece has what is needed
        assert await judge(chat(seconds=3)) == Verdict(**GOOD)
        assert len(server.requests) == 1


async def test_a_server_that_is_slow_is_not_taken_for_dead(serve):
    slow = text('{"note": "' + "so it is, word by word and page by page " * 9, piece=4, pause=0.06)
    with serve(in_turn(slow, slow, slow, lambda request: structured(request, GOOD))) as server:
        models = chat(seconds=2, run_id="slow")
        for _ in range(3):
            with pytest.raises(ModelCallError, match="no whole reply within"):
                await judge(models)
        assert await judge(chat(run_id="slow")) == Verdict(**GOOD)
        assert len(server.requests) == 4


async def test_the_bound_is_the_replys_own_once_a_model_does_not_think(serve):
    with serve(always(text(json.dumps(GOOD)))) as server:
        models = chat()
        for _ in range(2):
            await judge(models)
    first, second = (request.body["max_tokens"] for request in server.requests)
    assert first == 2_000 + 16_000
    assert second == 2_000


async def test_a_model_that_thinks_keeps_its_allowance(serve):
    with serve(always(text("<think>hm, a hard one</think>" + json.dumps(GOOD)))) as server:
        models = chat()
        for _ in range(2):
            assert await judge(models) == Verdict(**GOOD)
    assert [request.body["max_tokens"] for request in server.requests] == [18_000, 18_000]


async def test_a_call_that_cannot_end_in_time_is_not_made(serve):
    with serve(always(text(json.dumps(GOOD)))) as server:
        models = chat(max_seconds=20)
        await judge(models)
        identity = models._size("master")[0].identity
        speed_memory.learn(identity, prompt=400, first=400.0, reply=100, rest=20.0)
        with pytest.raises(ModelCallError, match=r"not called, because reading the prompt takes about \d+ s"):
            await judge(models)
        assert len(server.requests) == 1
    assert models.budget.delta().calls[-1].mode == "not_sent"
