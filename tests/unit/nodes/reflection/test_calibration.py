"""Calibrations that were fitted by version 0.1 count; a broken file counts as none."""

import json
import math
from pathlib import Path

import pytest

from weiwo.nodes.reflection.monitor import _CALIBRATIONS, _calibrate_confidence, find_calibration
from weiwo.state import Outcome
from weiwo.state.settings import Settings

KEPT = {"m": {"weights": [-3, 1, 1, 0, 0], "values": 200, "sets": ["a"]}}


def read_value(confidence: float) -> Outcome:
    return Outcome(task_id="a", status="succeeded", value="x", decided_by="model", confidence=confidence)


def calibration_of(home: Path, reader: str = "m"):
    return find_calibration(Settings(home=str(home), models={"executor": reader}))


def test_weights_of_nothing_leave_confidence_as_it_is():
    same = (0.0, 1.0, 0.0, 0.0, 0.0)
    assert _calibrate_confidence(read_value(0.7), same) == pytest.approx(0.7)
    assert math.isfinite(_calibrate_confidence(read_value(1.0), same))


def test_what_was_fitted_for_the_reader_counts(tmp_path: Path):
    assert calibration_of(tmp_path) is None
    (tmp_path / _CALIBRATIONS).write_text(json.dumps(KEPT), encoding="utf-8")
    assert calibration_of(tmp_path) == [-3, 1, 1, 0, 0]
    assert calibration_of(tmp_path, "other") is None


@pytest.mark.parametrize("broken", ["", "[]", '{"m": {"weights": [1], "values": 3}}', '{"m": {"weights": "no"}}'])
def test_a_broken_file_counts_as_none(tmp_path: Path, broken: str):
    (tmp_path / _CALIBRATIONS).write_text(broken, encoding="utf-8")
    assert calibration_of(tmp_path) is None
