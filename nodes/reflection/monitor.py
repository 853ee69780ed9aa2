"""The master's monitor: failures of an execution and the causes.

These are pure functions over plan and outcomes. (The Master supervises execution in the AI Search Paradigm, arXiv
2506.17188, section 3. Reflection acts on the report.)

Code finds the root cause of a failed task, from the results and not from the wording of the message: a broken tool
needs another tool, a query that led elsewhere needs other words, sources that mention the subject without the answer
call for other sources, and arguments that do not fit call for another plan.
"""

import json
import logging
import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from weiwo.nodes.reflection.chain_links import find_missing_link
from weiwo.nodes.shared.consistency import find_inconsistencies
from weiwo.nodes.shared.planning.references import fill_text
from weiwo.nodes.shared.planning.rule_plan import frame_task
from weiwo.nodes.shared.question.parser import parse_question
from weiwo.state import Evidence, Failure, FailureKind, Language, Limits, MonitorReport, Outcome, Plan, Task
from weiwo.state.evidence import Cause, Weakness, WeakValue
from weiwo.state.settings import Settings
from weiwo.text.language import fold

_Calibration = Sequence[float]
"""Five weights for turning a model's confidence into a probability (Platt scaling), fitted by version 0.1.

In order: a constant, the log odds of the confidence, the logarithm of the number of independent sources, whether there
are rival values, and whether the quotes only imply the value.
"""
ALL_DONE: Final = "every task has an outcome"
_CALIBRATIONS: Final = "confidence.json"
_WEIGHTS: Final = 5
_NEVER_SURE: Final = 0.01
"""Confidence is kept this far from 0 and from 1, where the log odds are infinite."""

_SLOW_SHARE = 0.5
"""Share of the run's seconds. A task that took more is reported as slow."""

_DOUBTED_BELOW = 0.5
"""A value is doubted if the model's confidence, calibrated where possible, is below this."""

_MOST_NAMED = 10
"""Most items without a value named in a report."""


def monitor_plan(
    plan: Plan,
    outcomes: Mapping[str, Outcome],
    limits: Limits,
    calibration: _Calibration | None = None,
    *,
    passages: Collection[Evidence] = (),
    language: Language = "en",
) -> MonitorReport:
    """Return a report on an execution: what failed, is missing, slow or inconsistent, and the weak values.

    A task blocked only because a task before it found a false premise is not a failure, since there is nothing to find.

    Args:
        plan: The plan.
        outcomes: The outcomes by task.
        limits: The limits of the run.
        calibration: Weights for calibrating the model's confidence. None leaves confidence unchanged.
        passages: The passages found, for the causes of failures.
        language: The language of the question.
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
                kind: FailureKind = "limit" if outcome.trace.limited else "incomplete"
                message = f"{task.id} lacks {_join_names(outcome.detail.missing)}"
                failures.append(Failure(task_id=task.id, kind=kind, message=message))
            if outcome.seconds > limits.max_seconds * _SLOW_SHARE:
                message = f"{task.id} took {outcome.seconds:.0f} of {limits.max_seconds:.0f} seconds"
                failures.append(Failure(task_id=task.id, kind="slow", message=message))
    failures.extend(_inconsistent(plan, outcomes))
    finished = tuple(task_id for task_id in plan.ids if task_id in outcomes and outcomes[task_id].answers)
    return MonitorReport(
        failures=tuple(failures),
        finished=finished,
        answerable=all(task_id in finished or task_id in denied for task_id in plan.final_ids),
        weak=tuple(_weak_values(plan, outcomes, calibration, passages, language)),
        inconsistencies=find_inconsistencies(plan, outcomes),
    )


def _weak_values(
    plan: Plan,
    outcomes: Mapping[str, Outcome],
    calibration: _Calibration | None,
    passages: Collection[Evidence],
    language: Language,
) -> Iterator[WeakValue]:
    for task_id in plan.ids:
        outcome = outcomes.get(task_id)
        if outcome is None or not outcome.usable:
            continue
        weakness = _weakness(outcome, calibration)
        if weakness is None and find_missing_link(plan.task(task_id), outcome, passages, language):
            weakness = "doubted"
        if weakness is not None:
            yield WeakValue(task_id=task_id, weakness=weakness, carries=bool(plan.descendants([task_id])))


def _weakness(outcome: Outcome, calibration: _Calibration | None) -> Weakness | None:
    if outcome.rivals:
        return "disputed"
    if outcome.basis == "implied":
        return "implied"
    if outcome.decided_by != "model":
        return None
    probable = _calibrate_confidence(outcome, calibration) if calibration else outcome.confidence
    return "doubted" if probable < _DOUBTED_BELOW else None


def _join_names(names: Sequence[str]) -> str:
    more = len(names) - _MOST_NAMED
    return ", ".join(names[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def _inconsistent(plan: Plan, outcomes: Mapping[str, Outcome]) -> list[Failure]:
    """Return a failure for each task that asks the same as an earlier task and has another value."""
    found = []
    first: dict[tuple[str, str], Outcome] = {}
    for task in plan.tasks:
        outcome = outcomes.get(task.id)
        if not task.description or outcome is None or not outcome.usable:
            continue
        earlier = first.setdefault((task.description.casefold(), task.ret), outcome)
        if earlier.value != outcome.value:
            message = (
                f"{earlier.task_id} and {task.id} ask the same and differ: {earlier.value!r} and {outcome.value!r}"
            )
            found.append(Failure(task_id=task.id, kind="inconsistent", message=message))
    return found


def find_calibration(settings: Settings) -> _Calibration | None:
    """Return the calibration of the model that reads passages, from a file. Blocks.

    None if there is none for this model or the file cannot be read, which is logged.
    """
    path, reader = Path(settings.home) / _CALIBRATIONS, settings.models.get("executor")
    try:
        kept = json.loads(path.read_text(encoding="utf-8")).get(reader)
        weights = [float(weight) for weight in kept["weights"]] if kept else []
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, AttributeError, KeyError):
        weights = [math.nan]
    if weights and (len(weights) != _WEIGHTS or not all(map(math.isfinite, weights))):
        logging.getLogger(__name__).warning("%s cannot be read; confidence values are used unchanged", path)
        return None
    return weights or None


def _calibrate_confidence(outcome: Outcome, weights: _Calibration) -> float:
    """Return the probability, from 0 to 1, that a value read by a model is right."""
    stated = min(max(outcome.confidence, _NEVER_SURE), 1 - _NEVER_SURE)
    support = math.log(max(1, outcome.support))
    features = (1.0, math.log(stated / (1 - stated)), support, bool(outcome.rivals), outcome.basis == "implied")
    odds = sum(weight * feature for weight, feature in zip(weights, features, strict=True))
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, odds))))


_BY_KIND: Final[Mapping[FailureKind, Cause]] = {
    **dict.fromkeys(("timeout", "rate_limit", "crash", "refused", "auth", "blocked"), "tool"),
    "not_found": "source",
    "oversized": "source",
    "bad_arguments": "plan",
    "incomplete": "plan",
}


def find_cause(
    task: Task, outcome: Outcome, inputs: Mapping[str, Outcome], passages: Iterable[Evidence], language: Language
) -> Cause | None:
    """Return the cause of a task's failure: `tool`, `query`, `source` or `plan`.

    None if the task did not fail, the cause is unknown, or the task only waited for another task.

    Args:
        task: The task.
        outcome: Its outcome.
        inputs: The outcomes that its description refers to, by task.
        passages: The passages of the run. One of the task that mentions the question's subject makes the cause
            `source`.
        language: The language of the question.
    """
    if outcome.failure is None or outcome.status == "blocked":
        return None
    if outcome.failure.kind != "empty":
        return _BY_KIND.get(outcome.failure.kind)
    asked = fill_text(task.description, inputs, language)
    frame = frame_task(task, language) if asked == task.description else parse_question(asked, language)
    subjects = [fold(subject) for subject in frame.subjects]
    found = [fold(f"{passage.title} {passage.text}") for passage in passages if task.id in passage.task_ids]
    if any(subject in text for subject in subjects for text in found):
        return "source"
    return "query"
