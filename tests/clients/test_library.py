"""Weiwo in somebody else's program, which imported LangGraph first and keeps its own checkpoints."""

import os
import subprocess
import sys

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from tests.support.foreign import FOREIGN
from weiwo.graph import build_graph
from weiwo.graph.persistence.serializer import with_state_types

PROGRAM = """
import asyncio, logging
logging.basicConfig(level=logging.WARNING, format="LOGGED %(message)s")
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import StateGraph

saver = InMemorySaver()

from weiwo import build_graph
from weiwo.state.settings import Context

async def main():
    graph, at = build_graph(saver), {"configurable": {"thread_id": "t"}}
    context = Context(web=False, telemetry=False)
    await graph.ainvoke({"question": "How tall is the Burj Khalifa?"}, at, context=context, interrupt_after=["executor"])
    state = await graph.aget_state(at, subgraphs=True)
    values = await graph.ainvoke(None, at, context=context)
    print(type(state.values["plan"]).__name__, "828" in values["result"]["answer"])

asyncio.run(main())
"""


@pytest.mark.usefixtures("indexed_home")
def test_no_type_of_ours_is_unregistered(tmp_path):
    kept = {k: v for k, v in os.environ.items() if not k.startswith((*FOREIGN, "LANGGRAPH_"))}
    ran = subprocess.run(
        [sys.executable, "-W", "error::UserWarning", "-c", PROGRAM],
        capture_output=True,
        text=True,
        check=False,
        env={**kept, "WEIWO_HOME": str(tmp_path / "home")},
    )
    assert ran.stdout == "Plan True\n", ran.stderr
    assert "LOGGED" not in ran.stderr


def test_a_serializer_that_was_chosen_stays():
    strict = InMemorySaver(serde=JsonPlusSerializer(allowed_msgpack_modules=[("my", "Type")]))
    assert with_state_types(strict) is strict
    open_to_all = InMemorySaver(serde=JsonPlusSerializer(allowed_msgpack_modules=True))
    ours = with_state_types(open_to_all)
    assert ours is not open_to_all
    assert ours.storage is open_to_all.storage
    assert build_graph(open_to_all).checkpointer is not open_to_all
