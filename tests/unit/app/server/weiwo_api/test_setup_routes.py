"""Settings set on the page: tried, kept, in force; keys go in and never come out; the operator alone."""

import os

import httpx
import pytest

from weiwo.app.configuration.config_file import config_path, read_config
from weiwo.app.server.access.profiles import profile_of
from weiwo.app.server.weiwo_api import setup_routes

MODEL = {"WEIWO_MODEL": "openai:small", "OPENAI_BASE_URL": "http://127.0.0.1:1/v1", "OPENAI_API_KEY": "sk-very-secret"}


@pytest.fixture(autouse=True)
async def clean(http: httpx.AsyncClient, monkeypatch):  # noqa: ARG001 - whose environment is undone here
    for name in (*MODEL, "WEIWO_WEB", "WEIWO_SEARCH", "TAVILY_API_KEY", "WEIWO_EMBEDDINGS"):
        monkeypatch.setenv(name, "")  # set first, so that it is put back whatever a test leaves
        monkeypatch.delenv(name)


@pytest.fixture
def tried(monkeypatch):
    """What was tried; whether it works is its `works`."""
    seen = {"works": True, "asked": []}

    async def try_settings(kind, settings):
        seen["asked"].append((kind, dict(settings)))
        return {"works": seen["works"], "said": "42", "seconds": 0.1}

    monkeypatch.setattr(setup_routes, "try_settings", try_settings)
    return seen


async def test_a_model_that_answers_is_kept_and_its_key_is_never_told(http: httpx.AsyncClient, tried):
    reply = await http.put("/weiwo/setup/model", json=MODEL)
    assert (reply.status_code, reply.json()["works"], tried["asked"]) == (200, True, [("model", MODEL)])
    assert read_config() == MODEL
    assert config_path().stat().st_mode & 0o077 == 0
    assert (await http.get("/weiwo/info")).json()["models"]["writer"] == "openai:small"
    told = await http.get("/weiwo/setup")
    assert told.json()["values"]["OPENAI_API_KEY"] == "set"
    for text in (reply.text, told.text, (await http.get("/weiwo/settings")).text):
        assert "very-secret" not in text


async def test_one_that_does_not_answer_is_not_kept(http: httpx.AsyncClient, tried):
    tried["works"] = False
    reply = (await http.put("/weiwo/setup/model", json=MODEL)).json()
    assert (reply["works"], reply["said"], reply["setup"]["values"]["WEIWO_MODEL"]) == (False, "42", "")
    assert read_config() == {}
    assert "WEIWO_MODEL" not in os.environ


@pytest.mark.processes
async def test_a_real_trial_says_why_a_model_does_not_answer(http: httpx.AsyncClient):
    reply = (await http.put("/weiwo/setup/embeddings", json={"WEIWO_EMBEDDINGS": "nonsense"})).json()
    assert reply["works"] is False
    assert "not provider:model" in reply["said"]


async def test_what_is_taken_out_is_not_tried(http: httpx.AsyncClient, tried):
    await http.put("/weiwo/setup/model", json=MODEL)
    await http.put("/weiwo/setup/model", json=dict.fromkeys(MODEL, ""))
    assert (len(tried["asked"]), read_config()) == (1, {})
    await http.put("/weiwo/setup/search", json={"WEIWO_WEB": "off", "TAVILY_API_KEY": ""})
    assert (len(tried["asked"]), read_config()) == (1, {"WEIWO_WEB": "off"})


async def test_what_the_environment_sets_is_told_and_stays(http: httpx.AsyncClient, tried, monkeypatch):
    monkeypatch.setenv("WEIWO_MODEL", "openai:theirs")
    assert (await http.get("/weiwo/setup")).json()["fixed"] == ["WEIWO_MODEL"]
    assert (await http.put("/weiwo/setup/model", json=MODEL)).status_code == 409
    assert tried["asked"] == []


async def test_a_key_is_sent_to_no_other_address_than_it_was_given_for(http: httpx.AsyncClient, tried, monkeypatch):
    await http.put("/weiwo/setup/model", json=MODEL)
    elsewhere = {"OPENAI_BASE_URL": "http://127.0.0.1:2/v1", "WEIWO_MODEL": "openai:small"}
    await http.put("/weiwo/setup/model", json=elsewhere)
    assert tried["asked"][-1] == ("model", {**elsewhere, "OPENAI_API_KEY": ""})
    assert read_config() == elsewhere
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-environment")
    assert (await http.put("/weiwo/setup/model", json={"OPENAI_BASE_URL": "http://127.0.0.1:3/v1"})).status_code == 409
    assert read_config() == elsewhere


@pytest.mark.parametrize(
    ("kind", "body", "status"),
    [
        ("model", {"WEIWO_TOOLS": "os:system"}, 422),
        ("model", {"WEIWO_MODEL": "a b"}, 422),
        ("model", {"WEIWO_MODEL": 7}, 422),
        ("model", {"OPENAI_BASE_URL": "file:///etc/passwd"}, 422),
        ("search", {"WEIWO_MODEL": "openai:small"}, 422),
        ("nothing", {}, 404),
        ("budget", {"cost_per_day": "much"}, 422),
        ("budget", {"cost_per_day": True}, 422),
        ("budget", {"cost_per_day": -1}, 422),
    ],
)
async def test_what_cannot_be_set_is_refused(http: httpx.AsyncClient, tried, kind, body, status):
    assert (await http.put(f"/weiwo/setup/{kind}", json=body)).status_code == status
    assert (tried["asked"], read_config()) == ([], {})


async def test_a_budget_a_day_is_kept_among_the_other_profiles(http: httpx.AsyncClient):
    home = config_path().parent
    home.mkdir(exist_ok=True)
    (home / "users.toml").write_text("# mine\n[operator]\nmax_tasks = 7\n\n[ann]\ncost_per_day = 1.5\n")
    assert (await http.put("/weiwo/setup/budget", json={"cost_per_day": 0.5})).json()["cost_per_day"] == 0.5
    assert (await http.put("/weiwo/setup/budget", json={"cost_per_day": 2})).json()["cost_per_day"] == 2
    assert (profile_of(home, "operator").max_tasks, profile_of(home, "ann").cost_per_day) == (7, 1.5)
    assert (await http.put("/weiwo/setup/budget", json={"cost_per_day": None})).json()["cost_per_day"] is None
    assert (home / "users.toml").read_text() == "# mine\n[operator]\nmax_tasks = 7\n\n[ann]\ncost_per_day = 1.5\n"


async def test_others_than_the_operator_see_none_of_it(http: httpx.AsyncClient, monkeypatch):
    monkeypatch.setattr("weiwo.app.server.access.profiles.user_of", lambda _: "ann")
    for method, path in (("GET", ""), ("GET", "/models"), ("PUT", "/model"), ("PUT", "/budget")):
        assert (await http.request(method, f"/weiwo/setup{path}")).status_code == 404
