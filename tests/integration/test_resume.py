"""SIGKILL in mid-execution, then resume: the same answer, and no finished call made twice."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.command import run_command
from tests.support.openai_server import OpenAIServer
from tests.support.personas import WU_OR_CAESAR, good
from tests.support.waiting import wait_for
from tests.torture.child import Kill
from tests.torture.harness import finish, start
from tests.torture.server import server
from tests.torture.trials import Database, trials

pytestmark = pytest.mark.integration
ROOT = Path(__file__).parents[2]
SEED = 20261121


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_whatever_kills_a_run_it_goes_on_where_it_was(kind, request, tmp_path):
    url = request.getfixturevalue("postgres_url") if kind == "postgres" else None
    rows = list(trials(Database(kind, tmp_path, url), thorough=False, seed=SEED))
    assert [fault for row in rows for fault in row.faults] == []
    assert sum(row.kills for row in rows) >= 20


def test_a_database_server_that_breaks_off_in_mid_run_costs_nothing_finished(tmp_path):
    with server() as own:
        database = Database("own", tmp_path, own.url)
        whole, log = database.undisturbed()
        row = database.restarted(own, whole, [len(log) // 4, len(log) // 2])
    assert row.faults == []


@pytest.mark.parametrize("step", [1, 4, 5])
def test_the_command_resumes_a_run_that_died_between_a_step_and_its_checkpoint(step, tmp_path):
    # What the step came to is saved, and no step is due: a thread that is at work looks like one that has ended.
    database = Database("sqlite", tmp_path)
    _, log = database.undisturbed()
    checkpoints = [
        event["n"] for event in log if event["event"] == "save" and event["ns"] == "" == (event["task"] or "")
    ]
    job = database.job()
    assert finish(start(replace(job, kill=Kill(checkpoints[step], "before"))), replace(job)).killed
    environment = {**os.environ, "WEIWO_HOME": str(job.folder)}
    _, out, err = run_command("resume", "--json", job.thread, cwd=ROOT, env=environment)
    assert json.loads(out)["answer"], err


@pytest.mark.parametrize("requests", [1, 2, 3, 4, 5])
def test_the_command_resumes_a_run_with_a_model(requests, tmp_path):
    with OpenAIServer(lambda request: replace(good(request), delay=0.3)) as server:
        environment = {
            **os.environ,
            **server.environment,
            "WEIWO_MODEL": "openai:scripted",
            "WEIWO_HOME": str(tmp_path),
        }
        command = [sys.executable, "-m", "weiwo", "ask", "--json", "--thread", "killed", WU_OR_CAESAR]
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        wait_for(lambda: len(server.requests) >= requests, process)
        process.kill()
        process.communicate()
        before = [json.dumps(request.body["messages"]) for request in server.requests]
        code, out, err = run_command("resume", "--json", "killed", cwd=ROOT, env=environment)
        assert code == 0, err
        result = json.loads(out)
        after = [json.dumps(request.body["messages"]) for request in server.requests][len(before) :]
    assert "56 years" in result["answer"]
    assert result["status"] == "complete"
    in_flight = 2 if requests in {3, 4} else 1  # the two readings are asked at the same time
    assert len([messages for messages in after if messages in before]) <= in_flight
    assert not [messages for messages in after if messages in before[: len(before) - in_flight]]
