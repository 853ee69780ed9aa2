"""Adoption of values edited in the state by hand, for example in Studio.

Edited values become the person's own. The executor stores a digest of each value and its quotes. If the digest does not
match, the value was edited: its quotes are dropped, since they support another value, and values computed from the old
value are discarded. A value without a digest was written by hand, too. The values of a thread older than digests get
one when it continues.
"""

from collections.abc import Mapping
from typing import Any

from weiwo.graph.persistence.forks import build_set_outcome
from weiwo.state import Failure, Language, Outcome
from weiwo.state.search import SearchState


def seal_outcomes(outcomes: Mapping[str, Outcome]) -> dict[str, Outcome]:
    """Store the digest of each value in the outcome."""
    return {key: outcome.seal() for key, outcome in outcomes.items()}


def adopt_edits(state: SearchState, language: Language) -> dict[str, Any]:
    """Adopt edited values as values set by the person.

    Returns:
        The update of `outcomes` and `evidence`. Empty if nothing was edited. Tasks that depend on an edited value are
        blocked until they run again.

    Raises:
        ForkError: A value is not of its task's type.
    """
    plan, outcomes = state.get("plan"), state.get("outcomes", {})
    known = plan.ids if plan is not None else ()
    if state.get("ledger") is None and not any(item.digest for item in outcomes.values()):
        # Threads of older versions have neither a ledger nor digests.
        return {"outcomes": seal_outcomes(outcomes), "evidence": {}} if outcomes else {}
    # A value counts as edited if it changed since it was sealed, or was written without a digest.
    present = {key: outcomes[key] for key in known if key in outcomes}
    edited = [key for key, item in present.items() if item.answers and item.digest != item.seal().digest]
    if plan is None or not edited:
        return {}
    changed, evidence = dict(outcomes), {}
    for key in edited:
        outcome, passage = build_set_outcome(plan.task(key), outcomes[key].value, changed, language)
        changed[key] = outcome.seal()
        evidence[passage.id] = passage
    for key in plan.descendants(edited):
        if key in outcomes and key not in edited:
            message = f"{key}: a value that it depends on was set by hand; run it again"
            failure = Failure(task_id=key, kind="incomplete", message=message)
            task = plan.task(key)
            changed[key] = Outcome(task_id=key, status="blocked", type=task.value_type, tool=task.tool, failure=failure)
    return {"outcomes": changed, "evidence": evidence}


def with_edits(state: SearchState) -> tuple[SearchState, dict[str, Any]]:
    """Return the state with edited values adopted, and the update for saving the values."""
    edits = adopt_edits(state, state["assessment"].language)
    if not edits:
        return state, {}
    evidence = {**state.get("evidence", {}), **edits["evidence"]}
    return SearchState(**{**state, "outcomes": edits["outcomes"], "evidence": evidence}), edits
