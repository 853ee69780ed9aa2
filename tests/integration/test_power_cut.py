"""What a power cut leaves: the files are rebuilt from a traced process, from what was synced before its tool acted.

`strace` shows each write and each sync of the database's files. A file is taken to hold what was written to it before
its last sync, and nothing later, which is the least a disk may keep.
"""

import re
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import pytest

pytestmark = pytest.mark.integration
ROOT = Path(__file__).parents[2]

ACTING = """
import asyncio, os, sys
from langchain_core.tools import tool
from langgraph.types import Command
from tests.integration.test_consent import QUESTION, planning
from weiwo.graph import build_graph
from weiwo.graph.persistence.checkpointer import open_checkpointer
from weiwo.graph.persistence.store import open_store
from weiwo.graph.persistence.thread_lock import claim_thread
from weiwo.state.settings import Context, Settings

@tool
async def close_ticket(number: str) -> str:
    "Close a ticket."
    os.write(1, b"THE TOOL ACTS")
    return "Ticket 7 was closed on 3 May 2024."

close_ticket.metadata = {"acts": True}

async def main():
    settings = Settings(home=sys.argv[1], telemetry=False)
    context, at = Context(web=False, allow_acting=sys.argv[2] == "allowed"), {"configurable": {"thread_id": "t"}}
    async with open_checkpointer(settings) as saver, open_store(settings) as store:
        graph = build_graph(saver, store, tools=[close_ticket], models=planning("7"))
        async with claim_thread(settings, "t", saver=saver):
            await graph.ainvoke({"question": QUESTION}, at, context=context, durability="sync")
        if sys.argv[2] == "asked":
            async with claim_thread(settings, "t", saver=saver):
                await graph.ainvoke(Command(resume="approve"), at, context=context, durability="sync")
    os.write(1, b"THE END")

asyncio.run(main())
"""
_CALL = re.compile(
    r"(?P<name>pwrite64|fdatasync|fsync|ftruncate|write)\((?P<fd>\d+)<(?P<path>[^>]*)>"
    r'(?:, "(?P<data>[^"]*)")?(?:, (?P<first>\d+))?(?:, (?P<second>\d+))?\)\s+= (?P<result>-?\d+)'
)


@dataclass
class _File:
    """A file as the system has it, and as the disk is sure to."""

    now: bytearray = field(default_factory=bytearray)
    synced: bytes = b""
    syncs: int = 0


def _replay(trace: Path, folder: Path, marker: bytes) -> dict[str, _File]:
    """The database's files at the moment when a marker was written to the standard output."""
    files: dict[str, _File] = {}
    for line in _whole_calls(trace.read_text(errors="replace").splitlines()):
        if (call := _CALL.search(line)) is None or call["result"].startswith("-"):
            continue
        data, path = _unescape(call["data"] or ""), Path(_unescape(call["path"]).decode())
        if call["fd"] == "1" and marker in data:
            return files
        if path.parent != folder:
            continue
        file = files.setdefault(path.name, _File())
        if call["name"] == "pwrite64":
            at = int(call["second"])
            file.now.extend(bytes(max(0, at + len(data) - len(file.now))))
            file.now[at : at + len(data)] = data
        elif call["name"] == "ftruncate":
            del file.now[int(call["first"]) :]
        elif call["name"] in {"fdatasync", "fsync"}:
            file.synced, file.syncs = bytes(file.now), file.syncs + 1
    raise AssertionError(f"the process never wrote {marker!r}")


def _unescape(text: str) -> bytes:
    """Bytes that strace writes in hexadecimal."""
    return bytes.fromhex(text.replace("\\x", ""))


def _whole_calls(lines: list[str]) -> list[str]:
    """Calls that another thread's interrupted, joined; each line without its process id."""
    begun: dict[str, str] = {}
    whole = []
    for line in lines:
        thread, _, rest = line.partition(" ")
        rest = rest.strip()
        if rest.endswith("<unfinished ...>"):
            begun[thread] = rest.removesuffix("<unfinished ...>").rstrip()
        elif resumed := re.match(r"<\.\.\. \w+ resumed>", rest):
            whole.append(begun.pop(thread, "") + rest[resumed.end() :])
        else:
            whole.append(rest)
    return whole


@pytest.fixture(scope="module")
def strace() -> str:
    found = shutil.which("strace")
    if found is None or subprocess.run([found, "-o", "/dev/null", "true"], check=False).returncode:
        pytest.skip("no strace here that may trace")
    return found


@pytest.mark.long
@pytest.mark.parametrize("consent", ["asked", "allowed"])
def test_the_booking_and_all_it_rests_on_survive_a_power_cut(strace, consent, weiwo_home, index_sample, tmp_path):
    index_sample(weiwo_home)
    traced = ("--seccomp-bpf", "-e", "trace=pwrite64,write,fdatasync,fsync,ftruncate")
    trace = tmp_path / "trace"
    options = ["-f", "-y", "-xx", "-s", "2000000", *traced, "-o", str(trace)]
    command = [strace, *options, sys.executable, "-c", ACTING]
    ran = subprocess.run([*command, str(weiwo_home), consent], cwd=ROOT, capture_output=True, check=False)
    assert ran.stdout.endswith(b"THE END"), ran.stderr[-2_000:]
    files = _replay(trace, weiwo_home, b"THE TOOL ACTS")
    assert files["threads.sqlite-wal"].syncs > 0
    left = tmp_path / "left"
    left.mkdir()
    for name in ("threads.sqlite", "threads.sqlite-wal"):  # the journal of the first moment is deleted by then
        (left / name).write_bytes(files[name].synced)
    with closing(sqlite3.connect(left / "threads.sqlite")) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert database.execute("SELECT thread_id, text FROM weiwo_acting_calls").fetchall() == [("t", "begun")]
        answers = database.execute("SELECT count(*) FROM writes WHERE channel = '__resume__'").fetchone()[0]
        assert (answers > 0) is (consent == "asked")
        kept = database.execute("SELECT count(*) FROM checkpoints").fetchone()[0]
    with closing(sqlite3.connect(weiwo_home / "threads.sqlite")) as database:
        assert 0 < kept <= database.execute("SELECT count(*) FROM checkpoints").fetchone()[0]
