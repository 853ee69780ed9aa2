"""What an older Weiwo wrote: its module names are read as today's, and what does not fit is one line."""

import ormsgpack
import pytest
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.base import empty_checkpoint
from langgraph.types import Send

from weiwo import state
from weiwo.graph.persistence.checkpointer import open_checkpointer, serializer
from weiwo.graph.persistence.compression import expand_value
from weiwo.graph.persistence.storage import CheckpointError, OlderCheckpointError, naming_thread
from weiwo.state import Limits, Outcome, Plan, Quote, Task, Usage
from weiwo.state.settings import Settings
from weiwo.state.values import Value

OPTION = ormsgpack.OPT_NON_STR_KEYS


def written_of_old(value):
    """The bytes of a value as the first edition wrote them: its types lay in `state`, not in `weiwo.state`."""

    def rename(code, packed):
        fields = ormsgpack.unpackb(packed, ext_hook=rename, option=OPTION)
        fields[0] = fields[0].removeprefix("weiwo.")
        return ormsgpack.Ext(code, ormsgpack.packb(fields, option=OPTION))

    kind, packed = expand_value(*serializer().dumps_typed(value))
    return kind, ormsgpack.packb(ormsgpack.unpackb(packed, ext_hook=rename, option=OPTION), option=OPTION)


def test_old_names_are_read_as_the_new_ones(caplog):
    outcome = Outcome(task_id="t", status="succeeded", value=1, quotes=(Quote(evidence_id="e", text="w"),))
    values = {"outcomes": {"t": outcome}, "usage": Usage(model_calls=2), "plan": Plan(tasks=()), "n": {1: [Limits()]}}
    kind, packed = written_of_old(values)
    assert b"weiwo.state" not in packed
    assert serializer().loads_typed((kind, packed)) == values
    assert not caplog.records


def test_long_values_are_compressed_and_read_again():
    plan = Plan(tasks=tuple(Task(id=f"t{n}", description="When was Ada born?", tool="x", ret="date") for n in range(9)))
    kind, stored = serializer().dumps_typed(plan)
    assert kind != "msgpack"
    assert len(stored) < len(expand_value(kind, stored)[1]) / 3
    assert serializer().loads_typed((kind, stored)) == plan
    assert serializer().loads_typed(expand_value(kind, stored)) == plan  # as an earlier version stored it
    with pytest.raises(ValueError, match="too long"):
        expand_value(kind, stored, most=100)
    for damaged in (stored[:-9], b"\x00" + stored):
        with pytest.raises(CheckpointError):
            serializer().loads_typed((kind, damaged))


def test_old_names_within_other_objects_too():
    sent = [Send("task", {"usage": Usage(tool_calls=1)}), HumanMessage("asked in state.limits.Usage", id="1")]
    assert serializer().loads_typed(written_of_old(sent)) == sent


def test_a_text_that_only_looks_like_an_old_name_is_left_alone():
    values = {"question": "state.limits", "text": ["state.plan"], "usage": Usage()}
    strict = serializer()
    assert strict.loads_typed(strict.dumps_typed(values)) == values


@pytest.mark.parametrize("fields", [{"gone": 1}, {"model_calls": "many"}])
def test_what_does_not_fit_is_refused_in_one_line(fields):
    packed = ormsgpack.packb(
        ormsgpack.Ext(5, ormsgpack.packb(["state.limits", "Usage", fields, "model_validate_json"]))
    )
    with pytest.raises(OlderCheckpointError, match="written by an older Weiwo; its Usage does not fit") as caught:
        serializer().loads_typed(("msgpack", packed))
    assert "\n" not in str(caught.value)


def test_a_type_that_is_gone_is_refused_too():
    packed = ormsgpack.packb(ormsgpack.Ext(5, ormsgpack.packb(["state.verdicts", "Book", {}, "model_validate_json"])))
    with pytest.raises(OlderCheckpointError, match="its Book does not fit"):
        serializer().loads_typed(("msgpack", packed))


def test_every_exported_value_type_is_allowed():
    kinds = [
        kind for name in state.__all__ if isinstance(kind := getattr(state, name), type) and issubclass(kind, Value)
    ]
    assert {(kind.__module__, kind.__name__) for kind in kinds} <= serializer()._allowed_msgpack_modules


async def test_the_complaint_names_the_thread():
    fields = ormsgpack.packb(["state.limits", "Usage", {"gone": 1}, "model_validate_json"])
    async with open_checkpointer(Settings.resolve()) as saver:
        at = {"configurable": {"thread_id": "t-7", "checkpoint_ns": ""}}
        await saver.aput(at, empty_checkpoint(), {}, {})
        written = ormsgpack.packb({"usage": ormsgpack.Ext(5, fields)})
        await saver.execute([("UPDATE checkpoints SET checkpoint = ?", (written,))])
        with pytest.raises(OlderCheckpointError, match=r"^the thread t-7 was written by an older Weiwo"):
            await saver.aget_tuple(at)


@pytest.mark.parametrize(
    "stored", [("msgpack", b"\xc1\xc1"), ("pickle", b"\x80\x04."), ("msgpack", b""), ("json", b"[" * 9)]
)
def test_what_is_damaged_is_one_line_that_can_name_its_thread(stored):
    at = {"configurable": {"thread_id": "mine"}}
    said = "the thread mine has an invalid checkpoint"
    with pytest.raises(CheckpointError, match=said) as caught, naming_thread(at):
        serializer().loads_typed(stored)
    assert "\n" not in str(caught.value)
