"""Approval: a person sees a plan before it runs and approves it, edits it or sends it back with words.

The node stands between the maker of the plan and the executor, and a run that asks nobody never enters it. It only
calls LangGraph's `interrupt`, so it waits without a process: the answer may come from the command, from an SDK
(`Command(resume=…)`), from Studio or from an inbox (`approval_answer` reads them all), today or next week. An unusable
answer is asked for again with the complaints, and finished work is not lost.
"""

from typing import Any, Final

from langgraph.types import Overwrite, interrupt

from weiwo.nodes.planner.validator import check_plan
from weiwo.nodes.shared.human_in_the_loop.approval_answer import human_in_the_loop, read_answer
from weiwo.nodes.shared.planning.plan_rules import plan_interfaces
from weiwo.nodes.shared.planning.task_identity import reuse_outcomes, reuse_passages
from weiwo.nodes.shared.run_context import RunContext
from weiwo.state import Complaint, Language, Plan
from weiwo.state.events import PlannedEvent
from weiwo.state.search import SearchState
from weiwo.text.localization import localize_message
from weiwo.text.values import render

REQUEST: Final = "approve_plan"
"""The `type` of the interrupt's value, by which a client recognises the question."""

_HOW: Final = localize_message("planner.approval", "how")
_SAME: Final = localize_message("planner.approval", "same")


async def approval(state: SearchState, services: RunContext) -> dict[str, Any]:
    """Ask a person about the plan until the answer is usable, and return the state update.

    An approved or edited plan gets `approved`, a plan that is sent back `feedback` with the person's words.
    """
    plan = state.get("plan")
    if plan is None:  # a state edited by hand; there is nothing to ask about
        return {"feedback": ""}
    complaints: list[Complaint] = []
    while True:
        wrong = [complaint.render_text(services.language) for complaint in complaints]
        verdict = read_answer(interrupt(_approval_request(state, plan, services.language, wrong)))
        if verdict.kind == "approve":
            return {"approved": plan.revision, "feedback": ""}
        if verdict.kind == "reject":
            return {"feedback": verdict.content, "rejected": plan.revision}
        if verdict.kind != "edit":
            complaints = [verdict.content]
            continue
        edited, unread, broken = Plan.read(verdict.content)
        known = services.registry.names()
        tools = plan_interfaces([name for name in state["team"].tools if name in known], services)
        complaints = [
            *unread,
            *(check_plan(edited, tools, services.settings.limits, given=broken) if edited.tasks else ()),
        ]
        if not complaints:
            return _apply_edit(state, plan, edited, services)


def _approval_request(state: SearchState, plan: Plan, language: Language, complaints: list[str]) -> dict[str, Any]:
    """Return the value of the interrupt: the plan, and instructions for the answer."""
    outcomes = state.get("outcomes", {})
    done = [outcomes[task_id] for task_id in plan.ids if task_id in outcomes and outcomes[task_id].usable]
    tasks = [f"{n}. **{task.id}** ({task.tool}): {task.description}" for n, task in enumerate(plan.tasks, 1)]
    form, note = plan.to_json(), _SAME[language] if state.get("rejected") == plan.revision else ""
    described = "\n\n".join(["\n".join(tasks), *filter(None, [note]), *complaints, _HOW[language]])
    return {
        "type": REQUEST,
        "question": state["question"],
        "plan": form,
        "finished": {item.task_id: render(item.value, item.type, language) for item in done},
        "mermaid": plan.to_mermaid(),
        "note": note,
        "complaints": complaints,
        "how": _HOW[language],
        **human_in_the_loop(REQUEST, {"plan": form}, described),
    }


def _apply_edit(state: SearchState, plan: Plan, edited: Plan, services: RunContext) -> dict[str, Any]:
    """Return the state update for a plan edited by a person. Tasks that are equal in both plans keep their outcomes."""
    if (edited.tasks, set(edited.edges)) == (plan.tasks, set(plan.edges)):
        return {"approved": plan.revision, "feedback": ""}
    revised = edited.model_copy(update={"revision": plan.revision + 1, "decided_by": plan.decided_by})
    kept = reuse_outcomes(plan, revised, state.get("outcomes", {}))
    services.emit(PlannedEvent.of(revised, by_person=True))
    return {
        "plan": revised,
        "revisions": [*state.get("revisions", []), plan],
        "approved": revised.revision,
        "feedback": "",
        "outcomes": Overwrite(kept),
        "evidence": Overwrite(reuse_passages(plan, revised, kept, state.get("evidence", {}))),
    }
