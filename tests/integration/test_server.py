"""The graph on a LangGraph server, as Studio and the SDK see it."""

import asyncio
import re
import subprocess
import sys
from pathlib import Path

import pytest
from langgraph_sdk import get_client

from tests.support.langgraph_server import langgraph_dev, offline_environment
from tests.support.openai_server import OpenAIServer, Reply, asked_schema
from tests.support.personas import HELLO, WU_OR_CAESAR, WU_OR_CAESAR_ZH, good
from tests.support.waiting import until

pytestmark = pytest.mark.integration
ROOT = Path(__file__).parents[2]
AGENTS = {"master", "planner", "executor", "reflection", "writer"}


def never_read(request):
    return request["model"] == "stuck" and asked_schema(request) in {"ReadReply", "BatchReadReply"}


@pytest.fixture(scope="module")
def model():
    """An endpoint that plays a good model, for runs whose context names one; one named `stuck` never reads."""

    def play(request):
        return Reply(silent=True) if never_read(request) else good(request)

    with OpenAIServer(play) as endpoint:
        yield endpoint


@pytest.fixture(scope="module")
def server(tmp_path_factory, model):
    """`langgraph dev` over this checkout's langgraph.json, offline, with its state in a folder of its own."""
    folder = tmp_path_factory.mktemp("server")
    with langgraph_dev(folder, offline_environment(folder, "model") | model.environment) as url:
        yield url


@pytest.fixture
async def client(server):
    """The SDK's client of the server."""
    async with get_client(url=server) as opened:
        yield opened


async def test_a_thread_runs_by_question_and_streams(client):
    thread = await client.threads.create()
    events, tokens, result = [], [], None
    async for part in client.runs.stream(
        thread["thread_id"],
        "weiwo",
        input={"question": WU_OR_CAESAR},
        stream_mode=["custom", "messages-tuple", "values"],
    ):
        if part.event == "custom":
            events.append(part.data["type"])
        elif part.event == "messages":
            message, metadata = part.data
            if metadata["langgraph_node"] == "writer" and message["type"] == "AIMessageChunk":
                tokens.append(message["content"])
        elif part.event == "values":
            result = part.data.get("result") or result
        assert part.event != "error", part.data
    assert [e for e in events if e in {"assessed", "planned", "reflected", "answer_started", "finished"}] == [
        "assessed",
        "planned",
        "reflected",
        "answer_started",
        "finished",
    ]
    assert events.count("task_finished") == 3
    assert len(tokens) >= 3
    assert "56 years" in result["answer"]
    assert result["answer"] in "".join(tokens)
    assert result["status"] == "complete"
    assert result["thread_id"] == thread["thread_id"]
    state = await client.threads.get_state(thread["thread_id"])
    assert state["values"]["assessment"]["level"] == "complex"
    assert len(state["values"]["plan"]["tasks"]) == 3
    assert "56 years" in state["values"]["messages"][-1]["content"]


async def test_a_thread_runs_by_messages_and_continues(client):
    thread = await client.threads.create()
    message = {"role": "user", "content": WU_OR_CAESAR_ZH}
    values = await client.runs.wait(thread["thread_id"], "weiwo", input={"messages": [message]})
    assert "56" in values["result"]["answer"]
    assert values["result"]["language"] == "zh"
    assert [m["type"] for m in values["messages"]] == ["human", "ai"]
    values = await client.runs.wait(
        thread["thread_id"], "weiwo", input={"messages": [{"role": "user", "content": HELLO}]}
    )
    assert values["result"]["level"] == "simple"
    assert [m["type"] for m in values["messages"]] == ["human", "ai", "human", "ai"]


async def test_the_context_of_a_run_counts(client):
    thread = await client.threads.create()
    values = await client.runs.wait(
        thread["thread_id"],
        "weiwo",
        input={"question": WU_OR_CAESAR},
        context={"max_seconds": 33, "max_tasks": 2_000},
    )
    assert values["result"]["status"] == "complete"
    state = await client.threads.get_state(thread["thread_id"])
    assert state["values"]["team"]["limits"]["max_seconds"] == 33
    assert state["values"]["team"]["limits"]["max_tasks"] == 20


@pytest.mark.parametrize(
    ("context", "said"),
    [
        ({"corpus": ["/etc/hostname"]}, "context.corpus cannot be set by clients of this server"),
        ({"tools": ["os:abort"]}, "context.tools cannot be set by clients, because it runs code"),
        ({"allow_hosts": ["127.0.0.1"]}, "context.allow_hosts cannot be set by clients of this server"),
    ],
)
async def test_a_client_sets_only_what_the_operator_allows(client, context, said):
    thread = await client.threads.create()
    run = client.runs.stream(thread["thread_id"], "weiwo", input={"question": WU_OR_CAESAR}, context=context)
    errors = [part.data async for part in run if part.event == "error"]
    assert [said in str(error) for error in errors] == [True]


async def test_a_run_that_is_cancelled_keeps_its_checkpoint_and_goes_on(client, model):
    model.requests.clear()
    thread = await client.threads.create()
    slow = {"model": "openai:stuck"}
    run = await client.runs.create(thread["thread_id"], "weiwo", input={"question": WU_OR_CAESAR}, context=slow)
    await until(lambda: any(never_read(asked.body) for asked in model.requests))
    await client.runs.cancel(thread["thread_id"], run["run_id"], wait=True)  # the model never reads
    assert (await client.runs.get(thread["thread_id"], run["run_id"]))["status"] == "interrupted"
    values = await client.runs.wait(thread["thread_id"], "weiwo", input=None)
    assert "56 years" in values["result"]["answer"]
    assert values["result"]["plan"]["revision"] == 0


async def test_a_plan_waits_on_the_server_and_is_edited_rejected_and_approved(client):
    thread = await client.threads.create()
    values = await client.runs.wait(
        thread["thread_id"], "weiwo", input={"question": WU_OR_CAESAR}, context={"approve_plan": True}
    )
    (asked,) = values["__interrupt__"]
    assert asked["value"]["type"] == "approve_plan"
    assert len(asked["value"]["plan"]["vertices"]) == 3
    state = await client.threads.get_state(thread["thread_id"])
    assert state["next"] == ["approval"]
    assert (await client.threads.get(thread["thread_id"]))["status"] == "interrupted"

    async def resume(answer):
        return await client.runs.wait(thread["thread_id"], "weiwo", command={"resume": answer})

    values = await resume({"reject": "ask the web instead"})
    assert values["__interrupt__"][0]["value"]["note"]
    plan = values["__interrupt__"][0]["value"]["plan"]
    plan["vertices"][0]["tool_binding"] = "telepathy"
    values = await resume({"plan": plan})
    assert "telepathy" in values["__interrupt__"][0]["value"]["complaints"][0]
    plan["vertices"] = [{**plan["vertices"][1], "id": "caesar"}]
    plan["edges"] = []
    values = await resume({"plan": plan})
    assert values["result"]["status"] == "partial"  # the edited plan leaves a part out
    assert list(values["result"]["outcomes"]) == ["caesar"]
    again = await resume("approve")
    assert again["result"] == values["result"]


async def test_a_run_with_a_model_streams_its_words(client, model):
    thread = await client.threads.create()
    tokens, values = [], {}
    model.requests.clear()
    async for part in client.runs.stream(
        thread["thread_id"],
        "weiwo",
        input={"question": WU_OR_CAESAR},
        context={"model": "openai:scripted"},
        stream_mode=["messages-tuple", "values"],
    ):
        assert part.event != "error", part.data
        if part.event == "messages" and part.data[0]["type"] == "AIMessageChunk":
            tokens.append(part.data[0]["content"])
        elif part.event == "values":
            values = part.data
    assert [request.schema for request in model.requests].count("BatchReadReply") == 1
    assert values["result"]["status"] == "complete"
    assert values["result"]["answer"] in "".join(tokens)
    assert values["result"]["plan"]["decided_by"] == "model"


def test_what_the_docs_show_of_the_sdk_runs(server):
    program = python_blocks("docs/server.md")[0].replace("http://127.0.0.1:2024", server)
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert "2,850" in ran.stdout


def python_blocks(guide: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", (ROOT / guide).read_text(), re.DOTALL)


async def test_graph_and_schemas_are_served(client):
    assistant = (await client.assistants.search())[0]
    drawn = await client.assistants.get_graph(assistant["assistant_id"])
    assert {node["id"] for node in drawn["nodes"]} >= {*AGENTS, "approval"}
    conditional = {(e["source"], e["target"]) for e in drawn["edges"] if e.get("conditional")}
    assert {("master", "writer"), ("master", "planner"), ("reflection", "executor")} <= conditional
    schemas = await client.assistants.get_schemas(assistant["assistant_id"])
    assert set(schemas["input_schema"]["properties"]) == {"question", "messages"}
    assert set(schemas["output_schema"]["properties"]) == {"result", "messages", "assessment", "plan", "outcomes"}
    assert all(field.get("description") for field in schemas["context_schema"]["properties"].values())


async def test_runs_in_parallel_do_not_mix(client):
    questions = {"When was Julius Caesar born?": "100 BC", "How tall is the Burj Khalifa?": "828"}

    async def ask(question: str) -> str:
        thread = await client.threads.create()
        values = await client.runs.wait(thread["thread_id"], "weiwo", input={"question": question})
        return values["result"]["answer"]

    answers = await asyncio.gather(*(ask(question) for question in questions))
    assert all(expected in answer for expected, answer in zip(questions.values(), answers, strict=True))
