"""The graph, from question to answer. Read the file from top to bottom to know the system.

START → master ─┬─ simple ─────────────────────────────→ writer → END
                ├─ moderate → executor → reflection ─┬──→ writer
                └─ complex → planner → executor ↗    ├─ retry  → executor
                                ↑         │          └─ replan → planner
                                          └─ plan graph: Send(task), Send(task), Send(for_each) …
                                                         each → task graph (act → read → reflect)

`send_tasks` sends every task of a plan at once. A task starts as soon as the outcomes it needs are available.

If the writer's draft leaves parts of the question unanswered, the run goes back to `planner` once, before the draft is
shown (see `_by_result`). If the question was answered before, `master` returns that answer and the run ends. If a
question is ambiguous, `clarify` follows the master and asks the user, if possible. If the user approves plans,
`approval` precedes the executor, and rejected plans go to the planner.
"""

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final, Literal

from langchain_core.language_models import BaseChatModel
from langchain_core.tools import BaseTool
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.config import get_config
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from langgraph.store.base import BaseStore
from langgraph.types import Checkpointer, Overwrite, Send

from weiwo.graph.execution.edits import seal_outcomes, with_edits
from weiwo.graph.execution.fan_out import (
    ExecutionContext,
    PlanInput,
    PlanOutput,
    PlanState,
    SentTask,
    run_plan,
    run_sent_for_each,
    run_sent_task,
)
from weiwo.graph.execution.report_graph import report_graph, run_report
from weiwo.graph.execution.task_graph import TaskGraph
from weiwo.graph.persistence.serializer import with_async_methods, with_state_types
from weiwo.graph.run_context import context_opener, run_agent
from weiwo.graph.search_graph import SearchGraph
from weiwo.graph.tracing import annotate_node, name_run, on_loop
from weiwo.nodes.executor.resources import PriorityLimiter, TaskResources
from weiwo.nodes.master.clarify import clarify
from weiwo.nodes.master.node import master
from weiwo.nodes.planner.approval import approval
from weiwo.nodes.planner.node import planner
from weiwo.nodes.planner.validator import check_plan
from weiwo.nodes.reflection.intervention import Intervention
from weiwo.nodes.reflection.node import reflection
from weiwo.nodes.shared.planning.plan_rules import plan_interfaces
from weiwo.nodes.shared.planning.replanning import is_stuck
from weiwo.nodes.shared.run_context import RunContext
from weiwo.nodes.writer.node import with_ledger, writer
from weiwo.nodes.writer.plain_answer import carries_sentence
from weiwo.nodes.writer.report.outline import wants_report
from weiwo.state import Usage
from weiwo.state.search import Approved, SearchInput, SearchOutput, SearchState
from weiwo.state.settings import Context

_Builder = StateGraph[SearchState, Context, SearchInput, SearchOutput]

_RECURSION_LIMIT = 60
"""LangGraph's limit of supersteps. The limits of a run end every loop long before."""


def build_graph(
    checkpointer: Checkpointer = None,
    store: BaseStore | None = None,
    *,
    tools: Sequence[BaseTool] = (),
    models: Mapping[str, BaseChatModel] | BaseChatModel | None = None,
    serves_clients: bool = False,
) -> SearchGraph:
    """Build and compile the graph.

    Args:
        checkpointer: Storage of threads. Without one nothing can be resumed. A LangGraph server brings its own.
            As a subgraph, True keeps checkpoints of its own in the outer graph's saver, and False keeps none.
        store: LangGraph store for data shared by threads.
        tools: Your tools, in addition to the built-in ones.
        models: Chat models by role (master, planner, executor, reflection, writer), or one for all. They override
            the models named in the settings.
        serves_clients: Whether runs come from clients of a server, who may change only few settings
            (`state/settings.py`). Runs on a LangGraph server always count as such.

    Returns:
        A graph from `{"question": …}` or `{"messages": […]}` to `{"result": …, "messages": […]}`.
    """
    builder = StateGraph(SearchState, context_schema=Context, input_schema=SearchInput, output_schema=SearchOutput)
    _add_agents(builder, context_opener(tools, models, serves_clients=serves_clients))
    _add_edges(builder)
    saver = checkpointer
    if isinstance(checkpointer, BaseCheckpointSaver):
        saver = with_async_methods(with_state_types(checkpointer))
    compiled = builder.compile(checkpointer=saver, store=store, name="weiwo")
    return SearchGraph.of(compiled).with_config(recursion_limit=_RECURSION_LIMIT)


def _add_agents(builder: _Builder, open_context: Callable[..., Awaitable[RunContext]]) -> None:
    """Add a node for each agent. `open_context` creates the context of the run from state and runtime."""

    async def master_node(state: SearchState, runtime: Runtime[Context]) -> dict[str, Any]:
        services = await open_context(state, runtime, new_run=name_run())
        update = await master(state, services)
        annotate_node(services.run, update["assessment"].level)
        approved: Approved | None = "nothing" if services.settings.approve_plan else None
        update |= {"approved": approved, "feedback": "", "rejected": None}
        return {**update, "run": services.run, "usage": Overwrite(services.budget.delta())}

    async def clarify_node(state: SearchState, runtime: Runtime[Context]) -> dict[str, Any]:
        return await clarify(state, await open_context(state, runtime))

    async def planner_node(state: SearchState, runtime: Runtime[Context]) -> dict[str, Any]:
        return await run_agent(planner, state, await open_context(state, runtime))

    async def approval_node(state: SearchState, runtime: Runtime[Context]) -> dict[str, Any]:
        return await approval(state, await open_context(state, runtime))

    async def executor_node(state: SearchState, runtime: Runtime[Context]) -> dict[str, Any]:
        # `plan_graph`: LangGraph finds the subgraphs of a node among the names that its function uses.
        return await _execute(state, await open_context(state, runtime), plan_graph)

    async def reflection_node(state: SearchState, runtime: Runtime[Context]) -> dict[str, Any]:
        state, edits = with_edits(state)
        return {**edits, **await run_agent(reflection, state, await open_context(state, runtime))}

    async def writer_node(state: SearchState, runtime: Runtime[Context]) -> dict[str, Any]:
        async def reopen(later: SearchState) -> RunContext:
            return await open_context(later, runtime)

        state, edits = with_edits(state)
        return {**edits, **await _write(state, reopen, report_graph)}  # named here, as above

    builder.add_node("master", master_node)
    builder.add_node("clarify", clarify_node)
    builder.add_node("planner", planner_node)
    builder.add_node("approval", approval_node)
    builder.add_node("executor", executor_node)
    builder.add_node("reflection", reflection_node)
    builder.add_node("writer", writer_node)


def _add_edges(builder: _Builder) -> None:
    """Add the edges between the nodes."""
    builder.add_edge(START, "master")
    builder.add_conditional_edges("master", on_loop(_by_clarity))
    builder.add_conditional_edges("clarify", on_loop(by_level))
    builder.add_conditional_edges("planner", on_loop(_by_plan))
    builder.add_conditional_edges("approval", on_loop(_by_approval))
    builder.add_edge("executor", "reflection")
    builder.add_conditional_edges("reflection", on_loop(_by_decision))
    builder.add_conditional_edges("writer", on_loop(_by_result))


def send_tasks(state: PlanState) -> Sequence[Send]:
    """Send every task in `todo` at once, to the node "task" or "for_each".

    A sent task waits for its own inputs on the board of the execution, then runs in its task graph. So no task waits
    for a whole wave of others.
    """
    each = state.get("each", [])
    return [Send("for_each" if task_id in each else "task", SentTask(task_id=task_id)) for task_id in state["todo"]]


def _compile_plan_graph() -> TaskGraph:
    """Compile the graph of a plan: a `Send` for each task, with no step after the tasks."""
    # No context schema is set, because `ExecutionContext` has no JSON schema.
    builder: StateGraph[PlanState, ExecutionContext, PlanInput, PlanOutput] = StateGraph(
        PlanState, input_schema=PlanInput, output_schema=PlanOutput
    )
    builder.add_node("task", run_sent_task, input_schema=SentTask)
    builder.add_node("for_each", run_sent_for_each, input_schema=SentTask)
    builder.add_conditional_edges(START, on_loop(send_tasks), ["task", "for_each"])
    return builder.compile(name="plan")


plan_graph: Final = _compile_plan_graph()


async def _execute(state: SearchState, services: RunContext, graph: TaskGraph) -> dict[str, Any]:
    """Run the unfinished tasks of the current plan, and return the update of the state: outcomes, evidence and usage.

    Values edited by hand are adopted first. The update also contains a revised plan if tasks were replaced. It is empty
    if the state has no plan.
    """
    plan = state.get("plan")
    if plan is None:
        # A state edited by hand may lack a plan. Reflection reports it.
        return {}
    state, edits = with_edits(state)
    limiter = PriorityLimiter(services.settings.limits.max_parallel)
    passages = dict(state.get("evidence", {}))
    asked, tools = state["assessment"].frame, state["team"].tools
    work = TaskResources(services, limiter, asked, tools, passages, plan=plan, carries=carries_sentence)
    started = time.monotonic()
    known = plan_interfaces(work.tools, services)
    intervention = Intervention.open(state, services, lambda plan: check_plan(plan, known, services.settings.limits))
    ran = await run_plan(plan, state.get("outcomes", {}), work, get_config(), graph, intervention)
    spent = ran.get("usage", Usage()) + Usage(seconds=time.monotonic() - started)
    outcomes = {**edits.get("outcomes", {}), **seal_outcomes(ran.get("outcomes", {}))}
    evidence = {**edits.get("evidence", {}), **ran.get("evidence", {})}
    return {**ran, "outcomes": outcomes, "evidence": evidence, "usage": spent}


async def _write(
    state: SearchState, open_context: Callable[[SearchState], Awaitable[RunContext]], graph: TaskGraph
) -> dict[str, Any]:
    """Write the answer as a single draft, or as a report with sections written in parallel. Returns the state update.

    Args:
        state: The state.
        open_context: Opens the context of the run, anew after a report since the budget has changed.
        graph: The graph that writes the sections of a report.
    """
    services = await open_context(state)
    state = with_ledger(state, services)
    if not wants_report(state, services):
        return await run_agent(writer, state, services)
    started = time.monotonic()
    report, spent = await run_report(state, services, get_config(), graph)
    spent += Usage(seconds=time.monotonic() - started)
    later = SearchState(**{**state, "usage": state.get("usage", Usage()) + spent})
    services = await open_context(later)
    update = await writer(later, services, report)
    return {**update, "usage": spent + services.budget.delta()}


def _by_clarity(
    state: SearchState,
) -> Literal["clarify", "writer", "approval", "executor", "reflection", "planner", "__end__"]:
    """Route after the master: end, clarify, or continue by the level of the question.

    The run ends if the question was answered before. An ambiguous question is clarified before the search.
    """
    if state.get("result"):
        return END  # type: ignore[return-value]  # which is "__end__"
    return "clarify" if state["assessment"].clarification is not None else by_level(state)


def by_level(state: SearchState) -> Literal["writer", "approval", "executor", "reflection", "planner"]:
    """Route by the level of the question.

    "simple" goes to the writer, "complex" to the planner. "moderate" already has a plan of one task, and goes where
    `_by_plan` sends it: usually to the executor, or first to the approval by the user.
    """
    level = state["assessment"].level
    return "writer" if level == "simple" else "planner" if level == "complex" else _by_plan(state)


def _by_plan(state: SearchState) -> Literal["approval", "executor", "reflection"]:
    """Return the next node for the current plan: "executor", "approval" or "reflection".

    If the user approves plans, each revision of the plan goes to "approval" once before it runs. A failed plan that the
    planner could not improve is not run again: it goes to "reflection", which ends the run with the reason.
    """
    if is_stuck(state):
        return "reflection"
    plan, approved = state.get("plan"), state.get("approved")
    return "executor" if approved is None or plan is None or approved == plan.revision else "approval"


def _by_approval(state: SearchState) -> Literal["planner", "executor"]:
    """Route feedback of a person to the planner, and an approved or edited plan to the executor."""
    return "planner" if state.get("feedback") else "executor"


def _by_result(state: SearchState) -> Literal["planner", "reflection", "__end__"]:
    """Return the node after the writer: the end if there is a result, else the node that completes a withheld draft.

    A draft is withheld if parts of the question are unanswered. If the draft names them, the planner adds tasks for
    them. Otherwise reflection looks for them.
    """
    looks = state.get("reflections", [])
    if state.get("result") or not looks:  # none where a client writes the state in the writer's name
        return END  # type: ignore[return-value]  # which is "__end__"
    return "planner" if looks[-1].decision == "deepen" else "reflection"


def _by_decision(state: SearchState) -> Literal["executor", "planner", "writer"]:
    """Route after reflection: retry failures, plan again, or write with the available results."""
    decision = state["reflections"][-1].decision
    if decision == "retry":
        return "executor"
    return "planner" if decision in {"replan", "deepen"} else "writer"
