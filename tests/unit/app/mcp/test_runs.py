"""Questions that a client comes back for: waited for as long as it says, kept for an hour, bounded in number."""

import asyncio
from typing import Any

import pytest

from weiwo.app.mcp import runs as mcp_runs
from weiwo.app.mcp.runs import _KEPT_SECONDS, _MOST_AT_ONCE, AnswerRun, AnswerRuns, OwnAccount
from weiwo.state.errors import WeiwoError
from weiwo.state.settings import Context


class Graph:
    """Answers when it is let."""

    def __init__(self) -> None:
        self.go = asyncio.Event()
        self.fails = False

    async def astream(self, _given: Any, _config: Any, **_more: Any) -> Any:
        yield "custom", {"type": "assessed"}
        yield "custom", {"type": "task_progress"}
        await self.go.wait()
        if self.fails:
            raise WeiwoError("no model answers")
        yield "custom", {"type": "answer_started"}
        yield "values", {"result": {"answer": "56 years"}}


@pytest.fixture
def graph(monkeypatch):
    made = Graph()
    monkeypatch.setattr(mcp_runs, "build_graph", lambda _, **_more: made)
    return made


def start(runs: AnswerRuns) -> AnswerRun:
    run = runs.start("Who?", Context(), OwnAccount(Context()))
    assert run is not None
    return run


async def test_a_run_goes_on_when_its_client_waits_no_longer(graph):
    runs, told = AnswerRuns(), []

    async def tell(step: int, said: str) -> None:
        told.append((step, said))

    run = start(runs)
    assert await runs.result(run, 0, tell) is None
    graph.go.set()
    assert await runs.result(run, 60, tell) == {"answer": "56 years"}
    assert runs.find(run.id, OwnAccount(Context())) is run
    stranger = OwnAccount(Context())
    stranger.user = "mallory"
    assert runs.find(run.id, stranger) is None
    assert await runs.result(run, 0, tell) == {"answer": "56 years"}
    assert told[-2:] == [(1, "reading the question"), (2, "writing the answer")]


async def test_what_a_run_failed_with_is_told_whoever_comes_back(graph):
    runs = AnswerRuns()
    run = start(runs)
    graph.fails = True
    graph.go.set()
    for _ in range(2):
        with pytest.raises(WeiwoError, match="no model answers"):
            await runs.result(run, 60, lambda *_: asyncio.sleep(0))


async def test_runs_are_bounded_and_forgotten(graph):
    now = [0.0]
    runs = AnswerRuns(lambda: now[0])
    begun = [start(runs) for _ in range(_MOST_AT_ONCE)]
    assert runs.start("Who?", Context(), OwnAccount(Context())) is None
    runs.cancel(begun[0])
    assert runs.find(begun[0].id, OwnAccount(Context())) is None
    start(runs)
    graph.go.set()
    now[0] = 1.0
    await asyncio.wait([one.task for one in begun if one.task is not None])
    await asyncio.sleep(0)
    assert runs.find(begun[1].id, OwnAccount(Context())) is begun[1]
    now[0] = _KEPT_SECONDS + 2
    assert runs.find(begun[1].id, OwnAccount(Context())) is None
