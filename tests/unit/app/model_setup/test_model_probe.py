"""Which switch stops a model from thinking, asked of servers that take one, another, all unread or none."""

import asyncio
import json
import time
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from tests.support.virtual_time import now, virtual_time
from weiwo.app.model_setup import model_probe
from weiwo.app.model_setup.model_probe import Speed, _judge, _ThinkingSwitch, find_switch, measure_speed

URL = "http://127.0.0.1:11434/v1"


def server(stops, field="reasoning_content", refuses=()):
    """A server whose model thinks unless the switch `stops` is in the request; fields in `refuses` are an error."""

    def answer(request: httpx.Request) -> httpx.Response:
        body = json.loads(request.content)
        if any(name in body for name in refuses):
            return httpx.Response(400, json={"error": {"message": "unknown field"}})
        if stops in body or stops == "never thinks":
            message = {"content": "42"}
        elif field == "content":
            message = {"content": "<think>17 + 25 is 42</think>42"}
        else:
            message = {"content": "42", field: "17 + 25 is 42"}
        return httpx.Response(200, json={"choices": [{"message": message}]})

    return httpx.MockTransport(answer)


@pytest.mark.parametrize(
    ("transport", "found"),
    [
        (server("never thinks"), _ThinkingSwitch()),
        (server("chat_template_kwargs"), _ThinkingSwitch(thinks=True, switch="enable_thinking")),
        (server("chat_template_kwargs", "content"), _ThinkingSwitch(thinks=True, switch="enable_thinking")),
        (server("reasoning_effort", "reasoning"), _ThinkingSwitch(thinks=True, switch="reasoning_effort")),
        (
            server("reasoning_effort", refuses=["chat_template_kwargs"]),
            _ThinkingSwitch(thinks=True, switch="reasoning_effort"),
        ),
        (server("nothing"), _ThinkingSwitch(thinks=True, switch="")),
        (httpx.MockTransport(lambda _: httpx.Response(500)), _ThinkingSwitch()),
        (httpx.MockTransport(lambda _: httpx.Response(200, text="no JSON")), _ThinkingSwitch()),
        (httpx.MockTransport(lambda _: httpx.Response(200, json={"choices": []})), _ThinkingSwitch()),
    ],
)
async def test_the_switch_that_works_is_found(transport, found):
    assert await find_switch(URL, "m", transport, {}) == found


def counting(reading: float, writing: float) -> httpx.MockTransport:
    """A server that reads and writes so many tokens a second."""

    async def answer(request: httpx.Request) -> httpx.Response:
        body = json.loads(request.content)
        prompt, reply = len(body["messages"][0]["content"]) // 4, body["max_tokens"]
        await asyncio.sleep(prompt / reading + reply / writing)
        usage = {"prompt_tokens": prompt, "completion_tokens": reply}
        return httpx.Response(200, json={"choices": [{"message": {"content": "1, 2"}}], "usage": usage})

    return httpx.MockTransport(answer)


@virtual_time
async def test_the_speed_of_a_model_is_measured_and_sets_its_limits(monkeypatch):
    monkeypatch.setattr(model_probe, "time", SimpleNamespace(monotonic=now, time_ns=time.time_ns))
    speed = await measure_speed(URL, "m", counting(2_000, 400), {})
    assert speed is not None
    assert 1_000 < speed.reading < 2_600
    assert 250 < speed.writing < 420
    assert await measure_speed(URL, "m", httpx.MockTransport(lambda _: httpx.Response(500)), {}) is None
    assert Speed(500, 50).limits({}) == {}
    assert Speed(130, 27).limits({}) == {
        "WEIWO_MODEL_SECONDS": "90",
        "WEIWO_MAX_SECONDS": "210",
        "WEIWO_DEPTH": "quick",
    }
    own = Speed(26, 5).limits({"WEIWO_MAX_SECONDS": "100"})
    assert own == {"WEIWO_MODEL_SECONDS": "360", "WEIWO_DEPTH": "quick"}


def run(*calls: tuple[str, str | None, str | None]) -> dict[str, Any]:
    kept = [
        {"mode": mode, "error": error, "fault": fault, "seconds": 2.0, "output_tokens": 20}
        for mode, error, fault in calls
    ]
    return {"answer": "a", "status": "complete", "usage": {"calls": kept, "seconds": 9.0}}


@pytest.mark.parametrize(
    ("calls", "works", "counts"),
    [
        ([("json_schema", None, None)] * 3, True, (3, 0, 0, 0)),
        ([("json_schema", None, None), ("text", "no reply within 60 s", "late")], False, (2, 0, 1, 0)),
        ([("json_schema", None, None)] * 2 + [("text", "HTTP 500", "server")], True, (3, 1, 0, 0)),
        ([("not_sent", "does not answer", None)] * 11 + [("json_schema", None, None)] * 2, True, (2, 0, 0, 11)),
        ([("not_sent", "does not answer", None)] * 2, False, (0, 0, 0, 2)),
    ],
)
def test_more_than_half_of_the_calls_made_have_to_be_good(calls, works, counts):
    probe = _judge(run(*calls))
    assert (probe.works, (probe.calls, probe.failed, probe.late, probe.unsent)) == (works, counts)
