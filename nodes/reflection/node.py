"""Reflection: after an execution, decide whether to finish, retry, replan, deepen or abort.

Rules decide the clear cases: the only thing asked for was found, a passing failure is worth one more try, or a limit is
reached. The model is asked if a question is left: something is missing, and there may be another way to it, or the
question has several parts, or a value is weak, and somebody has to check whether everything is answered. Missing parts
are planned for once (in a deep search, as often as its rounds allow). Parts that then stay open are named in `missing`
of the last decision.
"""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal

from langchain_core.messages import HumanMessage, SystemMessage

from weiwo.models.gateway import ModelCallError
from weiwo.nodes.reflection.monitor import ALL_DONE, find_calibration, monitor_plan
from weiwo.nodes.reflection.prompt import SYSTEM, ReflectionReply, decision_prompt
from weiwo.nodes.shared.ledger import fill_ledger
from weiwo.nodes.shared.planning.replanning import (
    HOPELESS,
    PASSING,
    PlanHistory,
    is_stuck,
    read_missing,
    replan_other_way,
)
from weiwo.nodes.shared.planning.rule_plan import list_searches
from weiwo.nodes.shared.prompting.input_guard import safe_note
from weiwo.nodes.shared.run_context import RunContext
from weiwo.state import REFERENCE, Failure, MonitorReport, Outcome, Plan, Reflection
from weiwo.state.events import ReflectedEvent
from weiwo.state.evidence import WeakValue
from weiwo.state.search import SearchState
from weiwo.text.terms import terms

_HARMLESS = frozenset({"slow"})


async def reflection(state: SearchState, services: RunContext) -> dict[str, Any]:
    """Return the state update with the decision on what follows the execution of the plan, and with the ledger."""
    plan = state.get("plan")
    if plan is None:
        decided = Reflection(decision="abort", reason="there is no plan", decided_by="rule")
        return {"reflections": [decided]}
    calibration = None
    if "executor" in services.settings.models:  # the model's confidence may be calibrated by a file
        calibration = await asyncio.to_thread(find_calibration, services.settings)
    report = monitor_plan(
        plan,
        state.get("outcomes", {}),
        services.settings.limits,
        calibration,
        passages=state.get("evidence", {}).values(),
        language=services.language,
    )
    ledger = fill_ledger(state, services)
    state = SearchState(**{**state, "ledger": ledger})
    decided = _by_rule(plan, report, state, services) or await _open_question(plan, report, state, services)
    decided = decided.model_copy(update={"report": report})
    services.emit(
        ReflectedEvent(
            decision=decided.decision,
            reason=decided.reason,
            decided_by=decided.decided_by,
            task_ids=list(decided.task_ids),
        )
    )
    return {"reflections": [decided], "ledger": ledger}


def _by_rule(plan: Plan, report: MonitorReport, state: SearchState, services: RunContext) -> Reflection | None:
    """Return the decision that the facts leave no choice about, or None if they do leave a choice."""
    failures = [failure for failure in report.failures if failure.kind not in _HARMLESS]
    concerned = tuple(dict.fromkeys(failure.task_id for failure in failures))
    rounds = len(list_rounds(state))

    def decide(decision: Literal["finish", "retry", "replan", "abort"], reason: str) -> Reflection:
        missing = state["reflections"][-1].missing if is_stuck(state) else ()  # no plan was found for these
        return Reflection(
            decision=decision,
            reason=reason,
            decided_by="rule",
            task_ids=concerned,
            missing=missing,
            revision=plan.revision,
        )

    if not failures:
        return _settle(decide("finish", ALL_DONE), plan, report, state, services)
    give_up: Literal["finish", "abort"] = "finish" if report.finished else "abort"
    if end := _end_reason(failures, state, services, rounds):
        return decide(give_up, end)
    if services.strategy.reader == "rule" and _shows_passages(concerned, state):
        return decide("finish", "passages were found; without a model, they are shown unchanged")
    passing = [failure for failure in failures if failure.kind in PASSING]
    retried = any(past.decision == "retry" and past.revision == plan.revision for past in state.get("reflections", []))
    if passing and not retried:
        return decide("retry", passing[0].message)
    if not plan.revision and services.strategy.searcher == "comparison":
        return decide("replan", f"a search did not find everything that is compared: {failures[0].message}")
    return None


def _settle(
    done: Reflection, plan: Plan, report: MonitorReport, state: SearchState, services: RunContext
) -> Reflection | None:
    """Return the decision that ends a search without failures, or None if a model has to decide first.

    `draft_checks` is set on it if the call that writes the draft has to say whether every part of the question is
    answered.

    Args:
        done: The decision to finish.
        plan: The plan.
        report: The monitor's report.
        state: The state of the run.
        services: The run's resources.
    """
    rounds = len(list_rounds(state))
    if _may_deepen(state, services, rounds):
        return None
    if not _needs_check(plan, report, state, services):
        return done
    unread = services.strategy.searcher != "folder"  # a folder is whole in the draft's prompt
    room = unread and rounds < services.settings.limits.max_replans
    if not _draft_can_check(plan, report, state, services):
        return None if room else done
    room = room and not _has_deepened(state)
    return done.model_copy(update={"draft_checks": "deepen" if room else "name"})


async def _open_question(plan: Plan, report: MonitorReport, state: SearchState, services: RunContext) -> Reflection:
    """Return the decision of a model, else of a rule, on whether something is missing and how to go on.

    It is used if the facts leave a choice and the limits allow another round.
    """
    failures = [failure for failure in report.failures if failure.kind not in _HARMLESS]
    fact = failures[0].message if failures else ALL_DONE
    concerned = tuple(dict.fromkeys(failure.task_id for failure in failures))
    if services.models.has_decision_model("reflection"):
        prompt = decision_prompt(plan, report, list_rounds(state), state, services)
        try:
            reply = await services.models.request_structured_reply(
                "reflection", "decide", [SystemMessage(SYSTEM), HumanMessage(prompt)], ReflectionReply
            )
        except ModelCallError:
            pass  # the trace has the error; the rule decides
        else:
            missing = read_missing(reply.missing)
            decision = reply.decision if failures else _after_check(reply, missing, state, services)
            return Reflection(
                decision=decision,
                reason=safe_note(reply.reason) or fact,
                decided_by="model",
                task_ids=concerned,
                missing=missing,
                revision=plan.revision,
            )
    if not failures:
        return Reflection(decision="finish", reason=fact, decided_by="rule", revision=plan.revision)
    past = PlanHistory(plan, state.get("revisions", []), state.get("outcomes", {}))
    most = services.settings.limits.max_tasks
    other_way = replan_other_way(state["assessment"].frame, past, concerned, state["team"].tools, max_tasks=most)
    if other_way is not None:
        way: Literal["replan", "finish", "abort"] = "replan"
    else:
        way = "finish" if report.finished else "abort"
    return Reflection(decision=way, reason=fact, decided_by="rule", task_ids=concerned, revision=plan.revision)


def _end_reason(failures: Sequence[Failure], state: SearchState, services: RunContext, rounds: int) -> str:
    """Return the reason why no further round can help or is allowed. Empty if there is none.

    Args:
        failures: The failures, except slow tasks. At least one.
        state: The state of the run.
        services: The run's resources.
        rounds: Number of rounds so far.
    """
    if limit := services.budget.find_exhausted_limit() or (None if services.work_seconds() else "max_seconds"):
        return f"the run's limit {limit} was reached"
    ended = [failure for failure in failures if failure.kind in HOPELESS]
    if ended and all(failure.kind in {*HOPELESS, "incomplete"} for failure in failures):
        return ended[0].message
    if rounds >= services.settings.limits.max_replans:
        return f"{failures[0].message}; the limit of {rounds} further rounds was reached"
    if is_stuck(state):
        return f"{failures[0].message}; no other way to find it is known"
    # The only searcher gave up the whole question, and no other search can be made.
    plan, found = state.get("plan"), state.get("outcomes", {})
    outcomes = [found.get(name) for name in plan.ids] if plan is not None else []
    gave_up = len(outcomes) == 1 and outcomes[0] is not None and outcomes[0].trace.gave_up
    last = gave_up and not services.strategy.deepens and len(list_searches(state["team"].tools)) < 2
    return failures[0].message if last else ""


def _shows_passages(concerned: Collection[str], state: SearchState) -> bool:
    """Report whether every failed search found passages, and every other failed task waited or was partly done.

    False if no search came back empty.
    """
    outcomes, passages = state.get("outcomes", {}), state.get("evidence", {}).values()
    finding = {task_id for passage in passages for task_id in passage.task_ids}
    empty = {task_id for task_id in concerned if task_id in outcomes and outcomes[task_id].status == "empty"}
    others = [outcomes[task_id].status for task_id in concerned if task_id in outcomes and task_id not in empty]
    return bool(empty) and empty <= finding and all(status in {"blocked", "succeeded"} for status in others)


def _needs_check(plan: Plan, report: MonitorReport, state: SearchState, services: RunContext) -> bool:
    """Report whether a model has to check that all parts of the question are answered.

    The check is made once, and once more if the new tasks left parts out. Rules are enough if every value is firm and
    one thing is asked for that one task answers, or each part has its own task. Values are firm if no search could mend
    them, they fit together, and no part of the ledger with tasks lacks an answer.
    """
    assessment, frame = state["assessment"], state["assessment"].frame
    asked = assessment.parts or (
        () if frame.shape in {"comparison", "same"} else frame.parts
    )  # the look-ups of a comparison are not parts
    is_single = len(asked) <= 1 and len(plan.final_ids) == 1
    ledger = state.get("ledger")
    missing = [part for part in ledger.missing if part.task_ids] if ledger is not None else ()
    firm = not _list_mendable_values(plan, report, services) and not report.inconsistencies and not missing
    settled = firm and (is_single or _covers_parts(assessment.parts, plan, state.get("outcomes", {})))
    if settled or not services.strategy.check or is_stuck(state):
        return False
    if services.budget.find_exhausted_limit() or services.work_seconds() <= 0:
        return False
    deepened = [past for past in state.get("reflections", []) if past.decision == "deepen"]
    if not deepened:
        return True
    before = next(
        (past for past in reversed(state.get("revisions", [])) if past.revision == deepened[-1].revision), plan
    )
    new = set(plan.ids) - set(before.ids)
    return len(deepened) == 1 and len(new) < len(deepened[-1].missing)


def _list_mendable_values(plan: Plan, report: MonitorReport, services: RunContext) -> list[WeakValue]:
    """Return the weak values that another search may mend.

    A reader who finds a value only implied has already looked for a statement of it. So such a value counts only if
    another task builds on it, or in a deep search with several tasks.
    """
    settled = len(plan.ids) == 1 or not services.strategy.deepens
    return [weak for weak in report.weak if weak.weakness != "implied" or weak.carries or not settled]


def _has_deepened(state: SearchState) -> bool:
    """Report whether missing parts have already been planned for."""
    return any(past.decision == "deepen" for past in list_rounds(state))


def _draft_can_check(plan: Plan, report: MonitorReport, state: SearchState, services: RunContext) -> bool:
    """Report whether the call that writes the draft can also name the unanswered parts (`writer/opening.py`).

    It can if a model that takes several things at once writes a single draft, no value is weak, and it was not asked to
    before.
    """
    asked = any(past.draft_checks and past.revision == plan.revision for past in state.get("reflections", []))
    told = all(plan.task(name).is_answer for name in plan.final_ids)  # the answer is written without a draft
    weak = _list_mendable_values(plan, report, services) or report.inconsistencies
    single = not services.strategy.deepens and state["assessment"].frame.form != "report" and not told
    return single and not weak and not asked and services.models.holds_schemas("reflection", "writer")


def _after_check(
    reply: ReflectionReply, missing: Collection[str], state: SearchState, services: RunContext
) -> Literal["finish", "deepen"]:
    """Return the next step after a model checked a search without failures.

    "finish" stands. After any other decision, the search deepens once if parts are missing and a round is left
    (`max_replans`). In a deep search, it also deepens again, or with nothing missing, within its own limits. Otherwise
    it finishes.
    """
    if reply.decision == "finish":
        return "finish"
    rounds = list_rounds(state)
    room = len(rounds) < services.settings.limits.max_replans
    if room and missing and not _has_deepened(state):
        return "deepen"
    return "deepen" if _may_deepen(state, services, len(rounds)) else "finish"


def _may_deepen(state: SearchState, services: RunContext, rounds: int) -> bool:
    """Report whether a search without failures may continue: it is deep, and a model and its limits allow it."""
    return (
        services.strategy.deepens
        and services.strategy.check
        and rounds < services.settings.limits.max_replans
        and not is_stuck(state)
        and not services.budget.find_exhausted_limit()
        and services.work_seconds() > 0
    )


def list_rounds(state: SearchState) -> list[Reflection]:
    """Return the reflections so far that decided to retry, replan or deepen, oldest first."""
    return [past for past in state.get("reflections", []) if past.decision in {"retry", "replan", "deepen"}]


def _covers_parts(parts: Sequence[str], plan: Plan, outcomes: Mapping[str, Outcome]) -> bool:
    """Report whether each of several parts has its own task with a complete value and all content words of the part.

    Words are compared and not meanings, so False says only that a model has to judge. Always False for a single part.
    """
    done = [task for task in plan.tasks if task.id in outcomes and outcomes[task.id].usable]
    asking = [frozenset(terms(REFERENCE.sub(" ", t.description))) for t in done if not outcomes[t.id].detail.missing]
    return len(parts) > 1 and _match_parts([frozenset(terms(part)) for part in parts], asking)


def _match_parts(parts: Sequence[frozenset[str]], asking: Sequence[frozenset[str]]) -> bool:
    """Report whether each part can be given a separate task that has all words of the part.

    Args:
        parts: The content words of each part.
        asking: The content words of each task.
    """
    if not parts:
        return True
    first, *rest = parts
    ways = [n for n, words in enumerate(asking) if first and first <= words]
    return any(_match_parts(rest, [*asking[:n], *asking[n + 1 :]]) for n in ways)
