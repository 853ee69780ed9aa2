"""The planner: a complex question becomes a DAG of typed tasks bound to tools.

With a model, one call thinks and then sketches the plan (chain of thought → structured sketch, arXiv
2506.17188, section 4.2); the validator's own words repair it at most twice. Behind that stands the plan the rules
make. Replanning is local: finished tasks stay as they are, what failed and what hangs on it is planned anew, and what
was tried in vain is not tried again. A plan that a person sent back is changed as they wish.
"""

import json
from collections.abc import Mapping
from typing import Any, Final

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage

from models.gateway import ModelFailed
from nodes.identity import adopt
from nodes.perspectives import perspectives_on
from nodes.plan_check import ToolInterface, check_plan
from nodes.plan_mend import mend_plan
from nodes.plan_prompt import SYSTEM, first_prompt, next_prompt
from nodes.plan_reply import PlanReply
from nodes.replan import Past, another_way
from nodes.rules.plan import rule_plan, single_task_plan
from nodes.services import Services
from state import Language, Plan
from state.search import SearchState

REPAIRS: Final = 2

_NO_MODEL: Final[dict[Language, str]] = {
    "en": "no model is configured, so the words cannot be followed; give an edited plan instead",
    "zh": "没有配置模型，无法按这些话修改计划；请直接给出修改后的计划",
}
_NOT_FOLLOWED: Final[dict[Language, str]] = {
    "en": "the model gave no valid plan that follows the words; the plan stays as it was",
    "zh": "模型没有按这些话给出有效的计划；计划保持不变",
}
_NO_OTHER_WAY: Final[dict[Language, str]] = {
    "en": "no other way to what is missing is known; the plan stays as it was",
    "zh": "没有别的办法找到缺少的内容；计划保持不变",
}


async def planner(state: SearchState, services: Services) -> dict[str, Any]:
    """Make the plan, or the next revision of it."""
    question, tools, old = state["assessment"].question, state["team"].tools, state.get("plan")
    if old is None:
        views = await perspectives_on(question, services)
        sketched = await _by_model(None, first_prompt(question, tools, services, views), tools, services)
        plan = sketched or rule_plan(question, services.language, tools)
        plan = plan.model_copy(update={"perspectives": views})
        if len(plan.tasks) > services.settings.limits.max_tasks:
            plan = single_task_plan(question, services.language, tools)
        services.emit(planned(plan))
        return {"plan": plan, "revisions": [], "feedback": ""}
    past = Past(old, state.get("revisions", []), state.get("outcomes", {}))
    revised, note = await _next_revision(past, state, services)
    services.emit(planned(revised or old, note))
    if revised is None:
        return {"plan": old, "revisions": list(past.earlier), "feedback": ""}
    return {"plan": revised, "revisions": list(past.revisions), "feedback": ""}


def planned(plan: Plan, note: str = "") -> dict[str, Any]:
    """The event that tells watchers of a plan, and, in a note, why it is still the old one."""
    event: dict[str, Any] = {"type": "planned", "plan": plan.to_json(), "decided_by": plan.decided_by}
    return {**event, "note": note} if note else event


async def _next_revision(past: Past, state: SearchState, services: Services) -> tuple[Plan | None, str]:
    """What comes after a plan that failed in part or was sent back; None, and why, where nothing else is known."""
    question, tools = state["assessment"].question, state["team"].tools
    wish = state.get("feedback", "").strip()
    last = state["reflections"][-1] if state.get("reflections") else None
    first = first_prompt(question, tools, services, past.plan.perspectives)
    prompt = f"{first}\n\n{next_prompt(past, last, wish, services)}"
    if wish:  # which rules cannot follow
        plan = await _by_model(past, prompt, tools, services)
        refusal = _NOT_FOLLOWED if services.models.configured("planner") else _NO_MODEL
        return (plan.model_copy(update={"wish": wish}), "") if plan else (None, refusal[services.language])
    plan = None if past.model_is_lost else await _by_model(past, prompt, tools, services)
    if plan is None:
        plan = another_way(question, past, last.task_ids if last else (), services.language, tools)
        if plan is not None and check_plan(plan, services.interfaces(tools), services.settings.limits):
            plan = None
    return plan, "" if plan else _NO_OTHER_WAY[services.language]


async def _by_model(past: Past | None, prompt: str, tools: tuple[str, ...], services: Services) -> Plan | None:
    """A valid plan sketched by the model; None where there is no model or it gave none."""
    if not services.models.configured("planner"):
        return None
    interfaces = services.interfaces(tools)
    system = SYSTEM.replace("{max_tasks}", str(services.settings.limits.max_tasks))
    messages: list[BaseMessage] = [SystemMessage(system), HumanMessage(prompt)]
    repeated = False
    for _ in range(REPAIRS + 1):
        try:
            reply = await services.models.structured("planner", "plan", messages, PlanReply)
        except ModelFailed:
            return None  # in the trace; the rules plan instead
        sketch = reply.model_dump(exclude_none=True)
        plan, complaints = _checked(sketch, past, interfaces, services)
        if not complaints and past is not None and (complaints := past.repetitions(plan)):
            if repeated:
                return None  # told once; it knows no other way
            repeated = True
        if not complaints:
            return plan.model_copy(update={"decided_by": "model"})
        services.emit({"type": "task_progress", "task_id": "plan", "note": "; ".join(complaints)[:500]})
        messages = [
            *messages[:2],
            AIMessage(json.dumps(sketch, ensure_ascii=False)),
            HumanMessage(
                "The plan is not valid:\n" + "\n".join(f"- {c}" for c in complaints) + "\nGive it whole again."
            ),
        ]
    return None


def _checked(
    sketch: Mapping[str, Any], past: Past | None, interfaces: Mapping[str, ToolInterface], services: Services
) -> tuple[Plan, list[str]]:
    """The plan that a sketch makes of what is kept, and everything that is wrong with it."""
    new, unread, broken = Plan.read(sketch)
    kept = past.kept if past else Plan(tasks=())
    # A finished task that the model gives again, under whatever id, is checked as the model wrote it.
    again = [task.id for task in kept.tasks if task.id in new.wiring.tasks]
    hanging = kept.descendants(again)
    still = [task for task in kept.tasks if task.id not in hanging and task.id not in again]
    whole = Plan(tasks=(*still, *new.tasks), links=new.links)
    whole, notes = mend_plan(whole, interfaces, [task.id for task in still])
    if notes:
        services.emit({"type": "task_progress", "task_id": "plan", "note": f"mended: {'; '.join(notes)}"[:500]})
    limits = services.settings.limits
    complaints = list(unread)
    if new.tasks:
        complaints += check_plan(whole, interfaces, limits, given=broken | hanging)
    if past is None or complaints or not new.tasks:
        return whole, complaints
    sketched = whole.model_copy(update={"tasks": whole.tasks[len(still) :]})
    plan = adopt(sketched, kept.model_copy(update={"revision": past.plan.revision + 1}), past.revisions)
    return plan, check_plan(plan, interfaces, limits)
