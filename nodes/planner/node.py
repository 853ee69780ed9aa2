"""The planner: a complex question becomes a DAG of typed tasks bound to tools.

With a model, one call thinks and then sketches the plan (chain of thought → structured sketch, arXiv
2506.17188, section 4.2). The model repairs it at most twice by the validator's complaints. If that fails, rules make
the plan. Replanning is local: finished tasks stay unchanged, failed tasks and their dependents are planned anew, and
failed calls are not repeated. A plan that a person sent back is changed as they wish.
"""

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage

from weiwo.models.gateway import ModelCallError
from weiwo.nodes.memory.briefing import Briefing, brief_planner
from weiwo.nodes.memory.reuse import fill_from_memory
from weiwo.nodes.planner.autofix import autofix_plan
from weiwo.nodes.planner.prompt import (
    FURTHER_TOOLS,
    NOT_VALID,
    SYSTEM,
    build_first_prompt,
    build_revision_prompt,
)
from weiwo.nodes.planner.toolset import Toolset, list_needs
from weiwo.nodes.planner.validator import check_plan
from weiwo.nodes.shared.planning.expectation import with_expectation
from weiwo.nodes.shared.planning.perspectives import find_perspectives
from weiwo.nodes.shared.planning.plan_reply import PlanReply
from weiwo.nodes.shared.planning.plan_rules import plan_interfaces, summarize_corpus
from weiwo.nodes.shared.planning.replanning import PlanHistory, replan_other_way
from weiwo.nodes.shared.planning.rule_plan import add_frames, build_rule_plan, build_single_task_plan
from weiwo.nodes.shared.planning.table_request import check_table_tasks, format_tables, list_tables
from weiwo.nodes.shared.planning.task_identity import adopt_ids
from weiwo.nodes.shared.planning.tool_choice import choose_tables, choose_tools
from weiwo.nodes.shared.run_context import RunContext
from weiwo.nodes.shared.strategy import TEAMS
from weiwo.state import Complaint, Plan, TeamConfig
from weiwo.state.events import PLANNING, PlannedEvent, TaskProgressEvent
from weiwo.state.plan_form import read_thought
from weiwo.state.query import QueryFrame
from weiwo.state.search import SearchState
from weiwo.text.localization import localize_message

_REPAIRS: Final = 2

_NO_MODEL: Final = localize_message("planner.node", "no_model")
_NOT_FOLLOWED: Final = localize_message("planner.node", "not_followed")
_NO_OTHER_WAY: Final = localize_message("planner.node", "no_other_way")


async def planner(state: SearchState, services: RunContext) -> dict[str, Any]:
    """Return the state update with the plan of a question or, if there is a plan, with its next revision.

    If no other way is known, the old plan stays.
    """
    frame, tools, old = state["assessment"].frame, state["team"].tools, state.get("plan")
    briefing = await brief_planner(frame.question, services, state.get("wishes", []))
    if old is None:
        views = await find_perspectives(frame.question, services)
        toolset = await Toolset.choose(tools, [frame.question], services)
        tabled = await choose_tables([frame, *frame.parts], services)
        whole = build_single_task_plan(frame, tools, choices=tabled) if frame.question in tabled else None
        slots = services.settings.template is not None  # a template's plan is known: a task for each slot
        sketched = None if slots else whole or await _by_memory(frame, tools, briefing, services)
        if sketched is None and not slots:
            corpus = await asyncio.to_thread(summarize_corpus, services)
            corpus += format_tables(await list_tables(services))
            first = briefing.add_to(build_first_prompt(frame.question, toolset, services, views, corpus))
            # The sketch made along with the assessment did not take procedures into account.
            given = {} if briefing.procedures else state.get("sketch") or {}
            sketched = await _by_model(None, first, toolset, services, briefing, given)
        most = services.settings.limits.max_tasks
        plan = sketched
        if plan is None:
            choices = {**await choose_tools([frame, *frame.parts], services), **tabled}
            plan = build_rule_plan(frame, tools, max_tasks=most, choices=choices)
        if len(plan.tasks) > most:
            plan = build_single_task_plan(frame, tools)
        plan = plan.model_copy(update={"perspectives": views})
        plan = await with_expectation(plan, state["assessment"].level, services)
        services.emit(PlannedEvent.of(plan))
        return {"plan": plan, "sketch": {}, "revisions": [], "feedback": ""}
    past = PlanHistory(old, state.get("revisions", []), state.get("outcomes", {}))
    revised, note = await _next_revision(past, state, services, briefing)
    revised = revised and revised.model_copy(update={"expected": old.expected})
    services.emit(PlannedEvent.of(revised or old, note))
    update: dict[str, Any] = {"team": _with_planner(state["team"]), "feedback": ""}
    if revised is None:
        return {**update, "plan": old, "revisions": list(past.earlier)}
    return {**update, "plan": revised, "revisions": list(past.revisions)}


def _with_planner(team: TeamConfig) -> TeamConfig:
    """Return the team with a planner added, since one is at work although the question was judged to need none."""
    if "planner" in team.agents:
        return team
    whole = TEAMS["complex"]
    return team.model_copy(update={"name": whole.name, "agents": whole.agents})


async def _next_revision(
    past: PlanHistory, state: SearchState, services: RunContext, briefing: Briefing
) -> tuple[Plan | None, str]:
    """Return the next revision of a plan that partly failed or was sent back, and "".

    If none is known, None and the reason.
    """
    frame, tools = state["assessment"].frame, state["team"].tools
    wish = state.get("feedback", "").strip()
    last = state["reflections"][-1] if state.get("reflections") else None
    missing = [wish] if wish else last.missing if last else ()
    toolset = await Toolset.choose(tools, list_needs(frame.question, past, missing), services)
    corpus = await asyncio.to_thread(summarize_corpus, services) + format_tables(await list_tables(services))
    first = briefing.add_to(build_first_prompt(frame.question, toolset, services, past.plan.perspectives, corpus))
    found = state.get("evidence", {}).values()
    prompt = f"{first}\n\n{build_revision_prompt(past, last, wish, services, found)}"
    if wish:  # rules cannot follow a wish
        plan = await _by_model(past, prompt, toolset, services, briefing)
        refusal = _NOT_FOLLOWED if services.models.has_decision_model("planner") else _NO_MODEL
        return (plan.model_copy(update={"wish": wish}), "") if plan else (None, refusal[services.language])
    plan = None if past.model_is_lost else await _by_model(past, prompt, toolset, services, briefing)
    if plan is None:
        plan = replan_other_way(
            frame, past, last.task_ids if last else (), tools, max_tasks=services.settings.limits.max_tasks
        )
        if plan is not None and check_plan(plan, plan_interfaces(tools, services), services.settings.limits):
            plan = None
    return plan, "" if plan else _NO_OTHER_WAY[services.language]


async def _by_memory(frame: QueryFrame, tools: Sequence[str], briefing: Briefing, services: RunContext) -> Plan | None:
    """Return the plan of an earlier question with the same wording, or None if there is no valid one."""
    plan = await fill_from_memory(frame, services, briefing.key)
    if plan is None or check_plan(plan, services.list_interfaces(tools), services.settings.limits):
        return None
    return add_frames(plan, services.asked_in)


async def _by_model(
    past: PlanHistory | None,
    prompt: str,
    tools: Toolset,
    services: RunContext,
    briefing: Briefing,
    given: Mapping[str, Any] | None = None,
) -> Plan | None:
    """Return a valid plan sketched by the model. None if there is no model or it gave no valid plan.

    Args:
        past: The history of earlier plans, or None.
        prompt: The prompt for the plan.
        tools: The tools that the plan may use.
        services: The models and limits.
        briefing: The briefing for the model from memory.
        given: A sketch that the model gave with its judgement of the question. The model is asked again only to repair
            it.
    """
    if not services.models.has_decision_model("planner"):
        return None
    system = SYSTEM.replace("{max_tasks}", str(services.settings.limits.max_tasks))
    asked: list[BaseMessage] = [SystemMessage(system), HumanMessage(prompt)]
    messages = asked
    repeated, refused = False, None
    for _ in range(_REPAIRS + 1):
        try:
            ask = services.models.request_structured_reply
            reply = PlanReply(**given) if given else await ask("planner", "plan", messages, PlanReply)
        except ModelCallError:
            return None  # the trace has the error; the rules plan instead
        given = None
        sketch = reply.model_dump(exclude_none=True, exclude={"need"})
        if reply.need and not reply.vertices and (more := await tools.find_more(reply.need, services)):
            tools = Toolset(tools.pool, (*tools.shown, *more))
            need = json.dumps({"need": reply.need, "vertices": []}, ensure_ascii=False)
            told = FURTHER_TOOLS.format(tools=services.registry.describe(more))
            messages = asked = [*asked, AIMessage(need), HumanMessage(told)]
            continue
        complaints: Sequence[str]
        plan, complaints = _check_sketch(sketch, past, tools, services)
        complaints = [*complaints, *check_table_tasks(plan, await list_tables(services))]
        if not complaints and past is not None and (complaints := past.find_repetitions(plan)):
            if repeated:
                return None  # the model repeats itself although it was told once
            repeated = True
        if not complaints:
            made = plan.model_copy(update={"decided_by": "model", "thought": read_thought(sketch)})
            made = briefing.describe_plan(made, sketch, tools.pool, services.language)
            return add_frames(made, services.asked_in)
        services.emit(TaskProgressEvent(task_id=PLANNING, note="; ".join(complaints)[:500]))
        if sketch == refused:
            return None  # the model sent the faulty plan again, unchanged
        refused = sketch
        told = NOT_VALID.format(complaints="\n".join(f"- {complaint}" for complaint in complaints))
        messages = [*asked, AIMessage(json.dumps(sketch, ensure_ascii=False)), HumanMessage(told)]
    return None


def _check_sketch(
    sketch: Mapping[str, Any], past: PlanHistory | None, tools: Toolset, services: RunContext
) -> tuple[Plan, list[Complaint]]:
    """Return the plan made of a sketch and the finished tasks, and its faults. Obvious mistakes are repaired before."""
    new, unread, broken = Plan.read(sketch)
    kept = past.kept_plan if past else Plan(tasks=())
    # A finished task that the model gives again, under whatever id, is checked as the model wrote it.
    again = [task.id for task in kept.tasks if task.id in new.wiring.tasks]
    hanging = kept.descendants(again)
    still = [task for task in kept.tasks if task.id not in hanging and task.id not in again]
    whole = Plan(tasks=(*still, *new.tasks), links=new.links)
    interfaces = tools.interfaces(whole, services)
    whole, notes = autofix_plan(whole, interfaces, [task.id for task in still])
    if notes:
        services.emit(TaskProgressEvent(task_id=PLANNING, note=f"mended: {'; '.join(notes)}"[:500]))
    limits = services.settings.limits
    complaints = list(unread)
    if new.tasks:
        complaints += check_plan(whole, interfaces, limits, given=broken | hanging)
    if past is None or complaints or not new.tasks:
        return whole, complaints
    sketched = whole.model_copy(update={"tasks": whole.tasks[len(still) :]})
    plan = adopt_ids(sketched, kept.model_copy(update={"revision": past.plan.revision + 1}), past.revisions)
    return plan, check_plan(plan, interfaces, limits)
