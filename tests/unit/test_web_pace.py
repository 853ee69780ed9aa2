"""Requests pass one by one, no faster than the limit, first come first served."""

import asyncio
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.web.pace import LONGEST_HOLD, Pace


class Clock:
    """A clock that only sleepers move; the one who sleeps shortest wakes first."""

    def __init__(self) -> None:
        self.now = 100.0
        self._sleepers: list[tuple[float, int, asyncio.Event]] = []

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        event = asyncio.Event()
        self._sleepers.append((self.now + seconds, len(self._sleepers), event))
        await event.wait()

    async def run(self) -> None:
        while True:
            for _ in range(5):
                await asyncio.sleep(0)
            if not self._sleepers:
                return
            self._sleepers.sort(key=lambda sleeper: sleeper[:2])
            self.now, _, event = self._sleepers.pop(0)
            event.set()


@given(st.floats(0.2, 50), st.integers(1, 30))
def test_no_second_has_more_than_the_limit_and_nobody_starves(per_second: float, tasks: int) -> None:
    async def run() -> list[tuple[int, float]]:
        clock = Clock()
        pace = Pace(per_second, clock, clock.sleep)
        passed: list[tuple[int, float]] = []

        async def task(number: int) -> None:
            await pace.wait()
            passed.append((number, clock.now))

        async with asyncio.TaskGroup() as group:
            for number in range(tasks):
                group.create_task(task(number))
            group.create_task(clock.run())
        return passed

    passed = asyncio.run(run())
    assert [number for number, _ in passed] == list(range(tasks))
    times = [moment for _, moment in passed]
    assert all(later - earlier >= 1 / per_second for earlier, later in pairwise(times))


async def test_the_server_may_ask_all_to_wait() -> None:
    clock = Clock()
    pace = Pace(5, clock, clock.sleep)
    await pace.wait()
    pace.hold(10)
    waiting = asyncio.create_task(pace.wait())
    await clock.run()
    await waiting
    assert clock.now == pytest.approx(110)
    pace.hold(10_000)
    waiting = asyncio.create_task(pace.wait())
    await clock.run()
    await waiting
    assert clock.now == pytest.approx(110 + LONGEST_HOLD)
