"""Which switch stops a model from thinking, asked of servers that take one, another, all unread or none."""

import json

import httpx
import pytest

from weiwo.app.server.model_setup.model_probe import _ThinkingSwitch, find_switch

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
