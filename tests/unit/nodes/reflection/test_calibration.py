"""Calibrations that were fitted by version 0.1 count; a broken file counts as none."""

import math
from pathlib import Path

import pytest

from weiwo.nodes.reflection.calibration import FILE, Calibration, confidence_features, load_calibrations
from weiwo.state import Outcome


def read_value(confidence: float) -> Outcome:
    return Outcome(task_id="a", status="succeeded", value="x", decided_by="model", confidence=confidence)


def test_weights_of_nothing_leave_confidence_as_it_is():
    same = Calibration(weights=(0, 1, 0, 0, 0), values=100)
    assert same.probability(confidence_features(read_value(0.7))) == pytest.approx(0.7)
    assert math.isfinite(same.probability(confidence_features(read_value(1.0))))


@pytest.mark.parametrize("broken", ["", "[]", '{"m": {"weights": [1], "values": 3}}'])
def test_a_broken_file_counts_as_none(tmp_path: Path, broken: str):
    (tmp_path / FILE).write_text(broken, encoding="utf-8")
    assert load_calibrations(tmp_path) == {}
