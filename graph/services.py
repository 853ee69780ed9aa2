"""What every node is given: the run's services, opened anew for each, and what it spent booked."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.tools import BaseTool
from langgraph.runtime import Runtime

from models.budget import Budget
from models.gateway import ChatModels
from nodes.services import Services
from state import Usage
from state.search import SearchState
from state.settings import ROLES, Context, Settings
from tools.calls import ToolCalls
from tools.registry import build_registry

Agent = Callable[[SearchState, Services], Awaitable[dict[str, Any]]]


def opener(
    tools: Sequence[BaseTool], models: Mapping[str, BaseChatModel] | BaseChatModel | None
) -> Callable[..., Awaitable[Services]]:
    """A function that opens the services of a run for one node; `new_run` names a run that begins."""
    given = dict.fromkeys(ROLES, models) if isinstance(models, BaseChatModel) else dict(models or {})

    async def open_services(state: SearchState, runtime: Runtime[Context], *, new_run: str = "") -> Services:
        settings = Settings.resolve(runtime.context)
        run = new_run or state["run"]
        budget = Budget(settings.limits, Usage() if new_run else state.get("usage", Usage()))
        registry = await build_registry(settings, tools)
        return Services(
            run=run,
            settings=settings,
            registry=registry,
            calls=ToolCalls(
                run,
                registry,
                runtime.store,
                seconds=settings.limits.tool_seconds,
                max_bytes=settings.limits.max_page_bytes,
                fresh=settings.fresh,
            ),
            models=ChatModels(settings, budget, run_id=run, given=given),
            budget=budget,
            emit=runtime.stream_writer,
            language="en" if new_run else state["assessment"].language,
        )

    return open_services


async def accounted(agent: Agent, state: SearchState, services: Services) -> dict[str, Any]:
    """Run an agent and book what it spent."""
    update = await agent(state, services)
    return {**update, "usage": services.budget.delta()}
