"""SIGKILL in mid-execution, then resume: the same answer, and no finished call made twice."""

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.openai_server import OpenAIServer
from tests.support.personas import WU_OR_CAESAR, good

pytestmark = pytest.mark.integration
ROOT = Path(__file__).parents[2]


def _start(verb: str, database: str, log: Path) -> subprocess.Popen:
    command = [sys.executable, "-m", "tests.support.slow_run", verb, database, str(log)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def _finish(process: subprocess.Popen) -> dict:
    out, error = process.communicate(timeout=60)
    assert process.returncode == 0, error
    return json.loads(out)


def _lines(log: Path, word: str) -> list[str]:
    return [line for line in log.read_text().splitlines() if line.startswith(word)] if log.exists() else []


@pytest.fixture(params=["sqlite", "postgres"])
def database(request, tmp_path):
    if request.param == "postgres":
        return request.getfixturevalue("postgres_url")
    return str(tmp_path / "threads.sqlite")


@pytest.mark.parametrize(("word", "count"), [("start", 1), ("done", 1), ("done", 2), ("start", 3), ("done", 3)])
def test_a_killed_run_resumes_where_it_was(word, count, database, tmp_path):
    log = tmp_path / "effects.log"
    process = _start("ask", database, log)
    deadline = time.monotonic() + 30
    while len(_lines(log, word)) < count and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.005)
    if word == "done":
        time.sleep(0.1)  # a call is finished once its result is recorded, a moment after the tool has it
    process.send_signal(signal.SIGKILL)
    process.communicate()
    done_before = _lines(log, "done")
    result = _finish(_start("resume", database, log))
    assert "56 years" in result["answer"]
    assert result["status"] == "complete"
    assert set(result["outcomes"]) == {"task_1", "task_2", "task_3"}
    repeated = [call for call, times in Counter(_lines(log, "done")).items() if times > 1]
    assert not [call for call in repeated if call in done_before]
    assert len(set(_lines(log, "done"))) == 3


@pytest.mark.parametrize("requests", [1, 2, 3, 4, 5])
def test_the_command_resumes_a_run_with_a_model(requests, tmp_path):
    with OpenAIServer(lambda request: replace(good(request), delay=0.3)) as server:
        environment = {
            **os.environ,
            **server.environment,
            "WEIWO_MODEL": "openai:scripted",
            "WEIWO_HOME": str(tmp_path),
        }
        command = [sys.executable, "-m", "app", "ask", "--json", "--thread", "killed", WU_OR_CAESAR]
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        deadline = time.monotonic() + 30
        while len(server.requests) < requests and time.monotonic() < deadline:
            time.sleep(0.005)
        process.kill()
        process.communicate()
        before = [json.dumps(request.body["messages"]) for request in server.requests]
        command = [sys.executable, "-m", "app", "resume", "--json", "killed"]
        resumed = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60, check=False
        )
        assert resumed.returncode == 0, resumed.stderr
        result = json.loads(resumed.stdout)
        after = [json.dumps(request.body["messages"]) for request in server.requests][len(before) :]
    assert "56 years" in result["answer"]
    assert result["status"] == "complete"
    in_flight = 2 if requests in {3, 4} else 1  # the two readings are asked at the same time
    assert len([messages for messages in after if messages in before]) <= in_flight
    assert not [messages for messages in after if messages in before[: len(before) - in_flight]]


def test_the_undisturbed_answer_is_the_same(tmp_path):
    whole = _finish(_start("ask", str(tmp_path / "a" / "threads.sqlite"), tmp_path / "a.log"))
    log, database = tmp_path / "b.log", str(tmp_path / "b" / "threads.sqlite")
    process = _start("ask", database, log)
    while not _lines(log, "done"):
        time.sleep(0.005)
    process.kill()
    process.communicate()
    resumed = _finish(_start("resume", database, log))
    for key in ("answer", "status", "citations", "claims", "plan"):
        assert resumed[key] == whole[key]
