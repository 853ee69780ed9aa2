"""Answers refreshed: what found other passages runs again, the rest is taken over, and a kill loses nothing."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from tests.support.schema import check_result
from weiwo.app.errors import MisuseError
from weiwo.app.export import render
from weiwo.app.render.watchers import Watcher
from weiwo.app.session.refresh import refresh_thread
from weiwo.app.session.runs import ask
from weiwo.app.session.session import Session
from weiwo.graph import build_graph
from weiwo.state.settings import Context, Settings

pytestmark = pytest.mark.processes

QUESTION = "Which is longer, the Kestrel Bridge or the Lanmoor Bridge, and by how much?"
ALONE = "How long is the Kestrel Bridge?"


class Bridges:
    """Documents on bridges, a session, and the searches that were made."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.write(Kestrel=1204, Lanmoor=986, Dormer=75)
        saver = InMemorySaver()
        self.session = Session(Settings.resolve(), saver, build_graph(saver))

    def write(self, **lengths: int) -> None:
        for name, length in lengths.items():
            text = f"# {name} Bridge\n\nThe {name} Bridge is a bridge over the Aldor. It is {length:,} metres long.\n"
            (self.folder / f"{name}.md").write_text(text)

    async def ask(self, thread: str, question: str) -> dict[str, Any]:
        context = Context(corpus=[str(self.folder)], web=False)
        return (await ask(self.session, question, thread, context, Watcher())).result

    async def refresh(self, thread: str) -> dict[str, Any]:
        return await refresh_thread(self.session, thread)

    async def values(self, thread: str) -> dict[str, Any]:
        return (await self.session.graph.aget_state({"configurable": {"thread_id": thread}})).values


@pytest.fixture
async def bridges(tmp_path, monkeypatch) -> AsyncIterator[Bridges]:
    monkeypatch.setenv("WEIWO_HOME", str(tmp_path / "home"))
    (tmp_path / "documents").mkdir()
    return Bridges(tmp_path / "documents")


async def test_nothing_new_runs_nothing(bridges):
    result = await bridges.ask("a", QUESTION)
    before = await bridges.values("a")
    told = await bridges.refresh("a")
    assert told == {"thread_id": "a", "question": QUESTION, "again": [], "changes": [], "status": "complete"}
    assert (await bridges.values("a"))["result"] == before["result"] == {**result, "thread_id": result["thread_id"]}


async def test_what_has_changed_runs_again_with_what_builds_on_it(bridges):
    await bridges.ask("a", QUESTION)
    bridges.write(Kestrel=1304)
    told = await bridges.refresh("a")
    assert [(one["task"], one["old"], one["new"]) for one in told["changes"]] == [
        ("task_1", "1,204 metres", "1,304 metres"),
        ("task_3", "218", "318"),
    ]
    assert told["changes"][0]["source"].endswith("Kestrel.md")
    values = await bridges.values("a")
    check_result(values["result"])
    assert "1,304" in values["result"]["answer"]
    assert "1,204" not in render(values["result"], "md").decode()
    assert values["result"]["refreshed"]["changes"] == told["changes"]
    assert (await bridges.refresh("a"))["changes"] == []


async def test_a_new_document_counts_and_another_question_stays(bridges):
    await bridges.ask("a", ALONE)
    await bridges.ask("b", "How long is the Brennick Bridge?")
    bridges.write(Brennick=512)
    told = await bridges.refresh("b")
    assert told["changes"][0]["new"].startswith("512")
    assert (await bridges.refresh("a"))["changes"] == []


async def test_a_refresh_that_was_killed_is_finished_by_the_next_one(bridges, monkeypatch):
    await bridges.ask("a", QUESTION)
    bridges.write(Kestrel=1304)

    async def killed(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    def lost(*_: Any) -> None:
        raise KeyboardInterrupt

    for name, dies in (("resume", killed), ("_list_changes", lost)):
        with monkeypatch.context() as patch:
            patch.setattr(f"weiwo.app.session.refresh.{name}", dies)
            with pytest.raises(KeyboardInterrupt):
                await bridges.refresh("a")
    told = await bridges.refresh("a")
    assert [(one["task"], one["new"]) for one in told["changes"]] == [("task_1", "1,304 metres"), ("task_3", "318")]
    assert (await bridges.refresh("a"))["changes"] == []


async def test_what_has_no_answer_is_told(bridges):
    with pytest.raises(MisuseError, match="does not exist"):
        await bridges.refresh("nowhere")
    await bridges.ask("a", "Hello!")
    assert (await bridges.refresh("a"))["status"] == "complete"
