"""Shared stage of the execution benchmarks: a graph with a single node for running a plan.

The node runs the plan as the executor node does.
"""

import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

from langchain_core.tools import BaseTool
from langgraph.config import get_config
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.support.plan_runs import run_plan
from weiwo.graph.run_context import context_opener
from weiwo.nodes.executor.resources import PriorityLimiter, TaskResources
from weiwo.nodes.planner.validator import check_plan
from weiwo.nodes.reflection.intervention import Intervention
from weiwo.nodes.shared.question.parser import parse_question
from weiwo.state import Outcome, Plan
from weiwo.state.search import SearchState
from weiwo.state.settings import Context


def open_intervention(plan: Plan, work: TaskResources) -> Intervention:
    """Open an intervention for changes to a running plan, in the same way as the graph's executor."""
    services = work.services
    known, limits = services.list_interfaces(work.tools), services.settings.limits
    return Intervention(
        plan=plan,
        earlier=(),
        outcomes={},
        question="?",
        tools=work.tools,
        services=services,
        check=lambda revised: check_plan(revised, known, limits),
        rounds=limits.max_replans,
    )


class Stage:
    """Stage for running plans with given tools.

    Attributes:
        seconds: The time of the latest plan, from the first line of the executor's work to its last.
    """

    def __init__(self, tools: Sequence[BaseTool], saver: Any = None, models: Any = None) -> None:
        self.seconds = 0.0
        self._plans: dict[str, Plan] = {}
        open_context = context_opener(tools, models)

        async def executor(state: SearchState, runtime: Runtime[Context]) -> Any:
            services = await open_context(state, runtime, new_run=uuid4().hex)
            slots = PriorityLimiter(services.settings.limits.max_parallel)
            frame = parse_question(state["question"], services.language)
            work = TaskResources(services, slots, frame, services.registry.names())
            started = time.perf_counter()
            try:
                return await self.execute(self._plans[state["question"]], work)
            finally:
                self.seconds = time.perf_counter() - started

        builder = StateGraph(SearchState, context_schema=Context)
        builder.add_node("executor", executor)
        builder.add_edge(START, "executor")
        builder.add_edge("executor", END)
        self._graph = builder.compile(checkpointer=saver)

    async def execute(self, plan: Plan, work: TaskResources) -> dict[str, Any]:
        """Run a plan inside the node."""
        return await run_plan(plan, {}, work, get_config())

    async def run(self, plan: Plan, context: Context) -> dict[str, Outcome]:
        """Run a plan on a separate thread. Raises if a task has no value."""
        outcomes: dict[str, Outcome] = (await self.values(plan, context))["outcomes"]
        lost = [outcome for outcome in outcomes.values() if not outcome.usable]
        if lost or len(outcomes) != len(plan.tasks):
            raise RuntimeError(f"{len(lost)} of {len(plan.tasks)} tasks came to nothing: {lost[:1]}")
        return outcomes

    async def values(self, plan: Plan, context: Context) -> dict[str, Any]:
        """Run a plan, and return the whole state."""
        thread = uuid4().hex
        self._plans[thread] = plan
        durable = {"durability": "sync"} if self._graph.checkpointer else {}  # LangGraph fails on it without one
        config: Any = {"configurable": {"thread_id": thread}}
        values: dict[str, Any] = await self._graph.ainvoke({"question": thread}, config, context=context, **durable)
        return values
