"""Checkpoints read without LangGraph are what LangGraph reads; what is not plain is left to it."""

import sqlite3
from contextlib import closing

import ormsgpack
import pytest
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.serde import jsonplus
from pydantic import BaseModel

from weiwo.graph import build_graph
from weiwo.graph.persistence import checkpoint_reader
from weiwo.graph.persistence.checkpoint_reader import (
    UnreadableCheckpointError,
    _construct,
    list_saved_threads,
    read_finished_thread,
    saved_thread_exists,
)
from weiwo.graph.persistence.checkpointer import open_checkpointer, serializer
from weiwo.graph.persistence.storage import StorageError, database_file, require_writable
from weiwo.graph.persistence.threads import list_threads
from weiwo.state import Failure, Outcome, Plan, Quote, Rival, Usage
from weiwo.state.limits import ModelCall
from weiwo.state.settings import Context, Settings

QUESTION = "Which is longer, the Danube or the Nile?"


class Stranger(BaseModel):
    x: int = 1


@pytest.fixture
async def answered(tmp_path, indexed_home):  # noqa: ARG001 - the corpus of the run
    """A file with two threads: one answered, one that waits for a person; what LangGraph reads of the first."""
    settings = Settings(home=str(tmp_path))
    context = Context(web=False, telemetry=False)
    async with open_checkpointer(settings) as saver:
        graph = build_graph(saver)
        place = {"configurable": {"thread_id": "done"}}
        await graph.ainvoke({"question": QUESTION}, place, context=context)
        waiting = context.model_copy(update={"approve_plan": True})
        await graph.ainvoke({"question": QUESTION}, {"configurable": {"thread_id": "waits"}}, context=waiting)
        values = (await graph.aget_state(place)).values
        threads = await list_threads(saver)
    return database_file(tmp_path), values, threads


async def test_an_answered_thread_is_read_as_the_graph_reads_it(answered):
    path, values, _ = answered
    read = read_finished_thread(path, "done")
    assert values["result"]["outcomes"]
    for name in values.keys() - {"messages"}:
        assert read[name] == values[name], name
    assert [type(read[name]) for name in ("assessment", "plan", "usage")] == [
        type(values[name]) for name in ("assessment", "plan", "usage")
    ]
    assert read["plan"].to_mermaid() == values["plan"].to_mermaid()
    assert [message["content"] for message in read["messages"]] == [one.content for one in values["messages"]]


async def test_the_list_is_the_one_of_the_saver(answered):
    path, _, threads = answered
    assert list_saved_threads(path, 20) == threads
    assert list_saved_threads(path, 1) == threads[:1]
    assert {one.thread_id: one.status for one in threads}["waits"] == "waiting"


async def test_a_thread_that_waits_is_left_to_the_graph(answered):
    path, _, _ = answered
    with pytest.raises(UnreadableCheckpointError, match="the thread has not finished"):
        read_finished_thread(path, "waits")
    assert read_finished_thread(path, "nobody") is None
    assert (saved_thread_exists(path, "waits"), saved_thread_exists(path, "nobody")) == (True, False)


async def test_nothing_is_written(answered):
    path, _, _ = answered
    before = path.read_bytes()
    read_finished_thread(path, "done")
    assert path.read_bytes() == before


def test_where_nothing_was_kept_there_is_nothing(tmp_path):
    path = database_file(tmp_path)
    assert list_saved_threads(path, 20) == []
    assert not path.exists()
    sqlite3.connect(path).close()
    assert list_saved_threads(path, 20) == []
    assert read_finished_thread(path, "t") is None


def test_a_file_that_is_no_database_is_one_line(tmp_path):
    path = database_file(tmp_path)
    path.write_bytes(b"words and more words " * 99)
    for reading in (lambda: list_saved_threads(path, 20), lambda: require_writable(path)):
        with pytest.raises(StorageError, match="not a database; move it away"):
            reading()


def test_the_codes_are_those_of_langgraph():
    assert (jsonplus.EXT_CONSTRUCTOR_SINGLE_ARG, jsonplus.EXT_PYDANTIC_V2) == (0, 5)


def saved(tmp_path, values):
    """A file with one thread whose channels hold these values."""
    path = database_file(tmp_path)
    kind, packed = serializer().dumps_typed({"channel_values": {"result": {"status": "complete"}, **values}})
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE checkpoints (thread_id, checkpoint_ns, checkpoint_id, type, checkpoint)")
        database.execute("CREATE TABLE writes (thread_id, checkpoint_ns, checkpoint_id)")
        row = ("t", "", "1f0ca1b2-0000-6000-8000-000000000000", kind, packed)
        database.execute("INSERT INTO checkpoints VALUES (?, ?, ?, ?, ?)", row)
        database.commit()
    return path


def test_objects_come_back_with_all_they_hold(tmp_path):
    quote = Quote(evidence_id="e", text="words")
    outcome = Outcome(
        task_id="t",
        status="failed",
        detail={"computation": {"a": [1, {"b": None}]}},
        quotes=(quote,),
        failure=Failure(task_id="t", kind="timeout", message="m"),
        rivals=(Rival(value="2", evidence_ids=("e",), quotes=(quote,)),),
    )
    usage = Usage(calls=(ModelCall(role="writer", purpose="draft", model="m", mode="text"),))
    plan = Plan.from_json(
        {
            "vertices": [
                {"id": "a", "tool_binding": "x", "args": {"q": "{{b.ret}}"}},
                {"id": "b", "tool_binding": "x", "args": {}},
            ]
        }
    )
    values = {"outcomes": {"t": outcome}, "usage": usage, "plan": plan, "revisions": [plan], "seen": {"a"}}
    read = read_finished_thread(saved(tmp_path, values), "t")
    assert read == {**values, "seen": ["a"], "result": {"status": "complete"}}
    assert read["plan"].edges == plan.edges
    assert read["outcomes"]["t"].failure.kind == "timeout"


@pytest.mark.parametrize("value", [Stranger(), HumanMessage("x").__class__, {"deep": Stranger()}], ids=str)
def test_what_is_not_of_the_state_is_left_to_the_graph(tmp_path, value):
    if isinstance(value, type):
        pytest.skip("classes cannot be stored")
    with pytest.raises(UnreadableCheckpointError):
        read_finished_thread(saved(tmp_path, {"other": value}), "t")


def test_a_checkpoint_that_is_too_large_or_too_deep_is_left_to_the_graph(tmp_path, monkeypatch):
    path = saved(tmp_path, {"question": "x" * 1_000})
    monkeypatch.setattr(checkpoint_reader, "MOST_BYTES", 500)
    with pytest.raises(UnreadableCheckpointError):
        read_finished_thread(path, "t")
    monkeypatch.undo()
    packed = ormsgpack.packb("x")
    for _ in range(50):
        packed = ormsgpack.packb(ormsgpack.Ext(5, packed))
    with closing(sqlite3.connect(path)) as database:
        database.execute("UPDATE checkpoints SET checkpoint = ?", (packed,))
        database.commit()
    with pytest.raises(UnreadableCheckpointError):
        read_finished_thread(path, "t")


@pytest.mark.parametrize(
    ("module", "name", "fields"),
    [
        ("weiwo.state.limits", "Usages", {}),
        ("weiwo.state.nowhere", "Usage", {}),
        ("weiwo.state.settings", "SettingsError", {}),
        ("weiwo.state.limits", "Usage", {"of_old": 1}),
        ("weiwo.state.evidence", "Quote", {"text": "without its passage"}),
    ],
)
def test_types_and_fields_of_another_version_are_refused(module, name, fields):
    with pytest.raises(UnreadableCheckpointError):
        _construct(module, name, fields)
