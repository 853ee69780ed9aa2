"""Earlier answers on a server: given again to a client that asks for its own, with age and thread, and else never."""

from typing import Any

import httpx
import pytest
from langgraph_sdk.client import LangGraphClient

from tests.support.fake_model import FakeModel, assessed, fake, found
from tests.unit.app.server.conftest import running
from weiwo.app.server.access.auth import Auth
from weiwo.app.server.access.guard import Rules
from weiwo.app.server.application import create_app

LONG = "How long is the Yangtze?"


@pytest.fixture
def model() -> FakeModel:
    return fake(
        AssessmentReply=assessed(LONG),
        ToolAssessmentReply=assessed(LONG),
        ReadReply=found("6,300 kilometres", "6,300 kilometres"),
        EntailmentReply={"verdicts": [{"n": 1, "verdict": "supported"}]},
        draft="The Yangtze is 6,300 kilometres long [1].",
    )


async def ask(http: httpx.AsyncClient, **context: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """The result of a run on a thread of its own, and the event that it ended with."""
    sdk = LangGraphClient(http)
    thread_id = (await sdk.threads.create())["thread_id"]
    given: Any = {"input": {"question": LONG}, "stream_mode": ["custom", "values", "debug"], "context": context}
    parts = [part async for part in sdk.runs.stream(thread_id, "weiwo", **given)]
    assert parts[-1].data["status"] == "success"
    result = [part.data for part in parts if part.event == "values"][-1]["result"]
    return result, [part.data for part in parts if part.event == "custom"][-1]


@pytest.mark.usefixtures("indexed_home")
async def test_a_client_asks_for_its_own_earlier_answers(model, tokens, monkeypatch):
    monkeypatch.setenv("WEIWO_WEB", "off")
    auth = Auth()
    async with running(create_app({"models": model}, auth), Rules(frozenset()), auth) as http:
        http.headers["x-api-key"] = tokens["operator"]
        first, ended = await ask(http, answer_memory=True)
        assert "from_thread" not in first
        assert "from_thread" not in ended
        calls = len(model.requests)
        again, ended = await ask(http, answer_memory=True)
        assert len(model.requests) == calls
        assert (again["from_thread"], ended["from_thread"]) == (first["thread_id"],) * 2
        assert again["answered_at"] == ended["answered_at"]
        for context in ({}, {"answer_memory": "renew"}):  # a program is answered anew
            renewed, _ = await ask(http, **context)
            assert "from_thread" not in renewed
        assert (await ask(http, answer_memory=True))[0]["from_thread"] == renewed["thread_id"]

        http.headers["x-api-key"] = tokens["ann"]
        hers, _ = await ask(http, answer_memory=True)
        assert "from_thread" not in hers
        assert (await ask(http, answer_memory=True))[0]["from_thread"] == hers["thread_id"]
        told = await http.post(f"/weiwo/threads/{hers['thread_id']}/feedback", json={"good": False})
        assert told.json()["kept"]
        anew, _ = await ask(http, answer_memory=True)
        assert "from_thread" not in anew

        (kept,) = (await http.get("/weiwo/memory")).json()["answers"]
        assert (kept["question"], kept["thread_id"]) == (LONG, anew["thread_id"])
        http.headers["x-api-key"] = tokens["operator"]
        (its,) = (await http.get("/weiwo/memory")).json()["answers"]
        assert its["thread_id"] == renewed["thread_id"]
        assert (await http.delete(f"/weiwo/memory/answers/{its['key']}")).json() == {"forgotten": [its["key"]]}
        assert (await http.get("/weiwo/memory")).json()["answers"] == []
        http.headers["x-api-key"] = tokens["ann"]
        assert (await ask(http, answer_memory=True))[0]["from_thread"] == anew["thread_id"]
        await http.delete(f"/threads/{anew['thread_id']}")
        assert (await http.get("/weiwo/memory")).json()["answers"] == [], (
            "a thread that is deleted takes its answer along"
        )

        await http.post("/weiwo/memory", json={"text": "I work in euros"})
        for user, is_told in (("ann", True), ("operator", False)):
            http.headers["x-api-key"] = tokens[user]
            model.requests.clear()
            await ask(http)
            assert any("I work in euros" in request.text for request in model.requests) is is_told
