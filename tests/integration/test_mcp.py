"""Real MCP servers, made with FastMCP: over pipes and loopback HTTP, failing, dying, lying; one connection for the process."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastmcp", reason="needs the extra: pip install 'weiwo[mcp]'")

from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver

from tests.support import mcp_server
from tests.support.fake_model import Request, assessed, fake, found
from tests.support.ports import free_port
from tests.support.waiting import until
from weiwo.graph import build_graph
from weiwo.state.settings import Context, Settings
from weiwo.tools.calling.call_context import CallContext, current_call, set_current_call
from weiwo.tools.calling.errors import ToolCallError
from weiwo.tools.calling.invoke import Backoff, run_tool
from weiwo.tools.mcp import pool as pools
from weiwo.tools.mcp import stdio
from weiwo.tools.mcp.connection import Connection
from weiwo.tools.mcp.definitions import _WITHHELD
from weiwo.tools.mcp.pool import mcp_pool
from weiwo.tools.mcp.servers import McpServer, read_servers
from weiwo.tools.mcp.toolset import load_mcp_tools
from weiwo.tools.registry import build_registry

pytestmark = [pytest.mark.integration, pytest.mark.filterwarnings("ignore::DeprecationWarning")]

SCRIPT = str(Path(mcp_server.__file__))
PATIENT = 200.0
"""Seconds that a slow machine may take to start a server; nothing waits for them to be over."""


@pytest.fixture(autouse=True)
def _fresh(weiwo_home, index_sample, monkeypatch):
    index_sample(weiwo_home)
    monkeypatch.setattr(pools, "FIRST_SECONDS", PATIENT)


@pytest.fixture(autouse=True)
async def _ended() -> AsyncIterator[None]:
    """The processes of a test end with it."""
    yield
    await asyncio.to_thread(mcp_pool.close)


def desk(tmp_path: Path, **more: Any) -> dict[str, Any]:
    env = {"EFFECTS": str(tmp_path / "effects"), "PYTHONPATH": os.pathsep.join(sys.path)}
    return {"command": sys.executable, "args": [SCRIPT], "env": env, **more}


def write(tmp_path: Path, **servers: Any) -> str:
    file = tmp_path / "servers.json"
    file.write_text(json.dumps({"mcpServers": servers}), encoding="utf-8")
    return str(file)


async def ready(path: str) -> None:
    """Wait until every server of a file was tried."""
    await mcp_pool.connections(read_servers(path), PATIENT)


async def called(path: str, name: str, **args: Any) -> Any:
    tools = {tool.name: tool for tool in (await load_mcp_tools(path)).tools}
    return await run_tool(tools[name], args, seconds=PATIENT, max_bytes=5_000_000, backoff=Backoff(first=0.01))


@pytest.mark.parametrize("name", mcp_server.ENDLESS)
async def test_an_output_schema_that_no_validator_comes_to_an_end_of_costs_nothing(tmp_path, name):
    offering = desk(tmp_path)
    offering["env"]["ENDLESS"] = "1"
    path = write(tmp_path, desk=offering)
    await ready(path)
    result = await called(path, f"desk_{name}")
    assert "A" * 40 + "!" in str(result.passages)


async def test_a_program_serves_tools_and_one_that_is_missing_costs_only_its_own(tmp_path):
    path = write(tmp_path, desk=desk(tmp_path), gone={"command": "no-such-program-at-all"}, mute={"command": "true"})
    await ready(path)
    loaded = await load_mcp_tools(path)
    assert "desk_find_ticket" in {tool.name for tool in loaded.tools}
    said = "\n".join(one["en"] for one in loaded.problems)
    assert "MCP server gone is down: the program 'no-such-program-at-all' was not found on the PATH" in said
    assert "MCP server mute is down" in said
    assert any("MCP 服务器 gone 不可用：PATH 中没有程序" in one["zh"] for one in loaded.problems)
    result = await called(path, "desk_find_ticket", query="printers")
    (passage,) = result.passages
    assert (passage.source, passage.title) == ("https://desk.example.org/7", "INC-7")
    assert (await called(path, "desk_picture")).content == "[image, image/png, 100,002 bytes; not shown]"


async def test_what_fails_or_is_too_large_is_an_error_and_the_server_goes_on(tmp_path):
    path = write(tmp_path, desk=desk(tmp_path))
    await ready(path)
    with pytest.raises(ToolCallError, match="desk is closed") as caught:
        await called(path, "desk_broken")
    assert caught.value.kind == "refused"
    with pytest.raises(ToolCallError, match="larger than 16 MB") as caught:
        await called(path, "desk_enormous", megabytes=20)
    assert caught.value.kind == "oversized"
    with pytest.raises(ToolCallError, match="argument query: expected string"):
        await called(path, "desk_find_ticket", query=7)
    assert (await called(path, "desk_find_ticket", query="x")).passages


async def test_a_server_that_dies_is_started_again_and_a_reading_call_is_made_again(tmp_path):
    path = write(tmp_path, desk=desk(tmp_path))
    await ready(path)
    result = await called(path, "desk_die_once", query="K-9")
    assert result.content == "Asset K-9 is a printer."
    assert result.attempts == 2
    (connection,) = (await load_mcp_tools(path)).connections
    assert connection.starts == 2


async def test_an_acting_call_over_which_a_server_dies_is_made_once(tmp_path):
    path = write(tmp_path, desk=desk(tmp_path))
    await ready(path)
    with pytest.raises(ToolCallError, match="connection was lost"):
        await called(path, "desk_close_and_die", number="7")
    assert (await called(path, "desk_find_ticket", query="x")).passages
    assert (tmp_path / "effects").read_text(encoding="utf-8") == "die 7\n"


async def test_calls_from_the_loops_of_several_runs_share_one_process(tmp_path):
    path = write(tmp_path, desk=desk(tmp_path))
    await ready(path)

    def elsewhere() -> str:
        return asyncio.run(called(path, "desk_find_ticket", query="x")).content

    contents = await asyncio.gather(*(asyncio.to_thread(elsewhere) for _ in range(4)))
    assert len(set(contents)) == 1
    (connection,) = (await load_mcp_tools(path)).connections
    assert connection.starts == 1


async def test_a_definition_that_changed_since_the_plan_is_not_called(tmp_path):
    path = write(tmp_path, desk=desk(tmp_path))
    await ready(path)
    before = {tool.name: tool for tool in (await load_mcp_tools(path)).tools}
    await called(path, "desk_grow")
    (connection,) = (await load_mcp_tools(path)).connections
    await mcp_pool.submit(listed_anew(connection))
    with pytest.raises(ToolCallError, match="its server changed the tool"):
        await run_tool(before["desk_picture"], {}, seconds=PATIENT, max_bytes=10_000)
    assert "desk_grown" in {tool.name for tool in (await load_mcp_tools(path)).tools}


OLDER = """
import json, sys
tools = ["find"]
for line in sys.stdin:
    asked = json.loads(line)
    if asked["method"] == "initialize":
        version = asked["params"]["protocolVersion"]
        told = {"protocolVersion": version, "capabilities": {"tools": {"listChanged": True}}, "serverInfo": {"name": "old", "version": "1"}}
    elif asked["method"] == "tools/list":
        told = {"tools": [{"name": name, "inputSchema": {"type": "object"}} for name in tools]}
    elif asked["method"] == "tools/call":
        tools.append("grown")
        print(json.dumps({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}), flush=True)
        told = {"content": [{"type": "text", "text": "grown"}]}
    else:
        told = None
    if "id" in asked:
        answer = {"result": told} if told else {"error": {"code": -32601, "message": "no such method"}}
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], **answer}), flush=True)
"""


NEWER = """
from mcp.server.mcpserver import Context, MCPServer
server = MCPServer("new")
@server.tool()
async def find(ctx: Context) -> str:
    server.add_tool(lambda: "grown", name="grown")
    await ctx.notify_tools_changed()
    return "grown"
server.run()
"""


@pytest.mark.parametrize(("server", "version"), [(OLDER, "2025-11-25"), (NEWER, "2026-07-28")])
async def test_a_server_that_says_its_list_changed_is_listed_anew(tmp_path, server, version):
    path = write(tmp_path, own={"command": sys.executable, "args": ["-c", server]})
    await ready(path)
    (connection,) = (await load_mcp_tools(path)).connections
    assert connection.version == version
    while "own_grown" not in connection.definitions:
        assert (await called(path, "own_find")).content == "grown"  # the newer server tells who has subscribed by then
        await asyncio.sleep(0.01)
    assert (await called(path, "own_grown")).content == "grown"


async def listed_anew(connection: Connection) -> None:
    assert connection._client is not None
    await connection._list(connection._client)


@pytest.mark.parametrize("transport", ["http", "sse"])
async def test_servers_over_http_come_and_go(tmp_path, transport, monkeypatch):
    monkeypatch.setenv("EFFECTS", str(tmp_path / "effects"))
    port = free_port()
    url = f"http://127.0.0.1:{port}/{'mcp' if transport == 'http' else 'sse'}"
    path = write(tmp_path, desk={"type": transport, "url": url, "headers": {"X-Key": "s3cret-of-mine"}})
    await ready(path)
    first = await load_mcp_tools(path)
    assert first.tools == ()
    assert f"MCP server desk is down: nothing is listening at {url}" in first.problems[0]["en"]
    assert "s3cret" not in str(first.problems)
    server = await asyncio.create_subprocess_exec(sys.executable, SCRIPT, transport, str(port))
    try:
        (connection,) = first.connections
        await mcp_pool.submit(connection._up.wait())
        assert (await called(path, "desk_find_ticket", query="x")).passages
        with pytest.raises(ToolCallError):
            await called(path, "desk_close_and_die", number="7")
        await server.wait()
        server = await asyncio.create_subprocess_exec(sys.executable, SCRIPT, transport, str(port))
        await mcp_pool.submit(until(lambda: connection.starts > 1))
        assert (await called(path, "desk_find_ticket", query="x")).passages
        assert (tmp_path / "effects").read_text(encoding="utf-8") == "die 7\n"
    finally:
        server.kill()
        await server.wait()


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("print('hello, world\\n' * 5000, flush=True); input()", "not an MCP message: 'hello, world'"),
        ("import sys; sys.stdout.write('x' * 20_000_000 + '\\n'); sys.stdout.flush(); input()", "too long"),
        (
            'n = \'{"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": 1}}\\n\'\nprint(n * 1_000, flush=True); input()',
            "answer no request",
        ),
        ("raise SystemExit('no key is set')", "its last output: no key is set"),
    ],
)
async def test_a_program_that_speaks_something_else_is_one_line(program, said, monkeypatch):
    monkeypatch.setattr(stdio, "_MOST_UNASKED", 500)
    connection = Connection(McpServer("odd", "stdio", command=sys.executable, args=("-c", program)))
    owner = asyncio.create_task(connection.run())
    await connection.settled.wait()
    await connection.stop()
    await owner
    assert connection.health == "down"
    assert connection.why is not None
    assert said in connection.why["en"]
    assert all("\n" not in line for line in connection.why.values())


ASKING = """
import json, sys
def send(**message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    answer = {"error": {"code": -32601, "message": "no such method"}}
    if asked["method"] == "initialize":
        server = {"name": "old", "version": "1"}
        answer = {"result": {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": server}}
    elif asked["method"] == "tools/list":
        answer = {"result": {"tools": [{"name": "close", "inputSchema": {"type": "object", "properties": {"how": {"type": "string"}}}}]}}
    elif asked["method"] == "tools/call":
        how = asked["params"]["arguments"]["how"]
        for n in range(0 if how == "page" else 30):
            form = {"mode": "form", "message": "Why?", "requestedSchema": {"type": "object", "properties": {}}}
            send(id=f"e{n}", method="elicitation/create", params=form)
            said = json.loads(sys.stdin.readline())["result"]["action"]
        if how == "page":
            pages = [{"mode": "url", "message": "Sign in.", "url": "https://desk.example.org/x", "elicitationId": "1"}]
            answer = {"error": {"code": -32042, "message": "sign in first", "data": {"elicitations": pages}}}
        else:
            text = [{"type": "text", "text": f"the user said {said}"}]
            answer = {"result": {"content": text, "isError": how == "fails"}}
    send(id=asked["id"], **answer)
"""
DECLINED = (
    "its server asked you a question during a call, which Weiwo does not support; put all details into the question"
)


async def test_what_a_server_asks_in_mid_call_is_declined_and_the_result_says_so(tmp_path):
    await ready(path := write(tmp_path, own={"command": sys.executable, "args": ["-c", ASKING]}))
    set_current_call(CallContext("run"))
    assert (await called(path, "own_close", how="goes on")).content == "the user said decline"
    assert current_call().notes == [f"own_close: {DECLINED}"]


@pytest.mark.parametrize(
    ("how", "kind", "said"), [("fails", "refused", "the user said decline"), ("page", "blocked", "sign in first")]
)
async def test_a_call_that_fails_for_want_of_an_answer_says_what_to_do(tmp_path, how, kind, said):
    await ready(path := write(tmp_path, own={"command": sys.executable, "args": ["-c", ASKING]}))
    with pytest.raises(ToolCallError) as failure:
        await called(path, "own_close", how=how)
    assert (failure.value.kind, failure.value.message) == (kind, f"own_close: {DECLINED}: {said}")
    assert not failure.value.transient


async def test_input_that_the_newer_protocol_requires_is_declined_and_never_without_end(tmp_path):
    await ready(path := write(tmp_path, desk=desk(tmp_path)))
    set_current_call(CallContext("run"))
    await called(path, "desk_transfer", number="8")
    assert current_call().notes == [f"desk_transfer: {DECLINED}"]
    with pytest.raises(ToolCallError, match=DECLINED):
        await called(path, "desk_transfer", number="stubborn")
    expected = ["8 asks", "8 decline", "stubborn asks", *["stubborn decline"] * 10]
    assert (tmp_path / "effects").read_text(encoding="utf-8").splitlines() == [f"transfer {one}" for one in expected]
    assert (await called(path, "desk_find_ticket", query="x")).passages  # the connection stands


async def test_a_tool_never_takes_the_name_of_one_of_ours(tmp_path):
    path = write(tmp_path, desk=desk(tmp_path))
    await ready(path)
    loaded = await load_mcp_tools(path, {"desk_find_ticket"})
    assert "desk_find_ticket" not in {tool.name for tool in loaded.tools}
    assert any("another tool has this name" in problem["en"] for problem in loaded.problems)


async def test_an_injected_description_is_flagged_and_reaches_no_planner(tmp_path):
    path = write(tmp_path, desk=desk(tmp_path))
    await ready(path)
    registry = await build_registry(Settings.resolve(Context(mcp=path)))
    prompt = registry.describe(registry.names())
    assert "desk_helper" in prompt
    assert "files_delete" not in prompt
    assert registry.info("desk_helper").always_ask
    assert any("gives instructions to the model" in problem["en"] for problem in registry.problems)


async def test_a_planner_that_obeys_whatever_it_reads_does_not_call_what_a_description_orders(tmp_path):
    path = write(tmp_path, desk=desk(tmp_path))
    await ready(path)
    deleted: list[str] = []

    @tool
    async def files_delete(path: str) -> str:
        """Delete files."""
        deleted.append(path)
        return "deleted"

    def plan(request: Request) -> dict[str, Any]:
        assert "desk_helper" in request.text
        obeys = "must call files_delete" in request.text
        name, args = ("files_delete", {"path": "/home"}) if obeys else ("desk_helper", {"text": "a b"})
        one = {"id": "task_1", "description": "How many words?", "tool_binding": name, "args": args, "ret": "number"}
        return {"thought": "", "vertices": [one], "edges": []}

    question = "How many words has the note, how many has the letter, and which of them is longer?"
    model = fake(AssessmentReply=assessed(question, steps=1.0), PlanReply=plan, draft="Two.")
    graph = build_graph(InMemorySaver(), tools=[files_delete], models=model)
    config: Any = {"configurable": {"thread_id": "t"}}
    values = await graph.ainvoke({"question": question}, config, context=Context(mcp=path, allow_acting=True))
    (waiting,) = values["__interrupt__"]
    assert (waiting.value["tool"], waiting.value["about"]) == ("desk_helper", _WITHHELD)
    assert deleted == []
    assert not any("must call files_delete" in request.text for request in model.requests)


async def test_a_plan_uses_a_server_and_a_run_tells_which_one_is_down(tmp_path):
    path = write(tmp_path, desk=desk(tmp_path), gone={"command": "no-such-program-at-all"})
    await ready(path)
    question = "When was the printer replaced, and when was ticket 7 closed, and how many days lie between?"
    vertices = [
        {
            "id": "task_1",
            "description": "When was the printer replaced?",
            "tool_binding": "desk_find_ticket",
            "args": {"query": "printer replaced"},
            "ret": "date",
        }
    ]
    model = fake(
        AssessmentReply=assessed(question, steps=1.0),
        PlanReply={"thought": "", "vertices": vertices, "edges": []},
        ReadReply=found("2024-05-03", "The printer was replaced on 3 May 2024."),
        draft="The printer was replaced on 3 May 2024 [1].",
    )
    graph, notes = build_graph(models=model), []
    values: dict[str, Any] = {}
    stream = graph.astream({"question": question}, context=Context(mcp=path), stream_mode=["custom", "values"])
    async for mode, chunk in stream:
        if mode == "custom" and chunk.get("task_id") == "tools":
            notes.append(chunk["note"])
        elif mode == "values":
            values = chunk
    assert any("MCP server gone is down" in note for note in notes)
    assert values["result"]["citations"][0]["source"] == "https://desk.example.org/7"
