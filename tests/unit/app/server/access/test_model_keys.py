"""Users' own model keys: whose runs ask with which, and where a key can be read."""

import logging
import os
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.fake_model import FakeModel
from weiwo.models import model_cache
from weiwo.models.endpoint import Endpoint, own_key, resolve_endpoint
from weiwo.models.model_cache import _clients_of_this_loop, make_model

ANNS = "a-secret-of-ann-4711"


def files_with(secret: str) -> list[Path]:
    home = Path(os.environ["WEIWO_HOME"])
    return [one for one in home.rglob("*") if one.is_file() and secret.encode() in one.read_bytes()]


def test_a_users_own_key_stands_in_for_that_of_the_environment(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OPENAI_API_KEY", "of-the-operator")
    before = resolve_endpoint("openai:m")
    with own_key("of-ann"):
        anns, other = resolve_endpoint("openai:m"), resolve_endpoint("anthropic:m")
    assert [one.api_key for one in (before, anns, other)] == ["of-the-operator", "of-ann", "of-ann"]
    assert resolve_endpoint("openai:m") == before
    assert before.identity == "openai:m"
    assert anns.identity != before.identity  # a key that is refused is nobody else's trouble
    assert not any("of-ann" in shown for shown in (anns.identity, repr(anns)))


def test_a_model_that_takes_no_key_is_not_made_with_the_environments():
    made: list[dict[str, Any]] = []

    def make(_: str, **options: Any) -> FakeModel:
        made.append(options)
        raise TypeError("no such option")

    with pytest.raises(TypeError):
        model_cache._init(make, "other:m", {"timeout": 1, "api_key": "of-ann"})
    assert [one.get("api_key") for one in made] == ["of-ann"]


async def test_each_users_runs_ask_with_his_key_and_nobody_reads_it(
    public: httpx.AsyncClient,
    tokens: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
):
    asked: list[str] = []

    def making(endpoint: Endpoint, *_: Any) -> FakeModel:
        asked.append(endpoint.api_key)
        return FakeModel(script={})

    monkeypatch.setattr(model_cache, "make_model", making)
    monkeypatch.setenv("WEIWO_MODEL", "openai:m")
    monkeypatch.setenv("OPENAI_API_KEY", "of-the-operator")
    caplog.set_level(logging.DEBUG)
    ann, operator = ({"authorization": f"Bearer {tokens[user]}"} for user in ("ann", "operator"))
    question = {"input": {"question": "How long is the Yangtze?"}}

    assert (await public.get("/weiwo/key", headers=ann)).json() == {"key": None}
    for wrong in ("", "short", "with blanks in it", "ключ-ключ"):
        assert (await public.put("/weiwo/key", json={"key": wrong}, headers=ann)).status_code == 422
    seen = [await public.put("/weiwo/key", json={"key": ANNS}, headers=ann)]
    assert seen[0].json() == {"key": "…4711"}
    assert (await public.get("/weiwo/key", headers=operator)).json() == {"key": None}
    seen.append(await public.post("/runs/wait", json=question, headers=ann))
    assert set(asked) == {ANNS}
    asked.clear()
    seen.append(await public.post("/runs/wait", json=question, headers=operator))
    assert set(asked) == {"of-the-operator"}
    seen += [await public.get(path, headers=ann) for path in ("/weiwo/key", "/weiwo/info")]
    assert not any(ANNS in one.text for one in seen)
    assert ANNS not in caplog.text
    holding = files_with(ANNS)
    assert {one.name.partition("-")[0] for one in holding} == {"server.sqlite"}
    assert {one.stat().st_mode & 0o077 for one in holding} == {0}

    assert (await public.delete("/weiwo/key", headers=ann)).json() == {"key": None}
    await (await _clients_of_this_loop()).closer.aclose()
    asked.clear()
    await public.post("/runs/wait", json=question, headers=ann)
    assert set(asked) == {"of-the-operator"}


async def test_without_logins_the_key_is_the_environments(http: httpx.AsyncClient):
    answer = await http.put("/weiwo/key", json={"key": ANNS}, headers={"origin": "http://127.0.0.1:8300"})
    assert answer.status_code == 404


def test_make_model_gives_an_own_key_to_any_provider(monkeypatch: pytest.MonkeyPatch):
    given: dict[str, Any] = {}
    monkeypatch.setattr(
        model_cache, "_init", lambda _, name, options: given.update(options, name=name) or FakeModel(script={})
    )
    make_model(Endpoint("other:m", "other", api_key="of-ann", own=True), 1.0, None)
    assert (given["name"], given["api_key"]) == ("other:m", "of-ann")
