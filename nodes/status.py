"""Whether an answer is complete, and if not, why: the status and the stop reason of a result."""

from nodes.drafts import Draft, supported
from nodes.monitor import monitor
from nodes.rules.plan import rule_plan
from nodes.rules.shapes import read_question
from nodes.services import Services
from state import Assessment, Plan, Status
from state.search import SearchState


def curtailed(plan: Plan, assessment: Assessment, services: Services) -> bool:
    """Whether the rules would have planned more tasks than the run may have."""
    most = services.settings.limits.max_tasks
    if plan.decided_by != "rule" or assessment.level != "complex" or len(plan.tasks) > 1:
        return False
    tools = services.registry.names()
    return len(rule_plan(assessment.question, services.language, tools).tasks) > most


def judge_status(state: SearchState, services: Services, draft: Draft) -> tuple[Status, str]:
    """Whether the answer is complete, and if not, why."""
    question = state["assessment"].question
    if state["assessment"].level == "simple":
        talk = read_question(question, services.language).kind == "small_talk"
        writable = draft.decided_by == "model" or talk
        if draft.broken and (draft.decided_by == "model" or not writable):
            return "partial", services.budget.curtailed() or "model_failed"
        return ("complete", "finished") if writable else ("partial", "no_model")
    plan, outcomes = state.get("plan"), state.get("outcomes", {})
    if plan is None:
        return "failed", "no_plan"
    if curtailed(plan, state["assessment"], services):
        return "partial", "max_tasks"
    report = monitor(plan, outcomes, services.settings.limits)
    broken = [failure for failure in report.failures if failure.kind not in {"slow", "inconsistent"}]
    limit = services.budget.curtailed()
    if any(failure.kind == "limit" for failure in broken) or (limit and broken):
        return "partial", limit or "max_seconds"
    if broken:
        tools_failed = all(
            outcomes[task_id].status in {"failed", "blocked"} for task_id in plan.ids if task_id in outcomes
        )
        return ("failed", "tool_failure") if tools_failed and not report.finished else ("partial", "not_found")
    if not supported(draft.claims):
        return "partial", "unsupported_claims"
    return ("partial", limit) if limit else ("complete", "finished")
