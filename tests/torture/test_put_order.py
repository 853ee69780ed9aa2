"""The order of a saver's `put` and `put_writes` under durability "sync" (langgraph issue 8039), each delayed in turn.

A step must not begin before what came before it is saved, whichever of the two is slow: a process that is killed right
when a step begins is resumed from what the saver holds at that moment, and repeats nothing. LangGraph does not order the
two, so that a process killed while a step is being saved may do that step again: at least once, and with one result.
"""

import asyncio
import copy
import operator
from typing import Annotated, Any, TypedDict

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Send

pytestmark = pytest.mark.integration
DELAY = 0.05
AT = {"configurable": {"thread_id": "t"}}


class State(TypedDict):
    """What the nodes did."""

    done: Annotated[list[str], operator.add]


class SlowSaver(InMemorySaver):
    """A saver in memory, slow to save checkpoints, or writes."""

    def __init__(self, slow: str) -> None:
        super().__init__()
        self.slow = slow
        self.under_way: set[str] = set()
        self.while_saving: list[InMemorySaver] = []

    async def aput(self, *args: Any, **kwargs: Any) -> Any:
        return await self._late("put", super().aput, *args, **kwargs)

    async def aput_writes(self, *args: Any, **kwargs: Any) -> None:
        await self._late("put_writes", super().aput_writes, *args, **kwargs)

    async def _late(self, name: str, save: Any, *args: Any, **kwargs: Any) -> Any:
        self.under_way.add(name)
        self.while_saving.append(self.killed())
        await asyncio.sleep(DELAY if name == self.slow else 0)
        saved = await save(*args, **kwargs)
        self.under_way.discard(name)
        return saved

    def killed(self) -> InMemorySaver:
        """What is saved at this moment, as the next process finds it."""
        left = InMemorySaver()
        left.storage, left.writes, left.blobs = map(copy.deepcopy, (self.storage, self.writes, self.blobs))
        return left


def build(ran: list[str], moments: list[tuple[str, InMemorySaver, set[str]]], saver: InMemorySaver) -> Any:
    """A graph of a step, two that run side by side, and a last one; each notes that it ran, and what was saved then."""

    def node(name: str) -> Any:
        async def act(_: Any) -> dict[str, Any]:
            if isinstance(saver, SlowSaver):
                moments.append((name, saver.killed(), set(saver.under_way)))
            ran.append(name)
            await asyncio.sleep(0)
            return {"done": [name]}

        return act

    builder = StateGraph(State)
    for name in ("plan", "left", "right", "end"):
        builder.add_node(name, node(name))
    builder.add_edge(START, "plan")
    builder.add_conditional_edges("plan", lambda _: [Send("left", {}), Send("right", {})], ["left", "right"])
    builder.add_edge(["left", "right"], "end")
    builder.add_edge("end", END)
    return builder.compile(checkpointer=saver)


@pytest.mark.parametrize("slow", ["put", "put_writes"])
async def test_a_step_begins_once_what_came_before_is_saved(slow):
    ran: list[str] = []
    moments: list[tuple[str, InMemorySaver, set[str]]] = []
    graph = build(ran, moments, SlowSaver(slow))
    await graph.ainvoke({"done": []}, AT, durability="sync")
    assert sorted(ran) == ["end", "left", "plan", "right"]
    before = {"plan": set(), "left": {"plan"}, "right": {"plan"}, "end": {"plan", "left", "right"}}
    for name, left, under_way in moments:
        if name == "plan":
            continue
        again: list[str] = []
        values = await build(again, [], left).ainvoke(None, AT, durability="sync")
        repeated = before[name] & set(again)
        assert not repeated, f"{repeated} ran again after a kill at the start of {name}; {under_way} were under way"
        assert sorted(values["done"]) == ["end", "left", "plan", "right"]


@pytest.mark.parametrize("slow", ["put", "put_writes"])
async def test_a_kill_while_a_step_is_saved_repeats_that_step_at_most(slow):
    saver = SlowSaver(slow)
    await build([], [], saver).ainvoke({"done": []}, AT, durability="sync")
    for left in saver.while_saving:
        if await left.aget_tuple(AT) is None:
            continue  # killed before anything was saved: there is nothing to resume
        again: list[str] = []
        values = await build(again, [], left).ainvoke(None, AT, durability="sync")
        assert len(again) == len(set(again)), "each step once in the process that resumes"
        assert sorted(values["done"]) == ["end", "left", "plan", "right"], "and each result once"
