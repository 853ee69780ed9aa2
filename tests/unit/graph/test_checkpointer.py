"""Opening the database: every way it can fail is one line; what is stored is read back strictly."""

import asyncio
import os
import sqlite3
import stat
import sys
from pathlib import Path

import pytest
from langgraph.checkpoint.base import empty_checkpoint
from langgraph.checkpoint.serde.types import ERROR
from pydantic import BaseModel

from weiwo import state
from weiwo.graph import build_graph
from weiwo.graph.persistence.checkpointer import open_checkpointer, serializer
from weiwo.graph.persistence.storage import DamagedCheckpointError, DatabaseUrlError, StorageError, describe, mask_url
from weiwo.graph.persistence.threads import check_thread_id, list_threads, new_thread_id
from weiwo.state.events import EventBase
from weiwo.state.settings import Settings
from weiwo.state.source_filter import SourceFilter
from weiwo.state.values import Value

AT = {"configurable": {"thread_id": "t", "checkpoint_ns": ""}}


def settings(home: Path) -> Settings:
    return Settings(home=str(home))


async def opened(home: Path, url: str | None = None) -> int:
    async with open_checkpointer(settings(home), url) as saver:
        await saver.aput(AT, empty_checkpoint(), {}, {})
        return len(await list_threads(saver))


async def complaint(home: Path, url: str | None = None) -> str:
    with pytest.raises(StorageError) as caught:
        await opened(home, url)
    message = str(caught.value)
    assert "\n" not in message
    assert len(message.split("; ")) >= 2, "what and why; what to do"
    return message


async def test_the_folder_is_made_for_its_owner_alone_and_the_file_is_in_wal_mode(tmp_path):
    home = tmp_path / "a" / "b"
    assert await opened(home) == 1
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    with sqlite3.connect(home / "threads.sqlite") as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    connection.close()
    assert await opened(home) == 1


async def test_pragmas_hold_on_the_connection(tmp_path):
    async with open_checkpointer(settings(tmp_path)) as saver:
        found = [(await saver.fetch_rows(f"PRAGMA {name}", ()))[0][0] for name in ("synchronous", "busy_timeout")]
    assert found == [1, 15_000]


async def test_a_graph_keeps_the_saver_and_its_sync_methods_keep_the_same_rules(tmp_path):
    async with open_checkpointer(settings(tmp_path)) as saver:
        assert type(build_graph(saver).checkpointer) is type(saver)
        at = await saver.aput(AT, empty_checkpoint(), {}, {})
        await asyncio.to_thread(saver.put_writes, at, [("a", 1), (ERROR, asyncio.CancelledError())], "task")
        assert (await asyncio.to_thread(saver.get_tuple, AT)).pending_writes == []
        async with asyncio.timeout(60):  # it reads the newest checkpoint from within the database's thread
            assert set(await saver.aget_delta_channel_history(config=AT, channels=["a"])) == {"a"}
        await saver.execute([("UPDATE checkpoints SET checkpoint = x'c1'", ())])
        with pytest.raises(DamagedCheckpointError, match=r"^the thread t has an invalid checkpoint"):
            await asyncio.to_thread(saver.get_tuple, AT)


async def test_a_file_where_the_folder_should_be(tmp_path):
    (tmp_path / "file").touch()
    assert "WEIWO_HOME" in await complaint(tmp_path / "file" / "home")


async def test_a_folder_where_the_file_should_be(tmp_path):
    (tmp_path / "threads.sqlite").mkdir()
    assert "unable to open database file" in await complaint(tmp_path)


async def test_a_file_that_is_no_database(tmp_path):
    (tmp_path / "threads.sqlite").write_bytes(b"not a database, whatever its name says " * 99)
    message = await complaint(tmp_path)
    assert "file is not a database" in message
    assert "move it away" in message


async def test_a_full_disk_is_told_when_it_happens_and_keeps_what_there_was(tmp_path):
    await opened(tmp_path)

    async def fill() -> None:
        async with open_checkpointer(settings(tmp_path)) as saver:
            ((pages,),) = await saver.fetch_rows("PRAGMA page_count", ())
            await saver.fetch_rows(f"PRAGMA max_page_count = {pages}", ())  # SQLite then answers as on a full disk
            checkpoint = {**empty_checkpoint(), "channel_values": {"x": os.urandom(100_000)}}
            await saver.aput(AT, checkpoint, {}, {})

    with pytest.raises(StorageError, match=r"database or disk is full; free some space"):
        await fill()
    assert await opened(tmp_path) == 1


@pytest.mark.parametrize("url", ["mysql://me:s3cret@host/db", "sqlite:///x", "s3cret"])
async def test_urls_of_no_postgres(tmp_path, url):
    message = await complaint(tmp_path, url)
    assert "s3cret" not in message
    assert "use postgresql://" in message


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://me:s3cret@host:s3cret/db",
        "postgresql://me:a/s3cret@host/db",
        "postgresql://me:a?s3cret@host/db",
        "postgresql://me:a#s3cret@host/db",
        "postgresql://me:%zz@host/db?s3cret",
    ],
)
async def test_a_url_that_cannot_be_read_is_not_quoted(tmp_path, url):
    with pytest.raises(DatabaseUrlError) as caught:
        await opened(tmp_path, url)
    assert "s3cret" not in str(caught.value)


async def test_without_the_driver(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "psycopg", None)
    assert "pip install 'weiwo[postgres]'" in await complaint(tmp_path, "postgresql://host/db")


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://me:s3cret@host:5432/db?sslmode=require", "postgresql://me:***@host:5432/db"),
        ("postgresql://me:s3@cret@host/db", "postgresql://me:***@host/db"),
        ("postgresql://me:s3?cret@host/db", "postgresql://me:***@host/db"),
        ("postgresql://host/db?password=s3cret", "postgresql://host/db"),
        ("postgresql://postgres:@/x?host=/tmp/pg", "postgresql://postgres:***@/x"),
        ("s3cret", "(not a URL)"),
    ],
)
def test_masked(url, shown):
    assert mask_url(url) == shown
    assert describe(Settings(home="/h"), url) == shown


def test_describe_names_the_file():
    assert describe(Settings(home="/h"), None) == "/h/threads.sqlite"


class Stranger(BaseModel):
    x: int = 1


def test_types_of_the_state_come_back_as_themselves_and_no_others(caplog):
    strict = serializer()
    values = [state.Limits(), state.Outcome(task_id="t", status="empty"), state.Usage(), state.Plan(tasks=())]
    assert strict.loads_typed(strict.dumps_typed(values)) == values
    assert not caplog.records
    assert strict.loads_typed(strict.dumps_typed(Stranger())) == {"x": 1}
    assert "Blocked" in caplog.text


def test_every_value_type_is_allowed():
    named = [getattr(state, name) for name in state.__all__]
    exported = {kind for kind in named if isinstance(kind, type) and issubclass(kind, Value)}
    own = {kind for kind in Value.__subclasses__() if kind.__module__.startswith("weiwo.state.")} - {
        EventBase,
        Settings,
        SourceFilter,  # of the settings; no channel holds one
    }
    assert own <= exported


def test_thread_ids_sort_by_time_and_are_valid():
    from datetime import UTC, datetime  # noqa: PLC0415

    first = new_thread_id(datetime(2026, 11, 20, 19, 45, 1, tzinfo=UTC))
    assert first.startswith("20261120-194501-")
    assert check_thread_id(first) == first
    assert first < new_thread_id(datetime(2026, 11, 20, 19, 45, 2, tzinfo=UTC))
    assert len({new_thread_id() for _ in range(50)}) == 50


@pytest.mark.parametrize("text", ["a", "A.b_c:d-1", "x" * 128])
def test_good_thread_ids(text):
    assert check_thread_id(text) == text


@pytest.mark.parametrize("text", ["", "x" * 129, "a b", "a/b", "../a", "é", "a\n", "\x1b[31m", "线程", "a;b"])
def test_bad_thread_ids(text):
    with pytest.raises(ValueError, match=r"^thread id .* is invalid; use 1 to 128") as caught:
        check_thread_id(text)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 250


async def test_the_event_loop_is_not_blocked_by_a_locked_file(tmp_path):
    await opened(tmp_path)
    other = sqlite3.connect(tmp_path / "threads.sqlite", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    writing = asyncio.create_task(opened(tmp_path))
    await asyncio.sleep(0.2)
    assert not writing.done()
    other.execute("ROLLBACK")
    other.close()
    assert await writing == 1
