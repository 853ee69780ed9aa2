"""A process whose claim on a thread is past writes nothing more, however it lost it; an older version is refused."""

import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from langchain_core.tools import tool
from langgraph.checkpoint.base import empty_checkpoint
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.store.base import BaseStore

from tests.integration.test_consent import QUESTION, planning
from tests.integration.test_consent import closing as closing_tool
from weiwo.app.server.engine import Engine
from weiwo.app.server.errors import RequestError
from weiwo.graph import build_graph
from weiwo.graph.persistence.checkpointer import open_checkpointer
from weiwo.graph.persistence.claims import LostClaimError, ThreadClaim, current_claim, under_claim
from weiwo.graph.persistence.forks import ForkError, branch, fork
from weiwo.graph.persistence.storage import StorageError
from weiwo.graph.persistence.store import open_store
from weiwo.graph.persistence.thread_lock import ThreadBusyError, claim_thread
from weiwo.state.settings import Context, Settings

pytestmark = pytest.mark.integration
ROOT = Path(__file__).parents[2]
HOLDERS = (
    "SELECT pid FROM pg_locks JOIN pg_database ON pg_database.oid = database"
    " WHERE locktype = 'advisory' AND granted AND datname = current_database() AND pid <> pg_backend_pid()"
)
"""Sessions that hold a claim."""
END_HOLDERS = HOLDERS.replace("SELECT pid", "SELECT pg_terminate_backend(pid)", 1)
AT: Any = {"configurable": {"thread_id": "t", "checkpoint_ns": ""}}


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest) -> str | None:
    return request.getfixturevalue("postgres_url") if request.param == "postgres" else None


@pytest.fixture
def settings(weiwo_home: Path, index_sample: Any) -> Settings:
    index_sample(weiwo_home)
    return Settings(home=str(weiwo_home))


@pytest.fixture
async def saver(settings: Settings, url: str | None) -> AsyncIterator[Any]:
    async with open_checkpointer(settings, url) as opened:
        yield opened


@pytest.fixture
async def store(settings: Settings, url: str | None) -> AsyncIterator[BaseStore | None]:
    async with open_store(settings, url) as opened:
        yield opened


async def _put(saver: Any) -> Any:
    return await saver.aput(AT, empty_checkpoint(), {"source": "loop", "step": 1, "parents": {}}, {})


async def test_every_write_of_a_past_claim_is_refused(saver, store):
    mine = ThreadClaim("t", await saver.raise_epoch("t"))
    with under_claim(mine):
        where = await _put(saver)
        await store.aput(("kept",), "before", {"text": "mine"})
        assert await saver.acting_log.add("call", "begun", 60)
    assert await saver.raise_epoch("t") > mine.epoch
    with under_claim(mine):
        for write in (
            lambda: _put(saver),
            lambda: saver.aput_writes(where, [("answer", "late")], "task"),
            lambda: saver.adelete_thread("t"),
            lambda: saver.acting_log.add("other", "begun", 60),
            lambda: saver.acting_log.drop("call"),
            lambda: store.aput(("kept",), "late", {"text": "mine"}),
        ):
            mine.lost = False
            with pytest.raises(LostClaimError, match="thread t was taken over by another process"):
                await write()
    assert await saver.aget_tuple(where) is not None
    assert await saver.acting_log.get("call") == "begun"
    assert await saver.acting_log.get("other") is None
    assert await store.aget(("kept",), "late") is None
    with under_claim(ThreadClaim("t", await saver.raise_epoch("t"))):
        await _put(saver)


async def test_a_call_is_booked_once_by_whoever_comes_first(saver):
    booked = await asyncio.gather(*(saver.acting_log.add("call", "begun", 60) for _ in range(8)))
    assert booked.count(True) == 1


async def test_a_run_that_lost_its_thread_ends_with_one_line_and_acts_no_more(saver, settings, url):
    taken = asyncio.Event()
    acted: list[str] = []

    @tool
    async def close_ticket(number: str) -> str:
        """Close a ticket."""
        acted.append(number)
        await saver.raise_epoch("t")  # as another process does that claims the thread now
        taken.set()
        return f"Ticket {number} was closed."

    close_ticket.metadata = {"acts": True}
    graph = build_graph(saver, tools=[close_ticket], models=planning("7", "8"))
    at: Any = {"configurable": {"thread_id": "t"}}

    async def run() -> None:
        async with claim_thread(settings, "t", url, saver):
            context = Context(allow_acting=True, max_parallel=1)
            await graph.ainvoke({"question": QUESTION}, at, context=context, durability="sync")

    with pytest.raises(LostClaimError):
        await run()
    assert taken.is_set()
    assert len(acted) == 1
    assert not (await graph.aget_state(at)).values.get("result")


async def test_a_claim_ends_with_its_block(saver, settings, url):
    async with claim_thread(settings, "t", url, saver):
        assert current_claim() is not None
        first = current_claim().epoch
    assert current_claim() is None
    async with claim_thread(settings, "t", url):
        assert current_claim().epoch > first
    close, done = closing_tool()
    graph = build_graph(saver, tools=[close], models=planning("7"))
    async with claim_thread(settings, "t", url, saver):
        at: Any = {"configurable": {"thread_id": "t"}}
        await graph.ainvoke({"question": QUESTION}, at, context=Context(allow_acting=True))
    assert [number for number, _ in done] == ["7"]


STALLED = """
import asyncio, sys
from langgraph.checkpoint.base import empty_checkpoint
from weiwo.graph.persistence.checkpointer import open_checkpointer
from weiwo.graph.persistence.thread_lock import claim_thread
from weiwo.state.settings import Settings

async def main():
    settings, url = Settings(home=sys.argv[1]), sys.argv[2] or None
    at = {"configurable": {"thread_id": "t", "checkpoint_ns": ""}}
    async with open_checkpointer(settings, url) as saver, claim_thread(settings, "t", url, saver):
        print("claimed", flush=True)
        await asyncio.to_thread(sys.stdin.readline)
        await saver.aput(at, empty_checkpoint(), {"source": "loop", "step": 1, "parents": {}}, {})
        print("written", flush=True)

asyncio.run(main())
"""


async def test_a_stalled_process_that_wakes_up_late_writes_nothing(saver, settings, url):
    """Its lock is lost meanwhile: the database was restarted, or somebody removed the file."""
    command = [sys.executable, "-c", STALLED, settings.home, url or ""]
    pipe = subprocess.PIPE
    process = await asyncio.create_subprocess_exec(*command, cwd=ROOT, stdin=pipe, stdout=pipe, stderr=pipe)
    assert await process.stdout.readline() == b"claimed\n"
    process.send_signal(signal.SIGSTOP)
    if url:
        await saver.fetch_rows(END_HOLDERS, ())
    else:
        for lock in (Path(settings.home) / "locks").iterdir():
            lock.unlink()
    async with asyncio.timeout(60):
        while True:
            try:
                async with claim_thread(settings, "t", url, saver):
                    await _put(saver)
                    break
            except ThreadBusyError:
                await asyncio.sleep(0.1)
    process.send_signal(signal.SIGCONT)
    out, err = await process.communicate(b"go\n")
    assert out == b""
    assert b"was taken over by another process" in err
    assert len([one async for one in saver.alist({"configurable": {"thread_id": "t"}})]) == 1


async def test_a_claim_whose_connection_broke_is_made_again(settings, request):
    postgres = request.getfixturevalue("postgres_url")
    async with open_checkpointer(settings, postgres) as opened, claim_thread(settings, "u", postgres, opened):
        before = await opened.fetch_rows(HOLDERS, ())
        await opened.fetch_rows(END_HOLDERS, ())
        async with asyncio.timeout(60):
            while not set(await opened.fetch_rows(HOLDERS, ())) - set(before):  # noqa: ASYNC110 - it is of the server
                await asyncio.sleep(0.1)
        with pytest.raises(ThreadBusyError):
            async with claim_thread(settings, "u", postgres, opened):
                pass
        await opened.aput(
            {"configurable": {"thread_id": "u", "checkpoint_ns": ""}},
            empty_checkpoint(),
            {"source": "loop", "step": 1, "parents": {}},
            {},
        )


async def test_a_lock_that_the_server_keeps_for_the_broken_session_ends_no_run(settings, request):
    import psycopg  # noqa: PLC0415

    postgres = request.getfixturevalue("postgres_url")
    take = "SELECT pg_try_advisory_lock(hashtextextended('weiwo:t', 0))"
    async with (
        open_checkpointer(settings, postgres) as opened,
        claim_thread(settings, "t", postgres, opened),
        asyncio.timeout(60),
    ):
        async with await psycopg.AsyncConnection.connect(postgres, autocommit=True) as session:
            await opened.fetch_rows(END_HOLDERS, ())
            while not (await (await session.execute(take)).fetchone())[0]:
                pass
            await asyncio.sleep(2)  # several attempts to take it again
            assert not current_claim().lost
            await _put(opened)
        while not await opened.fetch_rows(HOLDERS, ()):  # noqa: ASYNC110 - it is of the server
            await asyncio.sleep(0.1)
        await _put(opened)


async def test_a_process_that_stands_still_in_a_write_keeps_others_waiting_for_a_while_only(
    settings, request, monkeypatch
):
    import psycopg  # noqa: PLC0415

    from weiwo.graph.persistence import claims  # noqa: PLC0415

    monkeypatch.setattr(claims, "BUSY_SECONDS", 1)
    postgres = request.getfixturevalue("postgres_url")
    async with open_checkpointer(settings, postgres) as opened:
        mine = await opened.raise_epoch("t")
        async with asyncio.timeout(60), await psycopg.AsyncConnection.connect(postgres) as stopped:
            await stopped.execute("SELECT weiwo_require_epoch('t', %s::bigint)", (mine,))
            with pytest.raises(ThreadBusyError):
                async with claim_thread(settings, "t", postgres, opened):
                    pytest.fail("it was claimed")
            with pytest.raises(ThreadBusyError):
                await opened.raise_epoch("t")
        async with claim_thread(settings, "t", postgres, opened):
            await _put(opened)


async def test_an_older_process_is_refused_on_a_migrated_file_and_reads_it(settings):
    async with open_checkpointer(settings) as opened:
        await _put(opened)
    path = Path(settings.home) / "threads.sqlite"
    with closing(sqlite3.connect(path)) as database:
        older = SqliteSaver(database)
        with pytest.raises(sqlite3.OperationalError, match="this_database_needs_a_newer_weiwo"):
            older.put(AT, empty_checkpoint(), {}, {})
        database.rollback()
        assert older.get_tuple({"configurable": {"thread_id": "t"}}) is not None


async def test_an_older_process_is_refused_on_a_migrated_postgres(settings, request):
    from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver  # noqa: PLC0415

    postgres = request.getfixturevalue("postgres_url")
    async with open_checkpointer(settings, postgres) as opened:
        await _put(opened)
    async with AsyncPostgresSaver.from_conn_string(postgres) as older:
        with pytest.raises(Exception, match="needs a newer Weiwo"):
            await older.aput(AT, empty_checkpoint(), {}, {})


async def test_a_database_of_before_is_migrated_and_its_threads_go_on(settings):
    path = Path(settings.home) / "threads.sqlite"
    with closing(sqlite3.connect(path)) as database:
        older = SqliteSaver(database)
        older.setup()
        older.put(AT, empty_checkpoint(), {"source": "loop", "step": 1, "parents": {}}, {})
    async with open_checkpointer(settings) as opened, claim_thread(settings, "t", saver=opened):
        assert await opened.aget_tuple(AT) is not None
        await _put(opened)


async def test_a_claim_on_a_folder_that_cannot_be_written_says_so(tmp_path):
    if os.getuid() == 0:
        pytest.skip("root writes everywhere")
    tmp_path.chmod(0o500)
    with pytest.raises((StorageError, OSError)):
        async with claim_thread(Settings(home=str(tmp_path / "home")), "t"):
            pass


async def test_a_claim_is_taken_though_its_first_connection_breaks(settings, request, monkeypatch):
    import psycopg  # noqa: PLC0415

    from weiwo.graph.persistence import thread_lock  # noqa: PLC0415

    postgres, raise_epoch, broken = request.getfixturevalue("postgres_url"), thread_lock.raise_postgres_epoch, []

    async def breaks_once(connection: Any, thread_id: str) -> int:
        if not broken:
            broken.append(True)
            raise psycopg.OperationalError("server closed the connection unexpectedly")
        return await raise_epoch(connection, thread_id)

    monkeypatch.setattr(thread_lock, "raise_postgres_epoch", breaks_once)
    async with claim_thread(settings, "v", postgres):
        assert current_claim().epoch > 0
    assert broken


async def test_a_thread_that_is_deleted_takes_no_more_writes_of_its_run(saver):
    mine = ThreadClaim("t", await saver.raise_epoch("t"))
    with under_claim(mine):
        await _put(saver)
    await saver.adelete_thread("t")  # as Python code does, which claims nothing
    with under_claim(mine), pytest.raises(LostClaimError):
        await _put(saver)
    assert await saver.aget_tuple(AT) is None
    again = ThreadClaim("t", await saver.raise_epoch("t"))
    with under_claim(again):
        await _put(saver)
        await saver.adelete_thread("t")  # under its own claim
        await _put(saver)


@pytest.mark.usefixtures("settings")
async def test_a_fork_ends_the_run_that_works_on_its_thread(saver):
    graph = build_graph(saver)
    place: Any = {"configurable": {"thread_id": "t"}}
    await graph.ainvoke({"question": "How tall is the Eiffel Tower?"}, place, context=Context(web=False))
    mine = ThreadClaim("t", await saver.raise_epoch("t"))
    checkpoint = (await graph.aget_state(place)).config["configurable"]["checkpoint_id"]
    with pytest.raises(ForkError), under_claim(ThreadClaim("other", 1)):  # nothing is changed, so nothing is taken over
        await fork(graph, "t", checkpoint)
    with under_claim(mine):
        await graph.aupdate_state(place, None, as_node="__copy__")
    await branch(graph, "t", checkpoint)
    with under_claim(mine), pytest.raises(LostClaimError):
        await graph.aupdate_state(place, None, as_node="__copy__")


async def test_the_server_changes_no_thread_that_the_command_works_on(settings):
    engine = Engine.__new__(Engine)
    object.__setattr__(engine, "settings", settings)
    async with open_checkpointer(settings) as opened:
        object.__setattr__(engine, "threads", SimpleNamespace(saver=opened))
        async with claim_thread(settings, "t", saver=opened):
            with pytest.raises(RequestError, match="is in use by another process") as refused:
                async with engine.claim("t"):
                    pytest.fail("it was let in")
        assert refused.value.status == 409
        async with engine.claim("t"):
            assert current_claim() is not None
