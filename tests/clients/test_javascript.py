"""The JavaScript SDK and the two kinds of `useStream` against a LangGraph server and `weiwo serve`.

Needs Node and, in the folder that `WEIWO_TEST_NODE` names, `npm install @langchain/langgraph-sdk @langchain/core react
react-dom jsdom`; for the event protocol, `@langchain/react` beside them.
"""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support.foreign import FOREIGN
from tests.support.langgraph_server import langgraph_dev
from tests.support.personas import WU_OR_CAESAR
from tests.support.weiwo_server import weiwo_serve

NODE = Path(os.environ.get("WEIWO_TEST_NODE", "/nowhere"))
pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(
        not (shutil.which("node") and (NODE / "node_modules/@langchain/langgraph-sdk").is_dir()),
        reason="WEIWO_TEST_NODE names no folder with the JavaScript SDK",
    ),
]


@contextmanager
def _server(kind: str, folder: Path, environment: dict[str, str]) -> Iterator[str]:
    if kind == "langgraph dev":
        with langgraph_dev(folder, environment) as url:
            yield url
    else:
        with weiwo_serve(environment) as (url, _):
            yield url


def _run(name: str, url: str) -> dict[str, Any]:
    """What a script prints of the server at an address. Node looks for packages beside the script."""
    script = NODE / f"weiwo-{os.getpid()}-{name}"
    shutil.copy(Path(__file__).parent / "js" / name, script)
    try:
        command = ["node", str(script), url, WU_OR_CAESAR]
        ran = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    finally:
        script.unlink()
    assert ran.returncode == 0, ran.stderr
    return dict(json.loads(ran.stdout.splitlines()[-1]))


@pytest.fixture
def environment(tmp_path):
    kept = {k: v for k, v in os.environ.items() if not k.startswith(FOREIGN)}
    offline = {"LANGGRAPH_CLI_NO_ANALYTICS": "1", "LANGGRAPH_NO_VERSION_CHECK": "true", "LANGSMITH_TRACING": "false"}
    return kept | offline | {"WEIWO_HOME": str(tmp_path / "server"), "WEIWO_CLIENT_FIELDS": "approve_plan"}


@pytest.mark.parametrize("served_by", ["langgraph dev", "weiwo serve"])
def test_use_stream_shows_a_run_and_answers_its_interrupt(environment, tmp_path, served_by):
    (tmp_path / "server").mkdir()
    with _server(served_by, tmp_path / "server", environment) as url:
        seen = _run("client.mjs", url)
    assert (seen["error"], seen["asked"], seen["plan"]) == (None, "approve_plan", 3)
    assert seen["custom"][0] == "assessed"
    assert seen["custom"][-1] == "finished"
    assert "56 years" in seen["answer"]
    assert "56 years" in seen["message"]
    assert seen["citations"] >= 2
    assert "56 years" in seen["waited"]


@pytest.mark.skipif(
    not (NODE / "node_modules/@langchain/react").is_dir(),
    reason="WEIWO_TEST_NODE names no folder with @langchain/react",
)
@pytest.mark.parametrize("served_by", ["langgraph dev", "weiwo serve"])
def test_use_stream_of_the_event_protocol_shows_runs_to_several_and_is_answered(environment, tmp_path, served_by):
    (tmp_path / "server").mkdir(exist_ok=True)
    with _server(served_by, tmp_path / "server", environment) as url:
        seen = _run("react.mjs", url)
    assert seen["errors"] == [None] * 4
    assert (seen["asked"], seen["planned"]) == ("approve_plan", 3)
    assert seen["custom"][0] == "assessed"
    assert seen["custom"][-1] == "finished"
    assert "56 years" in seen["answer"]
    assert seen["streamed"].startswith(seen["answer"][:40])
    assert seen["subgraphs"] == [["executor", "complete"]]
    assert seen["messages"] == ["human", "ai", "human", "ai"]
    assert seen["loading"] == [False] * 4
    assert "the question is empty" in seen["refused"]
