"""Aegra, a LangGraph server that one hosts oneself, on a real Postgres: what a killed worker leaves, another one finishes.

Needs `redis-server` and, as `WEIWO_TEST_AEGRA`, the Python of an environment that has Weiwo and `aegra-api`. Its newer
versions want Postgres' extension `uuid-ossp`, which the tests' own server lacks: `WEIWO_TEST_POSTGRES` is then the URL of
one that has it, as a user who may create databases.
"""

import os
import shutil
import signal
import subprocess
import threading
from contextlib import contextmanager

import httpx
import pytest
from langgraph_sdk import get_client

from tests.support.command import search_path
from tests.support.foreign import FOREIGN
from tests.support.hosted import check_cancel, check_plan_approval
from tests.support.langgraph_server import ROOT, wait_until_up
from tests.support.openai_server import OpenAIServer, asked_schema, prompt, silent
from tests.support.personas import WU_OR_CAESAR, good
from tests.support.ports import free_port
from tests.support.postgres import create_database, drop_database, start_server
from tests.support.waiting import wait_for

PYTHON, POSTGRES = os.environ.get("WEIWO_TEST_AEGRA", ""), os.environ.get("WEIWO_TEST_POSTGRES", "")
pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(
        not (PYTHON and shutil.which("redis-server")),
        reason="WEIWO_TEST_AEGRA names no Python with aegra-api, or redis-server is not installed",
    ),
]


class Reader:
    """A good model, but until it is `released` it does not come back from reading about Caesar."""

    def __init__(self):
        self.released = threading.Event()
        self.stuck = threading.Event()

    def __call__(self, request):
        if (
            asked_schema(request) == "BatchReadReply"
            and "Julius Caesar born" in prompt(request)
            and not self.released.is_set()
        ):
            self.stuck.set()
            return silent()
        return good(request)


@pytest.fixture
def database(postgres_folder):
    server = POSTGRES or start_server(postgres_folder)
    url = create_database(server)
    yield url
    drop_database(server, url)


@pytest.fixture
def redis(tmp_path):
    port = free_port()
    command = ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(tmp_path)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    yield f"redis://127.0.0.1:{port}/0"
    process.terminate()
    process.wait()


@contextmanager
def worker(folder, environment):
    """A process of Aegra that serves the API and runs graphs; yields its address and the process."""
    folder.mkdir()
    port, log = free_port(), folder / "log"
    command = [PYTHON, "-m", "uvicorn", "aegra_api.main:app", "--host", "127.0.0.1", "--port", str(port)]
    with log.open("w") as out:
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=out, stderr=subprocess.STDOUT)
        try:
            wait_until_up(f"http://127.0.0.1:{port}/health", process, log)
            yield f"http://127.0.0.1:{port}", process
        finally:
            process.kill()
            process.wait()


@pytest.fixture
def environment(database, redis, tmp_path):
    kept = {name: value for name, value in os.environ.items() if not name.startswith((*FOREIGN, "LANGGRAPH_"))}
    return kept | {
        "AEGRA_CONFIG": str(ROOT / "langgraph.json"),
        "LANGGRAPH_STRICT_MSGPACK": "true",  # it leaves alone what the file says of the environment
        "DATABASE_URL": database,
        "REDIS_BROKER_ENABLED": "true",
        "REDIS_URL": redis,
        "WORKER_COUNT": "1",
        "LEASE_DURATION_SECONDS": "3",
        "HEARTBEAT_INTERVAL_SECONDS": "1",
        "REAPER_INTERVAL_SECONDS": "1",
        "PYTHONPATH": search_path(),
        "WEIWO_HOME": str(tmp_path / "home"),
        "WEIWO_MODEL": "openai:scripted",
        "WEIWO_WEB": "false",
    }


def schemas(requests):
    return [asked_schema(request.body) for request in requests]


async def test_what_a_killed_worker_leaves_another_one_finishes(environment, tmp_path):
    reader = Reader()
    with OpenAIServer(reader) as model:
        environment |= model.environment
        with worker(tmp_path / "first", environment) as (url, first):
            async with get_client(url=url) as client:
                thread = (await client.threads.create())["thread_id"]
                run = await client.runs.create(thread, "weiwo", input={"question": WU_OR_CAESAR})
                wait_for(reader.stuck.is_set, first)
            before = schemas(model.requests)
            first.send_signal(signal.SIGKILL)
        reader.released.set()
        with worker(tmp_path / "second", environment) as (url, _):
            async with get_client(url=url) as client:
                await client.runs.join(thread, run["run_id"])
                state = await client.threads.get_state(thread)
        after = schemas(model.requests)[len(before) :]
    assert state["values"]["result"]["status"] == "complete"
    assert "56 years" in state["values"]["result"]["answer"]
    assert len(state["values"]["messages"]) == 2
    assert (before[:2], set(after) & set(before)) == (["AssessmentReply", "PlanReply"], {"BatchReadReply"})


async def test_a_run_that_stopped_goes_on_from_its_checkpoint_and_needs_one(environment, tmp_path):
    with OpenAIServer(good) as model, worker(tmp_path / "only", environment | model.environment) as (url, _):
        async with get_client(url=url) as client:
            thread = (await client.threads.create())["thread_id"]
            asked = {"input": {"question": WU_OR_CAESAR}, "interrupt_before": ["executor"]}
            await client.runs.wait(thread, "weiwo", **asked)
            state = await client.threads.get_state(thread)
            assert state["next"] == ["executor"]
            before = len(model.requests)
            with pytest.raises(httpx.HTTPStatusError, match="422"):
                await client.runs.wait(thread, "weiwo", input=None)
            values = await client.runs.wait(thread, "weiwo", checkpoint=state["checkpoint"])
    assert "56 years" in values["result"]["answer"]
    assert schemas(model.requests[before:]) == ["BatchReadReply", None, "EntailmentReply"]


async def test_the_page_and_its_routes_are_guests_of_aegra(environment, tmp_path):
    reader = Reader()
    with OpenAIServer(reader) as model, worker(tmp_path / "only", environment | model.environment) as (url, process):
        async with get_client(url=url) as client, httpx.AsyncClient(base_url=url, timeout=60) as http:
            thread = (await client.threads.create())["thread_id"]
            run = await client.runs.create(thread, "weiwo", input={"question": WU_OR_CAESAR})
            wait_for(reader.stuck.is_set, process)
            await check_cancel(http, client, thread, run["run_id"])
            reader.released.set()
            await check_plan_approval(http, client)
            asked = {"model": "weiwo", "messages": [{"role": "user", "content": WU_OR_CAESAR}]}
            answer = (await http.post("/v1/chat/completions", json=asked)).json()
    assert "56 years" in answer["choices"][0]["message"]["content"]
