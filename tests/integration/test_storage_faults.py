"""What goes wrong with the disk, the clock and the database: one clear line each, and other threads are unharmed."""

import ctypes
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from langgraph.checkpoint.base import id as ids

from tests.support.command import run_command, search_path
from weiwo.graph import build_graph
from weiwo.graph.persistence.storage import DamagedCheckpointError
from weiwo.graph.persistence.threads import list_threads
from weiwo.state.settings import Context

pytestmark = pytest.mark.integration

CONTEXT = Context(web=False, telemetry=False)
DAY = 86_400_000_000_000
BOUNDING_SET_DROP, DAC_OVERRIDE, DAC_READ_SEARCH = 24, 1, 2
PRIVILEGED = hasattr(os, "geteuid") and os.geteuid() == 0


def at(thread):
    return {"configurable": {"thread_id": thread}}


async def ask(graph, question, thread="mine"):
    values = await graph.ainvoke({"question": question}, at(thread), context=CONTEXT)
    return values["result"]["answer"]


async def test_a_clock_that_went_back_loses_no_question(saver, index_sample, tmp_path, monkeypatch):
    index_sample(tmp_path / "home")
    graph = build_graph(saver)
    assert "42" in await ask(graph, "What is 6 times 7?")
    if type(saver).__name__ == "InMemorySaver":
        return  # it does not outlive its process, in which ids only grow
    now = time.time_ns
    monkeypatch.setattr(time, "time_ns", lambda: now() - DAY)
    monkeypatch.setattr(ids, "_last_v6_timestamp", None)  # as a process that starts now has it
    assert "5" in await ask(graph, "What is 2 plus 3?")
    monkeypatch.setattr(ids, "_last_v6_timestamp", None)
    values = (await graph.aget_state(at("mine"))).values
    assert values["question"] == "What is 2 plus 3?"
    assert len(values["messages"]) == 4


@pytest.mark.parametrize("saver", ["sqlite", "postgres"], indirect=True)
async def test_a_damaged_thread_is_one_line_and_the_others_are_listed_and_go_on(saver, index_sample, tmp_path):
    index_sample(tmp_path / "home")
    graph = build_graph(saver)
    for thread in ("mine", "other"):
        await ask(graph, "What is 6 times 7?", thread)
    if type(saver).__name__ == "AsyncSqliteSaver":
        await saver.execute([("UPDATE checkpoints SET checkpoint = x'c1c1c1c1' WHERE thread_id = 'mine'", ())])
    else:
        async with saver._cursor() as cursor:
            await cursor.execute(
                "UPDATE checkpoint_blobs SET blob = '\\xc1c1c1c1' WHERE thread_id = 'mine' AND type = 'msgpack'"
            )
    listed = {thread.thread_id: thread for thread in await list_threads(saver)}
    assert set(listed) == {"mine", "other"}
    assert (listed["other"].status, listed["other"].question) == ("complete", "What is 6 times 7?")
    with pytest.raises(
        DamagedCheckpointError, match=r"^the thread mine has an invalid checkpoint.*; ask again"
    ) as told:
        await ask(graph, "What is 2 plus 3?")
    assert "\n" not in str(told.value)
    assert "5" in await ask(graph, "What is 2 plus 3?", "other")


def without_privileges() -> None:
    """Have permissions count for root too, from the next program on."""
    libc = ctypes.CDLL(None, use_errno=True)
    for capability in (DAC_OVERRIDE, DAC_READ_SEARCH) if PRIVILEGED else ():
        if libc.prctl(BOUNDING_SET_DROP, capability, 0, 0, 0):
            raise OSError(ctypes.get_errno(), "prctl")


@pytest.fixture
def weiwo(weiwo_home, tmp_path, index_sample):
    """The command, for which permissions count; all of them are given back in the end."""
    if not sys.platform.startswith("linux"):
        pytest.skip("takes Linux's capabilities, or not to be root")
    index_sample(weiwo_home)

    def run(*args):
        ran = subprocess.run(
            [sys.executable, "-m", "weiwo", *args],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": search_path()},
            preexec_fn=without_privileges,
            capture_output=True,
            text=True,
            check=False,
            timeout=240,
        )
        assert "Traceback" not in ran.stderr
        return ran.returncode, ran.stdout, ran.stderr

    yield run
    for folder, _, _ in os.walk(tmp_path):
        Path(folder).chmod(0o700)


def allowed(tmp_path, *args):
    """The command where no permission is in the way."""
    return run_command(*args, cwd=tmp_path, env={**os.environ, "PYTHONPATH": search_path()})


def denied(said):
    """The line that says so, the last one."""
    line = said.splitlines()[-1]
    assert line.startswith("weiwo: cannot ")
    return line


def test_a_home_that_may_not_be_entered_written_or_made_is_one_line(weiwo, weiwo_home, monkeypatch, tmp_path):
    question = ("ask", "What is 6 times 7?", "--no-web")
    assert allowed(tmp_path, *question, "--thread", "t")[0] == 0
    weiwo_home.chmod(0)
    for command in (question, ("threads",), ("search", "K2")):
        code, out, err = weiwo(*command)
        assert (code, out) == (1, ""), err
        assert ": Permission denied; " in denied(err)
    weiwo_home.chmod(0o500)
    database = weiwo_home / "threads.sqlite"
    database.chmod(0o400)
    code, _, err = weiwo(*question)
    assert (code, "readonly database; make it writable" in denied(err)) == (1, True), err
    weiwo_home.chmod(0o700)
    database.chmod(0o600)
    assert "42" in weiwo("show", "t")[1]
    (tmp_path / "shut").mkdir(mode=0o500)
    monkeypatch.setenv("WEIWO_HOME", str(tmp_path / "shut" / "home"))
    code, _, err = weiwo("threads")
    assert (code, "cannot create the folder" in denied(err)) == (1, True), err
    code, out, err = weiwo(*question)  # it needs a place for its index before one for its thread
    (line,) = err.splitlines()
    assert (code, out, line.startswith("weiwo: corpus the sample corpus: its index cannot be stored ")) == (1, "", True)
    assert f"{tmp_path / 'shut' / 'home'}" in line
    assert ": Permission denied; " in line
    assert line.endswith("; free some space, or set WEIWO_HOME to a writable folder")


def test_documents_that_may_not_be_read_are_named_and_the_others_are_found(weiwo, tmp_path):
    documents = tmp_path / "docs"
    (documents / "shut").mkdir(parents=True)
    (documents / "good.md").write_text("# Tower\n\nThe tower of Kelvar is 330 metres tall.\n")
    (documents / "mine.md").write_text("private")
    (documents / "mine.md").chmod(0)
    (documents / "shut").chmod(0)
    code, out, err = weiwo("index", str(documents))
    assert code == 3, err
    assert "docs/mine.md: permission denied" in out
    assert "docs/shut: permission denied" in out
    assert "330" in weiwo("search", "height of the tower of Kelvar")[1]


def test_a_log_that_was_cut_off_costs_no_thread_that_was_written_before(weiwo_home, tmp_path, index_sample):
    index_sample(weiwo_home)
    assert allowed(tmp_path, "ask", "What is 6 times 7?", "--no-web", "--thread", "t")[0] == 0
    (weiwo_home / "threads.sqlite-wal").write_bytes(b"\x37\x7f\x06\x82" + b"\0" * 500)
    assert "42" in allowed(tmp_path, "show", "t")[1]
    assert allowed(tmp_path, "ask", "What is 2 plus 3?", "--no-web", "--thread", "t")[0] == 0
