"""The store, its writer, and the keyword index that follows it."""

import asyncio
import gc
import multiprocessing
import shutil
import sqlite3
from dataclasses import replace

import pytest

from tests.support.corpora import document
from weiwo.tools.corpus.base import CorpusError
from weiwo.tools.corpus.index.store import STORE, Store, sample_documents
from weiwo.tools.corpus.index.writer import BusyError, IndexWriter, _apply_changes, _take_writer_lock
from weiwo.tools.corpus.losses import Loss
from weiwo.tools.corpus.records import Changes, KnownFile, StoredTable
from weiwo.tools.corpus.retrieval.indexed_corpus import IndexedCorpus


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "corpora" / "mine"


def write(folder, **changes):
    with IndexWriter(folder) as writer:
        return writer.apply(Changes(**changes))


async def found(folder, query):
    return [passage.text for passage in await IndexedCorpus(folder).search(query)]


async def test_a_batch_is_taken_over_and_known(folder):
    with IndexWriter(folder) as writer:
        assert writer.read_known() == {}
        assert writer.apply(Changes(put=[document("a.md", "zebra one", "zebra two"), document("b.md")])) == 1
        failed = KnownFile("/docs/c.pdf", "c.pdf", "", 3, 4, "encrypted")
        assert writer.apply(Changes(failed=[failed])) == 2
        known = writer.read_known()
        assert set(known) == {"/docs/a.md", "/docs/b.md", "/docs/c.pdf"}
        assert known["/docs/c.pdf"] == failed
        assert known["/docs/a.md"].problem == ""
    corpus = IndexedCorpus(folder)
    assert (corpus.documents, corpus.size) == (("a.md", "b.md"), 2)
    assert [(problem.source, problem.reason) for problem in corpus.problems] == [("c.pdf", "encrypted")]


async def test_a_document_that_is_put_again_replaces_itself(folder):
    write(folder, put=[document("a.md", "zebra"), document("b.md", "zebra too")])
    write(folder, put=[document("a.md", "unicorn")])
    assert await found(folder, "zebra") == ["zebra too"]
    assert await found(folder, "unicorn") == ["unicorn"]
    assert IndexedCorpus(folder).size == 2
    write(folder, removed=["/docs/b.md"])
    assert await found(folder, "zebra") == []
    assert IndexedCorpus(folder).documents == ("a.md",)


def test_tables_come_and_go_with_their_document(folder):
    def put(*names):
        tables = tuple(StoredTable(name, "{}", name.encode()) for name in names)
        head, passages = document("a.csv", "zebra")
        return replace(head, tables=tables), passages

    def kept():
        with Store(folder / STORE).read_transaction() as connection:
            stored = connection.execute("SELECT name, data FROM tables ORDER BY id").fetchall()
        assert [(table.name, table.facts) for table in IndexedCorpus(folder).list_tables()] == [
            (name, {}) for name, _ in stored
        ]
        return stored

    write(folder, put=[put("first", "second"), document("b.md", "unicorn")])
    assert kept() == [("first", b"first"), ("second", b"second")]
    write(folder, put=[put("third")])
    assert kept() == [("third", b"third")]
    write(folder, removed=["/docs/a.csv"])
    assert kept() == []


async def test_the_dead_are_buried(folder):
    write(folder, put=[document("a.md", "zebra")])
    write(folder, put=[document("a.md", "unicorn")])
    with Store(folder / STORE).read_transaction() as connection:
        assert connection.execute("SELECT count(*) FROM documents").fetchone() == (1,)
        assert connection.execute("SELECT count(*) FROM passages").fetchone() == (1,)


def test_a_sample_is_spread_over_all_documents_and_passes_the_dead_once(folder):
    write(folder, put=[document(f"{n:03}.md", f"zebra {n}") for n in range(120)])
    with Store(folder / STORE).write_transaction() as connection:
        connection.execute("UPDATE documents SET died = 1 WHERE id BETWEEN 31 AND 70 OR id > 110")
        sampled = [source[:3] for _, _, source, *_ in sample_documents(connection, 6)]
        assert sampled == ["000", "020", "070", "080", "100"]
        connection.set_progress_handler(lambda: 1, 60_000)
        connection.execute("UPDATE documents SET died = 1")
        assert sample_documents(connection, 10_000) == []


async def test_a_file_that_fails_leaves_the_index_and_comes_back(folder):
    write(folder, put=[document("a.md", "zebra")])
    write(folder, failed=[KnownFile("/docs/a.md", "a.md", "", 1, 1, "unreadable")])
    assert await found(folder, "zebra") == []
    write(folder, put=[document("a.md", "zebra")])
    corpus = IndexedCorpus(folder)
    assert (corpus.documents, corpus.problems) == (("a.md",), ())


def test_touched_files_are_known_by_their_new_time(folder):
    write(folder, put=[document("a.md", "zebra")], failed=[KnownFile("/docs/c", "c", "", 1, 1, "bad")])
    write(folder, touched=[KnownFile("/docs/a.md", "a.md", "x", 77, 99), KnownFile("/docs/c", "c", "", 7, 9, "bad")])
    known = Store(folder / STORE).read_known()
    assert (known["/docs/a.md"].size, known["/docs/a.md"].modified_ns) == (77, 99)
    assert (known["/docs/c"].size, known["/docs/c"].problem) == (7, "bad")


async def test_a_batch_that_breaks_changes_nothing(folder):
    write(folder, put=[document("a.md", "zebra")])
    same = document("a.md", "unicorn")
    with IndexWriter(folder) as writer:
        with pytest.raises(Exception, match="UNIQUE"):
            writer.apply(Changes(put=[same, same]))
        assert writer.apply(Changes()) == 2
    assert await found(folder, "zebra unicorn") == ["zebra"]


async def test_what_the_keyword_index_missed_is_caught_up_when_opened(folder):
    write(folder, put=[document("a.md", "zebra"), document("b.md", "zebra again")])
    store = Store(folder / STORE)  # as if killed between the two commits
    _apply_changes(
        store, Changes(put=[document("a.md", "unicorn"), document("c.md", "unicorn two")], removed=["/docs/b.md"])
    )
    assert await found(folder, "zebra") == []
    assert await found(folder, "unicorn") == ["unicorn", "unicorn two"]


async def test_a_reader_sees_the_whole_old_state_until_the_new_one_is_there(folder):
    write(folder, put=[document("a.md", "zebra"), document("b.md", "zebra again")])
    corpus = IndexedCorpus(folder)
    with IndexWriter(folder) as writer:
        _apply_changes(writer.store, Changes(put=[document("a.md", "unicorn")]))
        assert [hit.text for hit in await corpus.search("zebra")] == ["zebra", "zebra again"]
        assert await corpus.search("unicorn") == []
        assert (await corpus.open("a.md"))[0].text == "zebra"
        writer.flush()
        assert [hit.text for hit in await corpus.search("zebra")] == ["zebra again"]
        assert [hit.text for hit in await corpus.search("unicorn")] == ["unicorn"]
        assert (await corpus.open("a.md"))[0].text == "unicorn"


@pytest.mark.parametrize("damage", ["gone", "garbage", "half"])
async def test_a_damaged_keyword_index_is_made_anew(folder, damage):
    write(folder, put=[document("a.md", "zebra")])
    (keyword,) = folder.glob("keyword-*")
    if damage == "gone":
        shutil.rmtree(keyword)
    elif damage == "garbage":
        (keyword / "meta.json").write_text("{", encoding="utf-8")
    else:
        for part in keyword.glob("*.term"):
            part.unlink()
    assert await found(folder, "zebra") == ["zebra"]


async def test_an_index_of_another_store_is_not_trusted(folder):
    write(folder, put=[document("a.md", "zebra")])
    for part in folder.glob(f"{STORE}*"):
        part.unlink()
    write(folder, put=[document("a.md", "unicorn")])
    assert await found(folder, "zebra") == []
    assert await found(folder, "unicorn") == ["unicorn"]
    assert len(list(folder.glob("keyword-*"))) == 1


def test_a_store_that_is_none_is_one_clear_line(folder):
    folder.mkdir(parents=True)
    (folder / STORE).write_bytes(b"not a database" * 99)
    with pytest.raises(CorpusError, match="delete the folder") as caught:
        IndexWriter(folder)
    assert "\n" not in str(caught.value)
    with pytest.raises(CorpusError, match="run weiwo index"):
        IndexedCorpus(folder.parent)


def hold(folder, ready, leave):
    lock = _take_writer_lock(folder)
    ready.set()
    leave.wait(300)
    lock.release()


@pytest.mark.processes
def test_one_writer_at_a_time_across_processes(folder):
    write(folder, put=[document("a.md", "zebra")])
    context = multiprocessing.get_context("spawn")
    ready, leave = context.Event(), context.Event()
    other = context.Process(target=hold, args=(folder, ready, leave))
    other.start()
    assert ready.wait(300)
    with pytest.raises(BusyError, match=f"is in use by process {other.pid}") as caught:
        IndexWriter(folder)
    assert "\n" not in str(caught.value)
    leave.set()
    IndexWriter(folder, wait_seconds=60).close()
    other.join(300)


async def test_a_writer_may_be_called_from_one_thread_after_another(folder):
    writer = await asyncio.to_thread(IndexWriter, folder)
    for n in range(4):
        await asyncio.to_thread(writer.apply, Changes(put=[document(f"{n}.md", f"zebra {n}")]))
    await asyncio.to_thread(writer.close)
    assert len(await found(folder, "zebra")) == 4


def test_a_store_that_is_dropped_closes_what_it_holds(tmp_path):
    store = Store(tmp_path / "documents.sqlite")
    with store.read_transaction() as connection:
        pass
    del store
    gc.collect()
    with pytest.raises(sqlite3.ProgrammingError, match="closed database"):
        connection.execute("SELECT 1")


def test_a_store_of_the_first_version_is_read_on_and_its_files_are_read_again(folder):
    write(folder, put=[document("a.md", "zebra")])
    with sqlite3.connect(folder / STORE) as connection:
        connection.execute("DROP INDEX lossy")
        connection.execute("DROP TABLE tables")
        connection.execute("PRAGMA user_version = 1")
        for column in ("losses", "reader"):
            connection.execute(f"ALTER TABLE documents DROP COLUMN {column}")
        connection.execute("ALTER TABLE passages DROP COLUMN context")
        connection.execute("PRAGMA user_version = 1")
    (known,) = Store(folder / STORE).read_known().values()
    assert (known.sha256, known.modified_ns) == ("", -1)
    (one, passages) = document("a.md", "zebra")
    losses = (Loss("deleted_text", 2, ("3", "4")),)
    write(folder, put=[(replace(one, losses=losses), passages)])
    (known,) = Store(folder / STORE).read_known().values()
    assert (known.sha256, known.losses) == (one.sha256, losses)
    (problem,) = Store(folder / STORE).read_problems()
    assert problem.reason == "deleted text in 2 paragraphs (3, 4) is left out (tracked changes)"
