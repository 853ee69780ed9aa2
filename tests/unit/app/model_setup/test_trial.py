"""A key is refused before a whole run is made with it; whatever else is wrong, the trial itself says."""

import httpx
import pytest

from weiwo.app.model_setup.trial import refuses_key

ENV = {"WEIWO_MODEL": "openai:gpt-5-mini", "OPENAI_API_KEY": "sk-wrong"}


@pytest.mark.parametrize(
    ("reply", "env", "refused"),
    [
        (httpx.Response(401, json={"error": "Incorrect API key provided"}), {}, True),
        (httpx.Response(200, json={"data": []}), {}, False),
        (httpx.Response(404), {}, False),  # a server without a list of models
        (httpx.Response(403), {}, False),  # a key that may not list models may still be good
        (httpx.ConnectTimeout("late"), {}, False),
        (httpx.Response(401), {"OPENAI_API_KEY": ""}, False),
        (httpx.Response(401), {"WEIWO_MODEL": "anthropic:claude-x"}, False),
    ],
)
async def test_a_key_that_is_refused(reply, env, refused):
    asked = []

    def handle(request: httpx.Request) -> httpx.Response:
        asked.append((str(request.url), request.headers["authorization"]))
        if isinstance(reply, Exception):
            raise reply
        return reply

    assert (
        await refuses_key({**ENV, "OPENAI_BASE_URL": "http://models.corp/v1/", **env}, httpx.MockTransport(handle))
        is refused
    )
    assert asked == [("http://models.corp/v1/models", "Bearer sk-wrong")] * (not env)
