"""Expectation: the expected cost of a plan, from earlier costs of tasks with the same tools.

The cost of tasks is recorded for this. Seconds are those of the longest chain of tasks that wait for each other. Work
outside tasks (judging, planning, reflecting, writing) is expected as in earlier questions of the same level.
"""

import asyncio
from collections.abc import Mapping

from weiwo.nodes.shared.run_context import RunContext
from weiwo.state import Expectation, Outcome, Plan, Task, Usage
from weiwo.state.search import SearchState
from weiwo.tools.usage.task_log import REST, TaskCost

_EXECUTOR = "executor"


async def with_expectation(plan: Plan, level: str, services: RunContext) -> Plan:
    """Return the plan with its expected cost. Unchanged if nothing is known about the cost of its tasks."""
    if services.task_log is None:
        return plan
    usual = await asyncio.to_thread(services.task_log.read)
    known = {task.id: cost for task in plan.tasks if (cost := usual.get(_name(task))) is not None}
    if not known:
        return plan
    rest = usual.get(f"{REST}{level}", TaskCost())
    costs = [*known.values(), rest]
    expected = Expectation(
        tool_calls=round(sum(cost.tool_calls for cost in costs)),
        model_calls=round(sum(cost.model_calls for cost in costs)),
        tokens=round(sum(cost.tokens for cost in costs)),
        cost=round(sum(cost.cost for cost in costs), 6),
        seconds=round(_longest_chain(plan, {key: cost.seconds for key, cost in known.items()}) + rest.seconds, 1),
        unknown=len(plan.tasks) - len(known),
    )
    return plan.model_copy(update={"expected": expected})


async def record_task(task: Task, outcome: Outcome, usage: Usage, services: RunContext) -> None:
    """Store the cost of a task for later expectations. A task that the end of the run broke off is not stored."""
    broken_off = outcome.failure is not None and outcome.failure.kind == "limit"
    if services.task_log is not None and not broken_off:
        cost = TaskCost(usage.tool_calls, usage.model_calls, _tokens(usage), usage.cost, outcome.seconds)
        await asyncio.to_thread(services.task_log.record, _name(task), cost)


async def record_rest(state: SearchState, services: RunContext) -> None:
    """Store what a question cost besides its tasks, for later expectations.

    The run's money is split by tokens: this is the share of the tokens used outside tasks.
    """
    plan, usage = state.get("plan"), state.get("usage", Usage()) + services.budget.delta()
    if services.task_log is None or plan is None:
        return
    others = [call for call in usage.calls if call.role != _EXECUTOR]
    tokens = sum(call.input_tokens + call.output_tokens for call in others)
    outcomes: Mapping[str, Outcome] = state.get("outcomes", {})
    chain = _longest_chain(plan, {key: outcome.seconds for key, outcome in outcomes.items()})
    cost = usage.cost * tokens / max(1, _tokens(usage))
    rest = TaskCost(0, len(others), tokens, cost, max(0.0, usage.seconds - chain))
    await asyncio.to_thread(services.task_log.record, f"{REST}{state['assessment'].level}", rest)


def _name(task: Task) -> str:
    """Return the name under which a task's cost is stored: its tool, with " for_each" if it runs for many items."""
    return f"{task.tool} for_each" if task.for_each else task.tool


def _tokens(usage: Usage) -> int:
    return usage.input_tokens + usage.output_tokens


def _longest_chain(plan: Plan, seconds: Mapping[str, float]) -> float:
    """Return the seconds until the last task has ended, if each starts when the tasks it waits for have ended.

    Args:
        plan: The plan.
        seconds: The seconds that each task takes, by id. Missing tasks take none.
    """
    ends: dict[str, float] = {}
    for task_id in plan.order():
        begins = max((ends.get(source, 0.0) for source in plan.upstream(task_id)), default=0.0)
        ends[task_id] = begins + seconds.get(task_id, 0.0)
    return max(ends.values(), default=0.0)
