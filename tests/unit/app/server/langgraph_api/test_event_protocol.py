"""The event protocol of `@langchain/react`: what its client is sent of a run, and the commands it sends."""

import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from tests.unit.app.server.conftest import HeldModel
from weiwo.app.records import Event, RunRecord
from weiwo.app.server.errors import RequestError
from weiwo.app.server.langgraph_api.event_protocol import EventEncoder, Subscription
from weiwo.app.server.langgraph_api.protocol_routes import _encode_events
from weiwo.app.server.langgraph_api.run_routes import _to_end

RUN = RunRecord("run", "thread", "operator", 1.0, 1.0, "running", 1, {}, "")
ALL = frozenset({"values", "updates", "messages", "custom", "lifecycle", "input", "checkpoints"})
COMPARED = "Which river is longer, the Danube or the Rhine?"


def encoded(events: list[tuple[str, Any]], subscription: Subscription | None = None) -> list[dict[str, Any]]:
    """The envelopes of a run of these events, one a millisecond."""
    encoder, found = EventEncoder(subscription or Subscription(ALL)), []
    for n, (name, data) in enumerate(events, 1):
        found += encoder.encode(RUN, Event(1, n, name, json.dumps(data).encode(), 1 + n / 1_000))
    return [envelope(one) for one in found]


def envelope(part: bytes) -> dict[str, Any]:
    (data,) = [line.removeprefix(b"data: ") for line in part.splitlines() if line.startswith(b"data: ")]
    return dict(json.loads(data))


def told(envelopes: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    """Each as channel, namespace and what it tells in a word."""
    return [
        (one["method"], "/".join(one["params"]["namespace"]), one["params"]["data"].get("event")) for one in envelopes
    ]


def piece(text: str) -> list[Any]:
    return [{"type": "AIMessageChunk", "id": "m", "content": text}, {"langgraph_node": "writer"}]


def test_a_run_and_its_subgraphs_begin_and_end():
    found = encoded(
        [
            ("metadata", {}),
            ("updates|executor:1|task:2", {"read": {"hits": 1}}),
            ("custom|executor:1|task:2", {"type": "task_started"}),
            ("updates", {"executor": {"outcomes": {}}}),
            ("end", {"status": "success"}),
        ]
    )
    assert told(found) == [
        ("lifecycle", "", "running"),
        ("lifecycle", "executor:1", "started"),
        ("lifecycle", "executor:1/task:2", "started"),
        ("updates", "executor:1/task:2", None),
        ("custom", "", None),
        ("updates", "", None),
        ("lifecycle", "executor:1/task:2", "completed"),
        ("lifecycle", "executor:1", "completed"),
        ("lifecycle", "", "completed"),
    ]
    assert found[4]["params"]["data"] == {"name": "task_started", "payload": {"type": "task_started"}}
    assert found[5]["params"]["node"] == "executor"


def test_a_message_ends_as_checks_have_left_it():
    last = {"type": "ai", "id": "m", "content": "It is 2 km.", "usage_metadata": {"input_tokens": 3}}
    found = encoded(
        [("messages", piece("It is ")), ("messages", piece("3 km.")), ("updates", {"writer": {"messages": [last]}})]
    )
    data = [one["params"]["data"] for one in found if one["method"] == "messages"]
    assert [one["event"] for one in data] == [
        "message-start",
        "content-block-start",
        "content-block-delta",
        "content-block-delta",
        "content-block-finish",
        "message-finish",
    ]
    assert [one["delta"]["text"] for one in data[2:4]] == ["It is ", "3 km."]
    assert (data[4]["content"]["text"], data[5]["usage"]) == ("It is 2 km.", {"input_tokens": 3})


def test_a_message_that_is_broken_off_ends_with_its_run():
    found = encoded([("messages", piece("It is ")), ("end", {"status": "interrupted"})])
    assert told(found)[-3:] == [
        ("messages", "", "content-block-finish"),
        ("messages", "", "message-finish"),
        ("lifecycle", "", "interrupted"),
    ]
    assert found[-3]["params"]["data"]["content"]["text"] == "It is "


def test_what_waits_for_an_answer_is_asked_once_the_run_has_stopped():
    asked = {"__interrupt__": [{"id": "i", "value": {"type": "clarify"}}]}
    found = encoded([("updates|executor:1", asked), ("values", {"plan": 1, **asked}), ("end", {"status": "success"})])
    assert told(found) == [
        ("lifecycle", "executor:1", "started"),
        ("values", "", None),
        ("input.requested", "executor:1", None),
        ("lifecycle", "executor:1", "interrupted"),
        ("lifecycle", "", "interrupted"),
    ]
    assert found[1]["params"]["data"] == {"plan": 1}
    assert found[2]["params"]["data"] == {"interrupt_id": "i", "payload": {"type": "clarify"}}


def test_a_failure_is_told_at_the_end():
    found = encoded([("error", {"message": "no model"}), ("end", {"status": "error"})])
    assert found[0]["params"]["data"] == {"event": "failed", "graph_name": "weiwo", "error": "no model"}


def test_ids_and_numbers_are_the_same_whatever_is_filtered():
    events = [("metadata", {}), ("values|executor:1", {"a": 1}), ("values", {"a": 2}), ("end", {"status": "success"})]
    whole = {one["event_id"]: one["seq"] for one in encoded(events)}
    assert sorted(whole.values()) == list(whole.values())
    few = {one["event_id"]: one["seq"] for one in encoded(events, Subscription(frozenset({"lifecycle"})))}
    assert few.items() < whole.items()
    since = list(whole.values())[2]
    later = encoded(events, Subscription(ALL, since=since))
    assert [one["seq"] for one in later] == list(whole.values())[3:]


@pytest.mark.parametrize(
    ("body", "covered"),
    [
        ({}, ["", "executor:1", "executor:1/task:2"]),
        ({"namespaces": [[]], "depth": 1}, ["", "executor:1"]),
        ({"namespaces": [["executor"]]}, ["executor:1", "executor:1/task:2"]),
        ({"namespaces": [["executor:1"]], "depth": 0}, ["executor:1"]),
        ({"namespaces": [["executor:3"]]}, []),
    ],
)
def test_a_subscription_is_of_subgraphs(body: dict[str, Any], covered: list[str]):
    events = [("values", {"a": 1}), ("values|executor:1", {"a": 1}), ("values|executor:1|task:2", {"a": 1})]
    found = encoded(events, Subscription.of({"channels": ["values"], **body}))
    assert ["/".join(one["params"]["namespace"]) for one in found] == covered


def test_one_kind_of_custom_events_can_be_asked_for():
    events = [("custom", {"type": "planned"}), ("custom", {"type": "finished"})]
    found = encoded(events, Subscription.of({"channels": ["custom:planned"]}))
    assert [one["params"]["data"]["name"] for one in found] == ["planned"]


@pytest.mark.parametrize(
    "body", [{}, {"channels": []}, {"channels": ["thoughts"]}, {"channels": ["values"], "namespaces": [1]}]
)
def test_a_subscription_to_what_is_not_there_is_refused(body: dict[str, Any]):
    with pytest.raises(RequestError, match=r"channels|namespaces") as refused:
        Subscription.of(body)
    assert refused.value.status == 400


async def send(http: httpx.AsyncClient, method: str, **params: Any) -> dict[str, Any]:
    answer = await http.post("/threads/t/commands", json={"id": 7, "method": method, "params": params})
    return dict(answer.json())


async def envelopes(stream: AsyncIterator[bytes]) -> AsyncIterator[dict[str, Any]]:
    """What a watcher is sent, without heartbeats."""
    async for part in stream:
        if part.startswith(b"event"):
            yield envelope(part)


async def to_the_end(stream: AsyncIterator[bytes]) -> list[dict[str, Any]]:
    """What a watcher is sent up to the end of a run."""
    found = []
    async for one in envelopes(stream):
        found.append(one)
        if told([one])[0] in {("lifecycle", "", state) for state in ("completed", "interrupted", "failed")}:
            break
    return found


async def test_commands_start_a_run_and_answer_what_it_asks(http: httpx.AsyncClient):
    context = {"configurable": {"approve_plan": True, "thread_id": "t"}}
    started = await send(http, "run.start", assistant_id="weiwo", input={"question": COMPARED}, config=context)
    assert (started["type"], started["id"]) == ("success", 7)
    engine = http._transport.app.state.engine  # type: ignore[attr-defined]
    watched = _encode_events(engine, "t", Subscription(ALL))
    first = await to_the_end(watched)
    (asked,) = [one["params"]["data"] for one in first if one["method"] == "input.requested"]
    assert asked["payload"]["type"] == "approve_plan"
    assert started["meta"]["applied_through_seq"] < first[0]["seq"]

    unknown = await send(http, "input.respond", interrupt_id="none", response="approve")
    assert (unknown["type"], unknown["error"]) == ("error", "no_such_interrupt")
    answered = await send(http, "input.respond", interrupt_id=asked["interrupt_id"], response="approve", namespace=[])
    assert (answered["type"], answered["result"]) == ("success", {})
    second = await to_the_end(watched)  # the same connection goes on with the next run
    await watched.aclose()  # type: ignore[attr-defined]
    assert told(second)[0] == ("lifecycle", "", "running")
    assert told(second)[-1] == ("lifecycle", "", "completed")
    assert first[-1]["seq"] < answered["meta"]["applied_through_seq"] < second[0]["seq"]
    values = [one["params"]["data"] for one in second if one["method"] == "values" and not one["params"]["namespace"]]
    assert values[-1]["result"]["question"] == COMPARED

    again = _encode_events(engine, "t", Subscription(ALL, since=second[3]["seq"]))
    assert await to_the_end(again) == second[4:]
    await again.aclose()  # type: ignore[attr-defined]

    (run, _) = await engine.records.runs("t", 2)
    *_, end = [event async for event in engine.log.follow(run.run_id)]
    assert [event async for event in _to_end(engine, run, (end.attempt, end.seq))] == []
    assert [event async for event in _to_end(engine, run, (end.attempt, end.seq - 1))] == [end]


async def test_a_run_whose_end_was_never_told_has_one(http: httpx.AsyncClient):
    engine = http._transport.app.state.engine  # type: ignore[attr-defined]
    await engine.records.put_thread("t", "operator", {})
    await engine.records.put_run(RunRecord("r", "t", "operator", 1.0, 1.0, "error", 3, {}, "the server ended 3 times"))
    watched = _encode_events(engine, "t", Subscription(ALL))
    assert (await to_the_end(watched))[-1]["params"]["data"]["error"] == "the server ended 3 times"
    await watched.aclose()  # type: ignore[attr-defined]


async def test_a_watcher_learns_of_the_next_run_at_once(slow_http: httpx.AsyncClient, held: HeldModel):
    engine = slow_http._transport.app.state.engine  # type: ignore[attr-defined]
    await slow_http.post("/threads", json={"thread_id": "t"})
    coming = engine.log.begun
    assert not coming.is_set()
    started = await send(slow_http, "run.start", input={"question": COMPARED})
    assert coming.is_set()
    watched = _encode_events(engine, "t", Subscription(ALL))
    assert told([await anext(envelopes(watched))]) == [("lifecycle", "", "running")]
    await watched.aclose()  # type: ignore[attr-defined]
    await slow_http.post(f"/threads/t/runs/{started['result']['run_id']}/cancel?wait=1")
    held.let_go.set()


async def test_a_thread_of_another_user_is_neither_watched_nor_answered(
    public: httpx.AsyncClient, tokens: dict[str, str]
):
    ann, operator = ({"x-api-key": tokens[user]} for user in ("ann", "operator"))
    hers = (await public.post("/threads", json={}, headers=ann)).json()["thread_id"]
    watched = await public.post(f"/threads/{hers}/stream/events", json={"channels": ["values"]}, headers=operator)
    assert watched.status_code == 404
    for method in ("run.start", "input.respond"):
        command = {"id": 1, "method": method, "params": {"input": {"question": COMPARED}}}
        answer = (await public.post(f"/threads/{hers}/commands", json=command, headers=operator)).json()
        assert answer["type"] == "error"
    assert (await public.get(f"/threads/{hers}/runs", headers=ann)).json() == []
    assert (await public.post(f"/threads/{hers}/commands", json={"id": 1})).status_code == 401


async def test_bad_commands_are_refused(http: httpx.AsyncClient):
    assert (await http.post("/threads/t/commands", json={"method": "run.start"})).status_code == 400
    assert (await send(http, "run.stop"))["error"] == "unknown_command"
    assert (await send(http, "subscription.subscribe", channels=["values"]))["error"] == "not_supported"
    assert (await send(http, "run.start", input={"question": ""}))["error"] == "invalid_argument"
    assert (await send(http, "run.start", assistant_id="other", input={"question": "?"}))["error"] == "no_such_run"
    assert (await send(http, "input.respond", responses=[]))["error"] == "no_such_run"
    assert (await http.post("/threads/none/stream/events", json={"channels": ["values"]})).status_code == 404
