"""Calibration of confidence: how often what is said with 0.9 is right, and the fit that makes it nine in ten.

Values are those of the tasks on which nothing else builds, against the known answer; an answer has the least confidence
of the values it rests on; extracts have one of their own, against whether they hold the answer. The fit, of values that
a model read, is a logistic regression drawn towards leaving a confidence as it is; it is made on one half of the
questions and judged on the other, by a hash of the question.
"""

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any, Final

import numpy as np

from weiwo.nodes.reflection.calibration import FEATURES, Calibration, confidence_features
from weiwo.state import Outcome
from weiwo.text.values import render
from weiwo.tools.corpus.retrieval.routing_policy import hash_to_share

BINS: Final = 10
FEWEST: Final = 50
"""Values that a fit needs, and that judging it needs."""
_CALIBRATED: Final = frozenset({"text", "number", "date", "boolean"})
_AS_IT_IS: Final = np.array([float(name == "stated") for name in FEATURES])
_STEPS: Final = 50
_CONVERGED: Final = 1e-6

Row = Mapping[str, Any]


def list_values(result: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The values that a result rests on: text, type, confidence, features, whether a model read it, if it is final."""
    built_on = {source for source, _ in (result.get("plan") or {}).get("edges") or ()}
    listed = []
    for task_id, raw in (result.get("outcomes") or {}).items():
        outcome = Outcome.model_validate({"task_id": task_id, **raw})
        if outcome.usable and outcome.type in _CALIBRATED and not outcome.computed:
            listed.append(
                {
                    "text": outcome.detail.shown or render(outcome.value, outcome.type, "en"),
                    "type": outcome.type,
                    "confidence": outcome.confidence,
                    "features": confidence_features(outcome),
                    "model": outcome.decided_by == "model",
                    "final": task_id not in built_on,
                }
            )
    return listed


def measure_reliability(pairs: Sequence[tuple[float, bool]]) -> dict[str, Any] | None:
    """Brier score, expected calibration error and reliability table of confidences; None of none.

    Args:
        pairs: A confidence, and whether what was said with it is right.

    Returns:
        `n`, the mean `confidence`, the share that is `right`, `brier`, `ece` (weighted by the size of the bins) and
        `table`: the bins of equal width that are not empty, with `from`, `to`, `n`, `confidence` and `right`.
    """
    if not pairs:
        return None
    bins: dict[int, list[tuple[float, bool]]] = {}
    for confidence, right in pairs:
        bins.setdefault(min(int(confidence * BINS), BINS - 1), []).append((confidence, right))
    table = [
        {"from": at / BINS, "to": (at + 1) / BINS, "n": len(those), **_means(those)}
        for at, those in sorted(bins.items())
    ]
    error = sum(one["n"] * abs(one["confidence"] - one["right"]) for one in table) / len(pairs)
    brier = fmean((confidence - right) ** 2 for confidence, right in pairs)
    return {"n": len(pairs), **_means(pairs), "brier": round(brier, 4), "ece": round(error, 4), "table": table}


def measure_rows(rows: Iterable[Row]) -> dict[str, Any]:
    """The reliability of the values, answers and extracts of some rows; empty where none tells a confidence."""
    rows = list(rows)
    values = [(one["confidence"], bool(one["right"])) for one in _known_values(rows)]
    answers = [
        (min(one["confidence"] for one in row["values"]), bool(row["right"]))
        for row in rows
        if row.get("values") and row["outcome"] != "abstained"
    ]
    extracts = [
        (row["confidence"], row["on_screen"])
        for row in rows
        if row.get("confidence") is not None and row["on_screen"] is not None
    ]
    pairs = {"values": values, "answers": answers, "extracts": extracts}
    found = {name: measure_reliability(those) for name, those in pairs.items()}
    return {name: one for name, one in found.items() if one is not None}


def calibrate(rows: Iterable[Row], sets: Sequence[str]) -> tuple[Calibration, dict[str, Any]]:
    """Fit a calibration on half of the questions, and judge it on the other half.

    Args:
        rows: Rows of results of one model.
        sets: The sets they came from.

    Returns:
        The calibration, and `weights` by feature, `fitted_on` (values), `before` and `after` (the reliability of the
        values of the other half) and `better`: whether it may be kept.

    Raises:
        ValueError: There are too few values; the message is one line.
    """
    halves: tuple[list[Row], list[Row]] = ([], [])
    for row in rows:
        halves[hash_to_share(str(row["asked"])) >= 0.5].append(row)
    learned, held_out = ([one for one in _known_values(half) if one["model"]] for half in halves)
    if min(len(learned), len(held_out)) < FEWEST:
        raise ValueError(
            f"{len(learned)} values of a model to fit on and {len(held_out)} to judge by; each has to be {FEWEST} or"
            " more; ask more questions"
        )
    features = np.array([[one["features"][name] for name in FEATURES] for one in learned])
    weights = fit_logistic(features, np.array([float(one["right"]) for one in learned]), _AS_IT_IS)
    calibration = Calibration(weights=tuple(map(float, weights)), values=len(learned), sets=tuple(sets))
    before = measure_reliability([(one["confidence"], bool(one["right"])) for one in held_out])
    after = measure_reliability([(calibration.probability(one["features"]), bool(one["right"])) for one in held_out])
    if before is None or after is None:
        raise AssertionError("both are measured on the same values")
    return calibration, {
        "weights": {name: round(float(weight), 4) for name, weight in zip(FEATURES, weights, strict=True)},
        "fitted_on": len(learned),
        "before": before,
        "after": after,
        "better": after["brier"] < before["brier"],
    }


def fit_logistic(
    features: "np.ndarray[Any, Any]", right: "np.ndarray[Any, Any]", drawn_to: "np.ndarray[Any, Any]"
) -> "np.ndarray[Any, Any]":
    """The weights of a logistic regression with a ridge, by damped Newton steps.

    Args:
        features: A row a value, a column a feature.
        right: 1 for each that is right, else 0.
        drawn_to: The weights that no value would leave.
    """

    def loss(weights: "np.ndarray[Any, Any]") -> float:
        odds = features @ weights
        return float(np.sum(np.logaddexp(0, odds) - right * odds) + np.sum((weights - drawn_to) ** 2) / 2)

    weights = drawn_to
    for _ in range(_STEPS):
        probable = np.exp(-np.logaddexp(0, -(features @ weights)))
        slope = features.T @ (probable - right) + (weights - drawn_to)
        curvature = (features.T * (probable * (1 - probable))) @ features + np.eye(len(weights))
        step = np.linalg.solve(curvature, slope)
        while loss(weights - step) > loss(weights) and np.abs(step).max() > _CONVERGED:
            step = step / 2  # Newton's method alone may overshoot
        weights = weights - step
        if np.abs(step).max() <= _CONVERGED:
            break
    return weights


def _known_values(rows: Iterable[Row]) -> list[Mapping[str, Any]]:
    """The values whose outcome is known."""
    return [one for row in rows for one in row.get("values") or () if one["right"] is not None]


def _means(pairs: Sequence[tuple[float, bool]]) -> dict[str, float]:
    confidence = fmean(confidence for confidence, _ in pairs)
    return {"confidence": round(confidence, 4), "right": round(fmean(right for _, right in pairs), 4)}
