"""The master's monitor: what went wrong in an execution, as a pure function over plan and outcomes.

(The Master supervises execution in the AI Search Paradigm, arXiv 2506.17188, section 3; reflection acts on what
it reports.)
"""

from collections.abc import Collection, Iterator, Mapping, Sequence

from weiwo.nodes.reflection.calibration import Calibration, confidence_features
from weiwo.nodes.reflection.root_cause import find_cause
from weiwo.nodes.shared.consistency import find_inconsistencies
from weiwo.state import Evidence, Failure, FailureKind, Language, Limits, MonitorReport, Outcome, Plan
from weiwo.state.evidence import Weakness, WeakValue

SLOW_SHARE = 0.5
"""A task that took more than this share of the run's seconds is reported as slow."""

DOUBTED_BELOW = 0.5
"""A value is doubted if it is less probably right than this, as the model that read it says, or as was fitted."""

MOST_NAMED = 10
"""Items without a value that a report names."""


def monitor_plan(
    plan: Plan,
    outcomes: Mapping[str, Outcome],
    limits: Limits,
    calibration: Calibration | None = None,
    *,
    passages: Collection[Evidence] = (),
    language: Language = "en",
) -> MonitorReport:
    """Report failures, timeouts, empty, blocked, incomplete, inconsistent and slow tasks, and weak values.

    What waited only for a value that a false premise denies is no failure: there is nothing to be found.
    Without a calibration the confidence of a model that read is taken as it is given; the passages tell why a task came
    to nothing.
    """
    usable = {task_id: outcome for task_id, outcome in outcomes.items() if outcome.usable}
    failures: list[Failure] = []
    denied = plan.descendants(task_id for task_id, outcome in outcomes.items() if outcome.premise)
    for task in plan.tasks:
        outcome = outcomes.get(task.id)
        if outcome is None:
            failures.append(Failure(task_id=task.id, kind="incomplete", message=f"{task.id} did not run"))
        elif outcome.failure is not None:
            if not (outcome.status == "blocked" and task.id in denied):
                cause = find_cause(task, outcome, usable, passages, language)
                failures.append(outcome.failure.model_copy(update={"cause": cause}))
        else:
            if outcome.detail.missing:
                kind: FailureKind = "limit" if outcome.detail.limited else "incomplete"
                message = f"{task.id} lacks {_listed(outcome.detail.missing)}"
                failures.append(Failure(task_id=task.id, kind=kind, message=message))
            if outcome.seconds > limits.max_seconds * SLOW_SHARE:
                message = f"{task.id} took {outcome.seconds:.0f} of {limits.max_seconds:.0f} seconds"
                failures.append(Failure(task_id=task.id, kind="slow", message=message))
    failures.extend(_inconsistent(plan, outcomes))
    finished = tuple(task_id for task_id in plan.ids if task_id in outcomes and outcomes[task_id].answers)
    return MonitorReport(
        failures=tuple(failures),
        finished=finished,
        answerable=all(task_id in finished or task_id in denied for task_id in plan.final_ids),
        weak=tuple(_weak_values(plan, outcomes, calibration)),
        inconsistencies=find_inconsistencies(plan, outcomes),
    )


def _weak_values(plan: Plan, outcomes: Mapping[str, Outcome], calibration: Calibration | None) -> Iterator[WeakValue]:
    for task_id in plan.ids:
        outcome = outcomes.get(task_id)
        weakness = _weakness(outcome, calibration) if outcome is not None and outcome.usable else None
        if weakness is not None:
            yield WeakValue(task_id=task_id, weakness=weakness, carries=bool(plan.descendants([task_id])))


def _weakness(outcome: Outcome, calibration: Calibration | None) -> Weakness | None:
    if outcome.rivals:
        return "disputed"
    if outcome.basis == "implied":
        return "implied"
    if outcome.decided_by != "model":
        return None
    probable = calibration.probability(confidence_features(outcome)) if calibration else outcome.confidence
    return "doubted" if probable < DOUBTED_BELOW else None


def _listed(names: Sequence[str]) -> str:
    more = len(names) - MOST_NAMED
    return ", ".join(names[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def _inconsistent(plan: Plan, outcomes: Mapping[str, Outcome]) -> list[Failure]:
    """Tasks that ask the very same thing and came to different values."""
    found = []
    first: dict[tuple[str, str], Outcome] = {}
    for task in plan.tasks:
        outcome = outcomes.get(task.id)
        if not task.description or outcome is None or not outcome.usable:
            continue
        one = first.setdefault((task.description.casefold(), task.ret), outcome)
        if one.value != outcome.value:
            message = f"{one.task_id} and {task.id} ask the same and differ: {one.value!r} and {outcome.value!r}"
            found.append(Failure(task_id=task.id, kind="inconsistent", message=message))
    return found
