"""Creation of the run context for every node, and recording of the node's usage.

Settings and tools are resolved once for all nodes of an invocation of the graph: tools are slow to set up, and the
documents should not change within a run. A resumed run is another invocation and resolves them again.
"""

import asyncio
import os
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock
from typing import Any, Final

from langchain_core.language_models import BaseChatModel
from langchain_core.tools import BaseTool
from langgraph.config import get_config
from langgraph.runtime import RunControl, Runtime
from langgraph.store.base import BaseStore

from weiwo.graph.persistence.saver_rules import SAVER_KEY
from weiwo.graph.tracing import annotate_node
from weiwo.models.budget import Budget
from weiwo.models.gateway import ChatModels
from weiwo.models.speed import MARGIN, SLOW_CALL
from weiwo.nodes.memory.memory_store import MemoryStore, client_user, local_user
from weiwo.nodes.shared.run_context import RunContext
from weiwo.nodes.shared.strategy import recall_strategy
from weiwo.state import Usage
from weiwo.state.events import PLANNING, EventBase, ModelCalledEvent, TaskProgressEvent
from weiwo.state.limits import ModelCall
from weiwo.state.run_limits import DEPTHS, Depth, Limits
from weiwo.state.search import SearchState
from weiwo.state.settings import ROLES, Context, Settings
from weiwo.tools.calling.tool_calls import ToolCalls
from weiwo.tools.registry import Registry, build_registry
from weiwo.tools.usage.task_log import TaskLog
from weiwo.tools.usage.usage_log import UsageLog

Agent = Callable[[SearchState, RunContext], Awaitable[dict[str, Any]]]

_KEPT: Final = 16
"""Limit of the invocations with cached tools. The oldest is dropped, and sets up its tools again for its next node."""


@dataclass(frozen=True)
class ServedUser:
    """User of Weiwo's own server, passed to LangGraph as the authenticated user of a run."""

    identity: str  # name of the user on the server
    memory: str  # name of the user in the memory store


@dataclass(frozen=True)
class _InvocationResources:
    """Resources shared by the nodes of an invocation.

    `control` is referenced so that its `id()`, the cache key, is not reused.
    """

    control: RunControl | None
    context: Context | None
    settings: Settings
    hurried: Settings
    """Settings for models so slow that only a quick search ends in time: depth "quick" unless the user set a depth."""
    registry: Registry
    user: str


class _Invocations:
    """Cache of settings and tools of the invocations in this process, by the identity of LangGraph's run control."""

    def __init__(self, tools: Sequence[BaseTool]) -> None:
        self._tools = tools
        self._opened: OrderedDict[int, _InvocationResources] = OrderedDict()
        self._lock = Lock()

    async def open(self, runtime: Runtime[Context], *, anew: bool, from_client: bool) -> _InvocationResources:
        """Return the shared resources of an invocation, from the cache if possible.

        Args:
            runtime: LangGraph's runtime of the node.
            anew: Whether a run begins with this node, so that the cache is not used.
            from_client: Whether the run comes from a client of a server, who may change only few settings.
        """
        control = runtime.control
        with self._lock:
            found = None if anew or control is None else self._opened.get(id(control))
        if found is not None and found.context is runtime.context:
            return found
        # As a subgraph, the graph gets the context of the outer graph, which may be of another type.
        own = runtime.context if isinstance(runtime.context, Context) else None
        settings = Settings.resolve(own, from_client=from_client)
        quick = {**os.environ, "WEIWO_DEPTH": os.environ.get("WEIWO_DEPTH") or "quick"}
        hurried = Settings.resolve(own, quick, from_client=from_client)
        registry, user = await build_registry(settings, self._tools), _find_user(runtime, settings, from_client)
        if settings.telemetry:
            log = UsageLog(Path(settings.home), user)
            registry.add_notes(await asyncio.to_thread(log.notes))
        opened = _InvocationResources(control, runtime.context, settings, hurried, registry, user)
        if control is not None:
            with self._lock:
                self._opened[id(control)] = opened
                while len(self._opened) > _KEPT:
                    self._opened.popitem(last=False)
        return opened


def context_opener(
    tools: Sequence[BaseTool],
    models: Mapping[str, BaseChatModel] | BaseChatModel | None,
    *,
    serves_clients: bool = False,
) -> Callable[..., Awaitable[RunContext]]:
    """Return a function that creates the run context of a node.

    Args:
        tools: Tools in addition to the built-in ones.
        models: Chat models by role, or one for all roles. None for those of the settings.
        serves_clients: Whether runs come from clients of a server.

    Returns:
        An async function from the state and LangGraph's runtime to the context. For a node that begins a run, `new_run`
        is the id of the run.
    """
    given = dict.fromkeys(ROLES, models) if isinstance(models, BaseChatModel) else dict(models or {})
    invocations = _Invocations(tools)

    async def open_context(state: SearchState, runtime: Runtime[Context], *, new_run: str = "") -> RunContext:
        from_client = serves_clients or runtime.server_info is not None
        opened = await invocations.open(runtime, anew=bool(new_run), from_client=from_client)
        run, begun = (new_run, None) if new_run else (state["run"], state["assessment"])
        if begun is not None:
            annotate_node(run, begun.level)

        def emit(event: EventBase) -> None:
            runtime.stream_writer(event.to_json())

        spent = Usage() if begun is None else state.get("usage", Usage())
        budget = Budget(opened.settings.limits, spent, on_call=lambda call: emit(_called_event(call)))
        chat_models = ChatModels(opened.settings, budget, run_id=run, given=given)
        await chat_models.learn_sizes()
        usual = await chat_models.usual_seconds()
        # Unless a user set the depth, a run is quick if models are slow as it begins. A run that began quick stays so.
        quick = usual > SLOW_CALL if begun is None else begun.strategy is not None and begun.strategy.depth == "quick"
        settings = opened.hurried if quick else opened.settings
        budget.limits = _give_time(settings, MARGIN * usual)
        return RunContext(
            run=run,
            settings=settings,
            registry=opened.registry,
            calls=_open_calls(run, opened, settings, runtime.store, state),
            models=chat_models,
            budget=budget,
            emit=emit,
            language="en" if begun is None else begun.language,
            asked_in="en" if begun is None else begun.frame.language,
            memory=_open_memory(runtime, opened.user, emit),
            task_log=TaskLog(Path(settings.home), opened.user) if settings.telemetry else None,
            assessed=None if begun is None else recall_strategy(begun, settings.depth, chat_models.has_decision_model),
            slow_call=usual if settings != opened.settings else 0.0,
        )

    return open_context


def _called_event(call: ModelCall) -> ModelCalledEvent:
    """Return the event about a finished model call."""
    told = call.model_dump(include={"role", "purpose", "model", "input_tokens", "output_tokens"})
    return ModelCalledEvent(**told, seconds=round(call.seconds, 1))


def _open_calls(
    run: str, opened: _InvocationResources, settings: Settings, store: BaseStore | None, state: SearchState
) -> ToolCalls:
    """Create the `ToolCalls` of a node, with the limits of the settings and, with telemetry, the usage log."""
    return ToolCalls(
        run,
        opened.registry,
        store,
        seconds=settings.limits.tool_seconds,
        max_bytes=settings.limits.max_page_bytes,
        fresh=settings.fresh or settings.answer_memory == "renew",
        state=state,
        # Only the savers of this package have a log of acting calls.
        acting_log=getattr(get_config()["configurable"].get(SAVER_KEY), "acting_log", None),
        record=UsageLog(Path(settings.home), opened.user).record if settings.telemetry else None,
        user=opened.user,
    )


_CALLS: Final[Mapping[Depth, int]] = {"quick": 3, "normal": 6, "deep": 30}
"""Number of consecutive model calls for which the seconds of a run must suffice."""


def _give_time(settings: Settings, usual_seconds: float) -> Limits:
    """Return the limits of a run, with more seconds for slow models unless the user has set the seconds.

    If a typical call takes 30 s, a run of normal depth (120 s, 6 calls) gets 180 s.

    Args:
        settings: The settings.
        usual_seconds: Seconds to allow for a typical model call. 0 if unknown.
    """
    limits, depth = settings.limits, settings.depth
    if limits.max_seconds != DEPTHS[depth].get("max_seconds", Limits.max_seconds):
        return limits
    return replace(limits, max_seconds=max(limits.max_seconds, _CALLS[depth] * usual_seconds))


def _find_user(runtime: Runtime[Context], settings: Settings, from_client: bool) -> str:  # noqa: FBT001 - private
    """Return the name of a run's user in the memory store. Empty for an anonymous client of a server."""
    if not from_client:
        return local_user(settings)
    user = runtime.server_info.user if runtime.server_info is not None else None
    if isinstance(user, ServedUser):
        return user.memory
    return client_user(str(user.identity)) if user is not None else ""


def _open_memory(runtime: Runtime[Context], user: str, emit: Callable[[EventBase], None]) -> MemoryStore | None:
    """Open the user's memory, or return None without a store or a user name."""
    if runtime.store is None or not user:
        return None
    return MemoryStore(runtime.store, user, lambda line: emit(TaskProgressEvent(task_id=PLANNING, note=line)))


async def run_agent(agent: Agent, state: SearchState, services: RunContext) -> dict[str, Any]:
    """Run an agent, and return its state update together with the usage."""
    update = await agent(state, services)
    return {**update, "usage": services.budget.delta()}
