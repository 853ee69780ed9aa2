"""Users beside each other: what the operator sets for each, and whose documents are searched."""

import os
from pathlib import Path

import httpx
import pytest

from weiwo.app.server.access.profiles import (
    Profile,
    choose_corpora,
    own_corpora,
    profile_of,
    read_profiles,
    run_defaults,
    stored_name,
)
from weiwo.app.server.errors import RequestError
from weiwo.state.settings import Context, Settings, SettingsError, operator_defaults
from weiwo.tools.corpus.index.store import STORE


def test_a_profile_counts_as_if_the_environment_said_so(tmp_path: Path):
    (tmp_path / "users.toml").write_text('["*"]\nmax_cost = 0.2\n[ann]\nmax_model_calls = 20\n')
    assert profile_of(tmp_path, "operator") == Profile()
    assert profile_of(tmp_path, "bob").max_cost == 0.2
    with operator_defaults(profile_of(tmp_path, "ann")):
        limits = [
            Settings.resolve(Context(max_model_calls=asked), from_client=True).limits.max_model_calls
            for asked in (5, 500)
        ]
    assert limits == [5, 20]
    assert Settings.resolve(Context(max_model_calls=500)).limits.max_model_calls == 500


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[ann", "users.toml"),
        ("ann = 1", "is not a setting"),
        ("[ann]\nmax_fun = 1", "'max_fun' is not a setting"),
        ("[ann]\nmax_cost = 'much'", "max_cost"),
    ],
)
def test_a_profile_that_cannot_be_read_is_told_in_one_line(tmp_path: Path, text: str, said: str):
    (tmp_path / "users.toml").write_text(text)
    with pytest.raises(SettingsError, match=said) as raised:
        read_profiles(tmp_path)
    assert "\n" not in str(raised.value)


def test_a_name_finds_a_users_own_corpus_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for name in ("notes", stored_name("ann", "notes"), stored_name("bob", "plans")):
        (tmp_path / "corpora" / name).mkdir(parents=True)
        (tmp_path / "corpora" / name / STORE).touch()
    assert own_corpora(tmp_path, "ann") == {"notes": stored_name("ann", "notes")}
    assert run_defaults(tmp_path, "bob").corpus == [stored_name("bob", "plans")]
    assert run_defaults(tmp_path, "operator").corpus is None
    assert choose_corpora(tmp_path, "ann", ["notes"]) == [stored_name("ann", "notes")]
    for name in ("plans", stored_name("bob", "plans"), "/etc", "../corpora/notes"):
        with pytest.raises(RequestError, match="does not exist"):
            choose_corpora(tmp_path, "ann", [name])
    with pytest.raises(RequestError, match="does not exist"):
        choose_corpora(tmp_path, "bob", ["notes"])
    monkeypatch.setenv("WEIWO_CLIENT_FIELDS", "corpus")
    assert choose_corpora(tmp_path, "bob", ["notes"]) == ["notes"]
    with pytest.raises(RequestError, match="does not exist"):
        choose_corpora(tmp_path, "bob", [stored_name("ann", "notes")])


@pytest.mark.processes
async def test_uploads_are_searched_for_whoever_made_them(public: httpx.AsyncClient, tokens: dict[str, str]):
    (Path(os.environ["WEIWO_HOME"]) / "users.toml").write_text("[ann]\nmax_tasks = 7\n")
    ann, operator = {"x-api-key": tokens["ann"]}, {"x-api-key": tokens["operator"]}
    body = b"# Zorb\n\nThe Zorb is 4,321 metres high."
    await public.post("/weiwo/corpora/notes/files?filename=zorb.md", content=body, headers=ann)
    (listed,) = (await public.get("/weiwo/corpora", headers=ann)).json()
    assert (listed["name"], listed["documents"]) == ("notes", 1)
    info = (await public.get("/weiwo/info", headers=ann)).json()
    assert (info["corpora"], info["limits"]["max_tasks"]) == (["notes"], 7)

    async def ask(headers: dict[str, str], **context: object) -> httpx.Response:
        run = {"input": {"question": "How high is the Zorb?"}, "context": context}
        return await public.post("/runs/wait", json=run, headers=headers)

    assert "4,321" in (await ask(ann)).json()["result"]["answer"]
    assert "4,321" in (await ask(ann, corpus=["notes"])).json()["result"]["answer"]
    assert "4,321" not in (await ask(operator)).text
    assert (await ask(operator, corpus=["notes"])).status_code == 404
