"""One script of LangGraph's SDK against `weiwo serve` and `langgraph dev`; where they differ, it is intended."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

import httpx
import pytest
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import APIStatusError

from tests.support.langgraph_server import langgraph_dev, offline_environment
from tests.support.openai_server import OpenAIServer
from tests.support.personas import WU_OR_CAESAR, good
from tests.support.ports import free_port

pytestmark = [pytest.mark.integration, pytest.mark.long]
ROOT = Path(__file__).parents[2]
QUESTION: Final = {"question": WU_OR_CAESAR}
ASKS: Final = {"approve_plan": True}

INTENDED: Final = {
    # A null is no answer. The other begins a run without one, which asks the same again.
    "null": ("HTTP 422", "approve_plan"),
    # A server that compares ids before it begins says so; the other begins a run that asks the same again.
    "double": ("HTTP 409", "approve_plan"),
    "nothing waits": ("HTTP 409", "done"),
    # Undoing runs is not offered: what ran was paid for, and a fork from an earlier checkpoint says what it leaves.
    "rollback": ("HTTP 422", "done"),
}
"""What a step comes to on `weiwo serve` and on `langgraph dev`, where that is not the same."""


async def wait(client: LangGraphClient, thread_id: str, **body: Any) -> str:
    """What a run comes to: what it asks, `done`, or how it failed."""
    try:
        values: Any = await client.runs.wait(thread_id, "weiwo", raise_error=False, **body)
    except (APIStatusError, httpx.HTTPStatusError) as error:
        return f"HTTP {error.response.status_code}"
    return described(values)


def described(values: Any) -> str:
    if failure := values.get("__error__"):
        return f"error {failure['error']}"
    if asked := values.get("__interrupt__"):
        return str(asked[0]["value"]["type"])
    return "done" if values.get("result") else "nothing"


async def waiting_thread(client: LangGraphClient) -> str:
    thread = await client.threads.create(thread_id=str(uuid4()), graph_id="weiwo")
    assert await wait(client, thread["thread_id"], input=QUESTION, context=ASKS) == "approve_plan"
    return str(thread["thread_id"])


async def asked_id(client: LangGraphClient, thread_id: str) -> str:
    state = await client.threads.get_state(thread_id)
    return str(next(one["id"] for task in state["tasks"] for one in task["interrupts"]))


async def create(client: LangGraphClient) -> Any:
    thread_id = await waiting_thread(client)
    state = await client.threads.get_state(thread_id)
    return [(await client.threads.get(thread_id))["status"], list(state["next"])]


async def approve(client: LangGraphClient) -> Any:
    thread_id = await waiting_thread(client)
    came = await wait(client, thread_id, command={"resume": "approve"}, context=ASKS)
    return [came, (await client.threads.get(thread_id))["status"]]


async def edit(client: LangGraphClient) -> Any:
    thread_id = await waiting_thread(client)
    plan = (await client.threads.get_state(thread_id))["values"]["plan"]
    plan["tasks"][0]["description"] += " (as edited)"
    await client.threads.update_state(thread_id, {"plan": plan}, as_node="planner")
    came = await wait(client, thread_id, command={"resume": "approve"}, context=ASKS)
    values = (await client.threads.get_state(thread_id))["values"]
    return [came, "(as edited)" in str(values["plan"])]


async def reject(client: LangGraphClient) -> Any:
    thread_id = await waiting_thread(client)
    before = await asked_id(client, thread_id)
    came = await wait(client, thread_id, command={"resume": {"reject": "in other words"}}, context=ASKS)
    return [came, before != await asked_id(client, thread_id)]


async def null(client: LangGraphClient) -> Any:
    return await wait(client, await waiting_thread(client), command={"resume": None}, context=ASKS)


async def double(client: LangGraphClient) -> Any:
    thread_id = await waiting_thread(client)
    answered = await asked_id(client, thread_id)
    await wait(client, thread_id, command={"resume": {answered: {"reject": "in other words"}}}, context=ASKS)
    return await wait(client, thread_id, command={"resume": {answered: "approve"}}, context=ASKS)


async def old_checkpoint(client: LangGraphClient) -> Any:
    thread_id = await waiting_thread(client)
    there = (await client.threads.get_state(thread_id))["checkpoint"]["checkpoint_id"]
    approved = await wait(client, thread_id, command={"resume": "approve"}, context=ASKS)
    late = {"command": {"resume": {"reject": "in other words"}}, "checkpoint_id": there, "context": ASKS}
    return [approved, await wait(client, thread_id, **late)]


async def nothing_waits(client: LangGraphClient) -> Any:
    thread_id = str((await client.threads.create(thread_id=str(uuid4()), graph_id="weiwo"))["thread_id"])
    assert await wait(client, thread_id, input=QUESTION) == "done"
    return await wait(client, thread_id, command={"resume": "approve"})


async def join_after_the_end(client: LangGraphClient) -> Any:
    thread_id = str((await client.threads.create(thread_id=str(uuid4()), graph_id="weiwo"))["thread_id"])
    run = await client.runs.create(thread_id, "weiwo", input=QUESTION)
    first: Any = await client.runs.join(thread_id, run["run_id"])
    again: Any = await client.runs.join(thread_id, run["run_id"])
    return [described(first), described(again), (await client.runs.get(thread_id, run["run_id"]))["status"]]


async def rollback(client: LangGraphClient) -> Any:
    thread_id = str((await client.threads.create(thread_id=str(uuid4()), graph_id="weiwo"))["thread_id"])
    await client.runs.create(thread_id, "weiwo", input=QUESTION)
    return await wait(client, thread_id, input=QUESTION, multitask_strategy="rollback")


async def double_texting(client: LangGraphClient) -> Any:
    thread_id = str((await client.threads.create(thread_id=str(uuid4()), graph_id="weiwo"))["thread_id"])
    first = await client.runs.create(thread_id, "weiwo", input=QUESTION)
    refused = await wait(client, thread_id, input=QUESTION, multitask_strategy="reject")
    second = await wait(client, thread_id, input=QUESTION, multitask_strategy="enqueue")
    await client.runs.join(thread_id, first["run_id"])
    return [refused, second, (await client.runs.get(thread_id, first["run_id"]))["status"]]


SCRIPT: Final[dict[str, Callable[[LangGraphClient], Awaitable[Any]]]] = {
    "create": create,
    "approve": approve,
    "edit": edit,
    "reject": reject,
    "null": null,
    "double": double,
    "old checkpoint": old_checkpoint,
    "nothing waits": nothing_waits,
    "join after the end": join_after_the_end,
    "rollback": rollback,
    "double texting": double_texting,
}


@pytest.fixture(scope="module")
def model() -> Iterator[OpenAIServer]:
    with OpenAIServer(good) as endpoint:
        yield endpoint


@pytest.fixture(scope="module")
def dev(tmp_path_factory: pytest.TempPathFactory, model: OpenAIServer) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("dev")
    with langgraph_dev(folder, offline_environment(folder, "model") | model.environment) as url:
        yield url


@pytest.fixture(scope="module")
def serve(tmp_path_factory: pytest.TempPathFactory, model: OpenAIServer) -> Iterator[str]:
    folder, port = tmp_path_factory.mktemp("serve"), free_port()
    environment = offline_environment(folder, "model") | model.environment | {"WEIWO_HOME": str(folder)}
    command = [sys.executable, "-m", "weiwo", "serve", "--port", str(port)]
    server = subprocess.Popen(command, env={"PATH": os.environ["PATH"], **environment}, cwd=folder)
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(60)


async def until_ready(client: LangGraphClient) -> None:
    async with asyncio.timeout(120):
        while True:
            try:
                await client.assistants.search()
            except Exception:  # noqa: BLE001 - whatever a server that starts says
                await asyncio.sleep(0.2)
            else:
                return


@pytest.mark.parametrize("step", SCRIPT)
async def test_a_step_comes_to_the_same_or_differs_as_intended(serve: str, dev: str, step: str) -> None:
    came = []
    for url in (serve, dev):
        async with get_client(url=url) as client:
            await until_ready(client)
            came.append(await SCRIPT[step](client))
    if step in INTENDED:
        assert tuple(came) == INTENDED[step]
    else:
        assert came[0] == came[1]
