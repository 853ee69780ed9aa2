"""A user's limits hold, whatever a client writes into the state of a thread or has a run begin at."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest
from pydantic import ValidationError

from weiwo.state.limits import ModelCall, Usage

ASKED = {"input": {"question": "What is 6 times 7?"}}
FREE = {"question": "What is 7 times 8?"}


@pytest.fixture
async def ann(public: httpx.AsyncClient, tokens: dict[str, str]) -> httpx.AsyncClient:
    """A user who may ask three questions a day, and has asked one, on the thread `hers`."""
    home = Path(os.environ["WEIWO_HOME"])
    (home / "users.toml").write_text("[ann]\nruns_per_day = 3\n")
    public.headers["x-api-key"] = tokens["ann"]
    await public.post("/threads", json={"thread_id": "hers"})
    assert (await public.post("/threads/hers/runs/wait", json=ASKED)).status_code == 200
    return public


async def asked(client: httpx.AsyncClient) -> int:
    return int((await client.get("/weiwo/info")).json()["day"]["runs"])


NEGATIVE = {"model_calls": -1_000, "input_tokens": -(10**9), "cost": -100.0, "seconds": -1e6}


@pytest.mark.parametrize(
    "values",
    [
        {"usage": NEGATIVE},
        {"usage": {"__overwrite__": {}}},
        {"run": "another"},
        {"outcomes": {"t": {"task_id": "t", "status": "empty", "usage": NEGATIVE}}},
        {"outcomes": {"__overwrite__": {"t": {"task_id": "t", "status": "empty", "usage": NEGATIVE}}}},
        [["usage", NEGATIVE]],
    ],
)
async def test_what_the_graph_counts_is_not_a_clients_to_write(ann: httpx.AsyncClient, values: Any):
    run = "/threads/hers/runs/wait"
    tried = (
        ("/threads/hers/state", {"values": values, "as_node": "planner"}),
        (run, {"command": {"update": values}}),
        (run, {"command": {"goto": {"node": "writer", "input": values}}}),
        (run, {"command": {"goto": [{"node": "writer", "input": values}], "update": FREE}}),
    )
    for path, body in tried:
        answer = await ann.post(path, json=body)
        assert (path, body, answer.status_code) == (path, body, 422)
    assert await asked(ann) == 1


@pytest.mark.parametrize("node", ["master", "__start__", "reflection", "clarify", "approval", "__end__", "no node", 7])
async def test_a_question_begins_with_an_input_alone(ann: httpx.AsyncClient, node: Any):
    edit = {"values": FREE, "as_node": node}
    assert (await ann.post("/threads/hers/state", json=edit)).status_code == 422
    for goto in (node, [node], {"node": node, "input": FREE}, ["writer", {"node": node, "input": FREE}]):
        body = {"command": {"update": FREE, "goto": goto}}
        assert (goto, (await ann.post("/threads/hers/runs/wait", json=body)).status_code) == (goto, 422)
    respond = {"id": 1, "method": "input.respond", "params": {"interrupt_id": "x", "response": 1, "goto": node}}
    assert (await ann.post("/threads/hers/commands", json=respond)).json()["type"] == "error"


@pytest.mark.parametrize("channel", ["branch:to:master", "__start__", "__pregel_tasks", "outcome"])
async def test_no_channel_of_the_graph_is_written_by_its_name(ann: httpx.AsyncClient, channel: str):
    body = {"command": {"update": {channel: FREE}}}
    assert (await ann.post("/threads/hers/runs/wait", json=body)).status_code == 422


async def begin(client: httpx.AsyncClient, path: str, body: Mapping[str, Any]) -> int:
    return (await client.post(f"/threads/{path}/runs/wait", json=body)).status_code


async def test_each_way_to_another_answer_counts_a_question(ann: httpx.AsyncClient):
    history = (await ann.post("/threads/hers/history", json={"limit": 50})).json()
    first = next(one["checkpoint"]["checkpoint_id"] for one in history if one["next"] == ["master"])
    copied = (await ann.post("/threads/hers/copy")).json()["thread_id"]
    await ann.post("/threads", json={"thread_id": "new"})
    assert (await ann.post("/threads/new/state", json={"values": FREE})).status_code == 200
    ways = (
        ("hers", {"input": None, "checkpoint_id": first}),
        ("hers", {"command": {"update": FREE, "goto": "executor"}}),
        ("hers", {"command": {"goto": "writer"}}),
        (copied, {"input": None}),
        ("new", {"input": None}),
    )
    profile = Path(os.environ["WEIWO_HOME"]) / "users.toml"
    for number, (name, body) in enumerate(ways, 2):
        profile.write_text(f"[ann]\nruns_per_day = {number}\n")
        assert (body, await begin(ann, name, body), await asked(ann)) == (body, 200, number)
    for name, body in ways[:3]:
        assert (body, await begin(ann, name, body)) == (body, 429)


async def test_going_on_with_what_was_asked_counts_no_question(ann: httpx.AsyncClient):
    body = {**ASKED, "interrupt_before": ["writer"]}
    assert await begin(ann, "hers", body) == 200
    assert await asked(ann) == 2
    assert await begin(ann, "hers", {"input": None}) == 200
    assert await asked(ann) == 2
    state = (await ann.get("/threads/hers/state")).json()
    assert state["values"]["result"]["status"] == "complete"


async def test_a_run_from_a_changed_state_counts_one(ann: httpx.AsyncClient):
    await begin(ann, "hers", {**ASKED, "interrupt_before": ["writer"]})
    assert (await ann.post("/threads/hers/state", json={"values": FREE, "as_node": "executor"})).status_code == 200
    assert await begin(ann, "hers", {"input": None}) == 200
    assert await asked(ann) == 3


@pytest.mark.parametrize("field", ["model_calls", "input_tokens", "output_tokens", "cost", "tool_calls", "seconds"])
def test_nothing_negative_is_spent(field: str):
    with pytest.raises(ValidationError):
        Usage(**{field: -1})
    if field in ModelCall.model_fields and field.endswith("tokens"):
        with pytest.raises(ValidationError):
            ModelCall(role="writer", purpose="draft", model="m", mode="text", **{field: -1})
