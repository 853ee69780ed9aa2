"""Ctrl-C and SIGTERM, whatever the command is doing: it ends at once, says how to go on, and can go on.

What it would have to wait for takes longer than a test may.
"""

import os
import pty
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import run_command, search_path
from tests.support.openai_server import OpenAIServer, Reply, asked_schema
from tests.support.personas import WU_OR_CAESAR, good
from tests.support.waiting import wait_for

pytestmark = pytest.mark.integration
TOOLS = """
import asyncio, os, time
from pathlib import Path
from langchain_core.tools import StructuredTool

def mark():
    Path(os.environ["MARK"]).touch()

async def find(query: str, k: int = 8):
    mark()
    await asyncio.sleep(10_000)

def block(query: str, k: int = 8):
    mark()
    time.sleep(10_000)

waiting = StructuredTool.from_function(coroutine=find, name="corpus_search", description="Never finds anything.")
blocking = StructuredTool.from_function(func=block, name="corpus_search", description="Never finds anything.")
"""


class Slow:
    """A good model that never answers one kind of request, or gets stuck in the middle of its draft."""

    def __init__(self, schema: str | None) -> None:
        self.schema = schema
        self.reached = False
        self.fast = False

    def __call__(self, request: dict[str, Any]) -> Reply:
        reply = good(request)
        if self.fast or asked_schema(request) != self.schema:
            return reply
        self.reached = True
        return replace(reply, pause=10_000) if request.get("stream") else replace(reply, delay=10_000)


@pytest.fixture
def environment(weiwo_home: Path, tmp_path: Path, index_sample: Callable[[Path], None]) -> dict[str, str]:
    index_sample(weiwo_home)
    (tmp_path / "slow_tools.py").write_text(TOOLS)
    return {
        **os.environ,
        "PYTHONPATH": search_path(tmp_path),
        "WEIWO_HOME": str(weiwo_home),
        "WEIWO_TELEMETRY": "0",
        "MARK": str(tmp_path / "mark"),
        "TERM": "xterm",
    }


def command(*args: str) -> list[str]:
    return [sys.executable, "-m", "weiwo", *args]


@pytest.fixture
def start(environment: dict[str, str], tmp_path: Path) -> Iterator[Callable[..., "subprocess.Popen[str]"]]:
    started: list[subprocess.Popen[str]] = []

    def starter(*args: str, **env: str) -> "subprocess.Popen[str]":
        process = subprocess.Popen(
            command(*args),
            cwd=tmp_path,
            env=environment | env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        return process

    yield starter
    for process in started:
        with process:
            process.kill()


def stopped(process: "subprocess.Popen[str]", sent: signal.Signals) -> None:
    """Stop a run, and see that it ends as promised."""
    process.send_signal(sent)
    out, err = process.communicate()
    assert (process.returncode, out) == (130 if sent == signal.SIGINT else 143, "")
    assert err.splitlines()[-1] == "weiwo: stopped; finished work is saved; to continue, run weiwo resume t"
    assert "Traceback" not in err
    assert "never" not in err  # "Task was destroyed", "exception was never retrieved", "was never awaited"


@pytest.mark.parametrize(
    ("schema", "sent"), [("AssessmentReply", signal.SIGINT), ("BatchReadReply", signal.SIGTERM), (None, signal.SIGINT)]
)
def test_while_a_model_is_asked(
    start: Any, environment: dict[str, str], tmp_path: Path, schema: str | None, sent: signal.Signals
) -> None:
    model = Slow(schema)
    with OpenAIServer(model) as server:
        env = {**server.environment, "WEIWO_MODEL": "openai:scripted"}
        process = start("ask", WU_OR_CAESAR, "--thread", "t", **env)
        wait_for(lambda: model.reached, process)
        stopped(process, sent)
        model.fast = True
        _, out, err = run_command("resume", "t", cwd=tmp_path, env=environment | env)
    assert "56 years" in out, err


@pytest.mark.parametrize(("kind", "sent"), [("waiting", signal.SIGINT), ("blocking", signal.SIGTERM)])
def test_while_tools_are_called(
    start: Any, environment: dict[str, str], tmp_path: Path, kind: str, sent: signal.Signals
) -> None:
    process = start("ask", WU_OR_CAESAR, "--thread", "t", WEIWO_TOOLS=f"slow_tools:{kind}")
    wait_for(Path(environment["MARK"]).exists, process)
    stopped(process, sent)
    assert run_command("threads", cwd=tmp_path, env=environment)[1].split("\t")[2] == "interrupted"
    _, out, err = run_command("resume", "t", cwd=tmp_path, env=environment)
    assert "56 years" in out, err


@pytest.mark.parametrize("schema", ["BatchReadReply", None])
def test_impatience_leaves_a_terminal_in_order(environment: dict[str, str], tmp_path: Path, schema: str | None) -> None:
    model = Slow(schema)
    ours, theirs = pty.openpty()
    with OpenAIServer(model) as server:
        process = subprocess.Popen(
            command("ask", WU_OR_CAESAR, "--thread", "t"),
            cwd=tmp_path,
            env=environment | server.environment | {"WEIWO_MODEL": "openai:scripted"},
            stdin=subprocess.DEVNULL,
            stdout=theirs,
            stderr=theirs,
        )
        os.close(theirs)
        shown = b""
        try:
            wait_for(lambda: model.reached, process)
            while process.poll() is None:
                process.send_signal(signal.SIGINT)  # again and again
                if select.select([ours], [], [], 0.003)[0]:
                    with suppress(OSError):  # the terminal is gone with whoever held it
                        shown += os.read(ours, 65_536)
            with suppress(OSError):
                while more := os.read(ours, 65_536):
                    shown += more
        finally:
            process.kill()
            process.wait()
            os.close(ours)
    text = shown.decode()
    assert process.returncode == 130, text
    assert text.rfind("\x1b[?25h") >= text.rfind("\x1b[?25l") >= 0  # the cursor was hidden, and is back
    assert text.rstrip().endswith("weiwo: stopped; finished work is saved; to continue, run weiwo resume t")
    assert "Traceback" not in text
