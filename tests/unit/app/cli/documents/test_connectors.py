"""How a corpus comes to be kept in step with a loader: intervals, secrets, what is due, and what is told of it."""

import json
import stat
import subprocess
import sys
import time
from dataclasses import replace
from errno import EAGAIN
from pathlib import Path

import pytest
from typer.testing import CliRunner

from weiwo.app.cli.documents.connectors import find_due, parse_connector
from weiwo.app.cli.errors import UsageError
from weiwo.app.cli.main import app
from weiwo.tools.corpus.base import CorpusError
from weiwo.tools.corpus.index.connectors import (
    Connector,
    begin_run,
    forget_connector,
    note_connector,
    note_run,
    put_off_run,
    read_connectors,
)
from weiwo.tools.corpus.index.writer import BusyError
from weiwo.tools.corpus.ingestion.langchain_loader import LoaderSpec

ROOT = Path(__file__).parents[5]
SPEC = LoaderSpec("wikis", "Wiki", {"url": "https://wiki.example", "space_key": "ENG", "token": "${WIKI_TOKEN}"})


@pytest.mark.parametrize(("text", "seconds"), [("30m", 1_800), ("1h", 3_600), ("2D", 172_800), ("0", 0)])
def test_intervals(text, seconds):
    connector = parse_connector(SPEC, text)
    assert connector is not None
    assert connector.seconds == seconds


@pytest.mark.parametrize("text", ["", "h", "1", "-1h", "1w", "0h", "99999999h", "1.5h", "٣h"])
def test_what_is_no_interval_is_refused_in_a_line(text):
    with pytest.raises(UsageError, match="invalid interval"):
        parse_connector(SPEC, text)


def test_an_interval_wants_a_loader():
    assert parse_connector(None, None) is None
    with pytest.raises(UsageError, match="--every requires a loader"):
        parse_connector(None, "1h")


@pytest.mark.parametrize(
    "arguments",
    [
        {"token": "abc123"},
        {"api_key": "abc123"},
        {"login": {"password": "abc123"}},
        {"headers": [{"Authorization": "Bearer abcdefgh12345"}]},
        {"url": "https://ann:abc123@wiki.example"},
        {"url": "https://wiki.example?access_token=abc123def"},
        {"header": "sk-abcdefghijkl"},
    ],
)
def test_a_secret_is_not_kept(arguments):
    with pytest.raises(UsageError, match=r"--loader-args: the secret in '\w+' would be saved on disk"):
        parse_connector(LoaderSpec("wikis", "Wiki", arguments), "1h")


def test_names_of_variables_stand_for_their_values():
    assert SPEC.find_secrets() == []
    assert SPEC.fill_arguments({"WIKI_TOKEN": "abc"}) == {**SPEC.arguments, "token": "abc"}
    nested = LoaderSpec("wikis", "Wiki", {"auth": ["Bearer ${T}", {"n": 3}]})
    assert nested.fill_arguments({"T": "x"}) == {"auth": ["Bearer x", {"n": 3}]}
    with pytest.raises(CorpusError, match="the environment variable WIKI_TOKEN is not set; set it"):
        SPEC.fill_arguments({})
    with_value = LoaderSpec(SPEC.module, SPEC.name, SPEC.fill_arguments({"WIKI_TOKEN": "abc"}))
    assert SPEC.key != with_value.key  # of the names, so that a new token is no new source


def test_the_note_of_a_corpus(tmp_path):
    folder = tmp_path / "corpora" / "wiki"
    folder.mkdir(parents=True)
    wiki = Connector("wikis", "Wiki", {"url": "a"}, 3_600, "here")
    other = replace(wiki, arguments={"url": "b"})
    note_connector(folder, wiki)
    note_connector(folder, other)
    note_connector(folder, replace(wiki, seconds=60))
    assert [one.seconds for one in read_connectors(folder)] == [3_600, 60]
    assert stat.S_IMODE((folder / "connectors.json").stat().st_mode) == 0o600
    assert [one.arguments["url"] for _, one in find_due(tmp_path)] == ["b", "a"]

    started = time.time()
    note_run(folder, wiki, started)
    note_run(folder, wiki, started + 1, "it does not answer")
    note_run(folder, replace(wiki, name="Unknown"), started)
    kept = next(one for one in read_connectors(folder) if one.is_same(wiki))
    assert (kept.problem, kept.tried_at, kept.seconds) == ("it does not answer", started + 1, 60)
    assert started <= kept.done_at <= time.time()
    assert [one.arguments["url"] for _, one in find_due(tmp_path, "wiki")] == ["b"]
    assert not kept.late
    assert replace(kept, tried_at=started - 121).late

    assert forget_connector(folder, other)
    assert not forget_connector(folder, other)
    assert len(read_connectors(folder)) == 1


WRITER = """
import sys
from pathlib import Path
from weiwo.tools.corpus.index.connectors import Connector, note_connector, note_run

sys.stdin.readline()
for number in range(40):
    connector = Connector("wikis", "Wiki", {"url": f"{sys.argv[2]}-{number}"}, 60)
    note_connector(Path(sys.argv[1]), connector)
    note_run(Path(sys.argv[1]), connector, 1.0)
"""


@pytest.mark.processes
def test_processes_that_note_connectors_at_once_lose_none(tmp_path):
    command = [sys.executable, "-c", WRITER, str(tmp_path)]
    writers = [subprocess.Popen([*command, name], cwd=ROOT, stdin=subprocess.PIPE, text=True) for name in "ab"]
    for writer in writers:
        writer.stdin.write("go\n")
        writer.stdin.close()
    assert [writer.wait(timeout=300) for writer in writers] == [0, 0]
    kept = read_connectors(tmp_path)
    assert {item.arguments["url"] for item in kept} == {f"{name}-{n}" for name in "ab" for n in range(40)}
    assert all(item.done_at for item in kept)
    assert {path.name for path in tmp_path.iterdir()} == {"connectors.json"}


def test_a_due_run_is_begun_once_and_changes_nothing_else(tmp_path):
    read = Connector("wikis", "Wiki", {"url": "a"}, 3_600)
    note_connector(tmp_path, read)
    started = time.time()
    assert begin_run(tmp_path, read, started)
    assert not begin_run(tmp_path, read, started + 1)
    put_off_run(tmp_path, read, started + 1)  # the run of another process
    assert read_connectors(tmp_path)[0].tried_at == started
    put_off_run(tmp_path, read, started)
    note_connector(tmp_path, replace(read, seconds=60))  # the user, since the connector was read
    assert begin_run(tmp_path, read, started)
    assert [(item.seconds, item.tried_at) for item in read_connectors(tmp_path)] == [(60, started)]
    assert forget_connector(tmp_path, read)
    assert not begin_run(tmp_path, read, started)
    assert read_connectors(tmp_path) == ()


BUSY = BlockingIOError(EAGAIN, "another process keeps the connectors busy", "/home/corpora/a")


@pytest.fixture
def due(tmp_path, monkeypatch):
    """Two corpora, a and b, each with a connector that is due and whose class does not exist."""
    missing = Connector("wikis_nowhere", "Wiki", {"url": "a"}, 3_600)
    folders = [tmp_path / "a", tmp_path / "b"]
    for folder in folders:
        folder.mkdir()
        note_connector(folder, missing)
    monkeypatch.setattr("weiwo.app.cli.documents.index.find_due", lambda *_: [(folder, missing) for folder in folders])
    return folders


def test_a_run_that_cannot_begin_leaves_the_record_and_the_others_their_turn(due, monkeypatch):
    def begin(folder, *given):
        if folder.name == "a":
            raise BUSY
        return begin_run(folder, *given)

    monkeypatch.setattr("weiwo.app.cli.documents.index.begin_run", begin)
    done = CliRunner().invoke(app, ["index", "--due"])
    kept, failed = (read_connectors(folder)[0] for folder in due)
    assert done.exit_code == 3
    assert "corpus a: another process keeps the connectors busy\n" in done.stderr
    assert (kept.tried_at, kept.problem) == (0, "")
    assert "wikis_nowhere" in failed.problem


def test_a_run_that_cannot_be_put_off_is_reported(due, monkeypatch):
    def load(*_):
        raise BusyError("a is in use by process 1")

    def put_off(folder, *given):
        if folder.name == "a":
            raise BUSY
        put_off_run(folder, *given)

    monkeypatch.setattr("weiwo.app.cli.documents.index.import_loader", load)
    monkeypatch.setattr("weiwo.app.cli.documents.index.put_off_run", put_off)
    done = CliRunner().invoke(app, ["index", "--due"])
    assert (done.exit_code, done.stderr) == (3, "corpus a: another process keeps the connectors busy\n")
    assert read_connectors(due[1])[0].due


@pytest.mark.parametrize("note", ["", "{", "[1]", '[{"module": "a", "new": 1}]', json.dumps({"module": "a"})])
def test_a_note_that_cannot_be_read_keeps_nothing(tmp_path, note):
    (tmp_path / "connectors.json").write_text(note, encoding="utf-8")
    assert read_connectors(tmp_path) == ()


def test_a_name_that_is_none_is_refused(tmp_path):
    with pytest.raises(UsageError, match="invalid name"):
        list(find_due(tmp_path, "../x"))
