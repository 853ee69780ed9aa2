"""The circuit breaker's state machine, under any order of events."""

import math

from hypothesis import given
from hypothesis import strategies as st

from weiwo.state.circuit_breaker import FOREVER, BreakerRegistry, CircuitBreaker


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


EVENTS = st.lists(
    st.tuples(st.sampled_from(["admit", "fail", "succeed", "release", "wait"]), st.integers(0, 3)), max_size=60
)


@given(EVENTS)
def test_an_open_breaker_has_one_call_on_trial_at_most_and_none_before_it_has_cooled(events):
    clock = Clock()
    circuit = CircuitBreaker(2, 5, 20, clock)
    calls = [object() for _ in range(4)]
    until = -math.inf
    for event, which in events:
        call, opened = calls[which], circuit.state in {"open", "half_open"}
        if event == "admit" and circuit.admit(call) and opened:
            assert clock.now >= until
            assert circuit.on_trial(call)
            assert not any(circuit.admit(other) for other in calls if other is not call)
        elif event == "fail" and (cooling := circuit.record_failure(call)):
            assert 5 <= cooling <= 20
            until = clock.now + cooling
            assert circuit.state == "open"
        elif event == "succeed":
            circuit.record_success(call)
            assert circuit.state == "closed"
        elif event == "release":
            circuit.release_call(call)
        elif event == "wait":
            clock.now += 3 * which


def test_one_that_never_cools_stays_open_whoever_asks():
    clock = Clock()
    circuit = CircuitBreaker(3, 5, 60, clock)
    assert circuit.record_failure("call", opens=True, at_least=FOREVER) == FOREVER
    clock.now = 1e12
    assert not circuit.admit("next")
    assert not circuit.admit("next", early=True)
    assert not circuit.record_success("late")
    assert circuit.state == "open"


def test_a_registry_forgets_what_was_not_used_for_longest():
    registry = BreakerRegistry(lambda name: [name], 2)
    first, second = registry.get("run", "a"), registry.get("run", "b")
    assert registry.get("run", "a") is first
    registry.get("other run", "a")
    assert len(registry) == 2
    assert registry.get("run", "a") is first
    assert registry.get("run", "b") is not second
