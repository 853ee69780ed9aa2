"""`weiwo index` and `weiwo corpus` as processes: summaries, exit codes, stopping, killing, watching."""

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path

import pytest

from tests.support import documents
from tests.support.command import run_command, search_path
from weiwo.tools.corpus.index.catalog import locate_by_name
from weiwo.tools.corpus.index.store import STORE, Store
from weiwo.tools.corpus.index.writer import IndexWriter

pytestmark = pytest.mark.integration

Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def environment(weiwo_home: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": search_path(), "WEIWO_HOME": str(weiwo_home)}


@pytest.fixture
def start(environment: dict[str, str], tmp_path: Path) -> Iterator[Start]:
    """Start indexing; for what a start is needed for."""
    running: list[subprocess.Popen[str]] = []

    def starter(*arguments: str, **more: object) -> "subprocess.Popen[str]":
        streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        command = [sys.executable, "-m", "weiwo", "index", *arguments]
        running.append(subprocess.Popen(command, cwd=tmp_path, env=environment, text=True, **{**streams, **more}))
        return running[-1]

    yield starter
    for process in running:
        with process:
            process.kill()


@pytest.fixture
def weiwo(environment: dict[str, str], tmp_path: Path) -> Callable[..., tuple[int | None, str, str]]:
    def run(*arguments: str) -> tuple[int | None, str, str]:
        return run_command(*arguments, cwd=tmp_path, env=environment, seconds=120)

    return run


@pytest.fixture
def index(weiwo) -> Callable[..., tuple[int | None, str, str]]:
    def run(*arguments: str, path: str = "docs") -> tuple[int | None, str, str]:
        return weiwo("index", path, *arguments)

    return run


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    root = tmp_path / "docs"
    root.mkdir()
    for ending in (".md", ".pdf", ".docx", ".html", ".jsonl"):
        (root / f"fact{ending}").write_bytes(documents.good(ending, f"The bridge of {ending[1:]} opened in 1849."))
    return root


def spoken(err: str) -> list[str]:
    """What is said beside how far it is, which is told every few seconds, should it take as long."""
    return [line for line in err.splitlines() if not re.match(r"\d[\d,]* of \d[\d,]* files, ", line)]


def texts(home: Path) -> dict[str, list[str]]:
    """What the index holds, read from the store itself."""
    store = Store(locate_by_name(home) / STORE)
    with store.read_transaction() as connection:
        rows = connection.execute(
            "SELECT source, text FROM documents JOIN passages ON passages.id BETWEEN first AND first + count - 1"
            " WHERE died IS NULL ORDER BY passages.id"
        ).fetchall()
    store.close()
    found: dict[str, list[str]] = {}
    for source, text in rows:
        found.setdefault(source, []).append(text)
    return found


@pytest.mark.usefixtures("docs")
def test_a_folder_is_indexed_and_summed_up(index, weiwo_home) -> None:
    code, out, err = index()
    assert (code, spoken(err)) == (0, [])
    assert out.startswith("default: 5 documents, 5 passages\n5 added in ")
    code, out, _ = index("--json")
    summary = json.loads(out)
    assert code == 0
    assert summary.pop("seconds") >= 0
    assert summary == {
        "corpus": "default",
        "documents": 5,
        "passages": 5,
        "added": 0,
        "changed": 0,
        "removed": 0,
        "moved": 0,
        "unchanged": 5,
        "left_out": [],
    }
    assert "docs/fact.pdf" in texts(weiwo_home)


def test_what_is_left_out_is_named_and_the_exit_code_is_three(index, docs) -> None:
    (docs / "broken.pdf").write_bytes(documents.corrupt(".pdf", 3))
    (docs / "locked.pdf").write_bytes(documents.encrypted_pdf("secret"))
    code, out, _ = index()
    assert code == 3
    assert "  docs/broken.pdf: damaged PDF" in out
    assert "  docs/locked.pdf: encrypted; save it without a password\n" in out
    code, out, _ = index("--json")
    assert (code, [one["source"] for one in json.loads(out)["left_out"]]) == (3, ["docs/broken.pdf", "docs/locked.pdf"])


@pytest.mark.parametrize(
    ("path", "said"), [("nowhere", "name a file or folder that exists"), ("*.md", "no file match")]
)
def test_a_path_that_is_not_there_is_wrong_usage(index, path, said, weiwo_home) -> None:
    code, out, err = index(path=path)
    assert (code, out) == (2, "")
    assert err.startswith(f"weiwo: {path}: ")
    assert said in err
    assert not (weiwo_home / "corpora").exists()


@pytest.mark.usefixtures("docs")
def test_corpora_are_listed(index, weiwo) -> None:
    assert weiwo("corpus") == (0, "", "there are no corpora yet; create one with weiwo index PATH\n")
    index()
    _, out, _ = weiwo("corpus")
    assert out.startswith("default\t5 documents\t5 passages\t")
    assert out.endswith(" ago\tfrom docs\n")
    (one,) = json.loads(weiwo("corpus", "--json")[1])
    assert (one["name"], one["documents"], one["left_out"]) == ("default", 5, 0)
    assert one["bytes"] > 1_000


@pytest.mark.usefixtures("docs")
def test_a_second_writer_is_told_so(index, weiwo_home) -> None:
    index()
    with IndexWriter(locate_by_name(weiwo_home)):
        code, _, err = index()
    assert code == 1
    assert "is in use by process" in err
    assert err.count("\n") == 1


def many(docs: Path, number: int) -> None:
    """Files enough that indexing takes a while."""
    lines = [json.dumps({"text": f"Record {n} tells of bridge number {n * 7} on the river."}) for n in range(number)]
    (docs / "many.jsonl").write_text("\n".join(lines), encoding="utf-8")
    for n in range(number // 40):
        (docs / f"{n}.txt").write_text(f"File {n} tells of the tower.", encoding="utf-8")


STOPPED = """
import os, sys
from weiwo.app.cli.main import main
from weiwo.tools.corpus.index.writer import IndexWriter

apply = IndexWriter.apply

def and_stop(writer, changes):
    generation = apply(writer, changes)
    os.kill(os.getpid(), int(sent))
    return generation

IndexWriter.apply = and_stop
_, sent, *sys.argv = sys.argv
main()
"""
"""The command, sent a signal whenever a batch has been written."""


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_stopped_run_leaves_a_sound_index_that_goes_on(index, docs, environment, weiwo_home, sent) -> None:
    many(docs, 12_000)
    command = [sys.executable, "-c", STOPPED, str(int(sent)), "weiwo", "index", "docs"]
    process = subprocess.Popen(command, cwd=docs.parent, env=environment, stderr=subprocess.PIPE, text=True)
    _, err = process.communicate()
    assert process.returncode == {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGKILL: -9}[sent]
    if sent != signal.SIGKILL:
        assert spoken(err) == ["weiwo: stopped; indexed files are saved; run the command again to continue"]
    before = texts(weiwo_home)
    assert 0 < sum(map(len, before.values())) < 12_305
    code, out, _ = index("--json")
    summary = json.loads(out)
    after = texts(weiwo_home)
    assert (code, summary["passages"]) == (0, 12_305)
    assert sum(map(len, after.values())) == 12_305
    assert all(after[source] == passages for source, passages in before.items())


def test_a_terminal_sees_a_bar(start, docs) -> None:
    many(docs, 8_000)
    ours, theirs = pty.openpty()
    process = start("docs", stderr=theirs)
    os.close(theirs)
    seen = b""
    with suppress(OSError):
        while data := os.read(ours, 65_536):
            seen += data
    os.close(ours)
    out, _ = process.communicate()
    assert process.returncode == 0
    assert out.startswith("default: ")
    assert all(words in seen.decode() for words in ("indexing", "files", "passages/s", "%"))


def test_changes_are_followed_until_it_is_stopped(start, docs, weiwo_home) -> None:
    process = start("docs", "--watch")
    assert process.stdout.readline() == "default: 5 documents, 5 passages\n"
    assert process.stdout.readline().startswith("5 added")
    while (said := process.stderr.readline()) != "watching for changes; press Ctrl-C to stop\n":
        assert said
        assert not spoken(said)
    out = ""
    for turn in count():  # the watch may not have begun
        if out:
            break
        (docs / "new.md").write_text(f"# New\n\nWords, turn {turn}.\n", encoding="utf-8")
        (docs / ".hidden.md").write_text("Words.", encoding="utf-8")
        if select.select([process.stdout], [], [], 0.5)[0]:
            out = process.stdout.readline()
    assert out.startswith("default: 6 documents, 6 passages\n")
    process.send_signal(signal.SIGINT)
    _, err = process.communicate()
    assert process.returncode == 130, err
    assert err.endswith("weiwo: stopped; the corpus default is as last said\n")
    assert "docs/new.md" in texts(weiwo_home)


def test_a_document_loader_fills_a_corpus_that_is_then_searched_by_name(weiwo, tmp_path) -> None:
    (tmp_path / "people.csv").write_text("name,role\nMarta Quill,architect\nJonas Brenn,mason\n", encoding="utf-8")
    loader = (
        "--loader",
        "langchain_community.document_loaders:CSVLoader",
        "--loader-args",
        '{"file_path": "people.csv"}',
    )
    code, out, err = weiwo("index", "--corpus", "people", *loader)
    assert (code, spoken(err)) == (0, [])
    assert out.startswith("people: 1 document, 2 passages\n1 added in ")
    code, out, err = weiwo("index", "--corpus", "people", *loader, "--json")
    assert (code, spoken(err), json.loads(out)["unchanged"]) == (0, [], 1)
    code, out, _ = weiwo("search", "--corpus", "people", "--json", "Marta Quill")
    assert code == 0
    assert "row 1" in out
    assert "from langchain_community.document_loaders:CSVLoader" in weiwo("corpus")[1]


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        ((), 2, "nothing to index; give files or folders, or a document loader with --loader"),
        (("--loader-args", "{}"), 2, "--loader-args requires --loader"),
        (("docs", "--loader", "json:JSONDecoder"), 2, "--loader cannot be combined with paths"),
        (("--watch", "--loader", "json:JSONDecoder"), 2, "--loader cannot be combined with --watch"),
        (("--loader", "nowhere"), 2, "not MODULE:NAME"),
        (("--loader", "json:JSONDecoder"), 2, "not a LangChain document loader"),
        (
            (
                *("--loader", "langchain_community.document_loaders:TextLoader"),
                *("--loader-args", '{"file_path": "nowhere.txt"}'),
            ),
            1,
            "No such file or directory: 'nowhere.txt'); nothing was changed",
        ),
    ],
)
@pytest.mark.usefixtures("docs")
def test_what_is_wrong_with_a_loader_is_one_line_and_makes_no_corpus(weiwo, arguments, code, says) -> None:
    ended, out, err = weiwo("index", *arguments)
    assert (ended, out) == (code, "")
    assert says in err
    assert len(err.splitlines()) == 1
    assert weiwo("corpus")[1] == ""
