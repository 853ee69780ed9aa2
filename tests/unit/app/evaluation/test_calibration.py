"""Confidence is measured as it should be, and a fit brings it nearer to how often a reader is right."""

import json
import math
import random
from pathlib import Path
from typing import Any

import pytest

from tests.support.results import make_result
from weiwo.app.cli.errors import CommandError, UsageError
from weiwo.app.cli.evaluation.calibration import calibration_command
from weiwo.app.evaluation.calibration import calibrate, list_values, measure_reliability, measure_rows
from weiwo.nodes.reflection.calibration import FILE, Calibration, confidence_features, load_calibrations
from weiwo.state import Outcome


def read_value(confidence: float, support: int = 1) -> Outcome:
    return Outcome(
        task_id="a", status="succeeded", value="x", decided_by="model", confidence=confidence, support=support
    )


def make_rows(count: int, seed: int = 7) -> list[dict[str, Any]]:
    """Rows of a reader that says 0.8 to 1 and is right less often: six times in ten, and nine where two sources agree."""
    chance = random.Random(seed)  # noqa: S311 - a simulation
    rows = []
    for number in range(count):
        support = chance.choice((1, 2))
        value = read_value(0.8 + 0.2 * chance.random(), support)
        right = chance.random() < (0.9 if support == 2 else 0.6)
        one = {
            "text": "x",
            "confidence": value.confidence,
            "features": confidence_features(value),
            "model": True,
            "final": True,
            "right": right,
        }
        rows.append(
            {
                "question": str(number),
                "system": "weiwo",
                "asked": f"Which is number {number}?",
                "outcome": "asserted",
                "right": right,
                "error": "",
                "values": [one],
            }
        )
    return rows


def test_reliability_is_what_its_definition_says():
    measured = measure_reliability([(0.9, True), (0.9, False), (0.25, False), (1.0, True)])
    assert measured is not None
    assert measured["n"] == 4
    assert measured["brier"] == pytest.approx((0.01 + 0.81 + 0.0625 + 0) / 4, abs=1e-4)
    assert [(one["from"], one["n"], one["right"]) for one in measured["table"]] == [(0.2, 1, 0.0), (0.9, 3, 0.6667)]
    assert measured["ece"] == pytest.approx((0.25 + 3 * abs(2.8 / 3 - 2 / 3)) / 4, abs=1e-3)
    assert measure_reliability([]) is None


def test_extracts_are_measured_against_what_stands_on_the_screen():
    shown = {"values": [], "outcome": "abstained", "right": False}
    rows = [{**shown, "confidence": 0.8, "on_screen": held} for held in (True, True, False, None)]
    (measured,) = measure_rows([*rows, {**shown, "confidence": None, "on_screen": True}]).values()
    assert (measured["n"], measured["confidence"], measured["right"]) == (3, 0.8, 0.6667)


def test_a_fit_brings_an_overconfident_reader_nearer_to_the_truth_where_it_was_not_fitted():
    calibration, found = calibrate(make_rows(1_200), ["numbers"])
    assert found["better"]
    assert found["before"]["ece"] > 0.1
    assert found["after"]["ece"] < 0.05
    assert found["fitted_on"] + found["after"]["n"] == 1_200
    alone, agreed = (calibration.probability(confidence_features(read_value(0.95, n))) for n in (1, 2))
    assert alone == pytest.approx(0.6, abs=0.1)
    assert agreed == pytest.approx(0.9, abs=0.07)


def test_what_fits_already_stays_as_it_is():
    same = Calibration(weights=(0, 1, 0, 0, 0), values=100)
    assert same.probability(confidence_features(read_value(0.7))) == pytest.approx(0.7)
    assert math.isfinite(same.probability(confidence_features(read_value(1.0))))
    with pytest.raises(ValueError, match="50 or more"):
        calibrate(make_rows(60), [])


def test_values_of_a_result_are_those_that_were_read():
    (value,) = list_values(make_result())  # one task found nothing, one has not run
    assert (value["text"], value["confidence"], value["final"]) == ("20 EUR", 1.0, False)
    answers = measure_rows([*make_rows(10), {"outcome": "abstained", "right": False, "values": []}])
    assert answers["answers"]["n"] == answers["values"]["n"] == 10
    assert measure_rows([{"outcome": "asserted", "right": True}]) == {}  # results of an older version


def test_the_command_keeps_a_fit_that_is_better(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setenv("WEIWO_HOME", str(tmp_path / "home"))
    folder = tmp_path / "out"
    folder.mkdir()
    config = {"dataset": "numbers", "same": "x", "models": {"executor": "openai:some"}}
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    (folder / "results.jsonl").write_text("".join(json.dumps(row) + "\n" for row in make_rows(400)), encoding="utf-8")
    calibration_command([str(folder)], keep=True, as_json=False)
    assert "fitted on" in capsys.readouterr().out
    kept = load_calibrations(tmp_path / "home")["openai:some"]
    assert kept.sets == ("numbers",)
    (folder / "config.json").write_text(json.dumps({**config, "models": {}}), encoding="utf-8")
    with pytest.raises(UsageError, match="made by rules"):
        calibration_command([str(folder)], keep=False, as_json=True)
    (folder / "results.jsonl").write_text("", encoding="utf-8")
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    with pytest.raises(CommandError, match="0 values"):
        calibration_command([str(folder)], keep=False, as_json=True)


@pytest.mark.parametrize("broken", ["", "[]", '{"m": {"weights": [1], "values": 3}}'])
def test_a_broken_file_counts_as_none(tmp_path: Path, broken: str):
    (tmp_path / FILE).write_text(broken, encoding="utf-8")
    assert load_calibrations(tmp_path) == {}
