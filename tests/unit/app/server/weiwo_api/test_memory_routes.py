"""What is remembered for each user of a server: theirs alone to list, add to and forget."""

import httpx
import pytest

from tests.unit.app.server.conftest import running
from weiwo.app.server.access.auth import Auth
from weiwo.app.server.access.guard import Rules
from weiwo.app.server.application import create_app
from weiwo.nodes.memory.memory_store import MemoryStore, client_user
from weiwo.nodes.memory.reuse import PlanTemplate

EUROS = {"text": "I work in euros"}
PLAN = PlanTemplate(wording="who is older, ⟨n1⟩ or ⟨n2⟩", language="en", shape="comparison", plan={"vertices": []})


async def texts(client: httpx.AsyncClient) -> list[str]:
    return [one["text"] for one in (await client.get("/weiwo/memory")).json()["wishes"]]


async def test_each_user_lists_and_forgets_what_is_their_own(public, tokens):
    operator, ann = ({"x-api-key": tokens[user]} for user in ("operator", "ann"))
    for user, text in ((operator, "以后都用人民币"), (ann, EUROS["text"]), (ann, "only peer-reviewed sources")):
        assert (await public.post("/weiwo/memory", json={"text": text}, headers=user)).json()["text"] == text
    public.headers.update(operator)
    assert await texts(public) == ["以后都用人民币"]
    (its,) = (await public.get("/weiwo/memory")).json()["wishes"]
    public.headers.update(ann)
    assert sorted(await texts(public)) == ["I work in euros", "only peer-reviewed sources"]
    others = await public.delete(f"/weiwo/memory/wishes/{its['key']}", headers={"accept-language": "zh-CN"})
    assert (others.status_code, others.json()["detail"]) == (404, f"没有编号为 {its['key']!a} 的记忆")
    mine = next(one for one in (await public.get("/weiwo/memory")).json()["wishes"] if one["text"] == EUROS["text"])
    assert (await public.delete(f"/weiwo/memory/wishes/{mine['key']}")).json() == {"forgotten": [mine["key"]]}
    assert (await public.delete(f"/weiwo/memory/wishes/{mine['key']}")).status_code == 404
    assert await texts(public) == ["only peer-reviewed sources"]
    await public.delete("/weiwo/memory/wishes")
    assert await texts(public) == []
    public.headers.update(operator)
    assert await texts(public) == ["以后都用人民币"]
    del public.headers["x-api-key"]
    for method, path in (("GET", ""), ("POST", ""), ("POST", "/offer"), ("DELETE", "/wishes"), ("DELETE", "/wishes/k")):
        assert (await public.request(method, f"/weiwo/memory{path}", json={})).status_code == 401


@pytest.mark.usefixtures("indexed_home")
async def test_plans_are_listed_and_forgotten_and_standing_questions_are_out_of_reach(tokens):
    auth = Auth()
    app = create_app(auth=auth)
    async with running(app, Rules(frozenset()), auth) as client:
        memory = MemoryStore(app.state.engine.graph.store, client_user("ann"))
        await memory.store_entry("plans", PLAN.key, PLAN.model_dump(mode="json"))
        await memory.store_entry("watches", "k", {})
        client.headers["x-api-key"] = tokens["ann"]
        (told,) = (await client.get("/weiwo/memory")).json()["plans"]
        assert (told["key"], told["wording"], told["wins"]) == (PLAN.key, PLAN.wording, 1)
        assert (await client.delete(f"/weiwo/memory/plans/{PLAN.key}")).json() == {"forgotten": [PLAN.key]}
        assert (await client.get("/weiwo/memory")).json()["plans"] == []
        assert (await client.delete("/weiwo/memory/watches/k")).status_code == 404
        assert await memory.get("watches", "k") is not None


@pytest.mark.usefixtures("indexed_home")
async def test_standing_questions_of_an_earlier_version_are_named_when_the_server_starts(caplog):
    app = create_app()
    async with running(app):
        assert "standing" not in caplog.text
        memory = app.state.engine.memory("operator")
        await memory.store_entry("watches", "0c9a5f31", {"question": "How long is the bridge?", "every": 60.0})
    async with running(create_app()):
        assert "standing questions are no longer supported (1 saved: 0c9a5f31 How long is the bridge?" in caplog.text


async def test_what_sounds_lasting_is_offered_and_kept_only_when_sent(http):
    async def offered(message: object) -> object:
        return (await http.post("/weiwo/memory/offer", json={"message": message})).json()["wish"]

    assert await offered("I work in euros. What did the bridge cost?") == {**EUROS, "requested": False, "alone": False}
    assert await offered("记住：我在上海工作。") == {
        "text": "我在上海工作",
        "requested": True,
        "alone": True,
    }
    assert await offered("How long is the Danube?") is None
    assert await offered(7) is None
    assert await texts(http) == []
    for wrong in ({}, {"text": ""}, {"text": "x" * 301}, {"text": 7}):
        assert (await http.post("/weiwo/memory", json=wrong)).status_code == 422
