"""Approval: a person sees a plan before it runs, and approves it, edits it or sends it back with words.

The node stands between whoever made the plan and the executor, and a run that asks nobody never enters it. It does
nothing but LangGraph's `interrupt`, so it waits without a process: the answer may come from the command, from an SDK
(`Command(resume=…)`) or from Studio, today or next week. An answer that cannot be taken is asked for
again with the complaints; nothing that had finished is lost.
"""

import json
from collections.abc import Mapping
from typing import Any, Final, Literal, NamedTuple

from langgraph.types import Overwrite, interrupt

from weiwo.nodes.planner.outcome_reuse import reuse_outcomes, reuse_passages
from weiwo.nodes.planner.validator import check_plan
from weiwo.nodes.shared.run_context import RunContext
from weiwo.state import Language, Plan
from weiwo.state.events import PlannedEvent
from weiwo.state.search import SearchState
from weiwo.text.language import clean
from weiwo.text.values import render

REQUEST: Final = "approve_plan"
"""The `type` of the interrupt's value, by which a client knows what is asked."""

LONGEST_WORDS: Final = 4_000
_APPROVING: Final = frozenset(
    {"approve", "approved", "yes", "y", "ok", "okay", "true", "批准", "同意", "可以", "好", "好的", "是", "行", "确认"}
)
_REFUSING: Final = frozenset({"no", "n", "reject", "rejected", "false", "驳回", "拒绝", "不", "不行", "不同意", "否"})
"""These say that something is wrong, but not what."""

_HOW: Final[dict[Language, str]] = {
    "en": 'Resume with "approve"; with an edited plan, {"plan": {"vertices": […]}}; or with what should be different,'
    ' {"reject": "…"} or any other words.',
    "zh": '用 "approve" 批准；或给出改好的计划 {"plan": {"vertices": […]}}；'
    '或说明哪里要改：{"reject": "……"}，直接写文字也可以。',
}
_SAME: Final[dict[Language, str]] = {
    "en": "This is the plan that was sent back: the planner knows no other. Edit it, or approve it.",
    "zh": "这仍是被退回的计划：规划者没有别的方案。请直接修改，或批准。",
}


class ApprovalAnswer(NamedTuple):
    """What a person's answer means.

    Attributes:
        kind: `unclear` where it means nothing that can be acted on.
        content: The edited plan in its interchange form, the words of a rejection, or what is unclear.
    """

    kind: Literal["approve", "edit", "reject", "unclear"]
    content: Any = None


async def approval(state: SearchState, services: RunContext) -> dict[str, Any]:
    """Ask a person about the plan, until the answer is one."""
    plan = state.get("plan")
    if plan is None:  # a state edited by hand; there is nothing to ask about
        return {"feedback": ""}
    complaints: list[str] = []
    while True:
        verdict = read_answer(interrupt(approval_request(state, plan, services.language, complaints)))
        if verdict.kind == "approve":
            return {"approved": plan.revision, "feedback": ""}
        if verdict.kind == "reject":
            return {"feedback": verdict.content, "rejected": plan.revision}
        if verdict.kind == "unclear":
            complaints = [verdict.content]
            continue
        edited, unread, broken = Plan.read(verdict.content)
        known = services.registry.names()
        tools = services.list_interfaces([name for name in state["team"].tools if name in known])
        complaints = [
            *unread,
            *(check_plan(edited, tools, services.settings.limits, given=broken) if edited.tasks else ()),
        ]
        if not complaints:
            return _edited(state, plan, edited, services)


def approval_request(state: SearchState, plan: Plan, language: Language, complaints: list[str]) -> dict[str, Any]:
    """The value of the interrupt: the plan, and how to answer."""
    outcomes = state.get("outcomes", {})
    done = [outcomes[task_id] for task_id in plan.ids if task_id in outcomes and outcomes[task_id].usable]
    return {
        "type": REQUEST,
        "question": state["question"],
        "plan": plan.to_json(),
        "finished": {one.task_id: render(one.value, one.type, language) for one in done},
        "mermaid": plan.to_mermaid(),
        "note": _SAME[language] if state.get("rejected") == plan.revision else "",
        "complaints": complaints,
        "how": _HOW[language],
    }


def read_answer(answer: object) -> ApprovalAnswer:
    """Read what a person, or a program for them, resumed with."""
    if isinstance(answer, str):
        return _read_words(answer)
    if answer is True:
        return ApprovalAnswer("approve")
    if isinstance(answer, Mapping):
        if "vertices" in answer:
            return ApprovalAnswer("edit", answer)
        if "plan" in answer:
            return ApprovalAnswer("edit", answer["plan"])
        if "reject" in answer:
            return _rejection(answer["reject"])
        if answer.get("decision") == "approve":
            return ApprovalAnswer("approve")
    if answer is False or (isinstance(answer, Mapping) and answer.get("decision") == "reject"):
        return _rejection("")
    shown = json.dumps(answer, ensure_ascii=False, default=str)[:80]
    return ApprovalAnswer("unclear", f"answer: {shown} is neither an approval, nor a plan, nor words")


def _read_words(answer: str) -> ApprovalAnswer:
    text = answer.strip()
    if text[:1] in {"{", '"'}:  # a form that sends text only
        try:
            parsed = json.loads(text)
        except ValueError as error:
            if text.startswith("{"):
                return ApprovalAnswer("unclear", f"answer: looks like a plan, but is not JSON ({error})")
        else:
            return read_answer(parsed)
    if text.casefold().rstrip(".!。！") in _APPROVING:
        return ApprovalAnswer("approve")
    return _rejection(text)


def _rejection(words: object) -> ApprovalAnswer:
    text = clean(words)[:LONGEST_WORDS] if isinstance(words, str) else ""
    if text.casefold().rstrip(".!。！") in _REFUSING or not any(character.isalnum() for character in text):
        return ApprovalAnswer("unclear", "reject: says nothing; say in words what should be different")
    return ApprovalAnswer("reject", text)


def _edited(state: SearchState, plan: Plan, edited: Plan, services: RunContext) -> dict[str, Any]:
    """The state with a person's plan in place of the planner's; what is the same in both keeps its outcome."""
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
