"""Run a plan as the executor node does."""

from collections.abc import Mapping
from typing import Any

from langchain_core.runnables import RunnableConfig

from weiwo.graph.builder import plan_graph
from weiwo.graph.execution import fan_out
from weiwo.nodes.executor.resources import TaskResources
from weiwo.nodes.reflection.intervention import Intervention
from weiwo.state import Outcome, Plan


async def run_plan(
    plan: Plan,
    outcomes: Mapping[str, Outcome],
    work: TaskResources,
    config: RunnableConfig,
    intervention: Intervention | None = None,
) -> dict[str, Any]:
    """Run the unfinished tasks of a plan in the plan graph of the product."""
    return await fan_out.run_plan(plan, outcomes, work, config, plan_graph, intervention)
