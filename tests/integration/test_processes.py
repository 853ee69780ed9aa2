"""Several processes, many runs and a server with hiccups on one database: nothing is lost, and nothing is locked."""

import asyncio
import json
import os
import sqlite3
from collections.abc import Callable
from contextlib import suppress
from copy import copy
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg
import pytest
from langgraph.checkpoint.base import empty_checkpoint

from tests.support.command import run_together
from tests.support.many_runs import QUESTIONS, ask_many
from tests.support.openai_server import OpenAIServer
from tests.support.personas import WU_OR_CAESAR, good
from tests.support.waiting import until
from weiwo.graph import build_graph
from weiwo.graph.persistence import postgres_saver
from weiwo.graph.persistence.checkpointer import open_checkpointer
from weiwo.graph.persistence.storage import StorageError
from weiwo.graph.persistence.threads import list_threads
from weiwo.state.settings import Context, Settings

pytestmark = pytest.mark.integration
ROOT = Path(__file__).parents[2]
PROCESSES, RUNS = 4, 4
AT = {"configurable": {"thread_id": "t", "checkpoint_ns": ""}}


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest, weiwo_home: Path) -> str:
    return str(weiwo_home) if request.param == "sqlite" else request.getfixturevalue("postgres_url")


@pytest.fixture
def sample(weiwo_home: Path, index_sample: Callable[[Path], None]) -> None:
    index_sample(weiwo_home)


def opened(database: str) -> Any:
    url = database if database.startswith("postgresql") else None
    return open_checkpointer(Settings(home="/nonexistent" if url else database), url)


@pytest.mark.parametrize(
    ("database", "model"),
    [("sqlite", "rules alone"), ("sqlite", "a model"), ("postgres", "rules alone")],
    indirect=["database"],
)
async def test_processes_that_share_a_database_lose_nothing(database: str, model: str) -> None:
    with OpenAIServer(good) as server:
        env = {**os.environ, "WEIWO_TELEMETRY": "0"}
        if model == "a model":
            env |= server.environment | {"WEIWO_MODEL": "openai:scripted"}
        calls = [partial(ask_many, database, f"p{n}", RUNS) for n in range(PROCESSES)]
        ended = await asyncio.to_thread(run_together, calls, cwd=ROOT, env=env, seconds=240)
    assert [code for code, _, _ in ended] == [0] * PROCESSES, "\n".join(err for _, _, err in ended)
    assert [json.loads(out) for _, out, _ in ended] == [{"complete": RUNS}] * PROCESSES
    async with opened(database) as saver:
        threads = {info.thread_id: info for info in await list_threads(saver, 1_000)}
        assert {info.status for info in threads.values()} == {"complete"}
        for process in range(PROCESSES):
            for n in range(RUNS):
                assert threads.pop(f"p{process}-{n}").question == QUESTIONS[n % 2]
        assert not threads


@pytest.mark.usefixtures("sample")
async def test_many_runs_at_once_wait_for_no_connection_in_vain(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres_saver, "CONNECT_SECONDS", 60)  # what waiting for the pool may take
    async with opened(database) as saver:
        graph = build_graph(saver)

        async def ask(n: int) -> str:
            config = {"configurable": {"thread_id": str(n)}}
            values = await graph.ainvoke(
                {"question": WU_OR_CAESAR}, config, context=Context(web=False, max_seconds=300)
            )
            return str(values["result"]["status"])

        assert await asyncio.gather(*(ask(n) for n in range(24))) == ["complete"] * 24  # a pool has eight connections


# SQLite


async def put(saver: Any, n: int, at: dict[str, Any] | None = None) -> str:
    checkpoint = {**empty_checkpoint(), "channel_values": {"n": n}}
    await saver.aput(at or AT, checkpoint, {"step": n}, {})
    return str(checkpoint["id"])


async def test_what_is_written_at_once_is_written_whole(weiwo_home: Path) -> None:
    async with opened(str(weiwo_home)) as saver:
        # LangGraph copies a saver for each run, before and after it has been written to.
        async with asyncio.timeout(60):  # a write that is lost is waited for in vain
            ids = await asyncio.gather(*(put(copy(saver), n) for n in range(100)))
        at = {"configurable": {**AT["configurable"], "checkpoint_id": ids[7]}}
        await asyncio.gather(*(saver.aput_writes(at, [("a", n), ("b", [n])], f"task-{n}", "~path") for n in range(50)))
        await saver.aput_writes(at, [("a", "again")], "task-3")  # what has been written stays
        found = await saver.aget_tuple(at)
        assert found.checkpoint["channel_values"] == {"n": 7}
        assert sorted(found.pending_writes) == sorted(
            (f"task-{n}", channel, value) for n in range(50) for channel, value in (("a", n), ("b", [n]))
        )
    async with opened(str(weiwo_home)) as saver:
        kept = [item.checkpoint["channel_values"]["n"] async for item in saver.alist(AT)]
    assert sorted(kept) == list(range(100))


async def test_a_cancelled_writer_leaves_no_lock_and_its_words_are_kept(weiwo_home: Path) -> None:
    async with opened(str(weiwo_home)) as saver:
        await put(saver, 0)
        writers = [asyncio.create_task(put(saver, n)) for n in range(1, 6)]
        await asyncio.sleep(0)
        for writer in writers:
            writer.cancel()
        await asyncio.wait(writers)
        await saver.fetch_rows("SELECT 1", ())  # comes after them
        with sqlite3.connect(weiwo_home / "threads.sqlite", timeout=0) as other:
            other.execute("BEGIN IMMEDIATE")  # raises if anybody else is writing
            (count,) = other.execute("SELECT COUNT(*) FROM checkpoints").fetchone()
        other.close()
    assert count == 6


async def test_a_write_that_fails_fails_for_those_who_wait_and_the_next_one_succeeds(weiwo_home: Path) -> None:
    async with opened(str(weiwo_home)) as saver:
        await put(saver, 0)
        await saver.fetch_rows("PRAGMA query_only = ON", ())
        failed = await asyncio.gather(*(put(saver, n) for n in range(1, 4)), return_exceptions=True)
        assert [type(error) for error in failed] == [sqlite3.OperationalError] * 3
        await saver.fetch_rows("PRAGMA query_only = OFF", ())
        await put(saver, 9)
        assert [item.checkpoint["channel_values"]["n"] async for item in saver.alist(AT)] == [9, 0]


@pytest.mark.usefixtures("sample")
@pytest.mark.parametrize("events", range(6))
async def test_a_cancelled_run_can_be_resumed(database: str, events: int) -> None:
    """Also one that is cancelled between a node's end and the edges behind it, which LangGraph takes for finished."""
    async with opened(database) as saver:
        graph = build_graph(saver)
        for n in range(6):
            config = {"configurable": {"thread_id": f"t{n}"}}
            begun = asyncio.Event()

            async def follow(config: Any, begun: asyncio.Event) -> None:
                seen = 0
                async for _ in graph.astream(
                    {"question": WU_OR_CAESAR},
                    config,
                    context=Context(web=False),
                    stream_mode="custom",
                    durability="sync",
                ):
                    if seen == events:
                        begun.set()
                    seen += 1

            run = asyncio.create_task(follow(config, begun))
            await begun.wait()
            await asyncio.sleep(0.001 * n)
            run.cancel()
            with suppress(asyncio.CancelledError):
                await run
            values = await graph.ainvoke(None, config, context=Context(web=False))
            assert "56" in values["result"].get("answer", "")


# Postgres


def name_of(url: str) -> str:
    return urlsplit(url).path.removeprefix("/")


def hang_up(admin: "psycopg.Connection[Any]", url: str) -> int:
    """Break all connections to a database, as a server does that restarts."""
    ended = admin.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", (name_of(url),))
    return len(ended.fetchall())


async def at_rest(saver: Any) -> None:
    """Wait until the pool opens no connection: one that is being opened is none yet that could be broken."""
    await until(lambda: (pool := saver._pool.get_stats())["pool_size"] == pool["pool_available"])


@pytest.mark.usefixtures("sample")
async def test_runs_survive_broken_connections(postgres_url: str, postgres_server: str) -> None:
    broken = 0
    with psycopg.connect(postgres_server, autocommit=True) as admin:
        async with opened(postgres_url) as saver:
            graph = build_graph(saver)

            async def ask(n: int) -> str:
                config = {"configurable": {"thread_id": str(n)}}
                values = await graph.ainvoke(
                    {"question": WU_OR_CAESAR}, config, context=Context(web=False, max_seconds=300), durability="sync"
                )
                return str(values["result"]["status"])

            runs = asyncio.gather(*(ask(n) for n in range(20)))
            for _ in range(10):  # for ever, and a slow machine would never save anything in between
                broken += await asyncio.to_thread(hang_up, admin, postgres_url)
                await asyncio.wait([runs], timeout=0.4)
            assert await runs == ["complete"] * 20
            assert {info.status for info in await list_threads(saver, 100)} == {"complete"}
    assert broken > 1


async def test_a_server_that_is_gone_for_a_moment_is_waited_for(
    postgres_url: str, postgres_server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_saver, "PATIENCE_SECONDS", 600.0)
    name = name_of(postgres_url)
    with psycopg.connect(postgres_server, autocommit=True) as admin:
        async with opened(postgres_url) as saver:
            await put(saver, 1)
            await at_rest(saver)
            admin.execute(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS false')
            assert hang_up(admin, postgres_url)
            writing = asyncio.create_task(put(saver, 2))
            done, _ = await asyncio.wait([writing], timeout=1)
            assert not done
            admin.execute(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS true')
            await writing
            assert [item.checkpoint["channel_values"]["n"] async for item in saver.alist(AT)] == [2, 1]


async def test_a_server_that_stays_away_is_told(
    postgres_url: str, postgres_server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_saver, "PATIENCE_SECONDS", 0.5)
    monkeypatch.setattr(postgres_saver, "CONNECT_SECONDS", 1)
    name = name_of(postgres_url)

    async def lose() -> None:
        async with opened(postgres_url) as saver:
            await put(saver, 1)
            await at_rest(saver)
            admin.execute(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS false')
            hang_up(admin, postgres_url)
            await put(saver, 2)

    with psycopg.connect(postgres_server, autocommit=True) as admin:
        with pytest.raises(StorageError, match="cannot use the database"):
            await lose()
        admin.execute(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS true')
