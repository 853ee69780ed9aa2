"""The status of a result: whether the answer is complete, and if not, the stop reason. Reads what was recorded."""

from collections.abc import Sequence

from weiwo.nodes.shared.run_context import RunContext
from weiwo.nodes.writer.draft import Draft, all_supported
from weiwo.nodes.writer.gaps import find_gaps
from weiwo.state import Claim, MonitorReport, Outcome, Plan, Status
from weiwo.state.search import SearchState

NEEDS_NO_SOURCE = frozenset({"small_talk", "writing"})
"""Shapes of questions that a model may answer out of its own head; what it says of facts is marked."""


def judge_status(state: SearchState, services: RunContext, draft: Draft) -> tuple[Status, str]:
    """The status and the stop reason.

    Args:
        state: What the run came to.
        services: The budget.
        draft: The answer.
    """
    limit = services.budget.curtailed()
    if state["assessment"].level == "simple":
        return _judge_unsearched(state, draft, limit)
    plan = state.get("plan")
    if plan is None:
        return "failed", "no_plan"
    if plan.curtailed:
        return "partial", "max_tasks"
    stopped = _stopped(plan, _report(state), state.get("outcomes", {}), limit, services)
    if draft.ruled is not None and (stopped is None or stopped[1] == "not_found"):
        return ("partial", limit) if limit else draft.ruled
    if stopped is not None:
        return stopped
    open_ = limit or _left_open(state, services, draft)
    return ("partial", open_) if open_ else ("complete", "finished")


def _left_open(state: SearchState, services: RunContext, draft: Draft) -> str:
    """What keeps an answer whose plan came to an end from being complete; empty where nothing does."""
    if unsupported := _unsupported(draft):
        return unsupported
    kinds = {gap.kind for gap in find_gaps(state, services.language)}
    return "not_found" if "uncovered" in kinds else "weak_evidence" if kinds else ""


def _unsupported(draft: Draft) -> str:
    """Why the claims of an answer do not hold, or are not known to; empty where they do."""
    if not all_supported(draft.claims):
        return "unsupported_claims"
    return "not_checked" if find_unchecked(draft.claims) else ""


def find_unchecked(claims: Sequence[Claim]) -> Claim | None:
    """The first claim that a model was to judge and did not, with why."""
    return next((claim for claim in claims if claim.verdict == "unchecked"), None)


def _judge_unsearched(state: SearchState, draft: Draft, limit: str | None) -> tuple[Status, str]:
    """The status of an answer for which nothing was searched."""
    shape = state["assessment"].frame.shape
    writable = draft.decided_by == "model" or shape == "small_talk"
    if draft.broken and (draft.decided_by == "model" or not writable):
        return "partial", limit or "model_failed"
    if draft.decided_by == "model" and draft.sources.final:  # it cites what the conversation cited
        unsupported = _unsupported(draft)
        return ("partial", unsupported) if unsupported else ("complete", "finished")
    if draft.decided_by == "model" and shape not in NEEDS_NO_SOURCE:
        return "partial", "no_source"
    return ("complete", "finished") if writable else ("partial", "no_model")


def _report(state: SearchState) -> MonitorReport:
    """What the monitor saw in the last execution, as reflection recorded it."""
    reports = [one.report for one in state.get("reflections", []) if one.report is not None]
    return reports[-1] if reports else MonitorReport()


def _stopped(
    plan: Plan, report: MonitorReport, outcomes: dict[str, Outcome], limit: str | None, services: RunContext
) -> tuple[Status, str] | None:
    """Why a plan did not come to all it was for; None where it did."""
    broken = [failure for failure in report.failures if failure.kind not in {"slow", "inconsistent"}]
    if any(failure.kind == "limit" for failure in broken) or (limit and broken):
        return "partial", limit or services.budget.limit_of_tasks()
    if not broken:
        return None
    tools_failed = all(outcomes[name].status in {"failed", "blocked"} for name in plan.ids if name in outcomes)
    return ("failed", "tool_failure") if tools_failed and not report.finished else ("partial", "not_found")
