"""SIGKILL in mid-execution, then resume: the same answer, and no finished call made twice."""

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.command import StartedCommand, run_command
from tests.support.fake_model import assessed
from tests.support.openai_server import Json, OpenAIServer, Reply, asked_schema, prompt, structured
from tests.support.personas import WU_OR_CAESAR, good
from tests.support.waiting import wait_for
from tests.torture.child import Kill
from tests.torture.harness import finish, start
from tests.torture.server import server
from tests.torture.trials import Database, trials

pytestmark = pytest.mark.integration
ROOT = Path(__file__).parents[2]
SEED = 20261121


@pytest.mark.trial
@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_whatever_kills_a_run_it_goes_on_where_it_was(kind, request, tmp_path):
    url = request.getfixturevalue("postgres_url") if kind == "postgres" else None
    rows = list(trials(Database(kind, tmp_path, url), thorough=False, seed=SEED))
    assert [fault for row in rows for fault in row.faults] == []
    assert sum(row.kills for row in rows) >= 16


@pytest.mark.trial
def test_a_database_server_that_breaks_off_in_mid_run_costs_nothing_finished(tmp_path):
    with server() as own:
        database = Database("own", tmp_path, own.url)
        whole, log = database.undisturbed()
        row = database.restarted(own, whole, [len(log) // 4, len(log) // 2])
    assert row.faults == []


@pytest.fixture(scope="module")
def checkpoints(tmp_path_factory):
    """The numbers of the events at which an undisturbed run saves a checkpoint."""
    _, log = Database("sqlite", tmp_path_factory.mktemp("undisturbed")).undisturbed()
    return [event["n"] for event in log if event["event"] == "save" and event["ns"] == "" == (event["task"] or "")]


@pytest.mark.parametrize("step", [1, 4, 5])
def test_the_command_resumes_a_run_that_died_between_a_step_and_its_checkpoint(
    step, checkpoints, tmp_path, index_sample
):
    # What the step came to is saved, and no step is due: a thread that is at work looks like one that has ended.
    job = Database("sqlite", tmp_path).job()
    assert finish(start(replace(job, kill=Kill(checkpoints[step], "before"))), replace(job)).killed
    index_sample(job.folder)
    environment = {**os.environ, "WEIWO_HOME": str(job.folder)}
    _, out, err = run_command("resume", "--json", job.thread, cwd=ROOT, env=environment)
    assert json.loads(out)["answer"], err


@pytest.mark.parametrize("requests", [1, 3, 4])
def test_the_command_resumes_a_run_with_a_model(requests, tmp_path, index_sample):
    index_sample(tmp_path)

    def answer(request: Json) -> Reply:  # nothing more from that request on, until the process has been killed
        return replace(good(request), silent=process.poll() is None and len(server.requests) >= requests)

    with OpenAIServer(answer) as server:
        environment = {
            **os.environ,
            **server.environment,
            "WEIWO_MODEL": "openai:scripted",
            "WEIWO_HOME": str(tmp_path),
        }
        arguments = ("ask", "--json", "--thread", "killed", WU_OR_CAESAR)
        with StartedCommand(*arguments, cwd=ROOT, env=environment) as process:
            wait_for(lambda: len(server.requests) >= requests, process)
        before = [json.dumps(request.body["messages"]) for request in server.requests]
        code, out, err = run_command("resume", "--json", "killed", cwd=ROOT, env=environment)
        assert code == 0, err
        result = json.loads(out)
        after = [json.dumps(request.body["messages"]) for request in server.requests][len(before) :]
    assert "56 years" in result["answer"]
    assert result["status"] == "complete"
    assert len([messages for messages in after if messages in before]) <= 1  # the one that was under way
    assert not [messages for messages in after if messages in before[:-1]]


CHAIN = "How long is the longest river of the country where the person who discovered polonium was born?"
HOPS = [
    ("Who discovered polonium?", "Marie Curie", "the discovery of two elements, polonium and radium", "Marie Curie"),
    ("In which country was Marie Curie born?", "Poland", "it is now the capital of Poland", "longest river in Poland"),
    ("What is its longest river?", "Vistula", "The Vistula is the longest river in Poland", "Vistula kilometres"),
]
LENGTH = "It is 1,047 kilometres long"


def hopping(request: Json) -> Reply:
    """A model that takes a chain one hop a reading: the first that its prompt does not list yet."""
    said = prompt(request)
    if asked_schema(request) == "AssessmentReply":
        return structured(request, assessed(CHAIN, steps=1.0, chain=True))
    if asked_schema(request) == "EntailmentReply":
        return structured(request, {"verdicts": [], "judged": 1})
    hop = next((one for one in HOPS if f"- {one[0]} → {one[1]}" not in said), None)
    if hop is None:
        quote = {"passage": 0, "text": LENGTH}
        answer = {"next": "answer", "value": 1047, "quotes": [quote], "confidence": 0.9}
        return structured(request, {**answer, "sentence": "The Vistula is 1,047 kilometres long."})
    if hop[2] not in said:
        return structured(request, {"next": "search", "queries": [hop[1]]})
    found = {"question": hop[0], "value": hop[1], "quotes": [{"passage": 0, "text": hop[2]}]}
    return structured(request, {"next": "search", "queries": [hop[3]], "hops": [found]})


def test_a_chain_that_is_killed_between_its_hops_goes_on_at_the_next(tmp_path, index_sample):
    index_sample(tmp_path)
    with OpenAIServer(lambda request: replace(hopping(request), silent=len(server.requests) == 4)) as server:
        environment = {
            **os.environ,
            **server.environment,
            "WEIWO_MODEL": "openai:scripted",
            "WEIWO_HOME": str(tmp_path),
        }
        arguments = ("ask", "--json", "--thread", "killed", CHAIN)
        with StartedCommand(*arguments, cwd=ROOT, env=environment) as process:
            wait_for(lambda: len(server.requests) >= 4, process)  # its fourth request is never answered
        before = [json.dumps(request.body["messages"]) for request in server.requests]
        code, out, err = run_command("resume", "--json", "killed", cwd=ROOT, env=environment)
        after = [json.dumps(request.body["messages"]) for request in server.requests][len(before) :]
    assert code == 0, err
    result = json.loads(out)
    hops = [hop["value"] for hop in result["outcomes"]["task_1"]["detail"]["hops"]]
    assert (result["status"], hops) == ("complete", ["Marie Curie", "Poland", "Vistula"])
    assert "1,047 kilometres" in result["answer"]
    assert len(result["citations"]) >= 2
    assert set(before) & set(after) == {before[-1]}  # what had been answered is not asked again
