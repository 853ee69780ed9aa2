"""`weiwo tools`; a tool that waits to be allowed; `weiwo mcp` driven by the official Python client."""

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.support.command import run_command, search_path
from tests.support.ports import free_port, listens
from tests.support.waiting import wait_for

pytestmark = [pytest.mark.integration, pytest.mark.filterwarnings("ignore::DeprecationWarning")]
needs_extra = pytest.mark.skipif(
    importlib.util.find_spec("fastmcp") is None, reason="needs the extra: pip install 'weiwo[mcp]'"
)

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads((ROOT / "app" / "result.schema.json").read_text(encoding="utf-8"))
WAITING = {"$ref": "#/$defs/waiting_for_consent", "$defs": SCHEMA["$defs"]}
FACT = "When was Ada Lovelace born?"
ACTING = '''
from pathlib import Path
from langchain_core.tools import tool

@tool
async def corpus_search(query: str, k: int = 8) -> list[dict[str, str]]:
    """Search, and leave a mark."""
    with Path("effects").open("a") as file:
        file.write("acted\\n")
    return [{"title": "Ada Lovelace", "url": "https://example.org/ada", "content": "Ada Lovelace was born in London in 1815."}]

corpus_search.metadata = {"acts": True, "cluster": "search"}
'''


def environment(home: Path, folder: Path, **more: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": search_path(folder), "WEIWO_HOME": str(home), **more}


@pytest.fixture
def weiwo(weiwo_home: Path, index_sample: Callable[[Path], None], tmp_path: Path) -> Callable[..., Any]:
    """Run the command in a folder with a module of acting tools."""
    index_sample(weiwo_home)
    (tmp_path / "acting.py").write_text(ACTING, encoding="utf-8")

    def run(*args: str, **env: str) -> tuple[int | None, str, str]:
        return run_command(*args, cwd=tmp_path, env=environment(weiwo_home, tmp_path, **env))

    return run


def effects(tmp_path: Path) -> int:
    file = tmp_path / "effects"
    return file.read_text().count("acted") if file.exists() else 0


def test_a_tool_that_acts_waits_with_exit_code_4_and_resumes(weiwo, tmp_path):
    env = {"WEIWO_TOOLS": "acting:corpus_search"}
    code, out, err = weiwo("ask", "--json", "--no-web", FACT, **env)
    assert code == 4, err
    waiting = json.loads(out)
    jsonschema.validate(waiting, WAITING)
    assert (waiting["tool"], waiting["asks"]) == ("corpus_search", "allow_tool")
    assert "waits for approval" in err
    assert effects(tmp_path) == 0
    code, out, err = weiwo("resume", waiting["thread_id"], **env)
    assert (code, effects(tmp_path)) == (4, 0)
    assert "corpus_search" in out
    for _ in range(5):  # the task may search once more, in other words: each is asked about
        code, out, err = weiwo("resume", "--json", waiting["thread_id"], "--approve", **env)
        if code != 4:
            break
    assert code in {0, 3}, err
    assert "1815" in out
    assert effects(tmp_path) >= 1


def test_a_tool_that_is_refused_is_not_called(weiwo, tmp_path):
    env = {"WEIWO_TOOLS": "acting:corpus_search", "WEIWO_MAX_REPLANS": "0"}
    code, out, _ = weiwo("ask", "--json", "--no-web", FACT, **env)
    thread = json.loads(out)["thread_id"]
    for _ in range(5):
        code, out, err = weiwo("resume", "--json", thread, "--reject", "not today", **env)
        if code != 4:
            break
    assert code != 4, err
    assert effects(tmp_path) == 0


def test_a_tool_that_is_allowed_beforehand_asks_nobody(weiwo, tmp_path):
    code, out, err = weiwo(
        "ask", "--json", "--no-web", "--allow-tool", "corpus_search", FACT, WEIWO_TOOLS="acting:corpus_search"
    )
    assert code in {0, 3}, err
    assert json.loads(out)["status"] in {"complete", "extracts", "partial"}
    assert effects(tmp_path) >= 1


def test_tools_are_listed(weiwo):
    code, out, err = weiwo("tools", "--json", WEIWO_TOOLS="acting:corpus_search")
    assert code == 0, err
    listed = {one["name"]: one for one in json.loads(out)["tools"]}
    assert listed["corpus_search"]["asks"]
    assert not listed["calculator"]["acts"]
    assert not listed["web_search"]["available"]
    assert "corpus_search (may make changes, asks first)" in weiwo("tools", WEIWO_TOOLS="acting:corpus_search")[1]


def test_a_file_of_servers_that_is_none_is_one_line(weiwo, tmp_path):
    (tmp_path / "servers.json").write_text("{")
    code, out, err = weiwo("tools", "--mcp", "servers.json")
    assert (code, out) == (2, "")
    if importlib.util.find_spec("fastmcp") is None:
        assert "pip install 'weiwo[mcp]'" in err
    else:
        assert "is not valid JSON (line 1" in err
    assert err.count("\n") == 1


@needs_extra
def test_servers_and_their_health_are_listed(weiwo, tmp_path):
    (tmp_path / "servers.json").write_text(json.dumps({"mcpServers": {"gone": {"command": "no-such-program-at-all"}}}))
    code, out, _ = weiwo("tools", "--mcp", "servers.json", "--json")
    (server,) = json.loads(out)["servers"]
    assert code == 0
    assert (server["name"], server["health"], server["tools"]) == ("gone", "down", 0)
    assert "was not found on the PATH" in server["why"]


QUESTION = "Who was older, Emperor Wu of Han or Julius Caesar?"


async def assert_tools_answer(session: Any) -> None:
    """What any client would do with the server."""
    tools = {tool.name: tool for tool in (await session.list_tools()).tools}
    assert set(tools) == {"ask", "get_answer", "search", "read_document"}
    assert all(tool.annotations.read_only_hint and tool.output_schema for tool in tools.values())
    answered = await session.call_tool("ask", {"question": QUESTION})
    assert not answered.is_error, answered.content
    result = answered.structured_content
    assert "Wu of Han" in result["answer"]
    assert {"status", "citations", "gaps"} <= set(result)
    assert result["citations"][0]["source"].endswith(".md")
    assert len(json.dumps(result)) < 6_000
    passages = (await session.call_tool("search", {"query": "Julius Caesar born", "k": 2})).structured_content[
        "passages"
    ]
    assert len(passages) == 2
    read = await session.call_tool("read_document", {"source": passages[0]["source"]})
    assert read.structured_content["passages"]
    later = (await session.call_tool("ask", {"question": QUESTION, "wait": 0})).structured_content
    while later["status"] == "running":
        later = (await session.call_tool("get_answer", {"thread_id": later["thread_id"]})).structured_content
    assert later["answer"] == result["answer"]
    assert (await session.call_tool("get_answer", {"thread_id": "x"})).is_error
    assert (await session.call_tool("ask", {"question": " "})).is_error
    assert (await session.call_tool("read_document", {"source": "/etc/passwd"})).is_error


@needs_extra
async def test_the_official_client_asks_over_pipes(weiwo_home, index_sample, tmp_path):
    from mcp import ClientSession, StdioServerParameters  # noqa: PLC0415 - needs the extra
    from mcp.client.stdio import stdio_client  # noqa: PLC0415 - needs the extra

    index_sample(weiwo_home)
    env = {**environment(weiwo_home, tmp_path), "WEIWO_WEB": "no"}
    server = StdioServerParameters(command=sys.executable, args=["-m", "weiwo", "mcp"], env=env, cwd=tmp_path)
    async with stdio_client(server) as (incoming, outgoing), ClientSession(incoming, outgoing) as session:
        await session.initialize()
        await assert_tools_answer(session)


@pytest.fixture
def served(weiwo_home: Path, index_sample: Callable[[Path], None], tmp_path: Path) -> Iterator[str]:
    """`weiwo mcp --http`, once it listens."""
    index_sample(weiwo_home)
    port = free_port()
    env = {**environment(weiwo_home, tmp_path), "WEIWO_WEB": "no"}
    command = [sys.executable, "-m", "weiwo", "mcp", "--http", "--port", str(port)]
    with subprocess.Popen(command, cwd=tmp_path, env=env) as process:
        try:
            wait_for(lambda: listens(port), process)
            yield f"http://127.0.0.1:{port}/mcp/"
        finally:
            process.terminate()


@needs_extra
async def test_the_official_client_asks_over_http_and_other_sites_pages_may_not(served):
    import httpx2  # noqa: PLC0415 - needs the extra
    from mcp import ClientSession  # noqa: PLC0415 - needs the extra
    from mcp.client.streamable_http import streamable_http_client  # noqa: PLC0415 - needs the extra

    async with streamable_http_client(served) as (incoming, outgoing), ClientSession(incoming, outgoing) as session:
        await session.initialize()
        await assert_tools_answer(session)
    async with httpx2.AsyncClient() as client:
        assert (await client.post(served, headers={"Origin": "https://evil.example"}, json={})).status_code == 403
        assert (await client.post(served, headers={"Host": "evil.example"}, json={})).status_code == 400
