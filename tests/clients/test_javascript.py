"""The JavaScript SDK and the two kinds of `useStream` against a LangGraph server and `weiwo serve`.

Needs Node and, in the folder that `WEIWO_TEST_NODE` names, `npm install @langchain/langgraph-sdk @langchain/core react
react-dom jsdom`; for the event protocol, `@langchain/react` beside them.
"""

import pytest

from tests.support.langgraph_server import langgraph_dev, offline_environment
from tests.support.node import needs_package, run_script
from tests.support.personas import WU_OR_CAESAR
from tests.support.weiwo_server import weiwo_serve

pytestmark = [pytest.mark.integration, needs_package("@langchain/langgraph-sdk")]


@pytest.fixture(scope="module", params=["langgraph dev", "weiwo serve"])
def server(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("server")
    environment = offline_environment(folder, "approve_plan")
    if request.param == "langgraph dev":
        with langgraph_dev(folder, environment) as url:
            yield url
    else:
        with weiwo_serve(environment) as (url, _):
            yield url


def test_use_stream_shows_a_run_and_answers_its_interrupt(server):
    seen = run_script("client.mjs", server, WU_OR_CAESAR)
    assert (seen["error"], seen["asked"], seen["plan"]) == (None, "approve_plan", 3)
    assert seen["custom"][0] == "assessed"
    assert seen["custom"][-1] == "finished"
    assert "56 years" in seen["answer"]
    assert "56 years" in seen["message"]
    assert seen["citations"] >= 2
    assert "56 years" in seen["waited"]


@needs_package("@langchain/react")
def test_use_stream_of_the_event_protocol_shows_runs_to_several_and_is_answered(server):
    seen = run_script("react.mjs", server, WU_OR_CAESAR)
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
