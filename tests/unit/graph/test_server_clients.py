"""Runs that come from a server's clients, told by the server's own marks or by how the graph was built."""

import pytest

from weiwo.graph import build_graph
from weiwo.graph.served_graph import stream_transformers
from weiwo.state.settings import SettingsError
from weiwo.tools.corpus.base import CorpusError

QUESTION = "Who was older, Emperor Wu of Han or Julius Caesar, and by how many years?"
HOSTILE = [{"tools": ["os:abort"]}, {"corpus": ["/etc"]}, {"corpus": ["@os.abort"]}, {"allow_hosts": ["127.0.0.1"]}]


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("WEIWO_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("context", HOSTILE, ids=str)
@pytest.mark.parametrize(
    ("built", "marks"),
    [
        ({"serves_clients": True}, {}),
        ({}, {"assistant_id": "fe096781", "graph_id": "weiwo"}),
        ({}, {"graph_id": "weiwo"}),
    ],
    ids=["built", "assistant", "graph"],
)
async def test_a_client_gets_nothing_of_the_process(context, built, marks):
    graph = build_graph(**built)
    with pytest.raises(SettingsError, match="context"):
        await graph.ainvoke({"question": "Hello"}, {"configurable": marks}, context=context)


@pytest.mark.parametrize("entry", ["/etc", "notes.md", "*.md", "@os.abort", "../x", "nobody"])
async def test_a_corpus_of_a_client_is_a_name(entry, home, monkeypatch):
    (home / "notes.md").write_text("The safe is behind the mirror.")
    monkeypatch.setenv("WEIWO_CLIENT_FIELDS", "corpus")
    with pytest.raises(CorpusError, match="clients of this server can only use corpora"):
        await build_graph(serves_clients=True).ainvoke({"question": "Where is the safe?"}, context={"corpus": [entry]})


@pytest.mark.processes
async def test_the_same_without_a_server_is_the_users_own_affair(home):
    (home / "notes.md").write_text("The safe is behind the mirror.")
    values = await build_graph().ainvoke({"question": "Where is the safe?"}, context={"corpus": ["notes.md"]})
    assert "mirror" in values["result"]["answer"] + str(values["result"].get("extracts"))


@pytest.mark.filterwarnings("ignore:The v3 streaming protocol")
async def test_a_langgraph_server_forwards_each_event_on_the_channel_of_its_type(indexed_home, monkeypatch):  # noqa: ARG001 - a first question need not index
    monkeypatch.setenv("WEIWO_WEB", "off")
    graph = build_graph(serves_clients=True)
    run = await graph.astream_events({"question": QUESTION}, version="v3", transformers=stream_transformers())
    async with run:
        events = [(one["method"], one["params"]) async for one in run if one["method"].startswith("custom")]
    assert [method for method, _ in events] == [f"custom:{params['data']['type']}" for _, params in events]
    assert {"custom:assessed", "custom:planned", "custom:task_finished", "custom:finished"} <= {
        one for one, _ in events
    }
    assert all(params["namespace"] == [] for _, params in events)
