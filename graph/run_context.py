"""Opens the run context anew for every node, and books what the node spent."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from langchain_core.language_models import BaseChatModel
from langchain_core.tools import BaseTool
from langgraph.runtime import Runtime

from weiwo.graph.tracing import annotate_node
from weiwo.models.budget import Budget
from weiwo.models.gateway import ChatModels
from weiwo.nodes.memory.memory_store import MemoryStore, local_user
from weiwo.nodes.shared.run_context import RunContext
from weiwo.state import Usage
from weiwo.state.events import TOOLS, EventBase, ModelCalledEvent, TaskProgressEvent
from weiwo.state.limits import ModelCall
from weiwo.state.search import SearchState
from weiwo.state.settings import ROLES, Context, Settings
from weiwo.tools.calling.tool_calls import ToolCalls
from weiwo.tools.registry import build_registry
from weiwo.tools.usage.usage_log import UsageLog

Agent = Callable[[SearchState, RunContext], Awaitable[dict[str, Any]]]


def context_opener(
    tools: Sequence[BaseTool],
    models: Mapping[str, BaseChatModel] | BaseChatModel | None,
    *,
    serves_clients: bool = False,
) -> Callable[..., Awaitable[RunContext]]:
    """A function that opens the run context of one node.

    Args:
        tools: Your tools, beside the built-in ones.
        models: Chat models by role, or one for all.
        serves_clients: Whether each run is some client's, on whatever server.

    Returns:
        From the state, LangGraph's runtime and, for a run that begins, its name (`new_run`) to the context.
    """
    given = dict.fromkeys(ROLES, models) if isinstance(models, BaseChatModel) else dict(models or {})

    async def open_context(state: SearchState, runtime: Runtime[Context], *, new_run: str = "") -> RunContext:
        from_client = serves_clients or runtime.server_info is not None
        settings = Settings.resolve(runtime.context, from_client=from_client)
        run = new_run or state["run"]
        if not new_run:
            annotate_node(run, state["assessment"].level)

        def emit(event: EventBase) -> None:
            runtime.stream_writer(event.to_json())

        def tell(call: ModelCall) -> None:
            emit(
                ModelCalledEvent(
                    role=call.role,
                    purpose=call.purpose,
                    model=call.model,
                    input_tokens=call.input_tokens,
                    output_tokens=call.output_tokens,
                )
            )

        spent = Usage() if new_run else state.get("usage", Usage())
        budget = Budget(settings.limits, spent, on_call=tell)
        registry = await build_registry(settings, tools)
        user = _find_user(runtime, settings, from_client=from_client)
        usage = UsageLog(Path(settings.home), user) if settings.telemetry else None
        if usage is not None:
            registry.add_notes(await asyncio.to_thread(usage.notes))
        for problem in registry.problems if new_run else ():
            emit(TaskProgressEvent(task_id=TOOLS, note=problem))
        return RunContext(
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
                state=state,
                record=usage.record if usage is not None else None,
            ),
            models=ChatModels(settings, budget, run_id=run, given=given),
            budget=budget,
            emit=emit,
            language="en" if new_run else state["assessment"].language,
            memory=MemoryStore(runtime.store, user) if runtime.store is not None and user else None,
        )

    return open_context


def _find_user(runtime: Runtime[Context], settings: Settings, *, from_client: bool) -> str:
    """Whoever asks, by whom memory is kept apart; empty for a server's client who has no name of their own."""
    if not from_client:
        return local_user(settings)
    user = runtime.server_info.user if runtime.server_info is not None else None
    identity = str(user.identity) if user is not None else ""
    return f"client:{quote(identity, safe='')}" if identity else ""


async def run_agent(agent: Agent, state: SearchState, services: RunContext) -> dict[str, Any]:
    """Run an agent and book what it spent."""
    update = await agent(state, services)
    return {**update, "usage": services.budget.delta()}
