"""Programs that call the graph synchronously: routes of FastAPI beside async ones, and LangGraph's sync Postgres saver."""

import asyncio

import httpx
import pytest
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from tests.support.postgres import create_database, drop_database, start_server
from weiwo.graph import build_graph

pytestmark = [pytest.mark.integration, pytest.mark.usefixtures("indexed_home")]
BURJ = {"question": "How tall is the Burj Khalifa?"}


def at(thread):
    return {"configurable": {"thread_id": thread}}


async def test_plain_and_async_routes_of_fastapi_answer_side_by_side(tmp_path, monkeypatch):
    fastapi = pytest.importorskip("fastapi")
    monkeypatch.setenv("WEIWO_WEB", "false")
    app = fastapi.FastAPI()
    async with AsyncSqliteSaver.from_conn_string(str(tmp_path / "threads.sqlite")) as saver:
        graph = build_graph(saver)

        @app.get("/plain/{thread}")
        def plain(thread: str) -> str:
            return graph.invoke(BURJ, at(thread))["result"]["answer"]

        @app.get("/async/{thread}")
        async def other(thread: str) -> str:
            return (await graph.ainvoke(BURJ, at(thread)))["result"]["answer"]

        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://app", timeout=60) as http:
            await http.get("/plain/first")  # after which async ones failed
            asked = [http.get(f"/{kind}/{n}") for n in range(6) for kind in ("plain", "async")]
            replies = await asyncio.gather(*asked)
    assert [(one.status_code, "828" in one.text) for one in replies] == [(200, True)] * 12


def test_langgraphs_sync_postgres_saver_keeps_threads(postgres_folder, monkeypatch):
    postgres = pytest.importorskip("langgraph.checkpoint.postgres")
    monkeypatch.setenv("WEIWO_WEB", "false")
    server = start_server(postgres_folder)
    url = create_database(server)
    try:
        with postgres.PostgresSaver.from_conn_string(url) as saver:
            saver.setup()
            graph = build_graph(saver)
            list(graph.stream(BURJ, at("t"), interrupt_after=["executor"]))
            assert graph.get_state(at("t")).next
            assert "828" in graph.invoke(None, at("t"))["result"]["answer"]
            assert [one.values["result"]["status"] for one in graph.get_state_history(at("t"), limit=1)] == ["complete"]
    finally:
        drop_database(server, url)
