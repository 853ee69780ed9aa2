"""What clients of a LangGraph server see: the drawing, subgraphs, a running executor, and state they edit as JSON."""

import asyncio
import json

import httpx
import pytest
from langgraph_sdk import get_client

from tests.support.hosted import check_cancel, check_plan_approval
from tests.support.langgraph_server import langgraph_dev, offline_environment
from tests.support.openai_server import OpenAIServer, asked_schema, silent
from tests.support.personas import WU_OR_CAESAR, good

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server whose model `stuck` never reads."""

    def play(request):
        reads = asked_schema(request) in {"ReadReply", "BatchReadReply"}
        return silent() if request["model"] == "stuck" and reads else good(request)

    folder = tmp_path_factory.mktemp("server")
    ours = offline_environment(folder, "model")
    with OpenAIServer(play) as model, langgraph_dev(folder, ours | model.environment) as url:
        yield url


@pytest.fixture
async def client(server):
    async with get_client(url=server) as opened:
        yield opened


async def test_the_graph_is_drawn_down_to_the_steps_of_a_task(client):
    name = (await client.assistants.search())[0]["assistant_id"]
    drawn = await client.assistants.get_graph(name, xray=True)
    assert {"executor:task:act", "executor:task:read"} <= {node["id"] for node in drawn["nodes"]}
    ways = {(edge["source"], edge["target"]): edge.get("data") for edge in drawn["edges"]}
    assert ways["writer:__start__", "writer:__end__"] == "one draft"
    assert ("executor:for_each:__start__", "executor:for_each:instance:__start__") in ways
    drawn = await client.assistants.get_graph(name, xray=1)
    assert {"executor:task", "executor:for_each"} <= {node["id"] for node in drawn["nodes"]}
    subgraphs = await client.assistants.get_subgraphs(name, recurse=True)
    assert {"executor", "executor|task", "executor|for_each|instance"} <= set(subgraphs)
    assert "passages" in subgraphs["executor|task"]["state_schema"]["properties"]
    schemas = await client.assistants.get_schemas(name)
    assert {"Result", "Sketch"} <= set(schemas["state_schema"]["$defs"])
    context = schemas["context_schema"]["properties"]
    assert context["writer_model"]["langgraph_nodes"] == ["writer"]


async def test_the_state_of_a_running_executor_is_visible(server, client):
    thread = (await client.threads.create())["thread_id"]
    context = {"model": "openai:stuck"}
    run = await client.runs.create(thread, "weiwo", input={"question": WU_OR_CAESAR}, context=context)
    found = {}
    while not found:  # until a task has searched and reads
        state = await client.threads.get_state(thread, subgraphs=True)
        executions = [task["state"] for task in state["tasks"] if task["name"] == "executor" and task.get("state")]
        found = {
            task["state"]["values"]["call"]["tool"]: task["state"]["next"]
            for execution in executions
            for task in execution["tasks"]
            if (task.get("state") or {}).get("values", {}).get("call")
        }
        await asyncio.sleep(0.1)
    assert found == {"corpus_search": ["read"]}
    async with httpx.AsyncClient(base_url=server, timeout=60) as http:
        await check_cancel(http, client, thread, run["run_id"])


async def test_values_and_updates_stream_the_assessment_the_plan_and_the_outcomes(client):
    thread = (await client.threads.create())["thread_id"]
    values, updates = {}, {}
    async for part in client.runs.stream(
        thread,
        "weiwo",
        input={"question": WU_OR_CAESAR},
        context={"copilotkit": {"actions": []}, "model": ""},  # as CopilotKit and a form would send it
        stream_mode=["values", "updates"],
    ):
        assert part.event != "error", part.data
        if part.event == "values":
            values = part.data
        elif part.event == "updates":
            updates |= part.data
    assert {"assessment", "plan", "outcomes", "result", "messages"} == set(values)
    assert updates["master"]["assessment"]["level"] == "complex"
    assert len(updates["planner"]["plan"]["tasks"]) == 3
    assert {one["status"] for one in updates["executor"]["outcomes"].values()} == {"succeeded"}


async def test_state_edited_as_json_works_and_garbage_is_refused_with_the_field_named(client):
    thread = (await client.threads.create())["thread_id"]
    async for part in client.runs.stream(
        thread, "weiwo", input={"question": WU_OR_CAESAR}, interrupt_before=["executor"], stream_mode="values"
    ):
        assert part.event != "error", part.data
    values = (await client.threads.get_state(thread))["values"]
    first, *_ = values["plan"]["tasks"]
    outcome = {"task_id": first["id"], "status": "succeeded", "value": "-100", "type": first["ret"]}
    plan = json.loads(json.dumps(values["plan"]))
    await client.threads.update_state(thread, {"plan": plan, "outcomes": {first["id"]: outcome}}, as_node="planner")
    values = await client.runs.wait(thread, "weiwo", input=None)
    assert values["outcomes"][first["id"]]["value"] == "-100"
    assert values["result"]["answer"]
    with pytest.raises(Exception, match=r"plan\.tasks\.0\.description"):
        await client.threads.update_state(thread, {"plan": {"tasks": [{"id": "x"}]}}, as_node="planner")


async def test_the_page_and_openais_api_are_guests_of_the_server(server, client):
    async with httpx.AsyncClient(base_url=server, timeout=60) as http:
        page = await http.get("/")
        assert "default-src 'none'" in page.headers["content-security-policy"]
        assert (await http.get("/weiwo/info")).json()["user"] == "client"
        assert (await http.get("/weiwo/settings")).status_code == 404  # the operator's alone
        before = len(await client.threads.search(limit=100))
        asked = {"model": "weiwo", "messages": [{"role": "user", "content": "How long is the Danube?"}]}
        answer = (await http.post("/v1/chat/completions", json=asked)).json()
        assert "2,850" in answer["choices"][0]["message"]["content"]
        assert len(await client.threads.search(limit=100)) == before
        asked = {"model": "weiwo", "input": "How long is the Danube?", "stream": True}
        response = await http.post("/v1/responses", json=asked)
        completed = json.loads(response.text.strip().rpartition("data: ")[2])["response"]
        thread = completed["metadata"]["thread_id"]
        shown = (await http.get(f"/weiwo/threads/{thread}")).json()
        assert shown["question"] == "How long is the Danube?"
        cited = (await http.get(f"/weiwo/threads/{thread}/passages/1")).json()
        assert "Danube" in cited["text"]
        assert (await http.get("/weiwo/threads/00000000-0000-0000-0000-000000000000")).status_code == 404


async def test_a_plan_is_checked_and_approved_through_the_routes_of_a_guest(server, client):
    async with httpx.AsyncClient(base_url=server, timeout=60) as http:
        await check_plan_approval(http, client)
