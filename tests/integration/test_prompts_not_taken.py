"""Prompts that an endpoint does not take: too long in any words, or with a passage that its filter declines."""

import json

import pytest

from tests.integration.test_models import GOOD, Verdict, chat, serve
from tests.support.openai_server import Reply, asked_mode, prompt, structured, text
from weiwo.models.context_windows import window_memory
from weiwo.models.errors import ModelCallError

pytestmark = pytest.mark.integration
__all__ = ["serve"]

WORDS = "the wardens keep the books of the quay for ten years, and write down each ship and its cargo. " * 9
SIZES = [
    (400, "Trying to keep the first 5000 tokens when context the overflows. Provide a shorter input"),
    (400, "Input is too long for requested model."),
    (400, "Prompt 超长"),
    (400, "something that nobody has written down"),
    (413, "no"),
    (422, "unprocessable"),
    (429, "Request too large for gpt-x on tokens per min (TPM): Limit 2000, Requested 5000. Reduce the length."),
]
FILTER = {
    "error": {"message": "filtered", "code": "content_filter", "innererror": {"code": "ResponsibleAIPolicyViolation"}}
}


def passages(*texts):
    return "\n".join(
        f'<passage n="{n}" title="T{n}" source="{n}.md">\n{words}\n</passage>' for n, words in enumerate(texts, 1)
    )


def ask(*texts):
    return [("system", "Be brief."), ("human", f"Question: who?\n{passages(*texts)}\nNow answer.")]


def taking(most, status, words):
    """A server that takes prompts up to so many characters, and refuses others in its words."""

    def handler(request):
        if len(prompt(request)) > most:
            return Reply(status=status, message=words)
        return structured(request, GOOD) if asked_mode(request) != "text" else text("Good.")

    return handler


async def drafted(models, messages):
    return "".join([delta async for delta in models.stream("writer", "draft", messages)])


async def judged(models, messages):
    return await models.request_structured_reply("master", "assess", messages, Verdict)


@pytest.mark.parametrize(("status", "words"), SIZES)
async def test_a_prompt_that_is_too_long_is_tried_once_with_half_of_it(serve, status, words):
    long = ask(*[f"{n} {WORDS}" for n in range(8)])
    with serve(taking(5_000, status, words)) as server:
        models = chat()
        assert await models.text("writer", "note", long) == "Good."
        first, second = (prompt(request.body) for request in server.requests)
        assert len(second) < 0.6 * len(first)
        assert '<passage n="1"' in second
        assert second.rstrip().endswith("Now answer.")
        identity = models._size("writer")[0].identity
        assert window_memory.window(identity, None) < 3_000
        assert await judged(models, long) == Verdict(**GOOD)


async def test_a_draft_of_unknown_words_is_tried_with_half_too(serve):
    with serve(taking(5_000, 400, "no")) as server:
        assert await drafted(chat(), ask(*[f"{n} {WORDS}" for n in range(8)])) == "Good."
        assert len(server.requests) == 2


@pytest.mark.parametrize(("status", "requests"), [(401, 1), (403, 1), (404, 1), (400, 2)])
async def test_it_is_tried_once_and_never_for_a_key_or_a_name(serve, status, requests):
    with serve(taking(0, status, "no")) as server:
        with pytest.raises(ModelCallError):
            await chat().text("writer", "note", ask(*[f"{n} {WORDS}" for n in range(8)]))
        assert len(server.requests) == requests


async def test_a_short_prompt_and_one_without_passages_are_not_halved(serve):
    with serve(taking(0, 400, "no")) as server:
        for messages in (ask("short"), [("human", "long words " * 2_000)]):
            with pytest.raises(ModelCallError):
                await chat().text("writer", "note", messages)
        assert len(server.requests) == 2


def filtering(request):
    if "knife" in prompt(request):
        return Reply(status=400, body=json.dumps(FILTER))
    return structured(request, GOOD) if asked_mode(request) != "text" else text("Good.")


@pytest.mark.parametrize("place", range(5))
async def test_the_passage_that_a_filter_declines_is_left_out_and_named(serve, place):
    texts = [f"{n} a quiet day" for n in range(5)]
    texts[place] = "a knife fight on the quay"
    with serve(filtering) as server:
        models = chat()
        assert await drafted(models, ask(*texts)) == "Good."
        assert len(server.requests) <= 6
        calls = models.budget.delta().calls
        assert [call.error for call in calls if call.mode == "not_sent"] == [
            f"left out, since the provider's filter declines it: “T{place + 1}” ({place + 1}.md)"
        ]
        known = len(server.requests)
        assert await judged(models, ask(*reversed(texts))) == Verdict(**GOOD)
        assert len(server.requests) == known + 1
        assert all(f'n="{n}"' in prompt(server.requests[-1].body) for n in range(1, 6) if n != 5 - place)


async def test_a_question_that_a_filter_declines_is_declined(serve):
    with serve(filtering) as server:
        for messages in ([("human", "Who has the knife?")], [*ask("a", "b"), ("human", "The knife!")]):
            with pytest.raises(ModelCallError, match="declined"):
                await chat().text("writer", "note", messages)
        assert len(server.requests) <= 1 + 4
