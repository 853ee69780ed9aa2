"""Requests pass no faster than the limit, however long they are under way, first come first served."""

import asyncio
import math
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.examples import examples
from weiwo.tools.web.rate_limiter import _ARRIVED, _LOOK, RateLimiter


class Clock:
    """A clock that only sleepers move; the one who sleeps shortest wakes first."""

    def __init__(self) -> None:
        self.now = 100.0
        self._sleepers: list[tuple[float, int, asyncio.Event]] = []
        self._count = 0

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        event = asyncio.Event()
        self._count += 1
        self._sleepers.append((self.now + seconds, self._count, event))
        await event.wait()

    async def run(self) -> None:
        while True:
            for _ in range(9):
                await asyncio.sleep(0)
            if not self._sleepers:
                return
            self._sleepers.sort(key=lambda sleeper: sleeper[:2])
            self.now, _, event = self._sleepers.pop(0)
            event.set()


async def passing(per_second: float, trips: Sequence[float]) -> list[tuple[int, float, float]]:
    """Tasks that all come at once and are under way for so long: who left when, and when each was over."""
    clock = Clock()
    limiter = RateLimiter(clock, clock.sleep)
    passed: list[tuple[int, float, float]] = []

    async def task(number: int, trip: float) -> None:
        async with limiter.turn(per_second):
            left = clock.now
            await clock.sleep(trip)
        passed.append((number, left, clock.now))

    async with asyncio.TaskGroup() as group:
        for number, trip in enumerate(trips):
            group.create_task(task(number, trip))
        group.create_task(clock.run())
    return passed


@examples(40)
@given(st.floats(0.2, 50), st.lists(st.floats(0.001, 5), min_size=1, max_size=30))
def test_the_limit_holds_wherever_on_its_way_each_request_arrives(per_second: float, trips: list[float]) -> None:
    passed = asyncio.run(passing(per_second, trips))
    assert sorted(number for number, _, _ in passed) == list(range(len(trips)))
    at_once = max(1, math.floor(per_second))
    for number, left, _ in passed:
        before = [one for one in passed if (one[1], one[0]) < (left, number)]
        maybe_as_late = [one for one in before if min(one[2], one[1] + _ARRIVED) > left - at_once / per_second + 1e-6]
        assert len(maybe_as_late) < at_once


@examples(40)
@given(st.floats(0.2, 50), st.integers(1, 30))
def test_first_come_first_served_and_nobody_waits_longer_than_the_limit_asks(per_second: float, tasks: int) -> None:
    passed = asyncio.run(passing(per_second, [1e-6] * tasks))
    assert [number for number, _, _ in passed] == list(range(tasks))
    at_once = max(1, math.floor(per_second))
    for place, (_, left, _) in enumerate(passed):
        assert left - 100 == pytest.approx(place // at_once * at_once / per_second, abs=1e-3)


async def test_a_request_that_hangs_does_not_hold_up_the_others() -> None:
    passed = await passing(1, [500.0, 0.1])
    assert [(number, round(left - 100, 3)) for number, left, _ in passed] == [(1, _ARRIVED + 1), (0, 0)]


async def test_whoever_leaves_the_queue_lets_the_others_up() -> None:
    clock = Clock()
    limiter = RateLimiter(clock, clock.sleep)

    async def task() -> float:
        async with limiter.turn(1):
            return clock.now

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(task()) for _ in range(4)]
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert limiter.ahead(1) == 3
        tasks[1].cancel()
        group.create_task(clock.run())
    assert [round(done.result() - 100, 6) for done in tasks if not done.cancelled()] == [0, 1, 2]


async def test_whoever_waits_looks_whether_there_is_still_a_point_in_it() -> None:
    clock = Clock()
    limiter = RateLimiter(clock, clock.sleep)
    late: list[float] = []

    def check() -> None:
        if clock.now > 100.6:
            raise LookupError

    async def first() -> None:
        async with limiter.turn(0.1):
            pass

    async def second() -> None:
        with pytest.raises(LookupError):
            async with limiter.turn(0.1, check):
                raise AssertionError
        late.append(clock.now - 100)

    async with asyncio.TaskGroup() as group:
        for task in (first, second, second):
            group.create_task(task())
        group.create_task(clock.run())
    assert late == pytest.approx([0.6 + _LOOK / 2] * 2, abs=_LOOK)
    assert limiter.ahead(1) == 0
