"""What is malformed is refused with 4xx and one line; an error tells no folder of the server."""

import os
import sqlite3
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from tests.unit.app.server.conftest import running
from weiwo.app.server.access.guard import Rules
from weiwo.app.server.application import create_app
from weiwo.app.server.errors import RequestError, describe_outside
from weiwo.app.server.weiwo_api import answer_routes
from weiwo.app.server.weiwo_api.uploads import _safe_name
from weiwo.app.session.runs import OPTIONS_KEY
from weiwo.app.session.thread import Thread
from weiwo.app.session.waiting import Waiting
from weiwo.graph.persistence import store as store_module
from weiwo.graph.persistence.storage import StorageError
from weiwo.graph.persistence.store import open_store
from weiwo.state.settings import Settings

ASKED = {"input": {"question": "What is 6 times 7?"}}


def nested(depth: int) -> Any:
    value: Any = "x"
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/threads/t/history", {"metadata": {'a"b': 1}}),
        ("/threads/t/history", {"metadata": {"a'b]": {"c": 2}}}),
        ("/threads/t/history", {"checkpoint": {"checkpoint_id": {"a": 1}}}),
        ("/threads/t/history", {"before": {"checkpoint_id": ["x"]}}),
        ("/threads/t/state/checkpoint", {"checkpoint": {"checkpoint_ns": 7}}),
        ("/threads/t/state", {"checkpoint_id": {"$a": 1}, "values": {}, "as_node": "planner"}),
        ("/threads", {"metadata": nested(900)}),
        ("/threads", {"metadata": {"a": nested(150)}}),
        ("/threads/search", {"ids": 7}),
        ("/threads/count", {"ids": {"a": 1}}),
        ("/threads/search", {"offset": "x"}),
        ("/assistants/search", {"metadata": 7}),
        ("/assistants/count", {"metadata": 7}),
        ("/assistants/search", {"graph_id": ["x"]}),
        ("/runs/wait", {**ASKED, "assistant_id": {"a": 1}}),
        ("/threads/t/runs", {**ASKED, "metadata": [1]}),
        ("/threads/t/runs", {**ASKED, "context": nested(500)}),
        ("/threads/t/runs", {"input": None, "checkpoint": {"checkpoint_id": [1]}}),
        ("/weiwo/threads/t/fork", {"checkpoint_id": "x", "plan": nested(900)}),
        ("/weiwo/threads/t/plan/check", {"plan": nested(900)}),
    ],
)
async def test_what_is_malformed_is_refused(http: httpx.AsyncClient, path: str, body: dict[str, Any]):
    await http.post("/threads", json={"thread_id": "t"})
    answer = await http.post(path, json=body)
    assert answer.status_code == 422
    assert "\n" not in answer.json()["detail"]


@pytest.mark.usefixtures("indexed_home")
@pytest.mark.parametrize("origin", ["http://[", "http://[::1", "https://a]b", "http://[v1.x]:y"])
async def test_an_origin_that_is_no_address_is_foreign(origin: str):
    async with running(create_app(), Rules()) as client:
        assert (await client.post("/threads", headers={"origin": origin})).status_code == 403


async def test_what_is_deep_but_usual_is_taken(http: httpx.AsyncClient):
    made = await http.post("/threads", json={"metadata": {"a": nested(60), "b": "[" * 500}})
    assert made.status_code == 200
    assert made.json()["metadata"]["a"] == nested(60)


async def test_an_error_of_the_server_tells_no_folder(http: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch):
    path = Path(os.environ["WEIWO_HOME"]) / "threads.sqlite"

    async def full(*_: Any, **__: Any) -> None:
        raise StorageError(f"cannot use {path}: database or disk is full; free some space")

    monkeypatch.setattr("weiwo.app.records.Records.thread", full)
    answer = await http.get("/threads/t")
    assert (answer.status_code, answer.json()["detail"]) == (
        500,
        "cannot use …/threads.sqlite: database or disk is full; free some space",
    )


@pytest.mark.parametrize(
    ("told", "shown"),
    [
        ("cannot use /home/ann/.weiwo/a.sqlite: why", "cannot use …/a.sqlite: why"),
        ("'/srv/x y/z/a.md': gone", "'…/x y/z/a.md': gone"),
        ("~/.weiwo/users.toml: [ann] no", "…/users.toml: [ann] no"),
        ("ask https://a.org/b/c; see docs/serve.md", "ask https://a.org/b/c; see docs/serve.md"),
        ("1/2 of a/b/c", "1/2 of a/b/c"),
    ],
)
def test_folders_are_hidden_and_addresses_are_not(told: str, shown: str):
    assert describe_outside(StorageError(told)) == shown


def test_files_of_different_names_stay_apart():
    given = [
        "a?.md",
        "a*.md",
        "x/a.md",
        "y/a.md",
        "y\\a.md",
        "a.md",
        " a.md",
        "a.md ",
        f"{'n' * 130}.md",
        f"{'n' * 131}.md",
    ]
    names = [_safe_name(one) for one in given]
    assert len({*names}) == len(given)
    assert names[5] == "a.md"
    assert all(len(one) <= 120 and one.endswith(".md") and "/" not in one for one in names)
    assert _safe_name("e\u0301.md") == _safe_name("\u00e9.md") == "\u00e9.md"
    assert _safe_name("说明 (2).pdf") == "说明 (2).pdf"
    assert _safe_name("x?") == _safe_name("x?")
    for wrong in ("", "??", "...", "/"):
        with pytest.raises(RequestError):
            _safe_name(wrong)


@pytest.mark.processes
async def test_a_file_of_another_name_replaces_none(http: httpx.AsyncClient):
    for name, words in (("a?.md", "The tower is red."), ("a*.md", "The tower is blue.")):
        path = f"/weiwo/corpora/notes/files?filename={quote(name)}"
        assert (await http.post(path, content=words)).status_code == 200
    (corpus,) = [one for one in (await http.get("/weiwo/corpora")).json() if one["name"] == "notes"]
    assert corpus["documents"] == 2


@pytest.mark.parametrize("why", ["attempt to write a readonly database", "unable to open database file"])
async def test_a_home_that_cannot_be_written_is_not_to_be_deleted(
    tmp_path: Path, why: str, monkeypatch: pytest.MonkeyPatch
):
    def shut(*_: Any) -> None:
        raise sqlite3.OperationalError(why)

    monkeypatch.setattr(store_module, "_openable", shut)
    told: list[str] = []
    async with open_store(Settings(home=str(tmp_path)), warn=told.append) as store:
        assert store is None
    assert len(told) == 1
    assert "writable" in told[0]
    assert "delete" not in told[0]


async def test_no_corpus_is_opened_because_a_threads_metadata_name_it(
    public: httpx.AsyncClient, tokens: dict[str, str], monkeypatch: pytest.MonkeyPatch
):
    opened: list[Any] = []

    async def spy(_values: Any, citation: Any, settings: Settings) -> dict[str, Any]:
        opened.append(settings.corpus)
        return {"n": citation["n"]}

    async def load(*_: Any) -> Thread:
        said = {OPTIONS_KEY: '{"corpus": ["/etc"]}'}
        return Thread("t", {"result": {"citations": [{"n": 1}]}}, Waiting((), "", ()), {}, said)

    monkeypatch.setattr(answer_routes, "_passage_in_context", spy)
    monkeypatch.setattr(answer_routes, "_load_thread", load)
    for user in ("ann", "operator"):
        answer = await public.get("/weiwo/threads/t/passages/1", headers={"x-api-key": tokens[user]})
        assert answer.status_code == 200
    assert [tuple(one or ()) for one in opened] == [(), ("/etc",)]
