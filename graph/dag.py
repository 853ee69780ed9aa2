"""Runs a plan: every task at once through `Send`, each starting when its own inputs exist.

The executor node invokes one compiled plan graph whose first edge sends every task. Each
task awaits its upstream outcomes on an in-memory board, then runs the task graph (act, read,
act again), whose steps are checkpointed under the task's own namespace. A `for_each` task sends
its instances in a graph of its own, so that they start at once and are resumed one by one.

Why it has this shape (all tried on langgraph 1.2): waves of `Send` wait at a barrier; `@task`
calls are matched by call order on resume and get swapped; a subgraph used directly as a Send
node writes all its channels back, and a finished one would not post to the board on resume.
A function that invokes the subgraph does both right. After a crash LangGraph keeps the
writes of finished Sends, and `aget_state` returns them as `tasks[i].result`: the board is seeded from there.
"""

from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, TypedDict, cast

from langchain_core.runnables import RunnableConfig
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.types import Send

from graph.board import Board, unfinished, usable
from nodes import executor
from nodes.each import join
from nodes.executor import Work
from nodes.outcomes import crashed
from nodes.task_state import TaskInput, TaskOutput, TaskState
from state import Evidence, Outcome, Plan, Task, Usage
from state.search import add_usage, merge_evidence, merge_outcomes


@dataclass(frozen=True)
class Execution:
    """The runtime context of the plan graph: in memory, for one execution, never checkpointed."""

    board: Board
    work: Work


class PlanInput(TypedDict):
    """What the plan graph starts from."""

    tasks: list[Task]


class PlanOutput(TypedDict, total=False):
    """What tasks bring in, merged."""

    outcomes: Annotated[dict[str, Outcome], merge_outcomes]
    evidence: Annotated[dict[str, Evidence], merge_evidence]
    usage: Annotated[Usage, add_usage]


class PlanState(PlanInput, PlanOutput):
    """The channels of the plan graph."""


class PlanTask(TypedDict):
    """What one Send carries."""

    task: Task


class InstanceInput(TypedDict):
    """One instance of a `for_each` task: its position and what the task graph starts from."""

    position: int
    start: TaskInput


def merge_instances(old: dict[int, Outcome], new: dict[int, Outcome]) -> dict[int, Outcome]:
    """Outcomes by position in the list."""
    return {**old, **new}


class EachState(TypedDict, total=False):
    """The channels of the graph that runs the instances of one `for_each` task."""

    instances: list[TaskInput]
    by_position: Annotated[dict[int, Outcome], merge_instances]
    evidence: Annotated[dict[str, Evidence], merge_evidence]
    usage: Annotated[Usage, add_usage]


def _task_graph() -> CompiledStateGraph[Any, Any, Any, Any]:
    builder = StateGraph(TaskState, context_schema=Execution, input_schema=TaskInput, output_schema=TaskOutput)

    async def act(state: TaskState, runtime: Runtime[Execution]) -> dict[str, Any]:
        return await executor.act(state, runtime.context.work)

    async def read(state: TaskState, runtime: Runtime[Execution]) -> dict[str, Any]:
        return await executor.read(state, runtime.context.work)

    builder.add_node("act", act)
    builder.add_node("read", read)
    builder.add_edge(START, "act")
    builder.add_conditional_edges("act", executor.after_act, {"act": "act", "read": "read", "done": END})
    builder.add_conditional_edges("read", executor.after_read, {"act": "act", "done": END})
    return builder.compile(name="task")


task_graph = _task_graph()


async def _run(start: TaskInput) -> TaskOutput:
    return cast("TaskOutput", await task_graph.ainvoke(start))


async def _safely(task: Task, running: Awaitable[TaskOutput]) -> TaskOutput:
    """Whatever goes wrong inside a task is its outcome: no error leaves a waiter behind or stops a sibling."""
    try:
        return await running
    except Exception as error:  # noqa: BLE001 - becomes a failed outcome, which the monitor and the trace show
        return {"outcome": crashed(task, error)}


def _each_graph() -> CompiledStateGraph[Any, Any, Any, Any]:
    builder = StateGraph(EachState, context_schema=Execution)

    async def instance(state: InstanceInput, runtime: Runtime[Execution]) -> dict[str, Any]:
        result = await _safely(state["start"]["task"], _run(state["start"]))
        runtime.context.work.finished(result["outcome"])
        return {
            "by_position": {state["position"]: result["outcome"]},
            "evidence": result.get("evidence", {}),
            "usage": result.get("usage", Usage()),
        }

    def fan_out(state: EachState) -> Sequence[Send]:
        return [Send("instance", {"position": n, "start": start}) for n, start in enumerate(state["instances"])]

    builder.add_node("instance", instance, input_schema=InstanceInput)
    builder.add_conditional_edges(START, fan_out, ["instance"])
    return builder.compile(name="for_each")


each_graph = _each_graph()


async def _run_each(task: Task, inputs: dict[str, Outcome], work: Work) -> TaskOutput:
    """Run one instance per item and join them under the task's id, in item order."""
    starts, items, cut = executor.instances(task, inputs, work)
    if not starts:
        return {"outcome": join(task, [], {}, cut)}
    result = await each_graph.ainvoke({"instances": starts})
    return {
        "outcome": join(task, items, result["by_position"], cut),
        "evidence": result.get("evidence", {}),
        "usage": result.get("usage", Usage()),
    }


def _plan_graph() -> CompiledStateGraph[Any, Any, Any, Any]:
    builder = StateGraph(PlanState, context_schema=Execution, input_schema=PlanInput, output_schema=PlanOutput)

    async def task(state: PlanTask, runtime: Runtime[Execution]) -> dict[str, Any]:
        todo, board, work = state["task"], runtime.context.board, runtime.context.work
        inputs, blocked = await board.inputs(todo)
        result: TaskOutput
        if blocked is not None:
            result = {"outcome": blocked}
        elif todo.for_each is not None:
            result = await _safely(todo, _run_each(todo, inputs, work))
        else:
            result = await _safely(todo, _run({"task": todo, "inputs": inputs}))
        work.finished(result["outcome"])
        board.post(result["outcome"])
        return {
            "outcomes": {todo.id: result["outcome"]},
            "evidence": result.get("evidence", {}),
            "usage": result.get("usage", Usage()),
        }

    def fan_out(state: PlanState) -> Sequence[Send]:
        return [Send("task", {"task": task}) for task in state["tasks"]]

    builder.add_node("task", task, input_schema=PlanTask)
    builder.add_conditional_edges(START, fan_out, ["task"])
    return builder.compile(name="plan")


plan_graph = _plan_graph()


async def run_plan(plan: Plan, outcomes: Mapping[str, Outcome], work: Work, config: RunnableConfig) -> PlanOutput:
    """Run what a plan still has to run.

    Called inside a node; if that node was interrupted, the tasks that had finished are not
    run again and half-done ones go on at their next step.

    Args:
        plan: A valid plan.
        outcomes: What earlier executions came to; usable ones are kept.
        work: What the tasks share.
        config: The node's own config, which leads to its checkpoints.

    Returns:
        Outcomes, passages and usage of the tasks that ran.
    """
    todo = list(unfinished(plan, outcomes))
    if not todo:
        return {}
    board = Board(plan, usable(outcomes.values()))
    for outcome in await _finished_before(config):
        board.post(outcome)
        work.finished(outcome)
    return cast("PlanOutput", await plan_graph.ainvoke({"tasks": todo}, context=Execution(board, work)))


async def _finished_before(config: RunnableConfig) -> list[Outcome]:
    """Outcomes of Sends that finished before this node was interrupted; none on a first run."""
    try:
        snapshot = await plan_graph.aget_state(config)
    except ValueError:  # the graph runs without a checkpointer
        return []
    return [
        outcome
        for task in snapshot.tasks
        if isinstance(task.result, dict)
        for outcome in task.result["outcomes"].values()
    ]
