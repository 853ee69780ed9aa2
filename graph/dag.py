"""Runs a plan: every task at once through `Send`, each starting when its own inputs exist.

The executor node invokes one compiled plan graph, whose single step sends every task. A task first awaits its
inputs on an in-memory board (`graph.board`), then works in a graph of its own, step by saved step (`graph.one_task`).
A `for_each` task sends its instances in one more graph, so that they work side by side and are resumed one by one.

Why it has this shape (all tried on langgraph 1.2):
- Waves of `Send` wait at a barrier after each.
- A scheduler made of `@task` calls gets results swapped on resume: they are matched by the order of the calls.
- A subgraph as the Send's node itself writes all its channels back, and a finished one would not post to the board on
  resume. A function that invokes the subgraph does both right.
- What a Send carries is saved up to four times. So it carries an id or a position; the rest waits in memory, and
  is made from the state again when a run is resumed.

After a crash LangGraph keeps the writes of finished Sends, and `aget_state` returns them as `tasks[i].result`: the
board is seeded from there. Of an unfinished Send, the steps that had finished are not done again.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Final, TypedDict, cast

from langchain_core.runnables import RunnableConfig
from langgraph.graph import START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.types import Send

from graph.board import Board, unfinished, usable
from graph.one_task import run_task
from nodes.each import Fan, fan_of, join
from nodes.executor import Work
from nodes.slots import Slots
from nodes.task_state import TaskOutput
from state import Evidence, Outcome, Plan, Task, Usage
from state.search import add_usage, merge_evidence, merge_outcomes

_UNBOUNDED: Final = 1_000_000
"""A caller's `max_concurrency` bounds work, as `max_parallel` does; bounding Sends, it would bound waiting."""


async def run_plan(plan: Plan, outcomes: Mapping[str, Outcome], work: Work, config: RunnableConfig) -> "PlanOutput":
    """Run what a plan still has to run.

    Called inside a node; if that node was interrupted, the tasks that had finished are not
    run again and half-done ones go on at their next step.

    Args:
        plan: A valid plan.
        outcomes: What earlier executions came to; usable ones are kept.
        work: What the tasks share.
        config: The node's own config, which leads to its checkpoints.

    Returns:
        Outcomes, passages and usage of the tasks that ran. Each has an outcome, whatever happened to it.
    """
    todo = unfinished(plan, outcomes)
    if not todo:
        return {}
    if bound := config.get("max_concurrency"):
        work = replace(work, slots=Slots(min(bound, work.services.settings.limits.max_parallel)))
    board = Board(plan, usable(outcomes.values()))
    ran = await _plan_graph.ainvoke(
        {"todo": [task.id for task in todo]},
        {"max_concurrency": _UNBOUNDED},
        context=Execution(work, {task.id: task for task in todo}, board, Seeding(board, work, config)),
    )
    return cast("PlanOutput", ran)


class Seeding:
    """Posts what an interrupted execution had finished.

    Done by the first task that runs: by then LangGraph has settled which Sends it does not run again. Looked up any
    earlier, an outcome that reaches the database in between (from another process, say) would never be posted.
    """

    def __init__(self, board: Board, work: Work, config: RunnableConfig) -> None:
        self._board = board
        self._work = work
        self._config = config
        self._posting: asyncio.Task[None] | None = None

    async def done(self) -> None:
        """Wait until it is done."""
        self._posting = self._posting or asyncio.create_task(self._post())
        await asyncio.shield(self._posting)

    async def _post(self) -> None:
        try:
            snapshot = await _plan_graph.aget_state(self._config)
        except ValueError:  # the graph runs without a checkpointer
            return
        for task in snapshot.tasks:
            ran = task.result if isinstance(task.result, dict) else {}
            self._work.services.budget.spent += ran.get("usage", Usage())
            for outcome in ran.get("outcomes", {}).values():
                self._board.post(outcome)
                self._work.finished(outcome)


# The plan: a Send for each task


@dataclass(frozen=True)
class Execution:
    """The runtime context of the plan graph: in memory, for one execution, never saved."""

    work: Work
    tasks: Mapping[str, Task]
    board: Board
    seeding: Seeding


class PlanInput(TypedDict):
    """What the plan graph starts from: the ids of the tasks to run."""

    todo: list[str]


class PlanOutput(TypedDict, total=False):
    """What tasks bring in, merged."""

    outcomes: Annotated[dict[str, Outcome], merge_outcomes]
    evidence: Annotated[dict[str, Evidence], merge_evidence]
    usage: Annotated[Usage, add_usage]


class PlanState(PlanInput, PlanOutput):
    """The channels of the plan graph."""


class OneTask(TypedDict):
    """What one of its Sends carries."""

    task_id: str


async def _task(state: OneTask, runtime: Runtime[Execution]) -> PlanOutput:
    task, board, work = runtime.context.tasks[state["task_id"]], runtime.context.board, runtime.context.work
    try:
        await runtime.context.seeding.done()
        inputs, instead = await board.inputs(task, work.services.work_seconds())
        if instead is not None:
            result: TaskOutput = {"outcome": instead}
        elif task.for_each is not None:
            result = await _run_each(task, inputs, work)
        else:
            result = await run_task({"task": task, "inputs": inputs}, work)
    except BaseException:  # somebody is asked, or all is cancelled; what waits for this task has to stop with it
        board.leave(task.id)
        raise
    work.finished(result["outcome"])
    board.post(result["outcome"])
    return {
        "outcomes": {task.id: result["outcome"]},
        "evidence": result.get("evidence", {}),
        "usage": result.get("usage", Usage()),
    }


# A `for_each` task: a Send for each item


@dataclass(frozen=True)
class Instances:
    """The runtime context of the graph of one `for_each` task, likewise."""

    work: Work
    fan: Fan


def merge_positions(old: dict[int, Outcome], new: dict[int, Outcome]) -> dict[int, Outcome]:
    """Outcomes by position of the instance."""
    return {**old, **new}


class EachState(TypedDict, total=False):
    """The channels of that graph."""

    count: int
    by_position: Annotated[dict[int, Outcome], merge_positions]
    evidence: Annotated[dict[str, Evidence], merge_evidence]
    usage: Annotated[Usage, add_usage]


class OneItem(TypedDict):
    """What one of its Sends carries."""

    position: int


async def _instance(state: OneItem, runtime: Runtime[Instances]) -> EachState:
    work = runtime.context.work
    result = await run_task(runtime.context.fan.starts[state["position"]], work)
    work.finished(result["outcome"])
    return {
        "by_position": {state["position"]: result["outcome"]},
        "evidence": result.get("evidence", {}),
        "usage": result.get("usage", Usage()),
    }


async def _run_each(task: Task, inputs: Mapping[str, Outcome], work: Work) -> TaskOutput:
    """Run one instance per item and join them under the task's id, in item order."""
    fan = fan_of(task, inputs, work.services.settings.limits.max_items)
    if not fan.starts:
        return {"outcome": join(task, fan, {})}
    result = await _each_graph.ainvoke({"count": len(fan.starts)}, context=Instances(work, fan))
    outcome = join(task, fan, result["by_position"])
    return {"outcome": outcome, "evidence": result["evidence"], "usage": result["usage"]}


# The two graphs


def _compile_plan_graph() -> CompiledStateGraph[Any, Any, Any, Any]:
    def send_all(state: PlanState) -> Sequence[Send]:
        return [Send("task", OneTask(task_id=task_id)) for task_id in state["todo"]]

    builder = StateGraph(PlanState, context_schema=Execution, input_schema=PlanInput, output_schema=PlanOutput)
    builder.add_node("task", _task, input_schema=OneTask)
    builder.add_conditional_edges(START, send_all, ["task"])
    return builder.compile(name="plan")


def _compile_each_graph() -> CompiledStateGraph[Any, Any, Any, Any]:
    def send_all(state: EachState) -> Sequence[Send]:
        return [Send("instance", OneItem(position=n)) for n in range(state["count"])]

    builder = StateGraph(EachState, context_schema=Instances)
    builder.add_node("instance", _instance, input_schema=OneItem)
    builder.add_conditional_edges(START, send_all, ["instance"])
    return builder.compile(name="for_each")


_plan_graph = _compile_plan_graph()
_each_graph = _compile_each_graph()
