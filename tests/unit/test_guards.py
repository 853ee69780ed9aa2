"""Guards: goal, regression bound, and the noise between them."""

import pytest

from benchmarks.guards import Guard, describe, read_guards


@pytest.mark.parametrize(
    ("guard", "noise"),
    [
        (Guard(0.5, 100), 0.05),  # √(p(1 − p)/n)
        (Guard(0.9, 100), 0.03),
        (Guard(1.0, 40), 1 / 40),
        (Guard(0.0, 420, most=True), 1 / 420),
        (Guard(1.5, 10, most=True), 0.15),
    ],
)
def test_noise_is_that_of_drawing_the_rows_again(guard, noise):
    assert guard.noise == pytest.approx(noise, abs=0.004)


def test_a_bound_is_below_what_should_be_high_and_above_what_should_be_low():
    high, low = Guard(0.5, 100), Guard(1.5, 10, most=True)
    assert high.holds(0.46)
    assert not high.holds(0.43)
    assert low.holds(1.64)
    assert not low.holds(1.66)


def test_a_goal_that_is_not_reached_fails_nothing():
    row = describe("levels", 0.60, Guard(0.61, 100, goal=0.9))
    assert row.split()[:3] == ["held", "levels", "0.600"]
    assert row.endswith("goal >= 0.900 (not reached)")
    assert describe("levels", 0.50, Guard(0.61, 100)).startswith("WORSE")
    assert describe("other", 0.50, None).startswith("new")


def test_the_baseline_has_goals_and_no_wall_clock():
    guards = read_guards()
    assert not [name for name in guards if "wall" in name]
    assert guards["claims, blind: false caught"].goal == 0.65
