"""The store across threads: opened by several, swept, and never in the way of an answer."""

import asyncio
import logging
import random
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest
from langgraph.store.base import PutOp

from weiwo.graph.persistence.sqlite_store import SqliteStore
from weiwo.graph.persistence.storage import StorageError
from weiwo.graph.persistence.store import FILE_NAME, open_store
from weiwo.nodes.memory.memory_store import MemoryStore, MemoryStoreError
from weiwo.state.settings import Settings


def settings(home: Path) -> Settings:
    return Settings(home=str(home))


async def test_what_is_put_there_is_there_for_the_next(tmp_path):
    home = tmp_path / "a" / "b"
    async with open_store(settings(home)) as store:
        await store.aput(("n",), "k", {"x": 1}, ttl=5)
    async with open_store(settings(home)) as store:
        assert (await store.aget(("n",), "k")).value == {"x": 1}
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    connection = sqlite3.connect(home / FILE_NAME)
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    connection.close()


async def test_what_has_expired_is_swept_out_when_it_is_opened(tmp_path):
    async with open_store(settings(tmp_path)) as store:
        await store.aput(("n",), "old", {"x": 1}, ttl=-5)
        await store.aput(("n",), "new", {"x": 1}, ttl=5)
        await store.aput(("n",), "for ever", {"x": 1})
    async with open_store(settings(tmp_path)) as store:
        assert {item.key for item in await store.asearch(("n",))} == {"new", "for ever"}


async def test_nothing_is_left_running(tmp_path):
    before = asyncio.all_tasks()
    async with open_store(settings(tmp_path)) as store:
        await store.aget(("n",), "k")
    assert asyncio.all_tasks() == before


async def test_many_may_have_it_open_and_open_it_at_once(tmp_path):
    async def use(name: str) -> None:
        async with open_store(settings(tmp_path)) as store:
            assert store is not None
            for number in range(10):
                reads = (
                    store.aget(("n",), f"{name}{number - 1}"),
                    store.aput(("n",), f"{name}{number}", {"x": number}),
                )
                await asyncio.gather(*reads)

    await asyncio.gather(*(use(name) for name in "abcd"))
    async with open_store(settings(tmp_path)) as store:
        assert len(await store.asearch(("n",), limit=100)) == 40


async def test_answers_keep_their_order_when_reads_and_writes_come_together(tmp_path):
    async with open_store(settings(tmp_path)) as store:
        await store.aput(("n",), "a", {"x": "a"})
        one, _, other, missing = await asyncio.gather(
            store.aget(("n",), "a"),
            store.aput(("n",), "b", {"x": "b"}),
            store.aget(("n",), "a"),
            store.aget(("n",), "c"),
        )
        assert (one.value, other.value, missing) == ({"x": "a"}, {"x": "a"}, None)
        assert (await store.aget(("n",), "b")).value == {"x": "b"}


def a_file_for_a_folder(home: Path) -> None:
    home.touch()


def a_folder_for_a_file(home: Path) -> None:
    (home / FILE_NAME).mkdir(parents=True)


def no_database(home: Path) -> None:
    home.mkdir()
    (home / FILE_NAME).write_bytes(b"not a database, whatever its name says " * 99)


@pytest.mark.parametrize("spoil", [a_file_for_a_folder, a_folder_for_a_file, no_database])
async def test_one_that_cannot_be_opened_is_one_line_of_warning(tmp_path, spoil):
    spoil(tmp_path / "home")
    told: list[str] = []
    async with open_store(settings(tmp_path / "home"), warn=told.append) as store:
        assert store is None
    (line,) = told
    assert "\n" not in line
    assert str(tmp_path / "home") in line
    assert "WEIWO_HOME" in line


async def test_a_database_that_cannot_be_used_is_named_without_its_password(tmp_path, caplog):
    async with open_store(settings(tmp_path), "postgresql://me:hunter2@[::bad/x") as store:
        assert store is None
    (record,) = caplog.records
    assert record.levelno == logging.WARNING
    assert "postgresql://me:***@" in record.message
    assert "hunter2" not in record.message


async def test_an_error_on_closing_is_logged_without_the_drivers_words(tmp_path, caplog, monkeypatch):
    close = SqliteStore.__aexit__

    async def close_and_complain(self, *given):
        await close(self, *given)
        raise OSError("postgresql://me:hunter2@db/x")

    monkeypatch.setattr(SqliteStore, "__aexit__", close_and_complain)
    async with open_store(settings(tmp_path)) as store:
        assert store is not None
    assert [record.message for record in caplog.records] == ["the store could not be closed: OSError"]
    assert "hunter2" not in caplog.text


async def test_what_goes_wrong_with_the_answer_is_not_taken_for_the_stores(tmp_path):
    told: list[str] = []
    with pytest.raises(sqlite3.OperationalError, match="mine"):
        async with open_store(settings(tmp_path), warn=told.append):
            raise sqlite3.OperationalError("mine")
    assert told == []


async def test_a_thousand_cancelled_reads_and_writes_leave_the_store_as_it_was(tmp_path):
    dice = random.Random(7)  # noqa: S311 - a repeatable order
    async with open_store(settings(tmp_path)) as store:
        await store.aput(("n",), "kept", {"x": 1})
        for number in range(1_000):
            write = store.aput(("n",), f"key {number % 7}", {"x": number})
            work = asyncio.create_task(store.aget(("n",), "kept") if number % 2 else write)
            if number % 2:
                write.close()
            await asyncio.sleep(dice.choice((0, 0, 0.0001, 0.0005, 0.001)))
            work.cancel()
            await asyncio.wait({work})
        assert (await store.aget(("n",), "kept")).value == {"x": 1}
        await store.aput(("n",), "after", {"x": 2})
        with closing(sqlite3.connect(tmp_path / FILE_NAME, timeout=0, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")  # no transaction is open that would lock another process out
            other.execute("ROLLBACK")
            assert other.execute("SELECT value FROM store WHERE key = 'after'").fetchone() == (b'{"x":2}',)


async def test_a_cancel_while_it_opens_leaves_a_store_that_opens(tmp_path):
    async with open_store(settings(tmp_path)) as store:
        opening = asyncio.create_task(store.aget(("n",), "k"))
        await asyncio.sleep(0)
        opening.cancel()
        await asyncio.wait({opening})
        await store.aput(("n",), "k", {"x": 1})
        assert (await store.aget(("n",), "k")).value == {"x": 1}


async def test_a_batch_that_fails_is_rolled_back_and_the_next_one_works(tmp_path):
    async with open_store(settings(tmp_path)) as store:
        await store.aput(("n",), "kept", {"x": 1})
        with closing(sqlite3.connect(tmp_path / FILE_NAME)) as other:
            other.execute(
                "CREATE TRIGGER full BEFORE INSERT ON store WHEN NEW.key = 'bad'"
                " BEGIN SELECT RAISE(FAIL, 'disk is full'); END"
            )
        puts = [PutOp(("n",), "good", {"x": 2}), PutOp(("n",), "bad", {"x": 3})]
        with pytest.raises(StorageError, match=r"store\.sqlite: disk is full; free some space"):
            await store.abatch([puts[0], PutOp(("m",), "other", {}), puts[1]])
        assert [item.key for item in await store.asearch(("n",))] == ["kept"]
        await store.aput(("n",), "after", {"x": 4})
        assert (await store.aget(("n",), "after")).value == {"x": 4}


async def test_one_that_can_no_longer_be_opened_or_read_is_an_error_and_told_once(tmp_path):
    told: list[str] = []
    async with open_store(settings(tmp_path), warn=told.append) as store:
        (tmp_path / FILE_NAME).write_bytes(b"not a database, whatever its name says " * 99)
        for _ in range(2):
            with pytest.raises(StorageError, match=r"store\.sqlite: file is not a database"):
                await store.aget(("n",), "k")
    (line,) = told
    assert line.startswith("results are not saved: cannot use ")


async def test_what_breaks_while_it_is_open_is_an_error_not_emptiness(tmp_path):
    async with open_store(settings(tmp_path)) as store:
        await store.aput(("n",), "k", {"x": 1})
        with closing(sqlite3.connect(tmp_path / FILE_NAME)) as other:
            other.execute("ALTER TABLE store RENAME TO gone")
        for work in (store.aget(("n",), "k"), store.asearch(("n",)), store.adelete(("n",), "k")):
            with pytest.raises(StorageError, match="no such table: store"):
                await work
        with pytest.raises(MemoryStoreError, match=r"^memory cannot be read: .*no such table"):
            await MemoryStore(store, "local").list("wishes")
