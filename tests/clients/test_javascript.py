"""The JavaScript SDK and the two kinds of `useStream` against a LangGraph server and `weiwo serve`.

Needs Node and, in the folder that `WEIWO_TEST_NODE` names, `npm install @langchain/langgraph-sdk @langchain/core react
react-dom jsdom`; for the event protocol, `@langchain/react` beside them.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.langgraph_server import langgraph_dev, offline_environment
from tests.support.node import needs_package, run_script
from tests.support.personas import WU_OR_CAESAR
from tests.support.weiwo_server import weiwo_serve

pytestmark = [pytest.mark.integration, needs_package("@langchain/langgraph-sdk")]


@contextmanager
def _server(kind: str, folder: Path, environment: dict[str, str]) -> Iterator[str]:
    if kind == "langgraph dev":
        with langgraph_dev(folder, environment) as url:
            yield url
    else:
        with weiwo_serve(environment) as (url, _):
            yield url


@pytest.fixture
def environment(tmp_path):
    return offline_environment(tmp_path / "server", "approve_plan")


@pytest.mark.parametrize("served_by", ["langgraph dev", "weiwo serve"])
def test_use_stream_shows_a_run_and_answers_its_interrupt(environment, tmp_path, served_by):
    (tmp_path / "server").mkdir()
    with _server(served_by, tmp_path / "server", environment) as url:
        seen = run_script("client.mjs", url, WU_OR_CAESAR)
    assert (seen["error"], seen["asked"], seen["plan"]) == (None, "approve_plan", 3)
    assert seen["custom"][0] == "assessed"
    assert seen["custom"][-1] == "finished"
    assert "56 years" in seen["answer"]
    assert "56 years" in seen["message"]
    assert seen["citations"] >= 2
    assert "56 years" in seen["waited"]


@needs_package("@langchain/react")
@pytest.mark.parametrize("served_by", ["langgraph dev", "weiwo serve"])
def test_use_stream_of_the_event_protocol_shows_runs_to_several_and_is_answered(environment, tmp_path, served_by):
    (tmp_path / "server").mkdir(exist_ok=True)
    with _server(served_by, tmp_path / "server", environment) as url:
        seen = run_script("react.mjs", url, WU_OR_CAESAR)
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
