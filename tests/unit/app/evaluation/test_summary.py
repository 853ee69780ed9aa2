"""How far confidence can be trusted is measured as its definition says."""

from typing import Any

import pytest

from tests.support.results import make_result
from weiwo.app.evaluation.summary import _measure_reliability, _measure_rows
from weiwo.app.evaluation.systems import _list_values


def asserted(confidence: float, *, right: bool) -> dict[str, Any]:
    """A row that states one value."""
    value = {"text": "x", "type": "text", "confidence": confidence, "final": True, "right": right}
    return {"outcome": "asserted", "right": right, "values": [value]}


def test_reliability_is_what_its_definition_says():
    measured = _measure_reliability([(0.9, True), (0.9, False), (0.25, False), (1.0, True)])
    assert measured is not None
    assert measured["n"] == 4
    assert measured["brier"] == pytest.approx((0.01 + 0.81 + 0.0625 + 0) / 4, abs=1e-4)
    assert [(one["from"], one["n"], one["right"]) for one in measured["table"]] == [(0.2, 1, 0.0), (0.9, 3, 0.6667)]
    assert measured["ece"] == pytest.approx((0.25 + 3 * abs(2.8 / 3 - 2 / 3)) / 4, abs=1e-3)
    assert _measure_reliability([]) is None


def test_extracts_are_measured_against_what_stands_on_the_screen():
    shown = {"values": [], "outcome": "abstained", "right": False}
    rows = [{**shown, "confidence": 0.8, "on_screen": held} for held in (True, True, False, None)]
    (measured,) = _measure_rows([*rows, {**shown, "confidence": None, "on_screen": True}]).values()
    assert (measured["n"], measured["confidence"], measured["right"]) == (3, 0.8, 0.6667)


def test_values_of_a_result_are_those_that_were_read():
    (value,) = _list_values(make_result())  # one task found nothing, one has not run
    assert value == {"text": "20 EUR", "type": value["type"], "confidence": 1.0, "final": False}
    rows = [asserted(0.9, right=number < 8) for number in range(10)]
    found = _measure_rows([*rows, {"outcome": "abstained", "right": False, "values": []}])
    assert found["answers"]["n"] == found["values"]["n"] == 10
    assert found["values"]["ece"] == pytest.approx(0.1)
    assert _measure_rows([{"outcome": "asserted", "right": True}]) == {}  # results of an older version
