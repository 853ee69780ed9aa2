"""Bringing an index up to its files: what is read, what is kept, what is left out and why."""

import asyncio
import json
import os
import re
import socket
from pathlib import Path

import pytest

from tests.support import documents
from tests.support.index_writer import MemoryWriter
from weiwo.app.cli.main import main
from weiwo.tools.corpus.base import CorpusError
from weiwo.tools.corpus.index.catalog import locate_by_name
from weiwo.tools.corpus.index.store import STORE, Store
from weiwo.tools.corpus.ingestion.ingest import IngestLimits, ingest_files
from weiwo.tools.corpus.ingestion.ingestion_report import IngestProgress, IngestReport

pytestmark = pytest.mark.processes

ENDINGS = (".md", ".txt", ".rst", ".html", ".pdf", ".docx", ".pptx", ".xlsx", ".csv", ".json", ".jsonl", ".epub", ".py")


@pytest.fixture
def docs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    root = tmp_path / "docs"
    (root / "sub").mkdir(parents=True)
    (root / "bridge.md").write_text("# Chain Bridge\n\nIt opened in 1849.\n", encoding="utf-8")
    (root / "sub" / "caesar.txt").write_text("凯撒于公元前100年出生在罗马。\n", encoding="gb18030")
    return root


def reasons(report: IngestReport) -> dict[str, str]:
    return {problem.source: problem.reason for problem in report.left_out}


def counts(report: IngestReport) -> tuple[int, ...]:
    return (report.added, report.changed, report.moved, report.removed, report.unchanged)


def records(number: int, first: int = 0) -> str:
    return "".join(json.dumps({"text": f"Record number {n} of many."}) + "\n" for n in range(first, number))


async def test_files_become_documents_and_a_second_run_reads_nothing(docs):
    writer = MemoryWriter()
    report = await ingest_files([docs], writer)
    assert (counts(report), report.documents, report.passages, report.left_out) == ((2, 0, 0, 0, 0), 2, 2, [])
    assert writer.texts == {
        "docs/bridge.md": ["It opened in 1849."],
        "docs/sub/caesar.txt": ["凯撒于公元前100年出生在罗马。"],
    }
    bridge, caesar = (writer.documents[str(docs / name)][0] for name in ("bridge.md", "sub/caesar.txt"))
    assert (bridge.title, bridge.type, bridge.language) == ("Chain Bridge", "markdown", "en")
    assert (caesar.title, caesar.type, caesar.language) == ("caesar", "text", "zh")
    done = len(writer.log)
    assert counts(await ingest_files([docs], writer)) == (0, 0, 0, 0, 2)
    assert len(writer.log) == done


async def test_only_what_changed_is_read_again(docs):
    writer = MemoryWriter()
    await ingest_files([docs], writer)
    (docs / "bridge.md").write_text("# Chain Bridge\n\nIt was rebuilt in 1949.\n", encoding="utf-8")
    os.utime(docs / "sub" / "caesar.txt", ns=(1, 1))
    report = await ingest_files([docs], writer)
    assert counts(report) == (0, 1, 0, 0, 1)
    assert [one.source for one, _ in writer.log[-1].put] == ["docs/bridge.md"]
    assert [one.path for one in writer.log[-1].touched] == [str(docs / "sub" / "caesar.txt")]
    assert counts(await ingest_files([docs], writer)) == (0, 0, 0, 0, 2)
    (docs / "bridge.md").unlink()
    report = await ingest_files([docs], writer)
    assert (counts(report), report.documents, writer.sources) == ((0, 0, 0, 1, 1), 1, {"docs/sub/caesar.txt"})


async def test_renamed_files_are_read_again_and_told_from_new_ones(docs):
    writer = MemoryWriter()
    await ingest_files([docs], writer)
    data = (docs / "bridge.md").read_bytes()
    (docs / "bridge.md").unlink()
    (docs / "sub" / "caesar.txt").rename(docs / "julius.txt")
    for name in ("one.md", "plain.txt"):
        (docs / name).write_bytes(data)
    report = await ingest_files([docs], writer)
    assert (counts(report), report.documents) == ((1, 0, 2, 0, 0), 3)
    assert writer.texts == {
        "docs/one.md": ["It opened in 1849."],
        "docs/plain.txt": ["# Chain Bridge\n\nIt opened in 1849."],
        "docs/julius.txt": ["凯撒于公元前100年出生在罗马。"],
    }
    assert writer.documents[str(docs / "julius.txt")][0].title == "julius"


async def test_names_can_be_swapped(docs):
    writer = MemoryWriter()
    (docs / "other.md").write_text("# Other\n\nOther words.\n", encoding="utf-8")
    await ingest_files([docs], writer)
    for old, new in (("bridge.md", "x"), ("other.md", "bridge.md"), ("x", "other.md")):
        (docs / old).rename(docs / new)
    await ingest_files([docs], writer)
    assert writer.texts["docs/bridge.md"] == ["Other words."]
    assert writer.texts["docs/other.md"] == ["It opened in 1849."]


async def test_several_roots_in_one_index_stay_apart(docs, tmp_path, monkeypatch):
    writer = MemoryWriter()
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("Words.", encoding="utf-8")
    await ingest_files([docs], writer)
    assert counts(await ingest_files([notes], writer)) == (1, 0, 0, 0, 0)
    (docs / "bridge.md").unlink()
    report = await ingest_files([notes], writer)  # gone is gone, wherever it was
    assert (counts(report), writer.sources) == ((0, 0, 0, 1, 1), {"docs/sub/caesar.txt", "notes/a.md"})
    monkeypatch.chdir(notes)
    (notes / "sub").mkdir()
    (notes / "notes").mkdir()
    (notes / "notes" / "a.md").write_text("More words.", encoding="utf-8")
    await ingest_files([tmp_path], writer)
    assert writer.sources == {"docs/sub/caesar.txt", "notes/a.md", str(notes / "notes" / "a.md")}


async def test_patterns_files_and_what_is_not_there(docs, tmp_path):
    writer = MemoryWriter()
    report = await ingest_files([f"{docs}/**/*.txt", docs / "bridge.md", docs / "bridge.md"], writer)
    assert (counts(report), writer.sources) == ((2, 0, 0, 0, 0), {"docs/bridge.md", "docs/sub/caesar.txt"})
    (tmp_path / "x.bin").write_bytes(b"\x00")
    assert "unsupported" in reasons(await ingest_files([tmp_path / "x.bin"], writer))["x.bin"]
    for path, said in ((tmp_path / "no", "exists"), (f"{docs}/*.pdf", "no file matches"), ("a\0b", "exists")):
        with pytest.raises(CorpusError, match=said) as caught:
            await ingest_files([path], writer)
        assert "\n" not in str(caught.value)


async def test_what_is_ignored(docs):
    (docs / ".gitignore").write_text("*.log\n!keep.log\n/build/\n", encoding="utf-8")
    (docs / "sub" / ".weiwoignore").write_text("secret*\n!caesar.txt\n", encoding="utf-8")
    made = (
        "a.log",
        "keep.log",
        "build/x.md",
        "sub/build/x.md",
        "sub/secret.md",
        "node_modules/a/readme.md",
        ".git/x.md",
    )
    for name in (*made, "venv/lib.py", "venv/pyvenv.cfg", "film.mp4", "README"):
        path = docs / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("Words.", encoding="utf-8")
    writer = MemoryWriter()
    report = await ingest_files([docs], writer)
    kept = {"README", "bridge.md", "keep.log", "sub/build/x.md", "sub/caesar.txt"}
    assert writer.sources == {f"docs/{name}" for name in kept}
    assert (report.left_out, report.others) == ([], {".mp4": 1})
    (docs / ".gitignore").write_text("*.md\n", encoding="utf-8")
    await ingest_files([docs], writer)
    assert writer.sources == {"docs/README", "docs/keep.log", "docs/sub/caesar.txt"} | {"docs/a.log"}


async def test_links_end_no_walk_and_lead_nowhere_else(docs, tmp_path):
    outside = tmp_path / "outside.md"
    outside.write_text("Outside.", encoding="utf-8")
    (docs / "loop").symlink_to(docs)
    (docs / "sub" / "up").symlink_to("..")
    (docs / "self.md").symlink_to("self.md")
    (docs / "dead.md").symlink_to("nowhere.md")
    (docs / "again.md").symlink_to("bridge.md")
    (docs / "out.md").symlink_to(outside)
    (docs / "etc").symlink_to("/etc")
    writer = MemoryWriter()
    report = await ingest_files([docs], writer)
    assert writer.sources == {"docs/bridge.md", "docs/sub/caesar.txt"}
    assert set(reasons(report)) == {"docs/self.md", "docs/dead.md", "docs/out.md", "docs/etc"}
    assert "outside the folder" in reasons(report)["docs/out.md"]
    assert "docs/out.md" in (await linked(docs, writer)).sources


async def linked(docs: Path, writer: MemoryWriter) -> MemoryWriter:
    """What a user names is followed, link or not."""
    await ingest_files([docs / "out.md"], writer)
    return writer


async def test_what_is_no_file_is_never_opened(docs):
    os.mkfifo(docs / "pipe.md")
    os.mkfifo(docs / "pipe")
    with socket.socket(socket.AF_UNIX) as listener:
        os.chdir(docs)
        listener.bind("socket.txt")
        report = await ingest_files([docs], MemoryWriter())
    assert {source: reason.split(",")[0] for source, reason in reasons(report).items()} == {
        "pipe.md": "a pipe",
        "pipe": "a pipe",
        "socket.txt": "a socket",
    }
    assert report.added == 2


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
async def test_files_and_folders_without_permission_are_named(docs):
    writer = MemoryWriter()
    await ingest_files([docs], writer)
    (docs / "sub").chmod(0)
    (docs / "bridge.md").chmod(0)
    os.utime(docs / "bridge.md", ns=(1, 1))
    try:
        report = await ingest_files([docs], writer)
    finally:
        (docs / "sub").chmod(0o700)
    assert reasons(report) == {"docs/sub": "permission denied", "docs/bridge.md": "permission denied"}
    assert writer.sources == {"docs/sub/caesar.txt"}  # it may well still be there


async def test_large_files_are_left_out_unread(docs):
    with (docs / "huge.txt").open("wb") as file:
        file.truncate(2_500_000_000)
    writer = MemoryWriter()
    report = await ingest_files([docs], writer, limits=IngestLimits(workers=1))
    assert reasons(report) == {"docs/huge.txt": "over the 200,000,000 bytes allowed: 2,500,000,000"}
    assert report.added == 2


async def test_native_parsers_that_hang_crash_or_eat_memory_cost_one_file(docs, monkeypatch, tmp_path):
    package = tmp_path / "broken" / "xberg"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(
        "import ctypes, time\n\ndef ExtractionConfig(**given):\n    return None\n\n"
        "def ExtractInput(**given):\n    return given['bytes']\n\n"
        "async def extract(text, config):\n"
        "    if b'hang' in text: time.sleep(600)\n    if b'die' in text: ctypes.string_at(0)\n"
        "    if b'eat' in text: 'x' * 10**11\n    raise ValueError('broken')\n",
        encoding="utf-8",
    )
    monkeypatch.syspath_prepend(str(tmp_path / "broken"))
    for folder, name in ((tmp_path, "hang"), (docs, "die"), (docs, "eat"), (docs, "other")):
        (folder / f"{name}.rtf").write_text("{\\rtf1 " + name + "}", encoding="ascii")
    limits = IngestLimits(seconds=0.5, workers=1)  # for what hangs alone: a slow machine needs more for the others
    report = await ingest_files([tmp_path / "hang.rtf"], MemoryWriter(), limits=limits)
    (reason,) = reasons(report).values()
    assert re.fullmatch(r"not read within [\d.]+ seconds", reason)
    report = await ingest_files([docs], MemoryWriter(), limits=IngestLimits(workers=2))
    assert report.added == 2
    assert reasons(report) == {
        "docs/die.rtf": "its parser crashed",
        "docs/eat.rtf": "reading it takes too much memory; split it",
        "docs/other.rtf": "damaged rtf: broken",
    }


async def test_what_is_broken_is_not_read_again_until_it_changes(docs):
    writer = MemoryWriter()
    (docs / "bad.json").write_text("{", encoding="utf-8")
    first = await ingest_files([docs], writer)
    batches_before = len(writer.log)
    again = await ingest_files([docs], writer)
    assert reasons(first) == reasons(again) != {}
    assert len(writer.log) == batches_before
    (docs / "bad.json").write_text('{"a": "word"}', encoding="utf-8")
    report = await ingest_files([docs], writer)
    assert (report.left_out, report.documents, writer.failures) == ([], 3, {})
    (docs / "bad.json").write_text("{", encoding="utf-8")
    report = await ingest_files([docs], writer)
    assert (report.documents, len(writer.documents)) == (2, 2)
    (docs / "bad.json").unlink()
    report = await ingest_files([docs], writer)
    assert (report.left_out, report.removed, report.documents, writer.failures) == ([], 0, 2, {})


async def test_a_missing_parser_is_named_and_asked_for_again(docs, monkeypatch, tmp_path):
    (tmp_path / "without").mkdir()
    (tmp_path / "without" / "pypdfium2.py").write_text("raise ImportError\n", encoding="utf-8")
    (docs / "a.pdf").write_bytes(documents.pdf("Words of a page."))
    writer = MemoryWriter()
    with monkeypatch.context() as patched:
        patched.syspath_prepend(str(tmp_path / "without"))
        report = await ingest_files([docs], writer)
    assert "pip install 'weiwo[documents]'" in reasons(report)["docs/a.pdf"]
    report = await ingest_files([docs], writer)
    assert (report.left_out, writer.texts["docs/a.pdf"]) == ([], ["Words of a page."])


def test_ten_broken_files_of_each_kind_among_a_hundred(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    root = tmp_path / "mixed"
    root.mkdir()
    for number in range(104):
        ending = ENDINGS[number % len(ENDINGS)]
        fact = f"Fact number {number} is known." + ("" if ending == ".pdf" else " 事实")
        (root / f"good{number}{ending}").write_bytes(documents.good(ending, fact))
    bad = {f"mixed/bad{number}{ending}" for ending in ENDINGS for number in range(10)}
    for name in bad:
        ending = Path(name).suffix
        (tmp_path / name).write_bytes(documents.corrupt(ending, int(Path(name).stem[3:])))
    monkeypatch.setattr("sys.argv", ["weiwo", "index", "mixed"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 3
    first, second, heading, *lines = capsys.readouterr().out.splitlines()
    assert first.startswith("default: 104 documents, ")
    assert second.startswith("104 added in ")
    assert heading == "not indexed, or only in part: 130"
    named = dict(line.strip().split(": ", 1) for line in lines)
    assert set(named) == bad
    assert all(named.values())
    store = Store(locate_by_name(tmp_path / "home") / STORE)
    assert sorted(one.source for one in store.read_known().values() if not one.problem) == sorted(
        f"mixed/{path.name}" for path in root.glob("good*")
    )
    assert {one.source for one in store.read_problems()} == bad
    store.close()


async def test_long_files_are_written_in_parts_and_only_changed_parts_again(docs):
    (docs / "log.jsonl").write_text(records(6_500), encoding="utf-8")
    writer = MemoryWriter()
    report = await ingest_files([docs], writer)
    parts = {"docs/log.jsonl", *(f"docs/log.jsonl#L{n}" for n in (2_001, 4_001, 6_001))}
    assert (writer.sources, report.added, report.passages) == (
        parts | {"docs/bridge.md", "docs/sub/caesar.txt"},
        3,
        6_502,
    )
    with (docs / "log.jsonl").open("a", encoding="utf-8") as file:
        file.write(records(6_600, 6_500))
    report = await ingest_files([docs], writer)
    assert counts(report) == (0, 1, 0, 0, 2)
    assert {one.source for one, _ in writer.log[-1].put} == {"docs/log.jsonl", "docs/log.jsonl#L6001"}
    (docs / "log.jsonl").rename(docs / "new.jsonl")
    report = await ingest_files([docs], writer)
    assert (counts(report), report.passages) == ((0, 0, 1, 0, 2), 6_600)
    assert sum(len(texts) for texts in writer.texts.values()) == 6_602
    (docs / "new.jsonl").write_text(records(3_000), encoding="utf-8")
    report = await ingest_files([docs], writer)
    assert writer.sources == {"docs/new.jsonl", "docs/new.jsonl#L2001", "docs/bridge.md", "docs/sub/caesar.txt"}
    assert report.documents == 4
    (docs / "new.jsonl").unlink()
    report = await ingest_files([docs], writer)
    assert (counts(report), report.documents) == ((0, 0, 0, 1, 2), 2)


async def test_a_run_that_is_cut_off_anywhere_goes_on_to_the_same_end(docs, monkeypatch):
    monkeypatch.setattr("weiwo.tools.corpus.records._BATCH_PASSAGES", 1_000)
    (docs / "log.jsonl").write_text(records(9_000), encoding="utf-8")
    for number in range(40):
        (docs / f"{number}.txt").write_text(f"File number {number}.", encoding="utf-8")
    whole = MemoryWriter()
    await ingest_files([docs], whole)

    class KilledError(Exception):
        pass

    def kill(at: int) -> None:
        if at == stop:
            raise KilledError

    kept = MemoryWriter(kill)
    for stop in range(len(whole.log)):  # noqa: B007 - `kill` looks at it
        with pytest.raises(KilledError):
            await ingest_files([docs], kept)
        for one, passages in kept.documents.values():
            assert passages == whole.documents[one.path][1]  # nothing torn
    stop = -1
    written = sum(len(passages) for change in kept.log for _, passages in change.put)
    report = await ingest_files([docs], kept)
    assert kept.texts == whole.texts
    assert report.documents == len(whole.documents)
    assert report.passages + written == 9_042


async def test_a_file_changed_back_after_a_cut_is_read_again(docs, monkeypatch):
    monkeypatch.setattr("weiwo.tools.corpus.records._BATCH_PASSAGES", 1_000)
    path = docs / "log.jsonl"
    path.write_text(records(5_000), encoding="utf-8")

    class KilledError(Exception):
        pass

    armed = False

    def kill(at: int) -> None:
        if armed and at > cut:
            raise KilledError

    writer = MemoryWriter(kill)
    await ingest_files([docs], writer)
    armed, cut = True, len(writer.log)
    path.write_text(records(5_000).replace("many", "some"), encoding="utf-8")
    with pytest.raises(KilledError):
        await ingest_files([docs], writer)
    armed = False
    path.write_text(records(5_000), encoding="utf-8")
    await ingest_files([docs], writer)
    assert not [text for texts in writer.texts.values() for text in texts if "some" in text]


async def test_cancelling_waits_for_the_batch_that_is_being_written(docs):
    started, finished = asyncio.Event(), False
    loop = asyncio.get_running_loop()

    def slow(_: int) -> None:
        nonlocal finished
        loop.call_soon_threadsafe(started.set)
        import time  # noqa: PLC0415 - here alone

        time.sleep(0.3)
        finished = True

    task = asyncio.create_task(ingest_files([docs], MemoryWriter(slow)))
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert finished


async def test_a_file_that_changes_or_goes_while_it_is_read(docs, monkeypatch):
    from weiwo.tools.corpus.ingestion import worker_pool  # noqa: PLC0415 - to be changed

    ask = worker_pool.ParserWorker.ask

    async def late(self, request):
        (docs / "bridge.md").unlink(missing_ok=True)
        async for message in ask(self, request):
            yield message

    monkeypatch.setattr(worker_pool.ParserWorker, "ask", late)
    writer = MemoryWriter()
    report = await ingest_files([docs], writer)
    assert reasons(report) == {"docs/bridge.md": "it vanished before it was read"}
    assert (writer.sources, writer.failures) == ({"docs/sub/caesar.txt"}, {})


async def test_progress_ends_where_everything_is_done(docs):
    (docs / "log.jsonl").write_text(records(5_000), encoding="utf-8")
    told: list[IngestProgress] = []
    report = await ingest_files([docs], MemoryWriter(), progress=told.append)
    assert (told[0].files, told[0].files_total) == (0, 3)
    assert told[-1] == IngestProgress(3, 3, told[-1].bytes_total, told[-1].bytes_total, report.passages, 0)
    assert [one.bytes for one in told] == sorted(one.bytes for one in told)
    await ingest_files([docs], MemoryWriter(), progress=told.append)


async def test_names_that_are_no_utf_8_are_reported(docs):
    try:
        (docs / os.fsdecode(b"bad\xff.txt")).write_text("Words.", encoding="utf-8")
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    report = await ingest_files([docs], MemoryWriter())
    assert list(reasons(report).values()) == ["its name is not UTF-8; rename it"]
    assert report.added == 2
