"""The master's monitor: what went wrong in an execution, as a pure function over plan and outcomes.

(The Master supervises execution in the AI Search Paradigm, arXiv 2506.17188, section 3; reflection acts on what
it reports.)
"""

from collections.abc import Mapping
from itertools import combinations

from state import Failure, Limits, MonitorReport, Outcome, Plan

SLOW_SHARE = 0.5
"""A task that took more than this share of the run's seconds is reported as slow."""


def monitor(plan: Plan, outcomes: Mapping[str, Outcome], limits: Limits) -> MonitorReport:
    """Report failures, timeouts, empty, blocked, incomplete, inconsistent and slow tasks.

    Args:
        plan: The plan that ran.
        outcomes: Outcomes by task id; a task without one never ran.
        limits: The bounds it ran under.
    """
    failures: list[Failure] = []
    for task in plan.tasks:
        outcome = outcomes.get(task.id)
        if outcome is None:
            failures.append(Failure(task_id=task.id, kind="incomplete", message=f"{task.id} did not run"))
        elif outcome.failure is not None:
            failures.append(outcome.failure)
        else:
            if missing := outcome.detail.get("missing"):
                names = ", ".join(str(name) for name in missing) if isinstance(missing, list) else str(missing)
                failures.append(Failure(task_id=task.id, kind="incomplete", message=f"{task.id} lacks {names}"))
            if outcome.seconds > limits.max_seconds * SLOW_SHARE:
                message = f"{task.id} took {outcome.seconds:.0f} of {limits.max_seconds:.0f} seconds"
                failures.append(Failure(task_id=task.id, kind="slow", message=message))
    failures.extend(_inconsistent(plan, outcomes))
    finished = tuple(task_id for task_id in plan.ids if task_id in outcomes and outcomes[task_id].usable)
    return MonitorReport(
        failures=tuple(failures),
        finished=finished,
        answerable=all(task_id in finished for task_id in plan.final_ids),
    )


def _inconsistent(plan: Plan, outcomes: Mapping[str, Outcome]) -> list[Failure]:
    """Tasks that ask the very same thing and came to different values."""
    found = []
    for one, other in combinations(plan.tasks, 2):
        a, b = outcomes.get(one.id), outcomes.get(other.id)
        same = one.description and one.description.casefold() == other.description.casefold() and one.ret == other.ret
        if same and a and b and a.usable and b.usable and a.value != b.value:
            message = f"{one.id} and {other.id} ask the same and differ: {a.value!r} and {b.value!r}"
            found.append(Failure(task_id=other.id, kind="inconsistent", message=message))
    return found
