"""Interventions: what fails while others run is replaced on the same board, and what waits for it waits on."""

import asyncio
import re
from collections.abc import Callable, Mapping
from typing import Any

from langchain_core.tools import BaseTool, StructuredTool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.config import get_config
from langgraph.graph import END, START, StateGraph

from tests.support.fake_model import FakeModel, Request, fake, found
from tests.support.run import services, work
from tests.support.states import state_of
from weiwo.graph.execution.fan_out import run_plan
from weiwo.graph.persistence.checkpointer import serializer
from weiwo.nodes.planner.validator import check_plan
from weiwo.nodes.reflection.intervention import Intervention
from weiwo.state import Limits, Plan, Task
from weiwo.state.search import SearchState

Find = Callable[[str], Any]


def tool(name: str, find: Find, *, acts: bool = False) -> BaseTool:
    """A tool that stands alone in its cluster, so that no stand-in is asked inside a task."""

    async def run(query: str) -> str:
        found = find(query)
        return str(await found if asyncio.iscoroutine(found) else found)

    made = StructuredTool.from_function(coroutine=run, name=name, description=f"Finds in the {name}.")
    made.metadata = {"cluster": name, "cache_seconds": 0, "acts": acts}
    return made


def born(query: str) -> str:
    name = query.partition(" ")[0]
    return f"{name} Smith was born in 19{len(name):02}."


def nothing(_: str) -> str:
    return "nothing of note"


def ask(task_id: str, name: str, tool_name: str, ret: Any = "date") -> Task:
    return Task(
        id=task_id,
        description=f"When was {name} Smith born?",
        tool=tool_name,
        args={"query": f"{name} born"},
        ret=ret,
    )


def gap(task_id: str, *sources: str) -> Task:
    args = {"start": f"{{{{{sources[0]}.ret}}}}", "end": f"{{{{{sources[1]}.ret}}}}"}
    return Task(id=task_id, description="Years between", tool="date_difference", args=args, ret="number")


def read(request: Request) -> dict[str, Any]:
    """What a reader finds in the passages it is shown."""
    if sentence := re.search(r"\w+ Smith was born in (\d+)\.", request.text):
        return found(sentence[1], sentence[0])
    return {"next": "give_up", "value": None, "quotes": [], "confidence": 0.0, "missing": "no passage tells"}


def model_that(*repairs: Any, **more: Any) -> FakeModel:
    """A model that reads, and gives these repairs."""
    return fake(ReadReply=read, RepairReply=list(repairs), **more)


TWO = Plan(tasks=(ask("a", "Ada", "lookup"), ask("b", "Bo", "register"), gap("c", "a", "b")))


def repair(tool_name: str, name: str = "Ada", **more: Any) -> dict[str, Any]:
    vertex = {"id": "x", "description": f"When was {name} Smith born?", "tool_binding": tool_name}
    return {
        "reason": "another source",
        "vertices": [vertex | {"args": {"query": f"{name} born"}, "ret": "date"} | more],
    }


class Stage:
    """Runs plans as the executor's node does, again and again on one thread."""

    def __init__(self, *tools: BaseTool, model: FakeModel | None = None, limits: Limits | None = None) -> None:
        self.events: list[dict[str, Any]] = []
        self.tools, self.model, self.limits = tools, model, limits
        self.state: Mapping[str, Any] = {}
        self.saver = InMemorySaver(serde=serializer())

    async def run(self, plan: Plan, **known: Any) -> dict[str, Any]:
        run = services(*self.tools, model=self.model, limits=self.limits, events=self.events)
        known.setdefault("reflections", [])
        state = state_of("How many years lie between Ada and Bo?", run, plan=plan, **known)

        async def executor(_: SearchState) -> Any:
            shared = work(run)
            interfaces = run.list_interfaces(shared.tools)
            may = Intervention.open(state, run, lambda plan: check_plan(plan, interfaces, run.settings.limits))
            return await run_plan(plan, state["outcomes"], shared, get_config(), intervention=may)

        builder = StateGraph(SearchState)
        builder.add_node("executor", executor)
        builder.add_edge(START, "executor")
        builder.add_edge("executor", END)
        graph = builder.compile(checkpointer=self.saver)
        config: Any = {"configurable": {"thread_id": "one"}}
        resumes = bool((await graph.aget_state(config)).next)
        async with asyncio.timeout(20):
            return await graph.ainvoke(None if resumes else {"question": "?"}, config, durability="sync")


async def test_what_fails_is_replaced_while_its_sister_still_runs():
    asked = asyncio.Event()

    async def patient(query: str) -> str:
        await asyncio.wait_for(asked.wait(), 10)  # ends only when the replacement was called
        return born(query)

    def archive(query: str) -> str:
        asked.set()
        return born(query)

    model = model_that(repair("archive"))
    stage = Stage(tool("lookup", nothing), tool("register", patient), tool("archive", archive), model=model)
    values = await stage.run(TWO)
    assert {key: one.status for key, one in values["outcomes"].items()} == {
        "a": "empty",
        "a_2": "succeeded",
        "b": "succeeded",
        "c": "succeeded",
    }
    assert values["outcomes"]["c"].value == 1
    assert values["plan"].ids == ("a_2", "b", "c")
    assert values["plan"].upstream("c") == ("a_2", "b")
    assert (values["plan"].revision, values["revisions"]) == (1, [TWO])
    look = values["reflections"][-1]
    assert (look.decision, look.decided_by, look.task_ids, look.revision) == ("replan", "model", ("a",), 0)
    assert len(model.asked("RepairReply")) == 1
