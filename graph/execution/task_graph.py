"""Graph of a task, from inputs to outcome, with a checkpoint after each step.

    ask ◀─▶ act ──▶ read ──▶ done   a person is asked before a call that acts
             ▲       │  │
             └───────┘  │  a substitute, other queries, a page to open
                        ▼
                     reflect ──▶ added ──▶ done   its replacement, if it had no result while others run

The task and its inputs are not in the checkpoints. They follow from the plan and the outcomes, and are passed in
through the runtime context, anew when a run is resumed.
"""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, cast

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.serde.types import INTERRUPT
from langgraph.config import get_config
from langgraph.errors import GraphBubbleUp
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.types import Interrupt

from weiwo.graph.execution.board import timed_out_outcome
from weiwo.graph.execution.line import TaskLine
from weiwo.graph.persistence.saver_rules import SAVER_KEY
from weiwo.graph.tracing import on_loop, task_config
from weiwo.nodes.executor import node as executor
from weiwo.nodes.executor.outcomes import crashed_outcome
from weiwo.nodes.executor.resources import Lease, TaskResources
from weiwo.nodes.executor.task_calls.isolation import run_isolated
from weiwo.nodes.executor.task_state import TaskInput, TaskOutput, TaskProgress, TaskState
from weiwo.state import Outcome

_log: Final = logging.getLogger(__name__)

_GRACE_SECONDS: Final = 1.0
"""Seconds that a task may run on when the run's time for work is over. At most half of the time reserved for the
writer.
"""

MOST_STEPS: Final = 1_000
"""LangGraph's limit of steps for a task. Its limit of turns ends it long before."""

TaskGraph = CompiledStateGraph[Any, Any, Any, Any]
Step = Callable[[TaskState, TaskResources, Lease], Coroutine[Any, Any, dict[str, Any]]]


@dataclass(frozen=True)
class _TaskContext:
    """Runtime context of the graph of a task: in memory, for a single execution, never saved."""

    start: TaskInput
    work: TaskResources
    lease: Lease
    line: TaskLine | None = None
    """Handles replacements of the task. None if it may not be replaced."""

    known: TaskProgress = field(default_factory=TaskProgress)
    """State after the latest finished step, used if the time ends during the next."""


async def run_task(graph: TaskGraph, start: TaskInput, work: TaskResources, line: TaskLine | None = None) -> TaskOutput:
    """Run a task to an outcome. Errors and timeouts become outcomes, only interrupts and cancellation pass through.

    Called inside a node, and the checkpoints of the task are kept under the node's.

    Args:
        graph: `task_graph`, which a node must name itself, because LangGraph finds the subgraphs of a node among the
            names that its function uses.
        start: The task and its inputs.
        work: Resources shared by the tasks.
        line: Handles replacements of the task. None if it may not be replaced.
    """
    task, seconds = start["task"], _seconds_for_task(work)
    if seconds <= 0:
        return {"outcome": timed_out_outcome(task)}
    context = _TaskContext(start, work, Lease(work.limiter), line)
    work.batches.expect(task, work.services)
    try:
        async with asyncio.timeout(seconds) as bound:
            config: RunnableConfig = {**task_config(task), "recursion_limit": MOST_STEPS}
            ran = await graph.ainvoke({"turn": 0}, config, context=context)
            return cast("TaskOutput", ran)
    except TimeoutError:
        if not bound.expired():
            raise
        if (best := context.known.get("outcome", context.known.get("best"))) is not None:
            return {"outcome": best, "evidence": context.known.get("evidence", {})}
        return {"outcome": timed_out_outcome(task)}
    finally:
        work.batches.leave(task.id)
        context.lease.end()


def _seconds_for_task(work: TaskResources) -> float:
    """Return the time limit of a task in seconds: the run's time for work plus a grace. 0 if that time is over."""
    seconds = work.services.work_seconds()
    reserve = work.services.budget.remaining_seconds() - seconds
    return seconds + min(_GRACE_SECONDS, reserve / 2) if seconds > 0 else 0.0


async def _act(state: TaskProgress, runtime: Runtime[_TaskContext]) -> dict[str, Any]:
    """Make the task's next call."""
    return await _run_step(executor.act, state, runtime.context)


async def _ask(state: TaskProgress, runtime: Runtime[_TaskContext]) -> dict[str, Any]:
    """Ask a person about a pending call of the task."""
    shown = await _shown_hash(get_config())

    async def step(known: TaskState, work: TaskResources, _: Lease) -> dict[str, Any]:
        return await executor.ask(known, work, shown)

    return await _run_step(step, state, runtime.context)


async def _shown_hash(config: RunnableConfig) -> str:
    """Return the hash of the tool call that the person was shown when this step asked for permission.

    Empty if this step has not asked: an answer may reach a step that did not exist when it was given, because the state
    was edited, or an earlier version asked.
    """
    place = config["configurable"]
    saver = place.get(SAVER_KEY)
    if not isinstance(saver, BaseCheckpointSaver):
        return ""
    above, _, own = str(place["checkpoint_ns"]).rpartition("|")
    found = await saver.aget_tuple({"configurable": {"thread_id": place["thread_id"], "checkpoint_ns": above}})
    for task_id, channel, written in (found and found.pending_writes) or ():
        if task_id == own.rpartition(":")[2] and channel == INTERRUPT:
            asked = [item.value for item in written if isinstance(item, Interrupt)]
            return next((str(item.get("hash", "")) for item in asked if isinstance(item, Mapping)), "")
    return ""


async def _read(state: TaskProgress, runtime: Runtime[_TaskContext]) -> dict[str, Any]:
    """Read the results of the task's calls."""
    return await _run_step(executor.read, state, runtime.context)


async def _run_step(step: Step, state: TaskProgress, context: _TaskContext) -> dict[str, Any]:
    """Run a step of the executor, and return the update of the task's state.

    An exception of the step becomes the task's outcome, except for interrupts. If the update has an outcome, it also
    says whether reflection must look at it (`woken`).
    """
    try:
        update = await run_isolated(step(cast("TaskState", {**context.start, **state}), context.work, context.lease))
    except GraphBubbleUp:
        # An interrupt for the user is not a failure of the task.
        raise
    except Exception as error:  # noqa: BLE001 - whatever a step raises is this task's failure; let out, it ends all others
        # The outcome only keeps the message, so log the traceback.
        _log.info("%s failed", context.start["task"].id, exc_info=error)
        update = {"outcome": crashed_outcome(context.start["task"], error)}
    if "outcome" in update:
        outcome: Outcome = update["outcome"]
        if notes := {**state, **update}.get("notes"):
            said = dict.fromkeys([*filter(None, [outcome.note]), *notes])
            outcome = outcome.model_copy(update={"note": "; ".join(said)})
        update = {**update, "outcome": outcome}
        if context.line is not None:
            found = bool(update.get("evidence") or state.get("evidence") or state.get("passages"))
            update["woken"] = context.line.wakes(outcome, found=found)
    context.known.update(cast("TaskProgress", {**state, **update}))
    # Of a task that is over, the last checkpoint need not repeat what it looked through.
    return {**update, "passages": []} if "outcome" in update else update


async def _reflect(state: TaskProgress, runtime: Runtime[_TaskContext]) -> dict[str, Any]:
    """Let reflection decide on a replacement for the task."""
    context = runtime.context
    line = context.line
    if line is None:
        # The task was woken before an interruption. The limits of the resumed run allow no repair.
        return {"woken": False}
    context.work.batches.leave(context.start["task"].id)
    services = context.work.services.create_child_context()
    async with context.lease:
        repair = await line.find_repair(state, services)
    return {"usage": services.budget.delta(), **({"repair": repair} if repair is not None else {})}


async def _run_replacement(state: TaskProgress, runtime: Runtime[_TaskContext]) -> TaskOutput:
    """Run the replacement tasks, which get slots and checkpoints of their own. The task's slot is freed."""
    context = runtime.context
    context.lease.give_up()
    if context.line is None:
        return {}
    return await context.line.run(state["repair"], state["outcome"], get_config())


def _after_act(state: TaskState) -> Literal["ask", "act", "read", "reflect", "done"]:
    return "reflect" if state.get("woken") else executor.route_after_act(state)


def _after_read(state: TaskState) -> Literal["act", "reflect", "done"]:
    return "reflect" if state.get("woken") else executor.route_after_read(state)


def _after_reflection(state: TaskState) -> Literal["added", "done"]:
    return "added" if "repair" in state else "done"


def _compile() -> TaskGraph:
    builder: StateGraph[TaskProgress, _TaskContext, TaskProgress, TaskOutput] = StateGraph(
        TaskProgress, output_schema=TaskOutput
    )
    builder.add_node("act", _act)
    builder.add_node("ask", _ask)
    builder.add_node("read", _read)
    builder.add_node("reflect", _reflect)
    builder.add_node("added", _run_replacement)
    builder.add_edge(START, "act")
    after_act: dict[Hashable, str] = {"ask": "ask", "act": "act", "read": "read", "reflect": "reflect", "done": END}
    builder.add_conditional_edges("act", on_loop(_after_act), after_act)
    builder.add_conditional_edges("ask", on_loop(_after_act), after_act)
    builder.add_conditional_edges("read", on_loop(_after_read), {"act": "act", "reflect": "reflect", "done": END})
    builder.add_conditional_edges("reflect", on_loop(_after_reflection), {"added": "added", "done": END})
    builder.add_edge("added", END)
    return builder.compile(name="task")


task_graph: Final = _compile()
"""LangGraph finds the subgraphs of a node among the names that its function uses."""
