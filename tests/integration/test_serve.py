"""`weiwo serve`: killed while a run is under way, which the next one goes on with; and its threads in Postgres."""

import os
import signal
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient

from tests.support.waiting import wait_for
from tests.support.weiwo_server import weiwo_serve
from weiwo.app.server.application import create_app

pytestmark = pytest.mark.integration
QUESTION = "How high is the Zorb?"


async def test_a_run_goes_on_by_itself_after_its_server_was_killed(weiwo_home: Path, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    env = {
        **os.environ,
        "WEIWO_TOOLS": "tests.support.gated_search:corpus_search",
        "GATE": str(gate),
        "WEIWO_WEB": "off",
    }
    with weiwo_serve(env) as (address, process):
        sdk = get_client(url=address)
        run = await sdk.runs.create("t", "weiwo", input={"question": QUESTION}, if_not_exists="create")
        async for part in sdk.runs.join_stream("t", run["run_id"], stream_mode=["custom"]):
            if part.event == "custom" and part.data["type"] == "task_started":
                seen = str(part.id)
                break
        process.send_signal(signal.SIGKILL)
        process.wait()
        await sdk.aclose()
    gate.touch()
    with weiwo_serve(env) as (address, process):
        sdk = get_client(url=address)
        modes = ["custom", "values"]
        parts = [part async for part in sdk.runs.join_stream("t", run["run_id"], stream_mode=modes, last_event_id=seen)]
        assert parts[0].data["attempt"] == 2
        assert parts[-1].data == {"run_id": run["run_id"], "status": "success"}
        assert "4,321" in [part for part in parts if part.event == "values"][-1].data["result"]["answer"]
        kinds = [part.data["type"] for part in parts if part.event == "custom"]
        assert not {"assessed", "planned"} & set(kinds)  # these were finished
        await sdk.aclose()
        process.send_signal(signal.SIGTERM)
        assert process.wait() in {0, 143}
    assert (weiwo_home / "server.sqlite").stat().st_mode & 0o077 == 0


async def test_threads_in_postgres_are_listed_copied_and_deleted(
    weiwo_home: Path, postgres_url: str, index_sample: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    index_sample(weiwo_home)
    monkeypatch.setenv("WEIWO_DATABASE_URL", postgres_url)
    monkeypatch.setenv("WEIWO_WEB", "off")
    app = create_app()
    transport = httpx.ASGITransport(app)
    async with app.router.lifespan_context(app), httpx.AsyncClient(transport=transport, base_url="http://x") as http:
        sdk = LangGraphClient(http)
        values = await sdk.runs.wait(
            "t", "weiwo", input={"question": "How long is the Danube?"}, if_not_exists="create"
        )
        copied = (await http.post("/threads/t/copy")).json()
        assert copied["values"]["result"] == values["result"]
        assert len(await sdk.threads.get_history(copied["thread_id"])) == len(await sdk.threads.get_history("t"))
        assert {one["thread_id"] for one in await sdk.threads.search()} == {"t", copied["thread_id"]}
        kept = app.state.engine.runs.quota
        assert await kept.thread_bytes("t") == await kept.thread_bytes(copied["thread_id"]) > 5_000
        await sdk.threads.delete("t")
        assert await kept.thread_bytes("t") == 0
        assert [one["thread_id"] for one in await sdk.threads.search()] == [copied["thread_id"]]
        again = await sdk.runs.wait(copied["thread_id"], "weiwo", input={"question": "And the Yangtze?"})
        assert "6,300" in again["result"]["answer"]


BLOCKING = """
import os, time
from langchain_core.tools import StructuredTool


async def block(query: str, k: int = 8):
    "Find passages."
    open(os.environ["MARK"], "w").close()
    time.sleep(10_000)  # in the loop: nothing else runs, and no handler of a signal that the loop would call
    return ""

corpus_search = StructuredTool.from_function(coroutine=block, name="corpus_search", description="Find passages.")
"""


@pytest.mark.usefixtures("weiwo_home")
@pytest.mark.parametrize(
    ("prelude", "signal_sent", "code", "told"),
    [
        ("_STANDSTILL_SECONDS = 5", None, 1, "Timeout (0:00:05)!"),
        ("_GRACE_SECONDS = 1", signal.SIGTERM, 143, "weiwo: the server did not stop within 1 s and was terminated"),
    ],
    ids=["a loop that stands still", "SIGTERM while it does"],
)
async def test_a_server_whose_loop_stands_still_ends(
    prelude: str, signal_sent: int | None, code: int, told: str, tmp_path: Path
) -> None:
    (tmp_path / "blocking.py").write_text(BLOCKING)
    mark, paths = tmp_path / "mark", os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    env = {**os.environ, "WEIWO_TOOLS": "blocking:corpus_search", "WEIWO_WEB": "off", "MARK": str(mark)}
    setting = f"from weiwo.app.server import serve; serve.{prelude}"
    with weiwo_serve({**env, "PYTHONPATH": paths}, setting) as (address, process):
        async with httpx.AsyncClient(base_url=address) as http:
            await http.post("/threads", json={"thread_id": "t"})
            await http.post("/threads/t/runs", json={"input": {"question": QUESTION}})
        wait_for(mark.exists, process)
        if signal_sent is not None:
            process.send_signal(signal_sent)
        assert process.wait(120) == code
        assert process.stderr is not None
        assert told in process.stderr.read()
