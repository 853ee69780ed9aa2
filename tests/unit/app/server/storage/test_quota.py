"""What a user may keep on the server is bounded, on every route that keeps something."""

import os
from pathlib import Path
from secrets import token_hex
from typing import Any

import httpx
import pytest

from weiwo.app import records as storage
from weiwo.app.records import Event, Records, RunRecord
from weiwo.app.server.routes import LANGGRAPH_API, OPENAI_API, WEIWO_API
from weiwo.app.server.storage import quota
from weiwo.app.server.storage.quota import Quota, sweep_uploads
from weiwo.state.settings import Settings

ASKED = {"input": {"question": "What is 6 times 7?"}}
CHAT = {"model": "weiwo", "messages": [{"role": "user", "content": "What is 6 times 7?"}]}
KEEPS = (
    ("POST", "/threads", {"metadata": {"a": "b"}}),
    ("PATCH", "/threads/hers", {"metadata": {"a": "b"}}),
    ("POST", "/threads/hers/copy", {}),
    ("POST", "/threads/hers/state", {"values": {"feedback": "x"}, "as_node": "writer"}),
    ("POST", "/threads/hers/runs", ASKED),
    ("POST", "/threads/hers/runs/stream", ASKED),
    ("POST", "/threads/hers/runs/wait", ASKED),
    ("POST", "/runs", ASKED),
    ("POST", "/runs/stream", ASKED),
    ("POST", "/runs/wait", ASKED),
    ("POST", "/v1/chat/completions", CHAT),
    ("POST", "/v1/responses", {"model": "weiwo", "input": "What is 6 times 7?"}),
    ("POST", "/weiwo/threads/hers/fork", {"checkpoint_id": "x"}),
    ("POST", "/weiwo/corpora/notes/files?filename=a.md", {"text": "of a file"}),
)
KEEPS_LITTLE = {
    "/assistants/search", "/assistants/count", "/assistants/{assistant_id}/versions", "/threads/search",
    "/threads/count", "/threads/{thread_id}/state/checkpoint", "/threads/{thread_id}/history",
    "/threads/{thread_id}/runs/{run_id}/cancel", "/threads/{thread_id}/stream/events", "/weiwo/memory/offer",
    "/weiwo/login", "/weiwo/logout", "/weiwo/threads/{thread_id}/plan/check",
    "/threads/{thread_id}/commands",  # begins a run, as the others: an error in its own form
    "/weiwo/setup/budget", "/weiwo/setup/{kind}",  # the operator alone
    "/weiwo/memory", "/weiwo/key",  # 50 wishes of bounded length, one key
    "/weiwo/threads/{thread_id}/feedback",  # by its rate
}  # fmt: skip


@pytest.fixture
async def ann(public: httpx.AsyncClient, tokens: dict[str, str]) -> httpx.AsyncClient:
    public.headers["x-api-key"] = tokens["ann"]
    await public.post("/threads", json={"thread_id": "hers"})
    assert (await public.post("/threads/hers/runs/wait", json=ASKED)).status_code == 200
    return public


def _matches(path: str, route: str) -> bool:
    parts, wanted = path.partition("?")[0].split("/"), route.split("/")
    return len(parts) == len(wanted) and all(b.startswith("{") or a == b for a, b in zip(parts, wanted, strict=True))


def test_every_route_that_changes_something_is_known():
    for route in (*LANGGRAPH_API, *OPENAI_API, *WEIWO_API):
        path, methods = route.path, route.methods - {"GET", "HEAD", "DELETE"}  # type: ignore[attr-defined]
        tried = any(method in methods and _matches(one, path) for method, one, _ in KEEPS)
        assert not methods or tried or path in KEEPS_LITTLE, path


async def test_who_has_too_much_keeps_no_more_and_may_delete(
    ann: httpx.AsyncClient, tokens: dict[str, str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(quota, "MOST_BYTES", 5_000)
    monkeypatch.setattr(quota, "_MEASURED_SECONDS", 0.0)
    monkeypatch.setattr(quota, "_AGAIN_SECONDS", 0.0)
    for method, path, body in KEEPS:
        answer = await ann.request(method, path, json=body)
        assert (method, path, answer.status_code) == (method, path, 413)
    command = {"id": 1, "method": "run.start", "params": ASKED}
    assert "exceeds" in (await ann.post("/threads/hers/commands", json=command)).json()["message"]
    assert (await ann.post("/threads/search", json={})).status_code == 200
    operator = {"x-api-key": tokens["operator"]}
    assert (await ann.post("/runs/wait", json=ASKED, headers=operator)).status_code == 200
    assert (await ann.delete("/threads/hers")).status_code == 204
    assert (await ann.post("/threads", json={})).status_code == 200


async def test_states_and_metadata_are_measured(ann: httpx.AsyncClient):
    settings = Settings.resolve()
    async with Records.open(settings.home) as records:
        mine = Quota(records, settings, None)
        before = await mine._measure("ann")
        assert 5_000 < before < 3_000_000
        edit = {"values": {"feedback": token_hex(150_000)}, "as_node": "writer"}
        for more in (1, 2):
            assert (await ann.post("/threads/hers/state", json=edit)).status_code == 200
            assert await mine._measure("ann") > before + more * 300_000
        new = await ann.post("/threads/hers/copy")
        assert new.status_code == 200
        assert await mine._measure("ann") > 2 * (before + 600_000) * 0.8
        assert await mine.thread_bytes("nowhere") == 0
        assert await mine._measure("bob") == 0


@pytest.mark.parametrize("method", ["POST", "PATCH"])
async def test_what_is_said_of_a_thread_is_short(ann: httpx.AsyncClient, method: str):
    path = "/threads" if method == "POST" else "/threads/hers"
    long = {"metadata": {"a": "x" * 17_000}}
    assert (await ann.request(method, path, json=long)).status_code == 413
    for n in range(20):
        answer = await ann.patch("/threads/hers", json={"metadata": {f"a{n}": "x" * 1_500}})
        assert answer.status_code == (200 if n < 10 else 413)
    assert (await ann.post("/threads/hers/runs", json={**ASKED, **long})).status_code == 413


async def test_an_upload_without_a_length_ends_at_the_quota(ann: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(quota, "MOST_BYTES", 2_000_000)
    sent = 0

    async def body() -> Any:
        nonlocal sent
        for _ in range(100):
            sent += 100_000
            yield b"x" * 100_000

    answer = await ann.post("/weiwo/corpora/notes/files?filename=a.md", content=body())
    assert answer.status_code == 413
    assert not [*(Path(os.environ["WEIWO_HOME"]) / "uploads").glob("*/*")]


def test_what_uploads_left_behind_is_swept(tmp_path: Path):
    folder = tmp_path / "home" / "uploads" / "notes"
    folder.mkdir(parents=True)
    for name in (".a.md.1a2b3c4d.part", "a.md", "b.part"):
        (folder / name).write_text("x")
    sweep_uploads(Settings(home=str(tmp_path / "home")))
    assert {one.name for one in folder.iterdir()} == {"a.md", "b.part"}


async def test_the_events_of_one_user_push_out_nobody_elses(clean_environment: None, monkeypatch: pytest.MonkeyPatch):  # noqa: ARG001 - it sets the home
    monkeypatch.setattr(storage, "_KEPT_RUNS", 3)
    async with Records.open(os.environ["WEIWO_HOME"]) as records:
        for number, owner in enumerate(["bob", *["ann"] * 5]):
            run = RunRecord(f"r{number}", f"t{number}", owner, number, number, "success", 1, {}, "")
            await records.put_run(run)
            await records.append([(run.run_id, Event(1, 1, "end", b"{}", 0.0))])
            await records.trim(owner)
        kept = [number for number in range(6) if await records.events(f"r{number}", (0, 0))]
    assert kept == [0, 3, 4, 5]
