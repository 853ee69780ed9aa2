"""The circuit breaker of a tool: closed, warned, open, half-open."""

import pytest

from weiwo.tools.calling.errors import ToolCallError, ToolNotCalledError
from weiwo.tools.calling.tool_breaker import (
    _FIRST_COOLING,
    _LONGEST_COOLING,
    _MAX_BREAKERS,
    _THRESHOLD,
    ToolBreaker,
    tool_breaker,
)

DOWN = ToolCallError("crash", "probe: HTTP 503")


class Clock:
    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def guard(clock):
    return ToolBreaker("probe", clock)


def fail(guard: ToolBreaker, times: int = 1) -> list[str]:
    notes = []
    for call in range(times):
        guard.admit(call)
        notes.append(guard.record_failure(call, DOWN))
    return notes


def refused(guard: ToolBreaker) -> ToolNotCalledError:
    with pytest.raises(ToolNotCalledError) as caught:
        guard.admit(object())
    return caught.value


def test_it_goes_from_closed_over_warned_to_open_and_says_so(guard):
    assert guard.state == "closed"
    notes = fail(guard, _THRESHOLD - 1)
    assert guard.state == "warned"
    assert notes[0] == "probe: warned, 1 of 3 failures in a row (probe: HTTP 503)"
    assert fail(guard) == ["probe: blocked for 5 s (probe: HTTP 503)"]
    assert guard.state == "open"
    failure = refused(guard)
    assert (failure.kind, failure.attempts, failure.transient) == ("crash", 0, False)
    assert failure.message == "probe: not called, because it keeps failing (probe: HTTP 503)"


def test_a_success_in_between_starts_the_count_anew(guard):
    fail(guard, _THRESHOLD - 1)
    assert guard.record_success(object()) == "probe: works again"
    assert guard.record_success(object()) == ""
    fail(guard, _THRESHOLD - 1)
    assert guard.state == "warned"


def test_half_open_lets_one_through_whose_fate_decides(guard, clock):
    fail(guard, _THRESHOLD)
    clock.now += _FIRST_COOLING
    assert guard.state == "half_open"
    assert guard.admit("trial") == "probe: on trial, one call is let through"
    assert guard.admit("trial") == "", "its further calls pass as well"
    refused(guard)
    assert guard.record_success("trial") == "probe: works again"
    assert guard.state == "closed"
    guard.admit(object())


def test_a_trial_that_fails_opens_it_for_longer_up_to_a_bound(guard, clock):
    fail(guard, _THRESHOLD)
    cooling = _FIRST_COOLING
    for _ in range(8):
        clock.now += cooling
        guard.admit("trial")
        guard.record_failure("trial", DOWN)
        cooling = min(2 * cooling, _LONGEST_COOLING)
        clock.now += cooling - 0.001
        assert guard.state == "open"
        clock.now -= cooling - 0.001


def test_a_trial_that_is_broken_off_leaves_the_place_to_another(guard, clock):
    fail(guard, _THRESHOLD)
    clock.now += _FIRST_COOLING
    guard.admit("trial")
    guard.release_call("somebody else")
    refused(guard)
    guard.release_call("trial")
    assert guard.admit("next")


def test_a_call_from_before_it_opened_says_nothing_new_unless_it_succeeds(guard):
    fail(guard, _THRESHOLD)
    assert guard.record_failure("late", DOWN) == ""
    assert guard.state == "open"
    assert guard.record_success("late") == "probe: works again"
    assert guard.state == "closed"


def test_a_refused_key_stays_refused_for_the_run(guard, clock):
    note = guard.record_failure("call", ToolCallError("auth", "probe: HTTP 401"), final=True)
    assert note == "probe: blocked for the rest of this run (probe: HTTP 401)"
    clock.now += 1e9
    assert refused(guard).kind == "auth"
    with pytest.raises(ToolNotCalledError):
        guard.admit("early", early=True)
    assert guard.record_success("late") == ""
    assert guard.state == "open"


def test_whoever_decided_to_try_again_need_not_wait_for_it_to_cool(guard):
    fail(guard, _THRESHOLD)
    refused(guard)
    guard.admit("second round", early=True)
    with pytest.raises(ToolNotCalledError):
        guard.admit("another of it", early=True)
    guard.record_success("second round")
    assert guard.state == "closed"


def test_it_stays_open_at_least_as_long_as_the_other_side_asked(guard, clock):
    for call in range(_THRESHOLD):
        guard.record_failure(call, ToolCallError("rate_limit", "x", retry_after=40))
    clock.now += 39
    assert guard.state == "open"
    clock.now += 1
    assert guard.state == "half_open"


def test_everybody_waits_as_long_as_the_other_side_asked(guard, clock):
    assert guard.waiting() == 0
    guard.hold(10)
    guard.hold(3)
    clock.now += 4
    assert guard.waiting() == 6
    clock.now += 7
    assert guard.waiting() == 0


def test_they_are_found_by_run_and_tool_and_the_oldest_are_forgotten():
    first = tool_breaker("run-a", "probe")
    assert tool_breaker("run-a", "probe") is first
    assert tool_breaker("run-b", "probe") is not first
    assert tool_breaker("run-a", "other") is not first
    for number in range(_MAX_BREAKERS):
        tool_breaker(f"many-{number}", "probe")
    assert tool_breaker("run-a", "probe") is not first
