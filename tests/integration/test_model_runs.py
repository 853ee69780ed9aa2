"""Whole runs against an OpenAI-compatible endpoint that plays models good and bad."""

import asyncio
import json
import re

import pytest

from tests.support.openai_server import (
    always,
    cut,
    error,
    failing,
    fenced,
    ignoring_format,
    in_turn,
    raw,
    refusing_json_schema,
    refusing_tools,
    silent,
    structured,
    unfinished,
)
from tests.support.personas import HELLO, UNANSWERABLE, WU_OR_CAESAR, WU_OR_CAESAR_ZH, good, with_bad_plans
from tests.support.schema import check_result
from weiwo.graph import build_graph
from weiwo.state.settings import Context

pytestmark = pytest.mark.integration
LIMIT = 12
PATIENT = 120
"""Seconds that a slow machine may take where nothing waits for them to be over."""
QUESTIONS = (WU_OR_CAESAR, WU_OR_CAESAR_ZH, HELLO, UNANSWERABLE)


def cut_drafts(request):
    """A good model whose streams break."""
    reply = good(request)
    return cut(reply.content, after=70) if request.get("stream") else reply


def nonsense(request):
    """A model that answers everything with the wrong thing."""
    return structured(request, {"banana": [1, 2, 3]})


MODELS = {
    "good": lambda: good,
    "fenced in prose": lambda: fenced(good),
    "refusing json_schema": lambda: refusing_json_schema(good),
    "refusing json_schema and tools": lambda: refusing_tools(refusing_json_schema(good)),
    "ignoring the format, fenced": lambda: fenced(ignoring_format(good)),
    "one invalid plan": lambda: with_bad_plans(1),
    "two invalid plans": lambda: with_bad_plans(2),
    "only invalid plans": lambda: with_bad_plans(99),
    "429": lambda: failing(429, retry_after="1"),
    "429 then good": lambda: in_turn(error(429, retry_after="0"), good),
    "500": lambda: failing(500),
    "empty body": lambda: always(raw("")),
    "html": lambda: always(raw("<html>Bad gateway</html>")),
    "cut drafts": lambda: cut_drafts,
    "cut everything": lambda: always(cut('{"standalone_question": "x"', after=9)),
    "unfinished streams": lambda: (
        lambda request: unfinished(good(request).content) if request.get("stream") else good(request)
    ),
    "401": lambda: failing(401),
    "nonsense": lambda: nonsense,
}


@pytest.fixture(autouse=True)
def _indexed(weiwo_home, index_sample):
    index_sample(weiwo_home)


async def ask(question, limit=PATIENT, **context):
    graph = build_graph()
    values = await graph.ainvoke(
        {"question": question}, context=Context(model="openai:scripted", max_seconds=limit, web=False, **context)
    )
    return values["result"]


def assert_answered(question, result, server):
    check_result(result)
    assert [one for one in server.requests if question in json.dumps(one.body, ensure_ascii=False)], "it was not asked"
    assert result["answer"]
    assert result["stop_reason"]
    assert server.key not in json.dumps(result)
    if question in {WU_OR_CAESAR, WU_OR_CAESAR_ZH}:
        assert "56" in result["answer"]
        assert result["level"] == "complex"
        assert len(result["plan"]["vertices"]) >= 3
        assert {claim["verdict"] for claim in result["claims"]} <= {"quoted", "matched", "supported", "computed"}
        assert {"156", "100"} <= set("".join(c if c.isdigit() else " " for c in result["answer"]).split())
    if question == HELLO:
        assert (result["level"], result["plan"]) == ("simple", None)
    if question == UNANSWERABLE:
        assert result["status"] in {"partial", "extracts"}
        assert not [claim for claim in result["claims"] if claim["verdict"] in {"quoted", "matched", "supported"}]


TELLING = ("good", "ignoring the format, fenced", "only invalid plans", "500", "cut drafts", "nonsense")
"""Models that take every way a run has; the others differ from them at the endpoint alone."""


@pytest.mark.parametrize(
    ("model", "question"),
    [*((model, WU_OR_CAESAR) for model in MODELS), *((model, one) for model in TELLING for one in QUESTIONS[1:])],
)
async def test_every_model_ends_in_an_answer_in_time(model, question, endpoint):
    server = endpoint(MODELS[model]())
    assert_answered(question, await ask(question), server)


async def test_one_that_never_answers_ends_in_answers_in_time(endpoint):
    """All questions at once: each takes most of its time."""
    server = endpoint(always(silent()))
    for question, answered in zip(
        QUESTIONS, await asyncio.gather(*(ask(one, LIMIT) for one in QUESTIONS)), strict=True
    ):
        assert_answered(question, answered, server)
        errors = [call["error"] for call in answered["usage"]["calls"]]
        waits = [float(found[1]) for error in errors if error and (found := re.search(r"within ([\d.]+) s", error))]
        assert waits
        assert max(waits) <= LIMIT / 2


async def test_a_good_model_decides_everything_and_it_shows(endpoint):
    server = endpoint(good)
    result = await ask(WU_OR_CAESAR)
    assert {call["role"] for call in result["usage"]["calls"]} == {
        *("master", "planner", "executor", "writer", "verifier")
    }
    assert result["usage"]["model_calls"] == len(server.requests) == len(result["usage"]["calls"])
    assert result["usage"]["input_tokens"] > 0
    assert result["outcomes"]["task_1"]["decided_by"] == "model"
    assert [citation["n"] for citation in result["citations"]] == [1, 2, 3]
    assert result["answer"].index("[1]") < result["answer"].index("[2]") < result["answer"].index("[3]")


async def test_invalid_plans_are_sent_back_with_the_validators_words(endpoint):
    server = endpoint(with_bad_plans(2))
    result = await ask(WU_OR_CAESAR)
    plans = [request for request in server.requests if request.schema == "PlanReply"]
    assert len(plans) == 3
    assert "crystal_ball" in plans[1].body["messages"][-1]["content"]
    assert result["status"] == "complete"


async def test_a_limit_on_model_calls_is_a_stop_reason(endpoint):
    server = endpoint(good)
    result = await ask(WU_OR_CAESAR, max_model_calls=3)
    assert len(server.requests) == 3
    assert "56" in result["answer"]
    assert (result["status"], result["stop_reason"]) == ("partial", "max_model_calls")


async def test_a_role_of_its_own_model(endpoint):
    server = endpoint(good)
    await ask(WU_OR_CAESAR, writer_model="openai:another")
    models = {request.body["model"] for request in server.requests}
    assert models == {"scripted", "another"}


async def test_sentences_that_cannot_be_verified_are_sent_back_once_then_marked(endpoint):
    def boastful(request):
        reply = good(request)
        if request.get("stream"):
            return reply.__class__(content=reply.content.replace("in 156 BC", "in 157 BC"))
        return reply

    server = endpoint(boastful)
    result = await ask(WU_OR_CAESAR)
    assert [request.schema for request in server.requests].count("RewriteReply") == 1
    assert "(unverified)" in result["answer"]
    assert "unsupported" in {claim["verdict"] for claim in result["claims"]}
    assert (result["status"], result["stop_reason"]) == ("partial", "unsupported_claims")


async def test_a_rewritten_sentence_takes_its_place(endpoint):
    def corrected(request):
        if '"RewriteReply"' in json.dumps(request):
            listed = re.findall(r"^(\d+): (.+)$", request["messages"][-1]["content"], re.MULTILINE)
            mended = [{"n": int(n), "text": sentence.replace("157", "156")} for n, sentence in listed]
            return structured(request, {"sentences": mended})
        reply = good(request)
        return (
            reply.__class__(content=reply.content.replace("in 156 BC", "in 157 BC")) if request.get("stream") else reply
        )

    endpoint(corrected)
    result = await ask(WU_OR_CAESAR)
    assert "156 BC" in result["answer"]
    assert "157" not in result["answer"]
    assert result["status"] == "complete"


async def test_a_wrong_index_never_reaches_the_reader(endpoint):
    def misnumbered(request):
        reply = good(request)
        return reply.__class__(content=reply.content + " More is known [97].") if request.get("stream") else reply

    endpoint(misnumbered)
    result = await ask(WU_OR_CAESAR)
    assert "97" not in result["answer"]


async def test_follow_ups_are_resolved_by_the_model(endpoint, saver):
    def resolving(request):
        reply = good(request)
        if "how old was he" in json.dumps(request) and "AssessmentReply" in json.dumps(request):
            value = json.loads(reply.content)
            value["standalone_question"] = "How old was Julius Caesar in 44 BC?"
            return structured(request, value)
        return reply

    endpoint(resolving)
    graph = build_graph(saver)
    config = {"configurable": {"thread_id": "talk"}}
    context = Context(model="openai:scripted", max_seconds=PATIENT)
    await graph.ainvoke({"question": "When did Julius Caesar die?"}, config, context=context)
    await graph.ainvoke({"question": "and how old was he then?"}, config, context=context)
    state = (await graph.aget_state(config)).values
    assert state["assessment"].question == "How old was Julius Caesar in 44 BC?"
    assert state["question"] == "and how old was he then?"
    assert [m.type for m in state["messages"]] == ["human", "ai", "human", "ai"]
