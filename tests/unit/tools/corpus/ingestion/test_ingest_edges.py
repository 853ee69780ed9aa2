"""Ingestion at its edges: encodings, folders that cannot be listed, files that change under our hands, environment."""

import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.examples import examples
from tests.support.index_writer import MemoryWriter
from weiwo.tools.corpus.base import CorpusError
from weiwo.tools.corpus.formats.encodings import UnreadableError, decode
from weiwo.tools.corpus.formats.parts import Part
from weiwo.tools.corpus.ingestion import file_walk, worker, worker_pool
from weiwo.tools.corpus.ingestion.ingest import ingest_files
from weiwo.tools.corpus.records import Passage

ZH = "汉武帝刘彻生于公元前156年，在位五十四年。他是西汉第七位皇帝，政治家、战略家。\n"
TW = "漢武帝劉徹生於公元前156年，在位五十四年。他是西漢第七位皇帝，政治家、戰略家。\n"
EN = "The naïve café served a résumé to the Emperor in 1849. It was very good.\n"


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("", "utf-8"),
        ("naïve 汉", "utf-8-sig"),
        (TW, "gb18030"),
        (EN, "latin-1"),
        *(("word " * 20_000 + ZH, encoding) for encoding in ("gb18030", "utf-16-le", "utf-8")),
        ("word " * 20_000 + TW, "big5"),
    ],
)
def test_encodings_are_told_apart(text: str, encoding: str) -> None:
    assert decode((text * 30).encode(encoding)) == text * 30


def test_a_few_damaged_bytes_cost_no_more_than_themselves() -> None:
    data, cut = (ZH * 50).encode(), len((ZH * 20).encode())
    assert decode(data[:cut] + b"\xff" + data[cut:]).replace("\ufffd", "") == ZH * 50


@pytest.mark.parametrize(
    "data",
    [
        *(bytes(range(256)) * 4, b"PK\x03\x04" * 9, b"ab\x00c", b"\xff\xfe\x00\x00", b"\xff\xfea"),
        random.Random(7).randbytes(5_000),  # noqa: S311 - noise
    ],
)
def test_binary_data_is_no_text(data: bytes) -> None:
    with pytest.raises(UnreadableError):
        decode(data)


@given(text=st.text(st.characters(exclude_characters="\x00\ufeff", exclude_categories=["Cs", "Cc"]), max_size=300))
def test_utf_8_is_always_right(text: str) -> None:
    assert decode(text.encode()) == text


@pytest.mark.processes
async def test_what_is_below_a_folder_that_cannot_be_listed_stays(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs" / "sub").mkdir(parents=True)
    (tmp_path / "docs" / "sub" / "a.md").write_text("Words.", encoding="utf-8")
    writer = MemoryWriter()
    await ingest_files(["docs"], writer)
    scandir = os.scandir

    def refusing(path):
        if str(path).endswith("sub"):
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(file_walk.os, "scandir", refusing)
    report = await ingest_files(["docs"], writer)
    assert [(one.source, one.reason) for one in report.left_out] == [("docs/sub", "permission denied")]
    assert (writer.sources, report.removed) == ({"docs/sub/a.md"}, 0)


def request(path: Path, **more: object) -> dict[str, object]:
    return {"path": str(path), "name": "n", "most_bytes": 1_000, "unchanged": "", "held": {}, **more}


def test_a_file_that_changes_while_it_is_read_is_not_believed(tmp_path, monkeypatch):
    path = tmp_path / "a.txt"
    path.write_text("Before.", encoding="utf-8")

    def slow(file, name):
        path.write_text("After it grew.", encoding="utf-8")
        yield Part(name, [Passage(file.read().decode(), (), "line 1", 1, 1)])

    monkeypatch.setattr(worker, "load_reader", lambda _: slow)
    (message,) = worker._read_file(request(path))
    assert message == {"failed": "it changed while it was read; index again", "passing": True}


def test_what_took_the_place_of_a_file_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "a.txt")
    (message,) = worker._read_file(request(tmp_path / "a.txt"))
    assert message == {"failed": "no longer a file", "passing": True}
    (tmp_path / "b.txt").write_text("x" * 1_001, encoding="utf-8")
    (message,) = worker._read_file(request(tmp_path / "b.txt"))
    assert "over the 1,000 bytes" in message["failed"]


@pytest.mark.processes
async def test_workers_are_told_no_secrets(tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    module = tmp_path / "spy" / "xberg"
    module.mkdir(parents=True)
    (module / "__init__.py").write_text(
        "import json, os\ndef ExtractionConfig(**_): raise ValueError(json.dumps([n for n in sorted(os.environ) if n in ('PATH', 'OPENAI_API_KEY')]))\n",
        encoding="utf-8",
    )
    monkeypatch.syspath_prepend(str(tmp_path / "spy"))
    (tmp_path / "a.rtf").write_bytes(b"{\\rtf1 a}")
    (problem,) = (await ingest_files([tmp_path / "a.rtf"], MemoryWriter())).left_out
    seen = json.loads(problem.reason.removeprefix("damaged rtf: "))
    assert "PATH" in seen
    assert "OPENAI_API_KEY" not in seen


@pytest.mark.processes
def test_a_worker_starts_with_what_reads_files_alone() -> None:
    """One is started by every run that has files to read, so whatever it imports is paid for again and again."""
    loaded = "import sys, weiwo.tools.corpus.ingestion.worker; print(*{name.removeprefix('weiwo.').partition('.')[0] for name in sys.modules})"
    found = subprocess.run([sys.executable, "-c", loaded], capture_output=True, check=True, text=True)
    assert {"tools", "text"} <= set(found.stdout.split())
    assert not {"pydantic", "langchain_core", "sqlite3", "tantivy", "pypdfium2"} & set(found.stdout.split())


@pytest.mark.processes
async def test_a_worker_that_does_not_start_is_one_error(tmp_path, monkeypatch):
    (tmp_path / "a.md").write_text("Words.", encoding="utf-8")
    monkeypatch.setattr(sys, "executable", shutil.which("false"))
    with pytest.raises(CorpusError, match="does not start"):
        await ingest_files([tmp_path], MemoryWriter())


@examples(20)  # each starts a process
@given(number=st.integers(2, 6), hostile=st.integers(0, 5))
@pytest.mark.processes
async def test_a_crash_costs_none_of_the_files_beside_it(number: int, hostile: int, tmp_path_factory) -> None:
    root = tmp_path_factory.mktemp("group")
    for n in range(number):
        (root / f"{n}.txt").write_text(f"File {n}.", encoding="utf-8")
    crash = "from weiwo.tools.corpus.ingestion import worker; import os; read = worker._read_file"
    spoiled = f"worker._read_file = lambda r: os.abort() if r['path'].endswith('/{hostile}.txt') else read(r)"
    before = worker_pool._COMMAND
    worker_pool._COMMAND = before.replace("from weiwo", f"{crash}; {spoiled}; from weiwo", 1)
    try:
        writer = MemoryWriter()
        report = await ingest_files([root], writer)
    finally:
        worker_pool._COMMAND = before
    assert len(writer.documents) == number - (hostile < number)
    assert [one.reason for one in report.left_out] == ["its parser crashed"] * (hostile < number)
