"""Adoption of values edited in the state by hand, for example in Studio.

The executor stores a digest (a hash) of each value and its quotes. If the digest does not match, a person has edited
the value: it counts as set by the person, its quotes are dropped because they support another value, and values
computed from the old value are discarded. A value without a digest was written by hand, too. Threads of versions
without digests get digests when they continue.
"""

from collections.abc import Mapping
from typing import Any

from weiwo.graph.persistence.forks import build_set_outcome
from weiwo.state import Failure, Language, Outcome
from weiwo.state.search import SearchState


def seal_outcomes(outcomes: Mapping[str, Outcome]) -> dict[str, Outcome]:
    """Return the outcomes with a digest of each value, by which a later edit is detected."""
    return {key: outcome.seal() for key, outcome in outcomes.items()}


def adopt_edits(state: SearchState, language: Language) -> dict[str, Any]:
    """Adopt edited values as values set by the person.

    Returns:
        The update of `outcomes` and `evidence`. An edited value gets a passage of its own to be cited, and the tasks
        that depend on it are blocked until they run again. Empty if nothing was edited. In a thread of a version
        without digests no edit can be detected, and all outcomes are returned with digests.

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
    """Return the state with edited values adopted, and the state update of `adopt_edits`.

    If there is no update, the state itself and {} are returned.
    """
    edits = adopt_edits(state, state["assessment"].language)
    if not edits:
        return state, {}
    evidence = {**state.get("evidence", {}), **edits["evidence"]}
    return SearchState(**{**state, "outcomes": edits["outcomes"], "evidence": evidence}), edits
