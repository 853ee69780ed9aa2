"""Troubles that people report of such systems: names of MCP tools, changed embeddings, slow models, money that ran out.

Other kinds stand where their parts are tested: wordings of an overflow (`test_provider_dialects`), content filters and
bad vectors (`test_prompts_not_taken`, `test_embedding_batches`), walls (`unit/nodes/executor/test_walls`), spent quotas
(`unit/tools/web/test_provider_limits`), brackets (`unit/app/export/test_source_brackets`), header rows and tables of
two columns (`unit/tools/tables/test_structure`), charsets (`unit/tools/web/test_page_parser`), outline levels
(`unit/tools/corpus/formats/test_whole_documents`), templates (`unit/nodes/executor/test_template_folders`).
"""

import asyncio
import json
import re
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from tests.support.fake_model import Request, assessed, fake, found
from tests.support.openai_server import Reply, error, structured, text
from tests.unit.app.server.conftest import running
from weiwo.app.server.application import create_app
from weiwo.app.server.storage import run_log
from weiwo.graph import build_graph
from weiwo.state.settings import Context
from weiwo.tools.calling.invoke import Backoff, run_tool
from weiwo.tools.mcp import pool as pools
from weiwo.tools.mcp.pool import mcp_pool
from weiwo.tools.mcp.servers import read_servers
from weiwo.tools.mcp.toolset import load_mcp_tools

pytestmark = [pytest.mark.integration, pytest.mark.filterwarnings("ignore::DeprecationWarning")]
PATIENT = 200.0

KEEPERS = {"Brade": "Nell Oakes", "Corvin": "Tam Weir", "Dunmoor": "Una Sallis"}


def write_keepers(folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    for n, (place, keeper) in enumerate(KEEPERS.items()):
        said = f"# Lock of {place}\n\nThe lock of {place} is kept by {keeper}. It was dug in {1801 + 17 * n}.\n"
        (folder / f"{place.lower()}.md").write_text(said, encoding="utf-8")
    return folder


OPENAPI_SERVER = '''
"""Tools as generators of OpenAPI name them: dots, a name of 90 letters, references, unions with null."""
import json, sys
DEPOT = {"type": "object", "properties": {"filter": {"$ref": "#/$defs/Filter"}}, "required": ["filter"],
  "$defs": {"Filter": {"type": "object", "properties": {"depot": {"type": "string"},
  "span": {"anyOf": [{"$ref": "#/$defs/Span"}, {"type": "null"}], "default": None}}, "required": ["depot"]},
  "Span": {"type": "object", "properties": {"since": {"type": "string"}}}}}
TOOLS = [{"name": "depots.v2.inventory/find one", "description": "Stock of a depot.", "inputSchema": DEPOT},
  {"name": "stock_" + "of_the_depot_" * 7, "description": "Weight of a depot's stock.",
   "inputSchema": {"type": "object", "properties": {"depot": {"type": ["string", "null"]}}}}]
def call(given):
    said = given.get("arguments", {})
    if given["name"] == TOOLS[0]["name"]:
        return f"{said['filter']['depot']} holds 412 crates"
    return f"{said.get('depot')} weighs 9 tons" if given["name"] == TOOLS[1]["name"] else "no such tool"
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    given = asked.get("params") or {}
    reply = {"initialize": lambda: {"protocolVersion": given.get("protocolVersion"), "capabilities": {"tools": {}},
      "serverInfo": {"name": "depots", "version": "1"}},
      "tools/list": lambda: {"tools": [{**tool, "annotations": {"readOnlyHint": True}} for tool in TOOLS]},
      "tools/call": lambda: {"content": [{"type": "text", "text": call(given)}]}, "ping": dict}.get(asked["method"])
    said = {"result": reply()} if reply else {"error": {"code": -32601, "message": "no such method"}}
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], **said}), flush=True)
'''


async def test_tools_with_names_that_no_model_takes_are_called_by_their_own(weiwo_home, tmp_path, monkeypatch):  # noqa: ARG001 - a home of its own
    monkeypatch.setattr(pools, "FIRST_SECONDS", PATIENT)
    pytest.importorskip("fastmcp", reason="needs the extra: pip install 'weiwo[mcp]'")
    (tmp_path / "server.py").write_text(textwrap.dedent(OPENAPI_SERVER), encoding="utf-8")
    file = tmp_path / "servers.json"
    program = {"command": sys.executable, "args": [str(tmp_path / "server.py")]}
    file.write_text(json.dumps({"mcpServers": {"depots": program}}), encoding="utf-8")
    try:
        await mcp_pool.connections(read_servers(str(file)), PATIENT)
        tools = (await load_mcp_tools(str(file))).tools
        assert len(tools) == 2
        assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,64}", tool.name) for tool in tools)
        assert len({tool.name for tool in tools}) == 2
        one, other = sorted(tools, key=lambda tool: len(tool.name))
        calls = ((one, {"filter": {"depot": "Hale", "span": None}}), (other, {"depot": "Hale"}))
        said = [
            (await run_tool(tool, args, seconds=PATIENT, max_bytes=10_000, backoff=Backoff(first=0.01))).content
            for tool, args in calls
        ]
        assert said == ["Hale holds 412 crates", "Hale weighs 9 tons"]
    finally:
        await asyncio.to_thread(mcp_pool.close)


async def test_a_stream_is_never_silent_while_a_model_thinks(weiwo_home, tmp_path, endpoint, monkeypatch):  # noqa: ARG001 - a home of its own
    monkeypatch.setattr(run_log, "HEARTBEAT_SECONDS", 0.05)
    monkeypatch.setenv("WEIWO_WEB", "off")
    monkeypatch.setenv("WEIWO_MODEL", "openai:slow")
    monkeypatch.setenv("WEIWO_CORPUS", str(write_keepers(tmp_path / "locks")))
    loop = asyncio.get_running_loop()

    async def pass_time() -> None:
        for _ in range(8):  # turns of the server's own loop: a single sleep may pass at once on a busy machine
            await asyncio.sleep(0.06)

    def think(_: Any) -> Reply:
        asyncio.run_coroutine_threadsafe(pass_time(), loop).result(120)
        return text("The lock of Brade is kept by Nell Oakes [1].")

    endpoint(think)
    asked = {
        "model": "weiwo",
        "stream": True,
        "messages": [{"role": "user", "content": "Who keeps the lock of Brade?"}],
    }
    beats, head = 0, ""
    async with running(create_app()) as http, http.stream("POST", "/v1/chat/completions", json=asked) as came:
        async for line in came.aiter_lines():
            head = head or line
            beats += line.startswith(": heartbeat")
        assert came.headers["x-accel-buffering"] == "no"
    assert '"role":"assistant"' in head.replace(" ", "")
    assert beats >= 3


async def test_a_provider_without_money_then_busy_then_well_again_in_one_conversation(weiwo_home, tmp_path, endpoint):  # noqa: ARG001 - a home of its own
    state = {"status": 402}

    def provider(request: Any) -> Any:
        if state["status"] != 200:
            return error(state["status"], "Insufficient balance" if state["status"] == 402 else "busy, come back later")
        return structured(request, {}) if request.get("response_format") else text("The lock is kept by Tam Weir [1].")

    server, graph = endpoint(provider), build_graph(checkpointer=InMemorySaver())
    context = Context(
        model="openai:some", corpus=[str(write_keepers(tmp_path / "locks"))], web=False, answer_memory=False
    )
    came: list[tuple[int, dict[str, Any]]] = []
    for status in (402, 429, 200):
        state["status"], before = status, len(server.requests)
        asked = {"question": "Who keeps the lock of Corvin?"}
        values = await graph.ainvoke(asked, {"configurable": {"thread_id": "t"}}, context=context)
        came.append((len(server.requests) - before, values["result"]))
    assert came[0][0] == 1  # a provider without money is not asked twice
    assert all("Tam Weir" in result["answer"] for _, result in came)
    notices = [" ".join(map(str, result.get("notices", []))) for _, result in came]
    assert "402" in json.dumps(came[0][1]["usage"]) or "402" in notices[0] or "balance" in json.dumps(came[0][1])
    assert came[2][0] > 0


async def test_marks_annotations_and_sources_of_a_reply_agree_streamed_or_whole(weiwo_home, tmp_path, monkeypatch):  # noqa: ARG001 - a home of its own
    monkeypatch.setenv("WEIWO_WEB", "off")
    monkeypatch.setenv("WEIWO_CORPUS", str(write_keepers(tmp_path / "locks")))
    question = "Who keeps the lock of Dunmoor and when was the lock of Brade dug?"

    def draft(request: Request) -> str:
        numbered = re.findall(r'<passage n="(\d+)"[^>]*>\n(.*?)\n</passage>', request.text, re.DOTALL)
        mark = {place: n for n, said in numbered for place in KEEPERS if f"lock of {place}" in said}
        return f"It is kept by Una Sallis [{mark['Dunmoor']}]. Brade was dug in 1801 [{mark['Brade']}]."

    def read(request: Request) -> dict[str, Any]:
        (n, said), *_ = re.findall(r'<passage n="(\d+)"[^>]*>\n(.*?)\n</passage>', request.text, re.DOTALL)
        return found("Una Sallis", said[:40], int(n))

    model = fake(AssessmentReply=assessed(question), ReadReply=read, draft=draft)
    asked = {"model": "weiwo", "messages": [{"role": "user", "content": question}]}
    async with running(create_app({"models": model})) as http:
        whole = (await http.post("/v1/chat/completions", json=asked)).json()
        body = (await http.post("/v1/chat/completions", json={**asked, "stream": True})).text
    chunks = [json.loads(line[6:]) for line in body.splitlines() if line.startswith("data: {")]
    streamed = "".join(chunk["choices"][0]["delta"].get("content") or "" for chunk in chunks if chunk["choices"])
    message = whole["choices"][0]["message"]
    assert streamed == message["content"]
    names = {str(source["n"]): source["source"] for source in whole["sources"]}
    body = message["content"].partition("\n\nSources")[0]
    marks = set(re.findall(r"\[(\d+)\]", body))
    assert len(marks) >= 2
    assert marks <= names.keys()
    for one in (annotation["url_citation"] for annotation in message["annotations"]):
        mark = message["content"][one["start_index"] : one["end_index"]]
        assert one["url"].endswith(names[mark.strip("[]")].rpartition("/")[2])
