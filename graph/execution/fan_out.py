"""Fan-out of a plan: all tasks are sent through `Send`, and each starts when its inputs exist.

The executor node invokes a compiled plan graph (`graph/builder.py`), whose single step sends every task. A task first
waits for its inputs on an in-memory board (`board`), then runs in a graph of its own, with a checkpoint after each step
(`task_graph`). A `for_each` task sends an instance for each item in another graph, so that they run in parallel and are
resumed one by one.

Reasons for this design (all alternatives tried on langgraph 1.2):
- Waves of `Send` wait at a barrier after each wave.
- A scheduler made of `@task` calls gets results swapped on resume: they are matched by the order of the calls.
- A subgraph as the node of a Send writes all its channels back, and would not post to the board on resume if it had
  finished. A function that invokes the subgraph does both right.
- The payload of a Send is saved up to four times, so it is only an id or a position. The other data are in memory, and
  made from the state again when a run is resumed.

After a crash LangGraph keeps the writes of finished Sends, and `aget_state` returns them as `tasks[i].result`. The
board is seeded from there. The finished steps of an unfinished Send are not repeated.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any, Final, cast

from langchain_core.runnables import RunnableConfig
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from langgraph.types import Send

# Before Python 3.12, pydantic rejects `typing.TypedDict`.
from typing_extensions import TypedDict

from weiwo.graph.execution.board import Board, finished_outcomes, unfinished_tasks
from weiwo.graph.execution.line import TaskLine, settled_outcome
from weiwo.graph.execution.task_graph import TaskGraph, run_task, task_graph
from weiwo.graph.tracing import on_loop, task_config
from weiwo.nodes.executor.for_each import ForEach, join_outcomes, read_for_each
from weiwo.nodes.executor.resources import PriorityLimiter, TaskResources
from weiwo.nodes.executor.task_state import TaskOutput
from weiwo.nodes.reflection.intervention import Intervention, record_repairs
from weiwo.nodes.shared.planning.expectation import record_task
from weiwo.state import Evidence, Outcome, Plan, Repair, Task, Usage
from weiwo.state.search import add_usage, merge_by_key, merge_evidence

_UNBOUNDED: Final = 0
"""`max_concurrency` of the plan graph: no limit. A limit here would also count tasks that only wait for inputs.

`run_plan` applies the caller's `max_concurrency` to the working tasks instead, as it does `max_parallel`. LangGraph
makes no semaphore for 0. With a semaphore, saving a checkpoint that is cancelled at once leaves a coroutine that is
never awaited.
"""


async def run_plan(
    plan: Plan,
    outcomes: Mapping[str, Outcome],
    work: TaskResources,
    config: RunnableConfig,
    graph: TaskGraph,
    intervention: Intervention | None = None,
) -> dict[str, Any]:
    """Run the unfinished tasks of a plan.

    Called inside a node. If the node was interrupted before, finished tasks are not run again, and unfinished tasks
    continue at their next step.

    Args:
        plan: A valid plan.
        outcomes: Outcomes of earlier executions. Tasks with a "succeeded" outcome are not run again.
        work: Resources shared by the tasks.
        config: The node's own config, which leads to its checkpoints.
        graph: The plan graph. A node must name it itself, because LangGraph finds the subgraphs of a node among the
            names that its function uses.
        intervention: Replaces failed tasks while other tasks run. None for no replacements.

    Returns:
        The state update: outcomes, evidence and usage of the tasks that ran. Each of them has an outcome, even after a
        failure. If tasks were replaced, also the current plan, its revisions and the reflections that made them. Empty
        if no task was left to run.
    """
    if not unfinished_tasks(plan, outcomes):
        return {}
    work.finished.extend(outcomes.values())
    if bound := config.get("max_concurrency"):
        work = replace(work, limiter=PriorityLimiter(min(bound, work.services.settings.limits.max_parallel)))
    ran: dict[str, Any] = {**await _run_tasks(plan, outcomes, work, config, intervention, graph=graph)}
    repairs = ran.pop("repairs", {})
    return ran | (record_repairs(plan, intervention.earlier, repairs) if intervention is not None else {})


async def _run_tasks(
    plan: Plan,
    outcomes: Mapping[str, Outcome],
    work: TaskResources,
    config: RunnableConfig,
    intervention: Intervention | None,
    *,
    graph: TaskGraph,
) -> "PlanOutput":
    """Run the unfinished tasks of a plan, or of a partial plan that replaces a task. Arguments as in `run_plan`."""
    todo = unfinished_tasks(plan, outcomes)
    board = Board(plan, finished_outcomes(outcomes.values()))
    seeding = _BoardSeeding(graph, board, work, config, intervention)
    ran = await graph.ainvoke(
        {"todo": [task.id for task in todo], "each": [task.id for task in todo if task.for_each is not None]},
        {"max_concurrency": _UNBOUNDED},
        context=ExecutionContext(work, {task.id: task for task in todo}, board, seeding, intervention, graph),
    )
    return cast("PlanOutput", ran)


# The plan: a Send for each task


@dataclass
class _BoardSeeding:
    """Seeding of the board with the finished outcomes of an interrupted execution.

    The first task that runs does this, because by then LangGraph has decided which Sends it does not run again. With an
    earlier look-up, an outcome that reaches the database in between (from another process, say) would never be posted.
    """

    graph: TaskGraph
    board: Board
    work: TaskResources
    config: RunnableConfig
    intervention: Intervention | None
    _posting: asyncio.Task[None] | None = None

    async def wait(self) -> None:
        """Seed the board on the first call, and wait until it is seeded on all calls."""
        self._posting = self._posting or asyncio.create_task(self._post())
        await asyncio.shield(self._posting)

    async def _post(self) -> None:
        try:
            snapshot = await self.graph.aget_state(self.config)
        except ValueError:
            # `aget_state` raises ValueError if the graph has no checkpointer.
            return
        for task in snapshot.tasks:
            ran = task.result if isinstance(task.result, dict) else {}
            self.work.services.budget.spent += ran.get("usage", Usage())
            self.work.passages.update(ran.get("evidence", {}))
            outcomes, repairs = ran.get("outcomes", {}), ran.get("repairs", {})
            for outcome in outcomes.values():
                self.work.report_finished(outcome)
            if self.intervention is not None:
                self.intervention.made.update(repairs)
            if outcomes:
                # The first outcome is the task's own. Outcomes of its replacements follow.
                own = next(iter(outcomes))
                self.board.post(settled_outcome(own, outcomes, repairs), own)


@dataclass(frozen=True)
class ExecutionContext:
    """Runtime context of the plan graph: in memory, for a single execution, never saved."""

    work: TaskResources
    tasks: Mapping[str, Task]
    board: Board
    seeding: _BoardSeeding
    intervention: Intervention | None
    graph: TaskGraph

    @property
    def run_tasks(self) -> Callable[..., Awaitable["PlanOutput"]]:
        """Return the function for running replacement tasks in a separate plan graph."""
        return partial(_run_tasks, graph=self.graph)


class PlanInput(TypedDict):
    """Input of the plan graph: ids of all tasks to run (`todo`), and of the `for_each` tasks among them (`each`)."""

    todo: list[str]
    each: list[str]


class PlanOutput(TypedDict, total=False):
    """Output of the plan graph, merged from the outputs of the tasks."""

    outcomes: Annotated[dict[str, Outcome], merge_by_key]
    evidence: Annotated[dict[str, Evidence], merge_evidence]
    usage: Annotated[Usage, add_usage]
    repairs: Annotated[dict[str, Repair], merge_by_key]


class PlanState(PlanInput, PlanOutput):
    """Channels of the plan graph."""


class SentTask(TypedDict):
    """Payload of a Send of the plan graph."""

    task_id: str


async def run_sent_task(state: SentTask, runtime: Runtime[ExecutionContext]) -> PlanOutput:
    """Run a task in its task graph, as the node of a Send. The module says why the graph is invoked by a function."""
    return await _settle(state, runtime.context, single=task_graph, each=_for_each_graph)


async def run_sent_for_each(state: SentTask, runtime: Runtime[ExecutionContext]) -> PlanOutput:
    """Run a `for_each` task with an instance per item, as the node of a Send."""
    # LangGraph draws the first graph that a node's code names, here the instances.
    return await _settle(state, runtime.context, each=_for_each_graph, single=task_graph)


async def _settle(state: SentTask, context: ExecutionContext, *, single: TaskGraph, each: TaskGraph) -> PlanOutput:
    """Wait for a task's inputs, run it, post its outcome on the board, and return the node's output.

    Args:
        state: The id of the task.
        context: Context of the execution.
        single: Graph for a single task.
        each: Graph for a `for_each` task.
    """
    task, board, work = context.tasks[state["task_id"]], context.board, context.work
    try:
        await context.seeding.wait()
        task, inputs, instead = await board.wait_for_inputs(task, work.services.work_seconds())
        if instead is not None:
            result: TaskOutput = {"outcome": instead}
        elif task.for_each is not None:
            result = await _run_for_each(each, task, inputs, context)
        else:
            line = None
            if context.intervention is not None:
                line = TaskLine(task, inputs, board, work, context.intervention.above(inputs), context.run_tasks)
            result = await run_task(single, {"task": task, "inputs": inputs}, work, line)
    except BaseException:
        # On an interrupt or a cancellation, the tasks that wait for this task must stop, too.
        board.abandon(task.id)
        raise
    repairs, outcomes = result.get("repairs", {}), {task.id: result["outcome"], **result.get("added", {})}
    # A replaced task was already reported, before its replacements ran.
    if not result.get("added"):
        work.report_finished(result["outcome"])
    # Dependents may fail in turn and must see these repairs, also if the repairs were made before a crash.
    if context.intervention is not None:
        context.intervention.made.update(repairs)
    work.passages.update(result.get("evidence", {}))
    board.post(settled_outcome(task.id, outcomes, repairs), task.id)
    # The usage of a repaired task includes its replacements, which would distort the record.
    if instead is None and not repairs:
        await record_task(task, result["outcome"], result.get("usage", Usage()), work.services)
    return {
        "outcomes": outcomes,
        "evidence": result.get("evidence", {}),
        "usage": result.get("usage", Usage()),
        "repairs": repairs,
    }


# A `for_each` task: a Send for each item


@dataclass(frozen=True)
class _ForEachContext:
    """Runtime context of the graph of a `for_each` task, in memory only."""

    work: TaskResources
    fan: ForEach
    line: TaskLine | None


class _ForEachState(TypedDict, total=False):
    """Channels of the graph of a `for_each` task."""

    count: int
    by_position: Annotated[dict[int, Outcome], merge_by_key]
    evidence: Annotated[dict[str, Evidence], merge_evidence]
    usage: Annotated[Usage, add_usage]
    repairs: Annotated[dict[str, Repair], merge_by_key]


class _SentItem(TypedDict):
    """Payload of a Send in the graph of a `for_each` task."""

    position: int


async def _run_sent_item(state: _SentItem, runtime: Runtime[_ForEachContext]) -> _ForEachState:
    context, position = runtime.context, state["position"]
    start, line = context.fan.starts[position], context.line
    own = replace(line, inputs=start["inputs"], position=position) if line is not None else None
    result = await run_task(task_graph, start, context.work, own)
    task_id, repairs, added = start["task"].id, result.get("repairs", {}), result.get("added", {})
    if not added:
        context.work.report_finished(result["outcome"])
    return {
        "by_position": {position: settled_outcome(task_id, {task_id: result["outcome"], **added}, repairs)},
        "evidence": result.get("evidence", {}),
        "usage": result.get("usage", Usage()),
        "repairs": repairs,
    }


async def _run_for_each(
    graph: TaskGraph, task: Task, inputs: Mapping[str, Outcome], context: ExecutionContext
) -> TaskOutput:
    """Run an instance of a `for_each` task for each item of its list, and join the outcomes into a single outcome.

    The values are in the order of the items. If an instance was replaced, the outcome of its replacement counts.
    Without items, no instance runs.
    """
    work, intervention, line = context.work, context.intervention, None
    fan = read_for_each(task, inputs, work.services.settings.limits.max_items)
    if not fan.starts:
        return {"outcome": join_outcomes(task, fan, {}, work.services.language)}
    started = time.monotonic()
    if intervention is not None:
        line = TaskLine(task, inputs, context.board, work, intervention.above(inputs), context.run_tasks, fan)
    config = task_config(task)
    result = await graph.ainvoke({"count": len(fan.starts)}, config, context=_ForEachContext(work, fan, line))
    outcome = join_outcomes(task, fan, result["by_position"], work.services.language)
    # Instances may have run before the resume, so the clock of this process does not tell their duration.
    longest = max(value.seconds for value in result["by_position"].values())
    outcome = outcome.model_copy(update={"seconds": max(longest, time.monotonic() - started)})
    return {
        "outcome": outcome,
        "evidence": result["evidence"],
        "usage": result["usage"],
        "repairs": result.get("repairs", {}),
    }


def _compile_for_each_graph() -> TaskGraph:
    def send_all(state: _ForEachState) -> Sequence[Send] | str:
        return [Send("instance", _SentItem(position=n)) for n in range(state["count"])] or END

    builder: StateGraph[_ForEachState, _ForEachContext, _ForEachState, _ForEachState] = StateGraph(_ForEachState)
    builder.add_node("instance", _run_sent_item, input_schema=_SentItem)
    builder.add_conditional_edges(START, on_loop(send_all), ["instance", END])
    return builder.compile(name="for_each")


_for_each_graph: Final = _compile_for_each_graph()
