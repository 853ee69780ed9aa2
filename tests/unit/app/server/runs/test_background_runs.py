"""Runs under way: cancelled, refused, queued, watched while they run, and taken up by the next server."""

import asyncio
import os
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import httpx
import pytest
from langgraph_sdk.client import LangGraphClient

from tests.support.waiting import settle, until
from tests.unit.app.server.conftest import HeldModel, running
from weiwo.app.records import _KEPT_RUNS, Records, RunRecord
from weiwo.app.server.application import create_app
from weiwo.app.server.errors import RequestError
from weiwo.app.server.langgraph_api import run_routes
from weiwo.app.server.runs import background_runs
from weiwo.app.server.runs.background_runs import Runs
from weiwo.app.server.storage import run_log
from weiwo.app.server.storage.run_log import LiveRun, RunLog
from weiwo.graph.persistence.storage import StorageError
from weiwo.state.settings import Settings

QUESTION = {"question": "How long is the Yangtze?"}


@pytest.fixture
def slow(slow_http: httpx.AsyncClient) -> LangGraphClient:
    return LangGraphClient(slow_http)


async def test_a_run_is_cancelled_and_goes_on_where_it_was(slow: LangGraphClient, held: HeldModel):
    run = await slow.runs.create("t", "weiwo", input=QUESTION, if_not_exists="create")
    await held.asked_for.wait()
    assert (await slow.runs.get("t", run["run_id"]))["status"] == "running"
    assert (await slow.threads.get("t"))["status"] == "busy"
    await slow.runs.cancel("t", run["run_id"], wait=True)
    assert (await slow.runs.get("t", run["run_id"]))["status"] == "interrupted"
    assert (await slow.threads.get("t"))["status"] == "interrupted"
    parts = [part async for part in slow.runs.join_stream("t", run["run_id"])]
    assert parts[-1].data["status"] == "interrupted"
    held.let_go.set()
    values = await slow.runs.wait("t", "weiwo", input=None)
    assert values["result"]["question"] == QUESTION["question"]
    assert (await slow.threads.get("t"))["status"] == "idle"


async def test_a_second_run_is_refused_or_waits_or_takes_over(slow: LangGraphClient, held: HeldModel):
    first = await slow.runs.create("t", "weiwo", input=QUESTION, if_not_exists="create")
    await held.asked_for.wait()
    answer = await slow.http.client.post("/threads/t/runs", json={"input": QUESTION, "multitask_strategy": "reject"})
    assert answer.status_code == 409
    assert (await slow.http.client.post("/threads/t/state", json={"values": {}})).status_code == 409
    assert (await slow.http.client.post("/threads/t/runs", json={"command": {"resume": "approve"}})).status_code == 409
    queued = await slow.runs.create("t", "weiwo", input={"question": "Who wrote Faust?"})
    assert (await slow.runs.get("t", queued["run_id"]))["status"] == "pending"
    last = await slow.runs.create("t", "weiwo", input=QUESTION, multitask_strategy="interrupt")
    assert {(await slow.runs.get("t", one["run_id"]))["status"] for one in (first, queued)} == {"interrupted"}
    held.let_go.set()
    assert (await slow.runs.join("t", last["run_id"]))["result"]["question"] == QUESTION["question"]


async def test_records_of_a_newer_server_are_left_alone(tmp_path: Path) -> None:
    async with Records.open(str(tmp_path)) as records:
        await records.put_thread("t", "operator", {})
    with closing(sqlite3.connect(tmp_path / "server.sqlite")) as database:
        database.execute("PRAGMA user_version = 2")
    with pytest.raises(StorageError, match="a newer Weiwo wrote it"):
        async with Records.open(str(tmp_path)):
            pass


async def test_runs_at_their_last_attempt_work_one_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the runs that were at work whenever servers ended, the third end may only cost the one that brings it about."""
    together: list[int] = []
    at_work: set[str] = set()

    async def follow(_: Runs, run: RunRecord, *_more: Any) -> None:
        at_work.add(run.run_id)
        together.append(len(at_work))
        await asyncio.sleep(0.01)
        at_work.discard(run.run_id)

    monkeypatch.setattr(Runs, "_follow", follow)
    async with Records.open(str(tmp_path)) as records:
        request = {"input": QUESTION}
        for n in range(4):
            await records.put_run(RunRecord(f"r{n}", f"t{n}", "operator", n, n, "running", 2, request, ""))
        runs = Runs(
            cast("Any", SimpleNamespace(checkpointer=None)), records, RunLog(records), Settings(home=str(tmp_path))
        )
        assert await runs.take_up() == 4
        await asyncio.wait(list(runs._tasks.values()))
        assert {(await records.run(f"r{n}")).status for n in range(4)} == {"success"}
        await runs.close()
    assert together == [1, 1, 1, 1]


async def test_queued_runs_follow_each_other(slow: LangGraphClient, held: HeldModel):
    first = await slow.runs.create("t", "weiwo", input=QUESTION, if_not_exists="create")
    second = await slow.runs.create("t", "weiwo", input={"question": "How long is the Danube?"})
    held.let_go.set()
    assert (await slow.runs.join("t", second["run_id"]))["result"]["question"] == "How long is the Danube?"
    assert (await slow.runs.get("t", first["run_id"]))["status"] == "success"


async def test_many_watch_a_run_and_none_misses_anything(slow: LangGraphClient, held: HeldModel):
    run = await slow.runs.create("t", "weiwo", input=QUESTION, if_not_exists="create", stream_mode=["custom", "values"])

    async def watched() -> list[str]:
        return [str(part.id) async for part in slow.runs.join_stream("t", run["run_id"])]

    watching = [asyncio.create_task(watched()) for _ in range(10)]
    await held.asked_for.wait()
    held.let_go.set()
    seen = await asyncio.gather(*watching)
    later = await watched()
    assert seen == [later] * 10


async def test_a_client_that_leaves_cancels_only_if_it_says_so(
    slow_http: httpx.AsyncClient, slow: LangGraphClient, held: HeldModel
):
    app: Any = slow_http._transport.app  # type: ignore[attr-defined]
    for on_disconnect in ("continue", "cancel"):
        held.asked_for.clear()
        body = httpx.Request(
            "POST", "http://x", json={"input": QUESTION, "if_not_exists": "create", "on_disconnect": on_disconnect}
        )
        gone = asyncio.Event()
        told = iter([{"type": "http.request", "body": body.read(), "more_body": False}])

        async def receive(told: Any = told, gone: asyncio.Event = gone) -> dict[str, Any]:
            for one in told:
                return dict(one)
            await gone.wait()
            return {"type": "http.disconnect"}

        sent: asyncio.Queue[dict[str, Any]] = asyncio.Queue()

        scope = {
            "type": "http",
            "method": "POST",
            "path": f"/threads/{on_disconnect}/runs/stream",
            "query_string": b"",
            "headers": [],
            "asgi": {},
        }
        request = asyncio.create_task(app(scope, receive, sent.put))
        await held.asked_for.wait()
        head, first = await sent.get(), await sent.get()
        gone.set()
        await request
        (run,) = await slow.runs.list(on_disconnect)
        assert head["status"] == 200
        assert run["run_id"].encode() in first["body"]
        assert run["status"] == ("running" if on_disconnect == "continue" else "interrupted")


async def test_a_server_that_stops_leaves_its_runs_to_the_next(indexed_home: None):  # noqa: ARG001 - a first question need not index
    first, second = HeldModel(), HeldModel()
    async with running(create_app({"models": first})) as client:
        sdk = LangGraphClient(client)
        working = await sdk.runs.create("t", "weiwo", input=QUESTION, if_not_exists="create", stream_mode=["custom"])
        await first.asked_for.wait()
        waiting = await sdk.runs.create("t", "weiwo", input={"question": "How long is the Danube?"})
    second.let_go.set()
    async with running(create_app({"models": second})) as client:
        sdk = LangGraphClient(client)
        parts = [part async for part in sdk.runs.join_stream("t", working["run_id"])]
        assert [part.data["attempt"] for part in parts if part.event == "metadata"] == [1, 2]
        assert parts[-1].data == {"run_id": working["run_id"], "status": "success"}
        ids = [tuple(map(int, str(part.id).split("-"))) for part in parts]
        assert ids == sorted(set(ids))
        values = await sdk.runs.join("t", waiting["run_id"])
        assert values["result"]["question"] == "How long is the Danube?"


async def test_a_run_that_ends_its_server_each_time_is_left_to_a_person(indexed_home: None, held: HeldModel):  # noqa: ARG001 - as above
    request = {"input": QUESTION}
    async with Records.open(os.environ["WEIWO_HOME"]) as records:
        await records.put_thread("t", "operator", {})
        await records.put_run(
            RunRecord("r", "t", "operator", 1.0, 1.0, "running", background_runs._MOST_ATTEMPTS, request, "")
        )
    async with running(create_app({"models": held})) as client:
        run = (await client.get("/threads/t/runs/r")).json()
        assert run["status"] == "error"
        assert "resume the thread" in run["error"]
        assert (await client.get("/threads/t")).json()["status"] == "error"


async def test_a_graph_that_fails_is_told_in_one_line(
    http: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    async def broken(*_: Any, **__: Any) -> AsyncIterator[tuple[str, bytes]]:
        raise RuntimeError("the key is sk-abcdefgh12345678\nand more")
        yield "never", b""

    monkeypatch.setattr(background_runs, "stream_events", broken)
    sdk = LangGraphClient(http)
    with pytest.raises(Exception, match=r"RuntimeError: the key is \*\*\* and more"):
        await sdk.runs.wait("t", "weiwo", input=QUESTION, if_not_exists="create")
    (run,) = await sdk.runs.list("t")
    assert run["status"] == "error"
    assert "sk-abc" not in run["error"]
    assert "RuntimeError: the key is *** and more (test_background_runs.py:" in caplog.text


async def test_a_run_whose_end_cannot_be_kept_says_so(
    http: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    set_status = Records.set_status

    async def full(self: Records, run_id: str, status: Any, *more: Any) -> None:
        if status == "success":
            raise StorageError("server.sqlite; the disk is full; make room")
        await set_status(self, run_id, status, *more)

    monkeypatch.setattr(Records, "set_status", full)
    sdk = LangGraphClient(http)
    parts = [part async for part in sdk.runs.stream("t", "weiwo", input=QUESTION, if_not_exists="create")]
    assert [part.event for part in parts[-2:]] == ["error", "end"]
    assert "the disk is full" in parts[-2].data["message"]
    assert "the disk is full" in caplog.text


async def test_old_runs_that_cannot_be_dropped_leave_the_end_as_it_is(
    http: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    async def full(*_: Any) -> None:
        raise StorageError("server.sqlite; the disk is full; make room")

    monkeypatch.setattr(Records, "trim", full)
    sdk = LangGraphClient(http)
    run = await sdk.runs.create("t", "weiwo", input=QUESTION, if_not_exists="create")
    await until(lambda: "StorageError" in caplog.text)
    parts = [part async for part in sdk.runs.join_stream("t", run["run_id"])]
    assert [part.data for part in parts if part.event in {"error", "end"}] == [
        {"run_id": run["run_id"], "status": "success"}
    ]
    assert "old runs could not be dropped: StorageError" in caplog.text


async def test_events_of_runs_long_ended_are_dropped(tmp_path: Any):
    async with Records.open(str(tmp_path)) as records:
        log = RunLog(records)
        for n in range(_KEPT_RUNS + 3):
            await records.put_run(RunRecord(f"r{n}", "t", "operator", float(n), 0.0, "success", 1, {}, ""))
            log.add(LiveRun(f"r{n}"), "end", b"{}")
        await log.flush()
        await records.trim("operator")
        assert [len(await records.events(f"r{n}", (0, 0))) for n in range(4)] == [0, 0, 0, 1]


async def test_a_run_keeps_its_end_whatever_came_before(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(run_log, "MOST_BYTES", 10)
    live = LiveRun("r")
    kept = [live.add(name, data) for name, data in (("values", b"12345678"), ("values", b"12345678"), ("end", b"{}"))]
    assert [one and one.id for one in kept] == ["1-1", None, "1-2"]


async def test_a_thread_is_watched_from_run_to_run(
    slow_http: httpx.AsyncClient, slow: LangGraphClient, held: HeldModel
):
    engine = slow_http._transport.app.state.engine  # type: ignore[attr-defined]
    held.let_go.set()

    async def ask(question: str) -> str:
        run = await slow.runs.create("t", "weiwo", input={"question": question}, if_not_exists="create")
        await slow.runs.join("t", run["run_id"])
        return str(run["run_id"])

    first = await ask("How long is the Danube?")
    watched = run_routes._watched_thread(engine, "t", "")
    seen, asked = [], [first]
    async for part in watched:
        lines = part.decode().splitlines()
        seen += [line.removeprefix("id: ") for line in lines if line.startswith("id: ")]
        if lines[0] == "event: end" and len(asked) == 1:
            asked.append(await ask("How long is the Yangtze?"))
        elif lines[0] == "event: end":
            break
    await watched.aclose()  # type: ignore[attr-defined]
    assert list(dict.fromkeys(one.partition(":")[0] for one in seen)) == asked
    again = run_routes._watched_thread(engine, "t", seen[0])
    assert f"id: {seen[1]}" in (await anext(again)).decode()
    await again.aclose()  # type: ignore[attr-defined]


async def test_a_second_server_leaves_the_runs_of_the_first_alone(http: httpx.AsyncClient):
    assert (await http.get("/ok")).status_code == 200
    second = create_app()
    with pytest.raises(StorageError, match="another weiwo serve"):
        async with second.router.lifespan_context(second):
            pass


async def test_what_is_asked_outside_of_threads_takes_of_the_same_slots(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background_runs, "_MOST_AT_WORK", 4)
    monkeypatch.setattr(background_runs, "_MOST_UNDER_WAY", 6)
    at_work: list[str] = []
    go = asyncio.Event()

    async def work(runs: Runs, user: str) -> None:
        async with runs.hold_slot(user):
            at_work.append(user)
            await go.wait()

    async with Records.open(str(tmp_path)) as records:
        runs = Runs(
            cast("Any", SimpleNamespace(checkpointer=None)),
            records,
            RunLog(records),
            Settings(home=str(tmp_path)),
            logins=True,
        )
        tasks = [asyncio.create_task(work(runs, "ann")) for _ in range(3)]
        await settle()
        assert at_work == ["ann", "ann"]  # a share leaves room for one user more
        with pytest.raises(RequestError, match="3 of yours, or 6 in all"):
            await work(runs, "ann")
        tasks.append(asyncio.create_task(work(runs, "bob")))
        await settle()
        assert at_work == ["ann", "ann", "bob"]
        go.set()
        await asyncio.gather(*tasks)
