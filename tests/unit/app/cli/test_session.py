"""The thread that a command goes on with where none is named."""

import pytest
from langgraph.checkpoint.base import empty_checkpoint

from weiwo.app.cli.errors import UsageError
from weiwo.app.cli.session import last_question, note_question
from weiwo.graph.persistence.checkpointer import open_checkpointer
from weiwo.state.settings import Settings


async def _keep_thread(name: str) -> None:
    async with open_checkpointer(Settings.resolve()) as saver:
        config = {"configurable": {"thread_id": name, "checkpoint_ns": ""}}
        await saver.aput(config, empty_checkpoint(), {"source": "input", "step": -1, "parents": {}}, {})


async def test_a_question_that_was_stopped_before_it_began_gives_no_other_thread(monkeypatch, tmp_path):
    monkeypatch.setenv("WEIWO_HOME", str(tmp_path))
    await _keep_thread("other")
    note_question("stopped")
    with pytest.raises(UsageError, match="it was stopped early"):
        last_question()
    await _keep_thread("stopped")
    assert last_question() == "stopped"


async def test_without_a_note_the_thread_that_changed_last_is_meant(monkeypatch, tmp_path):
    monkeypatch.setenv("WEIWO_HOME", str(tmp_path))
    await _keep_thread("other")
    assert last_question() == "other"
