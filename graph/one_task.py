"""One task, from its inputs to its outcome: a graph of its own, whose steps are saved one by one.

    act ──▶ read ──▶ done
     ▲       │
     └───────┘  a substitute, other queries, a page to open

What the task is and what it builds on are not saved with it: they follow from the plan and the outcomes, and are
handed in through the runtime context, anew when a run is resumed.
"""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any, Final, cast

from langchain_core.runnables import RunnableConfig
from langgraph.errors import GraphBubbleUp
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

from graph.board import out_of_time
from graph.leash import leashed
from nodes import executor
from nodes.executor import Work
from nodes.outcomes import crashed
from nodes.slots import Turn
from nodes.task_state import TaskInput, TaskOutput, TaskProgress, TaskState

GRACE_SECONDS: Final = 1.0
"""How long work may go on when the run's seconds for it are over; at most half of what is kept for the writer."""

MOST_STEPS: Final = 1_000
"""Steps of one task; its turns end it long before."""

Step = Callable[[TaskState, Work, Turn], Coroutine[Any, Any, dict[str, Any]]]


@dataclass(frozen=True)
class AtWork:
    """The runtime context of the graph of one task: in memory, for one execution, never saved."""

    start: TaskInput
    work: Work
    turn: Turn
    known: TaskProgress = field(default_factory=TaskProgress)
    """What the latest finished step left, for when the task is broken off."""


async def run_task(start: TaskInput, work: Work) -> TaskOutput:
    """Run one task to its outcome, whatever it meets on the way: only interrupts and cancellation pass through.

    Called inside a node, under whose checkpoint the task's own are kept.
    """
    task, seconds = start["task"], _seconds(work)
    if seconds <= 0:
        return {"outcome": out_of_time(task)}
    at_work = AtWork(start, work, Turn(work.slots))
    try:
        async with asyncio.timeout(seconds) as bound:
            bounds: RunnableConfig = {"recursion_limit": MOST_STEPS}
            ran = await _graph.ainvoke({"turn": 0}, bounds, context=at_work)
            return cast("TaskOutput", ran)
    except TimeoutError:
        if not bound.expired():
            raise
        if (best := at_work.known.get("best")) is not None:
            return {"outcome": best, "evidence": at_work.known.get("evidence", {})}
        return {"outcome": out_of_time(task)}
    finally:
        at_work.turn.end()


def _seconds(work: Work) -> float:
    """Seconds until this task is broken off: those there are for work, and the grace; 0 if it need not start."""
    seconds = work.services.work_seconds()
    reserve = work.services.budget.remaining_seconds() - seconds
    return seconds + min(GRACE_SECONDS, reserve / 2) if seconds > 0 else 0.0


async def _act(state: TaskProgress, runtime: Runtime[AtWork]) -> dict[str, Any]:
    """Make the task's next call."""
    return await _step(executor.act, state, runtime.context)


async def _read(state: TaskProgress, runtime: Runtime[AtWork]) -> dict[str, Any]:
    """Read what it has found."""
    return await _step(executor.read, state, runtime.context)


async def _step(step: Step, state: TaskProgress, at_work: AtWork) -> dict[str, Any]:
    """A step of the executor's. What goes wrong in it is the task's outcome; what goes wrong around it is not."""
    try:
        update = await leashed(step(cast("TaskState", {**at_work.start, **state}), at_work.work, at_work.turn))
    except GraphBubbleUp:  # somebody is asked
        raise
    except Exception as error:  # noqa: BLE001 - the monitor and the trace show it
        update = {"outcome": crashed(at_work.start["task"], error)}
    at_work.known.update(cast("TaskProgress", {**state, **update}))
    # Of a task that is over, the last checkpoint need not repeat what it looked through.
    return {**update, "passages": []} if "outcome" in update else update


def _compile() -> CompiledStateGraph[Any, Any, Any, Any]:
    builder = StateGraph(TaskProgress, context_schema=AtWork, output_schema=TaskOutput)
    builder.add_node("act", _act)
    builder.add_node("read", _read)
    builder.add_edge(START, "act")
    builder.add_conditional_edges("act", executor.after_act, {"act": "act", "read": "read", "done": END})
    builder.add_conditional_edges("read", executor.after_read, {"act": "act", "done": END})
    return builder.compile(name="task")


_graph = _compile()
