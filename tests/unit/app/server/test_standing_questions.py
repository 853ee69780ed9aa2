"""Standing questions asked by the server: what changed in a document is told in the log and by its route, once."""

import logging
from pathlib import Path

import httpx
import pytest
from starlette.applications import Starlette

from tests.unit.app.server.conftest import running
from weiwo.app.server import standing_questions
from weiwo.app.server.application import create_app
from weiwo.app.server.engine import Engine
from weiwo.app.session.session import Session
from weiwo.app.session.watch_runs import run_due_watches
from weiwo.graph.persistence.thread_lock import claimed
from weiwo.nodes.memory.memory_store import MemoryStore, local_user
from weiwo.nodes.memory.watches import Watch, add_watch, list_watches
from weiwo.state.settings import Context

LONG = "How long is the Peace Bridge?"


class StopError(Exception):
    """Ends a loop that has no end."""


async def watch(engine: Engine, looks: int = 1) -> None:
    """Let the background task look so many times."""
    left = [None] * (looks + 1)

    async def pause(_: float) -> None:
        left.pop()
        if not left:
            raise StopError

    with pytest.raises(StopError):
        await standing_questions.watch_forever(engine, {}, pause)


@pytest.fixture
def bridge(tmp_path: Path) -> Path:
    file = tmp_path / "docs" / "bridge.md"
    file.parent.mkdir()
    build(file, 310)
    return file


def build(bridge: Path, metres: int) -> None:
    bridge.write_text(f"# Peace Bridge\n\nThe Peace Bridge is {metres} metres long.\n")


@pytest.fixture
def app(clean_environment: None, monkeypatch: pytest.MonkeyPatch) -> Starlette:  # noqa: ARG001 - it sets the home
    monkeypatch.setenv("WEIWO_WEB", "off")
    return create_app()


@pytest.fixture
async def engine(app: Starlette, bridge: Path):
    async with running(app):
        engine: Engine = app.state.engine
        assert engine.graph.store is not None
        memory = MemoryStore(engine.graph.store, local_user(engine.settings))
        options = Context(corpus=[str(bridge.parent)]).model_dump_json(exclude_none=True)
        await add_watch(memory, Watch(question=LONG, every=60.0, options=options))
        yield engine


async def overdue(engine: Engine) -> Watch:
    """The standing question, as if days had gone by."""
    assert engine.graph.store is not None
    memory = MemoryStore(engine.graph.store, local_user(engine.settings))
    (one,) = await list_watches(memory)
    await memory.put("watches", one.key, one.model_copy(update={"last": 1.0}).model_dump(mode="json"))
    return one


@pytest.mark.processes
async def test_what_changed_is_told_once_with_old_and_new_value(engine: Engine, bridge: Path, caplog):
    caplog.set_level(logging.INFO, standing_questions.__name__)
    await watch(engine, looks=2)
    assert (await overdue(engine)).values[LONG].value == "310 m"
    build(bridge, 330)
    caplog.clear()
    await watch(engine, looks=2)
    kept = await overdue(engine)
    told = [record.getMessage() for record in caplog.records if record.name == standing_questions.__name__]
    assert told == [f"{LONG} 310 m → 330 m [{bridge}] (thread {kept.thread_id})"]


async def test_one_that_another_process_runs_is_left_to_it(engine: Engine):
    session = Session(engine.settings, engine.threads.saver, engine.graph, engine.graph.store)
    one = await overdue(engine)
    async with claimed(engine.settings, f"watch:{local_user(engine.settings)}:{one.key}"):
        assert await run_due_watches(session) == []


async def test_a_look_that_fails_does_not_end_the_later_ones(engine: Engine, monkeypatch: pytest.MonkeyPatch, caplog):
    looks: list[int] = []

    async def broken(_: Session) -> list[object]:
        looks.append(1)
        raise OSError("no disk, key sk-very-secret-value")

    monkeypatch.setattr(standing_questions, "run_due_watches", broken)
    await watch(engine, looks=2)
    assert len(looks) == 2
    monkeypatch.setattr(standing_questions, "build_graph", lambda *_: 1 / 0)
    await watch(engine, looks=1)
    assert "ZeroDivisionError" in caplog.text
    assert "OSError: no disk" in caplog.text
    assert "secret-value" not in caplog.text


async def test_the_route_tells_the_operator_what_is_known(engine: Engine, app: Starlette):
    one = await overdue(engine)
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8300") as client:
        (told,) = (await client.get("/weiwo/watches")).json()["watches"]
    assert (told["key"], told["question"], told["values"], told["changes"]) == (one.key, LONG, {}, [])


async def test_one_is_paused_taken_up_again_and_removed(engine: Engine, app: Starlette):
    one = await overdue(engine)
    session = Session(engine.settings, engine.threads.saver, engine.graph, engine.graph.store)
    path = f"/weiwo/watches/{one.key}"
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8300") as client:
        assert (await client.patch(path, json={"paused": True})).json()["paused"] is True
        assert await run_due_watches(session, everything=True) == []
        assert (await client.patch(path, json={"paused": False})).json()["paused"] is False
        assert (await client.patch(path, json={"paused": "yes"})).status_code == 422
        assert (await client.delete(path)).json() == {"removed": one.key}
        assert (await client.get("/weiwo/watches")).json() == {"watches": []}
        assert (await client.delete(path)).status_code == 404
        assert (await client.patch(path, json={"paused": True})).status_code == 404


async def test_the_route_is_the_operators_alone(public: httpx.AsyncClient, tokens: dict[str, str]):
    await public.post("/weiwo/login", json={"token": tokens["ann"]})
    for method, path in (("GET", "/weiwo/watches"), ("PATCH", "/weiwo/watches/x"), ("DELETE", "/weiwo/watches/x")):
        answer = await public.request(method, path, json={"paused": True})
        assert (answer.status_code, answer.json()["detail"]) == (404, "the route; it is the operator's alone")
